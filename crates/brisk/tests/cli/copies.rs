//! Copies of a command that run at the same time: `--copies`.

use serde_json::{Value, json};

use crate::document::{list, measured};
use crate::lab::{Lab, eventually};

/// Each copy waits until there are three, so copies run one after the other would hang.
const MEET: &str = "touch here.{copy}; while [ $(ls | grep -c here) -lt 3 ]; do sleep 0.01; done";

#[test]
fn copies_run_at_once_between_hooks_that_run_once_for_all() {
    let lab = Lab::new();
    let hooks = ["--prepare", "rm -f here.*; echo prepare >> log", "--output", "out.{copy}"];
    let command = format!("{MEET}; echo $BRISK_COPY; echo {{copy}} >> log");
    let document = lab.compared(&[&hooks[..], &["--copies", "3", "-r", "2", &command]].concat());
    let mut log = lab.lines("log");
    assert_eq!(log.len(), 2 * 4, "{log:?}");
    assert!(log[0] == "prepare" && log[4] == "prepare", "{log:?}");
    log[1..4].sort();
    assert_eq!(log[1..4], ["0", "1", "2"]);
    for copy in ["0", "1", "2"] {
        assert_eq!(lab.lines(&format!("out.{copy}")), [copy]);
    }
    assert_eq!(document["variants"][0]["labels"]["copies"], json!("3"));
    for run in measured(&document) {
        let value = |id: &str| run["readings"][id].as_f64().expect("it was read");
        let throughput = 3.0 / value("wall_time");
        assert!((value("copy_throughput") / throughput - 1.0).abs() < 1e-12, "{run}");
        assert!(value("copy_latency") <= value("wall_time"), "{run}");
    }
}

#[test]
fn throughput_answers_and_more_copies_than_processors_are_said() {
    let lab = Lab::new();
    let export = ["--export-json", "c.json", "--export-csv", "c.csv"];
    let options = ["compare", "--copies", "300", "-r", "12", "--counters", "none"];
    let ended = lab.brisk(&[&options[..], &export, &["sleep 0.01", "sleep 0.3"]].concat());
    let report = ended.stdout.clone();
    ended
        .exited(1)
        .says("(B) is slower than ")
        .says("it has 0.")
        .says(" times the throughput")
        .says("each run starts 300 copies at once on ")
        .says(", which they share");
    let document = lab.json("c.json");
    let part = &list(&document, "answers")[0];
    assert_eq!(
        (&part["metric"], &part["verdict"]),
        (&json!("copy_throughput"), &json!("regressed"))
    );
    assert!(lab.read("c.csv").contains("copies=300"));
    // A stored report reads the same, and is never compared with another number of copies.
    assert_eq!(lab.brisk(&["show", "1"]).stdout, report);
    lab.brisk(&["compare", "--with", "1", "sleep 0.01"])
        .refused("cannot compare with experiment 1")
        .because("it measured 300 copies at once on ");
    let other = ["compare", "--copies", "2", "--with", "1", "sleep 0.01"];
    lab.brisk(&other).refused("cannot compare with experiment 1").because("this would be 2 copies");
}

#[test]
fn several_numbers_of_copies_are_compared_with_the_first() {
    let lab = Lab::new();
    let options = ["--copies", "1,16", "-r", "14", "-n", "nap", "sleep 0.2"];
    let document = lab.compared(&options);
    let names: Vec<&Value> = list(&document, "variants").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("nap (1 copy)"), &json!("nap (16 copies)")]);
    let parts = list(&document, "comparisons");
    let of = |id: &str| parts.iter().find(|part| part["metric"] == json!(id));
    let throughput = of("copy_throughput").expect("it answers");
    assert_eq!(throughput["verdict"], json!("improved"), "sleepers do not share a processor");
    // Sixteen copies use more than one, which says nothing about the program.
    assert_eq!((of("cpu_time"), of("minor_faults")), (None, None));
}

#[test]
fn one_copy_is_the_usual_run() {
    let lab = Lab::new();
    let document = lab.compared(&["--copies", "1", "-r", "2", "sh -c 'test -z \"$BRISK_COPY\"'"]);
    assert_eq!(document["variants"][0]["labels"], json!({}));
    assert_eq!(measured(&document)[0]["readings"].get("copy_throughput"), None);
}

#[test]
fn the_copy_that_fails_is_named() {
    let lab = Lab::new();
    let command = "test $BRISK_COPY != 2 || { echo broken >&2; exit 7; }; exec sleep 100";
    lab.brisk(&["compare", "--copies", "4", command])
        .refused("exited with status 7 in round 1, copy 2 of 4 (`BRISK_COPY=2`)")
        .complains("broken");
}

#[test]
fn an_interrupted_run_leaves_no_copy_behind() {
    let lab = Lab::new();
    let running = lab.start(&["compare", "--copies", "3", "echo $$ >> pids; exec sleep 1000"]);
    eventually("all copies run", || lab.exists("pids") && lab.lines("pids").len() == 3);
    running.signal("INT");
    running.wait();
    for pid in lab.lines("pids") {
        let path = format!("/proc/{pid}/stat");
        let is_alive = std::fs::read_to_string(path).is_ok_and(|stat| stat.contains("sleep"));
        assert!(!is_alive, "{pid} still runs");
    }
}

#[test]
fn what_makes_no_sense_with_copies_is_refused() {
    let lab = Lab::new();
    let refused = |options: &[&str], why: &str| {
        let all = [&["compare"], options, &["touch ran"]].concat();
        lab.brisk(&all).refused(why);
        assert!(!lab.exists("ran"), "{options:?}");
    };
    for wrong in ["0", "many", "1.5", "9999", "2,"] {
        refused(&["--copies", wrong], "write a number from 1 to 512");
    }
    refused(&["--copies", "2,2"], "has the number 2 twice");
    refused(&["--copies", "2", "--output", "out"], "several copies would write one file, `out`");
    refused(&["--copies", "2", "--input", "in.{copy}"], "cannot read from `in.0`");
    refused(&["--copies", "2", "--measure", "x=/(\\d+)/"], "several copies print at once");
    refused(&["--copies", "2", "--on", "slurm"], "`--copies` and `--on` cannot both be given");
    refused(&["--metrics", "throughput"], "read of copies that run at once");
    let parameter = ["--copies", "2", "-L", "copies", "1,2", "--env", "N={copies}"];
    refused(&parameter, "a parameter cannot be called `copies` beside `--copies`");
}
