//! The extraction of metrics from the raw readings of a run.

use std::borrow::Cow;

use measure::{Copies, Counter, RawReadings};

use super::{Missing, Value};

pub(super) fn read<T>(reading: &Result<T, measure::Missing>, value: impl Fn(&T) -> f64) -> Value {
    reading.as_ref().map(value).map_err(Missing::from)
}

pub(super) fn count(raw: &RawReadings, counter: Counter) -> Value {
    read(raw.counters.count(counter), |count| count.value as f64)
}

/// The minimum share over the counters that counted.
pub(super) fn running_share(raw: &RawReadings) -> Value {
    let counted = raw.counters.counts.iter().filter_map(|count| count.as_ref().ok());
    match counted.map(|count| count.running_permille).min() {
        Some(permille) => Ok(f64::from(permille) / 1000.0),
        None => read(&raw.counters.counts[0], |_| 1.0),
    }
}

pub(super) fn of_copies(raw: &RawReadings, value: impl Fn(&Copies) -> f64) -> Value {
    raw.copies.as_ref().map(value).ok_or(missing("it ran alone"))
}

pub(super) fn quotient(above: Value, below: Value) -> Value {
    let (above, below) = (above?, below?);
    if below > 0.0 { Ok(above / below) } else { Err(missing("divided by a reading of zero")) }
}

pub(super) const fn missing(reason: &'static str) -> Missing {
    Missing(Cow::Borrowed(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_of_a_missing_reading_is_missing_and_never_divides_by_zero() {
        assert!(quotient(Ok(1.0), Err(missing("gone"))).is_err());
        assert!(quotient(Ok(1.0), Ok(0.0)).is_err());
        assert_eq!(quotient(Ok(3.0), Ok(2.0)), Ok(1.5));
    }
}
