//! Ratios in JSON, which has no infinite numbers: a very large one stands for them.

use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

/// The stand-in for an infinite ratio: a number, so that programs that read ratios still can.
pub const INFINITE: f64 = 1e300;

/// True if a ratio, or a moderate multiple of it, stands for an infinite one.
pub fn is_infinite(ratio: f64) -> bool {
    ratio >= INFINITE / 1e9
}

/// Writes a ratio.
///
/// # Errors
///
/// When the serializer fails.
pub fn serialize<S: Serializer>(ratio: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    ratio.min(INFINITE).serialize(serializer)
}

/// Reads a ratio.
///
/// # Errors
///
/// When it is not a number.
pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<f64, D::Error> {
    let ratio = f64::deserialize(deserializer)?;
    Ok(if is_infinite(ratio) { f64::INFINITY } else { ratio })
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Held(#[serde(with = "super")] f64);

    #[test]
    fn a_ratio_is_read_as_it_is_written_also_over_zero() {
        for ratio in [0.0, 0.5, 1e200, f64::INFINITY] {
            let written = serde_json::to_string(&Held(ratio)).expect("writable");
            let value: serde_json::Value = serde_json::from_str(&written).expect("JSON");
            assert!(value.is_f64(), "{written}");
            assert_eq!(serde_json::from_str::<Held>(&written).ok(), Some(Held(ratio)));
        }
    }
}
