//! Impossible times are not measurements, and incomplete reports are refused.

use toolchains::harness::measurement::{HarnessError, Measured, seconds_per_iteration};
use toolchains::harness::{self};

use super::{read, samples};

fn read_as(word: &str, text: &str) -> Result<Vec<Measured>, HarnessError> {
    read(harness::find(word).expect("known"), text, &[])
}

fn google(entry: &str) -> Result<Vec<Measured>, HarnessError> {
    read_as("google-benchmark", &format!("{{\"benchmarks\": [{entry}]}}"))
}

fn criterion(keys: &str, rows: &str) -> Result<Vec<Measured>, HarnessError> {
    let report = format!(
        "{{\"reportName\": \"a\", \"reportKeys\": [{keys}], \"reportMeasured\": [{rows}]}}"
    );
    read_as("criterion", &format!("[\"criterion\", \"1.5\", [{report}]]"))
}

fn is_missing(read: Result<Vec<Measured>, HarnessError>) -> bool {
    read.expect("a whole report")[0].measurements.is_err()
}

#[test]
fn zero_negative_and_impossible_times_are_no_measurements() {
    for time in ["0", "-1", "0.0"] {
        let entry = format!("{{\"name\": \"a\", \"iterations\": 3, \"real_time\": {time}}}");
        assert!(is_missing(google(&entry)), "{time}");
        assert!(is_missing(criterion("\"time\", \"iters\"", &format!("[{time}, 3]"))), "{time}");
    }
    for time in ["0", "-1", "NaN", "inf"] {
        assert!(is_missing(read_as("go", &format!("BenchmarkA\t3\t{time} ns/op\n"))), "{time}");
        let line = format!("brisk-bench 1\na\t3\t{time}\n");
        assert!(is_missing(read_as("lines", &line)), "{time}");
        let table = format!("Name,Mean (ps),2*Stdev (ps)\na,{time},1\n");
        assert!(is_missing(read_as("tasty-bench", &table)), "{time}");
    }
    let nan = "{\"name\": \"a\", \"iterations\": 3, \"real_time\": \"NaN\"}";
    assert!(is_missing(google(nan)));
    assert!(is_missing(criterion("\"time\", \"iters\"", "[null, 3]")));
    assert!(is_missing(read_as("lines", "brisk-bench 1\na\t0\t1.5\n")));
}

#[test]
fn a_report_that_is_cut_off_is_refused() {
    for (name, harness, text) in samples(false) {
        if !name.ends_with(".json") || harness.word.starts_with("criterion-rs") {
            continue;
        }
        for share in 1..20 {
            let end = text.char_indices().nth(text.chars().count() * share / 20);
            let (end, _) = end.expect("within the text");
            let read = read(harness, &text[..end], &[]);
            assert!(matches!(read, Err(HarnessError::Json { .. })), "{name} cut at {end}");
        }
    }
    let lines = read_as("lines", "brisk-bench 1\na\t3\t1.25\nb\t3\t1.");
    assert!(matches!(lines, Err(HarnessError::Line { line: 3, .. })));
}

#[test]
fn a_report_that_is_not_there_is_refused() {
    for word in ["criterion", "google-benchmark", "tasty-bench", "criterion-rs"] {
        let harness = harness::find(word).expect("known");
        let files = std::collections::BTreeMap::new();
        let reported =
            toolchains::harness::description::Reported { asked: &[], stdout: "", files: &files };
        assert!(matches!(harness.read(&reported), Err(HarnessError::NoReport { .. })), "{word}");
    }
    for word in ["lines", "divan"] {
        assert!(
            matches!(read_as(word, "hello\n"), Err(HarnessError::NoBeginning { .. })),
            "{word}"
        );
    }
}

#[test]
fn other_columns_are_found_by_their_names_and_unknown_ones_passed_over() {
    // Version 0.2 of criterion's measurements has one more key, and keys may be in another order.
    let read = criterion(
        "\"peakMbAllocated\", \"iters\", \"new\", \"time\", \"allocated\"",
        "[7, 4, \"x\", 2.0, 64], [8, 4, \"x\", 6.0, 64]",
    );
    let measured = &read.expect("sound")[0];
    let measurements = measured.measurements.as_ref().expect("measured");
    assert_eq!(seconds_per_iteration(measurements), Some(1.0));
    assert_eq!(measurements[0].figures.allocated_bytes, Some(64.0));
    assert!(matches!(criterion("\"time\"", "[1.0]"), Err(HarnessError::Lacking { .. })));
    let tasty = read_as("tasty-bench", "New,Mean (ps),Name\n1,2000,a\n").expect("sound");
    assert_eq!(tasty[0].name, "a");
    let lacking = read_as("tasty-bench", "Name,Mean (ns)\na,1\n");
    assert!(matches!(lacking, Err(HarnessError::Lacking { .. })));
    let entry = "{\"run_name\": \"a\", \"name\": \"a/repeats:1\", \"iterations\": 2, \
                  \"real_time\": 5.0, \"time_unit\": \"ms\", \"colour\": {}}";
    let measured = &google(entry).expect("sound")[0];
    let measurements = measured.measurements.as_ref().expect("measured");
    assert_eq!((measured.name.as_str(), seconds_per_iteration(measurements)), ("a", Some(0.005)));
    let unit = "{\"name\": \"a\", \"iterations\": 2, \"real_time\": 5.0, \"time_unit\": \"h\"}";
    assert!(matches!(google(unit), Err(HarnessError::Lacking { .. })));
}

#[test]
fn repetitions_are_measurements_of_one_benchmark_and_aggregates_none() {
    let entry = |index: u32, time: f64| {
        format!(
            "{{\"name\": \"a\", \"run_name\": \"a\", \"run_type\": \"iteration\", \
             \"repetition_index\": {index}, \"iterations\": 1, \"real_time\": {time:?}}}"
        )
    };
    let mean = "{\"name\": \"a_mean\", \"run_name\": \"a\", \"run_type\": \"aggregate\", \
                \"iterations\": 2, \"real_time\": 2.0}";
    let all = google(&format!("{}, {}, {mean}", entry(0, 1.0), entry(1, 3.0))).expect("sound");
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].measurements.as_ref().expect("measured").len(), 2);
    let namesakes = google(&format!("{}, {}", entry(0, 1.0), entry(0, 3.0))).expect("sound");
    assert_eq!(namesakes.len(), 2);
    let counted = read_as("go", "BenchmarkA-8\t2\t4 ns/op\nBenchmarkA-8\t2\t6 ns/op\n");
    let counted = counted.expect("sound");
    assert_eq!((counted.len(), counted[0].name.as_str()), (1, "BenchmarkA"));
}

#[test]
fn lines_of_the_protocol_that_are_none_are_refused_with_their_numbers() {
    for (line, why) in [
        ("a 3 1.5", "tabs"),
        ("a\tmany\t1.5", "whole number"),
        ("a\t3\tlong", "seconds"),
        ("a\t3\t1.5\tallocated", "`=`"),
        ("a\t3\t1.5\tallocated=much", "not a number"),
    ] {
        let error = read_as("lines", &format!("brisk-bench 1\nb\t1\t1\n{line}\n"));
        let error = error.expect_err("no measurement").to_string();
        assert!(error.contains("line 3") && error.contains(why), "{error}");
    }
}
