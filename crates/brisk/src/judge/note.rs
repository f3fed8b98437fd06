//! What else is worth knowing, besides the verdicts.
//!
//! Nothing here changes a verdict. Every note is a value, so that it can be tested, counted and
//! exported; its words are its `Display`.

mod instruments;
mod saved;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::metric::MetricId;
use crate::report::document::letter;
use crate::report::quantity::{percent, quantity};

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
    RuntimeSetting {
        variant: u32,
        asked: String,
        effective: String,
    },
    AskingCost {
        variant: u32,
        seconds: f64,
        share: f64,
    },
    MemorySampled {
        rounds: u32,
    },
    SamplingCost {
        variant: u32,
        seconds: f64,
        share: f64,
    },
    SequentialOrder,
    NoRunsKept {
        names: Vec<String>,
    },
    SavedBaseline {
        file: String,
        alone: bool,
        wait_share: Option<f64>,
    },
    NotInBaseline {
        benchmarks: Vec<(String, String)>,
    },
    StoredExperiment {
        experiment: i64,
        date: String,
        further: Vec<i64>,
        since: String,
        wait_share: Option<f64>,
    },
    NotConfirmed {
        commit: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        metric: MetricId,
    },
    ScaledWork {
        least: u64,
        whole: u64,
    },
}

impl Note {
    /// The variant that it is about; none where it is about all of them.
    pub fn about(&self) -> Option<u32> {
        self.clone().variant().copied()
    }

    /// Whether it is always true of the machine, whatever is measured: `brisk doctor` says it, too.
    pub fn is_of_the_machine(&self) -> bool {
        matches!(self, Self::AtFloor { .. } | Self::NoCounters { .. } | Self::UserModeCounters)
    }

    /// Whether the other one says the same sort of thing of the same, perhaps with other figures.
    pub fn is_like(&self, other: &Self) -> bool {
        // A variant may have several settings.
        let setting = |note: &Self| match note {
            Self::RuntimeSetting { asked, .. } => Some(asked.clone()),
            _ => None,
        };
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && (self.about(), setting(self)) == (other.about(), setting(other))
    }

    /// The same note where the variants have other numbers; none where it is about one that is not
    /// there.
    #[must_use]
    pub fn of_variants(mut self, number: &dyn Fn(u32) -> Option<u32>) -> Option<Self> {
        if let Some(variant) = self.variant() {
            *variant = number(*variant)?;
        }
        Some(self)
    }

    fn variant(&mut self) -> Option<&mut u32> {
        match self {
            Self::Drift { variant, .. }
            | Self::CarryOver { variant, .. }
            | Self::Bimodal { variant, .. }
            | Self::FirstRunSlow { variant, .. }
            | Self::Failures { variant, .. }
            | Self::LeftBehind { variant, .. }
            | Self::NoRuntimeFigures { variant, .. }
            | Self::RuntimeSetting { variant, .. }
            | Self::AskingCost { variant, .. }
            | Self::SamplingCost { variant, .. }
            | Self::Position { candidate: variant, .. } => Some(variant),
            Self::Contention { .. }
            | Self::ShortRuns { .. }
            | Self::AtFloor { .. }
            | Self::NoCounters { .. }
            | Self::UserModeCounters
            | Self::ScaledCounters { .. }
            | Self::Shell { .. }
            | Self::Instrumented { .. }
            | Self::RuntimeFigures { .. }
            | Self::MemorySampled { .. }
            | Self::SequentialOrder
            | Self::NoRunsKept { .. }
            | Self::SavedBaseline { .. }
            | Self::NotInBaseline { .. }
            | Self::StoredExperiment { .. }
            | Self::NotConfirmed { .. }
            | Self::ScaledWork { .. } => None,
        }
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
            | Self::NoRuntimeFigures { .. }
            | Self::RuntimeSetting { .. }
            | Self::AskingCost { .. }
            | Self::MemorySampled { .. }
            | Self::SamplingCost { .. } => self.instrument_words(out, name),
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
            Self::NotConfirmed { commit, benchmark, metric } => {
                let of = benchmark.as_ref().map(|name| format!(" of `{name}`"));
                write!(
                    out,
                    "{commit} seemed to change the {}{}, but builds from scratch do not show it",
                    crate::report::words::label(metric),
                    of.unwrap_or_default()
                )
            }
            _ => self.saved_words(out),
        }
    }
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_alike_when_they_say_the_same_of_the_same() {
        let slow = |variant, times| Note::FirstRunSlow { variant, times };
        assert!(slow(1, 2.0).is_like(&slow(1, 3.0)));
        assert!(!slow(1, 2.0).is_like(&slow(2, 2.0)));
        let asked = |asked: &str| Note::RuntimeSetting {
            variant: 1,
            asked: asked.to_owned(),
            effective: String::new(),
        };
        assert!(asked("s=1").is_like(&asked("s=1")) && !asked("s=1").is_like(&asked("o=1")));
        let busy = |wait_share| Note::Contention { wait_share };
        assert!(busy(0.1).is_like(&busy(0.5)));
        assert!(!busy(0.1).is_like(&Note::UserModeCounters));
        assert_eq!((slow(1, 2.0).about(), busy(0.1).about()), (Some(1), None));
    }
}
