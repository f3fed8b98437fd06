//! The costs of a program and their changes, one row for each function or binding.

use draw::axis::decimals;
use draw::forest::{ForestFigure, ForestRow};
use draw::{Axis, Chart, Estimate, Figure};

use crate::core_difference::Told;
use crate::explanation;
use crate::pictures;
use findings::core_difference::{CoreDifference, CostChange};
use findings::explanation::{Explanation, FindingCost};
use findings::explanation::{LispExplanation, LispFunction};
use model::metric::Unit;
use words::capitalised;
use words::quantity::{percent, quantity};

/// The largest number of rows drawn; the report has all of them.
const MOST_ROWS: usize = 30;

/// Rows to draw, with the text around them.
struct Costs {
    title: String,
    subtitle: String,
    name: String,
    measured: String,
    unit: Option<Unit>,
    rows: Vec<ForestRow>,
}

impl Costs {
    fn chart(mut self) -> Option<Chart> {
        let all = self.rows.len();
        self.rows.truncate(MOST_ROWS);
        let ends = self.rows.iter().map(|row| row.ratio.high).filter(|end| end.is_finite());
        let most = ends.fold(0.0, f64::max);
        let across = match self.unit {
            Some(unit) => Axis::from_zero(most, &pictures::along(unit)),
            None => Axis::from_zero(most, &|share, grain| {
                format!("{:.*} %", decimals(100.0 * grain.step), 100.0 * share)
            }),
        };
        let note = match self.rows.len() {
            shown if shown < all => format!("the first {shown} of {all}"),
            _ => String::new(),
        };
        let description: Vec<String> = self.rows.iter().map(|row| row.tooltip.clone()).collect();
        (most > 0.0).then(|| Chart {
            title: self.title,
            subtitle: self.subtitle,
            description: description.join("\n"),
            figures: vec![Figure::Forest(ForestFigure {
                name: self.name,
                note,
                across,
                measured: self.measured,
                equal: None,
                rows: self.rows,
            })],
            keys: Vec::new(),
        })
    }
}

/// The share of each function's own samples; `None` for fewer than two functions.
pub(super) fn of_lisp(part: &LispExplanation) -> Option<Chart> {
    let seen = part.functions.iter().filter(|function| function.itself > 0);
    let row = |function: &LispFunction| {
        let share = &function.share;
        let with_calls = function.total as f64 / part.samples.max(1) as f64;
        let words = format!("{} itself, {} with calls", percent(share.share), percent(with_calls));
        Some(ForestRow {
            tooltip: format!("{}: {words}", function.name),
            name: function.name.clone(),
            ratio: Estimate::new(share.share, share.low, share.high)?,
            is_better: None,
            values: Vec::new(),
            words,
        })
    };
    let rows: Vec<ForestRow> = seen.filter_map(row).collect();
    let costs = Costs {
        title: format!("Where {} spends its time", part.subject),
        subtitle: format!("{} samples, {}", part.samples, part.compiler),
        name: "Time in the function itself".to_owned(),
        measured: "share of the samples, with its 95 % interval".to_owned(),
        unit: None,
        rows,
    };
    costs.chart().filter(|_| part.functions.len() > 1)
}

/// The share of each place in what the costliest is paid in; `None` for fewer than two places.
pub(super) fn of_explanation(part: &Explanation) -> Option<Chart> {
    let costs = || part.places.iter().filter_map(|place| Some((place, place.cost.as_ref()?)));
    let paid_in = costs().next()?.1.paid_in.clone();
    let share = |cost: &FindingCost| match paid_in.as_str() {
        "entries" => cost.entry_share,
        "memory" => cost.heap_share,
        _ => cost.allocation_share,
    };
    let mut rows: Vec<ForestRow> = costs()
        .filter_map(|(place, cost)| {
            let value = share(cost)?;
            let is_bound = cost.at_most && paid_in == "allocations";
            let bound = if is_bound { "at most " } else { "" };
            // A line from 0 replaces the interval: counts are not estimates.
            Some(ForestRow {
                name: place.binding.clone(),
                ratio: Estimate::new(value, 0.0, value)?,
                is_better: None,
                values: Vec::new(),
                words: format!("{bound}{}", percent(value)),
                tooltip: format!("{}: {}", place.binding, explanation::figures(cost)),
            })
        })
        .collect();
    rows.sort_by(|a, b| b.ratio.value.total_cmp(&a.ratio.value));
    let (name, of) = match paid_in.as_str() {
        "entries" => ("Entries of code", "entries"),
        "memory" => ("Memory", "the heap at its peak"),
        _ => ("Allocations", "allocations"),
    };
    let is_enough = rows.len() > 1;
    let costs = Costs {
        title: "Where the cost lies".to_owned(),
        subtitle: format!("places with findings in {}", part.subject),
        name: name.to_owned(),
        measured: format!("share of {of}; places within others count in both"),
        unit: None,
        rows,
    };
    costs.chart().filter(|_| is_enough)
}

