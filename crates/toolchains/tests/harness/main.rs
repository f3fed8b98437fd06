//! The output of harnesses is parsed correctly.
//!
//! `fixtures/harness/samples` has the output of real harnesses, with exceptions listed in `reference.py`; that
//! script parsed it independently, and wrote `expected.tsv`.

#[path = "../damage/mod.rs"]
mod damage;
mod damaged;
mod go;
mod refused;
mod saved;
mod selected;

use std::collections::BTreeMap;
use std::fs;

use toolchains::harness::description::{Harness, Kept, Reported};
use toolchains::harness::measurement::{
    HarnessError, Measured, per_iteration, seconds_per_iteration,
};
use toolchains::harness::{self};

/// Every sample of a kind with its harness.
fn samples(are_lists: bool) -> Vec<(String, &'static Harness, String)> {
    let folder = fixtures::folder("harness").join("samples");
    let entries = fs::read_dir(folder).expect("it belongs to the tests");
    let mut found: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("text").to_owned();
            let words = harness::all().iter().filter(|one| name.starts_with(&one.word));
            let harness = words.max_by_key(|one| one.word.len()).expect("called after its harness");
            (name, harness, fs::read_to_string(&path).expect("text"))
        })
        .filter(|(name, _, _)| name.contains("list") == are_lists)
        .collect();
    found.sort_by(|one, two| one.0.cmp(&two.0));
    found
}

/// Parses the text in the place of the harness's report.
fn read(harness: &Harness, text: &str, asked: &[&str]) -> Result<Vec<Measured>, HarnessError> {
    let (stdout, files) = match harness.kept() {
        Kept::File(name) => ("", BTreeMap::from([(name.to_owned(), text.to_owned())])),
        Kept::Folders => ("", files_of(text)),
        Kept::Printed | Kept::Nothing => (text, BTreeMap::new()),
    };
    harness.read(&Reported { asked, stdout, files: &files })
}

/// The sample of criterion.rs has several files in one object.
fn files_of(text: &str) -> BTreeMap<String, String> {
    serde_json::from_str(text).unwrap_or_default()
}

#[test]
fn what_harnesses_wrote_is_read_as_what_it_says() {
    let expected = include_str!("../../../../fixtures/harness/expected.tsv");
    let mut lines = 0;
    for (name, harness, text) in samples(false) {
        let all = read(harness, &text, &[]).expect("a sound sample");
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for one in &all {
            let place = seen.entry(&one.name).or_insert(0);
            let key = format!("{name}\t{}\t{place}\t", one.name);
            *place += 1;
            let line = expected.lines().find_map(|line| line.strip_prefix(&key));
            let fields: Vec<&str> = line.expect(&key).split('\t').collect();
            lines += 1;
            let Ok(measurements) = &one.measurements else {
                assert_eq!(fields, ["refused", "-", "-"], "{key}");
                continue;
            };
            assert_eq!(fields[0], measurements.len().to_string(), "{key}");
            let seconds = seconds_per_iteration(measurements).expect("measured");
            assert!(is_close(seconds, fields[1]), "{key}: {seconds}");
            let bytes = per_iteration(measurements, |one| one.figures.allocated_bytes);
            match bytes {
                Some(bytes) => assert!(is_close(bytes, fields[2]), "{key}: {bytes}"),
                None => assert_eq!(fields[2], "-", "{key}"),
            }
        }
    }
    assert_eq!(lines, expected.lines().count(), "every benchmark was read");
}

fn is_close(value: f64, expected: &str) -> bool {
    let expected: f64 = expected.parse().expect("a number");
    (value - expected).abs() <= 1e-9 * expected.abs()
}

#[test]
fn every_harness_has_a_sample_and_its_own_word() {
    for harness in harness::all() {
        assert!(samples(false).iter().any(|(_, of, _)| *of == harness), "{}", harness.word);
        assert_eq!(harness::find(&harness.word), Some(harness));
    }
    assert_eq!(harness::find("gauge"), None);
}

