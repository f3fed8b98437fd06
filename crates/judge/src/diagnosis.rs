//! Tests for everything worth a note: the noise, the order, the machine.

use stats::regimes::{Modality, modality, rare_regime, separation};

use model::metric::{CPU_TIME, CPU_WAIT, MetricId};
use model::note::Note;
use model::sample::{Column, Pairs};

/// The level of a test that leads to a note: it is one of several for each variant.
const LEVEL: f64 = 0.01;

/// The share of waiting from which contention is reported and may hide a change.
pub const CONTENTION_SHARE: f64 = 0.05;

/// Below this, most of a run's time is starting and ending the process.
pub const SHORT_RUN_SECONDS: f64 = 0.002;

/// The extra time of a first run from which cold caches are reported: less is only the processor
/// waking up, and of no consequence.
const COLD_SECONDS: f64 = 0.005;

/// A regime with a smaller share of the runs is rare, and has a separate test.
const SMALLEST_REGIME: f64 = 0.1;

/// Rare runs do not matter if they change the mean of all by less than this part of the usual one.
const LEAST_EFFECT_OF_RARE: f64 = 0.05;

/// Runs that waited for a processor are of a different kind if the factor of their processor time
/// is at least this part of the factor of their times, on a logarithmic scale.
const LEAST_PART_OF_WORK: f64 = 0.5;

/// The number of runs with which a regime of one run in ten is found.
const ENOUGH_FOR_RARE: usize = 100;

/// The idle share of the wall time, with no process of a variant running, from which it is reported
/// as "most of the time".
const IDLE_SHARE: f64 = 0.5;

/// The same if the time waiting for a processor, which counts as running, was not read.
const IDLE_SHARE_WITHOUT_WAITS: f64 = 0.9;

/// A run that is idle for less than this is short, and waits for its own start and end.
const IDLE_SECONDS: f64 = 0.005;

/// The strength with which a reading must separate two modes to be named as their companion.
const SEPARATES: f64 = 0.9;

/// The notes on a variant from the values of its answering metric alone; one of each `stride`
/// rounds is used.
pub fn of_variant(
    variant: u32,
    column: &Column,
    others: &[(MetricId, &Column)],
    stride: usize,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let apart = Apart { variant, column, others, stride };
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
        let explanation = apart.explain(split);
        notes.push(Note::Bimodal {
            counted: false,
            variant,
            low: low.median,
            high: high.median,
            share_of_high: high.share,
            goes_with: explanation.as_ref().map(|(metric, _)| metric.clone()),
            separation: explanation.map(|(_, separation)| separation),
        });
    }
    if !notes.iter().any(|note| matches!(note, Note::Bimodal { .. })) {
        notes.extend(apart.rare(&values, summary.mean));
    }
    let outer_fence = 3.0f64.mul_add(summary.q3 - summary.q1, summary.q3);
    let first_is_cold = values[0] > outer_fence && values[0] - summary.median > COLD_SECONDS;
    if values.len() >= 5 && first_is_cold {
        // The number of warm-up rounds is filled in where the document is made.
        let times = values[0] / summary.median;
        notes.push(Note::FirstRunSlow { variant, times, warmup: 0 });
    }
    notes
}

/// True if more runs would show whether a rare regime moves the mean away from the median.
pub fn is_rarity_open(values: &[f64]) -> bool {
    let Some(summary) = stats::describe::summarise(values) else { return false };
    values.len() < ENOUGH_FOR_RARE
        && (summary.mean / summary.median - 1.0).abs() >= LEAST_EFFECT_OF_RARE
        && rare_regime(values, LEVEL).is_none()
}

/// The runs of a variant, to be separated by their other readings.
struct Apart<'a> {
    variant: u32,
    column: &'a Column,
    others: &'a [(MetricId, &'a Column)],
    stride: usize,
}

