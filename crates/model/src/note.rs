//! Remarks beside the verdicts.
//!
//! Notes never change a verdict. Each is a value, so that it can be tested, counted and exported;
//! its wording is in `report::notes`.

use serde::{Deserialize, Serialize};

use crate::metric::MetricId;

/// A remark beside the verdicts. Fractions are plain (0.05 for 5 %), times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Note {
    /// A variant slowed down or sped up while the experiment ran.
    Drift {
        /// The variant.
        variant: u32,
        /// The change from the first run to the last, as a fraction: positive is slower.
        change: f64,
        /// The probability of such a change without a trend.
        p_value: f64,
    },
    /// A variant that runs later in a round is slower, or faster.
    Position {
        /// The candidate of the comparison.
        candidate: u32,
        /// The size of the effect, as a fraction: positive is slower.
        effect: f64,
        /// The probability of such an effect if the position did not matter.
        p_value: f64,
    },
    /// A variant is slower, or faster, after the other command than after itself.
    CarryOver {
        /// The variant.
        variant: u32,
        /// The size of the effect, as a fraction: positive is slower.
        effect: f64,
        /// The probability of such an effect if the previous run did not matter.
        p_value: f64,
    },
    /// The runs of a variant fall into two regimes.
    Bimodal {
        /// The variant.
        variant: u32,
        /// The median of the fast runs, in seconds.
        low: f64,
        /// The median of the slow runs, in seconds.
        high: f64,
        /// The share of its runs that are slow.
        share_of_high: f64,
        /// The metric that tells the two apart; none if no other reading does.
        goes_with: Option<MetricId>,
        /// The probability that its reading in a run of one regime exceeds that in a run of the
        /// other.
        separation: Option<f64>,
        /// Set if instructions were counted, too; otherwise absent.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        counted: bool,
    },
    /// A few runs of a variant are of a different kind.
    RareRegime {
        /// The variant.
        variant: u32,
        /// The median of the usual runs, in seconds.
        usual: f64,
        /// The median of the rare ones, in seconds.
        rare: f64,
        /// The number of rare runs.
        runs: usize,
        /// Their share of all runs.
        share: f64,
        /// The mean of all runs, in seconds.
        mean: f64,
        /// The metric that tells the two apart; none if no other reading does.
        goes_with: Option<MetricId>,
    },
    /// Runs waited for a processor: something else was running.
    Contention {
        /// The largest share of the wall time of a variant that was spent waiting.
        wait_share: f64,
        /// The CPU time that the control group may use, in CPUs, if less than the machine has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quota_cpus: Option<f64>,
    },
    /// The first run of a variant was far slower than the others.
    FirstRunSlow {
        /// The variant.
        variant: u32,
        /// The duration of that run, in multiples of the variant's median.
        times: f64,
        /// The number of warm-up rounds before it.
        #[serde(default, skip_serializing_if = "is_zero")]
        warmup: u32,
    },
    /// Runs are so short that they mostly start and end a process.
    ShortRuns {
        /// The median wall time, in seconds.
        median: f64,
    },
    /// Runs of a variant failed, but count because of `--ignore-failure`.
    Failures {
        /// The variant.
        variant: u32,
        /// The number of failed runs.
        runs: usize,
        /// The way they ended.
        how: String,
    },
    /// Runs of a variant left processes behind, which were terminated.
    LeftBehind {
        /// The variant.
        variant: u32,
        /// The number of processes.
        processes: u64,
    },
    /// A hook of a variant left processes behind, which were terminated before anything else ran.
    HookLeftBehind {
        /// The variant.
        variant: u32,
        /// `setup`, `prepare`, `conclude` or `cleanup`.
        hook: String,
        /// The number of processes.
        processes: u64,
    },
    /// Most of the time no process of a variant ran or waited for a processor.
    Idle {
        /// The variant with the largest share.
        variant: u32,
        /// The idle share of its wall time.
        share: f64,
        /// The mean of its processor time, in seconds.
        cpu: f64,
        /// The mean of its wall time, in seconds.
        wall: f64,
    },
    /// Peak memory cannot be seen below the size of the launcher process.
    AtFloor {
        /// The size of the launcher, in bytes.
        floor_bytes: f64,
    },
    /// Instructions cannot be counted on this machine.
    NoCounters {
        /// The reason.
        reason: String,
    },
    /// The counters leave out work done in the kernel.
    UserModeCounters,
    /// The counters shared the hardware with others, so their counts were scaled up.
    ScaledCounters {
        /// The smallest share of a run in which they counted.
        least_share: f64,
    },
    /// Every command runs through a shell.
    Shell {
        /// The shell.
        shell: String,
        /// The character that needs one; none if a shell was requested.
        syntax: Option<char>,
        /// The command that contains it.
        command: Option<String>,
    },
    /// Instructions, caches and branches come from separate rounds under valgrind.
    Instrumented {
        /// The number of rounds.
        rounds: u32,
        /// Set if the rounds agreed exactly.
        exact: bool,
    },
    /// The figures of the programs' runtimes come from separate rounds.
    RuntimeFigures {
        /// The number of rounds.
        rounds: u32,
        /// Set if the rounds agreed exactly.
        exact: bool,
    },
    /// A variant's runtime reports no figures.
    NoRuntimeFigures {
        /// The variant.
        variant: u32,
        /// The reason.
        reason: String,
    },
    /// A variant's runtime did not use a setting as given.
    RuntimeSetting {
        /// The variant.
        variant: u32,
        /// The setting as given.
        asked: String,
        /// The setting's actual effect, in words.
        effective: String,
    },
    /// Querying a variant's runtime slows its runs down; such runs are not timed.
    AskingCost {
        /// The variant.
        variant: u32,
        /// The slowdown, in seconds.
        seconds: f64,
        /// The slowdown, as a fraction.
        share: f64,
    },
    /// Memory over time comes from separate rounds.
    MemorySampled {
        /// The number of rounds.
        rounds: u32,
    },
    /// Sampling a variant's memory slows its runs down; such runs are not timed.
    SamplingCost {
        /// The variant.
        variant: u32,
        /// The slowdown, in seconds.
        seconds: f64,
        /// The slowdown, as a fraction.
        share: f64,
    },
    /// All runs of one command came before those of the next, so drift looks like a difference.
    SequentialOrder,
    /// The imported file lacks the single runs of some commands.
    NoRunsKept {
        /// The names of those commands.
        names: Vec<String>,
    },
    /// The values come from elsewhere and were measured separately.
    ValuesAlone {
        /// The reference that has them.
        from: String,
    },
    /// A harness reported the values elsewhere.
    MeasuredElsewhere {
        /// The file.
        file: String,
        /// The harness.
        harness: String,
        /// The largest number of processes of a benchmark.
        processes: u32,
        /// The smallest and the largest standard deviation within the benchmarks, as shares of their
        /// times; `None` if the file has none.
        spread: Option<[f64; 2]>,
    },
    /// The baseline was saved by a harness from a single process at another time.
    SavedBaseline {
        /// The file.
        file: String,
        /// Set if the benchmarks ran alone here, which they may not have done there.
        alone: bool,
        /// The largest share of the time here that was spent waiting for a processor, if it
        /// matters.
        wait_share: Option<f64>,
    },
    /// Benchmarks that are not compared with the saved baseline.
    NotInBaseline {
        /// Each benchmark, with the reason.
        benchmarks: Vec<(String, String)>,
    },
    /// The baseline is a variant of another, stored experiment.
    StoredExperiment {
        /// The number of that experiment.
        experiment: i64,
        /// The date of its measurement.
        date: String,
        /// Other experiments of its command on this machine, whose spread the difference is judged
        /// by.
        further: Vec<i64>,
        /// The date of the first of them.
        since: String,
        /// The largest share of the time there that was spent waiting for a processor, if it
        /// matters.
        wait_share: Option<f64>,
    },
    /// The machine was different when the figures before this variant were measured.
    MachineChanged {
        /// The first variant of a history that ran on the changed machine.
        variant: u32,
        /// The fact that changed, in words: `the kernel`.
        fact: String,
        /// The old value.
        from: String,
        /// The new value.
        to: String,
    },
    /// From this variant on, which both machines measured, a history continues on another machine.
    Bridge {
        /// The variant.
        variant: u32,
        /// A metric that both machines read.
        metric: MetricId,
        /// Its figure on the later machine over that on the earlier one.
        #[serde(with = "crate::json::ratio")]
        #[cfg_attr(feature = "testing", schemars(with = "f64"))]
        ratio: f64,
    },
    /// Two experiments of one machine have intervals of the same ratio that do not overlap.
    Disagreement {
        /// The candidate.
        variant: u32,
        /// The metric.
        metric: MetricId,
        /// The ratio that is shown, with the ends of its interval.
        shown: [f64; 3],
        /// That of the earlier experiment.
        earlier: [f64; 3],
    },
    /// A commit seemed to change a metric, but builds from scratch do not confirm it.
    NotConfirmed {
        /// The commit's hash.
        commit: String,
        /// The benchmark of the suite; none in the history of a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        /// The metric.
        metric: MetricId,
    },
    /// The energy readings cover whole processor packages.
    EnergyOfAll,
    /// A variant has too few runs for the interval of a quantile.
    FewForQuantile {
        /// The quantile.
        metric: MetricId,
        /// The number of its runs.
        runs: usize,
        /// The smallest number of runs that yields an interval.
        needed: usize,
    },
    /// Programs ran in several layouts in turn, and the intervals hold over all possible layouts.
    Layouts {
        /// The variant whose layouts differ most.
        variant: u32,
        /// The number of layouts it ran in.
        layouts: u32,
        /// The metric.
        metric: MetricId,
        /// The standard deviation between its layouts, as a fraction, with its 95 % interval; none
        /// if each layout has too few readings.
        spread: Option<[f64; 3]>,
    },
    /// Two programs execute the same number of instructions but take different times: probably
    /// because of where the linker put their code.
    LikelyLayout {
        /// The baseline of the comparison.
        baseline: u32,
        /// Its candidate.
        candidate: u32,
        /// The ratio of the times.
        #[serde(with = "crate::json::ratio")]
        #[cfg_attr(feature = "testing", schemars(with = "f64"))]
        ratio: f64,
        /// The ratio of the instructions.
        instructions: f64,
    },
    /// A commit seemed to change a metric, but only with the order in which the linker happened to
    /// put the functions.
    Layout {
        /// The commit's hash.
        commit: String,
        /// The benchmark of the suite; none in the history of a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        /// The metric.
        metric: MetricId,
        /// The ratio of the two sides as built.
        #[serde(with = "crate::json::ratio")]
        #[cfg_attr(feature = "testing", schemars(with = "f64"))]
        ratio: f64,
        /// The change in other orders.
        #[serde(flatten)]
        over: OverLayouts,
    },
    /// Layout affects a metric of commits that were compared as built, and so can hide their
    /// changes.
    HiddenByLayout {
        /// The metric.
        metric: MetricId,
    },
    /// A commit changed a metric, but in other orders of the functions the noise was too large to
    /// confirm the change.
    WideOverLayouts {
        /// The commit's hash.
        commit: String,
        /// The benchmark of the suite; none in the history of a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        /// The metric.
        metric: MetricId,
        /// The change in other orders.
        #[serde(flatten)]
        over: OverLayouts,
    },
    /// The instructions of commits that changed a time were not counted.
    NotCounted {
        /// The number of commits.
        commits: usize,
        /// The reason.
        reason: String,
    },
    /// Commits that changed a time could not be linked in other orders, so that the order of the
    /// functions may be the cause.
    NotLinked {
        /// The number of commits.
        commits: usize,
        /// The reason.
        reason: String,
    },
    /// It was not determined whether the commit or the order of the functions changed a metric.
    NoLayouts {
        /// The commit's hash.
        commit: String,
        /// The reason.
        reason: String,
    },
    /// Slow commits did only part of the work, and their readings were scaled up.
    ScaledWork {
        /// The smallest amount that a commit did.
        least: u64,
        /// The full amount.
        whole: u64,
    },
    /// Two neighbours did different amounts of work, so metrics that do not grow in proportion to
    /// it are not compared.
    OtherWork {
        /// The baseline, by its index in `variants`.
        baseline: u32,
        /// The candidate, by its index in `variants`.
        candidate: u32,
        /// The work done by each of the two.
        done: [u64; 2],
        /// The judged metrics that are not compared.
        metrics: Vec<MetricId>,
    },
}

