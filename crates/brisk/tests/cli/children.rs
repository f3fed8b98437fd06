//! Programs that misbehave: they hang, fork, flood, crash and fail.

use crate::document::{list, measured, summary};
use crate::lab::{Lab, has, not_checked, run};

#[test]
fn a_command_that_never_ends_is_ended_at_its_time_limit() {
    let lab = Lab::new();
    lab.brisk(&["compare", "--timeout", "100ms", "sleep 1000", "true"])
        .refused("`sleep 1000` ran longer than its time limit in round 1")
        .hinting("`--timeout`");
    lab.nothing_is_left();
}

#[test]
fn the_time_limit_ends_the_whole_process_group() {
    let lab = Lab::new();
    let script = "sh -c 'sleep 1001 & sh -c \"sleep 1002; true\" & trap \"\" TERM; sleep 1003'";
    lab.brisk(&["compare", "--timeout", "200ms", script]).refused("ran longer");
    lab.nothing_is_left();
}

#[test]
fn the_rounds_before_a_run_that_hangs_are_kept_and_judged_without_it() {
    let lab = Lab::new();
    // The eighth run hangs.
    let script = "echo x >> log; [ $(wc -l < log) -lt 8 ] || sleep 1000";
    let arguments = ["compare", "-r", "9", "--timeout", "3s", "-n", "a", "-n", "b", script, script];
    let ended = lab.brisk(&arguments).refused("ran longer than its time limit in round 4");
    let ended = ended.hinting("the 3 finished rounds are stored as experiment 1");
    assert!(!ended.stderr.contains("--ignore-failure"), "{ended}");
    lab.nothing_is_left();
    lab.brisk(&["list"]).succeeded().says(" 3 ");
    lab.brisk(&["show", "1"]).succeeded().says("3 rounds").says("until a command failed");
    let document = lab.exported("1");
    let runs = measured(&document);
    assert_eq!(runs.len(), 8);
    assert!(runs[7]["outcome"]["timed_out"] == true, "{}", runs[7]);
    for variant in [0, 1] {
        assert_eq!(summary(&document, variant, "wall_time")["n"], 3);
    }
}

#[test]
fn a_run_that_hangs_can_be_taken_as_a_result() {
    let lab = Lab::new();
    let arguments = ["-r", "2", "--timeout", "100ms", "--ignore-failure", "--", "sleep 1000"];
    let document = lab.compared(&arguments);
    assert!(measured(&document).iter().all(|run| run["outcome"]["timed_out"] == true));
    assert_eq!(summary(&document, 0, "wall_time")["n"], 2);
    lab.brisk(&["show", "1"])
        .succeeded()
        .says("2 runs of `sleep 1000` failed, and were counted because of");
}

/// The kernel reports no usage of such children, so the command would seem to do nothing.
#[test]
fn a_command_that_discards_its_children_has_no_processor_time() {
    if !has("python3") {
        return not_checked("a command that discards its children: python3 is not installed");
    }
    let lab = Lab::new();
    let discarding = "import signal, subprocess, time\n\
                      signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
                      subprocess.Popen(['true'])\ntime.sleep(0.1)\n";
    lab.write("discarding.py", discarding);
    let document = lab.compared(&["-r", "2", "python3 discarding.py"]);
    for run in measured(&document) {
        for metric in ["cpu_time", "user_time", "peak_rss"] {
            let reason = run["readings"][metric]["missing"].as_str().unwrap_or_default();
            assert!(reason.contains("ignores SIGCHLD"), "{run}");
        }
        assert!(run["readings"]["wall_time"].is_number(), "{run}");
    }
    let asked = ["compare", "-r", "2", "--metrics", "cpu_time", "python3 discarding.py"];
    lab.brisk(&asked).failed("could not be measured: `cpu_time`").because("ignores SIGCHLD");
}

#[test]
fn children_left_behind_are_ended_and_told() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "3", "sh -c 'sleep 1000 & sleep 1000 & exit 0'", "true"]);
    assert_eq!(lab.processes(), [""; 0]);
    for run in measured(&document) {
        let left = if run["variant"] == 0 { 2 } else { 0 };
        assert_eq!(run.get("left_behind").and_then(|count| count.as_u64()).unwrap_or(0), left);
    }
    lab.brisk(&["show", "1"]).succeeded().says("(A) left 6 processes behind");
}

