//! Large buffers that are used again for the next table: fresh memory costs more than the work on it.

use std::sync::{Mutex, PoisonError};

/// Buffers of bytes, given back by one table and taken by the next.
#[derive(Debug, Default)]
pub struct BufferPool {
    free: Mutex<Vec<Vec<u8>>>,
}

impl BufferPool {
    /// A pool without buffers.
    #[must_use]
    pub fn new() -> BufferPool {
        BufferPool::default()
    }

    /// A buffer of a length, with whatever it held before.
    #[must_use]
    pub fn take(&self, len: usize) -> Vec<u8> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |buffer: &Vec<u8>| buffer.capacity() >= len && buffer.capacity() / 4 <= len;
        let best = (0..free.len()).filter(|&i| fits(&free[i])).min_by_key(|&i| free[i].capacity());
        match best.map(|i| free.swap_remove(i)) {
            Some(mut buffer) => {
                buffer.resize(len, 0);
                buffer
            }
            // Fresh zeros cost nothing before they are touched.
            None => vec![0; len],
        }
    }

    /// Frees all buffers that are not in use.
    pub fn clear(&self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Gives a buffer back.
    pub fn give(&self, buffer: Vec<u8>) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(buffer);
        // More than the buffers of one table for each thread are never in use.
        let most = 4 * rayon::current_num_threads();
        if free.len() > most {
            let smallest = (0..free.len()).min_by_key(|&i| free[i].capacity());
            smallest.map(|i| free.swap_remove(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_with_the_right_length() {
        let pool = BufferPool::new();
        pool.give(vec![7; 1000]);
        assert_eq!(pool.take(2000), vec![0; 2000]);
        let buffer = pool.take(900);
        assert_eq!((buffer.len(), buffer[0]), (900, 7));
        // A buffer that is far too large is not taken.
        pool.give(buffer);
        assert_eq!(pool.take(10), vec![0; 10]);
        pool.clear();
        assert_eq!(pool.take(900), vec![0; 900]);
    }
}
