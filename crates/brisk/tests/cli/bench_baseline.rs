//! Results saved by a harness as the baseline; and resuming an interrupted bench.
//!
//! The programs are scripts: of the line protocol, or of one that lists and reports like
//! tasty-bench.

use findings::Document;
use laboratory::assemble::old_side::{Processes, with_baseline};
use model::spec::labels::{BenchmarkLabel, SavedBaseline, SavedTime};
use model::spec::suite::Arrangement;
use model::verdict::Verdict;
use serde_json::{Value, json};

use crate::bench::script;
use crate::document::list;
use crate::exchange::document;
use crate::lab::{Lab, Running, eventually, has, not_checked, run};

/// A suite of `a`, `b` and `new`, whose rounds take 100 to 102 ms for 1000 iterations.
fn suite(lab: &Lab) {
    script(
        lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'a\\nb\\nnew\\n' && exit\nshift\n\
         for name; do\n\
           echo >> \"calls-$name\"\n\
           n=$(wc -l < \"calls-$name\")\n\
           printf '%s\\t1000\\t0.10%d\\tallocated=16000\\n' \"$name\" $((n % 3))\n\
         done\n",
    );
}

/// Measures against the file and reads the exported JSON.
fn against(lab: &Lab, baseline: &str, code: i32) -> (String, Value) {
    let arguments = ["--runs", "12", "--export-json", "bench.json", "--baseline", baseline];
    let bench = ["bench", "--order", "alone", "./suite"];
    let ended = lab.brisk(&[&bench[..], &arguments].concat()).exited(code);
    (ended.stdout, lab.json("bench.json"))
}

#[test]
fn a_saved_baseline_is_one_process_and_the_report_says_so() {
    let lab = Lab::new();
    suite(&lab);
    // 200 µs and 101.5 µs; faster, because a slowdown proves nothing on a busy machine. The
    // measurements of `b` agree to the digit.
    lab.write(
        "old.txt",
        "brisk-bench 1\na\t1000\t0.196\tallocated=8000\na\t1000\t0.204\tallocated=8000\n\
         b\t1000\t0.1015\ngone\t1\t1\n",
    );
    let (stdout, document) = against(&lab, "old.txt", 2);
    let words = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("2 benchmarks compared in time per iteration: 1 improved (`a` -49."),
        "{stdout}"
    );
    assert!(words.contains("smallest detectable change, found nine times in ten"));
    assert!(
        words.contains("old.txt has the times of a single process, from another time"),
        "{stdout}"
    );
    assert!(words.contains("not compared with the baseline: `new` (it is not in the file)"));
    assert!(words.starts_with("`./suite` adds `new` and no longer has `gone`"), "{stdout}");
    assert_eq!(document["suite"]["only_in_baseline"], json!(["gone"]));
    assert_eq!(document["suite"]["programs"][0]["name"], "old.txt");
    let benchmarks = list(&document["suite"], "benchmarks");
    let numbers = |place: usize| benchmarks[place]["variants"].clone();
    assert_eq!(
        [numbers(0), numbers(1), numbers(2)],
        [json!([3, 0]), json!([4, 1]), json!([null, 2])]
    );
    let comparisons = list(&document, "comparisons");
    assert_eq!(comparisons.len(), 2);
    let a = &comparisons[0];
    assert_eq!((&a["verdict"], &a["basis"]), (&json!("improved"), &json!("one-process")));
    // The geometric mean of 100, 101 and 102 over 200.
    let expected = (100.0_f64 * 101.0 * 102.0).cbrt() / 200.0;
    assert!((a["ratio"].as_f64().expect("a ratio") - expected).abs() < 1e-9, "{a}");
    // The measurements of `a` differ by 2 % of their mean, so its interval is wider than that of
    // `b`.
    let width = |part: &Value| {
        let of = |key: &str| part[key].as_f64().expect("a number");
        of("high") / of("low")
    };
    assert!(width(a) > width(&comparisons[1]), "{comparisons:?}");
    // The baseline's time lies among those of the processes.
    assert!(matches!(comparisons[1]["verdict"].as_str(), Some("unchanged" | "inconclusive")));
    let allocated = list(&document, "summaries")
        .iter()
        .find(|part| part["variant"] == 3 && part["metric"] == "allocated_per_iteration");
    assert_eq!(allocated.expect("it was saved")["median"], 8.0);
    // Everything is in the store: the file is no longer needed.
    std::fs::remove_file(lab.path("old.txt")).expect("ours");
    lab.brisk(&["show", "1"]).succeeded().says("1 improved").says("old.txt");
    assert_eq!(lab.exported("1")["comparisons"], document["comparisons"]);
    lab.brisk(&["export", "1", "--export-go", "go.txt"]).succeeded();
    assert!(!lab.read("go.txt").contains("executable"), "the old side has no processes");
}