/// The shell reads until the last process holding the pipe has ended, but waits only for its direct
/// child.
#[test]
fn work_that_nobody_waits_for_is_not_faster() {
    let lab = Lab::new();
    let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    lab.write("work", &format!("#!/bin/sh\n{work}\n"));
    lab.write("daemon", "#!/bin/sh\nx=$(setsid sh work &)\n");
    let arguments = ["-r", "6", "--metrics", "cpu_time", "sh work", "sh daemon"];
    let document = lab.compared(&arguments);
    let median = |variant| summary(&document, variant, "cpu_time")["median"].as_f64();
    let [alone, daemon] = [0, 1].map(|variant| median(variant).expect("it was read"));
    assert!(daemon > 0.4 * alone, "{alone} {daemon}");
}

#[test]
fn what_was_ended_before_it_had_finished_is_missing_and_decides_nothing() {
    let lab = Lab::new();
    lab.write("work", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done\n");
    let metrics = ["-r", "6", "--metrics", "cpu_time,peak_rss,minor_faults"];
    let commands = ["sh work", "sh -c 'sh work & exit 0'"];
    let document = lab.compared(&[&metrics[..], &commands].concat());
    for run in measured(&document).iter().filter(|run| run["variant"] == 1) {
        let reading = &run["readings"]["cpu_time"];
        let is_missing = reading["missing"].as_str().is_some_and(|it| it.contains("left behind"));
        assert!(is_missing, "{run}");
    }
    assert_eq!(list(&document, "comparisons").len(), 0, "{document}");
    assert_eq!(list(&document, "answers").len(), 0, "{document}");
}

#[test]
fn what_a_hook_leaves_behind_is_told() {
    let lab = Lab::new();
    let arguments = ["-r", "2", "--prepare", "sleep 1000 &", "--setup", "sleep 1000 &", "true"];
    lab.compared(&arguments);
    lab.nothing_is_left();
    let shown = lab.brisk(&["show", "1"]).succeeded();
    shown
        .says("`--prepare` command of `true` left 2 processes")
        .says("`--setup` command of `true` left 1");
    let ended = lab.brisk(&["compare", "--prepare", "sleep 1000 &", "sh -c 'exit 3'"]);
    ended.refused("after brisk had ended what its prepare command left running");
}

#[test]
fn time_in_which_nothing_runs_is_told() {
    let lab = Lab::new();
    lab.compared(&["-r", "3", "sleep 0.3", "true"]);
    lab.brisk(&["show", "1"])
        .succeeded()
        .says("`sleep 0.3` (A) used a processor for")
        .says("it slept, or waited");
}

#[test]
fn a_command_that_asks_on_the_terminal_ends_with_that() {
    if !has("script") {
        return not_checked("a terminal: there is no `script` to make one");
    }
    let lab = Lab::new();
    let brisk = env!("CARGO_BIN_EXE_brisk");
    let (store, typescript) = (lab.store().display().to_string(), lab.path("typescript"));
    let asks = "sh -c \"read answer < /dev/tty\"";
    for (options, asking) in [
        ("-i".to_owned(), "asked on the terminal (SIGTTIN), and was ended in round 1"),
        (
            "--copies 2".to_owned(),
            "asked on the terminal (SIGTTIN), and was ended in round 1, copy",
        ),
        (format!("--prepare '{asks}'"), "the prepare command of `sh -c"),
        (format!("--setup '{asks}'"), "the setup command of `sh -c"),
    ] {
        let command = format!(
            "NO_COLOR=1 '{brisk}' compare --store '{store}' -q {options} '{asks}'; echo status $?"
        );
        run("script", &["-q", "-c", &command, &typescript.display().to_string()]);
        let shown = lab.read("typescript");
        assert!(shown.contains("status 2"), "{options}: {shown}");
        let shown: Vec<&str> = shown.split_whitespace().collect();
        let shown = shown.join(" ");
        assert!(
            shown.contains(asking) && shown.contains("in the background"),
            "{options}: {shown}"
        );
    }
    lab.nothing_is_left();
}

#[test]
fn a_program_that_cannot_start_says_what_is_missing_behind_it() {
    let lab = Lab::new();
    lab.write("windows", "#!/bin/sh\r\necho\r\n");
    lab.write("text", "echo\n");
    assert!(run("chmod", &["+x", &lab.path("windows").display().to_string()]));
    assert!(run("chmod", &["+x", &lab.path("text").display().to_string()]));
    lab.brisk(&["compare", "true", "./windows"])
        .refused("cannot start `./windows`")
        .because("the interpreter `/bin/sh\\r`, which is not there");
    lab.brisk(&["compare", "true", "./text"])
        .refused("cannot start `./text`")
        .because("neither a program nor a script");
}

/// A gigabyte, to standard output or error.
fn flood(stream: &str) -> String {
    format!("head -c 1000000000 /dev/zero >&{stream}")
}

/// The peak memory of a brisk that compares with these arguments, measured by another brisk.
fn peak_of_brisk(lab: &Lab, arguments: &[&str]) -> f64 {
    let quoted: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    let brisk = env!("CARGO_BIN_EXE_brisk");
    let command = format!("'{brisk}' compare --store inner.db {}", quoted.join(" "));
    let document = lab.compared(&["-N", "-r", "1", &command]);
    summary(&document, 0, "peak_rss")["max"].as_f64().expect("memory was read")
}

#[test]
fn a_flood_of_output_neither_blocks_nor_takes_memory() {
    let lab = Lab::new();
    let little = peak_of_brisk(&lab, &["-r", "1", "--output", "pipe", "-S", "true"]);
    for (output, stream) in [("null", "1"), ("pipe", "1"), ("null", "2")] {
        let much = peak_of_brisk(&lab, &["-r", "1", "--output", output, "-S", &flood(stream)]);
        // A gigabyte would be fifty times this.
        assert!(much < little + 2e7, "{output} {stream}: {much} against {little} bytes");
    }
}

#[test]
fn a_program_killed_by_a_signal_is_named_with_it() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "5", "true", "sh -c 'kill -SEGV $$'"])
        .refused("was ended by signal 11 (SIGSEGV) in round 1")
        .hinting("`--ignore-failure`");
    let document = lab.compared(&["-i", "-r", "3", "sh -c 'kill -KILL $$'"]);
    assert!(measured(&document).iter().all(|run| run["outcome"]["signalled"] == 9));
}

