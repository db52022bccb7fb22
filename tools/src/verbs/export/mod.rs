//! `export`: tables in other formats.

mod csv;
mod exported;
mod openml;

use crate::context::{Context, materials};
use crate::error::{Code, Failure};
use crate::interrupt;
use crate::target::Target;
use crate::terms::main_metric;
use dsq_tables::rules::Rules;
use dsq_tables::value::Metric;
use exported::Exported;
use std::io::Write;
use std::path::PathBuf;

/// What is asked.
pub struct Request {
    /// Materials.
    pub materials: Vec<String>,
    /// The format.
    pub format: Format,
    /// Of which tables.
    pub metric: Metric,
    /// The file to write; none for standard output.
    pub output: Option<PathBuf>,
}

/// A format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// FEN, value, plies.
    Csv,
    /// The published data set of two-piece endings.
    Openml,
}

/// Writes tables out.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    if context.json() {
        return Err(Failure::bad("--json: export writes no JSON; --format says what it writes"));
    }
    let materials = materials(&rules, &request.materials)?;
    let materials = match request.format {
        Format::Csv if materials.is_empty() => {
            return Err(Failure::bad("--format csv: which material? As in `dsq export RL-E`"));
        }
        Format::Csv => materials,
        Format::Openml if !materials.is_empty() => {
            return Err(Failure::bad("--format openml takes no material: the data set always has the same"));
        }
        Format::Openml if request.metric != main_metric() => {
            return Err(Failure::bad("--format openml has distances to win only; --metric is for csv"));
        }
        Format::Openml => openml::materials(&rules)?,
    };
    let metric = request.metric;
    let tables = context.some_tables(&rules)?;
    if request.format == Format::Openml && rules.fingerprint() != Rules::load(openml::RULES)?.fingerprint() {
        let (own, published) = (rules.name(), openml::RULES);
        context.note(format_args!("the published data set is that of --rules {published}; these values are of {own}"));
    }
    // All tables are opened before the first line is written, and before an old file is replaced.
    let exported: Vec<Exported> =
        materials.into_iter().map(|material| Exported::open(&tables, material, metric)).collect::<Result<_, _>>()?;
    let write = |out: &mut dyn Write| match request.format {
        Format::Csv => csv::write(&tables, &exported, metric, out),
        Format::Openml => openml::write(&tables, &exported, out),
    };
    match &request.output {
        None => write(out)?,
        Some(path) => {
            // So that an unfinished file is removed.
            interrupt::watch(|| {})?;
            let mut target = Target::create(path)?;
            let written = write(&mut target);
            target.finish(written)?;
        }
    }
    Ok(Code::Done)
}
