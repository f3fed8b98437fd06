//! Quantiles of a metric over the runs of a variant: 99 of 100 runs stay below `wall_time.p99`.
//!
//! A quantile is not read from any run, so it is not a reading, but it is shown and judged like a
//! metric. Its identifier is that of the metric, `.p` and the percentage.

use std::borrow::Cow;

use stats::Estimator;
use stats::quantile::Quantile;

use super::{Metric, MetricId, Role, built_in};

/// The number of decimals of a percentage that make a difference.
const DECIMALS: usize = 3;

impl MetricId {
    /// The quantile; `None` if this is a reading.
    pub fn quantile(&self) -> Option<Quantile> {
        parts(self.as_str()).map(|(_, quantile)| quantile)
    }

    /// The underlying reading: the metric of a quantile, otherwise the identifier itself.
    pub fn reading(&self) -> Self {
        match parts(self.as_str()) {
            Some((reading, _)) => Self(Cow::Owned(reading.to_owned())),
            None => self.clone(),
        }
    }

    /// True if this is derived from `reading`.
    pub fn is_told_from(&self, reading: &Self) -> bool {
        self == reading || parts(self.as_str()).is_some_and(|(of, _)| of == reading.as_str())
    }

    /// The estimator that compares two samples of this metric; `usual` is that for readings.
    pub fn estimator(&self, usual: Estimator) -> Estimator {
        self.quantile().map_or(usual, Estimator::Quantile)
    }
}

/// The metric of a quantile, and the quantile's suffix in its canonical form; `None` if the name is
/// not a quantile. `wall_time.p99.0` becomes `wall_time.p99`.
pub(super) fn named(name: &str) -> Option<(&str, String)> {
    let (reading, quantile) = parts(name)?;
    let percent = (quantile.probability() * 1e5).round() / 1e3;
    Some((reading, format!(".p{percent}")))
}

/// The row of a quantile of a metric in the registry.
pub(super) fn row(id: &MetricId) -> Option<Metric<'_>> {
    let quantile_of = built_in(&id.reading()).filter(|_| id.quantile().is_some())?;
    let meaning = "a quantile over the runs of a variant";
    Some(Metric {
        id: id.clone(),
        label: id.as_str(),
        role: Role::Judged,
        meaning,
        ..quantile_of.clone()
    })
}

/// The reading, and its quantile: `wall_time`, 99 %.
fn parts(text: &str) -> Option<(&str, Quantile)> {
    let (reading, percent) = text.rsplit_once(".p")?;
    let (whole, part) = percent.split_once('.').unwrap_or((percent, "0"));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_percent = (1..=2).contains(&whole.len()) && (1..=DECIMALS).contains(&part.len());
    if !is_percent || !is_digits(whole) || !is_digits(part) {
        return None;
    }
    let thousandths = format!("{whole}{part:0<DECIMALS$}").parse().ok()?;
    Some((reading, Quantile::new(thousandths)?))
}

#[cfg(test)]
mod tests {
    use super::super::{CPU_TIME, WALL_TIME, find};
    use super::*;

    #[test]
    fn a_quantile_names_its_metric_and_its_percentage() {
        for (text, percent, written) in [
            ("wall_time.p50", 50.0, "wall_time.p50"),
            ("wall_time.p99.9", 99.9, "wall_time.p99.9"),
            ("wall_time.p99.990", 99.99, "wall_time.p99.99"),
            ("wall_time.p05.00", 5.0, "wall_time.p5"),
        ] {
            let id = MetricId::from(text.to_owned());
            let quantile = id.quantile().expect("a quantile");
            assert!((quantile.probability() * 100.0 - percent).abs() < 1e-9, "{text}");
            assert_eq!(id.reading(), WALL_TIME);
            assert!(id.is_told_from(&WALL_TIME) && !id.is_told_from(&CPU_TIME));
            let (reading, suffix) = named(text).expect("a quantile");
            assert_eq!(format!("{reading}{suffix}"), written);
            assert!(find(&id).is_some_and(|row| !row.is_own() && !row.is_of_runtime()));
        }
    }

    #[test]
    fn what_is_no_percentage_between_none_and_all_is_no_quantile() {
        for text in [
            "wall_time",
            "wall_time.p",
            "wall_time.p0",
            "wall_time.p100",
            "wall_time.p-5",
            "wall_time.p9x",
            "wall_time.p99.",
            "wall_time.p99.9999",
            "wall_time.99",
        ] {
            let id = MetricId::from(text.to_owned());
            assert!(id.quantile().is_none() && id.reading() == id, "{text}");
        }
        assert!(find(&MetricId::known("nothing.p99")).is_none());
    }
}
