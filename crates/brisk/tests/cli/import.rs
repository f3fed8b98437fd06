//! hyperfine's files: read, judged, and flagged if doubtful.

use serde_json::{Value, json};

use crate::document::{comparison, list, measured, summary};
use crate::lab::{Lab, not_checked};

/// The folder with sample files of other programs, if it exists.
const SAMPLES: &str = "BRISK_SHARED";

/// Times with some noise above a centre, in an order that depends on it.
pub(crate) fn times(centre: f64) -> Vec<f64> {
    let stride = if centre < 0.15 { 7 } else { 3 };
    (0..20_u32).map(|run| centre * (1.0 + f64::from(run * stride % 20) / 1000.0)).collect()
}

/// A result in the format of hyperfine 1.x.
pub(crate) fn result_v1(command: &str, times: &[f64]) -> Value {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    json!({
        "command": command,
        "mean": mean,
        "stddev": 0.001,
        "median": mean,
        "user": mean / 2.0,
        "system": 0.001,
        "min": times.iter().copied().fold(f64::INFINITY, f64::min),
        "max": times.iter().copied().fold(0.0, f64::max),
        "times": times,
        "exit_codes": vec![0; times.len()],
    })
}

pub(crate) fn file_v1(results: &[Value]) -> String {
    json!({ "results": results }).to_string()
}

/// A file in the format of hyperfine 2.0.
fn file_v2(results: &[(&str, Vec<f64>)]) -> String {
    let results: Vec<Value> = results
        .iter()
        .map(|(command, times)| {
            let measurement = |time: &f64| {
                json!({
                    "time_wall_clock": { "value": time, "unit": "second" },
                    "time_user": { "value": time / 2.0, "unit": "second" },
                    "time_system": { "value": time / 4.0, "unit": "second" },
                    "memory_peak_resident": { "value": 2_000_000.0, "unit": "byte" },
                    "exit_code": 0,
                })
            };
            let measurements: Vec<Value> = times.iter().map(measurement).collect();
            json!({ "command": command, "measurements": measurements, "summary": {} })
        })
        .collect();
    json!({
        "schema_version": 2,
        "metadata": { "hyperfine_version": "2.0.0" },
        "primary_metric": "time_wall_clock",
        "results": results,
    })
    .to_string()
}

#[test]
fn a_file_of_hyperfine_1_is_judged() {
    let lab = Lab::new();
    let [fast, slow] = [times(0.1), times(0.2)];
    lab.write("hf.json", &file_v1(&[result_v1("old", &fast), result_v1("new", &slow)]));
    let ended = lab.brisk(&["import", "hf.json", "--export-json", "out.json"]).exited(1);
    assert_eq!(ended.stderr, "");
    let ended =
        ended.says("A old").says("(B) is slower than `old` (A)").says("20 rounds, imported");
    ended.says("all runs of one command came before those of the next");
    let document = lab.json("out.json");
    let part = comparison(&document, 1, "wall_time");
    assert_eq!(part["verdict"], "regressed");
    let of = |key: &str| part[key].as_f64().expect("a number");
    assert!(of("low") < 2.0 && of("high") > 2.0 && (of("ratio") - 2.0).abs() < 0.02, "{part}");
    assert_eq!(summary(&document, 0, "wall_time")["n"], 20);
    assert_eq!(measured(&document).len(), 40);
    assert_eq!(list(&document["plan"], "rounds").len(), 0, "nobody drew an order");
    assert!(!lab.store().exists(), "what others measured is not kept");

    lab.write("back.json", &file_v1(&[result_v1("old", &slow), result_v1("new", &fast)]));
    lab.brisk(&["import", "back.json"]).exited(0).says("improved");
}

#[test]
fn a_file_of_hyperfine_2_is_judged_with_memory_and_processor_time() {
    let lab = Lab::new();
    lab.write("hf.json", &file_v2(&[("old", times(0.2)), ("new", times(0.1))]));
    lab.brisk(&["import", "hf.json", "--export-json", "out.json"]).exited(0).says("improved");
    let document = lab.json("out.json");
    let cpu = summary(&document, 0, "cpu_time")["min"].as_f64();
    assert!(cpu.is_some_and(|cpu| (cpu - 0.15).abs() < 1e-9), "{cpu:?}");
    assert_eq!(summary(&document, 1, "peak_rss")["median"], 2_000_000.0);
    lab.brisk(&["import", "hf.json", "--metrics", "peak_rss"]).exited(0).says("unchanged");
}

