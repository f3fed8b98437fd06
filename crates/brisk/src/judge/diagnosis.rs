//! What else is worth knowing: the noise, the order, the machine, each found by a test.
//!
//! Nothing here changes a verdict. Every note is a value, so that it can be tested, counted and
//! exported; its words are its `Display`.

use std::fmt;

use serde::{Deserialize, Serialize};
use stats::modality::{Modality, modality, separation};

use crate::metric::MetricId;
use crate::report::document::letter;
use crate::report::quantity::{percent, quantity};
use crate::sample::{Column, Pairs};

/// How sure a test must be before a note is made: it is one of several for each variant.
const LEVEL: f64 = 0.01;

/// A share of waiting from which contention is named and may hide a change.
pub const CONTENTION_SHARE: f64 = 0.05;

/// Below this, most of a run's time is starting and ending the process.
pub const SHORT_RUN_SECONDS: f64 = 0.002;

/// What a first run must take more than usual before cold caches are named: less is a matter of
/// the processor waking up, and of no consequence.
const COLD_SECONDS: f64 = 0.005;

/// A smaller share of the runs is called outliers, not a regime.
const SMALLEST_REGIME: f64 = 0.1;

/// How well a reading must separate two modes to be named as going along with them.
const SEPARATES: f64 = 0.9;

/// One thing worth knowing. Fractions are plain (0.05 for 5 %), times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the words of each are its Display")]
pub enum Note {
    Drift {
        variant: u32,
        change: f64,
        p_value: f64,
    },
    Position {
        candidate: u32,
        effect: f64,
        p_value: f64,
    },
    CarryOver {
        variant: u32,
        effect: f64,
        p_value: f64,
    },
    Bimodal {
        variant: u32,
        low: f64,
        high: f64,
        share_of_high: f64,
        goes_with: Option<MetricId>,
        separation: Option<f64>,
    },
    Contention {
        wait_share: f64,
    },
    FirstRunSlow {
        variant: u32,
        times: f64,
    },
    ShortRuns {
        median: f64,
    },
    Failures {
        variant: u32,
        runs: usize,
        how: String,
    },
    LeftBehind {
        variant: u32,
        processes: u64,
    },
    AtFloor {
        floor_bytes: f64,
    },
    NoCounters {
        reason: String,
    },
    UserModeCounters,
    ScaledCounters {
        least_share: f64,
    },
    Shell {
        shell: String,
        syntax: Option<char>,
        command: Option<String>,
    },
    Instrumented {
        rounds: u32,
        exact: bool,
    },
    RuntimeFigures {
        rounds: u32,
        exact: bool,
    },
    NoRuntimeFigures {
        variant: u32,
        reason: String,
    },
    SequentialOrder,
    NoRunsKept {
        names: Vec<String>,
    },
    NotConfirmed {
        commit: String,
        metric: MetricId,
    },
    ScaledWork {
        least: u64,
        whole: u64,
    },
}

impl Note {
    /// The same note where the variants have other numbers; none where it is about one that is not
    /// there.
    #[must_use]
    pub fn of_variants(mut self, number: &dyn Fn(u32) -> Option<u32>) -> Option<Self> {
        match &mut self {
            Self::Drift { variant, .. }
            | Self::CarryOver { variant, .. }
            | Self::Bimodal { variant, .. }
            | Self::FirstRunSlow { variant, .. }
            | Self::Failures { variant, .. }
            | Self::LeftBehind { variant, .. }
            | Self::NoRuntimeFigures { variant, .. }
            | Self::Position { candidate: variant, .. } => *variant = number(*variant)?,
            Self::Contention { .. }
            | Self::ShortRuns { .. }
            | Self::AtFloor { .. }
            | Self::NoCounters { .. }
            | Self::UserModeCounters
            | Self::ScaledCounters { .. }
            | Self::Shell { .. }
            | Self::Instrumented { .. }
            | Self::RuntimeFigures { .. }
            | Self::SequentialOrder
            | Self::NoRunsKept { .. }
            | Self::NotConfirmed { .. }
            | Self::ScaledWork { .. } => {}
        }
        Some(self)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words(out, &letter)
    }
}

