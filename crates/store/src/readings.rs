//! A run's readings as one JSON array, in the order of the experiment's list for their source.
//!
//! A number is the reading; a text is the number of the reason why it is missing, in the table
//! `missing_reason`; null means that the metric was not requested. One array per run, because one
//! row per reading takes five times the space and time; the view `reading` makes rows of the
//! arrays.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

use model::metric::{MetricId, Missing, NOT_FINITE, Readings, Value};

/// The limit up to which every integer has a float of its own (2^53).
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Appends `readings` as an array to `out`; `number_of` returns the number of a reason.
///
/// Metrics missing in `list` are appended to it.
pub(super) fn encode<E>(
    readings: &Readings,
    list: &mut Vec<MetricId>,
    mut number_of: impl FnMut(&Missing) -> Result<i64, E>,
    out: &mut String,
) -> Result<(), E> {
    let mut cells: Vec<Option<&Value>> = vec![None; list.len()];
    for (expected, (id, value)) in readings.iter().enumerate() {
        // Nearly every run has the same readings as the one before it, in the same order.
        let index = if list.get(expected) == Some(id) {
            expected
        } else {
            list.iter().position(|known| known == id).unwrap_or_else(|| {
                list.push(id.clone());
                cells.push(None);
                list.len() - 1
            })
        };
        cells[index] = Some(value);
    }
    out.push('[');
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        match cell {
            None => out.push_str("null"),
            Some(Ok(value)) if value.is_finite() => push_number(*value, out),
            Some(Ok(_)) => push_reason(number_of(&NOT_FINITE)?, out),
            Some(Err(missing)) => push_reason(number_of(missing)?, out),
        }
    }
    out.push(']');
    Ok(())
}

/// The shortest text that reads back as the same float.
fn push_number(value: f64, out: &mut String) {
    use fmt::Write;
    let whole = value.fract() == 0.0 && value.abs() < MOST_EXACT && value.to_bits() != MINUS_ZERO;
    let written = if whole {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        let whole = value as i64;
        write!(out, "{whole}")
    } else {
        // `{:?}` is Rust's shortest text that round-trips, with an exponent if that is shorter.
        write!(out, "{value:?}")
    };
    written.expect("writing to a string cannot fail");
}

/// The bits of minus zero, which would read back as plain zero if written as an integer.
const MINUS_ZERO: u64 = 1 << 63;

fn push_reason(number: i64, out: &mut String) {
    use fmt::Write;
    write!(out, "\"{number}\"").expect("writing to a string cannot fail");
}

/// Reads the output of [`encode`]; `reason` returns the reason with a number.
pub(super) fn decode(
    text: &str,
    list: &[MetricId],
    reason: impl Fn(i64) -> Option<Missing>,
) -> Result<Readings, serde_json::Error> {
    let cells: Vec<Cell> = serde_json::from_str(text)?;
    if cells.len() > list.len() {
        return Err(de::Error::custom("a run has more readings than its experiment's list"));
    }
    list.iter()
        .zip(cells)
        .filter_map(|(id, cell)| {
            let value = match cell {
                Cell::Absent => return None,
                Cell::Read(value) => Ok(value),
                Cell::Missing(number) => match reason(number) {
                    Some(missing) => Err(missing),
                    None => return Some(Err(de::Error::custom("an unknown missing_reason"))),
                },
            };
            Some(Ok((id.clone(), value)))
        })
        .collect()
}

/// One element of the array.
enum Cell {
    Absent,
    Read(f64),
    Missing(i64),
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl Visitor<'_> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number, the number of a reason as text, or null")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Cell, E> {
        Ok(Cell::Read(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Cell, E> {
        Ok(Cell::Read(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Cell, E> {
        Ok(Cell::Read(value as f64))
    }

    fn visit_str<E: de::Error>(self, number: &str) -> Result<Cell, E> {
        number.parse().map(Cell::Missing).map_err(E::custom)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Cell, E> {
        Ok(Cell::Absent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &[&str]) -> Vec<MetricId> {
        ids.iter().map(|id| MetricId::from((*id).to_owned())).collect()
    }

    fn encoded(readings: &Readings, list: &mut Vec<MetricId>) -> String {
        let mut out = String::new();
        encode(readings, list, |_| Ok::<_, ()>(3), &mut out).expect("numbering succeeds");
        out
    }

    #[test]
    fn a_value_a_reason_and_an_absence_are_told_apart() {
        let ids = list(&["a", "b", "c"]);
        let gone = Missing("gone".into());
        let readings: Readings =
            [(ids[0].clone(), Ok(0.0)), (ids[2].clone(), Err(gone.clone()))].into_iter().collect();
        let text = encoded(&readings, &mut ids.clone());
        assert_eq!(text, r#"[0,null,"3"]"#);
        assert_eq!(decode(&text, &ids, |_| Some(gone.clone())).expect("valid"), readings);
    }

    #[test]
    fn a_metric_that_appears_later_joins_the_end_of_the_list() {
        let mut ids = list(&["a"]);
        let readings: Readings = list(&["b", "a"]).into_iter().zip([Ok(2.0), Ok(1.0)]).collect();
        assert_eq!(encoded(&readings, &mut ids), "[1,2]");
        assert_eq!(ids, list(&["a", "b"]));
        // An earlier run has a shorter array.
        let earlier = decode("[7]", &ids, |_| None).expect("valid");
        assert_eq!(earlier, list(&["a"]).into_iter().zip([Ok(7.0)]).collect());
    }

    #[test]
    fn every_float_reads_back_as_itself() {
        for value in [0.0, -0.0, 0.1, 1e-300, 5e-324, f64::MAX, 1e15, 9.007_199_254_740_993e15] {
            let mut text = "[".to_owned();
            push_number(value, &mut text);
            text.push(']');
            let read = decode(&text, &list(&["a"]), |_| None).expect("valid");
            let read = read.iter().next().expect("one").1.clone().expect("a value");
            assert_eq!(read.to_bits(), value.to_bits(), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_number_has_a_reason() {
        let mut ids = list(&["a"]);
        let readings: Readings = ids.clone().into_iter().zip([Ok(f64::NAN)]).collect();
        assert_eq!(encoded(&readings, &mut ids), r#"["3"]"#);
    }
}
