//! `--equal-work`: a check that commands declared equal did the same work.

use serde_json::Value;

use crate::document::list;
use crate::lab::{Ended, Lab};

fn check(lab: &Lab, arguments: &[&str]) -> Ended {
    let _ = std::fs::remove_file(lab.path("o.json"));
    let options = ["compare", "--equal-work", "-r", "3", "--export-json", "o.json"];
    lab.brisk(&[&options[..], arguments].concat())
}

/// Compares commands that differ: the report is complete, and the exit status reports trouble.
#[track_caller]
fn unequal(lab: &Lab, arguments: &[&str], warning: &str) -> Value {
    check(lab, arguments)
        .failed("the commands do not do the same work: ")
        .hinting("--equal-work")
        .says("wall time")
        .says("warning: ")
        .says(warning);
    lab.json("o.json")["equal_work"].clone()
}

/// Compares commands without a known difference.
#[track_caller]
fn not_unequal(lab: &Lab, arguments: &[&str], note: &str) -> Value {
    let ended = check(lab, arguments).judged().says("note: ").says(note);
    assert!(!ended.stdout.contains("warning:"), "{ended}");
    lab.json("o.json")["equal_work"].clone()
}

#[test]
fn commands_that_print_the_same_are_said_to() {
    let lab = Lab::new();
    let found =
        not_unequal(&lab, &["seq 1 3", "printf '1\\n2\\n3\\n'"], "every command prints the same");
    // The output of sha256sum for these six bytes.
    let known = "14c5e74c4b96ccef41cd94db73a9ec3348038ac094feca4fd897cecffa07cdae";
    for output in list(&found, "outputs") {
        assert_eq!((&output["bytes"], &output["exit_status"]), (&6.into(), &0.into()));
        assert_eq!(output["sha256"], known);
        assert_eq!(output["repeatable"], Value::Null, "nobody had to know");
    }
    assert_eq!(list(&found, "differences").len(), 0);
}

#[test]
fn commands_that_print_something_else_are_trouble_after_the_report() {
    let lab = Lab::new();
    let words = "(B) does not print what `seq 1 3` (A) prints: 7 bytes and 6 bytes, which differ \
                 first at byte 4, in line 2; check";
    let found = unequal(&lab, &["seq 1 3", "printf '1\\n22\\n3\\n'"], "(B) does not print");
    let difference = &list(&found, "differences")[0];
    assert_eq!(difference["first"], serde_json::json!({ "byte": 4, "line": 2 }));
    for output in list(&found, "outputs") {
        assert_eq!(output["repeatable"], true);
    }
    lab.brisk(&["show", "1"]).succeeded().says(words);
    let markdown = ["export", "1", "--export-markdown", "o.md"];
    lab.brisk(&markdown).succeeded();
    assert!(lab.read("o.md").contains("(B) does not print what `seq 1 3` (A) prints"));
}

#[test]
fn each_candidate_is_compared_with_its_own_baseline() {
    let lab = Lab::new();
    let arguments = ["-L", "n", "1,2", "echo {n}", "printf '{n}\\n'"];
    not_unequal(&lab, &arguments, "every command prints the same");
    let arguments = ["-L", "n", "1,2", "echo {n}", "echo 1"];
    let ended = check(&lab, &arguments).failed("(D) against ");
    assert!(!ended.stdout.contains("(B) does not print"), "{ended}");
}

#[test]
fn an_output_that_changes_from_run_to_run_is_no_evidence() {
    let lab = Lab::new();
    let other = "sh -c 'echo x >> log; wc -l < log'";
    let found = not_unequal(&lab, &["echo 1", other], "(B) does not print the same twice");
    assert_eq!(list(&found, "outputs")[1]["repeatable"], false);
    assert_eq!(list(&found, "outputs")[0]["repeatable"], true);
}

#[test]
fn output_that_goes_to_a_file_is_read_from_it() {
    let lab = Lab::new();
    let files = ["--output", "one", "--output", "two"];
    not_unequal(
        &lab,
        &[&files[..], &["seq 1 3", "seq 1 3"]].concat(),
        "every command prints the same",
    );
    unequal(
        &lab,
        &[&files[..], &["seq 1 3", "seq 1 4"]].concat(),
        "`seq 1 4` (B) does not print what `seq 1 3` (A)",
    );
    assert_eq!((lab.lines("one").len(), lab.lines("two").len()), (3, 4));
    // Both write to the same file, which is read after each of them.
    unequal(
        &lab,
        &["--output", "both", "seq 1 3", "seq 1 4"],
        "`seq 1 4` (B) does not print what `seq 1 3` (A)",
    );
    let device = not_unequal(
        &lab,
        &["--output", "/dev/null", "--output", "one", "seq 1 3", "seq 1 4"],
        "(A) prints was not read, so it could not be compared: the output is not a",
    );
    assert_eq!(list(&device, "outputs")[0]["bytes"], Value::Null);
    assert_eq!(list(&device, "outputs")[1]["bytes"], 8);
}