/// A note in which the variants have names of one's own.
struct Naming<'a>(&'a Note, &'a dyn Fn(u32) -> String);

impl fmt::Display for Naming<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.words(out, self.1)
    }
}

impl Note {
    /// The note in words, with other names for the variants than their letters.
    pub fn naming(&self, name: &dyn Fn(u32) -> String) -> String {
        Naming(self, name).to_string()
    }

    fn words(&self, out: &mut fmt::Formatter<'_>, name: &dyn Fn(u32) -> String) -> fmt::Result {
        match self {
            Self::Drift { .. } | Self::Position { .. } | Self::CarryOver { .. } => {
                self.order_words(out, name)
            }
            Self::Bimodal { variant, low, high, share_of_high, goes_with, .. } => {
                let unit = crate::metric::Unit::Seconds;
                write!(
                    out,
                    "{} has two regimes: {} and {} ({} of its runs)",
                    name(*variant),
                    quantity(*low, unit),
                    quantity(*high, unit),
                    percent(*share_of_high)
                )?;
                match goes_with.as_ref().and_then(crate::metric::find) {
                    Some(metric) => write!(out, "; `{}` goes along with them", metric.label),
                    None => write!(out, "; no other reading goes along with them"),
                }
            }
            Self::Contention { wait_share } => write!(
                out,
                "up to {} of the wall time was spent waiting for a processor: something else is \
                 running (`brisk doctor` tells what)",
                percent(*wait_share)
            ),
            Self::FirstRunSlow { variant, times } => write!(
                out,
                "the first run of {} took {times:.1} times its median: caches were cold; \
                 `--warmup 1` sets such runs apart",
                name(*variant)
            ),
            Self::ShortRuns { median } => write!(
                out,
                "a run takes {}: most of that is starting and ending a process, the same for \
                 every program",
                quantity(*median, crate::metric::Unit::Seconds)
            ),
            Self::Failures { variant, runs, how } => write!(
                out,
                "{runs} {} of {} failed, and count because of `--ignore-failure` ({how})",
                plural(*runs, "run", "runs"),
                name(*variant)
            ),
            Self::LeftBehind { variant, processes } => write!(
                out,
                "{} left {processes} {} behind, which were ended before the next run",
                name(*variant),
                plural(*processes as usize, "process", "processes")
            ),
            Self::Instrumented { .. }
            | Self::RuntimeFigures { .. }
            | Self::NoRuntimeFigures { .. } => self.instrument_words(out, name),
            _ => self.reading_words(out),
        }
    }
}

impl Note {
    fn order_words(
        &self,
        out: &mut fmt::Formatter<'_>,
        name: &dyn Fn(u32) -> String,
    ) -> fmt::Result {
        match self {
            Self::Drift { variant, change, p_value } => write!(
                out,
                "{} {} by {} from the first run to the last (p = {p_value:.1e}); the rounds keep \
                 that out of the ratio",
                name(*variant),
                if *change > 0.0 { "slowed down" } else { "sped up" },
                percent(change.abs())
            ),
            Self::Position { candidate, effect, p_value } => write!(
                out,
                "against {}, whoever runs later in a round is {} {} (p = {p_value:.1e}); the drawn \
                 order keeps that out of the ratio",
                name(*candidate),
                percent(effect.abs()),
                if *effect > 0.0 { "slower" } else { "faster" }
            ),
            Self::CarryOver { variant, effect, p_value } => write!(
                out,
                "{} is {} {} after the other command than after itself (p = {p_value:.1e}): one \
                 leaves something behind for the other",
                name(*variant),
                percent(effect.abs()),
                if *effect > 0.0 { "slower" } else { "faster" }
            ),
            _ => Ok(()),
        }
    }

