//! Memory over time in the store.

use model::metric::Missing;
use proptest::prelude::*;
use run::curve::{Curve, PlacedCurve, Quantity, Samples};
use store::Store;
use store::record::Event;

use crate::given::{On, filled, on_both};

on_both! { curves_come_back_as_they_were }

fn sampled(variant: u32, round: u32, curves: &[Curve]) -> Event<'_> {
    Event::Curves { variant, round, curves: curves.into() }
}

fn resident(samples: Samples) -> Curve {
    Curve { quantity: Quantity::Resident, samples: Ok(samples) }
}

fn curves_come_back_as_they_were(on: On) {
    proptest!(ProptestConfig::with_cases(20), |(numbers in prop::collection::vec((0.0..1e9_f64, 0.0..1e15_f64), 0..50), reason in "\\PC{1,20}")| {
        let folder = on.folder();
        let path = folder.store("runs.db");
        let id = filled(&path, 1);
        let mut store = Store::open(&path).expect("opens");
        let (seconds, bytes) = numbers.into_iter().unzip();
        let live = Curve { quantity: Quantity::LiveHeap, samples: Err(Missing(reason.into())) };
        let kept = [resident(Samples { seconds, bytes }), live];
        store.append(id, &sampled(1, 2, &kept)).expect("kept");
        let empty = [resident(Samples::default())];
        store.append(id, &sampled(0, 2, &empty)).expect("kept");
        let first = PlacedCurve { variant: 0, round: 2, curve: resident(Samples::default()) };
        let rest = kept.map(|curve| PlacedCurve { variant: 1, round: 2, curve });
        let expected: Vec<PlacedCurve> = std::iter::once(first).chain(rest).collect();
        prop_assert_eq!(store.curves(id).expect("readable"), expected);
    });
}
