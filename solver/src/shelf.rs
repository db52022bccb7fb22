//! Solved classes that others rest on, kept in memory as far as there is room.

use crate::solved::Solved;
use dsq_tables::format::Metric;
use dsq_tables::material::Material;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Solved classes by their representative. When there is no more room, the one that was not asked for the longest goes.
#[derive(Debug)]
pub struct Shelf {
    room: u64,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    classes: HashMap<(Material, Metric), (Arc<Solved>, u64)>,
    bytes: u64,
    /// Counts the questions, to tell which was asked last.
    clock: u64,
}

impl Shelf {
    /// A shelf with room for so many bytes. A single class that is larger is not kept.
    #[must_use]
    pub fn new(room: u64) -> Shelf {
        Shelf { room, held: Mutex::default() }
    }

    /// The values of a class and metric, if they are here.
    #[must_use]
    pub fn get(&self, material: Material, metric: Metric) -> Option<Arc<Solved>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clock += 1;
        let now = held.clock;
        let (solved, asked) = held.classes.get_mut(&(material, metric))?;
        *asked = now;
        Some(solved.clone())
    }

    /// Puts a class here, if there is room for it.
    pub fn put(&self, solved: &Arc<Solved>) {
        let bytes = solved.memory();
        if bytes > self.room {
            return;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clock += 1;
        let now = held.clock;
        if let Some((old, _)) = held.classes.insert((solved.class.material(), solved.metric), (solved.clone(), now)) {
            held.bytes -= old.memory();
        }
        held.bytes += bytes;
        while held.bytes > self.room {
            let oldest = held.classes.iter().min_by_key(|(_, (_, asked))| *asked).map(|(key, _)| *key);
            let Some((old, _)) = oldest.and_then(|key| held.classes.remove(&key)) else { return };
            held.bytes -= old.memory();
        }
    }

    /// Removes all classes.
    pub fn clear(&self) {
        self.forget_below(usize::MAX);
    }

    /// Removes the classes with fewer pieces.
    pub fn forget_below(&self, pieces: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.classes.retain(|(material, _), _| material.count() >= pieces);
        held.bytes = held.classes.values().map(|(solved, _)| solved.memory()).sum();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::solved::SideCodes;
    use dsq_tables::class::Catalog;
    use dsq_tables::rules::Rules;

    #[test]
    fn what_was_not_asked_for_the_longest_goes() {
        let catalog = Catalog::new(Rules::load("classic").unwrap());
        let solved: Vec<Arc<Solved>> = catalog
            .classes(2)
            .into_iter()
            .filter(|class| !class.is_symmetric())
            .map(|class| {
                let codes = SideCodes::from_codes(&vec![0; class.index().size() as usize]);
                Arc::new(Solved::new(class, vec![codes.clone(), codes], &[0, 0]))
            })
            .collect();
        let material = |place: usize| solved[place].class.material();
        let shelf = Shelf::new(solved[0].memory() + solved[1].memory());
        shelf.put(&solved[0]);
        shelf.put(&solved[1]);
        assert!(shelf.get(material(0), Metric::Dtw).is_some());
        shelf.put(&solved[2]);
        assert!(shelf.get(material(1), Metric::Dtw).is_none());
        assert!(shelf.get(material(2), Metric::Dtw).is_some());
        shelf.forget_below(3);
        assert!(shelf.get(material(2), Metric::Dtw).is_none());
        shelf.put(&solved[0]);
        shelf.clear();
        assert!(shelf.get(material(0), Metric::Dtw).is_none());
        let small = Shelf::new(10);
        small.put(&solved[0]);
        assert!(small.get(material(0), Metric::Dtw).is_none());
        let both = Shelf::new(u64::MAX);
        both.put(&solved[0]);
        assert!(both.get(material(0), Metric::Dtc).is_none());
    }
}