/// A change measured with both sides linked in many orders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct OverLayouts {
    /// The number of orders that each side was linked in.
    pub layouts: u32,
    /// The later side over the earlier one, over all layouts.
    #[serde(with = "crate::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub over_layouts: f64,
    /// The lower end of the ratio's interval.
    #[serde(with = "crate::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub low: f64,
    /// The upper end of the interval; none if unbounded.
    pub high: Option<f64>,
    /// The standard deviation between the layouts of the side that is affected most, as a fraction;
    /// none if each layout has too few readings.
    pub sd: Option<f64>,
    /// The standard deviation of a layout's value that its runs alone explain, as a fraction: the
    /// root mean square of both sides; none if each layout has too few readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_sd: Option<f64>,
}

impl OverLayouts {
    /// True if the interval over layouts excludes a ratio.
    pub fn excludes(&self, ratio: f64) -> bool {
        ratio < self.low || self.high.is_some_and(|high| ratio > high)
    }
}

impl Note {
    /// The variant that the note is about; none if it concerns all of them.
    pub fn about(&self) -> Option<u32> {
        self.clone().variant().copied()
    }

    /// True if it always holds on this machine, regardless of the experiment, so that `brisk
    /// doctor` reports it, too.
    pub fn is_of_the_machine(&self) -> bool {
        matches!(self, Self::AtFloor { .. } | Self::NoCounters { .. } | Self::UserModeCounters)
    }

