//! Expectations against their limits: the share of its limit that each measured side takes up.

use draw::forest::{ForestFigure, ForestRow};
use draw::{Axis, Chart, Estimate, Figure};
use findings::{CheckedExpectation, Document};
use judge::acceptance::Standing;
use judge::expectation::{Link, Sides, Truth};
use judge::level::Interval;
use model::expectation::Comparator;
use model::metric::Unit;

use super::{along, subtitle};
use crate::expectations;

/// The expectations against their limits, in the order of the table; `None` if none has a limit to
/// measure against.
pub(super) fn chart(document: &Document) -> Option<Chart> {
    let checked = expectations::worst_first(document.expectations());
    let links = checked.iter().flat_map(|one| one.evaluation.links.iter().map(move |l| (one, l)));
    let rows: Vec<ForestRow> = links.clone().filter_map(|(one, link)| row(one, link)).collect();
    let left_out = links.count() - rows.len();
    let given = rows.iter().map(|row| row.ratio).chain(Estimate::exact(1.0));
    let across = Axis::from_points(&given.collect::<Vec<_>>(), &along(Unit::Ratio));
    let description = rows.iter().map(|row| row.tooltip.clone()).collect::<Vec<_>>().join("\n");
    let note = match left_out {
        0 => String::new(),
        count => format!("{} without a measured share", words::counted(count, "comparison")),
    };
    (!rows.is_empty()).then(|| Chart {
        title: "Every expectation against its limit".to_owned(),
        subtitle: subtitle(document),
        description,
        figures: vec![Figure::Forest(ForestFigure {
            name: "Share of the limit".to_owned(),
            note,
            across,
            measured: "right of 1 the limit is missed".to_owned(),
            equal: Some(1.0),
            rows,
        })],
        keys: Vec::new(),
    })
}

fn row(one: &CheckedExpectation, link: &Link) -> Option<ForestRow> {
    let ratio = share(link.sides.as_ref().ok()?, link.comparison)?;
    let is_better = match (one.standing, link.truth) {
        (Standing::Accepted, _) | (_, Truth::Undecided) => None,
        (_, Truth::Holds) => Some(true),
        (_, Truth::Fails) => Some(false),
    };
    let words = expectations::sentence(link).text();
    let name = link.what.split_whitespace().collect::<Vec<_>>().join(" ");
    let outcome = match link.truth {
        Truth::Holds => "holds",
        Truth::Fails => "fails",
        Truth::Undecided => "undecided",
    };
    let outcome = if one.standing == Standing::Accepted { "accepted" } else { outcome };
    let measured = expectations::measured_against_limit(link);
    Some(ForestRow {
        name,
        ratio,
        is_better,
        values: Vec::new(),
        words: format!("{outcome}: {measured}"),
        tooltip: words,
    })
}

/// The measured side as a share of its limit, or the limit as a share of it where it is to be
/// large; `None` for an equality, and if a side is not positive.
fn share(sides: &Sides, comparison: Comparator) -> Option<Estimate> {
    let (part, whole) = match comparison {
        Comparator::Less | Comparator::AtMost => (sides.value, sides.limit),
        Comparator::Greater | Comparator::AtLeast => (sides.limit, sides.value),
        Comparator::Equal => return None,
    };
    let is_positive = |side: Interval| side.estimate() > 0.0 && side.estimate().is_finite();
    if !is_positive(part) || !is_positive(whole) {
        return None;
    }
    let low = (part.low() / whole.high()).max(0.0);
    let high = if whole.low() > 0.0 { part.high() / whole.low() } else { f64::INFINITY };
    Estimate::new(part.estimate() / whole.estimate(), low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(estimate: f64, low: f64, high: f64) -> Interval {
        Interval::new(estimate, low, high).expect("in order")
    }

    #[test]
    fn a_share_is_beyond_1_where_the_limit_is_missed_on_either_side() {
        let sides = |value, limit: f64| Sides { value, limit: interval(limit, limit, limit) };
        let of = |value: Interval, limit: f64, comparison: Comparator| {
            share(&sides(value, limit), comparison).map(|one| [one.low, one.value, one.high])
        };
        let value = interval(3.0, 2.0, 4.0);
        assert_eq!(of(value, 2.0, Comparator::AtMost), Some([1.0, 1.5, 2.0]));
        assert_eq!(of(value, 6.0, Comparator::Greater), Some([1.5, 2.0, 3.0]));
        assert_eq!(of(value, 6.0, Comparator::Less).map(|one| one[1]), Some(0.5));
        assert_eq!(of(value, 3.0, Comparator::Equal), None);
        assert_eq!(of(value, 0.0, Comparator::Less), None);
        // An unbounded value may be all of its limit.
        let open = interval(3.0, 2.0, f64::INFINITY);
        assert_eq!(of(open, 2.0, Comparator::AtMost), Some([1.0, 1.5, f64::INFINITY]));
        let from_zero = interval(3.0, 0.0, 4.0);
        assert_eq!(of(from_zero, 6.0, Comparator::Greater), Some([1.5, 2.0, f64::INFINITY]));
    }
}
