//! Asking an engine about moves: by the surest way that it understands.

use super::read;
use super::strange::Strange;
use crate::driver::{Asked, Failed, Fault, Limit, Protocol};
use crate::judge::exam::{Candidate, Participant};
use crate::number::whole;
use dsq_tables::board::{Side, Square};
use dsq_tables::moves::{LegalMove, Move};
use dsq_tables::perft::perft;
use dsq_tables::position::Position;
use dsq_tables::rules::{Piece, RuleError, Rules};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a command that may be unknown is waited for.
const TRIAL: Duration = Duration::from_secs(3);

/// A position in which all rules have the same moves: no water, trap or enemy is near.
pub(super) const CONTROL: &str = "l5t/7/e6/7/7/7/E6/7/T5L w";

/// What an engine has said about a position and a move.
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
    /// It makes this move, which does not win at once, and not the other, which would, though it wins at once elsewhere.
    Declines(Move),
    /// It has no move.
    NoMove,
}

impl Answer {
    /// True if it does not depend on how well the engine plays.
    #[must_use]
    pub const fn is_sure(&self) -> bool {
        !matches!(self, Answer::Plays(_) | Answer::Declines(_) | Answer::NoMove)
    }

    /// True if it says nothing about a move that may be legal: the engine has made another one.
    #[must_use]
    pub fn is_silent(&self, squares: Move) -> bool {
        matches!(self, Answer::Plays(played) if *played != squares)
    }

    /// True if the answer is that of these rules, in a position with a move that may be legal; none if they know no such position,
    /// or the answer says nothing.
    #[must_use]
    pub fn fits(&self, rules: &Rules, fen: &str, squares: Move) -> Option<bool> {
        if self.is_silent(squares) {
            return None;
        }
        let position = Position::from_fen(rules, fen).ok()?;
        let legal = position.legal_moves(rules);
        let is_legal = legal.iter().any(|legal| legal.squares == squares);
        Some(match self {
            Answer::Moves(moves) => moves.contains(&squares) == is_legal,
            Answer::Count(count) => u64::try_from(legal.len()).is_ok_and(|length| length == *count),
            Answer::Accepts(accepted) => *accepted == is_legal,
            Answer::Plays(_) => is_legal,
            Answer::Declines(_) => !is_legal,
            Answer::NoMove => legal.is_empty(),
        })
    }
}

/// Positions with a capture that wins at once by all rules, on land and away from traps. An engine that makes all of them wins
/// where it can; one that plays at random hardly ever makes all.
/// In two of them the den is so near that whoever is content with any win may go there.
pub(super) const WINS: [(&str, &str); 8] = [
    ("7/7/7/7/7/7/7/1Lc4/7 w", "b2c2"),
    ("7/1E5/1p5/7/7/7/7/7/7 w", "b8b7"),
    ("7/7/7/7/7/7/7/4cE1/7 w", "f2e2"),
    ("7/7/7/7/7/7/7/5l1/5T1 b", "f2f1"),
    ("7/4Ce1/7/7/7/7/7/7/7 b", "f8e8"),
    ("7/7/7/7/7/7/1c5/1P5/7 w", "b2b3"),
    ("7/2L4/2c4/7/7/7/7/7/7 w", "c8c7"),
    ("7/7/7/7/7/7/4C2/4l2/7 b", "e2e3"),
];

/// An engine that is asked about moves.
pub struct Asking<'a> {
    candidate: &'a Candidate,
    participant: Participant<'a>,
    /// The rules by which positions are put; more pieces can stand in the water than in most.
    rules: Arc<Rules>,
    limit: Limit,
    /// The command that lists moves.
    list: Option<String>,
    /// The command that counts moves, and whether it lists them too.
    perft: Option<(String, bool)>,
    /// Whether its answer is what it does after a move.
    accepts: bool,
    /// Whether it wins at once where it can; none as long as nobody has needed to know.
    wins: Option<bool>,
    /// What went wrong last since somebody wanted to know.
    failed: Option<&'static str>,
    /// The moves that no rules have.
    strange: Strange,
}

/// Somebody wants the program to end.
pub struct Stopped;

/// Why nothing can be said of an engine.
pub enum Unasked {
    /// Somebody wants the program to end.
    Stopped,
    /// It could not be started, or did not answer its greeting.
    Unstarted(Failed),
    /// Rules that cannot be used.
    Rules(RuleError),
}

impl From<Stopped> for Unasked {
    fn from(Stopped: Stopped) -> Unasked {
        Unasked::Stopped
    }
}

impl From<RuleError> for Unasked {
    fn from(error: RuleError) -> Unasked {
        Unasked::Rules(error)
    }
}

