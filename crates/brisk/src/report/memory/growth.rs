//! Whether a program's memory grows while it runs: what each sampled run says, and what the rounds
//! say together.
//!
//! The arithmetic is that of [`stats::growth`]. One run may go otherwise than the others, so what
//! more than half of the rounds say is the answer.

use stats::growth::{Growth, Reason, Slope, Step, Verdict, growth};

use crate::metric::Unit;
use crate::report::document::{GrowthKind, GrowthPart, MemoryStepPart, SlopePart};
use crate::report::quantity::{percent, quantity};
use crate::run::curve::Samples;

/// What the samples of one run say; none where there are none.
pub(super) fn of_run(samples: &Samples) -> Option<GrowthPart> {
    let found = growth(&samples.seconds, &samples.bytes).ok()?;
    let Growth { from, level, peak, verdict } = found;
    let (kind, slope, steps, reason) = match verdict {
        Verdict::Constant(slope) => (GrowthKind::Constant, Some(slope), Vec::new(), None),
        Verdict::Proportional(slope) => (GrowthKind::Proportional, Some(slope), Vec::new(), None),
        Verdict::Steps(steps) => (GrowthKind::Steps, None, steps, None),
        Verdict::Undecided(reason) => {
            let slope = match reason {
                Reason::Uneven(slope) | Reason::Imprecise(slope) => Some(slope),
                _ => None,
            };
            (GrowthKind::Undecided, slope, Vec::new(), Some(words(reason, level, samples)))
        }
    };
    Some(GrowthPart {
        peak,
        level,
        from_seconds: from,
        kind,
        slope: slope.map(slope_part),
        steps: steps.into_iter().map(step_part).collect(),
        reason,
    })
}

fn slope_part(Slope { estimate, low, high }: Slope) -> SlopePart {
    SlopePart { bytes_per_second: estimate, low, high }
}

fn step_part(Step { begin, end, before, after }: Step) -> MemoryStepPart {
    MemoryStepPart { begin_seconds: begin, end_seconds: end, before, after }
}

/// Why nothing is certain, as a clause.
fn words(reason: Reason, level: f64, samples: &Samples) -> String {
    match reason {
        Reason::FewSamples { samples } => format!(
            "the run was over after {samples} {}; {} are needed",
            if samples == 1 { "sample" } else { "samples" },
            stats::growth::FEWEST_SAMPLES
        ),
        Reason::FewFalls { falls } => {
            format!("memory was given back only {falls} times, too few to see what remains")
        }
        Reason::LateGrowth { by } => format!(
            "its last part rises above everything before it, by {}; a longer run would tell",
            quantity(by, Unit::Bytes)
        ),
        Reason::Uneven(_) => "it changes, but neither evenly nor in clear steps".to_owned(),
        Reason::Imprecise(slope) => {
            let duration = samples.seconds.last().copied().unwrap_or(0.0);
            let share = |per_second: f64| {
                let share = per_second * duration / level.max(1.0);
                if share.abs() > 10.0 { "very much".to_owned() } else { signed(share) }
            };
            format!(
                "over the run it may be {} to {} of its level",
                share(slope.low),
                share(slope.high)
            )
        }
    }
}

fn signed(share: f64) -> String {
    if share < 0.0 { percent(share) } else { format!("+{}", percent(share)) }
}

/// What the rounds together say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Agreement {
    /// Which of them stands for the others, counted from 0.
    pub(super) chosen: usize,
    /// How many say the same.
    pub(super) agree: usize,
    /// What that is.
    pub(super) verdict: GrowthPart,
}

/// What more than half of the rounds say; undecided where there is no such thing. Of even growth the
/// round in the middle stands for the others, with an interval that covers those of all that agree.
pub(super) fn together(rounds: &[GrowthPart]) -> Option<Agreement> {
    let first = rounds.first()?;
    let alike = |kind: GrowthKind, rises: bool| -> Vec<usize> {
        let is_alike = |part: &GrowthPart| {
            part.kind == kind && (kind != GrowthKind::Proportional || rises == is_rising(part))
        };
        (0..rounds.len()).filter(|&index| is_alike(&rounds[index])).collect()
    };
    let groups = rounds.iter().map(|part| alike(part.kind, is_rising(part)));
    let largest = groups.max_by_key(Vec::len)?;
    if 2 * largest.len() <= rounds.len() {
        let reason = Some("the rounds differ".to_owned());
        let verdict = GrowthPart {
            kind: GrowthKind::Undecided,
            slope: None,
            steps: Vec::new(),
            reason,
            ..first.clone()
        };
        return Some(Agreement { chosen: 0, agree: largest.len(), verdict });
    }
    let key =
        |index: usize| rounds[index].slope.map_or(rounds[index].level, |s| s.bytes_per_second);
    let mut ordered = largest.clone();
    ordered.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
    let chosen = ordered[ordered.len() / 2];
    let slopes = || largest.iter().filter_map(|&index| rounds[index].slope);
    let mut verdict = rounds[chosen].clone();
    if let Some(slope) = &mut verdict.slope {
        slope.low = slopes().map(|slope| slope.low).fold(slope.low, f64::min);
        slope.high = slopes().map(|slope| slope.high).fold(slope.high, f64::max);
    }
    Some(Agreement { chosen, agree: largest.len(), verdict })
}

fn is_rising(part: &GrowthPart) -> bool {
    part.slope.is_some_and(|slope| slope.bytes_per_second > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: GrowthKind, slope: Option<(f64, f64, f64)>) -> GrowthPart {
        let slope =
            slope.map(|(low, bytes_per_second, high)| SlopePart { bytes_per_second, low, high });
        let reason = None;
        GrowthPart { peak: 9.0, level: 5.0, from_seconds: 0.0, kind, slope, steps: vec![], reason }
    }

    fn leak(low: f64, slope: f64, high: f64) -> GrowthPart {
        part(GrowthKind::Proportional, Some((low, slope, high)))
    }

    #[test]
    fn most_of_the_rounds_decide_and_the_interval_covers_theirs() {
        let odd = part(GrowthKind::Steps, None);
        let found = together(&[leak(1.0, 2.0, 3.0), odd, leak(2.5, 3.0, 3.5)]).expect("three");
        assert_eq!((found.chosen, found.agree), (2, 2));
        let slope = found.verdict.slope.expect("a slope");
        assert_eq!((slope.low, slope.bytes_per_second, slope.high), (1.0, 3.0, 3.5));
    }

    #[test]
    fn without_a_majority_nothing_is_decided() {
        let rising = leak(1.0, 2.0, 3.0);
        let falling = leak(-3.0, -2.0, -1.0);
        let found = together(&[rising.clone(), falling]).expect("two");
        assert_eq!(found.verdict.kind, GrowthKind::Undecided);
        assert_eq!(found.verdict.reason.as_deref(), Some("the rounds differ"));
        assert_eq!(together(&[]), None);
        assert_eq!(together(&[rising]).expect("one").agree, 1);
    }

    #[test]
    fn a_short_run_is_undecided_with_its_reason() {
        let samples = Samples { seconds: vec![0.1, 0.2], bytes: vec![1.0, 2.0] };
        let found = of_run(&samples).expect("two samples");
        assert_eq!(found.kind, GrowthKind::Undecided);
        assert_eq!(
            found.reason.as_deref(),
            Some("the run was over after 2 samples; 20 are needed")
        );
        assert_eq!(of_run(&Samples::default()), None);
    }
}
