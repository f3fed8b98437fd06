//! Suites of benchmarks: which benchmarks share a process, in which order, and the results.
//!
//! The suites are shell scripts that speak the line protocol and record how they were called.

use serde_json::{Value, json};

use crate::document::list;
use crate::lab::{Ended, Lab, has, not_checked, run, sound_tables};

/// Writes an executable script.
pub(crate) fn script(lab: &Lab, name: &str, body: &str) {
    lab.write(name, &format!("#!/bin/sh\n{body}"));
    let path = lab.path(name);
    assert!(run("chmod", &["+x", path.to_str().expect("text")]), "{name} is ours");
}

/// A suite of these benchmarks, which records its calls in `calls`: every measurement has 1000
/// iterations and takes `cost` milliseconds, plus a little that differs between calls.
pub(crate) fn suite(lab: &Lab, name: &str, benchmarks: &[&str], cost: u32) {
    let names: Vec<String> = benchmarks.iter().map(|one| format!("'{one}'")).collect();
    let body = format!(
        "echo 'brisk-bench 1'\n\
         if [ \"$1\" = --list ]; then printf '%s\\n' {}; exit; fi\n\
         shift\nprintf '%s|' \"$@\" >> calls\necho >> calls\nn=$(wc -l < calls)\n\
         for name; do\n\
           n=$((n * 7 % 101))\n\
           printf '%s\\t1000\\t0.{cost:03}%03d\\tallocated=16000\\n' \"$name\" $n\n\
         done\n",
        names.join(" ")
    );
    script(lab, name, &body);
}

/// Runs the suite and reads the exported JSON.
fn measured(lab: &Lab, arguments: &[&str]) -> (Ended, Value) {
    let ended =
        lab.brisk(&[&["bench", "--export-json", "bench.json"], arguments].concat()).judged();
    (ended, lab.json("bench.json"))
}

/// The readings of a metric, run by run.
fn values<'a>(document: &'a Value, metric: &str) -> Vec<&'a Value> {
    list(document, "runs").iter().map(|run| &run["readings"][metric]).collect()
}

#[test]
fn each_benchmark_has_a_process_of_its_own_in_every_round() {
    let lab = Lab::new();
    suite(&lab, "suite", &["a b", "c/d", "e,f", "g\"h", "größe│7"], 100);
    let arguments = ["--order", "alone", "--runs", "6", "--export-svg", "s.svg", "./suite"];
    let (ended, document) = measured(&lab, &arguments);
    let picture = lab.read("s.svg");
    assert!(picture.contains("each process (dots)") && !picture.contains("after each other"));
    // A dot for each process, in a row for each benchmark; and the legend has none.
    assert_eq!(picture.matches("<path class=\"dot\"").count(), 5);
    ended.says("each benchmark alone in a fresh process").says("time per iteration");
    let mut calls = lab.lines("calls");
    assert_eq!(calls.len(), 30);
    calls.sort();
    calls.dedup();
    assert_eq!(calls, ["a b|", "c/d|", "e,f|", "g\"h|", "größe│7|"]);
    // The order is random: six equal rounds of five come up once in 120^5 seeds.
    let rounds = list(&document["plan"], "rounds");
    assert_eq!(rounds.len(), 6);
    assert!(rounds.iter().any(|round| *round != rounds[0]), "{rounds:?}");
    let names: Vec<&Value> =
        list(&document["suite"], "benchmarks").iter().map(|one| &one["name"]).collect();
    assert_eq!(json!(names), json!(["a b", "c/d", "e,f", "g\"h", "größe│7"]));
    for value in values(&document, "wall_time") {
        assert!(value.is_number(), "a process alone has its own time: {value}");
    }
}

#[test]
fn what_the_harness_measured_is_kept_unreduced() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && echo a && exit\n\
         printf 'a\\t1\\t9\\tgc_count=1\\na\\t9\\t9\\tgc_count=2\\n'\n",
    );
    let (_, document) = measured(&lab, &["--runs", "2", "./suite"]);
    // 18 s for 10 iterations.
    assert_eq!(values(&document, "time_per_iteration"), [1.8, 1.8]);
    assert_eq!(values(&document, "iterations"), [10, 10].map(|count| count as f64));
    assert_eq!(values(&document, "gc_count_per_iteration"), [0.3, 0.3]);
    let missing = values(&document, "allocated_per_iteration")[0]["missing"].as_str();
    assert!(missing.is_some_and(|reason| reason.contains("does not say it")));
    let kept = &document["suite"]["measurements"][1];
    let expected = json!({
        "variant": 0, "round": 1, "seconds": [9.0, 9.0], "iterations": [1, 9], "gc_count": [1.0, 2.0],
    });
    assert_eq!(*kept, expected);
    let exported = lab.exported("1");
    assert_eq!(exported["suite"]["measurements"], document["suite"]["measurements"]);
}

