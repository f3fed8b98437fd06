//! The growth of a program's memory while it runs, by [`stats::growth`]: the verdict on each
//! sampled run, and on the rounds together.

use stats::growth::{Agreement, Growth, Reason, Slope, Step, Verdict, agreement, growth};

use findings::{
    Document, GrowthKind, MemoryCurve, MemoryGrowth, MemorySlope, MemoryStep, MemoryVerdict,
};
use model::metric::Unit;
use run::curve::{PlacedCurve, Quantity, Samples};
use words::counted;
use words::quantity::{quantity, signed_percent};

/// The document with these samples, and verdicts on them.
#[must_use]
pub(crate) fn with_memory(document: Document, curves: Vec<PlacedCurve>) -> Document {
    if curves.is_empty() {
        return document;
    }
    let judged: Vec<Judged> = curves.into_iter().map(judged).collect();
    let memory_verdicts = Some(verdicts(&judged));
    let memory_over_time = Some(judged.into_iter().map(|(part, _)| part).collect());
    Document { memory_verdicts, memory_over_time, ..document }
}

type Judged = (MemoryCurve, Option<Growth>);

fn judged(PlacedCurve { variant, round, curve }: PlacedCurve) -> Judged {
    let missing = curve.samples.as_ref().err().map(|missing| missing.0.to_string());
    let samples = curve.samples.unwrap_or_default();
    let found = growth(&samples.seconds, &samples.bytes).ok();
    let part = MemoryCurve {
        variant,
        round,
        source: curve.quantity,
        unit: "bytes".to_owned(),
        verdict: found.as_ref().map(|found| growth_of(found, &samples)),
        seconds: samples.seconds,
        bytes: samples.bytes,
        missing,
    };
    (part, found)
}

fn verdicts(all: &[Judged]) -> Vec<MemoryVerdict> {
    let mut found = Vec::new();
    let variants = all.iter().map(|(part, _)| part.variant).max().unwrap_or(0);
    for variant in 0..=variants {
        for source in Quantity::ALL {
            let own =
                all.iter().filter(|(part, _)| (part.variant, part.source) == (variant, source));
            let own = own.filter_map(|(part, found)| Some((part, found.clone()?)));
            let (parts, rounds): (Vec<&MemoryCurve>, Vec<Growth>) = own.unzip();
            found.extend(agreement(&rounds).and_then(|agreement| {
                let chosen = parts[agreement.chosen];
                let verdict = together(&agreement, chosen.verdict.as_ref()?);
                let (round, agree) = (chosen.round, agreement.agree);
                Some(MemoryVerdict { variant, source, round, agree, rounds: rounds.len(), verdict })
            }));
        }
    }
    found
}

fn growth_of(found: &Growth, samples: &Samples) -> MemoryGrowth {
    let Growth { from, level, peak, verdict } = found;
    let (kind, steps, reason) = match verdict {
        Verdict::Constant(_) => (GrowthKind::Constant, &[][..], None),
        Verdict::Proportional(_) => (GrowthKind::Proportional, &[][..], None),
        Verdict::Steps(steps) => (GrowthKind::Steps, &steps[..], None),
        Verdict::Undecided(reason) => {
            (GrowthKind::Undecided, &[][..], Some(words(*reason, *level, samples)))
        }
    };
    MemoryGrowth {
        peak: *peak,
        level: *level,
        from_seconds: *from,
        kind,
        slope: verdict.slope().map(slope_part),
        steps: steps.iter().copied().map(step_part).collect(),
        reason,
    }
}

/// The joint verdict of several runs; `own` is that of the representative one.
fn together(agreement: &Agreement, own: &MemoryGrowth) -> MemoryGrowth {
    let own = MemoryGrowth { slope: agreement.slope.map(slope_part), ..own.clone() };
    if agreement.is_decided {
        return own;
    }
    let reason = Some("the rounds differ".to_owned());
    MemoryGrowth { kind: GrowthKind::Undecided, steps: Vec::new(), reason, ..own }
}

fn slope_part(Slope { estimate, low, high }: Slope) -> MemorySlope {
    MemorySlope { bytes_per_second: estimate, low, high }
}

fn step_part(Step { begin, end, before, after }: Step) -> MemoryStep {
    MemoryStep { begin_seconds: begin, end_seconds: end, before, after }
}

/// The reason for an uncertain verdict, as a clause.
fn words(reason: Reason, level: f64, samples: &Samples) -> String {
    match reason {
        Reason::FewSamples { samples } => format!(
            "the run was over after {}; {} are needed",
            counted(samples, "sample"),
            stats::growth::FEWEST_SAMPLES
        ),
        Reason::FewFalls { falls } => {
            format!(
                "memory was given back only {}, too few to see what remains",
                counted(falls, "time")
            )
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
                if share.abs() > 10.0 { "very much".to_owned() } else { signed_percent(share) }
            };
            format!(
                "over the run it may be {} to {} of its level",
                share(slope.low),
                share(slope.high)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_is_undecided_with_its_reason() {
        let samples = Samples { seconds: vec![0.1, 0.2], bytes: vec![1.0, 2.0] };
        let found = growth(&samples.seconds, &samples.bytes).expect("two samples");
        let found = growth_of(&found, &samples);
        assert_eq!(found.kind, GrowthKind::Undecided);
        assert_eq!(
            found.reason.as_deref(),
            Some("the run was over after 2 samples; 20 are needed")
        );
    }
}
