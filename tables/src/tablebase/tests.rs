#![allow(clippy::unwrap_used)]

use super::*;
use crate::board::Side;
use crate::class::Class;
use crate::format::{Metric, Summary, TableWriter};
use crate::material::Material;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::header_with;
use crate::value::{Dtc, Outcome, Value, Wdl};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const SET: &str = "animal-checkers-5x5";

fn rules(limit: &str) -> Arc<Rules> {
    Rules::load_with(SET, [("draw-after-quiet-plies", limit)]).unwrap()
}

/// The tables of the fixture whose names pass.
fn tables(limit: &str, wanted: impl Fn(&str) -> bool) -> (TempDir, Tablebase) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(SET)).unwrap();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(SET)).unwrap() {
        let name = entry.unwrap().file_name();
        if wanted(name.to_str().unwrap()) {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(SET).join(&name);
            fs::copy(from, folder.path().join(SET).join(&name)).unwrap();
        }
    }
    let tables = Tablebase::open(folder.path(), rules(limit)).unwrap();
    (folder, tables)
}

fn class(tables: &Tablebase, name: &str) -> Arc<Class> {
    let material = Material::parse(tables.rules(), name).unwrap();
    tables.catalog().member(material).unwrap().class().clone()
}

/// Some positions of a class, with each side to move.
fn positions(tables: &Tablebase, name: &str, step: usize) -> Vec<Position> {
    let class = class(tables, name);
    (0..class.index().size())
        .step_by(step)
        .flat_map(|number| Side::BOTH.map(|side| class.position(side, number)))
        .flatten()
        .filter(|position| position.check(tables.rules()).is_ok())
        .collect()
}

#[test]
fn an_analysis_has_what_single_look_ups_have() {
    for limit in ["0", "10"] {
        let (_folder, tables) = tables(limit, |_| true);
        let quiet_limit = tables.rules().quiet_limit();
        for position in positions(&tables, "RD-D", 11) {
            for clock in [0, 4, 9, 10] {
                let found = tables.analyse(&position, clock).unwrap();
                let turn = position.turn();
                assert_eq!(found.outcome, tables.probe_outcome(&position, clock).unwrap());
                assert_eq!(found.dtw, Some(tables.probe(&position).unwrap().value_for(turn)));
                assert_eq!(found.dtc, Some(tables.probe_dtc(&position).unwrap()));
                assert_eq!(found.limit_is_reached(), quiet_limit.is_some_and(|limit| clock >= limit));
                assert!(found.is_complete());
                assert_eq!((found.compared_by, found.outcome_as_compared()), (Metric::Dtc, found.outcome));
                assert_eq!(found.source, found.finished.is_none().then_some(Metric::Dtc));
                assert_eq!(found.moves.len(), position.legal_moves(tables.rules()).len());
                for analysed in &found.moves {
                    let (next, value) = (position.after(&analysed.legal), analysed.value.as_ref().unwrap());
                    let dtw = tables.probe(&next).unwrap().value_for(next.turn()).before_move();
                    assert_eq!(value.dtw, Some(dtw));
                    assert_eq!(value.outcome.without_limit(), Wdl::from(dtw));
                }
                let outcomes = found.moves.iter().map(|analysed| analysed.value.as_ref().unwrap().outcome);
                assert!(outcomes.is_sorted_by(|a, b| a >= b));
                if let Some((_, best)) = found.best() {
                    assert_eq!(best.outcome, found.outcome, "{}", position.to_fen(tables.rules()));
                    assert!(best.dtw == found.dtw || best.outcome != Outcome::Win || best.dtc == found.dtc);
                }
            }
        }
    }
}