#[test]
fn tasty_bench_compares_with_its_own_csv() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "# Mean (ps),2*Stdev (ps)\n\
         [ $1 = --list-tests ] && echo All.fib && exit\n\
         while [ $# -gt 0 ]; do [ $1 = --csv ] && file=$2; shift; done\n\
         echo >> calls\n\
         printf 'Name,Mean (ps),2*Stdev (ps)\\nAll.fib,%d,10\\n' $((1000 + $(wc -l < calls) % 3)) > $file\n",
    );
    lab.write("old.csv", "Name,Mean (ps),2*Stdev (ps)\nAll.fib,2000,40\n");
    let (stdout, document) = against(&lab, "old.csv", 0);
    assert!(stdout.contains("1 improved"), "{stdout}");
    let error = document["variants"][0]["labels"]["baseline_error"].as_str().expect("stated");
    // 20 of 2000: half of the figure in the file.
    assert!((error.parse::<f64>().expect("a number") - 0.01).abs() < 1e-12, "{error}");
    // A file written by brisk works as a baseline, too.
    lab.brisk(&["export", "1", "--export-tasty-bench", "new.csv"]).succeeded();
    lab.write("cut.csv", "Name,Mean (ps),2*Stdev (ps)\nAll.fib,2000\n");
    let cut = lab.brisk(&["bench", "./suite", "--baseline", "cut.csv"]);
    cut.refused("cannot understand the baseline `cut.csv`")
        .because("`cut.csv` is not complete CSV");
    let (stdout, _) = against(&lab, "new.csv", 0);
    assert!(stdout.contains("1 benchmark compared"), "{stdout}");
}

/// The files lie in folders, among others that brisk does not read.
#[test]
fn criterion_rs_compares_with_a_folder() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "# CRITERION_DEBUG\n\
         [ \"$2\" = --list ] && echo 'group/a b: benchmark' && exit\n\
         mkdir -p \"$CRITERION_HOME/group/a b/new\" && cd \"$CRITERION_HOME/group/a b/new\" || exit 1\n\
         echo '{\"full_id\": \"group/a b\"}' > benchmark.json\n\
         printf '{\"iters\": [10, 20], \"times\": [10%d, 200]}' $(($$ % 7)) > sample.json\n",
    );
    for (name, nanoseconds) in [("base", 200), ("main", 400)] {
        let folder = format!("target/criterion/group/a b/{name}");
        std::fs::create_dir_all(lab.path(&folder)).expect("ours");
        lab.write(&format!("{folder}/benchmark.json"), "{\"full_id\": \"group/a b\"}");
        let sample = format!("{{\"iters\": [10], \"times\": [{nanoseconds}]}}");
        lab.write(&format!("{folder}/sample.json"), &sample);
    }
    lab.write("target/criterion/group/a b/index.html", "<html>");
    let of = |arguments: &[&str]| {
        let all = ["bench", "./suite", "--runs", "6", "--baseline", "target/criterion"];
        let exported = ["--export-json", "bench.json"];
        lab.brisk(&[&all[..], &exported, arguments].concat()).succeeded().says("1 improved");
        let seconds = lab.json("bench.json")["variants"][1]["labels"]["benchmark"].clone();
        assert_eq!(seconds, "group/a b");
        list(&lab.json("bench.json"), "summaries").last().expect("the saved one")["median"].clone()
    };
    assert_eq!([of(&[]), of(&["--baseline-name", "main"])], [json!(2e-8), json!(4e-8)]);
}

#[test]
fn what_is_no_baseline_is_refused_before_anything_runs() {
    let lab = Lab::new();
    suite(&lab);
    lab.write("old.txt", "brisk-bench 1\nother\t1\t1\n");
    lab.write("zero.txt", "brisk-bench 1\na\t1000\t0\n");
    lab.write("empty.txt", "brisk-bench 1\n");
    lab.write("else.txt", "a\t1000\t1\n");
    lab.write("cut.txt", "brisk-bench 1\na\t1000");
    for (file, error) in [
        ("old.txt", "the baseline `old.txt` and `./suite` have no benchmark in common"),
        ("zero.txt", "the baseline `zero.txt` has no time: of `a`, the harness says it took 0 s"),
        ("empty.txt", "cannot understand the baseline `empty.txt`"),
        ("else.txt", "cannot understand the baseline `else.txt`"),
        ("cut.txt", "cannot understand the baseline `cut.txt`"),
        (".", "cannot understand the baseline `.`"),
        ("nowhere.txt", "cannot read the baseline `nowhere.txt`"),
    ] {
        lab.brisk(&["bench", "./suite", "--baseline", file]).refused(error);
    }
    let two = ["bench", "./suite", "./suite", "--baseline", "old.txt"];
    lab.brisk(&two).refused("there are two programs").hinting("--baseline");
    lab.brisk(&["bench", "./suite", "--baseline-name", "main"]).exited(2);
    assert!(!lab.exists("calls-a"), "nothing ran");
}

