//! What is written at and behind the marks: labels of changes, tooltips, the description.

use super::{Commit, Drift, Graph, Panel, Point, State, Step};
use crate::metric::Unit;
use crate::report::quantity::quantity;

/// From this ratio on a change is a multiple rather than a percentage, and up to its inverse's
/// like. Arbitrary: `× 41` says more than `+4000.0 %`, `÷ 250` more than `-99.6 %`.
const MULTIPLE_FROM: f64 = 3.0;
/// See [`MULTIPLE_FROM`]; reductions stay percentages for longer, as in `-46.2 %`.
const FRACTION_UP_TO: f64 = 0.05;
/// The description names so many steps of each metric.
const MOST_DESCRIBED: usize = 20;

/// A change in few characters: `-46.2 %`, `× 41`, `÷ 250`.
pub(super) fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match ratio {
        _ if ratio >= MULTIPLE_FROM => format!("× {}", multiple(ratio)),
        _ if ratio <= FRACTION_UP_TO => format!("÷ {}", multiple(1.0 / ratio)),
        _ if percent.abs() >= 0.995 => format!("{percent:+.1} %"),
        _ => format!("{percent:+.2} %"),
    }
}

/// Two significant digits, or all before the point.
fn multiple(ratio: f64) -> String {
    match ratio {
        _ if ratio < 9.95 => format!("{ratio:.1}"),
        _ if ratio < 1e6 => format!("{ratio:.0}"),
        _ => format!("{ratio:.0e}"),
    }
}

/// `-46.2 % [-46.9 %, -45.5 %]`, or without interval where there is no noise.
fn change_with_interval(step: &Step) -> String {
    if step.low == step.high {
        return change(step.ratio);
    }
    format!("{} [{}, {}]", change(step.ratio), bound(step.low), bound(step.high))
}

/// An end of a ratio's interval, which may lie at 0 or infinity.
fn bound(ratio: f64) -> String {
    if ratio.is_finite() && ratio > 0.0 { change(ratio) } else { "?".to_owned() }
}

/// A value with its interval: `3.600 s [3.511 s, 3.702 s]`.
fn value(point: &Point, unit: Unit) -> String {
    let end = |value: f64| if value.is_finite() { quantity(value, unit) } else { "?".to_owned() };
    let middle = quantity(point.value, unit);
    if point.low == point.high {
        middle
    } else {
        format!("{middle} [{}, {}]", end(point.low), end(point.high))
    }
}

/// What became of a commit, where that is not that it was measured.
pub(super) fn state(state: &State) -> Option<String> {
    match state {
        State::Measured => None,
        State::SameAs { hash } => Some(format!("same program as {hash}")),
        State::DidNotBuild => Some("did not build".to_owned()),
        State::NotMeasured => Some("not measured".to_owned()),
    }
}

/// The tooltip of a commit: what it is, and its values in all panels.
pub(super) fn commit_tooltip(graph: &Graph, index: usize) -> String {
    let commit = &graph.commits[index];
    let mut lines = vec![name(commit)];
    lines.extend(state(&commit.state));
    for panel in &graph.panels {
        match &panel.points[index] {
            Some(point) => lines.push(format!("{}: {}", panel.name, value(point, panel.unit))),
            None if has_readings(&commit.state) => {
                lines.push(format!("{}: no reading", panel.name));
            }
            None => {}
        }
    }
    lines.join("\n")
}

fn has_readings(state: &State) -> bool {
    matches!(state, State::Measured | State::SameAs { .. })
}

fn name(commit: &Commit) -> String {
    format!("{} {}", commit.hash, commit.subject).trim().to_owned()
}

/// The tooltip of a step.
pub(super) fn step_tooltip(graph: &Graph, panel: &Panel, step: &Step) -> String {
    let commit = name(&graph.commits[step.commit]);
    let change = change_with_interval(step);
    format!("{}: {change}, {}\n{commit}", panel.name, step.change.word())
}

/// The tooltip of a drift.
pub(super) fn drift_tooltip(graph: &Graph, panel: &Panel, drift: &Drift) -> String {
    let (first, last) = (&graph.commits[drift.first].hash, &graph.commits[drift.last].hash);
    let (change, word) = (change(drift.ratio), drift.change.word());
    format!("{}: drift {change}, {word}\n{first} to {last}", panel.name)
}

/// The first and the last value of a panel: `60.02 GB → 250.3 MB`.
pub(super) fn ends(panel: &Panel) -> Option<String> {
    let mut given = panel.points.iter().flatten();
    let first = given.next()?;
    let last = given.next_back()?;
    let (first, last) = (quantity(first.value, panel.unit), quantity(last.value, panel.unit));
    Some(if first == last { first } else { format!("{first} → {last}") })
}

/// The whole graph in words, for those who do not see it.
pub(super) fn description(graph: &Graph) -> String {
    let (first, last) = (&graph.commits[0].hash, &graph.commits[graph.commits.len() - 1].hash);
    let mut sentences = vec![format!("{} commits from {first} to {last}.", graph.commits.len())];
    for panel in &graph.panels {
        let ends = ends(panel).unwrap_or_else(|| "no readings".to_owned());
        let named = panel.steps.iter().take(MOST_DESCRIBED).map(|step| {
            let hash = &graph.commits[step.commit].hash;
            format!("{} at {hash} ({})", change(step.ratio), step.change.word())
        });
        let mut steps: Vec<String> = named.collect();
        if panel.steps.len() > MOST_DESCRIBED {
            steps.push(format!("{} more", panel.steps.len() - MOST_DESCRIBED));
        }
        let steps = if steps.is_empty() { "none".to_owned() } else { steps.join(", ") };
        sentences.push(format!("{}: {ends}; steps: {steps}.", panel.name));
    }
    sentences.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::report::graph::Change;

    #[test]
    fn changes_are_short_and_large_ones_are_multiples() {
        for (ratio, expected) in [
            (0.5383, "-46.2 %"),
            (1.12, "+12.0 %"),
            (1.0042, "+0.42 %"),
            (0.9951, "-0.49 %"),
            (2.9, "+190.0 %"),
            (4.14, "× 4.1"),
            (41.4, "× 41"),
            (0.004, "÷ 250"),
            (1e-9, "÷ 1e9"),
        ] {
            assert_eq!(change(ratio), expected);
        }
    }

    #[test]
    fn tooltips_have_values_with_intervals_or_say_why_not() {
        let graph = samples::founding();
        assert_eq!(
            commit_tooltip(&graph, 39),
            "0000027 Use a zipper for the control stack\nAllocations: 250.0 MB\n\
             Memory: 2.000 MB\nTime: 3.600 s [3.557 s, 3.643 s]"
        );
        assert_eq!(commit_tooltip(&graph, 5), "0000005 Commit number 5\ndid not build");
        assert!(commit_tooltip(&graph, 12).contains("\nsame program as 000000b\nAllocations: "));
        let step = Step { commit: 39, ratio: 0.5, low: 0.0, high: 0.6, change: Change::Improved };
        assert_eq!(
            step_tooltip(&graph, &graph.panels[2], &step),
            "Time: -50.0 % [?, -40.0 %], improved\n0000027 Use a zipper for the control stack"
        );
    }

    #[test]
    fn the_description_says_what_the_picture_shows() {
        let words = description(&samples::founding());
        assert!(words.starts_with(
            "40 commits from 0000000 to 0000027.\nAllocations: 60.00 GB → 250.0 MB; steps: "
        ));
        assert!(words.contains("at 0000027 (improved)"), "{words}");
    }
}
