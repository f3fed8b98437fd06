//! What else is worth knowing, besides the verdicts.
//!
//! Nothing here changes a verdict. Every note is a value, so that it can be tested, counted and
//! exported; its words are in `report::notes`.

use serde::{Deserialize, Serialize};

use crate::metric::MetricId;

/// One thing worth knowing. Fractions are plain (0.05 for 5 %), times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Note {
    /// A variant slowed down or sped up while the experiment ran.
    Drift {
        /// Which variant.
        variant: u32,
        /// From the first run to the last, as a fraction: positive is slower.
        change: f64,
        /// How likely as much would be without a trend.
        p_value: f64,
    },
    /// Whoever runs later in a round is slower, or faster.
    Position {
        /// The candidate of the comparison.
        candidate: u32,
        /// By how much, as a fraction: positive is slower.
        effect: f64,
        /// How likely as much would be if the place did not matter.
        p_value: f64,
    },
    /// A variant is slower, or faster, after the other command than after itself.
    CarryOver {
        /// Which variant.
        variant: u32,
        /// By how much, as a fraction: positive is slower.
        effect: f64,
        /// How likely as much would be if the one before did not matter.
        p_value: f64,
    },
    /// The runs of a variant fall into two regimes.
    Bimodal {
        /// Which variant.
        variant: u32,
        /// The median of the fast ones, in seconds.
        low: f64,
        /// The median of the slow ones, in seconds.
        high: f64,
        /// Which share of its runs is slow.
        share_of_high: f64,
        /// The metric that tells the two apart; none where no other reading does.
        goes_with: Option<MetricId>,
        /// The probability that its reading in a run of one regime exceeds that in a run of the other.
        separation: Option<f64>,
        /// Whether instructions were counted, too; absent where they were not.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        counted: bool,
    },
    /// A few runs of a variant are of another kind than the rest.
    RareRegime {
        /// Which variant.
        variant: u32,
        /// The median of the usual runs, in seconds.
        usual: f64,
        /// The median of the rare ones, in seconds.
        rare: f64,
        /// How many are rare.
        runs: usize,
        /// Which share of all that is.
        share: f64,
        /// The mean of all runs, in seconds.
        mean: f64,
        /// The metric that tells the two apart; none where no other reading does.
        goes_with: Option<MetricId>,
    },
    /// Runs waited for a processor: something else was running.
    Contention {
        /// The largest share of the wall time of a variant that was spent waiting.
        wait_share: f64,
        /// How many CPUs' worth of time the control group may use, where that is less than there is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quota_cpus: Option<f64>,
    },
    /// The first run of a variant was far slower than the others.
    FirstRunSlow {
        /// Which variant.
        variant: u32,
        /// How many times its median that run took.
        times: f64,
        /// How many rounds were run before it to warm up.
        #[serde(default, skip_serializing_if = "is_zero")]
        warmup: u32,
    },
    /// Runs are so short that most of them is starting and ending a process.
    ShortRuns {
        /// The median wall time, in seconds.
        median: f64,
    },
    /// Runs of a variant failed, and count because `--ignore-failure` was given.
    Failures {
        /// Which variant.
        variant: u32,
        /// How many.
        runs: usize,
        /// How they ended.
        how: String,
    },
    /// Runs of a variant left processes behind, which were ended.
    LeftBehind {
        /// Which variant.
        variant: u32,
        /// How many.
        processes: u64,
    },
    /// A hook of a variant left processes behind, which were ended before anything else ran.
    HookLeftBehind {
        /// Which variant.
        variant: u32,
        /// `setup`, `prepare`, `conclude` or `cleanup`.
        hook: String,
        /// How many.
        processes: u64,
    },
    /// Most of the time no process of a variant ran, nor waited for a processor.
    Idle {
        /// Which variant: that with the largest share.
        variant: u32,
        /// The share of its wall time.
        share: f64,
        /// The mean of its processor time, in seconds.
        cpu: f64,
        /// The mean of its wall time, in seconds.
        wall: f64,
    },
    /// Peak memory cannot be seen below the size of the launcher process.
    AtFloor {
        /// That size.
        floor_bytes: f64,
    },
    /// Nothing counts instructions on this machine.
    NoCounters {
        /// Why.
        reason: String,
    },
    /// The counters leave out the work that is done in the kernel.
    UserModeCounters,
    /// The counters shared the hardware with others, and what they counted was scaled up.
    ScaledCounters {
        /// The least share of a run in which they counted.
        least_share: f64,
    },
    /// Every command runs through a shell.
    Shell {
        /// The shell.
        shell: String,
        /// The character that needs one; none where a shell was asked for.
        syntax: Option<char>,
        /// The command that has it.
        command: Option<String>,
    },
    /// Instructions, caches and branches come from separate rounds under valgrind.
    Instrumented {
        /// How many rounds.
        rounds: u32,
        /// Whether they agreed exactly.
        exact: bool,
    },
    /// What the programs' runtimes say comes from separate rounds.
    RuntimeFigures {
        /// How many rounds.
        rounds: u32,
        /// Whether they agreed exactly.
        exact: bool,
    },
    /// A variant's runtime says nothing.
    NoRuntimeFigures {
        /// Which variant.
        variant: u32,
        /// Why.
        reason: String,
    },
    /// A variant's runtime did not take a setting as it was given.
    RuntimeSetting {
        /// Which variant.
        variant: u32,
        /// The setting, as it was given.
        asked: String,
        /// What it did instead, in words.
        effective: String,
    },
    /// Asking a variant's runtime makes its runs slower; such runs are not timed.
    AskingCost {
        /// Which variant.
        variant: u32,
        /// By how many seconds.
        seconds: f64,
        /// By which fraction.
        share: f64,
    },
    /// Memory over time comes from separate rounds.
    MemorySampled {
        /// How many rounds.
        rounds: u32,
    },
    /// Sampling a variant's memory makes its runs slower; such runs are not timed.
    SamplingCost {
        /// Which variant.
        variant: u32,
        /// By how many seconds.
        seconds: f64,
        /// By which fraction.
        share: f64,
    },
    /// All runs of one command came before those of the next: drift looks like a difference.
    SequentialOrder,
    /// The imported file has no single runs of some commands.
    NoRunsKept {
        /// Which commands.
        names: Vec<String>,
    },
    /// The values were noted by others, each alone.
    ValuesAlone {
        /// The reference that has them.
        from: String,
    },
    /// The baseline is what a harness saved of a single process at another time.
    SavedBaseline {
        /// The file.
        file: String,
        /// Whether the benchmarks ran alone here, which they may not have done there.
        alone: bool,
        /// The largest share of the time here that was spent waiting for a processor, where it matters.
        wait_share: Option<f64>,
    },
    /// Benchmarks that are not compared with the saved baseline.
    NotInBaseline {
        /// Each, with the reason.
        benchmarks: Vec<(String, String)>,
    },
    /// The baseline is a variant of another, stored experiment.
    StoredExperiment {
        /// That experiment's number.
        experiment: i64,
        /// When it was measured.
        date: String,
        /// Other experiments of its command on this machine, by how far which differ it is judged.
        further: Vec<i64>,
        /// The date of the first of them.
        since: String,
        /// The largest share of the time there that was spent waiting for a processor, where it matters.
        wait_share: Option<f64>,
    },
    /// Something about the machine was different when the figures before this variant were measured.
    MachineChanged {
        /// The first variant of a history with the machine as it was later.
        variant: u32,
        /// What is different, in words: `the kernel`.
        fact: String,
        /// What it was.
        from: String,
        /// What it is.
        to: String,
    },
    /// A history goes on on another machine from this variant on, which both have measured.
    Bridge {
        /// The variant.
        variant: u32,
        /// A metric that both have read.
        metric: MetricId,
        /// Its figure on the later machine over that on the earlier one.
        #[serde(with = "crate::ratio")]
        #[cfg_attr(test, schemars(with = "f64"))]
        ratio: f64,
    },
    /// A commit seemed to change a metric, but builds from scratch do not show it.
    NotConfirmed {
        /// The commit's hash.
        commit: String,
        /// Which benchmark of the suite it is about; none in the history of a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        /// The metric.
        metric: MetricId,
    },
    /// The energy that was read is that of whole processor packages.
    EnergyOfAll,
    /// A variant has too few runs for the interval of a quantile.
    FewForQuantile {
        /// The quantile.
        metric: MetricId,
        /// How many runs it has.
        runs: usize,
        /// The fewest from which there is an interval.
        needed: usize,
    },
    /// Programs ran in several layouts in turn, and the intervals hold over all that there could be.
    Layouts {
        /// The one whose layouts differ most.
        variant: u32,
        /// In how many layouts it ran.
        layouts: u32,
        /// The metric.
        metric: MetricId,
        /// The standard deviation between its layouts, as a fraction, with its 95 % interval; none
        /// where there are too few readings of each.
        spread: Option<[f64; 3]>,
    },
    /// Two programs execute as many instructions and take different times: where the linker put
    /// their code is the likely cause.
    LikelyLayout {
        /// The baseline of the comparison.
        baseline: u32,
        /// Its candidate.
        candidate: u32,
        /// The ratio of the times.
        #[serde(with = "crate::ratio")]
        #[cfg_attr(test, schemars(with = "f64"))]
        ratio: f64,
        /// The ratio of the instructions.
        instructions: f64,
    },
    /// A commit seemed to change a metric, but only in the order in which the linker happened to put
    /// the functions.
    Layout {
        /// The commit's hash.
        commit: String,
        /// Which benchmark of the suite it is about; none in the history of a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        /// The metric.
        metric: MetricId,
        /// The ratio as both sides were built.
        #[serde(with = "crate::ratio")]
        #[cfg_attr(test, schemars(with = "f64"))]
        ratio: f64,
        /// What it is in other orders: the ratio, and the ends of its interval.
        #[serde(flatten)]
        over: OverLayouts,
    },
    /// Layout moves a metric of commits that were compared as they were built, so that it can hide what
    /// they changed.
    HiddenByLayout {
        /// The metric.
        metric: MetricId,
    },
    /// A commit changed a metric, and in other orders of the functions the noise was too large to tell
    /// whether it still does.
    WideOverLayouts {
        /// The commit's hash.
        commit: String,
        /// Which benchmark of the suite it is about; none in the history of a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        /// The metric.
        metric: MetricId,
        /// What it is in other orders.
        #[serde(flatten)]
        over: OverLayouts,
    },
    /// The instructions of commits that changed a time were not counted.
    NotCounted {
        /// How many commits.
        commits: usize,
        /// Why.
        reason: String,
    },
    /// Whether a commit changed a metric, or the order of the functions did, was not found out.
    NoLayouts {
        /// The commit's hash.
        commit: String,
        /// Why.
        reason: String,
    },
    /// Slow commits did less than their whole work, and their readings were scaled up.
    ScaledWork {
        /// The least that one did.
        least: u64,
        /// The whole.
        whole: u64,
    },
    /// Two neighbours did different amounts of work, so metrics that do not grow in proportion to it
    /// are not compared.
    OtherWork {
        /// What would be compared with, by its place in `variants`.
        baseline: u32,
        /// What would be compared, by its place in `variants`.
        candidate: u32,
        /// How much work the two did.
        done: [u64; 2],
        /// The judged metrics that are not compared.
        metrics: Vec<MetricId>,
    },
}

