//! The output of a Go test binary around its results: text of its benchmarks, failures, a panic.

use toolchains::harness::description::Harness;
use toolchains::harness::find;

fn go() -> &'static Harness {
    find("go").expect("known")
}
use toolchains::harness::measurement::{Measured, seconds_per_iteration};

use super::read;

/// The output of Go 1.26 for benchmarks that print, log, fail and are skipped.
const PRINTED: &str = "hello from here
goos: linux
BenchmarkPrints-2            \thello from here
hello from here
       3\t     12844 ns/op\t     162 B/op\t       1 allocs/op
hello BenchmarkBlank-2   \thello        4\t     13118 ns/op\t     162 B/op\t       1 allocs/op
BenchmarkLogs-2              \t       3\t     28871 ns/op\t     362 B/op\t       3 allocs/op
--- BENCH: BenchmarkLogs-2
    x_test.go:11: a log
--- FAIL: BenchmarkFatal
    x_test.go:6: boom: no such file
    x_test.go:7: and more
BenchmarkLate-2              \t--- FAIL: BenchmarkLate-2
    x_test.go:9: too late
BenchmarkSub/ok-2          \t       5\t       762.0 ns/op
--- FAIL: BenchmarkSub/bad
    x_test.go:14: sub is bad
BenchmarkSub/ok2-2         \t       5\t       812.0 ns/op
--- FAIL: BenchmarkSub
FAIL
";

#[test]
fn results_are_found_among_what_benchmarks_print() {
    let names = ["Prints", "Blank", "Logs", "Fatal", "Late", "Sub/ok", "Sub/bad", "Sub/ok2"];
    let asked = names.map(|name| format!("Benchmark{name}"));
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let measured = read(go(), PRINTED, &asked).expect("sound");
    let said = |one: &Measured| match &one.measurements {
        Ok(all) => format!("{:.0}", seconds_per_iteration(all).expect("a time") * 1e9),
        Err(reason) => reason.clone(),
    };
    let all: Vec<(&str, String)> =
        measured.iter().map(|one| (one.name.as_str(), said(one))).collect();
    let expected = [
        ("BenchmarkPrints", "12844"),
        ("BenchmarkBlank", "13118"),
        ("BenchmarkLogs", "28871"),
        ("BenchmarkFatal", "it failed: x_test.go:6: boom: no such file; x_test.go:7: and more"),
        ("BenchmarkLate", "it failed: x_test.go:9: too late"),
        ("BenchmarkSub/ok", "762"),
        ("BenchmarkSub/bad", "it failed: x_test.go:14: sub is bad"),
        ("BenchmarkSub/ok2", "812"),
    ];
    assert_eq!(all, expected.map(|(name, words)| (name, words.to_owned())));
}

#[test]
fn a_benchmark_that_fails_is_listed_and_what_is_above_it_is_not() {
    let printed = PRINTED.replace("-2 ", " ").replace("-2\n", "\n");
    let listed = go().names(&printed).expect("sound");
    assert_eq!(listed.len(), 8, "{listed:?}");
    assert!(listed.contains(&"BenchmarkSub/bad".to_owned()), "{listed:?}");
    assert!(!listed.contains(&"BenchmarkSub".to_owned()), "{listed:?}");
}

#[test]
fn a_line_of_the_program_that_begins_like_a_benchmark_is_no_name() {
    let text = "BenchmarkA-2 \tBenchmarkX is ready\n   7\t 3.0 ns/op\nBenchmark of B: 5 ok\n";
    let measured = read(go(), text, &["BenchmarkA"]).expect("sound");
    let names: Vec<&str> = measured.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["BenchmarkA"]);
}

#[test]
fn a_process_that_died_says_neither_pass_nor_fail() {
    let discovery = go().list.roots.as_ref().expect("it runs what it lists");
    assert!(discovery.is_complete(PRINTED) && discovery.is_complete("PASS\n"));
    assert!(!discovery.is_complete("BenchmarkA \t 1\t 5 ns/op\n"));
    assert_eq!(discovery.roots("BenchmarkA\nok\n"), ["BenchmarkA"]);
}

#[test]
fn a_time_that_the_harness_chooses_is_known_by_its_arguments() {
    let is_timed = |arguments: &[&str]| go().is_timed(arguments);
    assert!(is_timed(&["-test.bench=."]) && is_timed(&["--test.bench=A", "-test.benchtime=2s"]));
    assert!(!is_timed(&[]) && !is_timed(&["-test.run=A"]), "these are tests");
    assert!(!is_timed(&["-test.bench=.", "-test.benchtime=10x"]));
    let of = |word: &str| {
        let harness = find(word).expect("known");
        move |arguments: &[&str]| harness.is_timed(arguments)
    };
    assert!(of("criterion-rs")(&[]) && of("criterion-rs")(&["--bench"]) && of("divan")(&[]));
    assert!(of("google-benchmark")(&[]) && of("tasty-bench")(&[]) && of("criterion")(&["-L5"]));
    assert!(!of("criterion")(&["--iters", "5"]) && !of("lines")(&[]));
    assert!(!of("google-benchmark")(&["--benchmark_min_time=5x"]));
}
