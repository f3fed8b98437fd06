//! Results saved by harnesses are read like their reports; other files are refused with a reason.

use std::collections::BTreeMap;

use toolchains::harness::description::{Harness, Kept};
use toolchains::harness::measurement::{Measured, seconds_per_iteration};
use toolchains::harness::saved::{Contents, SavedError, reports, saved};
use toolchains::harness::{self};

use super::{files_of, read, samples};

fn of(word: &str) -> &'static Harness {
    harness::find(word).expect("known")
}

fn file(word: &str, text: &str) -> Result<Vec<Measured>, SavedError> {
    saved(of(word), Contents::File(text), "base", &[])
}

fn refused(word: &str, text: &str) -> String {
    file(word, text).expect_err("it is no baseline").to_string()
}

/// Every saved sample is read as by its harness's reader. Go's suffix is recognisable only with a
/// list of names, which neither reader gets here.
#[test]
fn a_kept_report_says_what_it_said_when_it_was_new() {
    let mut compared = 0;
    for (name, harness, text) in samples(false) {
        let fresh = read(harness, &text, &[]).expect("a sound sample");
        let folder: BTreeMap<String, String> = files_of(&text)
            .into_iter()
            .map(|(path, text)| (path.replace("new/", "base/"), text))
            .collect();
        let kept = match harness.word.as_str() {
            "criterion-rs" | "criterion-rs-0.3" => {
                saved(harness, Contents::Folder(&folder), "base", &[])
            }
            word => file(word, &text),
        };
        let kept = match kept {
            Ok(kept) => kept,
            // Some samples contain duplicate names on purpose.
            Err(SavedError::Nothing { .. } | SavedError::Twice { .. }) => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        for one in kept {
            let same = fresh.iter().find(|other| other.name == one.name).expect("the same names");
            let seconds = |all: &[_]| seconds_per_iteration(all);
            match (&one.measurements, &same.measurements) {
                (Ok(kept), Ok(fresh)) if kept.len() == fresh.len() => {
                    assert_eq!(seconds(kept), seconds(fresh), "{name}: {}", one.name);
                    compared += 1;
                }
                (Ok(kept), Ok(fresh)) => assert!(kept.len() > fresh.len(), "{name}"),
                (kept, fresh) => assert!(kept.is_err() || fresh.is_err(), "{name}"),
            }
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn a_report_is_recognised_as_that_of_one_harness() {
    for (name, harness, text) in samples(false) {
        if matches!(harness.kept(), Kept::Folders | Kept::Nothing) {
            continue;
        }
        let found = reports(&text);
        let words: Vec<&str> = found.iter().map(|one| one.harness.word.as_str()).collect();
        assert_eq!(words, [harness.word.as_str()], "{name}");
    }
    assert!(reports("{}").is_empty() && reports("").is_empty() && reports("a,b\n1,2\n").is_empty());
}

#[test]
fn the_processes_of_a_benchmark_are_told_apart() {
    let text = r#"[{"benchmark": "a", "primaryMetric":
        {"scoreUnit": "s/op", "rawData": [[1.0, 2.0], [], [3.0], [4.0, 5.0]]}}]"#;
    let found = reports(text);
    let processes = found[0].measured[0].processes();
    let seconds: Vec<Vec<f64>> =
        processes.iter().map(|all| all.iter().map(|one| one.seconds).collect()).collect();
    assert_eq!(seconds, [vec![1.0, 2.0], vec![3.0], vec![4.0, 5.0]]);
    let pytest = samples(false).into_iter().find(|(name, _, _)| name == "pytest-benchmark.json");
    let of_pytest = reports(&pytest.expect("a sample").2);
    assert_eq!(of_pytest[0].measured[0].processes().len(), 1);
    assert!(
        of_pytest[0]
            .measured
            .iter()
            .all(|one| one.measurements.is_ok() || one.processes().is_empty())
    );
}

#[test]
fn tasty_bench_states_twice_its_deviation() {
    let kept = file("tasty-bench", "Name,Mean (ps),2*Stdev (ps)\n\"a,b\",2000,500\nc,7,\n");
    let kept = kept.expect("a baseline");
    let deviations: Vec<Option<f64>> = kept.iter().map(|one| one.deviation_seconds).collect();
    assert_eq!(deviations, [Some(2.5e-10), None]);
    assert_eq!(kept[0].name, "a,b");
}

#[test]
fn runs_of_go_in_one_file_are_taken_together() {
    let text = "BenchmarkA 10 100 ns/op\nBenchmarkB 10 7 ns/op\nPASS\n\
                BenchmarkA 30 200 ns/op\nBenchmarkB 10 0 ns/op\nPASS\n";
    let kept = file("go", text).expect("a baseline");
    assert_eq!(kept.len(), 2);
    // 10 iterations of 100 ns and 30 of 200 ns: 7 µs for 40.
    let all = kept[0].measurements.as_deref().expect("measured");
    let seconds = seconds_per_iteration(all).expect("a time");
    assert!((seconds - 1.75e-7).abs() < 1e-18, "{seconds}");
    assert!(kept[1].measurements.is_err(), "a time of zero is none");
}

#[test]
fn criterion_rs_keeps_a_folder_for_each_baseline() {
    let of_name = |name: &str, nanoseconds: f64| {
        let path = |file: &str| format!("group/fib 10/{name}/{file}.json");
        let sample = format!("{{\"iters\": [1.0, 2.0], \"times\": [{nanoseconds}, 20.0]}}");
        [
            (path("benchmark"), "{\"full_id\": \"group/fib 10\"}".to_owned()),
            (path("sample"), sample),
            (path("estimates"), "damaged".to_owned()),
        ]
    };
    let folder: BTreeMap<String, String> =
        of_name("base", 10.0).into_iter().chain(of_name("main", 40.0)).collect();
    let read = |name: &str| saved(of("criterion-rs"), Contents::Folder(&folder), name, &[]);
    let kept = read("main").expect("a baseline");
    let all = kept[0].measurements.as_deref().expect("measured");
    assert_eq!(kept[0].name, "group/fib 10");
    // 60 ns for 3 iterations.
    assert!((seconds_per_iteration(all).expect("a time") - 2e-8).abs() < 1e-20);
    let error = read("other").expect_err("no such one");
    assert_eq!(error.to_string(), "there is no baseline `other` in it; there are base, main");
    assert!(error.hint().is_some_and(|hint| hint.contains("--baseline-name")));
}

#[test]
fn what_is_no_baseline_is_refused_with_its_reason() {
    for (word, text, reason) in [
        ("divan", "anything", "divan saves no results"),
        ("criterion-rs", "{}", "criterion.rs saves a folder"),
        ("criterion", "Name,Mean,MeanLB,MeanUB,Stddev,StddevLB,StddevUB\na,1,1,1,1,1,1\n", "CSV"),
        ("criterion", "[\"criterion\",\"1.5\",[{\"reportName\":\"a\"", "is not complete JSON"),
        ("criterion", "[\"criterion\",\"1.5\",[]]", "it has no benchmark of criterion"),
        ("google-benchmark", "{\"benchmarks\": []}", "it has no benchmark of Google Benchmark"),
        ("google-benchmark", "{\"context\": {}}", "there is no list `benchmarks`"),
        ("tasty-bench", "Name,Time\na,1\n", "there is no column `Mean (ps)`"),
        ("tasty-bench", "Name,Mean (ps),2*Stdev (ps)\na,1,1\na,2,1\n", "`a` twice"),
        ("tasty-bench", "Name,Mean (ps),2*Stdev (ps)\na,1\n", "is not complete CSV"),
        ("go", "PASS\n", "it has no benchmark of Go's testing"),
        ("go", "\u{0}\u{1}", "it has no benchmark of Go's testing"),
    ] {
        let said = refused(word, text);
        assert!(said.contains(reason), "{word}: {said}");
    }
    let nothing = BTreeMap::new();
    let folder = saved(of("go"), Contents::Folder(&nothing), "base", &[]).expect_err("a folder");
    assert_eq!(folder.to_string(), "it is a folder, and Go's testing writes a file");
}

/// Zero, negative numbers and non-numbers are not times, in any harness.
#[test]
fn times_that_cannot_be_are_missing_with_their_reason() {
    for time in ["0", "-5", "NaN", "", "x"] {
        let text = format!("Name,Mean (ps),2*Stdev (ps)\na,{time},1\nb,7,1\n");
        let kept = file("tasty-bench", &text).expect("a baseline");
        assert!(kept[0].measurements.is_err() && kept[1].measurements.is_ok(), "{time}");
    }
    let go = file("go", "BenchmarkA 5 -1 ns/op\n").expect("a baseline");
    assert!(go[0].measurements.is_err());
}