#[test]
fn options_of_judging_are_honoured() {
    let lab = Lab::new();
    let [a, b] = [times(0.1), times(0.1004)];
    lab.write("hf.json", &file_v1(&[result_v1("a", &a), result_v1("b", &b)]));
    lab.brisk(&["import", "hf.json", "--margin", "50"]).says("within");
    for estimator in ["rank-scores", "pseudo-median", "median", "mean", "min"] {
        let ended = lab.brisk(&["import", "hf.json", "--estimator", estimator]);
        assert!(matches!(ended.code, Some(0 | 1)), "{ended}");
    }
    lab.write("few.json", &file_v1(&[result_v1("a", &a[..2]), result_v1("b", &b[..2])]));
    lab.brisk(&["import", "few.json"]).exited(0).says("inconclusive");
    lab.brisk(&["import", "few.json", "--require-verdict"]).exited(3);
    lab.brisk(&["import", "few.json", "--margin", "NaN"]).refused("`NaN` is not a margin");
    lab.brisk(&["import", "few.json", "--metrics", "instrs"]).refused("unknown metric `instrs`");
    lab.brisk(&["import", "few.json", "--export-csv", "no/x"]).refused("cannot write `no/x`");
}

#[test]
fn commands_with_different_numbers_of_runs_are_compared_as_far_as_they_go() {
    let lab = Lab::new();
    let [a, b] = [times(0.1), times(0.2)];
    lab.write("hf.json", &file_v1(&[result_v1("a", &a), result_v1("b", &b[..12])]));
    lab.brisk(&["import", "hf.json", "--export-json", "out.json"]).exited(1);
    let document = lab.json("out.json");
    assert_eq!(summary(&document, 0, "wall_time")["n"], 20);
    assert_eq!(summary(&document, 1, "wall_time")["n"], 12);
}

#[test]
fn parameters_and_failed_runs_come_along() {
    let lab = Lab::new();
    let mut result = result_v1("sleep {n}", &[0.1, 0.2, 0.3]);
    result["parameters"] = json!({ "n": "1" });
    result["exit_codes"] = json!([0, 3, null]);
    result["memory_usage_byte"] = json!([100, 200, 300]);
    lab.write("hf.json", &file_v1(&[result]));
    lab.brisk(&["import", "hf.json", "--export-json", "out.json"]).exited(0);
    let document = lab.json("out.json");
    assert_eq!(document["variants"][0]["labels"]["n"], "1");
    let runs = measured(&document);
    assert_eq!(runs[1]["outcome"]["exited"], 3);
    assert!(runs[2]["outcome"].get("signalled").is_some(), "{}", runs[2]);
    assert_eq!(summary(&document, 0, "peak_rss")["median"], 200.0);
}

#[test]
fn results_without_single_runs_are_told() {
    let lab = Lab::new();
    let mut bare = result_v1("bare", &times(0.1));
    bare.as_object_mut().expect("an object").remove("times");
    lab.write("hf.json", &file_v1(&[result_v1("a", &times(0.1)), bare.clone()]));
    lab.brisk(&["import", "hf.json"]).exited(0).says("the file has no single runs of bare");
    lab.write("bare.json", &file_v1(&[bare]));
    lab.brisk(&["import", "bare.json"])
        .refused("cannot import `bare.json`")
        .because("it has no runs at all");
}

#[test]
fn what_is_no_file_of_hyperfines_is_refused() {
    let lab = Lab::new();
    let good = file_v1(&[result_v1("a", &times(0.1))]);
    let with = |key: &str, value: Value| {
        let mut result = result_v1("a", &times(0.1));
        result[key] = value;
        file_v1(&[result])
    };
    let newer = good.replacen('{', "{\"schema_version\": 3, ", 1);
    let cut = &good[..good.len() / 2];
    let not_a_number = good.replacen("\"times\":[0.1", "\"times\":[NaN", 1);
    assert_ne!(not_a_number, good);
    let cases: [(&str, &str); 14] = [
        ("", "the file has no header"),
        ("hello", "the file has a header but no points"),
        (cut, "it is not JSON"),
        (&not_a_number, "it is not JSON"),
        ("{}", "it has no `results`"),
        ("[1, 2]", "it has no `results`"),
        ("3", "the file has a header but no points"),
        ("{\"results\": []}", "it has no runs at all"),
        ("{\"results\": {\"a\": 1}}", "`results` are not as hyperfine 1 writes them"),
        ("{\"results\": [{\"name\": \"a\"}]}", "`results` are not as hyperfine 1 writes them"),
        (&newer, "schema version 3; this brisk knows 1 and 2"),
        (&with("times", json!([0.1, -0.2])), "`a` has a time of -0.2, which is not a measurement"),
        (&with("times", json!([0.1, "x"])), "`results` are not as hyperfine 1 writes them"),
        (&with("times", json!([0.1, null])), "`results` are not as hyperfine 1 writes them"),
    ];
    for (text, cause) in cases {
        lab.write("bad.json", text);
        lab.brisk(&["import", "bad.json"]).refused("cannot import `bad.json`").because(cause);
    }
    let negative = file_v2(&[("a", vec![0.1, -1.0])]);
    lab.write("bad.json", &negative);
    lab.brisk(&["import", "bad.json"]).refused("cannot import").because("not a measurement");
    lab.brisk(&["import", "none.json"]).refused("cannot read `none.json`").because("No such file");
    lab.brisk(&["import", "."]).refused("there is nothing to import in `.`");
    std::fs::write(lab.path("bytes"), [0xff, 0xfe, 0x00]).expect("writable");
    lab.brisk(&["import", "bytes"]).refused("cannot read `bytes`").because("UTF-8");
}