#[test]
fn one_process_runs_the_suite_in_the_order_that_is_asked_for() {
    let lab = Lab::new();
    suite(&lab, "suite", &["a", "b", "c"], 100);
    for (order, call) in [("together", "a|b|c|"), ("reversed", "c|b|a|")] {
        let (_, document) = measured(&lab, &["--order", order, "--runs", "3", "./suite"]);
        let calls = lab.lines("calls");
        assert_eq!(&calls[calls.len() - 3..], [call; 3]);
        assert_eq!(list(&document, "runs").len(), 9);
        assert_eq!(document["suite"]["order"], order);
        // A value that three benchmarks share is not a reading of any one of them.
        assert!(values(&document, "wall_time").iter().all(|value| value.is_null()));
    }
    measured(&lab, &["--order", "shuffled", "--runs", "12", "--seed", "1", "./suite"]);
    let mut calls = lab.lines("calls").split_off(6);
    assert_eq!(calls.len(), 12);
    calls.sort();
    calls.dedup();
    assert!(calls.len() > 1, "the order was drawn anew: {calls:?}");
}

#[test]
fn what_is_settled_runs_on_with_the_others_that_share_its_process() {
    let lab = Lab::new();
    // `wild` never settles; `calm` is constant.
    let body = |cost: u32| {
        format!(
            "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'calm\\nwild\\n' && exit\n\
             shift\necho \"$*\" >> calls\n\
             printf 'calm\\t1\\t0.{cost}\\nwild\\t1\\t0.%d1\\n' $(($$ % 9))\n"
        )
    };
    script(&lab, "old", &body(500));
    script(&lab, "new", &body(900));
    let arguments = ["--order", "together", "--max-runs", "40", "--min-runs", "10"];
    let (_, document) =
        measured(&lab, &[&arguments[..], &["--budget", "60s", "./old", "./new"]].concat());
    let calls = lab.lines("calls");
    assert!(calls.iter().all(|call| call == "calm wild"), "{calls:?}");
    let of = |variant: u64| {
        list(&document, "runs").iter().filter(|run| run["variant"] == variant).count()
    };
    assert!(of(0) < of(2), "{} of calm, {} of wild", of(0), of(2));
}

#[test]
fn two_programs_are_compared_benchmark_by_benchmark() {
    let lab = Lab::new();
    suite(&lab, "old", &["gone", "same", "slower"], 100);
    suite(&lab, "new", &["slower", "same", "added"], 100);
    let slower = |text: String, milliseconds: &str| {
        let cost = format!("case $name in slower) t={milliseconds};; *) t=100;; esac");
        let text = text.replace("for name; do", &format!("for name; do {cost}"));
        text.replace("0.100%03d", "0.%s%03d").replace("\"$name\" $n", "\"$name\" $t $n")
    };
    lab.write("old", &slower(lab.read("old"), "100"));
    lab.write("new", &slower(lab.read("new"), "200"));
    let arguments = ["bench", "--runs", "12", "--seed", "1", "--export-json", "bench.json"];
    let shown =
        lab.brisk(&[&arguments[..], &["--export-markdown", "bench.md", "./old", "./new"]].concat());
    let shown = shown.exited(2).says("2 benchmarks compared in time per iteration: 1 regressed");
    let shown = shown.says("`./new` adds `added` and no longer has `gone`");
    assert!(shown.stdout.contains("geometric mean"), "{shown}");
    let document = lab.json("bench.json");
    let verdict = |name: &str| {
        let suite = list(&document["suite"], "benchmarks");
        let one = suite.iter().find(|one| one["name"] == name).expect("listed");
        let of = &one["variants"];
        let comparisons = list(&document, "comparisons");
        let found = comparisons.iter().find(|part| {
            part["baseline"] == of[0]
                && part["candidate"] == of[1]
                && part["metric"] == "time_per_iteration"
        });
        found.map(|part| part["verdict"].as_str().expect("a word").to_owned())
    };
    assert_eq!(verdict("slower").as_deref(), Some("regressed"));
    assert_eq!(verdict("same").as_deref(), Some("unchanged"));
    assert_eq!((verdict("gone"), verdict("added")), (None, None));
    let text = lab.read("bench.md");
    let tables = sound_tables(&text);
    let benchmarks = tables.iter().find(|table| table[0].contains("benchmark"));
    assert_eq!(benchmarks.expect("a table of them").len(), 7, "{text}");
    lab.brisk(&["show", "1"]).succeeded().says("1 regressed");
}

#[test]
fn benchmarks_are_listed_and_selected() {
    let lab = Lab::new();
    suite(&lab, "suite", &["fib/1", "fib/10", "other"], 100);
    let listed = |arguments: &[&str]| {
        let ended = lab.brisk(&[&["bench", "--list", "./suite"], arguments].concat()).succeeded();
        ended.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["fib/1", "fib/10", "other"]);
    assert_eq!(listed(&["--filter", "fib"]), ["fib/1", "fib/10"]);
    assert_eq!(listed(&["--filter", "fib/1", "--exact"]), ["fib/1"]);
    assert!(lab.lines("calls").is_empty(), "listing measures nothing");
    measured(&lab, &["--runs", "1", "--filter", "fib/1", "--exact", "./suite"]);
    assert_eq!(lab.lines("calls"), ["fib/1|"]);
}

