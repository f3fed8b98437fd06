//! Limits for the points of a sweep: `peak_rss < 4 GB`.

use model::expectation::UnitSymbol;
use model::metric::{self, MetricError, MetricId, Unit};
use model::sweep::Limit;

/// The reason that a limit is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum LimitError {
    #[error("the limit `{text}` has no `<`")]
    NoComparison { text: String },
    #[error("the limit `{text}` names no metric")]
    Metric { text: String, source: MetricError },
    #[error("the limit `{text}` has `{bound}` where a number was expected")]
    NotANumber { text: String, bound: String },
    #[error("the limit `{text}` has the unknown unit `{unit}`")]
    UnknownUnit { text: String, unit: String },
    #[error("the limit `{text}` needs {needs}")]
    Unit { text: String, needs: &'static str },
}

/// Parses a limit on a metric of the registry or one of the user's `own`; `<=` means the same as
/// `<`.
///
/// # Errors
///
/// When it is invalid.
pub fn parse(text: &str, own: &[MetricId]) -> Result<Limit, LimitError> {
    let owned = || text.to_owned();
    let (name, bound) =
        text.split_once('<').ok_or_else(|| LimitError::NoComparison { text: owned() })?;
    let named = metric::parse_list(name.trim(), own);
    let metric =
        named.map_err(|source| LimitError::Metric { text: owned(), source })?.swap_remove(0);
    let bound = bound.strip_prefix('=').unwrap_or(bound).trim();
    let digits = bound.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(bound.len());
    let (number, symbol) = (&bound[..digits], bound[digits..].trim());
    let number: f64 = number
        .parse()
        .map_err(|_| LimitError::NotANumber { text: owned(), bound: bound.to_owned() })?;
    let unit =
        match symbol {
            "" => None,
            _ => Some(UnitSymbol::find(symbol).ok_or_else(|| LimitError::UnknownUnit {
                text: owned(),
                unit: symbol.to_owned(),
            })?),
        };
    let wanted = metric.unit();
    let has = unit.map_or(Some(Unit::Ratio), |unit| unit.dimension.unit());
    let plain = |unit: Unit| if unit == Unit::Count { Unit::Ratio } else { unit };
    if has != Some(plain(wanted)) {
        return Err(LimitError::Unit { text: owned(), needs: needs(wanted) });
    }
    let (times, over) = unit.map_or((1.0, 1.0), |unit| unit.factor());
    Ok(Limit { metric, below: number * times / over, text: text.trim().to_owned() })
}

fn needs(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "a unit of time, such as `ms`",
        Unit::Bytes => "a unit of memory, such as `MB` or `GiB`",
        Unit::Hertz => "a frequency, such as `MHz`",
        Unit::Joules => "a unit of energy, such as `J`",
        Unit::PerSecond => "a frequency, such as `Hz`",
        Unit::Count => "a plain number",
        Unit::Ratio => "a plain number, or `%`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric::{PEAK_RSS, WALL_TIME};

    #[test]
    fn a_limit_is_in_the_units_of_its_metric() {
        let own = [MetricId::known("size[bytes]")];
        let limit = |text: &str| parse(text, &own).map(|limit| (limit.metric, limit.below));
        assert_eq!(limit("peak_rss < 4 GB"), Ok((PEAK_RSS, 4e9)));
        assert_eq!(limit("peak_rss<=1MiB"), Ok((PEAK_RSS, 1_048_576.0)));
        assert_eq!(limit(" wall_time < 1.5 s"), Ok((WALL_TIME, 1.5)));
        assert_eq!(limit("minor_faults < 1000").map(|(_, below)| below), Ok(1000.0));
        assert_eq!(limit("size < 4 MB"), Ok((own[0].clone(), 4e6)));
        assert!(matches!(limit("size < 4"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("peak_rss < 4"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("peak_rss < 4 s"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("minor_faults < 4 kB"), Err(LimitError::Unit { .. })));
        assert!(matches!(limit("peak_rss < 4 parsecs"), Err(LimitError::UnknownUnit { .. })));
        assert!(matches!(limit("peak_rss < many"), Err(LimitError::NotANumber { .. })));
        assert!(matches!(limit("peak_rss > 4 GB"), Err(LimitError::NoComparison { .. })));
        assert!(matches!(limit("memory < 4 GB"), Err(LimitError::Metric { .. })));
    }
}
