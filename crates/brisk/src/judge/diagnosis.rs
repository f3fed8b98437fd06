//! Looking for what is worth a note: the noise, the order, the machine, each found by a test.

use stats::modality::{Modality, modality, separation};

use crate::metric::MetricId;
use crate::note::Note;
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
/// It is one of so many tests for effects of the order, which share the level.
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

/// Whether what ran just before matters, for two variants: `after_other[i]` belongs to
/// `values[i]`. It is one of so many tests for effects of the order, which share the level.
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

/// The share of the wall time spent ready to run without a processor, over the runs that say so.
pub fn wait_share(wall: &Column, waits: &Column, variant: u32) -> f64 {
    let (mut waited, mut passed) = (0.0, 0.0);
    for (_, wall, wait) in wall.beside(waits, variant) {
        waited += wait;
        passed += wall;
    }
    if passed > 0.0 { waited / passed } else { 0.0 }
}

/// Of two variants, one's values with whether the other ran just before each.
pub fn predecessors(wall: &Column, positions: &Column, variant: u32) -> (Vec<f64>, Vec<bool>) {
    let mut values = Vec::new();
    let mut after_other = Vec::new();
    let mut last: Option<(u32, f64)> = None;
    for (round, value, place) in wall.beside(positions, variant) {
        // The last of the round before was this one, unless this one came first there.
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

    /// Rounds AB, BA, BA: A ran after B in the second and third; in the first, nobody knows.
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
