//! Metrics as users name them: by their identifiers, or as in the tables.

use super::{ALLOCATED, Metric, MetricId, REGISTRY, WALL_TIME, quantile};

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
        let id = match quantile::named(name) {
            Some((of, suffix)) => {
                let of = find(of, own).ok_or_else(|| unknown(of, own))?;
                if super::built_in(of).is_none() {
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
    let ranks = own.iter().map(|id| (id, super::own::row(id).and_then(|row| rank(&typed, &row))));
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

#[cfg(test)]
mod tests {
    use super::super::{CPU_TIME, MAX_LIVE, PEAK_RSS};
    use super::*;

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
        let latency = parse_with_quantiles("latency.p90", &super::super::OF_COPIES);
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
}