#[test]
fn what_is_listed_is_what_there_is() {
    let listed = |word: &str| -> Vec<String> {
        let lists = samples(true);
        let (_, harness, text) =
            lists.iter().find(|(_, harness, _)| harness.word == word).expect("a sample");
        harness.names(text).expect("a sound list")
    };
    let go = listed("go");
    assert_eq!(
        (go.len(), go[1].as_str(), go[8].as_str()),
        (12, "BenchmarkSub/size-2", "BenchmarkSub/dup#01",)
    );
    let odd = "odd name, \"q\" (x)|y [z] ü";
    let google = ["BM_push/8", "BM_push/64", "BM_empty", "BM_fail", odd, "dup", "dup"];
    assert_eq!(listed("google-benchmark"), google);
    let criterion = ["dup/a", "dup/a", "fib/1", "fib/10", "fib/it's, \"odd\" [x]*?<1-2> ü"];
    assert_eq!(listed("criterion"), criterion);
    let rust = ["plain", "it's, \"odd\" (x)/y ü", "group/fib/4", "group/fib/8"];
    assert_eq!(listed("criterion-rs"), rust);
    let criterion = harness::find("criterion-rs").expect("known");
    let old = criterion.names("Gnuplot not found\na/b: bench\nc: d: bench\n");
    assert_eq!(old.expect("a sound list"), ["a/b", "c: d"], "criterion.rs before 0.5");
    let divan =
        ["dv::plain", "dv::it's, \"odd\" │ ü", "dv::fib::4", "dv::fib::18", "dv::inner::thr"];
    assert_eq!(listed("divan"), divan);
    let tasty = [
        "All.fib.tenth",
        "All.fib.odd, \"quoted\" ü1",
        "All.fib.a.b",
        "All.fib.x\\y $0 /z/ | &&",
        "All.über",
    ];
    assert_eq!(listed("tasty-bench"), tasty);
    let lines = harness::find("lines").expect("known").names("noise\nbrisk-bench 1\na b\n\nü\n");
    assert_eq!(lines.expect("a sound list"), ["a b", "ü"]);
}

#[test]
fn a_file_is_known_by_strings_that_only_its_harness_has() {
    let of = |pieces: &[&str]| -> Vec<&str> {
        let contents = pieces.join("\0");
        harness::recognised(contents.as_bytes())
            .iter()
            .map(|harness| harness.word.as_str())
            .collect()
    };
    let go = ["\u{7f}ELF", "test.benchtime", "Go buildinf:", "testing/internal/testdeps.TestDeps"];
    assert_eq!(of(&go), ["go"]);
    assert!(of(&["test.benchtime"]).is_empty());
    // A program that uses `testing` but is not a test binary.
    assert!(of(&go[..3]).is_empty());
    assert_eq!(of(&["criterion-1.5.13.0-x:Criterion.Main.Options.Run"]), ["criterion"]);
    assert_eq!(of(&["libbenchmark.so.1"]), ["google-benchmark"]);
    assert_eq!(of(&["xCRITERION_DEBUGCRITERION_HOMEx"]), ["criterion-rs"]);
    let old = ["CRITERION_DEBUGCRITERION_HOME", "src/criterion-0.3.6/src/lib.rs"];
    assert_eq!(of(&old), ["criterion-rs-0.3"]);
    assert_eq!(of(&["DIVAN_SAMPLE_COUNTN", "DIVAN_SKIP_EXT_TIME"]), ["divan"]);
    assert_eq!(of(&["RUST_TEST_THREADS is `", "\n ns/iter (+/- \n"]), ["libtest"]);
    assert_eq!(of(&["Name,Mean (ps),2*Stdev (ps)"]), ["tasty-bench"]);
    assert_eq!(of(&["#!/bin/sh\necho 'brisk-bench 1'"]), ["lines"]);
    assert_eq!(of(&["brisk-bench 1", "libbenchmark.so.1"]), ["google-benchmark", "lines"]);
}

/// With one processor Go appends no number to the names, and a name may itself end like one.
#[test]
fn a_name_that_ends_like_a_number_of_processors_stays_whole() {
    let line = "BenchmarkSub/size-2\t100\t5.0 ns/op\n";
    let name = |asked: &[&str]| {
        read(harness::find("go").expect("known"), line, asked).expect("sound")[0].name.clone()
    };
    assert_eq!(name(&["BenchmarkSub/size-2"]), "BenchmarkSub/size-2");
    assert_eq!(name(&["BenchmarkSub/size"]), "BenchmarkSub/size");
}

#[test]
fn divan_with_one_number_of_threads_is_the_benchmark_itself() {
    let (_, harness, text) =
        samples(false).into_iter().find(|(name, _, _)| name == "divan.txt").expect("a sample");
    let asked = ["dv::inner::thr"];
    let both = read(harness, &text, &asked).expect("sound");
    let of = |all: &[Measured]| {
        let found = all.iter().find(|one| one.name == asked[0]);
        found.expect("reported").measurements.is_ok()
    };
    assert!(!of(&both), "two numbers of threads are no one measurement");
    let one: String =
        text.lines().filter(|line| !line.contains("t=2")).collect::<Vec<_>>().join("\n");
    assert!(of(&read(harness, &one, &asked).expect("sound")));
}
