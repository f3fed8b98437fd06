//! The files of other programs: known answers for handwritten documents, and the answers of those
//! programs to real ones.

use findings::Document;
use measure::Outcome;
use model::metric::Readings;
use model::run::{Run, RunPlace};
use report::export::{Exports, Format};
use report::json::Visit;
use serde_json::{Value, json};

use crate::bench::script;
use crate::document::{self, list};
use crate::lab::{Lab, has, not_checked, run};
use crate::repository::{LONG, Repository, SHORT};

/// Values of one metric of one variant.
fn summary(variant: u32, metric: &str, values: [f64; 6], interval: [Option<f64>; 2]) -> Value {
    let [n, mean, sd, median, min, max] = values;
    json!({
        "variant": variant, "metric": metric, "source": "run", "n": n as u64, "mean": mean,
        "sd": if n > 1.0 { json!(sd) } else { Value::Null }, "median": median, "min": min,
        "max": max, "low": interval[0], "high": interval[1], "outliers": 0, "severe_outliers": 0,
    })
}

pub(crate) fn document(variants: &[&str], suite: &Value, summaries: &[Value]) -> Document {
    let variant = |name: &&str| json!({"name": name, "command": name, "labels": {}});
    let whole = json!({
        "schema": "brisk/1",
        "machine": {"cpu_model": "Abacus\n9000", "hostname": "hut/1", "cpus_online": 2},
        "conditions": {},
        "experiment": {
            "id": 1, "started_unix_ns": 1_700_000_000_000_000_000_u64, "brisk_version": "0",
            "seed": 1, "rounds": 2, "elapsed_seconds": 1.0, "stop": "rounds", "confidence": 0.95,
            "margin": 0.01, "estimator": "rank-scores", "order": "rounds", "commands": 1,
            "metrics": null,
        },
        "variants": variants.iter().map(variant).collect::<Vec<_>>(),
        "summaries": summaries, "missing": [], "comparisons": [], "answers": [],
        "detectable": {}, "notes": [], "kind": if suite.is_null() { "compare" } else { "bench" },
        "suite": suite,
    });
    serde_json::from_value(whole).expect("a document")
}

