//! One set of positions.

use rayon::prelude::*;

/// A set of positions with one side to move, and which of its rows changed when it was last brought up to date.
///
/// The loops of the kernel see it by rows only, so that one day a layer may be a file of which some rows are in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layer<W> {
    words: Vec<W>,
    dirty: Vec<bool>,
    /// The words of a row.
    lanes: usize,
}

/// Some rows of a layer, to be written.
pub struct Part<'a, W> {
    pub first_row: usize,
    pub words: &'a mut [W],
    /// By row: whether it changed.
    pub dirty: &'a mut [bool],
    lanes: usize,
}

impl<W: Copy + Send + Sync> Layer<W> {
    /// A layer with the same word everywhere, in which nothing has changed.
    pub fn new(rows: usize, lanes: usize, word: W) -> Layer<W> {
        Layer { words: vec![word; rows * lanes], dirty: vec![false; rows], lanes }
    }

    /// A layer of words and flags; none if there is not a row of words for each flag.
    pub fn from_parts(words: Vec<W>, dirty: Vec<bool>, lanes: usize) -> Option<Layer<W>> {
        (words.len() == dirty.len() * lanes).then_some(Layer { words, dirty, lanes })
    }

    /// The words of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &[W] {
        &self.words[row * self.lanes..][..self.lanes]
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.dirty.len()
    }

    /// The words of all rows.
    pub fn words(&self) -> &[W] {
        &self.words
    }

    /// By row: whether it changed.
    pub fn dirty(&self) -> &[bool] {
        &self.dirty
    }

    /// Becomes equal to another layer, which it was equal to before the rows that changed there.
    pub fn follow(&mut self, other: &Layer<W>) {
        let rows = self.words.chunks_exact_mut(self.lanes).zip(other.words.chunks_exact(self.lanes));
        for ((mine, theirs), _) in rows.zip(&other.dirty).filter(|(_, dirty)| **dirty) {
            mine.copy_from_slice(theirs);
        }
        self.dirty.copy_from_slice(&other.dirty);
    }

    /// All rows, to be written.
    pub fn all_rows(&mut self) -> Part<'_, W> {
        Part { first_row: 0, words: &mut self.words, dirty: &mut self.dirty, lanes: self.lanes }
    }

    /// All rows, so many at a time.
    pub fn slices(&mut self, rows: usize) -> impl Iterator<Item = Part<'_, W>> {
        let lanes = self.lanes;
        let slices = self.words.chunks_mut(rows * lanes).zip(self.dirty.chunks_mut(rows)).enumerate();
        slices.map(move |(slice, (words, dirty))| Part { first_row: slice * rows, words, dirty, lanes })
    }
}

impl<'a, W: Send> Part<'a, W> {
    /// The rows divided among tasks, so many for each.
    pub fn tasks(self, rows: usize) -> impl IndexedParallelIterator<Item = Part<'a, W>> {
        let Part { first_row, words, dirty, lanes } = self;
        let parts = words.par_chunks_mut(rows * lanes).zip(dirty.par_chunks_mut(rows)).enumerate();
        parts.map(move |(task, (words, dirty))| Part { first_row: first_row + task * rows, words, dirty, lanes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_follows_another_in_the_rows_that_changed() {
        let mut layer: Layer<u32> = Layer::new(6, 8, 1);
        let mut other = layer.clone();
        for (slice, part) in other.slices(3).enumerate() {
            assert_eq!((part.first_row, part.dirty.len()), (slice * 3, 3));
            part.words[8..16].fill(7 + slice as u32);
            part.dirty[1] = true;
            part.words[16] = 99;
        }
        layer.follow(&other);
        assert_eq!((layer.row(1), layer.row(4)), (&[7; 8][..], &[8; 8][..]));
        // The row whose flag is not set is not looked at.
        assert_eq!((layer.row(2), layer.dirty()), (&[1; 8][..], other.dirty()));
        let firsts: Vec<usize> = layer.all_rows().tasks(4).map(|part| part.first_row).collect();
        assert_eq!(firsts, [0, 4]);
        assert_eq!(Layer::from_parts(vec![0u32; 16], vec![false; 3], 8), None);
    }
}