impl Apart<'_> {
    /// The reading that best separates the runs up to `split` from the others, if any does well.
    /// Processor time is excluded: it is most of what is to be explained.
    fn explain(&self, split: f64) -> Option<(MetricId, f64)> {
        let others = self.others.iter().filter(|(metric, _)| *metric != CPU_TIME);
        let strengths = others.filter_map(|(metric, readings)| {
            Some((metric.clone(), self.strength(split, readings)?))
        });
        strengths
            .filter(|(_, strength)| *strength >= SEPARATES)
            .reduce(|best, one| if one.1 > best.1 { one } else { best })
    }

    /// The strength with which a reading separates the runs up to `split` from the others, from 0.5
    /// to 1.
    fn strength(&self, split: f64, readings: &Column) -> Option<f64> {
        let [in_low, in_high] = self.groups(split, readings);
        separation(&in_low, &in_high).map(|separation| separation.max(1.0 - separation))
    }

    /// A reading of the runs up to `split`, and of the others.
    fn groups(&self, split: f64, readings: &Column) -> [Vec<f64>; 2] {
        let mut groups = [Vec::new(), Vec::new()];
        for (_, value, reading) in self.column.beside(readings, self.variant).step_by(self.stride) {
            groups[usize::from(value > split)].push(reading);
        }
        groups
    }

    /// The median of a reading in the runs above `split`, over that in the others.
    fn factor(&self, split: f64, readings: &Column) -> Option<f64> {
        let [low, high] = self
            .groups(split, readings)
            .map(|group| stats::describe::summarise(&group).map(|summary| summary.median));
        Some(high? / low?)
    }

    /// A rare regime that matters and is caused by the program: runs that only waited for a
    /// processor are due to the machine.
    fn rare(&self, values: &[f64], mean: f64) -> Option<Note> {
        let regime = rare_regime(values, LEVEL)?;
        let share = regime.count as f64 / values.len() as f64;
        if (share * (regime.rare / regime.usual - 1.0)).abs() < LEAST_EFFECT_OF_RARE {
            return None;
        }
        let readings = |id: &MetricId| {
            self.others.iter().find(|(metric, _)| metric == id).map(|(_, readings)| *readings)
        };
        let waits = readings(&CPU_WAIT).and_then(|waits| self.strength(regime.split, waits));
        let work = readings(&CPU_TIME).and_then(|cpu| self.factor(regime.split, cpu));
        let takes = self.factor(regime.split, self.column)?;
        let only_waited = waits.is_some_and(|strength| strength >= SEPARATES)
            && work.is_none_or(|work| work.ln() < LEAST_PART_OF_WORK * takes.ln());
        (!only_waited).then(|| Note::RareRegime {
            variant: self.variant,
            usual: regime.usual,
            rare: regime.rare,
            runs: regime.count,
            share,
            mean,
            goes_with: self.explain(regime.split).map(|(metric, _)| metric),
        })
    }
}

/// The time that no process of a variant ran.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdleTime {
    /// The share of the wall time.
    pub share: f64,
    /// The mean processor time of a run, in seconds.
    pub cpu: f64,
    /// Its mean wall time, in seconds.
    pub wall: f64,
}

/// The idleness of a variant if it is most of the time; `wait_share` if it was read.
pub fn idleness(
    wall: &Column,
    cpu: &Column,
    wait_share: Option<f64>,
    variant: u32,
) -> Option<IdleTime> {
    let (mut used, mut passed, mut runs) = (0.0, 0.0, 0.0);
    for (_, wall, cpu) in wall.beside(cpu, variant) {
        used += cpu;
        passed += wall;
        runs += 1.0;
    }
    let share = 1.0 - used / passed - wait_share.unwrap_or(0.0);
    let least = wait_share.map_or(IDLE_SHARE_WITHOUT_WAITS, |_| IDLE_SHARE);
    let idleness = IdleTime { share, cpu: used / runs, wall: passed / runs };
    (share >= least && share * idleness.wall >= IDLE_SECONDS).then_some(idleness)
}

/// The effect of running later in the round, if there is one. `candidate_after[i]` belongs to pair
/// `i` of `pairs`. `tests` is the number of tests for effects of the order, which share the level.
pub fn of_position(
    candidate: u32,
    pairs: &Pairs,
    candidate_after: &[bool],
    tests: usize,
) -> Option<Note> {
    if pairs.baseline.iter().chain(&pairs.candidate).any(|&value| value <= 0.0) {
        return None;
    }
    let ratios = stats::estimate::log_ratios(&pairs.baseline, &pairs.candidate);
    let effect = stats::position::position(&ratios, candidate_after)?;
    (effect.p_value < LEVEL / tests as f64).then_some(Note::Position {
        candidate,
        effect: effect.effect,
        p_value: effect.p_value,
    })
}

