//! The program `dsq`.
fn main() {}
