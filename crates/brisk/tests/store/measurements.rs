//! Measurements by harnesses, in the store.

use proptest::prelude::*;
use run::suite::listing::{Lists, PlacedLists};
use store::Store;
use store::record::Event;
use toolchains::harness::measurement::{Figures, Measurement};

use crate::given::{On, filled, on_both};

on_both! { measurements_come_back_as_they_were }

fn measured(variant: u32, round: u32, measurements: Lists) -> Event<'static> {
    Event::Measurements { variant, round, measurements }
}

fn measurements_come_back_as_they_were(on: On) {
    proptest!(ProptestConfig::with_cases(20), |(numbers in prop::collection::vec(
            (prop::option::of(1_u64..), 1e-12..1e6_f64, prop::option::of(0.0..1e15_f64)), 1..50,
        ))| {
        let folder = on.folder();
        let path = folder.store("runs.db");
        let id = filled(&path, 1);
        let mut store = Store::open(&path).expect("opens");
        let measurements: Vec<Measurement> = numbers.into_iter().map(|(iterations, seconds, bytes)| {
            let figures = Figures { allocated_bytes: bytes, ..Figures::default() };
            Measurement { iterations, seconds, figures }
        }).collect();
        let lists = Lists::from_measurements(&measurements);
        store.append(id, &measured(1, 2, lists.clone())).expect("kept");
        let expected = PlacedLists { variant: 1, round: 2, lists };
        prop_assert_eq!(store.measurements(id).expect("readable"), [expected]);
    });
}