#[test]
fn output_that_is_shown_cannot_be_read_and_that_is_said() {
    let lab = Lab::new();
    for shown in [&["--show-output"][..], &["--output", "inherit"]] {
        let ended = check(&lab, &[shown, &["echo 1", "echo 2"]].concat());
        assert!(matches!(ended.code, Some(0 | 1)), "{ended}");
        ended.says("(A) prints was not read").says("it goes where brisk's own output goes");
        let found = lab.json("o.json")["equal_work"].clone();
        assert!(list(&found, "outputs")[0]["missing"].is_string(), "{found}");
    }
}

#[test]
fn another_exit_status_is_a_difference() {
    let lab = Lab::new();
    let arguments = ["-i", "sh -c 'echo 1; exit 3'", "sh -c 'echo 1; exit 4'"];
    let found = unequal(&lab, &arguments, "(B) exited with status 4, and ");
    assert_eq!(list(&found, "differences")[0]["prints_differ"], false);
    assert_eq!(list(&found, "outputs")[1]["exit_status"], 4);
}

#[test]
fn a_difference_far_behind_is_found_without_keeping_it_all() {
    let lab = Lab::new();
    let zeros = "head -c 9000000 /dev/zero";
    let other = "sh -c 'head -c 8999999 /dev/zero; echo'";
    let found = unequal(&lab, &[zeros, other], "(A) prints: 9000000 bytes and");
    assert_eq!(list(&found, "differences")[0]["first"], Value::Null);
    lab.brisk(&["show", "1"]).succeeded().says("which differ beyond the first 65536 bytes");
}

#[test]
fn commands_that_print_nothing_prove_nothing() {
    let lab = Lab::new();
    not_unequal(&lab, &["true", "sleep 0.01"], "no command prints anything");
}

/// Both print the right answer, but one of them kept nothing.
#[test]
fn one_that_needed_a_fraction_of_the_memory_is_a_suspicion_and_no_trouble() {
    let lab = Lab::new();
    let holds = "head -c 200000000 /dev/zero | tail -c 200000000 > /dev/null; echo 42";
    let ended = check(&lab, &[holds, "echo 42"]).judged();
    let ended = ended.says("warning: ").says("it may not have done the work; check");
    assert!(ended.stdout.contains("note: every command prints the same"), "{ended}");
    let found = lab.json("o.json")["equal_work"].clone();
    let suspicion = &list(&found, "suspicions")[0];
    assert_eq!((&suspicion["metric"], &suspicion["variant"]), (&"peak_rss".into(), &1.into()));
}

#[test]
fn a_command_against_itself_is_under_no_suspicion() {
    let lab = Lab::new();
    lab.write("input", "b\na\n");
    for command in [
        "true",
        "sleep 0.01",
        "seq 1 100000",
        "sh -c 'echo out; echo err >&2'",
        "sort input",
        "cat /proc/version",
        "head -c 20000000 /dev/zero | tail -c 20000000",
    ] {
        let ended = check(&lab, &["--input", "input", command, command]).judged();
        assert!(!ended.stdout.contains("warning:"), "{ended}");
    }
}

#[test]
fn each_is_run_once_more_between_its_hooks_and_twice_where_it_differs() {
    let lab = Lab::new();
    let hooks = ["-p", "echo p >> log", "-C", "echo c >> log"];
    let run = "sh -c 'echo run >> log; echo 1'";
    check(&lab, &[&hooks[..], &[run, run]].concat()).judged();
    let log = lab.lines("log");
    assert_eq!(log.len(), 3 * 2 * (3 + 1));
    assert!(log.chunks(3).all(|run| run == ["p", "run", "c"]), "{log:?}");
    // These runs are not part of the measurements.
    assert_eq!(list(&lab.json("o.json"), "runs").len(), 6);

    let other = "sh -c 'echo run >> log; echo 2'";
    check(&lab, &[run, other]).failed("do not do the same work");
    assert_eq!(lab.lines("log").len(), log.len() + 2 * (3 + 2));
}

#[test]
fn a_command_that_fails_when_its_output_is_read_is_told() {
    let lab = Lab::new();
    // Its fourth run, the first after the rounds.
    let script = "echo x >> log; [ $(wc -l < log) -lt 7 ]";
    lab.brisk(&["compare", "--equal-work", "-r", "3", script, script])
        .refused("exited with status 1 in a run of `--equal-work`")
        .hinting("the 3 finished rounds are stored as experiment 1");
    let late = "echo x >> late; [ $(wc -l < late) -lt 7 ] || sleep 1000";
    lab.brisk(&["compare", "--equal-work", "-r", "3", "--timeout", "5s", late, late])
        .refused("ran longer than its time limit in a run of `--equal-work`");
    lab.nothing_is_left();
}

#[test]
fn ctrl_c_ends_a_run_whose_output_is_read() {
    let lab = Lab::new();
    let late = "echo x >> log; [ $(wc -l < log) -lt 7 ] || sleep 1000";
    let running = lab.start(&["compare", "--equal-work", "-r", "3", late, late]);
    crate::lab::eventually("its output is read", || lab.lines("log").len() == 7);
    running.signal("INT");
    running.wait().failed("interrupted after 3 rounds").says("(A) prints was not read");
    lab.nothing_is_left();
}

#[test]
fn one_command_has_nothing_to_be_equal_to() {
    let lab = Lab::new();
    lab.brisk(&["compare", "--equal-work", "touch ran"])
        .refused("`--equal-work` needs two commands")
        .hinting("give the command that it is compared with");
    assert!(!lab.exists("ran"));
}