fn made(variant: u32, round: u32, readings: &[(&str, Result<f64, &'static str>)]) -> Run {
    let reading = |(id, value): &(&str, Result<f64, &'static str>)| {
        let value = value.map_err(|reason| model::metric::Missing(reason.into()));
        ((*id).to_owned().into(), value)
    };
    Run {
        place: RunPlace {
            source: model::metric::Source::Run,
            warmup: round == WARM_UP,
            round,
            position: 0,
            variant,
        },
        started_unix_ns: 0,
        outcome: Outcome::Exited(0),
        readings: readings.iter().map(reading).collect::<Readings>(),
        left_behind: 0,
        stderr_tail: None,
    }
}

/// Marks a run that belongs to no round.
const WARM_UP: u32 = 77;

const TIME: &str = "time_per_iteration";
const ALLOCATED: &str = "allocated_per_iteration";

/// Two programs with awkward names; the second round of the old `fib/10` reported no time.
fn suite() -> (Document, Vec<Run>) {
    let names = ["fib/10", "a, \"b\"\nc-2", "größe x"];
    let benchmark = |(place, name)| json!({"name": name, "variants": [2 * place, 2 * place + 1]});
    let part = json!({
        "order": "alone",
        "programs": [{"name": "./old", "harness": "lines"}, {"name": "./new", "harness": "lines"}],
        "benchmarks": names.iter().enumerate().map(benchmark).collect::<Vec<_>>(),
    });
    let summaries = [
        summary(0, TIME, [1.0, 2e-7, 0.0, 2e-7, 2e-7, 2e-7], [None, None]),
        summary(1, TIME, [2.0, 1.5e-7, 1e-8, 1.5e-7, 1.4e-7, 1.6e-7], [None, None]),
        summary(1, ALLOCATED, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0], [None, None]),
        summary(3, TIME, [2.0, 2.5, 0.5, 2.25, 2.0, 3.0], [Some(2.0), Some(3.0)]),
        summary(5, TIME, [1.0, 1e-3, 0.0, 1e-3, 1e-3, 1e-3], [None, None]),
    ];
    let variants = ["fib/10 (old)", "fib/10 (new)", "2", "3", "4", "5"];
    let runs = vec![
        made(1, WARM_UP, &[(TIME, Ok(9.0))]),
        made(0, 0, &[(TIME, Ok(2e-7)), ("iterations", Ok(1000.0))]),
        made(1, 0, &[(TIME, Ok(1.4e-7)), ("iterations", Ok(500.0)), (ALLOCATED, Ok(0.0))]),
        made(3, 0, &[(TIME, Ok(2.0)), ("iterations", Err("the harness does not say it"))]),
        made(0, 1, &[(TIME, Err("the harness says it took 0 s")), ("iterations", Ok(10.0))]),
        made(1, 1, &[(TIME, Ok(1.6e-7)), ("iterations", Ok(500.0)), (ALLOCATED, Ok(0.0))]),
        made(3, 1, &[(TIME, Ok(3.0))]),
        made(5, 1, &[(TIME, Ok(1e-3)), ("gc_time_per_iteration", Ok(2.5e-6))]),
        // From an interrupted round.
        made(0, 2, &[(TIME, Ok(9.0))]),
    ];
    (document(&variants, &part, &summaries), runs)
}

/// Writes one file and reads it, or returns the error.
fn written(
    lab: &Lab,
    (document, runs): &(Document, Vec<Run>),
    format: Format,
) -> Result<String, String> {
    let exports = Exports { files: vec![(format, lab.path("written"))], asv_commit: None };
    let mut visit = |visit: &mut Visit<'_>| runs.iter().try_for_each(visit);
    exports.write(document, &mut visit).map_err(|error| error.source.to_string())?;
    Ok(lab.read("written"))
}

#[test]
fn go_has_a_line_for_each_process_and_a_key_for_the_two_programs() {
    let text = written(&Lab::new(), &suite(), Format::Go);
    let expected = "cpu: Abacus 9000\n\
                    harness: lines\n\
                    order: alone\n\
                    executable: ./old\n\
                    BenchmarkFib/10 1000 200 ns/op\n\
                    executable: ./new\n\
                    BenchmarkFib/10 500 140 ns/op 0 B/op\n\
                    BenchmarkA,_\"b\"_c-2-1 1 2000000000 ns/op\n\
                    BenchmarkFib/10 500 160 ns/op 0 B/op\n\
                    BenchmarkA,_\"b\"_c-2-1 1 3000000000 ns/op\n\
                    BenchmarkGröße_x 1 1000000 ns/op 2500 gc-ns/op\n";
    assert_eq!(text.as_deref(), Ok(expected));
}

/// The name is quoted, quotes are doubled, and measurements from a single process are left out.
#[test]
fn tasty_bench_has_whole_picoseconds_and_twice_the_deviation() {
    let lab = Lab::new();
    let text = written(&lab, &suite(), Format::TastyBench);
    let expected = "Name,Mean (ps),2*Stdev (ps)\n\
                    fib/10,150000,20000\n\
                    \"a, \"\"b\"\"\nc-2\",2500000000000,1000000000000\n";
    assert_eq!(text.as_deref(), Ok(expected));
    if !has("python3") {
        return not_checked("no python3 to read CSV as another program does");
    }
    let program = "import csv, sys\n\
                   rows = list(csv.DictReader(open(sys.argv[1], newline='')))\n\
                   assert [row['Name'] for row in rows] == ['fib/10', 'a, \"b\"\\nc-2'], rows\n\
                   assert [int(row['2*Stdev (ps)']) for row in rows] == [20000, 10**12], rows\n";
    assert!(run("python3", &["-c", program, lab.path("written").to_str().expect("text")]));
}

#[test]
fn github_action_has_medians_in_fixed_units() {
    let lab = Lab::new();
    let text = written(&lab, &suite(), Format::GithubAction);
    let expected = json!([
        {"name": "fib/10", "unit": "ns/iter", "value": 150.0, "range": "± 10",
         "extra": "median of 2 processes"},
        {"name": "fib/10 allocated", "unit": "B/iter", "value": 0.0, "range": "± 0",
         "extra": "median of 2 processes"},
        {"name": "a, \"b\"\nc-2", "unit": "ns/iter", "value": 2_250_000_000.0,
         "range": "± 500000000", "extra": "median of 2 processes\n\
         95 % interval 2000000000 to 3000000000 ns/iter"},
        {"name": "größe x", "unit": "ns/iter", "value": 1_000_000.0,
         "extra": "median of 1 process"},
    ]);
    assert_eq!(serde_json::from_str::<Value>(&text.expect("written")).expect("JSON"), expected);
}

#[test]
fn bencher_has_measures_with_their_bounds_where_there_are_any() {
    let lab = Lab::new();
    let text = written(&lab, &suite(), Format::Bencher);
    let expected = json!({
        "fib/10": {"latency": {"value": 150.0}, "allocated": {"value": 0.0}},
        "a, \"b\"\nc-2": {"latency": {"value": 2_250_000_000.0, "lower_value": 2_000_000_000.0,
                                     "upper_value": 3_000_000_000.0}},
        "größe x": {"latency": {"value": 1_000_000.0}},
    });
    assert_eq!(serde_json::from_str::<Value>(&text.expect("written")).expect("JSON"), expected);
}

/// Commands with custom names, one of them twice, and peaks that are only bounds.
#[test]
fn commands_are_told_apart_and_a_bound_is_no_value() {
    let names = ["sort -n", "sort -n", "sort -n (2)"];
    let mut peak = summary(0, "peak_rss", [2.0, 4096.0, 0.0, 4096.0, 0.0, 0.0], [None, None]);
    peak["at_most"] = json!(true);
    let times: Vec<Value> = (0..3)
        .map(|v| summary(v, "wall_time", [2.0, 0.5, 0.25, 0.5, 0.25, 0.75], [None, None]))
        .collect();
    let summaries = [times[0].clone(), peak, times[1].clone(), times[2].clone()];
    let of_commands = (document(&names, &Value::Null, &summaries), Vec::new());
    let lab = Lab::new();
    let text = written(&lab, &of_commands, Format::Bencher);
    let latency = json!({"latency": {"value": 500_000_000.0}});
    let expected = json!({"sort -n": latency, "sort -n (3)": latency, "sort -n (2)": latency});
    assert_eq!(serde_json::from_str::<Value>(&text.expect("written")).expect("JSON"), expected);
    let runs = [0.25, 0.75].map(|wall| made(1, 0, &[("wall_time", Ok(wall))]));
    let of_commands = (of_commands.0, runs.to_vec());
    let text = written(&lab, &of_commands, Format::Go);
    let expected = "cpu: Abacus 9000\n\
                    BenchmarkSort_-n#01 1 250000000 ns/op\n\
                    BenchmarkSort_-n#01 1 750000000 ns/op\n";
    assert_eq!(text.as_deref(), Ok(expected));
}

#[test]
fn nothing_to_tell_is_said_and_no_empty_file() {
    let empty = (document(&["a"], &Value::Null, &[]), Vec::new());
    let lab = Lab::new();
    let formats = [Format::Go, Format::TastyBench, Format::GithubAction, Format::Bencher];
    for format in formats {
        let refused = written(&lab, &empty, format).expect_err("nothing was measured");
        assert!(refused.contains("nothing was measured"), "{refused}");
    }
}

/// A suite whose first round takes 100 ms for 1000 iterations of each benchmark, and every further
/// round 1 ms more.
fn counting(lab: &Lab, name: &str) {
    script(
        lab,
        name,
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'fib/10\\na, \"b\"\\n' && exit\nshift\n\
         for name; do\n\
           echo >> \"calls-$(printf %s \"$name\" | tr / _)\"\n\
           n=$(wc -l < \"calls-$(printf %s \"$name\" | tr / _)\")\n\
           printf '%s\\t1000\\t0.%03d\\tallocated=16000\\n' \"$name\" $((99 + n))\n\
         done\n",
    );
}

/// Immediate and later exports are equal, and benchstat, if installed, reads them.
#[test]
fn a_stored_suite_is_exported_later_as_at_once() {
    let lab = Lab::new();
    counting(&lab, "suite");
    let files = ["go", "tasty-bench", "github-action", "bencher"];
    let options = |name: &str| -> Vec<String> {
        let option = |kind: &&str| [format!("--export-{kind}"), format!("{name}.{kind}")];
        files.iter().flat_map(option).collect()
    };
    let arguments = |verb: &[&str], options: &[String]| -> Vec<String> {
        verb.iter().map(|word| (*word).to_owned()).chain(options.to_vec()).collect()
    };
    for (verb, name) in [
        (&["bench", "--order", "alone", "--runs", "8", "./suite"][..], "direct"),
        (&["export", "1"], "later"),
    ] {
        let words = arguments(verb, &options(name));
        lab.brisk(&words.iter().map(String::as_str).collect::<Vec<_>>()).succeeded();
    }
    for kind in files {
        let (direct, later) = (format!("direct.{kind}"), format!("later.{kind}"));
        assert_eq!(lab.read(&direct), lab.read(&later), "{kind}");
    }
    let lines = lab.lines("direct.go");
    let of_fib: Vec<&String> = lines.iter().filter(|line| line.contains("Fib/10")).collect();
    assert_eq!(of_fib[0], "BenchmarkFib/10 1000 100000 ns/op 16 B/op");
    assert_eq!(of_fib[7], "BenchmarkFib/10 1000 107000 ns/op 16 B/op");
    let bencher = lab.json("direct.bencher");
    // The median of 100 to 107 µs; of eight values, the second and the seventh enclose it at 93 %.
    let expected = json!({"value": 103_500.0, "lower_value": 100_000.0, "upper_value": 107_000.0});
    assert_eq!(bencher["a, \"b\""]["latency"], expected);
    if !has("benchstat") {
        return not_checked("no benchstat");
    }
    let file = lab.path("direct.go");
    let table = format!("benchstat '{}' | grep -q 'Fib/10 *103.5µ'", file.display());
    assert!(run("sh", &["-c", &table]));
}

#[test]
fn asv_gets_a_commit_and_keeps_what_it_has() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT; 2]);
    counting(&lab, "repo/suite");
    let hash = repository.git(&["rev-parse", "HEAD^"]).trim().to_owned();
    let seconds: i64 = repository
        .git(&["log", "--max-count=1", "--format=%ct", &hash])
        .trim()
        .parse()
        .expect("a number");
    std::fs::create_dir_all(lab.path("results")).expect("ours");
    lab.write("results/benchmarks.json", "{\"version\": 2, \"theirs\": {\"name\": \"theirs\"}}");
    let store = lab.store().to_str().expect("text").to_owned();
    let bench = format!(
        "cd '{}' && '{}' bench --store '{store}' --order alone --runs 8 ./suite --export-asv ../results \
         --asv-commit HEAD^",
        repository.path().display(),
        env!("CARGO_BIN_EXE_brisk"),
    );
    assert!(run("sh", &["-c", &bench]));
    let known = lab.json("results/benchmarks.json");
    assert_eq!(known["theirs"], json!({"name": "theirs"}));
    let described = json!({
        "name": "fib/10", "code": "", "type": "time", "unit": "seconds", "params": [],
        "param_names": [], "version": "1",
    });
    assert_eq!(known["fib/10"], described);
    assert_eq!(known["fib/10 allocated"]["unit"], "bytes");
    let machine = std::fs::read_dir(lab.path("results"))
        .expect("ours")
        .flatten()
        .find(|entry| entry.path().is_dir())
        .expect("the machine's folder")
        .file_name()
        .into_string()
        .expect("text");
    let described = lab.json(&format!("results/{machine}/machine.json"));
    assert_eq!((&described["machine"], &described["version"]), (&json!(machine), &json!(1)));
    let file = lab.json(&format!("results/{machine}/{}-brisk.json", &hash[..8]));
    assert_eq!(file["version"], 2);
    assert_eq!((&file["commit_hash"], &file["date"]), (&json!(hash), &json!(seconds * 1000)));
    let columns = list(&file, "result_columns");
    let cell = |name: &str| {
        let place = columns.iter().position(|column| column == name).expect("a column");
        &file["results"]["fib/10"][place]
    };
    assert_eq!(cell("result"), &json!([1.035e-4]));
    assert_eq!(cell("params"), &json!([]));
    // Of eight values, the extremes enclose the median at 99.2 %.
    assert_eq!([cell("stats_ci_99_a"), cell("stats_ci_99_b")], [&json!([1e-4]), &json!([1.07e-4])]);
    assert_eq!(cell("stats_q_25"), &json!([1.0175e-4]));
    assert_eq!(cell("stats_repeat"), &json!([8]));
    assert_eq!(list(&json!({"all": cell("samples")[0]}), "all").len(), 8);
}

