//! Suites that cannot be run, and harnesses that fail.

use crate::bench::{script, suite};
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
    ended.refused("`time_per_iteration` is what a benchmark harness says");
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
    // The script writes one line after the other for namesakes that are neighbours, too.
    assert_eq!(lab.lines("calls"), ["a|b|a|"; 2]);
}

#[test]
fn a_harness_that_fails_half_way_ends_it_and_the_rounds_before_are_kept() {
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
        .failed("exited with status 4 in round 3");
    assert!(ended.stderr.contains("out of luck"), "{ended}");
    assert!(ended.stderr.contains("2 finished rounds are stored as experiment 1"), "{ended}");
    assert_eq!(lab.exported("1")["experiment"]["rounds"], 2);
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
    let arguments = ["bench", "--timeout", "300ms", "--runs", "2", "./suite"];
    lab.brisk(&arguments).failed("ran longer than its time limit");
    lab.nothing_is_left();
    script(&lab, "lister", "# brisk-bench 1\nsleep 1000\n");
    let ended = lab.brisk(&["bench", "--timeout", "300ms", "./lister"]);
    ended.refused("cannot list the benchmarks of `./lister`");
    lab.nothing_is_left();
}

#[test]
fn a_report_that_is_not_whole_ends_it() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "# libbenchmark.so\nfor word; do case $word in\n\
           *list*) echo a; exit;;\n--benchmark_out=*) out=${word#*=};; esac; done\n\
         printf '{\"benchmarks\": [{\"name\": \"a\", \"iterations\": 1, \"real_time\": 1' > \"$out\"\n",
    );
    let ended = lab.brisk(&["bench", "--runs", "2", "./suite"]);
    let ended = ended.failed("cannot understand what `a` reported in round 1");
    assert!(ended.stderr.contains("is no complete JSON"), "{ended}");
}

#[test]
fn times_that_cannot_be_are_missing_with_their_reason() {
    let lab = Lab::new();
    script(
        &lab,
        "suite",
        "echo 'brisk-bench 1'\n[ $1 = --list ] && printf 'good\\nzero\\nnan\\nsilent\\n' && exit\n\
         case $2 in good) t=1;; zero) t=0;; nan) t=NaN;; silent) exit 0;; esac\n\
         printf '%s\\t1\\t%s\\n' \"$2\" $t\n",
    );
    lab.brisk(&["bench", "--runs", "3", "./suite"])
        .succeeded()
        .says("`zero`: time per iteration missing (the harness says it took 0 s)")
        .says("`nan`: time per iteration missing (the harness says it took NaN s)")
        .says("`silent`: time per iteration missing (the harness reported nothing of it)");
    let arguments = ["bench", "--runs", "3", "--filter", "zero", "./suite"];
    lab.brisk(&arguments).failed("nothing was measured of 1 benchmark");
}
