//! Text shared by all pictures: values along axes, and values with their intervals.

use draw::Estimate;
use draw::axis::{Grain, decimals};

use findings::{Document, MetricSummary};
use model::metric::Unit;
use words::quantity::{quantity, scale_for};

/// Formats values of a unit along an axis.
pub(super) fn along(unit: Unit) -> impl Fn(f64, Grain) -> String {
    move |value, grain| {
        let scale = scale_for(grain.largest, unit);
        scale.with_symbol(&scale.number(value, decimals(scale.convert(grain.step))))
    }
}

/// The origin and date of the figures.
pub(super) fn subtitle(document: &Document) -> String {
    let cpu = document.machine["cpu_model"].as_str().unwrap_or("an unknown processor");
    format!("{}, {cpu}, {}", words::circumstances(document), words::date(document))
}

/// The estimate that represents all values of a summary. The interval is the median's; another
/// estimate may lie outside it, which widens it.
pub(super) fn of_summary(document: &Document, part: &MetricSummary) -> Option<Estimate> {
    let value = document.figure(part);
    let (low, high) = part.interval().unwrap_or((value, value));
    Estimate::new(value, low, high)
}

/// `1.234 s [1.201 s, 1.260 s]`, or `<= 1.9 MB`.
pub(super) fn estimate(estimate: &Estimate, unit: Unit) -> String {
    let end = |value: f64| if value.is_finite() { quantity(value, unit) } else { "?".to_owned() };
    let Estimate { value, low, high, is_bound } = *estimate;
    match (is_bound, low < high) {
        (true, _) => format!("<= {}", quantity(value, unit)),
        (false, false) => quantity(value, unit),
        (false, true) => format!("{} [{}, {}]", quantity(value, unit), end(low), end(high)),
    }
}

#[cfg(test)]
mod tests {
    use draw::Axis;

    use super::*;

    #[test]
    fn axes_have_round_values_with_the_prefix_that_suits_them() {
        let expect = |values: &[f64], unit, ticks: &[&str]| {
            let given: Vec<Estimate> = values.iter().filter_map(|v| Estimate::exact(*v)).collect();
            let axis = Axis::from_points(&given, &along(unit));
            let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
            assert_eq!(labels, ticks);
        };
        expect(&[60e9, 250e6], Unit::Bytes, &["1 GB", "10 GB", "100 GB"]);
        expect(&[6.7e9, 2e6], Unit::Bytes, &["1 MB", "10 MB", "100 MB", "1 GB", "10 GB"]);
        expect(&[2640.0, 3.6], Unit::Seconds, &["10 s", "100 s", "1000 s"]);
        expect(&[1e-9, 1e4], Unit::Seconds, &["1 ns", "1 µs", "1 ms", "1 s", "1000 s"]);
        expect(&[3.6, 2.1], Unit::Seconds, &["0", "1 s", "2 s", "3 s", "4 s"]);
        expect(&[0.9, 1.0], Unit::Ratio, &["0.85", "0.90", "0.95", "1.00"]);
        expect(&[500.0], Unit::Bytes, &["0", "100 B", "200 B", "300 B", "400 B", "500 B"]);
    }

    #[test]
    fn values_have_their_intervals() {
        let words = |one: Option<Estimate>, unit| estimate(&one.expect("numbers"), unit);
        assert_eq!(words(Estimate::exact(2e6), Unit::Bytes), "2.000 MB");
        assert_eq!(words(Estimate::at_most(1.9e6), Unit::Bytes), "<= 1.900 MB");
        assert_eq!(
            words(Estimate::new(3.6, 3.557, f64::INFINITY), Unit::Seconds),
            "3.600 s [3.557 s, ?]"
        );
    }
}