#[test]
fn a_failure_shows_its_last_words_and_how_to_allow_it() {
    let lab = Lab::new();
    let script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i >&2; done; exit 3";
    let ended = lab.brisk(&["compare", "-n", "loud", script]);
    let ended = ended.refused("`loud` exited with status 3 in round 1");
    let ended = ended.because("last lines of its standard error:").hinting("`--ignore-failure=3`");
    let words: Vec<&str> =
        ended.stderr.lines().filter(|line| line.contains(" line ")).map(str::trim).collect();
    assert_eq!(words.len(), 10, "{ended}");
    assert_eq!((words[0], words[9]), ("line 3", "line 12"));
    // A failure in a warm-up counts, too.
    lab.brisk(&["compare", "-w", "1", "exit 3; :"]).refused("in warm-up round 1");
}

#[test]
fn failures_can_be_allowed_all_or_by_code() {
    let lab = Lab::new();
    for option in ["--ignore-failure=3", "--ignore-failure=2,3", "--ignore-failure", "-i"] {
        let document = lab.compared(&["-r", "2", "--shell", "sh", "exit 3", "true", option]);
        let outcomes: Vec<_> = measured(&document)
            .iter()
            .map(|run| (run["variant"].as_u64(), run["outcome"]["exited"].as_i64()))
            .collect();
        assert!(
            outcomes
                .iter()
                .all(|&(variant, code)| { code == Some(if variant == Some(0) { 3 } else { 0 }) })
        );
    }
    let last = lab.brisk(&["list", "-n", "1"]).succeeded().stdout;
    assert!(last.contains("exit 3 · true"), "{last}");
    lab.brisk(&["compare", "-r", "2", "-S", "--ignore-failure=3", "exit 4"])
        .refused("exited with status 4");
}

#[test]
fn a_program_that_vanishes_is_told_apart_from_one_that_fails() {
    let lab = Lab::new();
    lab.write("program", "#!/bin/sh\necho x >> log\n");
    assert!(crate::lab::run("chmod", &["+x", &lab.path("program").display().to_string()]));
    // The program disappears between the third run and the fourth.
    let prepare = "if [ -f log ] && [ $(wc -l < log) -ge 3 ]; then rm -f program; fi";
    lab.brisk(&["compare", "-r", "9", "-p", prepare, "./program"])
        .refused("cannot start `./program`: cannot execute its program")
        .because("No such file")
        .hinting("the 3 finished rounds are stored as experiment 1");
    assert_eq!(measured(&lab.exported("1")).len(), 3);
}

#[test]
fn the_shortest_programs_are_measured_like_any_other() {
    let lab = Lab::new();
    let document = lab.compared(&["-N", "-r", "300", "true", "true"]);
    let runs = measured(&document);
    assert_eq!(runs.len(), 600);
    assert!(runs.iter().all(|run| {
        run["readings"]["wall_time"].as_f64().is_some_and(|wall| wall > 0.0)
            && run["outcome"]["exited"] == 0
    }));
    assert_eq!(list(&document["plan"], "rounds").len(), 300);
}
