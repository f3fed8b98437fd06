//! Whatever comes out of a run is read as the report of every harness, or refused, in steps in
//! proportion to its length; and what is read is times.
#![no_main]

use std::collections::BTreeMap;

use fuzz::{in_proportion, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use toolchains::harness::ALL;
use toolchains::harness::adapter::Reported;
use toolchains::harness::saved::{Contents, saved};

fuzz_target!(|text: &[u8]| {
    let text = String::from_utf8_lossy(text);
    let files = files(&text);
    for harness in ALL {
        let _ = in_proportion("a list", text.len(), || (harness.list)(&text));
        let _ = in_proportion("a baseline", text.len(), || {
            saved(harness, Contents::File(&text), "base", &[])
        });
        let reported = Reported { asked: &[], stdout: &text, files: &files };
        let read = in_proportion("a report", text.len(), || (harness.read)(&reported));
        for one in read.into_iter().flatten() {
            for measurement in one.measurements.into_iter().flatten() {
                assert!(measurement.seconds > 0.0 && measurement.seconds.is_finite());
            }
        }
    }
});

fuzz_mutator!(|text: &mut [u8], length: usize, room: usize, seed: u32| {
    mutate(text, length, room, seed)
});

/// The text as the file of each harness that writes one. Criterion.rs writes several; a seed has them
/// in an object.
fn files(text: &str) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = serde_json::from_str(text).unwrap_or_default();
    let names = ["report.json", "benchmarks.json", "benchmarks.csv"];
    files.extend(names.map(|name| (name.to_owned(), text.to_owned())));
    files
}
