//! Durations as people write them: `500ms`, `2s`, `1m30s`, `2.5` (seconds).

use std::time::Duration;

/// The reason that a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum DurationError {
    #[error("`{0}` is not a duration; write for example `500ms`, `2s`, `1m30s` or `2.5` (seconds)")]
    Unreadable(String),
    #[error("`{0}` is not a positive duration below a year")]
    OutOfRange(String),
}

/// Units and their seconds. Longer names first if one is a prefix of another.
const UNITS: [(&str, f64); 8] = [
    ("min", 60.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ns", 1e-9),
    ("h", 3600.0),
    ("m", 60.0),
    ("s", 1.0),
];

const SECONDS_A_YEAR: f64 = 365.0 * 24.0 * 3600.0;

/// Parses a positive duration.
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let seconds = seconds(text).ok_or_else(|| DurationError::Unreadable(text.to_owned()))?;
    if seconds > 0.0 && seconds < SECONDS_A_YEAR {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(DurationError::OutOfRange(text.to_owned()))
    }
}

fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(plain) = text.parse() {
        return Some(plain);
    }
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))?;
        let number: f64 = rest[..digits].parse().ok()?;
        let (unit, factor) = UNITS.iter().find(|(unit, _)| rest[digits..].starts_with(unit))?;
        total += number * factor;
        rest = &rest[digits + unit.len()..];
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_ways_of_writing_are_read() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("2s", 2000),
            ("2.5", 2500),
            ("1m30s", 90_000),
            ("2min", 120_000),
            ("1h", 3_600_000),
            (" 10s ", 10_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        assert_eq!(parse("50us"), Ok(Duration::from_micros(50)));
    }

    #[test]
    fn zero_negative_and_not_a_number_are_refused() {
        for text in ["0", "0s", "-1s", "-1", "NaN", "inf", "1e300", "-0"] {
            assert_eq!(parse(text), Err(DurationError::OutOfRange(text.to_owned())), "{text}");
        }
        for text in ["", "s", "2x", "1s2", "one"] {
            assert_eq!(parse(text), Err(DurationError::Unreadable(text.to_owned())), "{text}");
        }
    }
}
