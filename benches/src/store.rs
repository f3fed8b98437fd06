//! A store with a million runs: listing it, and showing an experiment.

use crate::Row;
use crate::peers::{self, Peers, median};

const RUNS: &str = "1000000";

/// Fills a store through the store itself, then times the two verbs as whole programs.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let path = peers.file("million.db").display().to_string();
    let time = |arguments: &[&str]| {
        let walls = (0..11).map(|_| {
            let finished = peers::run(&mut peers.brisk_command(arguments));
            assert!(finished.ok, "{arguments:?}");
            finished.wall.as_secs_f64() * 1000.0
        });
        median(walls.collect())
    };
    for suffix in ["", "-wal", "-shm"] {
        // There may be none yet.
        let _ = std::fs::remove_file(format!("{path}{suffix}"));
    }
    let filled = peers::run(peers.fill_store().args([&path, "1", RUNS, "20"]));
    if !filled.ok {
        return tell(Row::new("a store of 1,000,000 runs", "", "not checked", ""));
    }
    let list = time(&["list", "--store", &path]);
    let show = time(&["show", "1", "--store", &path]);
    tell(Row::new(
        "`list` and `show` with 1,000,000 stored runs",
        "< 200 ms",
        format!("{list:.0} ms, {show:.0} ms"),
        "",
    ));
}
