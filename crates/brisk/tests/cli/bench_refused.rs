//! Suites that cannot run, and harnesses that fail.

use serde_json::{Value, json};

use crate::bench::{script, suite};
use crate::document::list;
use crate::lab::Lab;

#[test]
fn a_program_without_a_harness_is_not_even_started() {
    let lab = Lab::new();
    script(&lab, "program", "touch was-run\n");
    let ended = lab.brisk(&["bench", "./program"]);
    let ended = ended.refused("`./program` has no benchmark harness that is known");
    assert!(ended.stderr.contains("google-benchmark") && ended.stderr.contains("--harness"));
    assert!(!lab.exists("was-run"));
    lab.brisk(&["bench", "./nobody"]).refused("cannot start `./nobody`");
    let alone = || lab.brisk(&["bench"]).refused("no program with benchmarks is named");
    alone().hinting("`brisk bench ./benchmarks`");
    lab.write("go.mod", "module x\n");
    alone().hinting("`go test -c");
    lab.brisk(&["bench", "--harness", "gauge", "./program"]).exited(2);
    script(&lab, "both", "# brisk-bench 1, libbenchmark.so\n");
    lab.brisk(&["bench", "./both"]).refused("Google Benchmark or the line protocol");
    assert!(!lab.store().exists(), "nothing was measured");
}

#[test]
fn a_harness_that_is_named_has_to_speak_as_it_does() {
    let lab = Lab::new();
    script(&lab, "program", "echo hello\n");
    let ended = lab.brisk(&["bench", "--harness", "lines", "./program"]);
    ended.refused("cannot understand which benchmarks `./program` lists");
    script(&lab, "failing", "echo 'brisk-bench 1'; echo no such option >&2; exit 3\n");
    let ended = lab.brisk(&["bench", "./failing"]).refused("asked for its benchmarks, exited with");
    assert!(ended.stderr.contains("no such option"), "{ended}");
    script(&lab, "empty", "echo 'brisk-bench 1'\n");
    lab.brisk(&["bench", "./empty"]).refused("`./empty` has no benchmarks");
}

#[test]
fn a_list_without_an_end_is_refused() {
    let lab = Lab::new();
    script(&lab, "endless", "# brisk-bench 1\nexec yes benchmark\n");
    let ended = lab.brisk(&["bench", "./endless"]);
    ended.refused("cannot list the benchmarks of `./endless`").because("printed more than 16 MiB");
    lab.nothing_is_left();
}

#[test]
fn options_that_fit_no_suite_are_refused_before_anything_runs() {
    let lab = Lab::new();
    suite(&lab, "suite", &["a", "b"], 100);
    suite(&lab, "other", &["c"], 100);
    for (arguments, error) in [
        (&["--filter", "z"][..], "`./suite` has no benchmark with `z`"),
        (&["--time-per-run", "0"], "bad `--time-per-run`"),
        (&["--timeout", "soon"], "bad `--timeout`"),
        (&["--env", "=x"], "`=x` is not an assignment"),
        (&["--cwd", "nowhere"], "`nowhere` is not a folder"),
        (&["--metrics", "nonsense"], "unknown metric `nonsense`"),
        (&["--metrics", "allocated"], "`brisk bench` does not read `allocated`"),
        (&["--metrics", "peak_rss", "--order", "together"], "many benchmarks share one"),
        (&["--margin", "0"], "`0` is not a margin"),
        (&["--export-json", "no/such/folder/x.json"], "cannot write"),
        (&["./other"], "`./suite` and `./other` have no benchmark in common"),
    ] {
        lab.brisk(&[&["bench", "./suite"], arguments].concat()).refused(error);
    }
    assert!(lab.lines("calls").is_empty());
    let ended = lab.brisk(&["compare", "--metrics", "time_per_iteration", "true"]);
    ended.refused("`time_per_iteration` is read from a benchmark harness");
}

#[test]
fn benchmarks_of_one_name_cannot_run_alone_and_are_numbered_together() {
    let lab = Lab::new();
    suite(&lab, "suite", &["a", "b", "a"], 100);
    let ended = lab.brisk(&["bench", "./suite"]);
    let ended = ended.refused("`./suite` has 2 benchmarks called `a`");
    assert!(ended.stderr.contains("--order together"), "{ended}");
    let arguments = ["bench", "--order", "together", "--runs", "2", "./suite"];
    lab.brisk(&arguments).succeeded().says("a (2)");
    // The script writes one line after the other, even for adjacent namesakes.
    assert_eq!(lab.lines("calls"), ["a|b|a|"; 2]);
}