/// The user's arguments come before ours, and variables reach the program.
#[test]
fn arguments_and_variables_reach_the_program() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\necho \"$COLOUR $BRISK_BENCH_SECONDS $*\" >> calls\n\
         [ $2 = --list ] && echo a && exit\nprintf 'a\\t1\\t1\\n'\n",
    );
    let arguments = ["--runs", "1", "--env", "COLOUR=red", "--time-per-run", "50ms", "./suite"];
    measured(&lab, &[&arguments[..], &["--", "--size=3"]].concat());
    let mut calls = lab.lines("calls");
    // The program lists its benchmarks, and then only measures.
    calls.dedup();
    assert_eq!(calls, ["red  --size=3 --list", "red 0.05 --size=3 --run a"]);
}

/// A Go test binary, `suite.test`, with these benchmarks. `None` without a Go compiler.
fn suite_of_go(benchmarks: &str) -> Option<Lab> {
    if !has("go") {
        not_checked("no Go compiler");
        return None;
    }
    let lab = Lab::new().with("GOFLAGS", "-mod=mod").with("GOTOOLCHAIN", "local");
    lab.write("go.mod", "module suite\n\ngo 1.20\n");
    let head = "package suite\nimport (\"fmt\"; \"os\"; \"testing\")\nvar sink []byte\n\
                var _ = fmt.Println\nvar _ = os.Exit\n";
    lab.write("suite_test.go", &format!("{head}{benchmarks}"));
    let folder = lab.path("");
    let build = format!("cd '{}' && go test -c -o suite.test .", folder.display());
    if !run("sh", &["-c", &build]) {
        not_checked("Go cannot compile here");
        return None;
    }
    Some(lab)
}

#[test]
fn a_test_binary_of_go_is_driven() {
    let benchmarks = "func BenchmarkMake(b *testing.B) { for i := 0; i < b.N; i++ { sink = make([]byte, 1024) } }\n\
         func BenchmarkSub(b *testing.B) {\n\
           for _, name := range []string{\"a|b\", \"size-2\", \"it's, x\"} {\n\
             b.Run(name, func(b *testing.B) { for i := 0; i < b.N; i++ { sink = sink[:0] } })\n  }\n}\n";
    let Some(lab) = suite_of_go(benchmarks) else { return };
    let arguments = ["--runs", "3", "--time-per-run", "5ms", "./suite.test"];
    let (ended, document) = measured(&lab, &arguments);
    ended.says("BenchmarkSub/a|b").says("BenchmarkSub/it's,_x").says("1.024");
    let times = values(&document, "time_per_iteration");
    // Go shuffles the order, but does not reverse it.
    assert_eq!(times.len(), 3 * 3 * 4);
    assert!(times.iter().all(|time| time.is_number()), "{times:?}");
}

#[test]
fn benchmarks_of_go_that_fail_print_or_panic_leave_the_others_alone() {
    let benchmarks = "func work(b *testing.B) { for i := 0; i < b.N; i++ { sink = make([]byte, 64) } }\n\
         func BenchmarkFatal(b *testing.B) { b.Fatal(\"no such file\") }\n\
         func BenchmarkPrints(b *testing.B) { fmt.Println(\"hello\"); work(b) }\n\
         func BenchmarkPanics(b *testing.B) { panic(\"out of luck\") }\n\
         func BenchmarkSkips(b *testing.B) { b.Skip(\"not here\") }\n\
         func BenchmarkExits(b *testing.B) { os.Exit(0) }\n\
         func BenchmarkSub(b *testing.B) { b.Run(\"x\", work) }\n";
    let Some(lab) = suite_of_go(benchmarks) else { return };
    let ended = lab.brisk(&["bench", "--list", "./suite.test"]).succeeded();
    let listed: Vec<&str> = ended.stdout.lines().map(str::trim).collect();
    let expected = ["Fatal", "Prints", "Panics", "Exits", "Sub/x"];
    assert_eq!(listed, expected.map(|name| format!("Benchmark{name}")), "{ended}");
    let arguments = ["--order", "alone", "--runs", "3", "--time-per-run", "1ms", "./suite.test"];
    let ended = lab.brisk(&[&["bench"][..], &arguments].concat()).exited(2);
    ended.says("no such file").says("panic: out of luck");
    let document = lab.exported("1");
    let times = |name: &str| {
        let variants = list(&document, "variants");
        let variant = variants.iter().position(|one| one["name"] == name).expect("listed");
        let runs = list(&document, "runs").iter().filter(|run| run["variant"] == variant);
        runs.filter(|run| run["readings"]["time_per_iteration"].is_number()).count()
    };
    for measured in ["BenchmarkPrints", "BenchmarkSub/x"] {
        assert_eq!(times(measured), 3, "{measured}");
    }
    for failing in ["BenchmarkFatal", "BenchmarkPanics", "BenchmarkExits"] {
        assert_eq!(times(failing), 0, "{failing}");
    }
}
