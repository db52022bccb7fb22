//! Under its former name: [`value`](crate::value).

pub use crate::value::{Dtc, Outcome};
