//! Vector instructions, chosen when the program runs.
//!
//! The loops of the kernel are written once, as plain loops over words ([`Work`]). [`Instructions::run`] is the one place
//! where a loop is compiled several times, with other instructions allowed each time. The results are the same bit for bit, which
//! a test compares.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod bytes;
mod dispatch;

pub use bytes::{Bytes, PortableBytes};
pub use dispatch::{Instructions, Isa, Work};
