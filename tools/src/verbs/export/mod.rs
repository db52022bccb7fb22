//! `export`: tables in other formats.

mod csv;
mod openml;

use crate::cli::{Export as Args, Format};
use crate::context::{Context, materials};
use crate::error::{Code, Failure};
use crate::interrupt;
use crate::target::Target;
use dsq_tables::class::Member;
use dsq_tables::format::Metric;
use dsq_tables::material::Material;
use dsq_tables::rules::Rules;
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use std::io::Write;

/// Writes tables out.
pub fn run(context: &Context, args: &Args, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    if context.json() {
        return Err(Failure::bad("--json: export writes no JSON; --format says what it writes"));
    }
    let materials = materials(&rules, &args.materials)?;
    let materials = match args.format {
        Format::Csv if materials.is_empty() => {
            return Err(Failure::bad("--format csv: which material? As in `dsq export RL-E`"));
        }
        Format::Csv => materials,
        Format::Openml if !materials.is_empty() => {
            return Err(Failure::bad("--format openml takes no material: the data set has always the same"));
        }
        Format::Openml if args.metric != crate::cli::Metric::Dtw => {
            return Err(Failure::bad("--format openml has distances to win only; --metric is for csv"));
        }
        Format::Openml => openml::materials(&rules)?,
    };
    let metric = Metric::from(args.metric);
    let tables = context.some_tables(&rules)?;
    if args.format == Format::Openml && rules.fingerprint() != Rules::load(openml::RULES)?.fingerprint() {
        let (own, published) = (rules.name(), openml::RULES);
        context.note(format_args!("the published data set is that of --rules {published}; these values are of {own}"));
    }
    // All tables are opened before the first line is written, and before an old file is replaced.
    let exported: Vec<Exported> =
        materials.into_iter().map(|material| Exported::open(&tables, material, metric)).collect::<Result<_, _>>()?;
    let write = |out: &mut dyn Write| match args.format {
        Format::Csv => csv::write(&tables, &exported, metric, out),
        Format::Openml => openml::write(&tables, &exported, out),
    };
    match &args.output {
        None => write(out)?,
        Some(path) => {
            // So that an unfinished file is removed.
            interrupt::watch()?;
            let mut target = Target::create(path)?;
            let written = write(&mut target);
            target.finish(written)?;
        }
    }
    Ok(Code::Done)
}

/// A material with the way into its table.
struct Exported {
    material: Material,
    member: Member,
}

impl Exported {
    fn open(tables: &Tablebase, material: Material, metric: Metric) -> Result<Exported, TablebaseError> {
        let name = || material.to_text(tables.rules());
        let too_many = || TablebaseError::TooManyPieces { material: name(), pieces: material.count() };
        let member = tables.catalog().member(material).ok_or_else(too_many)?;
        match tables.table_with(member.class(), metric) {
            Ok(_) => Ok(Exported { material, member }),
            Err(TablebaseError::Missing { class, metric, path, .. }) => {
                Err(TablebaseError::Missing { material: name(), class, metric, path })
            }
            Err(error) => Err(error),
        }
    }
}
