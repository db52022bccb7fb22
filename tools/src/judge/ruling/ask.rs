//! Asking an engine about moves: by the surest way that it understands.

use super::read;
use crate::driver::{Asked, Fault, Limit, Protocol};
use crate::judge::exam::{Candidate, Seat};
use dsq_tables::board::{Side, Square};
use dsq_tables::moves::Move;
use dsq_tables::perft::perft;
use dsq_tables::position::Position;
use dsq_tables::rules::{Piece, Rules};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a command that may be unknown is waited for.
const TRIAL: Duration = Duration::from_secs(3);

/// A position in which all rules have the same moves: no water, trap or enemy is near.
pub(super) const CONTROL: &str = "l5t/7/e6/7/7/7/E6/7/T5L w";

/// What an engine has told about a position and a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// These are the legal moves.
    Moves(BTreeSet<Move>),
    /// There are so many legal moves.
    Count(u64),
    /// It goes on after the move, or does not.
    Accepts(bool),
    /// It makes this move.
    Plays(Move),
    /// It has no move.
    NoMove,
}

impl Answer {
    /// True if it does not depend on how well the engine plays.
    #[must_use]
    pub const fn is_sure(&self) -> bool {
        !matches!(self, Answer::Plays(_) | Answer::NoMove)
    }

    /// True if the answer is that of these rules, in a position with a move that may be legal; none if they know no such position.
    #[must_use]
    pub fn fits(&self, rules: &Rules, fen: &str, squares: Move) -> Option<bool> {
        let position = Position::from_fen(rules, fen).ok()?;
        let legal = position.legal_moves(rules);
        let has = |squares: Move| legal.iter().find(|legal| legal.squares == squares);
        let wins = |squares: Move| has(squares).is_some_and(|legal| position.after(legal).finished(rules).is_some());
        Some(match self {
            Answer::Moves(moves) => moves.contains(&squares) == has(squares).is_some(),
            Answer::Count(count) => u64::try_from(legal.len()).is_ok_and(|length| length == *count),
            Answer::Accepts(accepted) => *accepted == has(squares).is_some(),
            // Who can win at once does.
            Answer::Plays(played) => has(*played).is_some() && (wins(*played) || !wins(squares)),
            Answer::NoMove => legal.is_empty(),
        })
    }
}

/// An engine that is asked about moves.
pub struct Asking<'a> {
    candidate: &'a Candidate,
    seat: Seat<'a>,
    /// The rules by which positions are put; more pieces can stand in the water than in most.
    rules: Arc<Rules>,
    limit: Limit,
    /// The command that lists moves.
    list: Option<String>,
    /// The command that counts moves, and whether it lists them too.
    perft: Option<(String, bool)>,
    /// Whether it is told by what it does after a move.
    accepts: bool,
}

/// Somebody wants the program to end.
pub struct Stopped;

impl<'a> Asking<'a> {
    /// Finds out how an engine can be asked.
    pub fn new(candidate: &'a Candidate, limit: Limit) -> Result<Asking<'a>, Stopped> {
        let rules = candidate.dialect.rules().clone();
        let seat = Seat::new(candidate);
        let mut asking = Asking { candidate, seat, rules, limit, list: None, perft: None, accepts: false };
        let Ok(start) = Position::from_fen(&asking.rules, CONTROL) else { return Ok(asking) };
        let expected: BTreeSet<Move> = start.legal_moves(&asking.rules).iter().map(|legal| legal.squares).collect();
        for line in &candidate.profile.list {
            let dialect = &candidate.dialect;
            let lines =
                asking.lines(&start, line, TRIAL, &|lines| read::moves(dialect, lines).len() == expected.len())?;
            if lines.is_some_and(|lines| read::moves(dialect, &lines) == expected) {
                asking.list = Some(line.clone());
                break;
            }
            asking.seat.leave();
        }
        for template in &candidate.profile.perft {
            let lines = asking.perft_lines(&start, template, 1, TRIAL)?.unwrap_or_default();
            let listed = read::moves(&candidate.dialect, &lines) == expected;
            if listed || asking.counts_right(&start, template)? {
                asking.perft = Some((template.clone(), listed));
                break;
            }
            // What it does not know may have set it thinking without end.
            asking.seat.leave();
        }
        let surely = asking.list.is_some() || asking.perft.is_some();
        asking.accepts = !surely && !asking.seat.is_hopeless() && asking.checks_moves(&start)?;
        Ok(asking)
    }

    /// How it is asked, in words.
    #[must_use]
    pub fn ways(&self) -> String {
        match (&self.list, &self.perft) {
            (Some(line), _) => format!("by its list of moves ({line})"),
            (None, Some((template, _))) => format!("by its counts of moves ({})", template.replace("{depth}", "N")),
            (None, None) if self.accepts => "by whether it goes on after a move, and by the moves it makes".to_owned(),
            (None, None) => "by the moves it makes".to_owned(),
        }
    }

    /// What the engine calls itself.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.seat.name()
    }

    /// True if it does not answer any more.
    #[must_use]
    pub fn is_hopeless(&self) -> bool {
        self.seat.is_hopeless()
    }