/// Every measured commit has a file, including one with the same artefact as another.
#[test]
fn asv_gets_every_commit_of_a_history() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    let same = repository.commit("nothing new");
    let (whole, build) = (repository.whole(), repository.build());
    let project = ["--project", "repo", "--build", &build, "--artifact", "prog", "--runs", "8"];
    let exported = ["--export-asv", "results", "--metrics", "wall_time,peak_rss"];
    lab.brisk(&[&["history", &whole][..], &project, &exported].concat()).judged();
    let machine = std::fs::read_dir(lab.path("results"))
        .expect("ours")
        .flatten()
        .find(|entry| entry.path().is_dir())
        .expect("the machine's folder");
    let of = |hash: &str| {
        let name = format!("{}-brisk.json", &hash[..8]);
        let text = std::fs::read_to_string(machine.path().join(name)).expect("a file");
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let (last, before) = (of(&same), of(&repository.git(&["rev-parse", "HEAD^"])));
    let first = of(&repository.git(&["rev-parse", "HEAD^^"]));
    assert_eq!(last["results"], before["results"], "they are one artefact");
    let median = |file: &Value| file["results"]["{artifact}"][0][0].clone();
    let document = lab.exported("1");
    for (file, variant) in [(&first, 0), (&last, 1)] {
        assert_eq!(median(file), document::summary(&document, variant, "wall_time")["median"]);
    }
    assert_eq!(last["results"]["{artifact}"][11][0].as_array().map(Vec::len), Some(8));
    lab.brisk(&["export", "1", "--export-asv", "again"]).succeeded();
    assert_eq!(lab.read("again/benchmarks.json"), lab.read("results/benchmarks.json"));
}