impl<'a> Asking<'a> {
    /// Starts an engine and finds out how it can be asked.
    pub fn new(candidate: &'a Candidate, limit: Limit) -> Result<Asking<'a>, Unasked> {
        let rules = candidate.dialect.rules().clone();
        let mut participant = Participant::new(candidate);
        participant.greet().map_err(|failed| match failed.fault {
            Fault::Stopped => Unasked::Stopped,
            _ => Unasked::Unstarted(failed),
        })?;
        let mut asking = Asking {
            candidate,
            participant,
            rules,
            limit,
            list: None,
            perft: None,
            accepts: false,
            wins: None,
            failed: None,
            strange: Strange::default(),
        };
        let Ok(start) = Position::from_fen(&asking.rules, CONTROL) else { return Ok(asking) };
        let expected: BTreeSet<Move> = start.legal_moves(&asking.rules).iter().map(|legal| legal.squares).collect();
        for line in &candidate.profile.list {
            let dialect = &candidate.dialect;
            let lines =
                asking.lines(&start, line, TRIAL, &|lines| read::moves(dialect, lines).len() == expected.len())?;
            let listed = lines.map(|lines| read::moves(dialect, &lines)).unwrap_or_default();
            if listed == expected {
                asking.list = Some(line.clone());
                break;
            }
            // As many as there should be are a list, if of a position that is read in another way.
            if listed.len() == expected.len() {
                asking.strange.add(&asking.rules, &start, &listed);
            }
            asking.participant.leave();
        }
        for template in &candidate.profile.perft {
            let lines = asking.perft_lines(&start, template, 1, TRIAL)?.unwrap_or_default();
            let found = read::moves(&candidate.dialect, &lines);
            let listed = found == expected;
            if found.len() == expected.len() {
                asking.strange.add(&asking.rules, &start, &found);
            }
            if listed || asking.counts_right(&start, template)? {
                asking.perft = Some((template.clone(), listed));
                break;
            }
            // What it does not know may have set it thinking without end.
            asking.participant.leave();
        }
        let surely = asking.list.is_some() || asking.perft.is_some();
        asking.accepts = !surely && !asking.participant.is_hopeless() && asking.checks_moves(&start)?;
        Ok(asking)
    }

    /// How it is asked, in words; at the end, because only then it is known what it does.
    #[must_use]
    pub fn ways(&self) -> String {
        let plays = match self.wins {
            Some(true) => "by the moves it makes (it wins at once where it can)",
            Some(false) => "by the moves it makes (it misses wins, so a move that it does not make says nothing)",
            None => "by the moves it makes",
        };
        match (&self.list, &self.perft) {
            (Some(line), _) => format!("by its list of moves ({line})"),
            (None, Some((template, _))) => format!("by its counts of moves ({})", template.replace("{depth}", "N")),
            (None, None) if self.accepts => format!("by whether it goes on after a move, and {plays}"),
            (None, None) => plays.to_owned(),
        }
    }

    /// What the engine calls itself.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.participant.name()
    }

    /// True if it does not answer any more.
    #[must_use]
    pub fn is_hopeless(&self) -> bool {
        self.participant.is_hopeless()
    }

    /// The moves it named that are legal under no rules.
    #[must_use]
    pub const fn strange(&self) -> &Strange {
        &self.strange
    }

