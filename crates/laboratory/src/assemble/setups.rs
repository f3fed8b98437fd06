//! The costs of setups, and when they pay.

use findings::{Document, MetricSummary, PaybackVerdict, SetupCost, SetupPayback};
use judge::level::Interval;
use judge::payback::{self, Payback};
use model::design::stopping::EstimatorOption;
use model::metric::{
    CPU_TIME, MetricId, PEAK_RSS, PEAK_RSS_FLOOR, RSS_SLACK_BYTES, Source, WALL_TIME,
};
use run::finished::SetupRun;

/// The kinds of time in which a setup can pay.
const TIMES: [MetricId; 2] = [WALL_TIME, CPU_TIME];

/// The document with the costs of these setups, and when they pay in the comparisons of these pairs.
#[must_use]
pub(crate) fn with_setups(
    mut document: Document,
    pairs: &[(u32, u32)],
    runs: &[SetupRun],
) -> Document {
    let variants = 0..u32::try_from(document.variants.len()).expect("at most 2^20");
    document.setups = variants.filter_map(|variant| part(variant, runs)).collect();
    let different = pairs.iter().filter(|&&(baseline, candidate)| {
        typed(&document, baseline) != typed(&document, candidate)
    });
    let of_pair = |&(baseline, candidate): &(u32, u32)| {
        TIMES.map(|id| payback_part(&document, baseline, candidate, id, runs))
    };
    let paybacks = different.flat_map(of_pair).flatten().collect();
    Document { paybacks, ..document }
}

fn typed(document: &Document, variant: u32) -> Option<&str> {
    setup_of(document, variant).map(|part| part.command.as_str())
}

fn setup_of(document: &Document, variant: u32) -> Option<&SetupCost> {
    document.setups.iter().find(|part| part.variant == variant)
}

fn values(variant: u32, id: &MetricId, runs: &[SetupRun]) -> Vec<f64> {
    let its = runs.iter().filter(|run| run.variant == variant);
    its.filter_map(|run| run.value(id)).collect()
}

fn part(variant: u32, runs: &[SetupRun]) -> Option<SetupCost> {
    let first = runs.iter().find(|run| run.variant == variant)?;
    let of = |id: &MetricId| values(variant, id, runs);
    let seconds = of(&WALL_TIME);
    let wall = payback::cost(&seconds)?;
    let is_repeated = seconds.len() > 1;
    let largest = |id: &MetricId| of(id).into_iter().reduce(f64::max);
    let (peak_rss, floor) = (largest(&PEAK_RSS), largest(&PEAK_RSS_FLOOR));
    Some(SetupCost {
        variant,
        command: first.command.clone(),
        runs: seconds.len(),
        seconds: wall.estimate(),
        low: is_repeated.then(|| wall.low()),
        high: is_repeated.then(|| wall.high()),
        cpu_seconds: payback::cost(&of(&CPU_TIME)).map(Interval::estimate),
        peak_rss,
        peak_at_most: matches!((peak_rss, floor), (Some(peak), Some(floor)) if peak <= floor + RSS_SLACK_BYTES),
    })
}

/// The one-time cost of a variant: zero if it has no setup.
fn cost(document: &Document, variant: u32, id: &MetricId, runs: &[SetupRun]) -> Option<Interval> {
    match setup_of(document, variant) {
        Some(_) => payback::cost(&values(variant, id, runs)),
        None => Interval::exact(0.0),
    }
}

fn payback_part(
    document: &Document,
    baseline: u32,
    candidate: u32,
    metric: MetricId,
    runs: &[SetupRun],
) -> Option<SetupPayback> {
    let compared = document.comparison_of(baseline, candidate, &metric, Source::Run)?;
    let high = compared.high.unwrap_or(f64::INFINITY);
    let ratio = Interval::new(compared.ratio, compared.low, high)?;
    let level = document.summary(baseline, &metric, Source::Run)?;
    let gain = payback::gain(level_of(level, document.experiment.estimator)?, ratio)?;
    let cost = |variant: u32| cost(document, variant, &metric, runs);
    let dearer = cost(candidate)?.minus(cost(baseline)?)?;
    let (variant, cost, gain) = match dearer.estimate() < 0.0 {
        true => (baseline, dearer.negative(), gain.negative()),
        false => (candidate, dearer, gain),
    };
    let (verdict, [runs, low, high]) = match payback::payback(cost, gain) {
        Payback::Pays { runs, low, high } => {
            (PaybackVerdict::Pays, [Some(runs), Some(low), Some(high)])
        }
        Payback::Never => (PaybackVerdict::Never, [None; 3]),
        Payback::Undecided { earliest } => (PaybackVerdict::Undecided, [None, earliest, None]),
    };
    Some(SetupPayback {
        baseline,
        candidate,
        metric,
        variant,
        cost,
        gain,
        verdict,
        runs,
        low,
        high,
    })
}

/// The level that a ratio is a multiple of, with its interval; the range of the values if there are
/// too few for an interval.
fn level_of(part: &MetricSummary, estimator: EstimatorOption) -> Option<Interval> {
    match (estimator, part.sd) {
        (EstimatorOption::Mean, Some(sd)) => {
            let half_width = stats::student::half_width(sd, part.n, 0.05);
            Interval::new(part.mean, (part.mean - half_width).max(0.0), part.mean + half_width)
        }
        (EstimatorOption::Min, _) => Interval::exact(part.min),
        _ => {
            let (low, high) = (part.low.unwrap_or(part.min), part.high.unwrap_or(part.max));
            Interval::new(part.median, low, high)
        }
    }
}
