//! Names and identifiers of metrics: as users type them, of users' own metrics, and of quantiles.
//!
//! Users name metrics by their identifiers, or as in the tables. A user's own metric, defined with
//! `--measure`, is not in the registry, so the identifier itself carries all that is needed, wherever
//! it goes: in the store, in exports, in another brisk. `size[bytes]` is a size in bytes, lower is
//! better; `score[higher]` is a plain number, higher is better; `errors` is a plain number, lower
//! is better.
//!
//! A quantile of a metric over the runs of a variant is not a reading, but it is shown and judged
//! like a metric: 99 of 100 runs stay below `wall_time.p99`.

use std::borrow::Cow;

use stats::Estimator;
use stats::quantile::Quantile;

use super::{ALLOCATED, Direction, Metric, MetricId, REGISTRY, Role, Unit, WALL_TIME, built_in};

/// The headings of metrics in the tables of a history, where they differ from the label. `memory`
/// is not included: it is `memory_in_use` with a runtime that reports it, and `peak_rss` otherwise.
static HEADINGS: [(&str, MetricId); 2] = [("allocations", ALLOCATED), ("time", WALL_TIME)];

/// The maximum number of suggestions for an unknown name.
const MOST_NEAR: usize = 6;

/// Words of up to this length are in too many names to be useful.
const TOO_SHORT: usize = 2;

/// The length of the common prefix that makes two words alike: `alloc`, `allocated`.
const ALIKE: usize = 4;

/// The reason why a list of metrics cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum MetricError {
    #[error("unknown metric `{name}`; {known}")]
    Unknown { name: String, known: String },
    #[error("`{0}` is a quantile over runs, which `brisk compare` and `brisk check` judge")]
    Quantile(String),
    #[error(
        "`{0}` is measured by `--measure`; only metrics that brisk reads itself have quantiles"
    )]
    QuantileOfOwn(String),
}

/// Parses the list given to `--metrics`: names separated by commas, from the registry or from a
/// user's `own` metrics, in the given order.
///
/// # Errors
///
/// When no metric has such a name, or it is a quantile.
pub fn parse_list(text: &str, own: &[MetricId]) -> Result<Vec<MetricId>, MetricError> {
    let named = parse_with_quantiles(text, own)?;
    match named.iter().find(|id| id.quantile().is_some()) {
        Some(id) => Err(MetricError::Quantile(id.to_string())),
        None => Ok(named),
    }
}

/// As [`parse_list`], but also accepts quantiles over runs, such as `wall_time.p99`.
///
/// # Errors
///
/// When no metric has such a name.
pub fn parse_with_quantiles(text: &str, own: &[MetricId]) -> Result<Vec<MetricId>, MetricError> {
    let mut chosen: Vec<MetricId> = Vec::new();
    for name in text.split(',').map(str::trim) {
        let id = match named_quantile(&as_suffix(name)) {
            Some((of, suffix)) => {
                let of = find(of, own).ok_or_else(|| unknown(of, own))?;
                if built_in(of).is_none() {
                    return Err(MetricError::QuantileOfOwn(of.name().to_owned()));
                }
                MetricId::from(format!("{of}{suffix}"))
            }
            None => find(name, own).ok_or_else(|| unknown(name, own))?.clone(),
        };
        if !chosen.contains(&id) {
            chosen.push(id);
        }
    }
    Ok(chosen)
}

/// The metric with this name: an identifier, or a heading in a table.
fn find<'a>(name: &str, own: &'a [MetricId]) -> Option<&'a MetricId> {
    let mut ids = REGISTRY.iter().map(|metric| &metric.id).chain(own);
    let by_id = ids.find(|id| id.name() == name || id.as_str() == name);
    let by_label = || {
        let words = name.replace('_', " ").to_lowercase();
        let labelled = REGISTRY.iter().find(|metric| metric.label == words);
        let headed = || HEADINGS.iter().find(|(heading, _)| *heading == words);
        labelled.map(|metric| &metric.id).or_else(|| headed().map(|(_, id)| id))
    };
    by_id.or_else(by_label)
}

