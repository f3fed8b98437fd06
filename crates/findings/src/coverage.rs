//! The benchmarks that lack figures on a suite's newest side, and those that it adds.
//!
//! A benchmark without a figure is neither unchanged nor undecided: it was not measured. The report
//! names it first, and the exit status is that of trouble, which takes precedence over a
//! regression.

use crate::{Absence, BenchmarkHistory, Build, Document, HistoryCommit, SuiteFinding};
use model::metric::{MetricId, TIME_PER_ITERATION};

/// The coverage of the benchmarks by the old and the new side of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// The missing figures, the new side's first.
    pub gaps: Vec<Gap>,
    /// The benchmarks that only the new side has.
    pub added: Vec<String>,
    /// The benchmarks that only the old side has.
    pub gone: Vec<String>,
}

/// A benchmark, or a whole side, without a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The side that lacks the figure.
    pub side: Side,
    /// The benchmark; `None` if no benchmark of the side has a figure.
    pub benchmark: Option<String>,
    /// The reason.
    pub reason: String,
    /// The number of rounds after which the benchmark was dropped because it kept failing.
    pub rounds: Option<u32>,
    /// Set if the side does not build.
    pub is_unbuilt: bool,
}

/// A side of a comparison; a single program is the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The baseline.
    Old,
    /// The newest.
    New,
}

/// The sides that a command was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A history, in which benchmarks may come and go and some commits may not build: its newest
    /// commit, if it builds.
    Newest,
    /// A comparison: both sides, and every benchmark of the old one.
    Both,
}

/// The requested metrics, if none of them was read for any program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread<'a> {
    /// The metrics.
    pub metrics: &'a [MetricId],
    /// The reason one of them is missing.
    pub reason: &'a str,
}

impl<'a> Unread<'a> {
    /// The unread metrics of a document.
    pub fn from_document(document: &'a Document) -> Option<Self> {
        let metrics = document.experiment.metrics.as_deref()?;
        let is_read = document.summaries.iter().any(|part| metrics.contains(&part.metric));
        let missing = document.missing.iter().find(|part| metrics.contains(&part.metric))?;
        (!is_read).then_some(Self { metrics, reason: &missing.reason })
    }
}

impl Coverage {
    /// The coverage of a document; without a suite everything is covered.
    pub fn from_document(document: &Document) -> Self {
        match (document.suite(), document.commits()) {
            (Some(suite), _) => of_suite(document, suite),
            (None, [.., newest]) if !document.histories().is_empty() => {
                of_history(document, newest)
            }
            _ => Self::default(),
        }
    }

    /// The requested benchmarks without a figure, worded as a failure; `None` if all were measured.
    pub fn trouble(&self, asked: Asked) -> Option<String> {
        let is_asked =
            |gap: &&Gap| asked == Asked::Both || (gap.side == Side::New && !gap.is_unbuilt);
        let gaps = self.gaps.iter().filter(is_asked);
        let unmeasured: Vec<String> = gaps
            .map(|gap| match (&gap.benchmark, gap.side) {
                (Some(name), Side::New) => format!("`{name}`"),
                (Some(name), Side::Old) => format!("`{name}` of the baseline"),
                (None, Side::New) => "the newest commit".to_owned(),
                (None, Side::Old) => "the baseline".to_owned(),
            })
            .collect();
        let gone = self.gone.iter().filter(|_| asked == Asked::Both);
        let gone: Vec<String> = gone.map(|name| format!("`{name}`")).collect();
        let told = |words: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{words}: {}", names.join(", ")))
        };
        let all = [told("could not be measured", &unmeasured), told("gone", &gone)];
        let all: Vec<String> = all.into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// True if every benchmark has a figure on the newest side, including those of the oldest.
    pub fn is_whole(&self) -> bool {
        self.gone.is_empty() && self.gaps.iter().all(|gap| gap.side == Side::Old)
    }
}

/// The coverage of a bench's programs, with each benchmark where it is judged.
fn of_suite(document: &Document, suite: &SuiteFinding) -> Coverage {
    let mut coverage = Coverage { gone: suite.only_in_baseline.clone(), ..Coverage::default() };
    let sides: &[Side] =
        if suite.programs.len() > 1 { &[Side::Old, Side::New] } else { &[Side::New] };
    for benchmark in &suite.benchmarks {
        match benchmark.variants.as_slice() {
            [Some(_), None] => coverage.gone.push(benchmark.name.clone()),
            [None, Some(_)] => coverage.added.push(benchmark.name.clone()),
            _ => {}
        }
        for (&side, variant) in sides.iter().zip(&benchmark.variants) {
            let Some(variant) = *variant else { continue };
            let given_up = suite.given_up.iter().find(|one| one.variant == variant);
            if given_up.is_none() && document.any_summary(variant, &TIME_PER_ITERATION).is_some() {
                continue;
            }
            let mut missing = document.missing.iter();
            let why = missing
                .find(|part| part.variant == variant && part.metric == TIME_PER_ITERATION)
                .map_or("it did not run", |part| part.reason.as_str());
            coverage.gaps.push(Gap {
                side,
                benchmark: Some(benchmark.name.clone()),
                reason: why.to_owned(),
                rounds: given_up.map(|one| one.rounds),
                is_unbuilt: false,
            });
        }
    }
    coverage.gaps.sort_by_key(|gap| gap.side == Side::Old);
    coverage
}

