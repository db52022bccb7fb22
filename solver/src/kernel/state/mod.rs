//! What changes from ply to ply: the sets, the distances found so far, and both of them on the disk.

mod checkpoint;
mod distances;
mod layer;
mod progress;
mod sets;
mod spill;

pub use distances::{Code, Distances, read_slice};
pub use layer::{Layer, Part};
pub use progress::{Checkpoints, State};
pub use sets::Sets;
pub use spill::Record;