fn unknown(name: &str, own: &[MetricId]) -> MetricError {
    let near = near(name, own);
    let (introduction, names) = match near.is_empty() {
        true => ("known: ", REGISTRY.iter().map(|metric| &metric.id).chain(own).collect()),
        false => ("near it: ", near),
    };
    let names: Vec<String> = names.iter().map(|id| format!("`{}`", id.name())).collect();
    MetricError::Unknown {
        name: name.to_owned(),
        known: introduction.to_owned() + &names.join(", "),
    }
}

/// The metrics that the user may have meant, likeliest first: those whose name differs by a typo,
/// then those with a similar word, then those with the word in their meaning.
fn near<'a>(name: &str, own: &'a [MetricId]) -> Vec<&'a MetricId> {
    // The distance takes time proportional to the product of the lengths.
    if name.len() <= TOO_SHORT || name.len() > 100 {
        return Vec::new();
    }
    let typed = name.to_lowercase();
    let of_registry = REGISTRY.iter().map(|metric| (&metric.id, rank(&typed, metric)));
    let ranks = own.iter().map(|id| (id, own_row(id).and_then(|row| rank(&typed, &row))));
    let all = of_registry.chain(ranks);
    let mut ranked: Vec<(usize, &MetricId)> =
        all.filter_map(|(id, rank)| Some((rank?, id))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, id)| id).take(MOST_NEAR).collect()
}

/// The distance of a metric from the typed name; `None` if they have nothing in common.
fn rank(typed: &str, metric: &Metric<'_>) -> Option<usize> {
    let slips = strsim::damerau_levenshtein(typed, metric.id.name());
    if slips <= typed.chars().count() / 3 {
        return Some(slips);
    }
    let of_name = metric.id.name().split('_').any(|word| is_alike(typed, word));
    let in_meaning = || metric.meaning.split(|c: char| !c.is_alphanumeric()).any(|it| it == typed);
    match of_name {
        true => Some(100),
        false => in_meaning().then_some(200),
    }
}

/// True if one of the typed words begins like this one.
fn is_alike(typed: &str, word: &str) -> bool {
    let common = |one: &str| one.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
    let is_short = |one: &str| one.len() <= TOO_SHORT;
    let mut words = typed.split(['_', ' ', '-']).filter(|one| !is_short(one));
    words.any(|one| one == word || common(one) >= ALIKE)
}

// The identifiers of users' own metrics.

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
pub(super) fn own_row(id: &MetricId) -> Option<Metric<'_>> {
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

// The identifiers of quantiles.

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

/// The name of a quantile as an identifier has it: `wall time.p90` for `p90 wall time`.
fn as_suffix(name: &str) -> Cow<'_, str> {
    match name.split_once(' ') {
        Some((quantile, of)) if parts(&format!("{of}.{quantile}")).is_some() => {
            Cow::Owned(format!("{of}.{quantile}"))
        }
        _ => Cow::Borrowed(name),
    }
}

/// The metric of a quantile, and the quantile's suffix in its canonical form; `None` if the name is
/// not a quantile. `wall_time.p99.0` becomes `wall_time.p99`.
fn named_quantile(name: &str) -> Option<(&str, String)> {
    let (reading, quantile) = parts(name)?;
    Some((reading, format!(".p{}", quantile.percent())))
}

