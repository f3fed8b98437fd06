//! `--measure`: custom metrics, from a command after each run or from a program's output.

use serde_json::Value;

use crate::document::{comparison, list, measured, summary, values};
use crate::lab::{Lab, eventually};
use crate::repository::Repository;

/// Two commands that write files of 1000 and 3000 bytes.
const WRITERS: [&str; 4] = ["-L", "n", "1,3", "head -c {n}000 /dev/zero > out{n}"];
const SIZE: &str = "size[kB]=echo $(($(wc -c < out{n}) / 1000))";

#[test]
fn what_a_command_prints_after_each_run_is_compared_exactly_and_kept() {
    let lab = Lab::new();
    let document =
        lab.compared(&[&["-r", "6", "-w", "1", "--measure", SIZE], &WRITERS[..]].concat());
    assert_eq!(values(&document, 0, "size[bytes]"), [1000.0; 6]);
    assert_eq!(values(&document, 1, "size[bytes]"), [3000.0; 6]);
    let compared = comparison(&document, 1, "size[bytes]");
    assert_eq!((&compared["basis"], &compared["verdict"]), (&"exact".into(), &"regressed".into()));
    assert_eq!(compared["ratio"], 3.0);
    // In addition to the usual metrics; wall time answers.
    assert_eq!(document["answers"][0]["metric"], "wall_time");
    let shown = lab.brisk(&["show", "1", "-v"]).succeeded();
    assert!(shown.stdout.contains("size") && shown.stdout.contains("exactly 3.000"), "{shown}");
    lab.brisk(&["export", "1", "--export-csv", "runs.csv"]).succeeded();
    assert!(lab.read("runs.csv").contains(",size[bytes],run,6,1000,"), "{}", lab.read("runs.csv"));
}

#[test]
fn a_metric_that_is_named_alone_decides() {
    let lab = Lab::new();
    let arguments = ["-r", "6", "--measure", SIZE, "--metrics", "size"];
    let document = lab.compared(&[&arguments, &WRITERS[..]].concat());
    assert_eq!(document["answers"][0]["metric"], "size[bytes]");
    assert_eq!(document["answers"][0]["verdict"], "regressed");
    assert_eq!(document["experiment"]["metrics"], serde_json::json!(["size[bytes]"]));
}

#[test]
fn more_is_better_where_that_is_said() {
    let lab = Lab::new();
    let measure = "rows[count,higher]=echo {n}";
    let document = lab.compared(&[&["-r", "6", "--measure", measure], &WRITERS[..]].concat());
    assert_eq!(comparison(&document, 1, "rows[higher]")["verdict"], "improved");
}

#[test]
fn a_number_that_is_not_there_is_missing_with_the_reason() {
    let lab = Lab::new();
    let arguments = ["-r", "3", "--measure", "a=echo none", "--measure", "b=cat gone", "true"];
    let document = lab.compared(&arguments);
    let reason = |metric: &str| {
        let missing = &measured(&document)[0]["readings"][metric]["missing"];
        missing.as_str().unwrap_or_else(|| panic!("{metric} was read")).to_owned()
    };
    assert_eq!(reason("a"), "`none` is not a number");
    assert!(reason("b").starts_with("its command exited with status 1: cat: "), "{}", reason("b"));
    let shown = lab.brisk(&["show", "1"]).succeeded();
    assert!(shown.stdout.contains("`none` is not a number"), "{shown}");
}

#[test]
fn the_measuring_command_runs_after_each_run_and_before_conclude() {
    let lab = Lab::new();
    let arguments = ["-r", "3", "--prepare", "echo prepare >> log", "--measure"];
    let more = ["lines=echo measure >> log; wc -l < log", "--conclude", "echo conclude >> log"];
    let document = lab.compared(&[&arguments[..], &more, &["sh -c 'echo run >> log'"]].concat());
    let round = ["prepare", "run", "measure", "conclude"];
    assert_eq!(lab.lines("log"), round.repeat(3));
    assert_eq!(values(&document, 0, "lines"), [3.0, 7.0, 11.0]);
}

#[test]
fn a_program_can_print_its_own_metrics() {
    let lab = Lab::new();
    let program = r#"sh -c 'echo "rows: 3"; echo "rows: 12"; echo "{\"p99\": 2.5}"'"#;
    let measures = ["--measure", r"rows=/^rows: (\d+)$/", "--measure", "p99[ms]=json:/p99"];
    let document = lab.compared(&[&["-r", "3"], &measures[..], &[program]].concat());
    assert_eq!(values(&document, 0, "rows"), [12.0; 3]);
    assert_eq!(values(&document, 0, "p99[seconds]"), [0.0025; 3]);
    // brisk must receive the output that it reads.
    let elsewhere = ["compare", "--measure", "rows=/x/", "--output", "out", program];
    let refused = lab.brisk(&elsewhere).exited(2);
    assert!(refused.stderr.contains("`--output` sends that elsewhere"), "{refused}");
}

#[test]
fn a_metric_that_cannot_be_is_refused_before_anything_runs() {
    let lab = Lab::new();
    for (measure, why) in [
        ("wall_time=echo 1", "brisk has a metric `wall_time`"),
        ("size", "does not say what is measured"),
        ("size[parsecs]=echo 1", "neither a unit nor a direction"),
        ("size=stat {nowhere}", "nowhere"),
    ] {
        let arguments = ["compare", "-L", "n", "1", "--measure", measure, "touch ran{n}"];
        let refused = lab.brisk(&arguments).exited(2);
        assert!(refused.stderr.contains(why), "{measure}: {refused}");
    }
    let unknown = ["compare", "--measure", "size=echo 1", "--metrics", "sizes", "touch ran1"];
    lab.brisk(&unknown).exited(2);
    assert!(!lab.exists("ran1"));
}