#[test]
fn a_harness_that_fails_again_and_again_is_left_out_and_the_rounds_before_count() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'a\\nb\\n' && exit\n\
         echo run >> calls\nprintf '%s\\t1\\t1\\n' \"$2\"\n\
         if [ $(wc -l < calls) -ge 6 ]; then echo out of luck >&2; exit 4; fi\n",
    );
    let ended = lab
        .brisk(&["bench", "--order", "alone", "--runs", "20", "./suite"])
        .failed("could not be measured: `a`, `b`");
    assert!(ended.stderr.contains("stored as experiment 1"), "{ended}");
    let ended = ended.says("missing in 3 runs (its process exited with status 4: out of luck)");
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    assert_eq!(words.join(" ").matches("; left out after").count(), 4, "{ended}");
    // Five processes measured something; then each benchmark failed three times.
    assert_eq!(lab.lines("calls").len(), 5 + 6);
    let document = lab.exported("1");
    let of = |variant: u64| {
        let all = list(&document, "summaries").iter();
        let time = |part: &&Value| part["metric"] == "time_per_iteration";
        all.filter(time).find(|part| part["variant"] == variant).map(|part| part["n"].clone())
    };
    let measured = [of(0), of(1)].map(|n| n.expect("measured").as_u64().expect("a number"));
    assert_eq!(measured.iter().sum::<u64>(), 5);
    assert_eq!(list(&document["suite"], "given_up").len(), 2);
    lab.brisk(&["show", "1"]).says("left out after");
}

#[test]
fn a_process_that_fails_now_and_then_costs_its_reading_and_no_more() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'a\\nb\\n' && exit\n\
         [ $2 = a ] && echo run >> calls\n\
         case $2-$(wc -l < calls) in a-2|a-3|a-5) echo not enough elements >&2; kill -ABRT $$;; esac\n\
         printf '%s\\t1\\t1\\n' \"$2\"\n",
    );
    let arguments = ["bench", "--order", "alone", "--runs", "8", "--export-json", "b.json"];
    let ended = lab.brisk(&[&arguments[..], &["./suite"]].concat()).succeeded();
    ended.says(
        "`a`: time per iteration missing in 3 runs (its process was ended by signal 6 (SIGABRT): \
         not enough elements)",
    );
    let document = lab.json("b.json");
    assert_eq!(document["suite"]["given_up"], Value::Null);
    let values = |variant: u64| {
        let of = list(&document, "runs").iter().filter(|run| run["variant"] == variant);
        let times = of.map(|run| run["readings"]["time_per_iteration"].is_number());
        times.collect::<Vec<bool>>()
    };
    assert_eq!(values(0), [true, false, false, true, false, true, true, true]);
    assert_eq!(values(1), [true; 8]);
    // The resources of a failed process are not a reading either.
    let runs = list(&document, "runs").iter();
    let failed = |run: &&Value| run["readings"]["time_per_iteration"]["missing"].is_string();
    assert!(runs.filter(failed).all(|run| run["readings"]["wall_time"].is_null()));
}

#[test]
fn what_was_measured_before_a_process_failed_counts() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'a\\nb\\nc\\n' && exit\nshift\n\
         for name; do [ $name = b ] && printf 'b\\t1' && echo no memory >&2 && exit 9\n\
         printf '%s\\t1\\t1\\n' $name; done\n",
    );
    let arguments = ["bench", "--order", "together", "--runs", "5", "--export-json", "b.json"];
    let ended = lab.brisk(&[&arguments[..], &["./suite"]].concat());
    let ended = ended.failed("could not be measured: `b`, `c`");
    ended.says(
        "cannot measure `b`, `c`: its process exited with status 9: no memory; left out after 3",
    );
    let document = lab.json("b.json");
    let n = |variant: u64| {
        let all = list(&document, "summaries").iter();
        let of = |part: &&Value| part["variant"] == variant;
        all.filter(of).find(|part| part["metric"] == "time_per_iteration").map(|part| &part["n"])
    };
    assert_eq!((n(0), n(1), n(2)), (Some(&json!(5)), None, None));
}

