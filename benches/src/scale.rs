//! A history of thousands of commits, stored: its table and its graph.

use crate::Row;
use crate::peers::{self, Peers, median};

const COMMITS: &str = "5000";
const METRICS: &str = "10";

/// Fills a store through the store itself, then times the verbs as whole programs.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let file = peers.file("commits.db");
    peers::remove_store(&file);
    let store = file.display().to_string();
    let what =
        |what: &str| format!("{what} of a stored history, {COMMITS} commits × {METRICS} metrics");
    let filled = peers::run(peers.example("fill_history").args([&store, COMMITS, METRICS]));
    if !filled.ok {
        return tell(Row::new(what("the table"), "< 1 s", "not checked", ""));
    }
    let time = |arguments: &[&str]| {
        let walls = (0..7).map(|_| {
            let finished = peers::run(peers.brisk_command(arguments).args(["--store", &store]));
            assert!(finished.ok, "{arguments:?}");
            finished.wall.as_secs_f64()
        });
        format!("{:.2} s", median(walls.collect()))
    };
    tell(Row::new(what("the table"), "< 1 s", time(&["show", "1"]), ""));
    for option in ["--export-svg", "--export-png"] {
        let goal = "< 2 s";
        let name = what(&format!("the graph by `{option}`"));
        if !peers.offers("export", option) {
            tell(Row::new(name, goal, format!("not checked: no `{option}`"), ""));
            continue;
        }
        let path = peers.file("graph").display().to_string();
        tell(Row::new(name, goal, time(&["export", "1", option, &path]), ""));
    }
}