#[test]
fn a_sweep_trades_time_for_what_is_measured() {
    let lab = Lab::new();
    // The longer it takes, the less it writes; one point is worse in both.
    let program = "sleep 0.0{t}; head -c ${s} /dev/zero > out{t}";
    let program = program.replace("${s}", "$((1000 - 100 * {t} % 700))");
    let arguments = ["sweep", "--export-json", "sweep.json", "-r", "14", "--param", "t=1,5,7"];
    let own = ["--measure", "size[bytes]=wc -c < out{t}", "--minimize", "wall_time,size"];
    let limit = ["--limit", "size < 2 kB"];
    lab.brisk(&[&arguments[..], &own, &limit, &[&program]].concat()).succeeded().says("size");
    let document = lab.json("sweep.json");
    // 900, 500 and 1000 bytes.
    let front = &document["sweep"]["front"];
    assert_eq!(front, &serde_json::json!([0, 1]), "{}", document["sweep"]);
    assert_eq!(document["sweep"]["beside"], "size[bytes]");
    assert_eq!(summary(&document, 1, "size[bytes]")["median"], 500.0);
    let all = ["sweep", "--export-json", "sweep.json", "-r", "6", "--param", "t=1,5,7"];
    let limit = ["--limit", "size < 850 B"];
    lab.brisk(&[&all[..], &own, &limit, &[&program]].concat()).succeeded();
    let limited = lab.json("sweep.json");
    let points = limited["sweep"]["points"].as_array().expect("a list");
    assert_eq!(points[0]["state"], "over-limit", "{points:?}");
    let unread = ["--measure", "size=echo none", "--minimize", "wall_time,size", "sleep 0.0{t}"];
    lab.brisk(&[&["sweep", "-r", "6", "--param", "t=1,5"], &unread[..]].concat())
        .succeeded()
        .says("no point is left to choose from: size is missing (`none` is not a number)");
}

#[test]
fn a_history_follows_what_is_measured_of_each_artefact() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for (number, more) in ["", "", "# a line that makes the program longer\n"].iter().enumerate() {
        let text = format!("#!/bin/sh\n: {number}\n{more}");
        repository.write("source", &text);
        repository.commit(&format!("commit {number}"));
    }
    let build = ["--build", "cp source prog && chmod +x prog", "--artifact", "prog"];
    let measure = ["--measure", "size[bytes]=wc -c < {artifact}", "--metrics", "size"];
    let whole = repository.whole();
    let range = ["history", &whole, "--project", "repo", "-r", "6", "--export-json", "h.json"];
    lab.brisk(&[&range[..], &build, &measure].concat()).exited(1);
    let document = lab.json("h.json");
    let steps = list(&document, "steps");
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert_eq!(steps[0]["metric"], "size[bytes]");
    let last = list(&document, "commits").last().expect("three").clone();
    assert_eq!(steps[0]["commit"], last["hash"]);
}

#[test]
fn an_expectation_may_be_about_what_is_measured() {
    let lab = Lab::new();
    let benchmark = |name: &str, bytes: u32| {
        format!(
            "[[benchmark]]\nname = \"{name}\"\ncommand = \"sh -c 'head -c {bytes} /dev/zero > \
             {name}.out'\"\nmeasure = [\"size[bytes]=wc -c < {name}.out\"]\nruns = 6\n"
        )
    };
    let expected = "[[expect]]\nthat = 'size(small) / size(large) < 0.5'\n\
                    [[expect]]\nthat = 'size(large) < 2 kB'\n";
    lab.write("brisk.toml", &(benchmark("small", 100) + &benchmark("large", 1000) + expected));
    lab.brisk(&["check"]).succeeded().says("holds");
    lab.write("brisk.toml", &(benchmark("small", 900) + &benchmark("large", 1000) + expected));
    lab.brisk(&["check"]).exited(1);
}

#[test]
fn kill_9_loses_at_most_the_run_in_flight_with_what_was_measured_of_it() {
    let lab = Lab::new();
    let arguments = ["compare", "-r", "100000", "--measure", "n=wc -l < log; sleep 0.02"];
    let running = lab.start(&[&arguments[..], &["echo x >> log"]].concat());
    eventually("running", || lab.lines("log").len() >= 5);
    running.signal("KILL");
    running.wait();
    lab.nothing_is_left();
    let done = lab.lines("log").len();
    let document = lab.exported("1");
    let stored = values(&document, 0, "n");
    assert!(stored.len() + 1 >= done && stored.len() <= done, "{} of {done}", stored.len());
    let counted: Vec<f64> = (1..=stored.len()).map(|line| line as f64).collect();
    assert_eq!(stored, counted);
}

#[test]
fn a_measuring_command_is_ended_by_ctrl_c_and_by_the_time_limit() {
    let lab = Lab::new();
    let running =
        lab.start(&["compare", "-r", "5", "--measure", "n=touch begun; sleep 1000", "true"]);
    eventually("measuring", || lab.exists("begun"));
    running.signal("INT");
    running.wait().exited(2);
    lab.nothing_is_left();
    let limited = ["-r", "2", "--timeout", "200ms", "--measure", "n=sleep 1000", "true"];
    let document = lab.compared(&limited);
    let reading: &Value = &measured(&document)[0]["readings"]["n"];
    assert!(reading["missing"].as_str().is_some_and(|why| why.starts_with("its command ")));
    lab.nothing_is_left();
}