/// The effect of the previous run, for two variants, if there is one: `after_other[i]` belongs to
/// `values[i]`. `tests` is the number of tests for effects of the order, which share the level.
pub fn of_carry_over(
    variant: u32,
    values: &[f64],
    after_other: &[bool],
    tests: usize,
) -> Option<Note> {
    if values.iter().any(|&value| value <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let classes: Vec<usize> = after_other.iter().map(|&after| usize::from(after)).collect();
    let effect = stats::position::carry_over(&logs, &classes)?;
    (effect.p_value < LEVEL / tests as f64).then_some(Note::CarryOver {
        variant,
        effect: effect.effect,
        p_value: effect.p_value,
    })
}

/// The share of the wall time spent ready to run without a processor, over the runs with such a
/// reading; `None` if no run has one.
pub fn wait_share(wall: &Column, waits: &Column, variant: u32) -> Option<f64> {
    let (mut waited, mut passed) = (0.0, 0.0);
    for (_, wall, wait) in wall.beside(waits, variant) {
        waited += wait;
        passed += wall;
    }
    (passed > 0.0).then(|| waited / passed)
}

/// The values of one of two variants, each with whether the other ran just before it.
pub fn predecessors(wall: &Column, positions: &Column, variant: u32) -> (Vec<f64>, Vec<bool>) {
    let mut values = Vec::new();
    let mut after_other = Vec::new();
    let mut last: Option<(u32, f64)> = None;
    for (round, value, place) in wall.beside(positions, variant) {
        // The last of the previous round was this variant, unless it came first there.
        let came_first = last.filter(|(before, _)| before + 1 == round).map(|(_, p)| p <= 0.0);
        let other_before = if place > 0.0 { Some(true) } else { came_first };
        last = Some((round, place));
        if let Some(other_before) = other_before {
            values.push(value);
            after_other.push(other_before);
        }
    }
    (values, after_other)
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

    /// Two regimes with different page faults, without randomness: the fractional parts of
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

    /// Ten of a hundred runs do twenty times the work, five wait for a processor.
    fn skipping() -> [Vec<f64>; 3] {
        let spread = |n: usize| (n as f64 * 0.618_033_988_75).fract() * 1e-4;
        let cpu = |n: usize| if n % 10 == 3 { 0.02 } else { 0.001 } + spread(n);
        let wait = |n: usize| if n % 20 == 7 { 0.005 } else { spread(n) };
        let cpus: Vec<f64> = (0..100).map(cpu).collect();
        let waits: Vec<f64> = (0..100).map(wait).collect();
        [cpus.iter().zip(&waits).map(|(cpu, wait)| cpu + wait).collect(), cpus, waits]
    }

    #[test]
    fn rare_runs_are_named_where_the_program_makes_them() {
        let [wall, cpu, wait] = skipping();
        let (cpus, waits) = (column(&cpu), column(&wait));
        let others = [(CPU_TIME, &cpus), (CPU_WAIT, &waits)];
        let notes = of_variant(0, &column(&wall), &others, 1);
        let [Note::RareRegime { usual, rare, runs: 10, goes_with: None, .. }] = notes[..] else {
            panic!("{notes:?}");
        };
        assert!((usual / 0.001 - 1.0).abs() < 0.2 && (rare / 0.02 - 1.0).abs() < 0.3);
        // The same times, but the program did the same in all runs.
        let (same, waits) = (column(&[0.001; 100]), column(&wall));
        let others = [(CPU_TIME, &same), (CPU_WAIT, &waits)];
        assert_eq!(of_variant(0, &column(&wall), &others, 1), []);
    }

    #[test]
    fn a_rare_regime_stays_open_until_enough_runs_tell() {
        let [wall, ..] = skipping();
        assert!(is_rarity_open(&wall[..20]), "two slow runs are too few to tell");
        assert!(!is_rarity_open(&wall), "it was found");
        assert!(!is_rarity_open(&wall[8..13]), "all are alike");
        let far: Vec<f64> = (0..100).map(|n| if n == 50 { 9.0 } else { 0.001 }).collect();
        assert!(is_rarity_open(&far[..99]) && !is_rarity_open(&far), "it is an outlier");
    }

    #[test]
    fn rare_runs_that_hardly_move_the_mean_need_no_words() {
        let [wall, ..] = skipping();
        let near: Vec<f64> = wall.iter().map(|value| 0.1 + value / 10.0).collect();
        assert_eq!(of_variant(0, &column(&near), &[], 1), []);
    }

    #[test]
    fn idle_is_what_neither_ran_nor_waited_for_a_processor() {
        let wall = column(&[0.1; 4]);
        let idle = |cpu: f64, wait| idleness(&wall, &column(&[cpu; 4]), wait, 0);
        let share = |idleness: Option<IdleTime>| idleness.map(|one| (one.share * 100.0).round());
        assert_eq!(share(idle(0.002, Some(0.01))), Some(97.0));
        assert_eq!(share(idle(0.002, Some(0.6))), None, "it waited for a processor");
        assert_eq!(share(idle(0.2, Some(0.0))), None, "two of its threads ran");
        assert_eq!((share(idle(0.02, None)), share(idle(0.002, None))), (None, Some(98.0)));
        let short = column(&[0.004; 4]);
        assert_eq!(idleness(&short, &column(&[0.0001; 4]), Some(0.0), 0), None);
        assert_eq!(idleness(&wall, &column(&[f64::NAN; 4]), Some(0.0), 0), None, "nothing read");
    }

    /// Rounds AB, BA, BA: A ran after B in the second and third; in the first it is unknown.
    #[test]
    fn the_predecessor_is_found_across_rounds() {
        let mut wall = Column::new(2);
        let mut positions = Column::new(2);
        for (round, a, b) in [(0, 0.0, 1.0), (1, 1.0, 0.0), (2, 1.0, 0.0)] {
            positions.push(0, round, Ok(a));
            positions.push(1, round, Ok(b));
            wall.push(0, round, Ok(10.0 + f64::from(round)));
            wall.push(1, round, Ok(20.0 + f64::from(round)));
        }
        assert_eq!(predecessors(&wall, &positions, 0), (vec![11.0, 12.0], vec![true, true]));
        // B came after A in round 0, after B in round 1, after A in round 2.
        assert_eq!(
            predecessors(&wall, &positions, 1),
            (vec![20.0, 21.0, 22.0], vec![true, false, true])
        );
    }
}