/// A document of one benchmark: 50 µs when it was saved, now these times, in processes that waited
/// for a processor for this share of their time.
fn judged(times: &[f64], wait_share: f64) -> Document {
    let part = json!({
        "order": "alone", "programs": [{"name": "./suite", "harness": "lines"}],
        "benchmarks": [{"name": "a", "variants": [0]}],
    });
    let mut document = document(&["a"], &part, &[]);
    let time = SavedTime { seconds: 0.000_05, error: None, allocated: None };
    let (file, gone) = ("old.txt".to_owned(), Vec::new());
    let baseline = Some(SavedBaseline { file, time: Ok(time), gone });
    let benchmark = BenchmarkLabel::new("a", "lines", Arrangement::Alone);
    document.variants[0].labels.benchmark = Some(BenchmarkLabel { baseline, ..benchmark });
    let processes = Processes {
        times: times.to_vec(),
        waited_seconds: wait_share * 10.0,
        passed_seconds: 10.0,
    };
    with_baseline(document, &[processes])
}

/// Waiting only ever slows a program down, and the saved process may or may not have waited.
#[test]
fn who_had_to_wait_for_a_processor_is_not_told_to_be_slower() {
    let slower = [1.0e-4, 1.01e-4, 1.02e-4, 1.0e-4, 1.01e-4];
    let faster = slower.map(|seconds| seconds / 10.0);
    for (times, wait_share, expected) in [
        (slower, 0.0, Verdict::Regressed),
        (slower, 0.5, Verdict::Inconclusive),
        (faster, 0.0, Verdict::Improved),
        (faster, 0.5, Verdict::Improved),
    ] {
        let document = judged(&times, wait_share);
        assert_eq!(document.comparisons[0].verdict, expected, "{times:?} {wait_share}");
        assert_eq!(document.answers[0].verdict, expected);
        let note =
            report::notes::words(&document.notes[0], &|variant| findings::letter(variant).into())
                .text();
        assert_eq!(note.contains("being slower proves nothing"), wait_share > 0.0, "{note}");
    }
}

/// One process has no spread, so there is no verdict, but a reason.
#[test]
fn a_single_round_is_compared_with_nothing() {
    let lab = Lab::new();
    suite(&lab);
    lab.write("old.txt", "brisk-bench 1\na\t1000\t0.05\n");
    let arguments = ["bench", "./suite", "--filter", "a", "--runs", "1", "--baseline", "old.txt"];
    let ended = lab.brisk(&arguments).succeeded();
    ended.says("an interval needs at least 2 processes, and there are 1");
}

#[test]
fn a_baseline_of_another_machine_is_refused_before_anything_runs() {
    let lab = Lab::new();
    let result = "BenchmarkA \t 100\t 1000 ns/op\t 0 B/op\t 0 allocs/op";
    script(&lab, "suite", &format!("echo x >> calls\necho '{result}'\necho PASS\n"));
    let against = |before: &str| {
        lab.write("old.txt", &format!("{before}{result}\n{result}\n"));
        let bench = ["bench", "--harness", "go", "./suite", "--runs", "3"];
        lab.brisk(&[&bench[..], &["--baseline", "old.txt"]].concat())
    };
    against("pkg: suite\n").judged().says("1 benchmark compared");
    for (facts, cause) in [
        ("goos: plan9\ngoarch: amd64\n", "its operating system is `plan9`, and here it is `"),
        ("goarch: wasm\n", "its architecture is `wasm`, and here it is `"),
        ("cpu: Example 9000 @ 1.00GHz\n", "its processor is `Example 9000 @ 1.00GHz`"),
    ] {
        let calls = lab.lines("calls").len();
        let ended = against(facts).refused("cannot compare with the baseline `old.txt`");
        ended.because("it was written on another machine: ").because(cause).hinting("OLD NEW");
        // Only the list was requested.
        assert_eq!(lab.lines("calls").len(), calls + 1);
    }
}

