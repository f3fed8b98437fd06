//! A store with a million runs: listing it, and showing an experiment.

use crate::Row;
use crate::peers::{self, Peers};

const RUNS: &str = "1000000";

/// Fills a store through the store itself, then times the two verbs as whole programs.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let file = peers.file("million.db");
    peers::remove_store(&file);
    let path = file.display().to_string();
    let filled = peers::run(peers.example("fill_store").args([&path, "1", RUNS, "20"]));
    if !filled.ok {
        return tell(Row::new("a store of 1,000,000 runs", "", "not checked", ""));
    }
    let list = peers.answer_ms(&["list", "--store", &path]);
    let show = peers.answer_ms(&["show", "1", "--store", &path]);
    tell(Row::new(
        "`list` and `show` with 1,000,000 stored runs",
        "< 200 ms",
        format!("{list:.0} ms, {show:.0} ms"),
        "",
    ));
}