#[test]
fn what_is_known_is_given_when_a_table_after_a_move_is_missing() {
    let (_all, all) = tables("10", |_| true);
    let (_some, some) = tables("10", |name| !name.starts_with("R-R."));
    let missing = class(&all, "R-R").name().to_owned();
    let mut unknown = 0;
    for position in positions(&all, "RD-D", 5) {
        let (expected, found) = (all.analyse(&position, 2).unwrap(), some.analyse(&position, 2).unwrap());
        assert_eq!((found.outcome, found.dtw, found.dtc), (expected.outcome, expected.dtw, expected.dtc));
        assert_eq!(found.compared_by, Metric::Dtc);
        assert!(found.moves.is_sorted_by_key(|analysed| analysed.value.is_err()));
        for analysed in &found.moves {
            let known = expected.moves.iter().find(|other| other.legal == analysed.legal).unwrap();
            match &analysed.value {
                Ok(value) => assert_eq!(value, known.value.as_ref().unwrap()),
                Err(TablebaseError::Missing { class, metric, .. }) => {
                    assert_eq!((class, *metric), (&missing, Metric::Dtw));
                    unknown += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(found.is_complete(), found.moves.iter().all(|analysed| analysed.value.is_ok()));
        assert_eq!(found.first_unknown().is_some(), !found.is_complete());
    }
    assert!(unknown > 0);
}

#[test]
fn tables_of_one_metric_are_enough() {
    let (_all, all) = tables("10", |_| true);
    for (metric, end) in [(Metric::Dtw, ".dtw.dsq"), (Metric::Wdl, ".wdl.dsq"), (Metric::Dtc, ".dtc10.dsq")] {
        let (_folder, tables) = tables("10", |name| name.ends_with(end));
        for position in positions(&all, "RD-D", 23).iter().filter(|position| position.finished(all.rules()).is_none()) {
            let (expected, found) = (all.analyse(position, 3).unwrap(), tables.analyse(position, 3).unwrap());
            assert_eq!((found.source, found.compared_by), (Some(metric), metric));
            assert_eq!(found.outcome.without_limit(), expected.outcome.without_limit());
            assert_eq!(found.dtw, expected.dtw.filter(|_| metric == Metric::Dtw));
            assert_eq!(found.dtc, expected.dtc.filter(|_| metric == Metric::Dtc));
            assert!(found.is_complete());
            if let Some((_, best)) = found.best() {
                assert_eq!(best.outcome, found.outcome_as_compared());
            }
        }
    }
}

#[test]
fn moves_are_compared_by_what_is_known_of_all_of_them() {
    // Distances to conversion of the class itself only: a capture leads to distances to win.
    let (_folder, tables) = tables("10", |name| name.starts_with("RD-D.dtc10") || name.ends_with(".dtw.dsq"));
    let (mut by_dtc, mut by_dtw) = (0, 0);
    for position in positions(&tables, "RD-D", 3).iter().filter(|position| position.finished(tables.rules()).is_none())
    {
        let found = tables.analyse(position, 0).unwrap();
        assert_eq!(found.source, Some(Metric::Dtc));
        let captures = found.moves.iter().any(|analysed| {
            let next = position.after(&analysed.legal);
            analysed.legal.capture.is_some() && next.finished(tables.rules()).is_none()
        });
        if captures {
            by_dtw += 1;
            assert_eq!(found.compared_by, Metric::Dtw);
            assert_eq!(found.outcome_as_compared(), found.outcome.without_limit().into());
            assert_eq!(found.best().map(|(_, best)| best.dtw), Some(found.dtw));
        } else {
            by_dtc += 1;
            assert_eq!(found.compared_by, Metric::Dtc);
        }
    }
    assert!(by_dtc > 0 && by_dtw > 0);
}

#[test]
fn without_a_table_of_its_own_a_position_has_no_value() {
    let (_folder, tables) = tables("10", |name| !name.starts_with("RD-D"));
    let position = positions(&tables, "RD-D", 1)[0];
    match tables.analyse(&position, 0) {
        Err(TablebaseError::Missing { class, metric, path, .. }) => {
            assert_eq!((class.as_str(), metric), ("RD-D", Metric::Dtw));
            assert!(path.ends_with("RD-D.dtw.dsq"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn many_positions_are_answered_in_their_order() {
    let (_folder, tables) = tables("10", |name| !name.starts_with("R-R."));
    let mut asked: Vec<(Position, u32)> = Vec::new();
    for (place, position) in positions(&tables, "RD-D", 19).into_iter().rev().enumerate() {
        asked.push((position, place as u32 % 12));
    }
    asked.extend(positions(&tables, "R-R", 50).into_iter().map(|position| (position, 0)));
    asked.extend(positions(&tables, "R-D", 50).into_iter().map(|position| (position, 0)));
    let answers = tables.analyse_many(&asked);
    assert_eq!(answers.len(), asked.len());
    for ((position, clock), answer) in asked.iter().zip(&answers) {
        assert_eq!(format!("{answer:?}"), format!("{:?}", tables.analyse(position, *clock)));
    }
    assert!(answers.iter().any(Result::is_err));
    assert!(tables.analyse_many(&[]).is_empty());
}

#[test]
fn lines_are_as_long_as_the_distance() {
    for limit in ["0", "10"] {
        let (_folder, tables) = tables(limit, |_| true);
        for position in positions(&tables, "RD-D", 31) {
            let value = tables.probe(&position).unwrap().value_for(position.turn());
            let plain = tables.line(&position, None).unwrap();
            match value {
                Value::Win(plies) | Value::Loss(plies) => {
                    assert_eq!((plain.moves.len(), plain.end), (plies as usize, LineEnd::Over));
                }
                Value::Draw => assert_ne!(plain.end, LineEnd::Limit),
            }
            let under_limit = tables.line(&position, Some(0)).unwrap();
            let outcome = tables.probe_outcome(&position, 0).unwrap();
            match outcome {
                Outcome::Win | Outcome::Loss => assert_eq!(under_limit.end, LineEnd::Over),
                Outcome::SpoiltWin | Outcome::SavedLoss => assert_ne!(under_limit.end, LineEnd::Over),
                Outcome::Draw => {}
            }
        }
    }
}

/// Writes a table with the values of another one, changed.
fn rewrite(tables: &Tablebase, class: &Arc<Class>, metric: Metric, change: impl Fn(u32) -> u32) {
    let table = tables.table_with(class, metric).unwrap();
    let path = tables.path_with(class, metric);
    let header = header_with(tables.rules(), class, metric, table.block_len() as u32);
    let mut writer = TableWriter::create(&path, header, 1).unwrap();
    for side in Side::BOTH.into_iter().take(class.sides()) {
        for block in 0..table.blocks_per_side() {
            let codes: Vec<u8> =
                table.decode_block(side, block).unwrap().into_iter().map(|c| change(c) as u8).collect();
            writer.write_values(&codes, &[]).unwrap();
        }
    }
    writer.finish(Summary { sides: table.summary().sides.clone() }).unwrap();
    tables.close_tables();
}

#[test]
fn tables_that_contradict_each_other_end_a_line_with_an_error() {
    // Distances that never shrink, in tables that are whole: who follows them moves to and fro.
    let constant = |code: u32| match Value::from_code(code) {
        Value::Draw => 0,
        Value::Win(_) => Value::Win(9).code(),
        Value::Loss(0) => code,
        Value::Loss(_) => Value::Loss(8).code(),
    };
    let (_folder, tables) = tables("0", |_| true);
    let class = class(&tables, "RD-D");
    rewrite(&tables, &class, Metric::Dtw, constant);
    let (mut plain, mut both) = (0, 0);
    for position in positions(&tables, "RD-D", 7) {
        for (clock, errors) in [(None, &mut plain), (Some(0), &mut both)] {
            match tables.line(&position, clock) {
                Ok(_) => {}
                Err(error @ TablebaseError::Contradiction { .. }) => {
                    assert!(error.is_damage() && error.to_string().contains("contradict each other at "));
                    *errors += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(plain > 0 && both > 0);

    // One says won, the other one drawn.
    rewrite(&tables, &class, Metric::Dtc, |_| Dtc::Draw.code());
    let won = positions(&tables, "RD-D", 1).into_iter().find(|position| {
        let found = tables.probe(position).unwrap();
        position.finished(tables.rules()).is_none() && found.value_for(position.turn()).plies().is_some()
    });
    let error = tables.analyse(&won.unwrap(), 0).unwrap_err();
    assert!(matches!(error, TablebaseError::Contradiction { .. }), "{error}");
}
