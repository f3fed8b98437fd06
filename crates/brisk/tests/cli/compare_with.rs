//! Commands against an earlier stored experiment.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::cost::{self, COST};
use crate::document::list;
use crate::lab::{Ended, Lab};

/// The cost of a run depends on its number: with a new order each time, the medians of two
/// experiments are sometimes equal, which says nothing about how far experiments differ.
const USUAL: [&str; 9] =
    ["compare", "--counters", "none", "--metrics", "cost", "--runs", "8", "--seed", "1"];

/// Stores an experiment of these commands.
fn store(lab: &Lab, commands: &[&str]) {
    lab.brisk(&[&USUAL[..], &COST, commands].concat()).judged();
}

fn with(lab: &Lab, options: &[&str]) -> Ended {
    let export = ["--export-json", "with.json"];
    lab.brisk(&[&USUAL[..], &COST, &export, options].concat())
}

const LONG: &str = "sh cost.sh 0.3";
const SHORT: &str = "sh cost.sh 0.01";

#[test]
fn one_stored_experiment_decides_nothing_and_the_report_says_why() {
    let lab = cost::lab();
    store(&lab, &[SHORT, LONG]);
    let ended = with(&lab, &["--with", "1:sh cost.sh 0.3", SHORT]);
    let report = ended.stdout.clone();
    ended
        .exited(0)
        .says("B stored experiment 1: sh cost.sh 0.3")
        .says(
            "whether `sh cost.sh 0.01` (A) or `stored experiment 1: sh cost.sh 0.3` (B) is better \
             stays open: cost 0.0",
        )
        .says("; the two were not interleaved")
        .says("no other experiment of its command on this machine is stored");
    let document = lab.json("with.json");
    let part = &list(&document, "comparisons")[0];
    assert_eq!(part["basis"], json!("experiments"));
    assert_eq!((&part["verdict"], &part["high"]), (&json!("inconclusive"), &Value::Null));
    assert_eq!((&part["baseline"], &part["candidate"]), (&json!(1), &json!(0)));
    assert_eq!(list(&document, "runs").len(), 8, "the stored runs belong to their experiment");
    assert_eq!(lab.brisk(&["show", "2"]).stdout, report);
    let strict = ["--with", "1:sh cost.sh 0.3", "--require-verdict", SHORT];
    with(&lab, &strict).exited(3);
}

#[test]
fn several_stored_experiments_say_how_far_experiments_differ() {
    let lab = cost::lab();
    // Only the command counts, not its position in the experiment.
    store(&lab, &[LONG]);
    store(&lab, &[SHORT, LONG]);
    store(&lab, &[LONG, SHORT]);
    let exports = ["--export-hyperfine", "h.json", "--export-csv", "c.csv", "--export-markdown"];
    let options = [&["--with", "3"], &exports[..], &["m.md", SHORT, "sh cost.sh 0.02"]];
    with(&lab, &options.concat())
        .says("`sh cost.sh 0.01` (A) is faster than `stored experiment 3: sh cost.sh 0.3` (C): it takes 0.0")
        .says("; the two were not interleaved")
        .says("`sh cost.sh 0.02` (B) is faster than `stored experiment 3: sh cost.sh 0.3` (C): it takes 0.0")
        .says("the experiments of its command differ (2, 1; since ");
    let document = lab.json("with.json");
    let parts = list(&document, "comparisons");
    let sides = |part: &Value| (part["candidate"].as_u64(), part["baseline"].as_u64());
    let found: Vec<_> = parts.iter().map(sides).collect();
    assert_eq!(found, [(Some(0), Some(2)), (Some(1), Some(0)), (Some(1), Some(2))]);
    assert_eq!(parts[0]["verdict"], json!("improved"));
    // The rounds of A and B were interleaved; those of C with neither.
    assert_eq!(parts[1]["basis"], json!("ratios"));
    assert_eq!(parts[2]["basis"], json!("experiments"));
    let of_stored = &lab.json("h.json")["results"][2];
    assert_eq!(of_stored["command"], json!("stored experiment 3: sh cost.sh 0.3"));
    assert_eq!(of_stored.get("times"), None);
    assert!(lab.read("m.md").contains("not interleaved"));
    lab.brisk(&["import", "h.json"]).says("stored experiment 3");
}

