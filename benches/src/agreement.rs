//! The same command against itself: the rate of false differences.

use serde_json::Value;

use crate::Row;
use crate::overhead::hyperfine_walls;
use crate::peers::{Peers, comparisons};
use crate::subject::Subject;

/// The time limit of each comparison.
const BUDGET_SECONDS: f64 = 1.0;

/// The peer's rates are far from the goal, so fewer of its comparisons suffice.
pub const PEER_EVERY: usize = 2;

/// The level of Welch's test on hyperfine's runs.
const LEVEL: f64 = 0.05;

/// Idle, then with every core kept busy by another process.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let subject = Subject::new(peers, 0.005, 0.0);
    let count = comparisons(200);
    let row = |how: &str, (brisk, peer): (String, String)| {
        let what = format!("false verdicts, a 5 ms command against itself, {how}");
        Row::new(what, "<= 5 %", brisk, peer)
    };
    tell(row("idle", agreement(peers, &subject, count)));
    let _load = peers.load(2);
    tell(row("both cores loaded", agreement(peers, &subject, count)));
}

fn agreement(peers: &Peers, subject: &Subject, count: usize) -> (String, String) {
    let (mut any_metric, mut answers, mut done) = (0, 0, 0);
    let (mut welch, mut apart, mut theirs) = (0, 0, 0);
    let budget = format!("{BUDGET_SECONDS}s");
    // As many runs as fit into the same time.
    let their_runs = (BUDGET_SECONDS / 2.0 / subject.seconds).floor().to_string();
    for number in 0..count {
        if let Some((document, _)) =
            peers.brisk(&["--budget", &budget, &subject.before, &subject.before])
        {
            done += 1;
            any_metric += usize::from(has_change(&document["comparisons"]));
            answers += usize::from(has_change(&document["answers"]));
        }
        if number % PEER_EVERY != 0 {
            continue;
        }
        if let Some((document, _)) =
            peers.hyperfine(&["--runs", &their_runs, &subject.before, &subject.before])
        {
            let (a, b) = (hyperfine_walls(&document, 0), hyperfine_walls(&document, 1));
            theirs += 1;
            welch += usize::from(is_different(&a, &b));
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            apart += usize::from((mean(&b) / mean(&a) - 1.0).abs() > 0.01);
        }
    }
    let share = |part: usize, of: usize| format!("{part}/{of}");
    let brisk =
        format!("{} answers, {} in any metric", share(answers, done), share(any_metric, done));
    let peer = if theirs == 0 {
        "not checked".to_owned()
    } else {
        format!("{} by Welch, {} means 1 % apart", share(welch, theirs), share(apart, theirs))
    };
    (brisk, peer)
}

fn has_change(parts: &Value) -> bool {
    let parts = parts.as_array().expect("brisk/1 has it");
    parts.iter().any(|part| matches!(part["verdict"].as_str(), Some("improved" | "regressed")))
}

/// True if Welch's test calls two samples different.
pub fn is_different(a: &[f64], b: &[f64]) -> bool {
    stats::student::welch_p(a, b).is_some_and(|p_value| p_value < LEVEL)
}