/// What a change is where both sides are linked in other orders again and again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OverLayouts {
    /// In how many orders each side was linked.
    pub layouts: u32,
    /// The later side over the earlier one, over all layouts.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub over_layouts: f64,
    /// The lower end of its interval.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub low: f64,
    /// Its upper end; none while it is unbounded.
    pub high: Option<f64>,
    /// The standard deviation between the layouts of the side that they move most, as a fraction; none
    /// where there are too few readings of each.
    pub sd: Option<f64>,
    /// The standard deviation of a layout's value that its runs alone explain, of the side where it is
    /// larger, as a fraction; missing with too few readings of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_sd: Option<f64>,
}

impl OverLayouts {
    /// Whether the interval over layouts excludes a ratio.
    pub fn excludes(&self, ratio: f64) -> bool {
        ratio < self.low || self.high.is_some_and(|high| ratio > high)
    }
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

    /// The same note where the variants have other numbers; none where it is about one that is not
    /// there.
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
            | Self::SavedBaseline { .. }
            | Self::NotInBaseline { .. }
            | Self::StoredExperiment { .. }
            | Self::NotConfirmed { .. }
            | Self::Layout { .. }
            | Self::NoLayouts { .. }
            | Self::WideOverLayouts { .. }
            | Self::NotCounted { .. }
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