/// The cost of each group of bindings before and after; `None` if nothing was measured.
pub(super) fn of_difference(part: &CoreDifference) -> Option<Chart> {
    let told = Told::from_part(part);
    let changed = part
        .changes
        .iter()
        .filter_map(|group| Some((group.binding.clone(), group.moved.as_ref()?)));
    let same = part.elsewhere.iter().map(|it| (format!("{} (same Core)", it.binding), &it.moved));
    let unit = told.unit();
    let row = |(name, moved): (String, &CostChange)| {
        let (before, after) = told.counts(moved).filter(|(before, after)| before != after)?;
        let [from, to] = [before, after].map(|count| count as f64);
        let words = format!("{} → {}", quantity(from, unit), quantity(to, unit));
        Some(ForestRow {
            tooltip: format!("{name}: {words}"),
            name,
            ratio: Estimate::new(to, from.min(to), from.max(to))?,
            is_better: Some(to < from),
            values: Vec::new(),
            words,
        })
    };
    let mut rows: Vec<ForestRow> = changed.chain(same).filter_map(row).collect();
    let size = |row: &ForestRow| row.ratio.high - row.ratio.low;
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let costs = Costs {
        title: "What moved".to_owned(),
        subtitle: format!(
            "from {} to {}; each line goes from the cost before to that after, where the triangle is",
            part.before.subject, part.after.subject
        ),
        name: capitalised(told.noun()),
        measured: "less is better".to_owned(),
        unit: Some(unit),
        rows,
    };
    costs.chart()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rows(chart: Option<Chart>) -> Vec<(String, [f64; 3], String)> {
        let Some(Chart { figures, .. }) = chart else { return Vec::new() };
        let [Figure::Forest(figure)] = figures.as_slice() else { panic!("one figure") };
        let row = |row: &ForestRow| {
            let Estimate { low, value, high, .. } = row.ratio;
            (row.name.clone(), [low, value, high], row.words.clone())
        };
        figure.rows.iter().map(row).collect()
    }

    fn explained(places: &[(&str, Value)]) -> Explanation {
        let place = |(binding, cost): &(&str, Value)| json!({"binding": binding, "cost": cost, "findings": []});
        let places: Vec<Value> = places.iter().map(place).collect();
        let part = json!({"subject": "A.hs", "modules": [], "findings": [], "places": places,
            "not_looked": [], "doubts": []});
        serde_json::from_value(part).expect("a part")
    }

    #[test]
    fn places_are_drawn_by_what_the_costliest_is_paid_in() {
        let cost = |allocated: f64, entered: f64, at_most: bool| {
            json!({"paid_in": "allocations", "allocated_bytes": 9, "allocation_share": allocated,
                "entries": 3, "entry_share": entered, "at_most": at_most})
        };
        let part = explained(&[
            ("f", cost(0.25, 0.5, true)),
            ("not measured", Value::Null),
            ("g", cost(0.5, 0.125, false)),
        ]);
        let expected = [("g", [0.0, 0.5, 0.5], "50 %"), ("f", [0.0, 0.25, 0.25], "at most 25 %")];
        let expected =
            expected.map(|(name, ends, words)| (name.to_owned(), ends, words.to_owned()));
        assert_eq!(rows(of_explanation(&part)), expected);
        assert_eq!(of_explanation(&explained(&[("only", cost(1.0, 1.0, false))])), None);
        let unmeasured = explained(&[("f", Value::Null), ("g", Value::Null)]);
        assert_eq!(of_explanation(&unmeasured), None);
    }

    #[test]
    fn what_moved_goes_from_the_cost_before_to_that_after() {
        let moved = |before: u64, after: u64| {
            json!({"bytes_before": before, "bytes_after": after, "share": 0.1,
                "entries_before": 7, "entries_after": 9})
        };
        let group = |binding: &str, moved: Value| {
            json!({"binding": binding, "core_name": "f", "what": "is new", "moved": moved,
                "minor": false, "more": [], "gone": [], "new": []})
        };
        let part = |told_by: &str| -> CoreDifference {
            let part = json!({
                "before": {"subject": "old", "modules": 1}, "after": {"subject": "new", "modules": 1},
                "bindings": {"same": 0, "changed": 3, "only_before": 0, "only_after": 0, "renamed": 0},
                "told_by": told_by, "rules": [], "modules_gone": [], "modules_new": [], "doubts": [],
                "changes": [group("less", moved(2000, 1000)), group("as much", moved(5, 5)),
                    group("not measured", Value::Null)],
                "elsewhere": [{"binding": "more", "moved": moved(0, 4000)}],
            });
            serde_json::from_value(part).expect("a part")
        };
        let found = rows(of_difference(&part("allocations")));
        let expected = [
            ("more (same Core)", [0.0, 4000.0, 4000.0], "0 B → 4.000 kB"),
            ("less", [1000.0, 1000.0, 2000.0], "2.000 kB → 1.000 kB"),
        ];
        let expected =
            expected.map(|(name, ends, words)| (name.to_owned(), ends, words.to_owned()));
        assert_eq!(found, expected);
        assert_eq!(rows(of_difference(&part("entries"))).len(), 3);
        // Instructions were not counted.
        assert_eq!(of_difference(&part("instructions")), None);
    }
}