    /// What went wrong last since this was asked, as a word of JSON.
    pub const fn take_failed(&mut self) -> Option<&'static str> {
        self.failed.take()
    }

    /// Asks whether a move is legal; none if there is no answer, with what went wrong.
    pub fn ask(&mut self, fen: &str, squares: Move) -> Result<Result<Answer, String>, Stopped> {
        let Ok(position) = Position::from_fen(&self.rules, fen) else { return Ok(Err("no such position".to_owned())) };
        if let Some(line) = self.list.clone() {
            let listed = self.listed(&position, &line)?;
            return Ok(listed.map(Answer::Moves).ok_or_else(|| "no list of moves".to_owned()));
        }
        if let Some((template, listed)) = self.perft.clone() {
            let lines = self.perft_lines(&position, &template, 1, self.limit.patience)?.unwrap_or_default();
            let count = read::count(&self.candidate.dialect, &lines);
            return Ok(match count {
                Some(_) if listed => {
                    let moves = read::moves(&self.candidate.dialect, &lines);
                    self.strange.add(&self.rules, &position, &moves);
                    Ok(Answer::Moves(moves))
                }
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
        let answer = self.played(&position)?;
        Ok(match answer {
            Ok(Answer::Plays(played)) if would_decline(&self.rules, &position, squares, played) => {
                Ok(if self.wins_where_it_can()? { Answer::Declines(played) } else { Answer::Plays(played) })
            }
            answer => answer,
        })
    }

    /// The moves that it lists; none if there is no answer.
    fn listed(&mut self, position: &Position, line: &str) -> Result<Option<BTreeSet<Move>>, Stopped> {
        let lines = self.lines(position, line, self.limit.patience, &|lines| !lines.is_empty())?;
        let moves = lines.map(|lines| read::moves(&self.candidate.dialect, &lines));
        moves.iter().for_each(|moves| self.strange.add(&self.rules, position, moves));
        Ok(moves)
    }

    /// The move that it makes.
    fn played(&mut self, position: &Position) -> Result<Result<Answer, String>, Stopped> {
        let asked = self.candidate.asked(position);
        match self.participant.ask(&asked, &self.limit) {
            Ok(reply) => Ok(match self.candidate.read_move(&reply.text) {
                Some((played, _)) => {
                    self.strange.add(&self.rules, position, [&played]);
                    Ok(Answer::Plays(played))
                }
                None => {
                    self.failed = Some("garbage");
                    Err(format!("{:?} is no move", reply.text))
                }
            }),
            Err(failed) => match failed.fault {
                Fault::Stopped => Err(Stopped),
                Fault::NoMove { .. } => Ok(Ok(Answer::NoMove)),
                fault => {
                    self.failed = Some(fault.name());
                    Ok(Err(fault.to_string()))
                }
            },
        }
    }

    /// Whether it wins at once where it can, which is asked once.
    fn wins_where_it_can(&mut self) -> Result<bool, Stopped> {
        if let Some(wins) = self.wins {
            return Ok(wins);
        }
        let mut wins = true;
        for (fen, text) in WINS {
            let win = Move::parse(self.rules.board(), text);
            let Ok(position) = Position::from_fen(&self.rules, fen) else { continue };
            wins = self.played(&position)?.ok() == win.map(Answer::Plays);
            if !wins {
                break;
            }
        }
        self.wins = Some(wins);
        Ok(wins)
    }

    /// Counts moves, if the engine can.
    pub fn count(&mut self, fen: &str, depth: u32) -> Result<Option<u64>, Stopped> {
        let Ok(position) = Position::from_fen(&self.rules, fen) else { return Ok(None) };
        let Some((template, _)) = self.perft.clone() else {
            // A list is a count of one ply.
            let Some(line) = self.list.clone().filter(|_| depth == 1) else { return Ok(None) };
            return Ok(self.listed(&position, &line)?.map(|moves| whole(moves.len())));
        };
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
        match self.participant.command(&asked, line, patience, whole) {
            Ok(lines) => Ok(Some(lines)),
            Err(failed) if failed.fault == Fault::Stopped => Err(Stopped),
            Err(failed) => {
                self.failed = Some(failed.fault.name());
                Ok(None)
            }
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

    /// True if the engine, after a move that was sent to it, makes a move of the other side; none if it breaks down.
    fn goes_on(&mut self, position: &Position, squares: Move) -> Result<Option<bool>, Stopped> {
        let asked = self.candidate.asked(position);
        let text = self.candidate.dialect.write_move(squares, position.piece_on(squares.to).is_some());
        let asked = Asked { moves: vec![text], ..asked };
        match self.participant.ask(&asked, &self.limit) {
            Ok(reply) => {
                let played = self.candidate.read_move(&reply.text).map(|(played, _)| played);
                let mover = played.and_then(|played| position.piece_on(played.from));
                let other = mover.is_some_and(|piece| piece.side != position.turn());
                // The piece that was on the target of the move has been taken.
                Ok(Some(other && played.is_some_and(|played| played.from != squares.to)))
            }
            Err(failed) if failed.fault == Fault::Stopped => Err(Stopped),
            // To refuse a move is an answer.
            Err(failed) if !failed.fault.is_fatal() => Ok(Some(false)),
            Err(failed) => {
                self.failed = Some(failed.fault.name());
                Ok(None)
            }
        }
    }
}

/// So soon a win is as good as one at once for an engine that looks ahead: its move, the reply and its next move.
const SOON_PLIES: u32 = 3;

/// True if nobody who wins where he can makes this move if the other one is legal: that one takes the last piece, and this one does
/// not win too, by a capture or by entering the den. A move that the rules do not have may do anything, so it says nothing. Where a
/// third move wins at once, not to make that one either shows no more than bad play.
pub(super) fn would_decline(rules: &Rules, position: &Position, squares: Move, played: Move) -> bool {
    let wins = |legal| has_won_within(rules, &position.after(&legal), SOON_PLIES - 1);
    let third = |legal: &LegalMove| legal.squares != squares && position.after(legal).finished(rules).is_some();
    played != squares
        && takes_the_last(position, squares)
        && !position.legal_moves(rules).iter().any(third)
        && position.find_move(rules, played).is_some_and(|legal| !wins(legal))
}

/// True if the side to move wins within so many plies, whatever the other side does.
fn wins_within(rules: &Rules, position: &Position, plies: u32) -> bool {
    let wins = |legal| has_won_within(rules, &position.after(legal), plies - 1);
    plies > 0 && position.legal_moves(rules).iter().any(wins)
}

/// True if the side that has just moved has won, or wins within so many plies more.
pub(super) fn has_won_within(rules: &Rules, after: &Position, plies: u32) -> bool {
    if let Some(finished) = after.finished(rules) {
        return finished.winner != after.turn();
    }
    let wins = |reply| wins_within(rules, &after.after(reply), plies - 1);
    plies > 1 && after.legal_moves(rules).iter().all(wins)
}

/// True if a move goes to the square of the only piece of the other side.
fn takes_the_last(position: &Position, squares: Move) -> bool {
    position.pieces_of(position.turn().other()).map(|(_, square)| square).eq([squares.to])
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
    let mut more = position.setup();
    more.place(free, corner);
    Some(more.assume_legal())
}
