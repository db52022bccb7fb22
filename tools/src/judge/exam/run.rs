//! The work itself: engines one after the other, each in one or several copies at the same time.

use super::game::{End, Game, Mode, Response, Turn};
use super::opponent::best_move;
use super::participant::{Candidate, Participant};
use crate::driver::{Failed, Fault, Limit};
use crate::interrupt;
use crate::judge::verdict::{Judge, Kind};
use crate::random::Random;
use dsq_tables::board::Side;
use dsq_tables::position::Position;
use dsq_tables::rules::NoMove;
use dsq_tables::tablebase::TablebaseError;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// The same position so often is a draw.
const REPETITIONS: u32 = 3;

/// What is asked of engines.
pub struct Task<'a> {
    /// The judge.
    pub judge: &'a Judge,
    /// The positions to begin with.
    pub positions: &'a [Position],
    /// One move, or a game.
    pub mode: Mode,
    /// How long an engine may think.
    pub limit: Limit,
    /// The most plies of a game.
    pub max_plies: u32,
    /// For the choice among equal moves of perfect play.
    pub seed: u64,
    /// How many copies of the engine work at the same time.
    pub parallel: usize,
}

/// How the work of an engine ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// What it calls itself.
    pub name: Option<String>,
    /// Positions it was not asked about, because it could not be started any more.
    pub not_asked: usize,
    /// Why it was asked nothing at all: it could not be started, or did not answer its greeting.
    pub unstarted: Option<Failed>,
    /// True if somebody wants the program to end.
    pub stopped: bool,
}

/// Why a game is not there.
enum Broken {
    /// A table cannot be used.
    Tables(TablebaseError),
    /// Somebody wants the program to end.
    Stopped,
}

impl From<TablebaseError> for Broken {
    fn from(error: TablebaseError) -> Broken {
        Broken::Tables(error)
    }
}

/// Lets an engine work on all positions. `tell` gets the games in the order of the positions; an error of it ends the work.
///
/// # Errors
/// That of `tell`, or [`TablebaseError`] made one of those: a table cannot be used.
pub fn run<E: From<TablebaseError>>(
    task: &Task<'_>,
    candidate: &Candidate,
    mut tell: impl FnMut(Game) -> Result<(), E>,
) -> Result<Outcome, E> {
    let mut outcome = Outcome { not_asked: task.positions.len(), ..Outcome::default() };
    let mut first = Participant::new(candidate);
    match first.greet() {
        Ok(()) => {}
        Err(Failed { fault: Fault::Stopped, .. }) => return Ok(Outcome { stopped: true, ..outcome }),
        Err(failed) => return Ok(Outcome { unstarted: Some(failed), ..outcome }),
    }
    let (sender, games) = mpsc::channel();
    let next = AtomicUsize::new(0);
    let enough = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let others = 1..task.parallel.clamp(1, task.positions.len().max(1));
        for participant in std::iter::once(first).chain(others.map(|_| Participant::new(candidate))) {
            let (sender, next, enough) = (sender.clone(), &next, &enough);
            scope.spawn(move || work(task, candidate, participant, next, enough, &sender));
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        let reported = (|| {
            for message in games {
                match message {
                    Message::Name(name) => outcome.name = Some(name),
                    Message::Game(index, Ok(game)) => {
                        waiting.insert(index, game);
                        outcome.not_asked -= 1;
                    }
                    Message::Game(_, Err(Broken::Stopped)) => outcome.stopped = true,
                    Message::Game(_, Err(Broken::Tables(error))) => return Err(error.into()),
                }
                while let Some(game) = waiting.remove(&due) {
                    due += 1;
                    tell(game)?;
                }
            }
            // Where one is missing, those after it still count.
            std::mem::take(&mut waiting).into_values().try_for_each(&mut tell)
        })();
        enough.store(true, Ordering::SeqCst);
        if reported.is_err() {
            // Nobody waits for engines that still think.
            interrupt::ask();
        }
        reported.map(|()| outcome)
    })
}

enum Message {
    Name(String),
    Game(usize, Result<Game, Broken>),
}

fn work<'a>(
    task: &Task<'_>,
    candidate: &'a Candidate,
    mut participant: Participant<'a>,
    next: &AtomicUsize,
    enough: &AtomicBool,
    sender: &mpsc::Sender<Message>,
) {
    let mut named = false;
    while !enough.load(Ordering::SeqCst) && !participant.is_hopeless() {
        let index = next.fetch_add(1, Ordering::SeqCst);
        let Some(position) = task.positions.get(index) else { return };
        let game = Work { task, candidate, participant: &mut participant }.game(index, position);
        if let Some(name) = participant.name().filter(|_| !named) {
            named = true;
            let _ = sender.send(Message::Name(name.to_owned()));
        }
        let broken = game.is_err();
        // Nobody listens any more once the work is to end.
        if sender.send(Message::Game(index, game)).is_err() || broken {
            return;
        }
    }
}