    /// Asks whether a move is legal; none if there is no answer, with what went wrong.
    pub fn ask(&mut self, fen: &str, squares: Move) -> Result<Result<Answer, String>, Stopped> {
        let Ok(position) = Position::from_fen(&self.rules, fen) else { return Ok(Err("no such position".to_owned())) };
        if let Some(line) = self.list.clone() {
            let lines = self.lines(&position, &line, self.limit.patience, &|lines| !lines.is_empty())?;
            return Ok(lines
                .map(|lines| Answer::Moves(read::moves(&self.candidate.dialect, &lines)))
                .ok_or_else(|| "no list of moves".to_owned()));
        }
        if let Some((template, listed)) = self.perft.clone() {
            let lines = self.perft_lines(&position, &template, 1, self.limit.patience)?.unwrap_or_default();
            let count = read::count(&self.candidate.dialect, &lines);
            return Ok(match count {
                Some(_) if listed => Ok(Answer::Moves(read::moves(&self.candidate.dialect, &lines))),
                Some(count) => Ok(Answer::Count(count)),
                None => Err("no count of moves".to_owned()),
            });
        }
        if self.accepts
            && let Some(with_spare) = with_spare(&self.rules, &position)
        {
            let goes_on = self.goes_on(&with_spare, squares)?;
            return Ok(goes_on.map(Answer::Accepts).ok_or_else(|| "it breaks down".to_owned()));
        }
        let asked = self.candidate.asked(&position);
        match self.seat.ask(&asked, &self.limit) {
            Ok(reply) => Ok(match self.candidate.read_move(&reply.text) {
                Some((played, _)) => Ok(Answer::Plays(played)),
                None => Err(format!("{:?} is no move", reply.text)),
            }),
            Err(failed) => match failed.fault {
                Fault::Stopped => Err(Stopped),
                Fault::NoMove { .. } => Ok(Ok(Answer::NoMove)),
                fault => Ok(Err(fault.to_string())),
            },
        }
    }

    /// Counts moves, if the engine can.
    pub fn count(&mut self, fen: &str, depth: u32) -> Result<Option<u64>, Stopped> {
        let Some((template, _)) = self.perft.clone() else { return Ok(None) };
        let Ok(position) = Position::from_fen(&self.rules, fen) else { return Ok(None) };
        let lines = self.perft_lines(&position, &template, depth, self.limit.patience)?;
        Ok(lines.and_then(|lines| read::count(&self.candidate.dialect, &lines)))
    }

    /// True if a command counts the moves of a position as all rules do.
    fn counts_right(&mut self, position: &Position, template: &str) -> Result<bool, Stopped> {
        for depth in 1..=2 {
            let lines = self.perft_lines(position, template, depth, TRIAL)?.unwrap_or_default();
            if read::count(&self.candidate.dialect, &lines) != Some(perft(&self.rules, position, depth)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn perft_lines(
        &mut self,
        position: &Position,
        template: &str,
        depth: u32,
        patience: Duration,
    ) -> Result<Option<Vec<String>>, Stopped> {
        let dialect = &self.candidate.dialect;
        let line = template.replace("{depth}", &depth.to_string());
        self.lines(position, &line, patience, &|lines| read::count(dialect, lines).is_some())
    }

    fn lines(
        &mut self,
        position: &Position,
        line: &str,
        patience: Duration,
        whole: &dyn Fn(&[String]) -> bool,
    ) -> Result<Option<Vec<String>>, Stopped> {
        let asked = self.candidate.asked(position);
        match self.seat.command(&asked, line, patience, whole) {
            Ok(lines) => Ok(Some(lines)),
            Err(failed) if failed.fault == Fault::Stopped => Err(Stopped),
            Err(_) => Ok(None),
        }
    }

    /// True if it goes on after a legal move and does not after one that no rules have.
    fn checks_moves(&mut self, start: &Position) -> Result<bool, Stopped> {
        let profile = &self.candidate.profile;
        if profile.kind != Protocol::Uci || !profile.moves {
            return Ok(false);
        }
        let Some(legal) = start.legal_moves(&self.rules).first().copied() else { return Ok(false) };
        // From one corner to the middle of the other side.
        let all: Vec<Square> = self.rules.board().all().squares().collect();
        let far = all.iter().rev().copied().find(|&square| start.piece_on(square).is_none());
        let Some(far) = far else { return Ok(false) };
        let illegal = Move { from: legal.squares.from, to: far };
        Ok(self.goes_on(start, legal.squares)? == Some(true) && self.goes_on(start, illegal)? == Some(false))
    }

    /// True if the engine, told that a move was made, makes a move of the other side; none if it breaks down.
    fn goes_on(&mut self, position: &Position, squares: Move) -> Result<Option<bool>, Stopped> {
        let asked = self.candidate.asked(position);
        let text = self.candidate.dialect.write_move(squares, position.piece_on(squares.to).is_some());
        let asked = Asked { moves: vec![text], ..asked };
        match self.seat.ask(&asked, &self.limit) {
            Ok(reply) => {
                let played = self.candidate.read_move(&reply.text).map(|(played, _)| played);
                let mover = played.and_then(|played| position.piece_on(played.from));
                let other = mover.is_some_and(|piece| piece.side != position.turn());
                // The piece that was on the target of the move has been taken.
                Ok(Some(other && played.is_some_and(|played| played.from != squares.to)))
            }
            Err(failed) if failed.fault == Fault::Stopped => Err(Stopped),
            Err(failed) => Ok((!failed.fault.is_fatal()).then_some(false)),
        }
    }
}

/// The position with one more piece of the side that is not to move, far from the others, so that the game goes on.
fn with_spare(rules: &Rules, position: &Position) -> Option<Position> {
    let side = position.turn().other();
    let corner = rules.board().parse_square(if side == Side::White { "a1" } else { "g9" })?;
    let free =
        rules.animals().rev().map(|animal| Piece { side, animal }).find(|&piece| position.square(piece).is_none())?;
    if position.piece_on(corner).is_some() {
        return None;
    }
    let mut more = *position;
    more.place(free, corner);
    Some(more)
}