/// A real harness, if there is a Go compiler.
#[test]
fn go_compares_with_what_it_printed() {
    if !has("go") {
        return not_checked("no Go compiler");
    }
    let lab = Lab::new().with("GOFLAGS", "-mod=mod").with("GOTOOLCHAIN", "local");
    lab.write("go.mod", "module suite\n\ngo 1.20\n");
    lab.write(
        "suite_test.go",
        "package suite\nimport \"testing\"\nvar sink []byte\n\
         func BenchmarkSub(b *testing.B) {\n\
           b.Run(\"size-2\", func(b *testing.B) { for i := 0; i < b.N; i++ { sink = make([]byte, 9) } })\n}\n",
    );
    let folder = lab.path("");
    let build = format!(
        "cd '{}' && go test -c -o suite . && ./suite -test.run='^$' -test.bench=. -test.cpu=2 \
         -test.benchtime=1000x -test.count=3 > old.txt",
        folder.display()
    );
    if !run("sh", &["-c", &build]) {
        return not_checked("Go cannot compile here");
    }
    let arguments = ["--runs", "3", "--time-per-run", "1ms", "--export-json", "bench.json"];
    let ended =
        lab.brisk(&[&["bench", "./suite", "--baseline", "old.txt"][..], &arguments].concat());
    ended.judged().says("1 benchmark compared");
    let labels = &lab.json("bench.json")["variants"][0]["labels"];
    assert!(labels["baseline_error"].is_string(), "three measurements differ: {labels}");
}

/// The loop of a suite that hangs after `enough` calls of `a`.
const WAITING: &str = "touch calls-a\nfor name; do\n\
                       [ $(wc -l < calls-a) -lt $(cat enough) ] || sleep 1000\n";

/// Starts such a suite, and waits for `calls` more calls of `a`.
fn started(lab: &Lab, arguments: &[&str], calls: usize) -> Running {
    let enough = lab.lines("calls-a").len() + calls;
    lab.write("enough", &enough.to_string());
    let running = lab.start(arguments);
    eventually("measuring", || lab.lines("calls-a").len() == enough);
    running
}

#[test]
fn a_bench_that_was_interrupted_goes_on_where_it_was() {
    let lab = Lab::new();
    suite(&lab);
    let slow = lab.read("suite").replace("for name; do", WAITING);
    lab.write("suite", &slow);
    let arguments =
        ["bench", "./suite", "--order", "alone", "--runs", "20", "--export-json", "bench.json"];
    for signal in ["INT", "KILL"] {
        let running = started(&lab, &arguments, 3);
        running.signal(signal);
        let ended = running.wait();
        match signal {
            "KILL" => assert_eq!(ended.code, None),
            _ => drop(
                ended
                    .failed("interrupted after ")
                    .hinting("run the same command again to continue"),
            ),
        }
        lab.nothing_is_left();
    }
    lab.write("enough", "1000");
    lab.brisk(&arguments).succeeded();
    let document = lab.json("bench.json");
    assert_eq!(document["experiment"]["id"], 1, "all three were one experiment");
    let kept = list(&document["suite"], "measurements").len();
    // Each of the two interruptions may have cut off a round, which is kept but not continued;
    // after the second interruption, the first round counts.
    assert!((19 * 3..=21 * 3 + 1).contains(&kept), "{kept}");
    assert!(lab.lines("calls-a").len() <= 22, "{}", lab.lines("calls-a").len());
    // Once it is complete, the same command measures afresh.
    lab.brisk(&arguments).succeeded();
    assert_eq!(lab.json("bench.json")["experiment"]["id"], 2);
}

/// Rounds of two programs are not merged just because they share a name, or the shell that runs them.
#[test]
fn a_program_that_was_built_anew_begins_anew() {
    let lab = Lab::new();
    suite(&lab);
    let slow = lab.read("suite").replace("for name; do", WAITING);
    let asked = ["--order", "alone", "--runs", "9", "--export-json", "bench.json"];
    let by_shell = ["--harness", "lines", "--", "sh", "./suite"];
    for (first, program) in [(1, &["./suite"][..]), (4, &by_shell)] {
        let arguments = [&["bench"][..], &asked, program].concat();
        for change in ["", "# built anew\n"] {
            lab.write("suite", &format!("{slow}{change}"));
            let running = started(&lab, &arguments, 2);
            running.signal("INT");
            running.wait().failed("interrupted after ");
        }
        lab.write("enough", "1000");
        lab.brisk(&arguments).succeeded();
        assert_eq!(lab.json("bench.json")["experiment"]["id"], first + 1, "{program:?}");
        let again = [&["bench", "--remeasure"][..], &arguments[1..]].concat();
        lab.brisk(&again).succeeded();
        assert_eq!(lab.json("bench.json")["experiment"]["id"], first + 2, "{program:?}");
    }
}