/// A participant with what is asked of it.
struct Work<'w, 'a> {
    task: &'w Task<'w>,
    candidate: &'a Candidate,
    participant: &'w mut Participant<'a>,
}

impl Work<'_, '_> {
    fn game(&mut self, index: usize, start: &Position) -> Result<Game, Broken> {
        let mut game = Game { number: index + 1, start: *start, turns: Vec::new(), end: None, plies: 0 };
        match self.task.mode {
            Mode::Examination => {
                let asked = self.candidate.asked(start);
                game.turns.push(self.turn((start, 0), &asked, 1)?);
            }
            Mode::PlayOut => game.end = Some(self.play(&mut game)?),
        }
        Ok(game)
    }

    /// Plays a game to its end.
    fn play(&mut self, game: &mut Game) -> Result<End, Broken> {
        let tables = self.task.judge.tables();
        let rules = tables.rules().clone();
        let own = game.start.turn();
        let mut random = Random::new(self.task.seed, game.number.try_into().unwrap_or(0));
        let mut position = game.start;
        let mut asked = self.candidate.asked(&position);
        let mut clock = 0;
        let mut seen: HashMap<Position, u32> = HashMap::new();
        loop {
            if let Some(end) = over(&rules, &position, own) {
                return Ok(end);
            }
            let times = seen.entry(position).or_default();
            *times += 1;
            if *times >= REPETITIONS {
                return Ok(End::Drawn);
            }
            if rules.quiet_limit().is_some_and(|limit| clock >= limit) {
                return Ok(End::Drawn);
            }
            if game.plies >= self.task.max_plies {
                return Ok(End::Unfinished);
            }
            let legal = if position.turn() == own {
                let turn = self.turn((&position, clock), &asked, game.plies + 1)?;
                let legal = match &turn.response {
                    Response::Move { squares, verdict, .. } if verdict.kind != Kind::Illegal => {
                        position.find_move(&rules, *squares)
                    }
                    _ => None,
                };
                game.turns.push(turn);
                match legal {
                    Some(legal) => legal,
                    None => return Ok(End::Forfeit),
                }
            } else {
                match best_move(self.task.judge, &position, clock, &mut random) {
                    Ok(Some(legal)) => legal,
                    // A side without a move has been seen to above.
                    Ok(None) => return Ok(End::Drawn),
                    Err(error) if error.is_missing() => return Ok(End::LeftTables),
                    Err(error) => return Err(error.into()),
                }
            };
            position = position.after(&legal);
            self.candidate.continued(&mut asked, &legal, &position);
            clock = legal.quiet_plies_after(clock);
            game.plies += 1;
        }
    }

    /// Asks for a move in a position with this halfmove clock, and judges it.
    fn turn(
        &mut self,
        (position, clock): (&Position, u32),
        asked: &crate::driver::Asked,
        ply: u32,
    ) -> Result<Turn, Broken> {
        let turn = |response, time| Turn { ply, position: *position, response, time };
        let failure = |Failed { fault, tail }: Failed| match fault {
            Fault::Stopped => Err(Broken::Stopped),
            fault => {
                let before = self.task.judge.value(position, clock)?;
                let response = Response::Failure { kind: fault.name(), words: fault.to_string(), before, tail };
                Ok(turn(response, Duration::ZERO))
            }
        };
        let reply = match self.participant.ask(asked, &self.task.limit) {
            Ok(reply) => reply,
            Err(failed) => return failure(failed),
        };
        let Some((squares, written)) = self.candidate.read_move(&reply.text) else {
            return failure(Failed { fault: Fault::Garbage { line: reply.text }, tail: self.participant.tail() });
        };
        let verdict = Box::new(self.task.judge.judge(position, clock, squares)?);
        let tail = if verdict.kind == Kind::Illegal { self.participant.tail() } else { Vec::new() };
        Ok(turn(Response::Move { squares, written, verdict, tail }, reply.time))
    }
}

/// How a game that is over ended.
fn over(rules: &dsq_tables::rules::Rules, position: &Position, own: Side) -> Option<End> {
    let won = |winner: Side| if winner == own { End::Won } else { End::Lost };
    if let Some(finished) = position.finished(rules) {
        return Some(won(finished.winner));
    }
    if position.has_move(rules) {
        return None;
    }
    Some(match rules.no_move() {
        NoMove::Loss => won(position.turn().other()),
        NoMove::Draw => End::Drawn,
    })
}