    /// True if `other` is the same kind of note on the same subject, perhaps with other figures.
    pub fn is_like(&self, other: &Self) -> bool {
        // A variant may have several settings and baselines, and several facts may have changed.
        let setting = |note: &Self| match note {
            Self::RuntimeSetting { asked, .. } => Some(asked.clone()),
            Self::HookLeftBehind { hook, .. } => Some(hook.clone()),
            Self::MachineChanged { fact, .. } => Some(fact.clone()),
            Self::OtherWork { baseline, .. } | Self::LikelyLayout { baseline, .. } => {
                Some(baseline.to_string())
            }
            _ => None,
        };
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && (self.about(), setting(self)) == (other.about(), setting(other))
    }

    /// The note with its variants renumbered; none if it is about a variant without a new number.
    #[must_use]
    pub fn of_variants(mut self, number: &dyn Fn(u32) -> Option<u32>) -> Option<Self> {
        if let Some(variant) = self.variant() {
            *variant = number(*variant)?;
        }
        if let Self::OtherWork { baseline, .. } | Self::LikelyLayout { baseline, .. } = &mut self {
            *baseline = number(*baseline)?;
        }
        Some(self)
    }

    fn variant(&mut self) -> Option<&mut u32> {
        match self {
            Self::Drift { variant, .. }
            | Self::CarryOver { variant, .. }
            | Self::Bimodal { variant, .. }
            | Self::RareRegime { variant, .. }
            | Self::FirstRunSlow { variant, .. }
            | Self::Failures { variant, .. }
            | Self::LeftBehind { variant, .. }
            | Self::HookLeftBehind { variant, .. }
            | Self::Idle { variant, .. }
            | Self::NoRuntimeFigures { variant, .. }
            | Self::RuntimeSetting { variant, .. }
            | Self::AskingCost { variant, .. }
            | Self::SamplingCost { variant, .. }
            | Self::MachineChanged { variant, .. }
            | Self::Bridge { variant, .. }
            | Self::Disagreement { variant, .. }
            | Self::Layouts { variant, .. }
            | Self::LikelyLayout { candidate: variant, .. }
            | Self::OtherWork { candidate: variant, .. }
            | Self::Position { candidate: variant, .. } => Some(variant),
            Self::Contention { .. }
            | Self::ShortRuns { .. }
            | Self::EnergyOfAll
            | Self::FewForQuantile { .. }
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
            | Self::ValuesAlone { .. }
            | Self::MeasuredElsewhere { .. }
            | Self::SavedBaseline { .. }
            | Self::NotInBaseline { .. }
            | Self::StoredExperiment { .. }
            | Self::NotConfirmed { .. }
            | Self::Layout { .. }
            | Self::NoLayouts { .. }
            | Self::WideOverLayouts { .. }
            | Self::NotCounted { .. }
            | Self::NotLinked { .. }
            | Self::HiddenByLayout { .. }
            | Self::ScaledWork { .. } => None,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_alike_when_they_say_the_same_of_the_same() {
        let slow = |variant, times| Note::FirstRunSlow { variant, times, warmup: 0 };
        assert!(slow(1, 2.0).is_like(&slow(1, 3.0)));
        assert!(!slow(1, 2.0).is_like(&slow(2, 2.0)));
        let asked = |asked: &str| Note::RuntimeSetting {
            variant: 1,
            asked: asked.to_owned(),
            effective: String::new(),
        };
        assert!(asked("s=1").is_like(&asked("s=1")) && !asked("s=1").is_like(&asked("o=1")));
        let busy = |wait_share| Note::Contention { wait_share, quota_cpus: None };
        assert!(busy(0.1).is_like(&busy(0.5)));
        assert!(!busy(0.1).is_like(&Note::UserModeCounters));
        assert_eq!((slow(1, 2.0).about(), busy(0.1).about()), (Some(1), None));
    }
}