#[test]
fn a_suite_that_fails_in_company_is_judged_alone() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'a\\nb\\n' && exit\nshift\n\
         [ $# -gt 1 ] && echo whole >> calls && echo crowded >&2 && exit 5\n\
         printf '%s\\t1\\t1\\n' $1\n",
    );
    let ended = lab.brisk(&["bench", "--runs", "6", "./suite"]).succeeded();
    ended.says(
        "run together, 2 benchmarks have no time in up to 3 runs (its process exited with status 5: \
         crowded)",
    );
    assert_eq!(lab.lines("calls").len(), 9, "three times in each of three orders");
}

#[test]
fn a_benchmark_that_never_ends_is_ended() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'quick\\nendless\\n' && exit\n\
         [ $2 = endless ] && sleep 1000\nprintf '%s\\t1\\t1\\n' \"$2\"\n",
    );
    let arguments = ["bench", "--timeout", "1s", "--order", "alone", "--runs", "2", "./suite"];
    let ended = lab.brisk(&arguments).failed("could not be measured: `endless`");
    ended.says("its process ran longer than its time limit").says("left out after 1 round");
    lab.nothing_is_left();
    script(&lab, "lister", "# brisk-bench 1\nsleep 1000\n");
    let ended = lab.brisk(&["bench", "--timeout", "300ms", "./lister"]);
    ended.refused("cannot list the benchmarks of `./lister`");
    lab.nothing_is_left();
}

#[test]
fn a_report_that_is_not_whole_is_no_reading() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "# libbenchmark.so\nfor word; do case $word in\n\
           *list*) echo a; exit;;\n--benchmark_out=*) out=${word#*=};; esac; done\n\
         printf '{\"benchmarks\": [{\"name\": \"a\", \"iterations\": 1, \"real_time\": 1' > \"$out\"\n",
    );
    let ended = lab.brisk(&["bench", "--runs", "2", "./suite"]);
    let ended = ended.failed("nothing was measured of 1 benchmark");
    ended.says(
        "cannot measure `a`: its report cannot be read: `benchmarks.json` is not complete JSON",
    );
    lab.brisk(&["bench", "--runs", "4", "./suite"]).failed("nothing was measured");
}

#[test]
fn a_harness_with_other_columns_is_told_by_what_it_lacks() {
    let lab = Lab::new();
    let suite = |columns: &str, row: &str| {
        format!(
            "# Mean (ps),2*Stdev (ps)\nwhile [ $# -gt 0 ]; do case $1 in\n\
             --list-tests) echo All.a; exit;; --csv) out=$2;; esac; shift; done\n\
             printf '{columns}\\n{row}\\n' > \"$out\"\n"
        )
    };
    script(&lab, "suite", &suite("Name,Time", "All.a,3"));
    lab.brisk(&["bench", "--runs", "2", "./suite"])
        .failed("nothing was measured of 1 benchmark")
        .says("its report cannot be read: there is no column `Mean (ps)` in `benchmarks.csv`");
    script(&lab, "suite", &suite("New,2*Stdev (ps),Mean (ps),Name", "x,5,2000000,All.a"));
    lab.brisk(&["bench", "--runs", "2", "./suite"]).succeeded().says("2.000").says("All.a");
}

#[test]
fn times_that_cannot_be_are_missing_with_their_reason() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'good\\nzero\\nless\\nnan\\nsilent\\n' && exit\n\
         case $2 in good) t=1;; zero) t=0;; less) t=-2;; nan) t=NaN;; silent) exit 0;; esac\n\
         printf '%s\\t1\\t%s\\n' \"$2\" $t\n",
    );
    lab.brisk(&["bench", "--runs", "3", "./suite"])
        .failed("could not be measured: `zero`, `less`, `nan`, `silent`")
        .says("cannot measure `zero`: the harness says it took 0 s")
        .says("cannot measure `less`: the harness says it took -2 s")
        .says("cannot measure `nan`: the harness says it took NaN s")
        .says("cannot measure `silent`: the harness reported nothing about it");
    let arguments = ["bench", "--runs", "3", "--filter", "zero", "./suite"];
    lab.brisk(&arguments).failed("nothing was measured of 1 benchmark");
}
