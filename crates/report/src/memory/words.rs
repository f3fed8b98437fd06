//! Memory over time, in a sentence.

use findings::{GrowthKind, MemoryGrowth, MemorySlope, MemoryStep, MemoryVerdict};
use model::metric::Unit;
use words::quantity::{quantity, scale_for};

/// More steps than this are counted, not listed.
const MOST_STEPS: usize = 3;

/// `resident memory grows by 12.30 MB/s [11.90, 12.70]: it looks like a leak`.
pub fn sentence(part: &MemoryVerdict) -> String {
    let what = part.source.label();
    let growth = &part.verdict;
    let bytes = |value: f64| quantity(value, Unit::Bytes);
    let sentence = match growth.kind {
        GrowthKind::Constant => format!("{what} stays at about {}", bytes(growth.level)),
        GrowthKind::Proportional => match growth.slope {
            Some(slope) if slope.bytes_per_second > 0.0 => {
                format!("{what} grows by {}: it looks like a leak", rate(slope))
            }
            Some(slope) => format!("{what} falls by {}", rate(negated(slope))),
            None => format!("{what} changes evenly"),
        },
        GrowthKind::Steps => format!("{what} changes in steps: {}", steps(&growth.steps)),
        GrowthKind::Undecided => format!(
            "it is open whether {what} grows: {}",
            growth.reason.as_deref().unwrap_or("no reason is known")
        ),
    };
    // If at most half of them agree, the reason mentions it.
    if part.agree < part.rounds && 2 * part.agree > part.rounds {
        format!("{sentence} ({} of {} rounds)", part.agree, part.rounds)
    } else {
        sentence
    }
}

/// `peak 52.3 MB, level 48.1 MB`.
pub fn figures(growth: &MemoryGrowth) -> String {
    let bytes = |value: f64| quantity(value, Unit::Bytes);
    format!("peak {}, level {}", bytes(growth.peak), bytes(growth.level))
}

fn negated(slope: MemorySlope) -> MemorySlope {
    MemorySlope { bytes_per_second: -slope.bytes_per_second, low: -slope.high, high: -slope.low }
}

fn rate(slope: MemorySlope) -> String {
    let scale = scale_for(slope.bytes_per_second, Unit::Bytes);
    let decimals = scale.decimals(slope.bytes_per_second).saturating_sub(1);
    let number = |value: f64| scale.number(value, decimals);
    let (estimate, low, high) =
        (number(slope.bytes_per_second), number(slope.low), number(slope.high));
    format!("{}/s [{low}, {high}]", scale.with_symbol(&estimate))
}

fn steps(steps: &[MemoryStep]) -> String {
    let sign = |step: &MemoryStep| if step.after >= step.before { "+" } else { "-" };
    let told = steps.iter().take(MOST_STEPS).map(|step| {
        let by = quantity((step.after - step.before).abs(), Unit::Bytes);
        let begin = quantity(step.begin_seconds, Unit::Seconds);
        if step.end_seconds > step.begin_seconds {
            format!(
                "{}{by} from {begin} to {}",
                sign(step),
                quantity(step.end_seconds, Unit::Seconds)
            )
        } else {
            format!("{}{by} at {begin}", sign(step))
        }
    });
    let told: Vec<String> = told.collect();
    match steps.len().saturating_sub(MOST_STEPS) {
        0 => told.join(", "),
        more => format!("{}, and {more} more", told.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::curve::Quantity;

    fn part(kind: GrowthKind) -> MemoryVerdict {
        let verdict = MemoryGrowth {
            peak: 2e7,
            level: 1e7,
            from_seconds: 0.0,
            kind,
            slope: Some(MemorySlope { bytes_per_second: 1.23e7, low: 1.19e7, high: 1.27e7 }),
            steps: vec![MemoryStep {
                begin_seconds: 1.5,
                end_seconds: 1.5,
                before: 1e6,
                after: 3e6,
            }],
            reason: Some("the rounds differ".to_owned()),
        };
        MemoryVerdict {
            variant: 0,
            source: Quantity::Resident,
            round: 0,
            agree: 3,
            rounds: 3,
            verdict,
        }
    }

    #[test]
    fn each_verdict_has_its_sentence() {
        for (kind, expected) in [
            (GrowthKind::Constant, "resident memory stays at about 10.00 MB"),
            (
                GrowthKind::Proportional,
                "resident memory grows by 12.3 MB/s [11.9, 12.7]: it looks like a leak",
            ),
            (GrowthKind::Steps, "resident memory changes in steps: +2.000 MB at 1.500 s"),
            (GrowthKind::Undecided, "it is open whether resident memory grows: the rounds differ"),
        ] {
            assert_eq!(sentence(&part(kind)), expected);
        }
    }

    #[test]
    fn a_fall_is_no_leak_and_a_majority_is_told() {
        let mut falling = part(GrowthKind::Proportional);
        falling.verdict.slope =
            Some(MemorySlope { bytes_per_second: -1.5e6, low: -2e6, high: -1e6 });
        falling.agree = 2;
        assert_eq!(
            sentence(&falling),
            "resident memory falls by 1.50 MB/s [1.00, 2.00] (2 of 3 rounds)"
        );
    }
}
