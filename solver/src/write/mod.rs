//! From solved classes to table files.
//!
//! The bytes of a table depend on its values and on the [`Encoding`], never on the number of threads.

mod distances;
mod encoding;
mod wdl;

pub use distances::{TableStream, write_table};
pub use encoding::Encoding;
pub use wdl::{Distances, WdlError, write_wdl_table};
