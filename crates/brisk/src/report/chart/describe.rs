//! What is said of the points: tooltips, and the whole in words.

use super::{Chart, Estimate, Point, Standing};
use crate::metric::Unit;
use crate::report::quantity::quantity;

/// The tooltip of a point: its name, its values, and what else is known.
pub(super) fn tooltip(chart: &Chart, point: &Point) -> String {
    let roles: Vec<&str> = point.roles.iter().map(|role| role.word()).collect();
    let roles = roles.join(", ");
    let name = match roles.is_empty() || roles == point.name {
        true => point.name.clone(),
        false => format!("{} ({roles})", point.name),
    };
    let mut lines = vec![name];
    for (index, objective) in chart.objectives.iter().enumerate() {
        match point.shown(index) {
            Some(estimate) => {
                lines.push(format!("{}: {}", objective.name, value(estimate, objective.unit)));
            }
            None if point.standing == Standing::Failed => {}
            None => lines.push(format!("{}: no reading", objective.name)),
        }
    }
    lines.extend(point.remarks.iter().cloned());
    lines.join("\n")
}

/// `1.234 s [1.201 s, 1.260 s]`, or `<= 1.9 MB`.
fn value(estimate: Estimate, unit: Unit) -> String {
    let Estimate { value, low, high, is_bound } = estimate;
    match (is_bound, low < high) {
        (true, _) => format!("<= {}", quantity(value, unit)),
        (false, false) => quantity(value, unit),
        (false, true) => {
            format!("{} [{}, {}]", quantity(value, unit), quantity(low, unit), quantity(high, unit))
        }
    }
}

/// The pictures in words, for those who do not see them: how many points, and the named ones.
pub(super) fn description(chart: &Chart) -> String {
    let parameters: Vec<&str> = chart.parameters.iter().map(|one| one.name.as_str()).collect();
    let front = chart.points.iter().filter(|point| point.standing == Standing::Front).count();
    let names = parameters.join(", ");
    let mut sentences =
        vec![format!("{} points over {names}; {front} on the front.", chart.points.len())];
    let named = chart.points.iter().filter(|point| !point.roles.is_empty());
    sentences.extend(named.map(|point| tooltip(chart, point).replace('\n', "; ") + "."));
    sentences.join("\n")
}
