//! `stats`: counts and longest wins.

use super::stock::stored;
use crate::context::{Context, materials};
use crate::error::{Code, Failure};
use crate::member;
use crate::number::{self, bits_per_position};
use crate::output::records::{Counts, MaterialStats, SideStats, TotalStats};
use crate::output::{json, stats as text};
use crate::terms::{METRICS, main_metric};
use dsq_tables::board::Side;
use dsq_tables::class::Member;
use dsq_tables::format::Longest;
use dsq_tables::material::{MAX_PIECES, Material};
use dsq_tables::tablebase::{Tablebase, TablebaseError};
use dsq_tables::value::Metric;
use std::io::Write;

/// What is asked.
pub struct Request {
    /// Materials.
    pub materials: Vec<String>,
    /// Totals over all ordered materials with so many pieces; where neither materials nor a number is given, those of each number
    /// whose tables are all there.
    pub pieces: Option<u8>,
    /// Of which tables; none for those with the most to tell that are there.
    pub metric: Option<Metric>,
}

/// The answer.
pub struct Stats {
    /// Counts of the materials.
    pub materials: Vec<MaterialStats>,
    /// Totals.
    pub totals: Vec<TotalStats>,
}

/// Prints counts of materials or totals.
pub fn run(context: &Context, request: &Request, out: &mut dyn Write) -> Result<Code, Failure> {
    let rules = context.rules()?;
    let materials = materials(&rules, &request.materials)?;
    let tables = context.some_tables(&rules)?;
    let Stats { materials, totals } = stats(&tables, &materials, request.pieces, request.metric)?;
    if context.json() {
        materials.iter().try_for_each(|record| json(out, record))?;
        totals.iter().try_for_each(|record| json(out, record))?;
    } else {
        text::print_materials(out, &materials)?;
        if !materials.is_empty() && !totals.is_empty() {
            writeln!(out)?;
        }
        text::print_totals(out, &totals)?;
    }
    Ok(Code::Done)
}

/// The counts of some materials, and the totals of a number of pieces; of every number that is there in full where neither is
/// asked for.
pub fn stats(
    tables: &Tablebase,
    materials: &[Material],
    pieces: Option<u8>,
    metric: Option<Metric>,
) -> Result<Stats, TablebaseError> {
    let totals = match pieces {
        Some(pieces) => vec![first_there(metric, |metric| total(tables, pieces, metric))?],
        None if materials.is_empty() => all_totals(tables, metric)?,
        None => Vec::new(),
    };
    let of = |&material| first_there(metric, |metric| of_material(tables, material, metric));
    Ok(Stats { materials: materials.iter().map(of).collect::<Result<_, _>>()?, totals })
}

/// What the tables of a metric say; if no metric is asked for, those of the first one whose tables are there.
fn first_there<T>(
    metric: Option<Metric>,
    of: impl Fn(Metric) -> Result<T, TablebaseError>,
) -> Result<T, TablebaseError> {
    if let Some(metric) = metric {
        return of(metric);
    }
    // If there are none, what is missing is the table of the first.
    let mut missing = None;
    for metric in METRICS {
        match of(metric) {
            Err(error @ TablebaseError::Missing { .. }) => missing = missing.or(Some(error)),
            answer => return answer,
        }
    }
    missing.map_or_else(|| of(main_metric()), Err)
}

