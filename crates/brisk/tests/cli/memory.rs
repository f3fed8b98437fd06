//! Memory: each program is charged only its usage, and brisk itself takes little.

use crate::document::{measured, summary};
use crate::lab::Lab;

#[test]
fn a_small_program_after_a_big_one_reports_its_own_memory() {
    let lab = Lab::new();
    let big = "dd if=/dev/zero of=/dev/null bs=300M count=1";
    lab.brisk(&["compare", "-r", "6", "--export-json", "results.json", big, "true"]).exited(0);
    let document = lab.json("results.json");
    for run in measured(&document) {
        let peak = run["readings"]["peak_rss"].as_f64().expect("memory is always read");
        let floor = run["readings"]["peak_rss_floor"].as_f64().expect("it is always known");
        if run["variant"] == 0 {
            assert!(peak > 3e8, "{peak}");
        } else {
            assert!(peak < 2e7 && floor < 2e7, "{peak} {floor}");
        }
    }
    let part = summary(&document, 1, "peak_rss");
    let (median, floor) = (
        part["median"].as_f64().expect("a median"),
        summary(&document, 1, "peak_rss_floor")["max"].as_f64().expect("a floor"),
    );
    // Values that are only upper bounds are marked.
    assert_eq!(part.get("at_most").is_some_and(|marked| marked == true), median <= floor);
    if median <= floor {
        lab.brisk(&["show", "1"]).succeeded().says("<= ");
    }
}

#[test]
fn the_memory_of_a_whole_tree_is_read_or_missing_with_a_reason() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "2", "--metrics", "peak_tree_memory,peak_rss", "true"]);
    for run in measured(&document) {
        let reading = &run["readings"]["peak_tree_memory"];
        let reason = reading["missing"].as_str().unwrap_or_default();
        let is_read = reading.as_f64().is_some_and(|bytes| bytes > 0.0);
        assert!(is_read || !(reason.is_empty() || reason == "not requested"), "{reading}");
    }
}
