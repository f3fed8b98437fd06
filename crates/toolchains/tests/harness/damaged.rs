//! No output of a run makes a parser panic, and every parsed time is valid.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use toolchains::harness::saved::{Contents, saved};
use toolchains::harness::{self};

use super::damage::{changes, damaged};
use super::{read, samples};

/// The same for a saved baseline, with every harness, including the wrong one.
#[test]
fn any_damaged_baseline_is_read_or_refused() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for (name, _, text) in samples(false) {
        for harness in harness::all() {
            for _ in 0..20 {
                let changes = changes().new_tree(&mut runner).expect("a strategy").current();
                let text = damaged(&text, &changes);
                let Ok(all) = saved(harness, Contents::File(&text), "base", &[]) else { continue };
                assert!(!all.is_empty(), "{name}");
                let measured = all.iter().filter_map(|one| one.measurements.as_ref().ok());
                for measurement in measured.flatten() {
                    assert!(measurement.seconds > 0.0 && measurement.seconds.is_finite(), "{name}");
                }
            }
        }
    }
}

/// Three hundred damaged reports of every sample: read or refused, and times are valid.
#[test]
fn any_damaged_report_is_read_or_refused() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for (name, harness, text) in samples(false) {
        for _ in 0..300 {
            let changes = changes().new_tree(&mut runner).expect("a strategy").current();
            let Ok(all) = read(harness, &damaged(&text, &changes), &[]) else { continue };
            let measured = all.iter().filter_map(|one| one.measurements.as_ref().ok());
            for measurement in measured.flatten() {
                assert!(measurement.seconds > 0.0 && measurement.seconds.is_finite(), "{name}");
                assert_ne!(measurement.iterations, Some(0), "{name}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_a_list_or_refused(text in "\\PC*(\\n\\PC*){0,3}") {
        for harness in harness::all() {
            let _ = harness.names(&text);
            let _ = read(harness, &text, &[]);
        }
    }

    /// The output of a program of the protocol is read back, with any name.
    #[test]
    fn any_name_comes_back(name in "[^\\n\\r\\t]{1,30}", iterations in 1_u64.., nano in 1_u32..) {
        let seconds = f64::from(nano) / 1e9;
        let text = format!("brisk-bench 1\n{name}\t{iterations}\t{seconds:?}\n");
        let read = read(harness::find("lines").expect("known"), &text, &[]).expect("sound");
        prop_assert_eq!(&read[0].name, &name);
        let measurement = &read[0].measurements.as_ref().expect("measured")[0];
        prop_assert_eq!(measurement.iterations, Some(iterations));
        prop_assert_eq!(measurement.seconds.to_bits(), seconds.to_bits());
    }
}
