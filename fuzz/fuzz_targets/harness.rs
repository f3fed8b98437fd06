//! Whatever comes out of a run is read as the report of every harness, or refused, in steps in
//! proportion to its length; and what is read is times.
#![no_main]

use std::collections::BTreeMap;

use fuzz::{in_proportion, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use toolchains::harness::all;
use toolchains::harness::description::Reported;
use toolchains::harness::saved::{Contents, saved};

fuzz_target!(|text: &[u8]| {
    let text = String::from_utf8_lossy(text);
    let files = files(&text);
    for harness in all() {
        let _ = in_proportion("a list", text.len(), || harness.names(&text));
        let _ = in_proportion("a baseline", text.len(), || {
            saved(harness, Contents::File(&text), "base", &[])
        });
        let reported = Reported { asked: &[], stdout: &text, files: &files };
        let read = in_proportion("a report", text.len(), || harness.read(&reported));
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
    let names = all().iter().filter_map(|harness| harness.report.file.clone());
    files.extend(names.map(|name| (name, text.to_owned())));
    files
}
