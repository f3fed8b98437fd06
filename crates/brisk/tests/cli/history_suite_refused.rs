//! Errors of a suite's history, and the suites that it cannot use.

use crate::history_suite::{commits, suite};
use crate::lab::{Ended, Lab};
use crate::repository::Repository;

fn history(repository: &Repository<'_>, options: &[&str]) -> Ended {
    repository.start_with(options).wait()
}

#[test]
fn options_that_fit_no_suite_are_refused_before_anything_runs() {
    let lab = Lab::new();
    let repository = commits(&lab, &[suite("0", &[("a", 100)], ""), suite("1", &[("a", 100)], "")]);
    let auto = &["--harness", "auto"];
    for (arguments, error) in [
        (&["--filter", "a"][..], "`--filter` applies to the benchmarks inside a program"),
        (&["--order", "alone"], "`--order` applies to the benchmarks inside a program"),
        (&["--harness", "auto", "--exact"], "`--exact` without `--filter`"),
        (&["--harness", "auto", "--time-per-run", "0"], "bad `--time-per-run`"),
        (&["--harness", "auto", "--timeout", "soon"], "bad `--timeout`"),
        (&["--harness", "auto", "--prepare", "true"], "`--prepare` applies to commands"),
        (&["--harness", "auto", "--ignore-failure"], "`--ignore-failure` applies to commands"),
        (&["--harness", "auto", "--metrics", "allocated"], "`brisk history` does not read"),
        (
            &["--harness", "auto", "--order", "together", "--metrics", "peak_rss"],
            "many benchmarks share one",
        ),
        (&["--harness", "auto", "--export-go", "x"], "cannot write `x`"),
        (
            &["--harness", "auto", "--", "{artifact} | cat"],
            "`{artifact} | cat` needs a shell for `|`",
        ),
    ] {
        history(&repository, arguments).refused(error);
    }
    history(&repository, &["--harness", "gauge"]).exited(2);
    assert_eq!(repository.builds(), 0);
    let nothing = history(&repository, &[&auto[..], &["--filter", "z"]].concat());
    nothing.refused("no commit of the range has a benchmark with `z`").hinting("`a`");
    assert!(lab.lines("calls").is_empty());
}

#[test]
fn programs_that_are_no_suites_are_told_with_their_reason() {
    let lab = Lab::new();
    let program = |number: u32| format!("#!/bin/sh\n# {number}\necho ran >> calls\n");
    let repository = commits(&lab, &[program(0), program(1)]);
    let ended = history(&repository, &["--harness", "auto"]);
    let ended = ended.refused("no commit of the range says which benchmarks it has");
    ended.because("`prog` has no benchmark harness that is known").hinting("`--harness`");
    assert!(lab.lines("calls").is_empty(), "none was started");
    let empty = |number: u32| format!("#!/bin/sh\n# {number}\necho 'brisk-bench 1'\n");
    let lab = Lab::new();
    let repository = commits(&lab, &[empty(0), empty(1)]);
    history(&repository, &["--harness", "auto"]).refused("no commit of the range has a benchmark");
}

#[test]
fn a_suite_that_always_fails_is_told_and_ends_in_trouble() {
    let lab = Lab::new();
    let failing = |number: &str| suite(number, &[("a", 100), ("b", 100)], "echo sorry >&2; exit 7");
    let repository = commits(&lab, &[failing("0"), failing("1")]);
    let ended = history(&repository, &["--harness", "auto", "--runs", "9"]);
    let ended = ended.failed("nothing was measured of 2 benchmarks");
    ended.says("cannot measure `a`, `b`: its process exited with status 7 in round 3: sorry");
}

#[test]
fn a_benchmark_that_never_ends_is_ended_and_a_lister_as_well() {
    let lab = Lab::new();
    let endless = "[ $name = endless ] && sleep 1000";
    let benchmarks = [("quick", 100), ("endless", 100)];
    let lister = "#!/bin/sh\n# brisk-bench 1\nsleep 1000\n".to_owned();
    let suites = [suite("0", &benchmarks, ""), suite("1", &benchmarks, endless), lister];
    let repository = commits(&lab, &suites);
    let ended = history(&repository, &["--harness", "auto", "--runs", "2", "--timeout", "1s"]);
    let ended = ended
        .exited(2)
        .says("cannot measure `endless`: its process ran longer than its time limit");
    ended.says("cannot measure any benchmark: cannot list the benchmarks of `prog`");
    lab.nothing_is_left();
}

#[test]
fn benchmarks_of_one_name_are_left_out_alone_and_numbered_together() {
    let lab = Lab::new();
    let twice = |number: &str| suite(number, &[("a", 100), ("b", 100), ("a", 100)], "");
    let repository = commits(&lab, &[twice("0"), twice("1")]);
    let ended = history(&repository, &["--harness", "auto", "--runs", "2"]);
    let ended = ended.failed("could not be measured: `a`");
    ended.says("cannot measure `a`: 2 benchmarks have this name").says("b");
    assert!(lab.lines("calls").iter().all(|name| name == "b"));
    let only = ["--harness", "auto", "--filter", "a", "--exact"];
    let ended = history(&repository, &only).refused("no benchmark of the range can be measured");
    ended.because("2 benchmarks have this name").hinting("--order together");
    let together = ["--harness", "auto", "--runs", "2", "--order", "together"];
    history(&repository, &together).judged().says("a (2)").says("3 benchmarks");
}

#[test]
fn names_may_have_quotes_commas_and_letters_of_any_script() {
    let lab = Lab::new();
    let name = "größe/7, \"x\"; y|z";
    let suite = |number: u32| {
        format!(
            "#!/bin/sh\n# {number}\necho 'brisk-bench 1'\n[ \"$1\" = --list ] && \
             printf '%s\\n' '{name}' && exit\nshift\nprintf '%s\\t1000\\t0.%s\\n' \"$1\" $(($$ % 90 + 10))\n"
        )
    };
    let repository = commits(&lab, &[suite(0), suite(1)]);
    let exported =
        ["--export-json", "h.json", "--export-csv", "h.csv", "--export-markdown", "h.md"];
    let ended =
        history(&repository, &[&["--harness", "auto", "--runs", "2"][..], &exported].concat());
    ended.judged().says(name);
    assert_eq!(lab.json("h.json")["histories"][0]["benchmark"], name);
    assert!(lab.read("h.csv").contains(";\"größe/7, \"\"x\"\"; y|z\";"), "{}", lab.read("h.csv"));
}