#[test]
fn a_commit_that_is_none_is_refused_before_anything_runs() {
    let lab = Lab::new();
    counting(&lab, "suite");
    let arguments = ["bench", "./suite", "--export-asv", "results", "--asv-commit", "no-such-one"];
    lab.brisk(&arguments).refused("cannot write `results`");
    assert!(lab.lines("calls-fib_10").is_empty() && !lab.exists("results"));
    let unsaid = lab.brisk(&["bench", "./suite", "--export-asv", "results"]);
    unsaid.refused("cannot write `results`").because("--asv-commit");
    lab.brisk(&["bench", "./suite", "--export-go", "no/such/file"]).refused("cannot write");
    assert!(lab.lines("calls-fib_10").is_empty());
}

#[test]
fn a_history_is_in_no_format_of_one_state() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT; 2]);
    let folder = repository.path();
    let folder = folder.to_str().expect("text");
    let arguments = ["--project", folder, "--artifact", "prog", "--export-go", "go.txt"];
    let of_commit = ["--export-asv", "asv", "--asv-commit", "HEAD"];
    let of_commit = [&["history", "HEAD^..HEAD"], &arguments[..4], &of_commit].concat();
    lab.brisk(&of_commit).refused("cannot write `asv`").because("a history has its own commits");
    lab.brisk(&[&["history", "HEAD^..HEAD"][..], &arguments].concat())
        .refused("cannot write `go.txt`")
        .because("a history has many");
}