/// The coverage of the first and the last commit of a suite's history.
fn of_history(document: &Document, newest: &HistoryCommit) -> Coverage {
    let mut coverage = Coverage::default();
    coverage.gaps.extend(gaps_of(document, newest, Side::New));
    let oldest = document.commits().first();
    let Some(oldest) = oldest.filter(|oldest| oldest.hash != newest.hash) else { return coverage };
    coverage.gaps.extend(gaps_of(document, oldest, Side::Old));
    let has = |history: &BenchmarkHistory, commit: &HistoryCommit| match absence(history, commit) {
        Some(Absence::Lacking) => Some(false),
        Some(Absence::Unlisted) => None,
        Some(Absence::Unmeasured { .. }) => Some(true),
        None => matches!(commit.build, Build::Ok | Build::SameAs(_)).then_some(true),
    };
    for history in document.histories() {
        match (has(history, oldest), has(history, newest)) {
            (Some(true), Some(false)) => coverage.gone.push(history.benchmark.clone()),
            (Some(false), Some(true)) => coverage.added.push(history.benchmark.clone()),
            _ => {}
        }
    }
    coverage
}

fn gaps_of(document: &Document, commit: &HistoryCommit, side: Side) -> Vec<Gap> {
    let is_unbuilt = matches!(commit.build, Build::Failed | Build::Skipped);
    let gap = |benchmark: Option<&String>, reason: &str| Gap {
        side,
        benchmark: benchmark.cloned(),
        reason: reason.to_owned(),
        rounds: None,
        is_unbuilt,
    };
    let reason = commit.reason.as_deref().unwrap_or_default();
    let absences = document.histories().iter().map(|one| (one, absence(one, commit)));
    let absences: Vec<_> = absences.collect();
    let is_unlisted = |why: &Option<&Absence>| matches!(why, Some(Absence::Unlisted));
    if is_unbuilt || absences.iter().any(|(_, why)| is_unlisted(why)) {
        return vec![gap(None, reason)];
    }
    let unmeasured = absences.into_iter().filter_map(|(history, why)| match why? {
        Absence::Unmeasured { reason } => Some(gap(Some(&history.benchmark), reason)),
        Absence::Lacking | Absence::Unlisted => None,
    });
    unmeasured.collect()
}

fn absence<'a>(history: &'a BenchmarkHistory, commit: &HistoryCommit) -> Option<&'a Absence> {
    let mut absences = history.absences.iter();
    absences.find(|one| one.commit == commit.hash).map(|one| &one.why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(side: Side, benchmark: Option<&str>, is_unbuilt: bool) -> Gap {
        let (benchmark, reason) = (benchmark.map(str::to_owned), "it failed".to_owned());
        Gap { side, benchmark, reason, rounds: None, is_unbuilt }
    }

    #[test]
    fn a_gate_misses_what_a_history_may_do_without() {
        let names = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let of = |gaps: &[Gap], gone: &[&str]| Coverage {
            gaps: gaps.to_vec(),
            gone: names(gone),
            added: names(&["new"]),
        };
        let new = gap(Side::New, Some("b"), false);
        let old = gap(Side::Old, Some("b"), false);
        let failed = Some("could not be measured: `b`");
        for (coverage, newest, both) in [
            (of(&[], &[]), None, None),
            (of(std::slice::from_ref(&new), &[]), failed, failed),
            (
                of(std::slice::from_ref(&old), &[]),
                None,
                Some("could not be measured: `b` of the baseline"),
            ),
            (of(&[], &["a", "c"]), None, Some("gone: `a`, `c`")),
            (of(&[new], &["a"]), failed, Some("could not be measured: `b`; gone: `a`")),
            (
                of(&[gap(Side::New, None, true)], &[]),
                None,
                Some("could not be measured: the newest commit"),
            ),
            (
                of(&[gap(Side::New, None, false)], &[]),
                Some("could not be measured: the newest commit"),
                Some("could not be measured: the newest commit"),
            ),
        ] {
            assert_eq!(coverage.trouble(Asked::Newest).as_deref(), newest, "{coverage:?}");
            assert_eq!(coverage.trouble(Asked::Both).as_deref(), both, "{coverage:?}");
        }
        assert!(of(&[old], &[]).is_whole());
        assert!(!of(&[gap(Side::New, None, true)], &[]).is_whole());
    }
}
