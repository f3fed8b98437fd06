//! A user's own metrics, defined with `--measure`, such as the size of a command's output.
//!
//! The registry does not have them, so the identifier itself carries all that is needed, wherever
//! it goes: in the store, in exports, in another brisk. `size[bytes]` is a size in bytes, lower is
//! better; `score[higher]` is a plain number, higher is better; `errors` is a plain number, lower
//! is better.

use super::{Direction, Metric, MetricId, Role, Unit};

/// The spelling of units in an identifier, except that of plain numbers.
const UNITS: [(&str, Unit); 5] = [
    ("seconds", Unit::Seconds),
    ("bytes", Unit::Bytes),
    ("hertz", Unit::Hertz),
    ("joules", Unit::Joules),
    ("ratio", Unit::Ratio),
];

/// The spelling of directions in an identifier, except the usual one.
const DIRECTIONS: [(&str, Direction); 2] =
    [("higher", Direction::Higher), ("neither", Direction::Context)];

/// The identifier of a metric with this name.
pub fn id(name: &str, unit: Unit, direction: Direction) -> MetricId {
    let unit = UNITS.iter().find(|(_, known)| *known == unit).map(|(word, _)| *word);
    let direction = DIRECTIONS.iter().find(|(_, known)| *known == direction).map(|(word, _)| *word);
    let said: Vec<&str> = unit.into_iter().chain(direction).collect();
    MetricId::from(match said.as_slice() {
        [] => name.to_owned(),
        said => format!("{name}[{}]", said.join(",")),
    })
}

/// The unit with this name in an identifier; `count` is a plain number.
pub fn unit(word: &str) -> Option<Unit> {
    let plain = (word == "count").then_some(Unit::Count);
    plain.or_else(|| UNITS.iter().find(|(known, _)| *known == word).map(|(_, unit)| *unit))
}

/// The direction with this name in an identifier; `lower` is the usual one.
pub fn direction(word: &str) -> Option<Direction> {
    let usual = (word == "lower").then_some(Direction::Lower);
    usual.or_else(|| DIRECTIONS.iter().find(|(known, _)| *known == word).map(|(_, one)| *one))
}

/// The part of an identifier that is its name.
pub(super) fn name_of(id: &str) -> &str {
    id.split_once('[').map_or(id, |(name, _)| name)
}

/// True if the text is a valid name: letters, digits and underscores, as in the registry.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
}

/// The row derived from an identifier; `None` if it is not that of a user's own metric.
pub(super) fn row(id: &MetricId) -> Option<Metric<'_>> {
    let text = id.as_str();
    let name = name_of(text);
    let mut row = Metric {
        id: id.clone(),
        label: name,
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "what `--measure` says it is",
        read: None,
    };
    let said = text[name.len()..].strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    for word in said.into_iter().flat_map(|said| said.split(',')) {
        match (unit(word), direction(word)) {
            (Some(unit), _) => row.unit = unit,
            (None, Some(direction)) => row.direction = direction,
            (None, None) => return None,
        }
    }
    let is_whole = said.is_some() || name.len() == text.len();
    (is_whole && is_name(name)).then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Nature, Source, find};

    #[test]
    fn an_identifier_says_what_has_to_be_known_of_a_metric() {
        for (written, name, unit, direction) in [
            ("errors", "errors", Unit::Count, Direction::Lower),
            ("size[bytes]", "size", Unit::Bytes, Direction::Lower),
            ("score[higher]", "score", Unit::Count, Direction::Higher),
            ("rate[hertz,higher]", "rate", Unit::Hertz, Direction::Higher),
            ("p99[seconds,neither]", "p99", Unit::Seconds, Direction::Context),
        ] {
            let id = id(name, unit, direction);
            assert_eq!(id.as_str(), written);
            let row = find(&id).expect("an identifier");
            assert_eq!((row.label, row.unit, row.direction), (name, unit, direction));
            assert!(row.is_own() && !row.is_of_runtime() && !row.grows_with_work());
        }
    }

    #[test]
    fn what_is_no_identifier_says_nothing() {
        for text in ["", "[bytes]", "two words", "size[", "size[bytes", "size[parsecs]", "a[b]c"] {
            assert!(find(&MetricId::from(text.to_owned())).is_none(), "{text}");
        }
    }

    #[test]
    fn only_times_and_rates_vary_by_chance() {
        let nature = |text: &str| {
            let id = MetricId::from(text.to_owned());
            find(&id).map(|row| row.nature(Source::Run))
        };
        assert_eq!(nature("size[bytes]"), Some(Nature::Counted));
        assert_eq!(nature("p99[seconds]"), Some(Nature::Measured));
        assert_eq!(nature("rate[hertz]"), Some(Nature::Measured));
    }
}
