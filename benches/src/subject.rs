//! A subject of known duration, and another that is longer by a known part.

use crate::peers::Peers;

/// Two commands, the second longer by a known fraction of the first one's wall time.
pub struct Subject {
    /// The baseline.
    pub before: String,
    /// The candidate.
    pub after: String,
    /// The duration of a run of the baseline, in seconds.
    pub seconds: f64,
}

/// Steps that are timed to learn the cost of a step.
const FEW: f64 = 200_000.0;
const MANY: f64 = 4_200_000.0;

impl Subject {
    /// A program that takes about `seconds`, and one that takes `change` (0.01 for 1 %) longer.
    pub fn new(peers: &Peers, seconds: f64, change: f64) -> Self {
        let spin = peers.file("spin");
        let spin = spin.to_str().expect("the work folder is a text").to_owned();
        let (short, long) = timed(peers, &spin);
        let a_step = (long - short) / (MANY - FEW);
        let start = short - FEW * a_step;
        let steps = |seconds: f64| ((seconds - start) / a_step).max(1.0).round();
        let before = steps(seconds);
        let after = before + (seconds * change / a_step).round();
        Self { before: format!("{spin} {before}"), after: format!("{spin} {after}"), seconds }
    }
}

fn timed(peers: &Peers, spin: &str) -> (f64, f64) {
    let (few, many) = (format!("{spin} {FEW}"), format!("{spin} {MANY}"));
    let (document, _) =
        peers.brisk(&["--runs", "200", &few, &many]).expect("spin is there and runs");
    let of = |variant: u64| {
        let summaries = document["summaries"].as_array().expect("brisk/1 has summaries");
        let wall = summaries.iter().find(|s| s["variant"] == variant && s["metric"] == "wall_time");
        wall.expect("wall time is always read")["median"].as_f64().expect("a number")
    };
    (of(0), of(1))
}
