//! All that an engine needs to ask the tables: `cargo run --release --example probe -- DIR 'FEN'`.

use dsq_tables::position::Position;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{Probe, Tablebase};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(fen)) = (arguments.next(), arguments.next()) else {
        return Err("usage: probe DIR 'FEN'".into());
    };
    // Once, when the engine starts. Both can be shared by all threads.
    let rules = Rules::load("classic")?;
    let tables = Tablebase::open(&folder, rules.clone())?;

    // In the search: a value for the side to move, or an error that says which table is missing.
    let position = Position::from_fen(&rules, &fen)?;
    match tables.probe(&position)? {
        Probe::Finished(finished) => println!("{} has won", finished.winner.name()),
        Probe::Value(value) => println!("{} (plies to the end: {:?})", value.name(), value.plies()),
    }

    // At the root: every move with its value for the side that makes it, the best one first.
    for (legal, value) in tables.probe_moves(&position)? {
        println!("{}  {} {:?}", legal.squares.to_text(rules.board()), value.name(), value.plies());
    }
    Ok(())
}