    fn instrument_words(
        &self,
        out: &mut fmt::Formatter<'_>,
        name: &dyn Fn(u32) -> String,
    ) -> fmt::Result {
        match self {
            Self::Instrumented { rounds, exact: true } => write!(
                out,
                "instructions counted, caches and branches simulated by valgrind in {rounds} \
                 separate rounds that agreed exactly"
            ),
            Self::Instrumented { rounds, exact: false } => write!(
                out,
                "instructions counted, caches and branches simulated by valgrind in {rounds} \
                 separate rounds; a program of these does not do the same work every time"
            ),
            Self::RuntimeFigures { rounds, exact } => write!(
                out,
                "what the runtime says comes from {rounds} separate rounds{}",
                if *exact {
                    " that agreed exactly on what was allocated and live"
                } else {
                    "; a program of these does not allocate or keep the same every time"
                }
            ),
            Self::NoRuntimeFigures { variant, reason } => {
                write!(out, "the runtime says nothing of {}: {reason}", name(*variant))
            }
            _ => Ok(()),
        }
    }

    fn reading_words(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtFloor { floor_bytes } => write!(
                out,
                "peak rss cannot be seen below {}, the size of the process that starts the commands",
                quantity(*floor_bytes, crate::metric::Unit::Bytes)
            ),
            Self::NoCounters { reason } => write!(
                out,
                "no instruction counts: {reason}; `--counters valgrind` counts them in separate runs"
            ),
            Self::UserModeCounters => {
                write!(
                    out,
                    "the counters leave out work done in the kernel: this user may not see it"
                )
            }
            Self::ScaledCounters { least_share } => write!(
                out,
                "the counters shared the hardware with others and ran for as little as {} of a \
                 run; such counts are scaled up",
                percent(*least_share)
            ),
            Self::Shell { shell, syntax: Some(syntax), command: Some(command) } => write!(
                out,
                "every command runs through `{shell} -c`, because of `{syntax}` in `{command}`"
            ),
            Self::Shell { shell, .. } => write!(out, "every command runs through `{shell} -c`"),
            Self::SequentialOrder => write!(
                out,
                "all runs of one command came before those of the next: if the machine changed \
                 meanwhile, that looks like a difference, and no statistics can tell them apart"
            ),
            Self::NoRunsKept { names } => write!(
                out,
                "the file has no single runs of {}; its means alone say nothing certain",
                names.join(", ")
            ),
            Self::ScaledWork { least, whole } => write!(
                out,
                "slow commits did less than their work, down to {least} of {whole}; their times and \
                 counts are scaled to the whole, start-up included"
            ),
            Self::NotConfirmed { commit, metric } => write!(
                out,
                "{commit} seemed to change the {}, but builds from scratch do not show it",
                crate::report::words::label(metric)
            ),
            _ => Ok(()),
        }
    }
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

/// What the values of one variant's answering metric show by themselves; of each `stride` rounds
/// one is looked at.
pub fn of_variant(
    variant: u32,
    column: &Column,
    others: &[(MetricId, &Column)],
    stride: usize,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let values: Vec<f64> = column.of_variant(variant).into_iter().step_by(stride).collect();
    let Some(summary) = stats::describe::summarise(&values) else {
        return notes;
    };
    if let Some(drift) = stats::drift::drift(&values).filter(|drift| drift.p_value < LEVEL) {
        notes.push(Note::Drift { variant, change: drift.change, p_value: drift.p_value });
    }
    if let Modality::Bimodal { low, high, split, .. } = modality(&values)
        && low.share.min(high.share) >= SMALLEST_REGIME
    {
        let explanation = explain(variant, column, split, others, stride);
        notes.push(Note::Bimodal {
            variant,
            low: low.median,
            high: high.median,
            share_of_high: high.share,
            goes_with: explanation.as_ref().map(|(metric, _)| metric.clone()),
            separation: explanation.map(|(_, separation)| separation),
        });
    }
    let outer_fence = 3.0f64.mul_add(summary.q3 - summary.q1, summary.q3);
    let first_is_cold = values[0] > outer_fence && values[0] - summary.median > COLD_SECONDS;
    if values.len() >= 5 && first_is_cold {
        notes.push(Note::FirstRunSlow { variant, times: values[0] / summary.median });
    }
    notes
}

