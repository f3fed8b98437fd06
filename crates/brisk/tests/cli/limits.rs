//! Large numbers of everything.

use crate::document::{list, measured, summary};
use crate::lab::Lab;

#[test]
fn ten_thousand_variants_are_compared() {
    let lab = Lab::new();
    let values: Vec<String> = (1..=10_000).map(|n| n.to_string()).collect();
    let arguments = ["-r", "1", "-L", "n", &values.join(","), "true {n}"];
    let document = lab.compared(&arguments);
    assert_eq!(list(&document, "variants").len(), 10_000);
    assert_eq!(measured(&document).len(), 10_000);
    assert_eq!(document["variants"][9_999]["command"], "true 10000");
    let round = list(&document["plan"], "rounds")[0].as_array().expect("a round");
    let mut visited: Vec<u64> = round.iter().filter_map(serde_json::Value::as_u64).collect();
    visited.sort_unstable();
    assert!(visited.into_iter().eq(0..10_000));
    let shown = lab.brisk(&["show", "1"]).succeeded();
    assert!(shown.stdout.lines().count() < 100, "nobody reads ten thousand rows");
    shown.says("and 9940 more");
}

#[test]
fn memory_grows_little_with_variants_and_runs() {
    let lab = Lab::new();
    let brisk = env!("CARGO_BIN_EXE_brisk");
    let nested = |arguments: &str| format!("'{brisk}' compare --store inner.db {arguments}");
    let document = lab.compared(&[
        "-N",
        "-r",
        "1",
        "--ignore-failure=1",
        &nested("-r 2 -N true"),
        &nested("-r 5000 -N true"),
        &nested("-r 1 -N -P n 1 2000 'true {n}'"),
    ]);
    let peak = |variant| summary(&document, variant, "peak_rss")["max"].as_f64().expect("read");
    // Five thousand runs of 24 readings would be a megabyte; two thousand variants have names,
    // summaries and comparisons, each some 25 kB. All pairs of them would be two million.
    assert!(peak(1) < peak(0) + 6e6, "{} {}", peak(0), peak(1));
    assert!(peak(2) < peak(0) + 1e8, "{} {}", peak(0), peak(2));
}

#[test]
fn a_long_command_is_whole_off_a_terminal() {
    let lab = Lab::new();
    let long = format!("true {}", "x".repeat(5000));
    let shown = lab.brisk(&["compare", "-r", "2", &long, "true"]).succeeded();
    assert_eq!(shown.stdout.matches(&long).count(), 1, "{shown}");
    assert_eq!(lab.exported("1")["variants"][0]["command"], long.as_str());
}
