//! Graphs for tests.

use super::{Change, Commit, Graph, Panel, Point, State, Step};
use crate::metric::Unit;

/// Forty commits in which everything becomes better by orders of magnitude, as in the history that
/// this program was founded on; one commit does not build, one is not measured, one is the same
/// program as its parent.
pub(super) fn founding() -> Graph {
    let commits = (0..40).map(|index| Commit {
        hash: format!("{index:07x}"),
        subject: match index {
            39 => "Use a zipper for the control stack".to_owned(),
            _ => format!("Commit number {index}"),
        },
        state: match index {
            5 => State::DidNotBuild,
            12 => State::SameAs { hash: "000000b".to_owned() },
            20 => State::NotMeasured,
            _ => State::Measured,
        },
    });
    let panels = [
        ("Allocations", Unit::Bytes, 60e9, 250e6, 0.0),
        ("Memory", Unit::Bytes, 6.7e9, 2e6, 0.0),
        ("Time", Unit::Seconds, 2640.0, 3.6, 0.012),
    ];
    Graph {
        title: "wasm-invoke: 40 commits".to_owned(),
        subtitle: "1cea765^..5406efd, first parents".to_owned(),
        commits: commits.collect(),
        panels: panels.into_iter().map(panel).collect(),
    }
}

/// Eight equal steps from `first` to `last`.
fn panel((name, unit, first, last, noise): (&str, Unit, f64, f64, f64)) -> Panel {
    let steps = [3, 9, 10, 16, 23, 30, 31, 39];
    let ratio = (last / first).powf(1.0 / 8.0);
    let value = |index| first * ratio.powi(steps.iter().filter(|s| **s <= index).count() as i32);
    let point = |index| {
        let value: f64 = value(index);
        Point { value, low: value * (1.0 - noise), high: value * (1.0 + noise) }
    };
    Panel {
        name: name.to_owned(),
        unit,
        points: (0..40).map(|index| (![5, 20].contains(&index)).then(|| point(index))).collect(),
        steps: steps.iter().map(|commit| step(*commit, ratio, noise)).collect(),
        drifts: Vec::new(),
    }
}

fn step(commit: usize, ratio: f64, noise: f64) -> Step {
    let (low, high) = (ratio * (1.0 - noise), ratio * (1.0 + noise));
    Step { commit, ratio, low, high, change: Change::Improved }
}
