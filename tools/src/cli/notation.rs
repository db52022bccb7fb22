//! How others write, as it is typed after the verbs that read or drive other programs.

use crate::judge::dialect::Case;
use crate::verbs::check::notation::NotationChanges;
use clap::Args;
use std::path::PathBuf;

/// How others write positions and moves.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Notation")]
pub struct DialectArgs {
    /// How positions and moves are written: a name (uci, uaci, lion-i, …) or a file; the options below override what it says
    #[arg(long, value_name = "NAME|FILE")]
    pub dialect: Option<PathBuf>,
    #[command(flatten)]
    pub notation: NotationArgs,
}

/// How others write, where it differs from the dialect.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Notation")]
pub struct NotationArgs {
    /// Other letters for some animals, as lion=I,leopard=L
    #[arg(long, value_name = "NAME=LETTER,...")]
    pub letters: Option<String>,
    /// Left and right are exchanged
    #[arg(long)]
    pub mirror: bool,
    /// The case of the letters of White, who begins
    #[arg(long, value_name = "CASE", value_enum)]
    pub first: Option<Case>,
}

impl From<NotationArgs> for NotationChanges {
    fn from(typed: NotationArgs) -> NotationChanges {
        let NotationArgs { letters, mirror, first } = typed;
        NotationChanges { letters, mirror, first }
    }
}
