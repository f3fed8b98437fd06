//! The cost of setup commands, and the number of runs after which they pay off.

use serde_json::Value;

use crate::document::{comparison, list, summary};
use crate::lab::{Lab, eventually};

/// A cached start: the candidate sleeps less in every run, but once in its setup.
const CACHED: [&str; 8] =
    ["-r", "12", "--setup", "", "--setup", "sleep 0.3", "sleep 0.4", "sleep 0.02"];

#[track_caller]
fn payback<'a>(document: &'a Value, metric: &str) -> &'a Value {
    let found = list(document, "paybacks").iter().find(|part| part["metric"] == metric);
    found.unwrap_or_else(|| panic!("no payback in {metric}: {document}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn setup_can_be_one_for_each_command_and_an_empty_one_is_none() {
    let lab = Lab::new();
    let options =
        ["-r", "2", "--setup", "echo a >> log", "--setup", " ", "--setup", "echo c >> log"];
    let commands = ["true", "true", "true"];
    let document = lab.compared(&[&options[..], &commands].concat());
    assert_eq!(lab.lines("log"), ["a", "c"]);
    let setups = list(&document, "setups");
    let told: Vec<_> = setups.iter().map(|part| (&part["variant"], &part["command"])).collect();
    let expected =
        [(&Value::from(0), &"echo a >> log".into()), (&2.into(), &"echo c >> log".into())];
    assert_eq!(told, expected);
    for part in setups {
        assert_eq!((&part["runs"], &part["low"]), (&1.into(), &Value::Null));
        assert!(number(&part["seconds"]) > 0.0 && number(&part["peak_rss"]) > 0.0, "{part}");
        assert!(part["cpu_seconds"].is_number(), "{part}");
    }
}

#[test]
fn a_setup_that_makes_runs_faster_pays_after_so_many_runs() {
    let lab = Lab::new();
    let arguments = ["compare", "--export-json", "o.json", "--export-markdown", "o.md"];
    let ended = lab.brisk(&[&arguments[..], &CACHED].concat()).succeeded();
    let ended = ended.says("(B) takes ").says("(measured once; peak rss ");
    let ended = ended.says("(B) pays after ");
    assert!(lab.read("o.md").contains("(B) pays after "));
    assert_eq!(lab.brisk(&["show", "1"]).succeeded().stdout, ended.stdout);

    let document = lab.json("o.json");
    let part = payback(&document, "wall_time");
    assert_eq!((&part["baseline"], &part["candidate"]), (&0.into(), &1.into()));
    assert_eq!((&part["variant"], &part["verdict"]), (&1.into(), &"pays".into()));
    // Computed from other fields of the document, by the definition.
    let cost = number(&list(&document, "setups")[0]["seconds"]);
    let ratio = comparison(&document, 1, "wall_time");
    let level = summary(&document, 0, "wall_time");
    let runs = |figure: &str, end: &str| {
        (cost / (number(&level[figure]) * (1.0 - number(&ratio[end])))).ceil()
    };
    assert!((number(&part["runs"]) - runs("median", "ratio")).abs() < 0.5, "{part}");
    assert!((number(&part["low"]) - runs("high", "low")).abs() < 0.5, "{part}");
    assert!((number(&part["high"]) - runs("low", "high")).abs() < 0.5, "{part}");
    assert!(number(&part["low"]) <= number(&part["runs"]), "{part}");
    assert!(number(&part["runs"]) <= number(&part["high"]), "{part}");
}

#[test]
fn the_setup_of_the_baseline_is_paid_back_against_the_candidate() {
    let lab = Lab::new();
    let arguments = ["-r", "12", "--setup", "sleep 0.2", "--setup", "", "sleep 0.01", "sleep 0.4"];
    let document = lab.compared(&arguments);
    let part = payback(&document, "wall_time");
    assert_eq!((&part["variant"], &part["verdict"]), (&0.into(), &"pays".into()));
    assert!(number(&part["cost"]["estimate"]) > 0.0 && number(&part["gain"]["low"]) > 0.0);
    lab.brisk(&["show", "1"]).succeeded().says("(A) pays after ");
}

#[test]
fn a_setup_without_gain_never_pays() {
    let lab = Lab::new();
    let arguments = ["-r", "12", "--setup", "", "--setup", "sleep 0.1", "sleep 0.01", "sleep 0.4"];
    let part = payback(&lab.compared(&arguments), "wall_time").clone();
    assert_eq!((&part["verdict"], &part["runs"]), (&"never".into(), &Value::Null));
    lab.brisk(&["show", "1"]).succeeded().says("(B) never pays: it is not faster");
}

#[test]
fn while_it_is_open_who_is_faster_it_is_open_when_the_setup_pays() {
    let lab = Lab::new();
    // Three rounds allow no verdict.
    let arguments = ["-r", "3", "--setup", "", "--setup", "sleep 0.1", "true", "true"];
    let document = lab.compared(&arguments);
    assert_eq!(payback(&document, "wall_time")["verdict"], "undecided");
    lab.brisk(&["show", "1"]).succeeded().says("(B) pays is not decided");
}

#[test]
fn what_all_have_in_common_has_nothing_to_pay_back() {
    let lab = Lab::new();
    for commands in [
        &["--setup", "sleep 0.01", "true", "sleep 0.02"][..],
        &["--setup", "sleep 0.01", "--setup", "sleep 0.01", "true", "sleep 0.02"],
        &["-L", "n", "1,2", "--setup", "sleep 0.0{n}", "sleep 0.0{n}"],
    ] {
        let document = lab.compared(&[&["-r", "12"], commands].concat());
        let setups = list(&document, "setups");
        assert_eq!(setups.len(), 2, "{document}");
        assert!(document.get("paybacks").is_none(), "{document}");
    }
    let ended = lab.brisk(&["show", "1"]).succeeded();
    assert!(!ended.stdout.contains("setup"), "{ended}");
    let without = lab.compared(&["-r", "2", "true", "true"]);
    assert!(without.get("setups").is_none());
}

#[test]
fn a_setup_that_is_repeated_has_a_cost_with_an_interval() {
    let lab = Lab::new();
    let options = ["-r", "6", "--setup-runs", "4", "--setup", "", "--setup"];
    let arguments = ["echo x >> log; sleep 0.0$(wc -l < log)", "sleep 0.01", "sleep 0.02"];
    let document = lab.compared(&[&options[..], &arguments].concat());
    assert_eq!(lab.lines("log").len(), 4);
    let part = &list(&document, "setups")[0];
    assert_eq!(part["runs"], 4);
    let (low, high) = (number(&part["low"]), number(&part["high"]));
    assert!(low < number(&part["seconds"]) && number(&part["seconds"]) < high, "{part}");
    assert!((number(&payback(&document, "wall_time")["cost"]["high"]) - high).abs() < 1e-9);
    lab.brisk(&["show", "1"]).succeeded().says("(measured 4 times; ");
}

#[test]
fn what_a_setup_cost_outlives_a_kill() {
    let lab = Lab::new();
    let options = ["--setup", "", "--setup", "sleep 0.01"];
    let command = "sh -c 'echo x >> log; sleep 0.05'";
    let running = lab.start(&[&["compare"], &options[..], &[command, command]].concat());
    eventually("three rounds", || lab.lines("log").len() > 6);
    running.signal("KILL");
    running.wait();
    lab.brisk(&["show", "1"]).succeeded().says("(B) takes ");
    let document = lab.exported("1");
    assert_eq!(list(&document, "setups").len(), 1);
}

#[test]
fn setups_that_make_no_sense_are_refused() {
    let lab = Lab::new();
    for (arguments, error) in [
        (&["--setup-runs", "0", "--setup", "touch ran", "true"][..], "from 1 to 1000 times"),
        (&["--setup-runs", "1001", "--setup", "touch ran", "true"], "from 1 to 1000 times"),
        (&["--setup-runs", "2", "touch ran"], "without a setup command"),
        (&["--setup-runs", "2", "--setup", "", "touch ran"], "without a setup command"),
        (
            &["--setup", "touch ran", "--setup", "touch ran", "true", "true", "true"],
            "2 `--setup` for 3 commands; give one for all, or one for each",
        ),
        (
            &["--setup", "", "--setup", "touch ran", "./never-made", "true"],
            "cannot start `./never-made`",
        ),
    ] {
        lab.brisk(&[&["compare"], arguments].concat()).refused(error);
        assert!(!lab.exists("ran") && !lab.store().exists(), "{arguments:?}");
    }
}
