//! The rows of one task at one ply: what is decided there.

use super::isa::{Bytes, Isa, PortableBytes};
use super::problem::Problem;
use super::sources::{Link, Links};
use super::spill::Record;
use super::sweep::{MAX_LANES, Sweep};
use super::word::Word;
use dsq_tables::format::ESCAPE;

/// What a sweep over some rows found.
#[derive(Default)]
pub struct Found {
    pub changed: bool,
    /// Cells whose code is the escape, with their code.
    pub exceptions: Vec<(u64, u32)>,
    /// What was decided, where the codes do not stay in memory.
    pub record: Record,
}

/// A stage of a ply.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Even ones find losses, odd ones wins.
    pub number: u32,
    /// Whether it belongs to the first ply, at which all of what is read is new.
    pub first: bool,
}

/// What the tasks of one stage and side have in common.
pub struct Task<'a, W> {
    pub sweep: &'a Sweep<'a, W>,
    pub links: &'a Links<W>,
    pub stage: Stage,
    /// The code of what it finds.
    pub code: u32,
    /// The side's own set of the other kind.
    pub own: &'a [W],
    /// Positions without a move where that is a draw; empty otherwise.
    pub stuck: &'a [W],
    /// Codes from this one on are exceptions.
    pub escape_from: u32,
    /// Instructions that the machine has.
    pub isa: Isa,
}

/// The rows that one task writes.
pub struct Part<'a, W> {
    /// The set that grows or shrinks.
    pub set: &'a mut [W],
    /// Where the codes go; none if they are recorded instead.
    pub codes: Option<&'a mut [u8]>,
    pub dirty: &'a mut [bool],
}

impl<W: Word> Task<'_, W> {
    /// Evaluates some rows from `first_row` on.
    pub fn sweep(&self, first_row: usize, part: Part<'_, W>) -> Found {
        match self.isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Isa::all` found the instructions; `Run::new` asks it.
            Isa::Avx512 => unsafe { self.sweep_avx512(first_row, part) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Isa::Avx2 => unsafe { self.sweep_avx2(first_row, part) },
            _ => self.sweep_with(PortableBytes, first_row, part),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn sweep_avx2(&self, first_row: usize, part: Part<'_, W>) -> Found {
        self.sweep_with(PortableBytes, first_row, part)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn sweep_avx512(&self, first_row: usize, part: Part<'_, W>) -> Found {
        // SAFETY: this function is only called where the machine has its instructions.
        let bytes = unsafe { super::isa::Avx512Bytes::new() };
        self.sweep_with(bytes, first_row, part)
    }

    /// Evaluates some rows. Compiled for each set of instructions.
    #[inline(always)]
    fn sweep_with(&self, bytes: impl Bytes, first_row: usize, part: Part<'_, W>) -> Found {
        let sweep = self.sweep;
        let lanes = sweep.problem.lanes;
        let (odd, first, code) = (sweep.odd, self.stage.first, self.code);
        let escaped = code >= self.escape_from;
        let byte = if escaped { ESCAPE } else { code as u8 };
        let mut found = Found::default();
        let mut codes = part.codes;
        let mut squares = [0; 8];
        let mut room = Vec::new();
        let mut moves = [W::ZERO; MAX_LANES];
        for (i, dirty) in part.dirty.iter_mut().enumerate() {
            let row = first_row + i;
            *dirty = false;
            let changed = |link: &Link| sweep.flags[link.flag as usize];
            let (seen, links) = match self.links.kept(row) {
                Some(links) => {
                    if !first && !links.iter().any(changed) {
                        continue;
                    }
                    let Some(seen) = sweep.see(row, &mut squares) else { continue };
                    (seen, links)
                }
                None => {
                    let Some(seen) = sweep.see(row, &mut squares) else { continue };
                    self.links.list(sweep, row, seen, &squares, &mut room);
                    if !first && !room.iter().any(changed) {
                        continue;
                    }
                    (seen, &room[..])
                }
            };
            moves[..lanes].fill(W::ZERO);
            for link in links {
                // What did not change leads to nothing new.
                if !odd || first || changed(link) {
                    sweep.add(*link, self.links.way(*link), &squares, &mut moves);
                }
            }
            if first {
                sweep.add_den_entries(&squares, &mut moves);
            }
            sweep.bring_back(seen, &mut moves);
            let set = &mut part.set[i * lanes..][..lanes];
            let own = &self.own[row * lanes..][..lanes];
            let drawn = self.stuck.get(row * lanes..).and_then(|stuck| stuck.get(..lanes));
            if !settle(set, own, drawn, &mut moves[..lanes], odd) {
                continue;
            }
            *dirty = true;
            found.changed = true;
            let Some(codes) = &mut codes else {
                found.record.row(i, &moves[..lanes]);
                continue;
            };
            for (lane, &new) in moves[..lanes].iter().enumerate().filter(|(_, new)| !new.is_zero()) {
                bytes.store(&mut codes[(i * lanes + lane) * W::BITS..][..W::BITS], new, byte);
                if escaped {
                    let first = ((row * lanes + lane) * W::BITS) as u64;
                    new.for_each_bit(|bit| found.exceptions.push((first + bit as u64, code)));
                }
            }
        }
        found
    }
}

/// Turns the words of a row that have a move into the target set into those that are decided now, and enters these into the
/// set that the ply writes. True if there are any.
#[inline(always)]
fn settle<W: Word>(set: &mut [W], own: &[W], drawn: Option<&[W]>, moves: &mut [W], odd: bool) -> bool {
    let mut any = W::ZERO;
    if odd {
        // The set is what is not won; it shrinks.
        for (moves, set) in moves.iter_mut().zip(set) {
            *moves &= *set;
            *set &= !*moves;
            any |= *moves;
        }
    } else {
        if let Some(drawn) = drawn {
            moves.iter_mut().zip(drawn).for_each(|(moves, drawn)| *moves |= *drawn);
        }
        // The set is what is lost; it grows by what is not won and has no move into what is not won.
        for ((moves, set), own) in moves.iter_mut().zip(set).zip(own) {
            *moves = *own & !*set & !*moves;
            *set |= *moves;
            any |= *moves;
        }
    }
    !any.is_zero()
}

/// The bytes of a set that a task should at least work on where its rows go to a file, so that they compress well.
const TASK_BYTES: usize = 16 << 10;

/// How many rows one task takes: those that differ only in the last outer piece, or in the last two or three where rows are
/// short. The rows of a single outer piece are split up as well, one by one where each is a slice of its own.
pub fn rows_of_a_task<W: Word>(problem: &Problem<W>, spilled: bool) -> usize {
    match problem.outers {
        0 => 1,
        1 if spilled => 1,
        1 => problem.rows.div_ceil(8).max(1),
        outers => {
            let enough = |rows: &usize| rows * problem.lanes * W::BITS / 8 >= TASK_BYTES;
            let sizes = (0..outers - 1).rev().map(|slot| problem.rows_after(slot));
            // A record has two bytes for the number of a row.
            let mut sizes = sizes.take_while(|&rows| rows <= 1 << 16);
            let least = sizes.next().unwrap_or(1);
            if !spilled || enough(&least) { least } else { sizes.find(enough).unwrap_or(least) }
        }
    }
}