/// Output of hyperfine itself from real machines, if the samples are available.
#[test]
fn a_file_that_hyperfine_wrote_is_judged() {
    let Some(shared) = std::env::var_os(SAMPLES) else {
        return not_checked(&format!("hyperfine's own file: {SAMPLES} names no folder"));
    };
    let archive = std::path::Path::new(&shared).join("data/runtimes/samples.tar.xz");
    let lab = Lab::new();
    let folder = lab.path("").display().to_string();
    if !crate::lab::run("tar", &["-xJf", &archive.display().to_string(), "-C", &folder]) {
        return not_checked(&format!("hyperfine's own file: cannot unpack {}", archive.display()));
    }
    lab.brisk(&["import", "tools/hyperfine-json.file.txt", "--export-json", "out.json"]).exited(0);
    let document = lab.json("out.json");
    let theirs = lab.json("tools/hyperfine-json.file.txt");
    for (variant, result) in (0..).zip(list(&theirs, "results")) {
        let part = summary(&document, variant, "wall_time");
        assert_eq!(part["min"], result["min"]);
        assert_eq!(part["median"], result["median"]);
    }
}

/// Forty values around 10 and forty around 12, with a spread of 1 %, and a constant metric.
fn series() -> String {
    let wobble = |n: u32| 1.0 + 0.01 * f64::from((n * 7919) % 13) / 13.0;
    let line = |n: u32| {
        let level = if n < 40 { 10.0 } else { 12.0 };
        format!("c{n};{};{}\n", level * wobble(n), 5.0 * wobble(n + 3))
    };
    std::iter::once("commit;time;memory\n".to_owned()).chain((0..80).map(line)).collect()
}