/// A comparison that was killed is judged by the first reader, against the same experiments.
#[test]
fn a_comparison_that_was_not_finished_is_judged_as_it_was_asked() {
    let lab = cost::lab();
    store(&lab, &[LONG]);
    store(&lab, &[LONG]);
    let report = with(&lab, &["--with", "1", SHORT]).stdout;
    let store = Connection::open(lab.store()).expect("it opens");
    let forget = "UPDATE experiment_detail SET summary = NULL WHERE experiment = 3";
    assert_eq!(store.execute(forget, []).expect("it is writable"), 1);
    drop(store);
    let again = lab.brisk(&["show", "3"]).stdout;
    for line in report.lines().filter(|line| line.contains("interleaved") || line.contains("A ")) {
        assert!(again.contains(line), "{line}\n{again}");
    }
}

#[test]
fn what_says_nothing_about_this_machine_is_refused_before_anything_runs() {
    let lab = cost::lab();
    store(&lab, &[SHORT, LONG]);
    lab.brisk(&["compare", "--counters", "none", "false"]).exited(2);
    let sweep = ["sweep", "--counters", "none", "--param", "s=0.01,0.02", "--budget", "1s"];
    lab.brisk(&[&sweep[..], &["sleep {s}"]].concat());
    store(&lab, &[SHORT]);
    let change = |sql: &str| {
        let store = Connection::open(lab.store()).expect("it opens");
        assert_eq!(store.execute(sql, []).expect("it is writable"), 1);
    };
    change(
        "UPDATE experiment_detail SET machine = json_set(machine, '$.cpu_model', 'Example 9000')
         WHERE experiment = 4",
    );
    let refused =
        |asked: &str, error: &str| with(&lab, &["--with", asked, "touch begun"]).refused(error);
    refused("99", "there is no experiment 99");
    refused("2", "experiment 2 failed before its first round was done");
    let cannot = "cannot compare with experiment";
    refused("3", cannot).because("it is a sweep, not a comparison of commands");
    let other = "it ran on another machine: its processor is `Example 9000`, and here it is";
    refused("4", cannot).because(other);
    let unknown = refused("1:false", "experiment 1 has no command `false`");
    unknown.because("it has `sh cost.sh 0.01`, `sh cost.sh 0.3`");
    let no_number = with(&lab, &["--with", "one", "touch begun"]).exited(2);
    assert!(no_number.stderr.contains("expected the number of an experiment"), "{no_number}");
    let labels = [("benchmark", "a"), ("harness", "lines"), ("order", "alone")];
    for (number, (name, value)) in labels.iter().enumerate() {
        change(&format!(
            "INSERT INTO variant_label (experiment, variant, number, name, value)
             VALUES (1, 0, {number}, '{name}', '{value}')"
        ));
    }
    refused("1", cannot).because("it measured the benchmarks inside a program, not commands");
    assert!(!lab.exists("begun"));
    Lab::new().brisk(&["compare", "--with", "1", "true"]).refused("nothing is stored at");
}

/// Artefacts of other commits, and the same command line in another folder, are other programs.
#[test]
fn only_experiments_of_the_same_program_are_of_the_same_command() {
    let lab = cost::lab();
    for _ in 0..4 {
        store(&lab, &[SHORT]);
    }
    let change = |sql: &str| {
        let store = Connection::open(lab.store()).expect("it opens");
        assert_eq!(store.execute(sql, []).expect("it is writable"), 1);
    };
    change("UPDATE experiment_detail SET cwd = '/elsewhere' WHERE experiment = 2");
    change(
        "INSERT INTO variant_label (experiment, variant, number, name, value)
         VALUES (3, 0, 0, 'artefact', 'abc')",
    );
    change(
        "UPDATE experiment_detail SET machine = json_set(machine, '$.hostname', 'elsewhere')
         WHERE experiment = 4",
    );
    with(&lab, &["--with", "1", SHORT]).says("no other experiment of its command");
    store(&lab, &[SHORT]);
    // The fifth experiment is such a one, and so is the sixth.
    with(&lab, &["--with", "1", LONG]).says("(6, 5; since ");
}