/// The row of a quantile of a metric in the registry.
pub(super) fn quantile_row(id: &MetricId) -> Option<Metric<'_>> {
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
    use super::*;
    use crate::metric::{self, CPU_TIME, MAX_LIVE, Nature, OF_COPIES, PEAK_RSS, Source};

    #[test]
    fn the_order_is_that_of_the_question() {
        let chosen = parse_list("peak_rss, wall_time,peak_rss,cpu_time", &[]);
        assert_eq!(chosen, Ok(vec![PEAK_RSS, WALL_TIME, CPU_TIME]));
    }

    #[test]
    fn what_a_table_calls_a_metric_is_its_name_too() {
        for (typed, id) in [
            ("allocations", ALLOCATED),
            ("time", WALL_TIME),
            ("peak rss", PEAK_RSS),
            ("Max live", MAX_LIVE),
        ] {
            assert_eq!(parse_list(typed, &[]), Ok(vec![id]), "{typed}");
        }
        // Unless a user's own metric has that name.
        let own = [MetricId::known("allocations[bytes]")];
        assert_eq!(parse_list("allocations", &own), Ok(own.to_vec()));
    }

    #[test]
    fn a_quantile_of_a_metric_is_named_where_it_can_be_judged() {
        let named = |typed: &str| parse_with_quantiles(typed, &[]);
        let p99 = MetricId::known("wall_time.p99");
        assert_eq!(named("time.p99,wall_time.p99.0,wall_time"), Ok(vec![p99, WALL_TIME]));
        assert!(matches!(parse_list("wall_time.p99", &[]), Err(MetricError::Quantile(_))));
        let own = [MetricId::known("size[bytes]")];
        // As a table calls it.
        assert_eq!(named("p99.9 wall time"), named("wall_time.p99.9"));
        let latency = parse_with_quantiles("latency.p90", &OF_COPIES);
        assert_eq!(latency, Ok(vec![MetricId::known("copy_latency.p90")]));
        let refused = parse_with_quantiles("size.p99", &own);
        assert!(matches!(refused, Err(MetricError::QuantileOfOwn(_))));
        for typed in ["wall_tim.p99", "wall_time.p100", "wall_time.p0", "wall_time.99"] {
            assert!(matches!(named(typed), Err(MetricError::Unknown { .. })), "{typed}");
        }
    }

    #[test]
    fn an_unknown_metric_is_refused_with_those_that_are_near() {
        let own = [MetricId::known("heapsize[bytes]")];
        let named = |typed: &str| match parse_list(typed, &own) {
            Err(MetricError::Unknown { known, .. }) => known,
            other => panic!("{other:?}"),
        };
        for (typed, expected) in [
            ("instrs", &["`instructions`"][..]),
            ("alocated", &["near it: `allocated`"]),
            ("faults", &["near it: `minor_faults`, `major_faults`"]),
            ("memory", &["`memory_in_use`", "`peak_rss`"]),
            ("heap_size", &["near it: `heapsize`"]),
        ] {
            let named = named(typed);
            let is_near = |part: &&str| named.starts_with("near it: ") && named.contains(*part);
            assert!(expected.iter().all(is_near), "{typed}: {named}");
        }
        assert!(named("xyzzy").contains("known: `wall_time`, "), "{}", named("xyzzy"));
    }

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
            let row = metric::find(&id).expect("an identifier");
            assert_eq!((row.label, row.unit, row.direction), (name, unit, direction));
            assert!(row.is_own() && !row.is_of_runtime() && !row.grows_with_work());
        }
    }

    #[test]
    fn what_is_no_identifier_says_nothing() {
        for text in ["", "[bytes]", "two words", "size[", "size[bytes", "size[parsecs]", "a[b]c"] {
            assert!(metric::find(&MetricId::from(text.to_owned())).is_none(), "{text}");
        }
    }

    #[test]
    fn only_times_and_rates_vary_by_chance() {
        let nature = |text: &str| {
            let id = MetricId::from(text.to_owned());
            metric::find(&id).map(|row| row.nature(Source::Run))
        };
        assert_eq!(nature("size[bytes]"), Some(Nature::Counted));
        assert_eq!(nature("p99[seconds]"), Some(Nature::Measured));
        assert_eq!(nature("rate[hertz]"), Some(Nature::Measured));
    }

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
            let (reading, suffix) = named_quantile(text).expect("a quantile");
            assert_eq!(format!("{reading}{suffix}"), written);
            assert!(metric::find(&id).is_some_and(|row| !row.is_own() && !row.is_of_runtime()));
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
        assert!(metric::find(&MetricId::known("nothing.p99")).is_none());
    }
}
