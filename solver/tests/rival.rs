//! The rival of the benchmark must find what the kernel finds, or its time means nothing.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../benches/rival/mod.rs"]
mod rival;

use dsq_solver::kernel::{Options, solve};
use dsq_solver::solved::Solved;
use dsq_tables::class::{Catalog, Class};
use dsq_tables::material::Material;
use dsq_tables::rules::Rules;
use rival::Rival;
use std::collections::HashMap;
use std::sync::Arc;

/// Solves classes and what they rest on with the kernel, and each of them with the rival on one thread and on all.
fn compare(catalog: &Catalog, classes: Vec<Arc<Class>>) {
    let mut solved: HashMap<Material, Arc<Solved>> = HashMap::new();
    for class in catalog.closure(classes) {
        let below = |class: &Arc<Class>, side| solved.get(&class.material()).map(|solved| solved.side(side).clone());
        let kernel = solve(catalog, &class, &below, &Options::default()).unwrap();
        let mut rival = Rival::new(catalog, &class);
        // The second time the buffers are not fresh.
        for parallel in [false, true] {
            rival::assert_equal(&kernel, &rival.solve(catalog, &below, parallel, &|_, _| {}));
        }
        solved.insert(class.material(), Arc::new(kernel));
    }
}

#[test]
fn the_rival_finds_what_the_kernel_finds() {
    for (name, changes) in [("leiden", vec![]), ("classic", vec![]), ("classic", vec![("no-move", "draw")])] {
        let catalog = Catalog::new(Rules::load_with(name, changes).unwrap());
        let mut classes = catalog.classes(2);
        classes.extend(["RL-E", "TL-R", "RE-R", "TE-L"].map(|text| {
            let material = Material::parse(catalog.rules(), text).unwrap();
            catalog.member(material).unwrap().class().clone()
        }));
        compare(&catalog, classes);
    }
}

#[test]
#[ignore = "slow: seconds for each class of four pieces"]
fn the_rival_finds_what_the_kernel_finds_with_more_pieces() {
    let catalog = Catalog::new(Rules::load("leiden").unwrap());
    let mut classes = catalog.classes(3);
    classes.extend(["RL-TE", "WL-CT", "RLE-R"].map(|text| {
        let material = Material::parse(catalog.rules(), text).unwrap();
        catalog.member(material).unwrap().class().clone()
    }));
    compare(&catalog, classes);
}
