//! Solved classes that the next ones need, kept in memory as far as there is room.

use crate::solved::Solved;
use dsq_tables::material::Material;
use dsq_tables::value::Metric;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Solved classes by their material and metric. When there is no more room, the one that was least recently used goes.
#[derive(Debug)]
pub struct SolvedCache {
    room: u64,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    classes: HashMap<(Material, Metric), (Arc<Solved>, u64)>,
    bytes: u64,
    /// Counts the uses, to know which was last.
    clock: u64,
}

impl SolvedCache {
    /// A cache with room for so many bytes. A single class that is larger is not kept.
    #[must_use]
    pub fn new(room: u64) -> SolvedCache {
        SolvedCache { room, kept: Mutex::default() }
    }

    /// The values of a class and metric, if they are kept.
    #[must_use]
    pub fn get(&self, material: Material, metric: Metric) -> Option<Arc<Solved>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let (solved, used) = kept.classes.get_mut(&(material, metric))?;
        *used = now;
        Some(solved.clone())
    }

    /// Keeps a class, if there is room for it.
    pub fn put(&self, solved: &Arc<Solved>) {
        let bytes = solved.memory();
        if bytes > self.room {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        if let Some((old, _)) = kept.classes.insert((solved.class.material(), solved.metric), (solved.clone(), now)) {
            kept.bytes -= old.memory();
        }
        kept.bytes += bytes;
        while kept.bytes > self.room {
            let oldest = kept.classes.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key);
            let Some((old, _)) = oldest.and_then(|key| kept.classes.remove(&key)) else { return };
            kept.bytes -= old.memory();
        }
    }

    /// Removes all classes.
    pub fn clear(&self) {
        self.forget_below(usize::MAX);
    }

    /// Removes the classes with fewer pieces.
    pub fn forget_below(&self, pieces: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.classes.retain(|(material, _), _| material.count() >= pieces);
        kept.bytes = kept.classes.values().map(|(solved, _)| solved.memory()).sum();
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
    fn the_least_recently_used_class_goes() {
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
        let cache = SolvedCache::new(solved[0].memory() + solved[1].memory());
        cache.put(&solved[0]);
        cache.put(&solved[1]);
        assert!(cache.get(material(0), Metric::Dtw).is_some());
        cache.put(&solved[2]);
        assert!(cache.get(material(1), Metric::Dtw).is_none());
        assert!(cache.get(material(2), Metric::Dtw).is_some());
        cache.forget_below(3);
        assert!(cache.get(material(2), Metric::Dtw).is_none());
        cache.put(&solved[0]);
        cache.clear();
        assert!(cache.get(material(0), Metric::Dtw).is_none());
        let small = SolvedCache::new(10);
        small.put(&solved[0]);
        assert!(small.get(material(0), Metric::Dtw).is_none());
        let both = SolvedCache::new(u64::MAX);
        both.put(&solved[0]);
        assert!(both.get(material(0), Metric::Dtc).is_none());
    }
}
