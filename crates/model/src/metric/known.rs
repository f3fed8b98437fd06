//! A value, or the reason why it is missing, in JSON: the value itself, or `{"missing": "REASON"}`.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{MetricId, Missing, NOT_FINITE, Readings};

/// The two forms. The reason is tried first: no value has a field with that name.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form<T> {
    Missing { missing: Missing },
    Value(T),
}

/// Writes the value or the reason.
///
/// # Errors
///
/// When the value cannot be written.
pub fn serialize<T: Serialize, S: Serializer>(
    known: &Result<T, Missing>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match known {
        Ok(value) => Form::Value(value).serialize(serializer),
        Err(missing) => Form::<T>::Missing { missing: missing.clone() }.serialize(serializer),
    }
}

/// Reads the value or the reason.
///
/// # Errors
///
/// When the JSON is neither a value nor a reason.
pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Result<T, Missing>, D::Error> {
    Ok(match Form::deserialize(deserializer)? {
        Form::Value(value) => Ok(value),
        Form::Missing { missing } => Err(missing),
    })
}

/// By metric, in order. Infinity and "not a number" cannot be written, and become missing.
impl Serialize for Readings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(id, value)| {
            let form = match value {
                Ok(value) if value.is_finite() => Form::Value(*value),
                Ok(_) => Form::Missing { missing: NOT_FINITE },
                Err(missing) => Form::Missing { missing: missing.clone() },
            };
            (id, form)
        }))
    }
}

impl<'de> Deserialize<'de> for Readings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

/// Reads the pairs of a map in order.
struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Readings;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("readings by metric")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Readings, A::Error> {
        let mut readings = Vec::new();
        while let Some((id, form)) = map.next_entry::<MetricId, Form<f64>>()? {
            readings.push(match form {
                Form::Value(value) => (id, Ok(value)),
                Form::Missing { missing } => (id, Err(missing)),
            });
        }
        Ok(readings.into_iter().collect())
    }
}