/// The reading that best separates the runs of the two modes, if any does well.
fn explain(
    variant: u32,
    column: &Column,
    split: f64,
    others: &[(MetricId, &Column)],
    stride: usize,
) -> Option<(MetricId, f64)> {
    let mut best: Option<(MetricId, f64)> = None;
    for (metric, readings) in others {
        let (mut in_low, mut in_high) = (Vec::new(), Vec::new());
        for (_, value, reading) in column.beside(readings, variant).step_by(stride) {
            if value <= split { in_low.push(reading) } else { in_high.push(reading) }
        }
        let Some(separation) = separation(&in_low, &in_high) else { continue };
        let strength = separation.max(1.0 - separation);
        if strength >= SEPARATES && best.as_ref().is_none_or(|(_, best)| strength > *best) {
            best = Some((metric.clone(), strength));
        }
    }
    best
}

/// Whether running later in the round matters. `candidate_after[i]` belongs to `pairs`' i-th.
pub fn of_position(candidate: u32, pairs: &Pairs, candidate_after: &[bool]) -> Option<Note> {
    if pairs.baseline.iter().chain(&pairs.candidate).any(|&value| value <= 0.0) {
        return None;
    }
    let ratios = stats::estimate::log_ratios(&pairs.baseline, &pairs.candidate);
    let effect = stats::position::position(&ratios, candidate_after)?;
    (effect.p_value < LEVEL).then_some(Note::Position {
        candidate,
        effect: effect.effect,
        p_value: effect.p_value,
    })
}

/// Whether what ran just before matters, for two variants: `after_other[i]` belongs to
/// `values[i]`.
pub fn of_carry_over(variant: u32, values: &[f64], after_other: &[bool]) -> Option<Note> {
    if values.iter().any(|&value| value <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let classes: Vec<usize> = after_other.iter().map(|&after| usize::from(after)).collect();
    let effect = stats::position::carry_over(&logs, &classes)?;
    (effect.p_value < LEVEL).then_some(Note::CarryOver {
        variant,
        effect: effect.effect,
        p_value: effect.p_value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[f64]) -> Column {
        let mut column = Column::new(1);
        for (round, &value) in (0..).zip(values) {
            column.push(0, round, Ok(value));
        }
        column
    }

    /// Two regimes with different page faults, drawn without chance: the fractional parts of
    /// multiples of the golden ratio fill each regime evenly.
    #[test]
    fn two_regimes_are_named_with_the_reading_that_goes_along() {
        let spread = |n: usize| (n as f64 * 0.618_033_988_75).fract() * 1e-4;
        let is_slow = |n: usize| n.is_multiple_of(3);
        let values: Vec<f64> =
            (0..90).map(|n| if is_slow(n) { 0.045 } else { 0.016 } + spread(n)).collect();
        let faults: Vec<f64> =
            (0..90).map(|n| if is_slow(n) { 900.0 } else { 100.0 } + (n % 7) as f64).collect();
        let unrelated: Vec<f64> = (0..90).map(|n| (n % 5) as f64).collect();
        let (faults, unrelated) = (column(&faults), column(&unrelated));
        let known = MetricId::known;
        let others = [(known("block_reads"), &unrelated), (known("minor_faults"), &faults)];
        let notes = of_variant(0, &column(&values), &others, 1);
        let Some(Note::Bimodal { low, high, share_of_high, goes_with, .. }) =
            notes.iter().find(|note| matches!(note, Note::Bimodal { .. }))
        else {
            panic!("{notes:?}");
        };
        assert!((low / 0.016 - 1.0).abs() < 0.01 && (high / 0.045 - 1.0).abs() < 0.01);
        assert!((share_of_high - 1.0 / 3.0).abs() < 0.01);
        assert_eq!(*goes_with, Some(known("minor_faults")));
    }

    #[test]
    fn a_slow_first_run_is_named() {
        let mut values: Vec<f64> = (0..30).map(|n| 0.1 + f64::from(n % 7) * 1e-4).collect();
        values[0] = 0.25;
        let notes = of_variant(0, &column(&values), &[], 1);
        assert!(notes.iter().any(|note| matches!(note, Note::FirstRunSlow { variant: 0, .. })));
    }

    #[test]
    fn a_quiet_sample_needs_no_words() {
        let values: Vec<f64> = (0..40).map(|n| 0.1 + f64::from(n * 17 % 40) * 1e-5).collect();
        assert_eq!(of_variant(0, &column(&values), &[], 1), []);
    }
}