#[test]
fn a_table_of_others_is_searched_for_changes() {
    let lab = Lab::new();
    lab.write("series.csv", &series());
    lab.brisk(&["import", "series.csv", "--export-json", "out.json", "--export-svg", "out.svg"])
        .exited(1)
        .says("c40 regressed: time +2");
    let document = lab.json("out.json");
    let steps = document["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert_eq!((&steps[0]["commit"], &steps[0]["metric"]), (&json!("c40"), &json!("time")));
    assert!(lab.read("out.svg").contains("<svg"));
}

#[test]
fn a_table_that_cannot_be_read_is_refused_with_the_place() {
    let lab = Lab::new();
    lab.write("series.csv", "commit;time\na;1\nb;2;3\n");
    lab.brisk(&["import", "series.csv"]).refused("cannot import `series.csv`").because("line 3");
}

#[test]
fn what_has_no_end_is_refused() {
    let lab = Lab::new();
    let ended = lab.brisk(&["import", "/dev/zero"]);
    ended.refused("cannot read `/dev/zero`").because("it has more than 256 MiB");
}

#[test]
fn files_of_other_versions_and_editors_are_read_by_their_runs() {
    let lab = Lab::new();
    let [fast, slow] = [times(0.1), times(0.2)];
    let bare = |command: &str, times: &[f64]| json!({"command": command, "times": times});
    let text = file_v1(&[bare("old", &fast), bare("new", &slow)]);
    lab.write("bare.json", &text);
    lab.write("marked.json", &format!("\u{feff}{text}"));
    for file in ["bare.json", "marked.json"] {
        lab.brisk(&["import", file]).exited(1).says("(B) is slower than ");
    }
}

#[test]
fn runs_that_failed_are_said_to_have_failed() {
    let lab = Lab::new();
    let mut failing = result_v1("new", &times(0.2));
    failing["exit_codes"][3] = json!(1);
    failing["exit_codes"][5] = json!(1);
    lab.write("hf.json", &file_v1(&[result_v1("old", &times(0.1)), failing]));
    lab.brisk(&["import", "hf.json"]).exited(1).says("2 runs of ");
}

#[test]
fn files_of_other_tools_are_refused_with_what_is_read() {
    let lab = Lab::new();
    let refused = |file: Value, cause: &str, hint: &str| {
        lab.write("other.json", &file.to_string());
        let ended = lab.brisk(&["import", "other.json"]).refused("cannot import `other.json`");
        ended.because(cause).hinting(hint);
    };
    let pytest =
        json!({"machine_info": {}, "commit_info": {}, "benchmarks": [], "version": "5.1.0"});
    refused(pytest, "it is a file of pytest-benchmark's", "JSON of hyperfine");
    let google = json!({"context": {"host_name": "x"}, "benchmarks": []});
    refused(google, "it is a file of Google Benchmark's", "--baseline FILE");
    refused(json!({"numbers": [1]}), "it has no `results`", "JSON of hyperfine");
}

/// A report of pytest-benchmark with a benchmark that took these times, in seconds.
fn pytest_report(times: &[f64], failed: bool) -> Value {
    let stats = json!({"data": times, "iterations": 2, "rounds": times.len()});
    let mut all = vec![json!({"fullname": "t.py::test_a[x/y, ü]", "stats": stats})];
    all.extend(failed.then(|| json!({"fullname": "t.py::test_b", "refused": "it failed: no map"})));
    json!({"machine_info": {}, "benchmarks": all})
}

#[test]
fn a_report_of_a_harness_is_shown_as_measured_elsewhere() {
    let lab = Lab::new();
    lab.write("one.json", &pytest_report(&[0.001, 0.003], false).to_string());
    let ended = lab.brisk(&["import", "one.json", "--export-json", "out.json"]).exited(0);
    let ended = ended.says("`t.py::test_a[x/y, ü]`: 2.000 ms time per iteration");
    let ended = ended.says("one.json has what pytest-benchmark measured elsewhere, in one process");
    assert!(!ended.stdout.contains("fresh"), "nobody knows what ran where: {ended}");
    let document = lab.json("out.json");
    assert_eq!(document["kind"], "bench");
    assert_eq!(document["suite"]["measurements"][0]["seconds"], json!([0.002, 0.006]));
    lab.write("two.json", &pytest_report(&[0.001], true).to_string());
    lab.brisk(&["import", "two.json"]).exited(2).says("`t.py::test_b`: it failed: no map");
    assert!(!lab.store().exists(), "nothing is stored");
}

#[test]
fn one_process_on_each_side_decides_nothing() {
    let lab = Lab::new();
    lab.write("old.json", &pytest_report(&[0.001; 50], false).to_string());
    lab.write("new.json", &pytest_report(&[0.005; 50], false).to_string());
    let ended =
        lab.brisk(&["import", "old.json", "new.json", "--export-json", "out.json"]).exited(0);
    for verdict in ["regressed", "improved", "unchanged"] {
        assert!(!ended.stdout.contains(verdict), "{ended}");
    }
    lab.brisk(&["import", "--require-verdict", "old.json", "new.json"]).exited(3);
}

#[test]
fn several_processes_on_each_side_are_compared() {
    let lab = Lab::new();
    let report = |factor: f64| {
        let values =
            |run: u32| [0.01, 0.011].map(|time| time * factor * (1.0 + f64::from(run) / 1e4));
        let runs: Vec<Value> = (0..20).map(|run| json!({"values": values(run)})).collect();
        let own = json!({"metadata": {"name": "a"}, "runs": runs});
        json!({"benchmarks": [own], "metadata": {"unit": "second"}, "version": "1.0"}).to_string()
    };
    lab.write("old.json", &report(1.0));
    lab.write("new.json", &report(1.2));
    let ended = lab.brisk(&["import", "old.json", "new.json"]).exited(1);
    ended.says("in up to 20 processes, one after the other").says("1 regressed");
    lab.write("other.json", &pytest_report(&[0.001], false).to_string());
    lab.brisk(&["import", "old.json", "other.json"]).refused("of different harnesses");
    lab.brisk(&["import", "old.json", "nowhere.json"]).refused("cannot read `nowhere.json`");
    lab.write("text", "hello");
    lab.brisk(&["import", "old.json", "text"]).refused("cannot import `text`");
}