/// The totals for each number of pieces whose tables are all there.
fn all_totals(tables: &Tablebase, metric: Option<Metric>) -> Result<Vec<TotalStats>, TablebaseError> {
    let mut totals = Vec::new();
    for pieces in (2..=8).take_while(|&pieces| usize::from(pieces) <= MAX_PIECES) {
        // Numbers of pieces without a file are not worth working out their many classes.
        match first_there(metric, |metric| total(tables, pieces, metric)) {
            Ok(total) => totals.push(total),
            Err(TablebaseError::Missing { .. }) if !totals.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(totals)
}

fn of_material(tables: &Tablebase, material: Material, metric: Metric) -> Result<MaterialStats, TablebaseError> {
    let rules = tables.rules();
    let member = member_of(tables, material)?;
    let table = tables.table_with(member.class(), metric).map_err(|error| asked_for(error, material, tables))?;
    let sides = Side::BOTH.map(|turn| {
        let mut total = Totals::default();
        total.add(tables, &member, turn, metric)?;
        Ok(SideStats::new(turn, total.counts))
    });
    let sides = sides.into_iter().collect::<Result<_, TablebaseError>>()?;
    Ok(MaterialStats {
        rules: rules.name().to_owned(),
        material: material.to_text(rules),
        class: member.class().name().to_owned(),
        metric,
        limit_plies: metric.limit(rules),
        bytes: table.len_bytes(),
        bits_per_position: bits_per_position(table.len_bytes(), stored(member.class())),
        sides,
    })
}

fn total(tables: &Tablebase, pieces: u8, metric: Metric) -> Result<TotalStats, TablebaseError> {
    let rules = tables.rules();
    let (mut bytes, mut positions) = (0, 0);
    let classes = tables.catalog().classes(pieces.into());
    for class in &classes {
        bytes += tables.table_with(class, metric)?.len_bytes();
        positions += stored(class);
    }
    let mut total = Totals::default();
    let materials = Material::all(rules, pieces.into());
    for &material in &materials {
        total.add(tables, &member_of(tables, material)?, Side::White, metric)?;
    }
    Ok(TotalStats {
        rules: rules.name().to_owned(),
        metric,
        limit_plies: metric.limit(rules),
        pieces,
        materials: number::whole(materials.len()),
        classes: number::whole(classes.len()),
        counts: total.counts,
        bytes,
        bits_per_position: bits_per_position(bytes, positions),
    })
}

fn member_of(tables: &Tablebase, material: Material) -> Result<Member, TablebaseError> {
    tables.catalog().member(material).ok_or_else(|| TablebaseError::TooManyPieces {
        material: material.to_text(tables.rules()),
        pieces: material.count(),
    })
}

/// The same error about the material that was asked for instead of its class.
fn asked_for(error: TablebaseError, material: Material, tables: &Tablebase) -> TablebaseError {
    match error {
        TablebaseError::Missing { class, metric, path, .. } => {
            TablebaseError::Missing { material: material.to_text(tables.rules()), class, metric, path }
        }
        other => other,
    }
}

/// Counts that are being added up.
#[derive(Default)]
struct Totals {
    counts: Counts,
}

impl Totals {
    /// Adds a material with one side to move.
    fn add(&mut self, tables: &Tablebase, member: &Member, turn: Side, metric: Metric) -> Result<(), TablebaseError> {
        let table = tables.table_with(member.class(), metric)?;
        let side = member::summary(&table, member, turn);
        let counts = &mut self.counts;
        // Saturating, since a file can claim anything.
        let add = |sum: &mut u64, part: u64| *sum = sum.saturating_add(part);
        add(&mut counts.positions, side.positions);
        add(&mut counts.won, side.won);
        add(&mut counts.drawn, side.drawn);
        add(&mut counts.lost, side.lost);
        add(&mut counts.stalemates, side.stalemates);
        if metric.is_under_limit() {
            add(counts.spoilt_wins.get_or_insert_default(), side.spoilt_wins);
            add(counts.saved_losses.get_or_insert_default(), side.saved_losses);
        }
        let longer = |longest: Option<Longest>, known: Option<u32>| {
            longest.filter(|longest| known.is_none_or(|known| longest.plies > known))
        };
        if let Some(longest) = longer(side.longest_win, counts.longest_win_plies) {
            counts.longest_win_plies = Some(longest.plies);
            counts.longest_win_position = member::fen(tables.rules(), member, turn, longest.position);
        }
        if let Some(longest) = longer(side.longest_loss, counts.longest_loss_plies) {
            counts.longest_loss_plies = Some(longest.plies);
            counts.longest_loss_position = member::fen(tables.rules(), member, turn, longest.position);
        }
        Ok(())
    }
}
