//! How often what was played: by verdict, by material, by player.

use super::verdict::{Kind, Verdict};
use dsq_tables::value::Wdl;
use std::collections::BTreeMap;

/// Counts of moves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    kinds: [u64; Kind::ALL.len()],
    /// Moves that the tables judged, made where a win or a draw could be thrown away.
    pub at_stake: u64,
    /// By how many plies in all wins came later and losses sooner than they could, where the value was kept.
    pub plies_lost: u64,
}

impl Counts {
    /// Takes in one more move.
    pub fn add(&mut self, verdict: &Verdict) {
        if let Some(place) = Kind::ALL.iter().position(|&kind| kind == verdict.kind) {
            self.kinds[place] += 1;
        }
        if verdict.kind.is_judged() {
            let at_stake = verdict.before.is_some_and(|before| before.value != Wdl::Loss);
            self.at_stake += u64::from(at_stake);
            self.plies_lost += verdict.lost_plies().map_or(0, u64::from);
        }
    }

    /// How many moves were of a kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u64 {
        Kind::ALL.iter().zip(self.kinds).find(|(other, _)| **other == kind).map_or(0, |(_, count)| count)
    }

    fn sum(&self, counts: impl Fn(Kind) -> bool) -> u64 {
        Kind::ALL.into_iter().filter(|&kind| counts(kind)).map(|kind| self.of(kind)).sum()
    }

    /// How many moves there were.
    #[must_use]
    pub fn moves(&self) -> u64 {
        self.sum(|_| true)
    }

    /// How many the tables judged.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.sum(Kind::is_judged)
    }

    /// How many threw a value away or were illegal.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.sum(Kind::is_fault)
    }

    /// Of those with something at stake, how many kept the value.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.at_stake.saturating_sub(self.sum(|kind| kind.is_fault() && kind.is_judged()))
    }
}

/// The counts of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Of everything.
    pub all: Counts,
    /// By player.
    pub players: BTreeMap<String, Counts>,
    /// By material, as the side that moves sees it. Only moves that the tables judged.
    pub materials: BTreeMap<String, Counts>,
}

impl Tally {
    /// Takes in one more move.
    pub fn add(&mut self, player: &str, material: &str, verdict: &Verdict) {
        self.all.add(verdict);
        count(&mut self.players, player).add(verdict);
        if verdict.kind.is_judged() {
            count(&mut self.materials, material).add(verdict);
        }
    }
}

fn count<'a>(counts: &'a mut BTreeMap<String, Counts>, key: &str) -> &'a mut Counts {
    counts.entry(key.to_owned()).or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::judge::verdict::Outcome;

    fn verdict(kind: Kind, before: Option<Outcome>, after: Option<Outcome>) -> Verdict {
        let keeping = Vec::new();
        Verdict { kind, before, after, keeping, without_distances: false, limit: None, illegal: None, missing: None }
    }

    #[test]
    fn only_what_could_be_thrown_away_is_at_stake() {
        let outcome = |value, plies| Some(Outcome { value, plies });
        let (win, slow) = (outcome(Wdl::Win, Some(15)), outcome(Wdl::Win, Some(19)));
        let (draw, loss, fast) = (outcome(Wdl::Draw, None), outcome(Wdl::Loss, Some(20)), outcome(Wdl::Loss, Some(2)));
        let mut tally = Tally::default();
        for verdict in [
            verdict(Kind::Best, win, win),
            verdict(Kind::Slower, win, slow),
            verdict(Kind::WinToDraw, win, draw),
            verdict(Kind::DrawToLoss, draw, loss),
            verdict(Kind::FasterLoss, loss, fast),
            verdict(Kind::Illegal, win, None),
            verdict(Kind::NotInTables, None, None),
        ] {
            tally.add("Anna", "R-C", &verdict);
        }
        let all = &tally.all;
        assert_eq!((all.moves(), all.judged(), all.faults(), all.at_stake, all.kept()), (7, 5, 3, 4, 2));
        assert_eq!(all.plies_lost, 4 + 18);
        assert_eq!((all.of(Kind::Illegal), all.of(Kind::WinToLoss)), (1, 0));
        assert_eq!((tally.players["Anna"].moves(), tally.materials["R-C"].moves()), (7, 5));
    }
}
