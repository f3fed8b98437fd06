//! Three or more commands in order, by name, and against another baseline.

use crate::cost::COST;
use crate::lab::Lab;

/// A folder in which `sh cost.sh 0.1` costs exactly that.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("cost.sh", "echo cost \"$1\"\n");
    lab
}

/// Four commands with custom names, whose costs do not depend on the load.
const NAMES: [&str; 8] = ["-n", "base", "-n", "cheap", "-n", "twin", "-n", "dear"];
const COMMANDS: [&str; 4] =
    ["sh cost.sh 0.2", "sh cost.sh 0.1", "sh cost.sh 0.1 x", "sh cost.sh 0.5"];

fn compared(lab: &Lab) -> crate::lab::Ended {
    let options = ["compare", "--runs", "16", "--metrics", "cost", "--export-json", "four.json"];
    lab.brisk(&[&options[..], &COST, &NAMES, &COMMANDS].concat()).judged()
}

#[test]
fn four_commands_are_ranked_by_their_names_and_ties_are_said() {
    let lab = lab();
    let ended = compared(&lab);
    ended
        .says("`cheap` (B) is faster than `base` (A): it takes")
        .says("fastest first (cost): `cheap` (B) and `twin` (C) (not told apart), then `base` (A), then")
        .says("`dear` (D) is slower than `base` (A)");
    let ranks = serde_json::json!([
        {"variant": 1, "rank": 1}, {"variant": 2, "rank": 1}, {"variant": 0, "rank": 3},
        {"variant": 3, "rank": 4},
    ]);
    assert_eq!(lab.json("four.json")["ranking"], ranks);
    lab.brisk(&["export", "1", "--export-markdown", "four.md", "--export-html", "four.html"])
        .succeeded();
    for file in ["four.md", "four.html"] {
        let text = lab.read(file);
        assert!(text.contains("fastest first") && text.contains("not told apart"), "{text}");
    }
    // Two commands need no ranking.
    let two = [&["compare", "--runs", "6"], &COST[..], &COMMANDS[..2]].concat();
    let ended = lab.brisk(&two).judged();
    assert!(!ended.stdout.contains("first:"), "{}", ended.stdout);
    // Three rounds have no intervals.
    let open = [&["compare", "--runs", "3", "--metrics", "cost"], &COST[..], &COMMANDS].concat();
    lab.brisk(&open).judged().says("none of the 4 commands is shown to be fastest in cost");
}

/// A table of many rows does not show the best one at first sight.
#[test]
fn of_many_commands_the_first_few_are_ranked_and_the_others_counted() {
    let lab = lab();
    let commands: Vec<String> = (1..=9).rev().map(|n| format!("sh cost.sh 0.{n}")).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let options = ["compare", "--runs", "24", "--metrics", "cost"];
    lab.brisk(&[&options[..], &COST, &commands].concat())
        .judged()
        .says("fastest first (cost): `sh cost.sh 0.1` (I), then `sh cost.sh 0.2` (H), then ")
        .says("then `sh cost.sh 0.6` (D), then 3 others");
    let tied: Vec<&str> = [&["sh cost.sh 0.2"][..], &["sh cost.sh 0.1"; 8]].concat();
    lab.brisk(&[&options[..], &COST, &tied].concat())
        .judged()
        .says(" (G) and 2 others (not told apart), then 1 other");
}

#[test]
fn a_stored_experiment_is_shown_against_another_of_its_commands() {
    let lab = lab();
    compared(&lab);
    for name in ["cheap", "B", "sh cost.sh 0.1"] {
        lab.brisk(&["show", "1", "--baseline", name])
            .succeeded()
            .says("`base` (A) is slower than `cheap` (B): it takes 2.0")
            .says("`twin` (C)")
            .says("fastest first (cost): `cheap` (B) and `twin` (C) (not told apart), then `base` (A)");
    }
    lab.brisk(&["export", "1", "--baseline", "dear", "--export-json", "other.json"]).succeeded();
    let answers = lab.json("other.json")["answers"].clone();
    let answers = answers.as_array().expect("a list");
    assert_eq!(answers.len(), 3);
    assert!(answers.iter().all(|one| one["baseline"] == 3 && one["verdict"] == "improved"));
    // The stored report stays as requested.
    lab.brisk(&["show", "1"]).succeeded().says("is faster than `base` (A)");
    let none = lab.brisk(&["show", "1", "--baseline", "nobody"]);
    none.failed("experiment 1 has no command `nobody`").hinting("`base`, `cheap`, `twin`, `dear`");
    lab.brisk(&["sweep", "-q", "--runs", "2", "--param", "n=1,2", "true {n}"]);
    lab.brisk(&["show", "2", "--baseline", "n=2"]).failed("experiment 2 has no other baseline");
}

#[test]
fn names_that_differ_at_their_ends_read_differently_everywhere() {
    let lab = Lab::new();
    let name = |end: &str| format!("a/benchmark/with/a/long/path/that/is/longer/than/forty/{end}");
    let (one, other) = (name("one"), name("two"));
    let arguments = ["compare", "--runs", "2", "-q", "-n", &one, "-n", &other, "true", "true x"];
    // Without a terminal, nothing is truncated.
    let ended = lab.brisk(&arguments).judged();
    assert!(ended.stdout.contains(&one) && ended.stdout.contains(&other), "{}", ended.stdout);
}
