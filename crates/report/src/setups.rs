//! The costs of setups and when they pay: from their runs to the document, and in words.
//!
//! If all variants share their setup, nothing has to be paid back, and only the document has the
//! cost.

use findings::{
    ComparedPair, Document, MetricSummary, PaybackVerdict, SetupCost, SetupPayback, letter,
};
use judge::interval::Interval;
use judge::payback::{self, Payback};
use model::design::stopping::EstimatorOption;
use model::metric::RSS_SLACK_BYTES;
use model::metric::{CPU_TIME, MetricId, PEAK_RSS, PEAK_RSS_FLOOR, Source, Unit, WALL_TIME};
use run::setup::SetupRun;
use words::quantity::quantity;

/// The kinds of time in which a setup can pay.
const TIMES: [MetricId; 2] = [WALL_TIME, CPU_TIME];

/// Adds to a document the costs of these setups, and when they pay in the comparisons of these
/// pairs.
pub fn add(document: &mut Document, pairs: &[(u32, u32)], runs: &[SetupRun]) {
    let variants = 0..u32::try_from(document.variants.len()).expect("at most 2^20");
    document.setups = variants.filter_map(|variant| part(variant, runs)).collect();
    let different = pairs
        .iter()
        .filter(|&&(baseline, candidate)| typed(document, baseline) != typed(document, candidate));
    let of_pair = |&pair: &(u32, u32)| TIMES.map(|id| payback_part(document, pair, &id, runs));
    document.paybacks = different.flat_map(of_pair).flatten().collect();
}

fn typed(document: &Document, variant: u32) -> Option<&str> {
    setup_of(document, variant).map(|part| part.command.as_str())
}

fn setup_of(document: &Document, variant: u32) -> Option<&SetupCost> {
    document.setups.iter().find(|part| part.variant == variant)
}

/// The values of a metric in the runs of a variant's setup.
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
    (baseline, candidate): (u32, u32),
    id: &MetricId,
    runs: &[SetupRun],
) -> Option<SetupPayback> {
    let comparison = document.comparison_of((baseline, candidate), id, Source::Run)?;
    let level = document.summary(baseline, id, Source::Run)?;
    let gain =
        payback::gain(level_of(level, document.experiment.estimator)?, ratio_of(comparison)?)?;
    let dearer = cost(document, candidate, id, runs)?.minus(cost(document, baseline, id, runs)?)?;
    let (variant, cost, gain) = match dearer.estimate() < 0.0 {
        true => (baseline, dearer.negative(), gain.negative()),
        false => (candidate, dearer, gain),
    };
    let (verdict, counts) = match payback::payback(cost, gain) {
        Payback::Pays { runs, low, high } => {
            (PaybackVerdict::Pays, [Some(runs), Some(low), Some(high)])
        }
        Payback::Never => (PaybackVerdict::Never, [None; 3]),
        Payback::Undecided { earliest } => (PaybackVerdict::Undecided, [None, earliest, None]),
    };
    let [runs, low, high] = counts;
    let metric = id.clone();
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

fn ratio_of(part: &ComparedPair) -> Option<Interval> {
    Interval::new(part.ratio, part.low, part.high.unwrap_or(f64::INFINITY))
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

/// The sentences on setups that differ, one for each comparison.
pub fn sentences(document: &Document) -> Vec<String> {
    let answers = document.answers.iter();
    let pairs = answers.map(|answer| ((answer.baseline, answer.candidate), &answer.metric));
    pairs.filter_map(|(pair, metric)| sentence(document, pair, metric)).collect()
}

/// `the setup of B takes 1.203 s (measured once; peak rss 34.00 MB); a run of B takes 87.10 ms
/// [80.02 ms, 95.33 ms] less than one of A (wall time), so it pays after 14 runs [13, 16]`
fn sentence(document: &Document, pair: (u32, u32), metric: &MetricId) -> Option<String> {
    let (baseline, candidate) = pair;
    if typed(document, baseline) == typed(document, candidate) {
        return None;
    }
    let costs: Vec<String> = [candidate, baseline]
        .into_iter()
        .filter_map(|variant| Some((variant, setup_of(document, variant)?)))
        .map(|(variant, part)| format!("the setup of {} takes {}", letter(variant), price(part)))
        .collect();
    let costs = costs.join(", and ");
    let of_pair = || {
        let parts = document.paybacks.iter();
        parts.filter(move |part| (part.baseline, part.candidate) == pair)
    };
    let told = of_pair().find(|part| part.metric == *metric).or_else(|| of_pair().next());
    Some(match told {
        Some(part) => format!("{costs}; {}", when(part)),
        None => format!("{costs}; when it pays is not known, as no time was judged"),
    })
}

/// `1.203 s (measured once; peak rss 34.00 MB)`
fn price(part: &SetupCost) -> String {
    let seconds = |value: f64| quantity(value, Unit::Seconds);
    let interval = match (part.low, part.high) {
        (Some(low), Some(high)) => format!(" [{}, {}]", seconds(low), seconds(high)),
        _ => String::new(),
    };
    let times = match part.runs {
        1 => "once".to_owned(),
        runs => format!("{runs} times"),
    };
    let bound = if part.peak_at_most { "<= " } else { "" };
    let peak =
        part.peak_rss.map(|bytes| format!("; peak rss {bound}{}", quantity(bytes, Unit::Bytes)));
    format!("{}{interval} (measured {times}{})", seconds(part.seconds), peak.unwrap_or_default())
}

fn when(part: &SetupPayback) -> String {
    let its = letter(part.variant);
    let other = letter(if part.variant == part.baseline { part.candidate } else { part.baseline });
    let label = words::label(&part.metric);
    match part.verdict {
        PaybackVerdict::Pays => {
            let gain = seconds_with_interval(part.gain);
            let less = format!("a run of {its} takes {gain} less than one of {other} ({label})");
            format!("{less}, so the setup of {its} pays {}", after(part))
        }
        PaybackVerdict::Never => {
            let loss = seconds_with_interval(part.gain.negative());
            let more = format!("a run of {its} takes {loss} more than one of {other} ({label})");
            format!("the setup of {its} never pays: it is not faster ({more})")
        }
        PaybackVerdict::Undecided => {
            let earliest = match part.low {
                Some(runs) => format!(", and not before {}", words::counted(runs, "run")),
                None => String::new(),
            };
            format!("whether the setup of {its} pays is not decided{earliest} ({label})")
        }
    }
}

/// `after 14 runs [13, 16]`
fn after(part: &SetupPayback) -> String {
    let runs = part.runs.unwrap_or_default();
    match (part.low, part.high) {
        (_, Some(0)) => "from the first run".to_owned(),
        (Some(low), Some(high)) if low < high => {
            format!("after {} [{low}, {high}]", words::counted(runs, "run"))
        }
        _ => format!("after {}", words::counted(runs, "run")),
    }
}

fn seconds_with_interval(interval: Interval) -> String {
    let seconds = |value: f64| quantity(value, Unit::Seconds);
    let end = |value: f64| if value.is_finite() { seconds(value) } else { "?".to_owned() };
    let estimate = seconds(interval.estimate());
    match interval.is_exact() {
        true => estimate,
        false => format!("{estimate} [{}, {}]", end(interval.low()), end(interval.high())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(estimate: f64, low: f64, high: f64) -> Interval {
        Interval::new(estimate, low, high).expect("in order")
    }

    fn part(verdict: PaybackVerdict, counts: [Option<u64>; 3]) -> SetupPayback {
        let [runs, low, high] = counts;
        SetupPayback {
            baseline: 0,
            candidate: 1,
            metric: WALL_TIME,
            variant: 1,
            cost: interval(1.2, 1.2, 1.2),
            gain: interval(0.09, 0.075, 0.1),
            verdict,
            runs,
            low,
            high,
        }
    }

    #[test]
    fn a_payback_is_told_with_its_interval_where_it_has_one() {
        let pays = |runs, low, high| {
            when(&part(PaybackVerdict::Pays, [Some(runs), Some(low), Some(high)]))
        };
        assert_eq!(
            pays(14, 12, 16),
            "a run of B takes 90.00 ms [75.00 ms, 100.0 ms] less than one of A (wall time), so \
             the setup of B pays after 14 runs [12, 16]"
        );
        assert!(pays(14, 14, 14).ends_with("the setup of B pays after 14 runs"));
        assert!(pays(1, 1, 1).ends_with("pays after 1 run"));
        assert!(pays(0, 0, 0).ends_with("pays from the first run"));
        assert!(pays(1, 0, 2).ends_with("pays after 1 run [0, 2]"));
    }

    #[test]
    fn what_does_not_pay_or_may_not_says_so() {
        let slower = SetupPayback {
            variant: 0,
            gain: interval(-0.09, -0.1, -0.075),
            ..part(PaybackVerdict::Never, [None; 3])
        };
        assert_eq!(
            when(&slower),
            "the setup of A never pays: it is not faster (a run of A takes 90.00 ms [75.00 ms, \
             100.0 ms] more than one of B (wall time))"
        );
        let open = |low| when(&part(PaybackVerdict::Undecided, [None, low, None]));
        let told = "whether the setup of B pays is not decided";
        assert_eq!(open(None), format!("{told} (wall time)"));
        assert_eq!(open(Some(250)), format!("{told}, and not before 250 runs (wall time)"));
    }

    #[test]
    fn a_price_says_how_often_it_was_measured() {
        let once = SetupCost {
            variant: 1,
            command: "make world".to_owned(),
            runs: 1,
            seconds: 1.25,
            low: None,
            high: None,
            cpu_seconds: Some(1.0),
            peak_rss: Some(34e6),
            peak_at_most: false,
        };
        assert_eq!(price(&once), "1.250 s (measured once; peak rss 34.00 MB)");
        let repeated =
            SetupCost { runs: 5, low: Some(1.0), high: Some(1.5), peak_at_most: true, ..once };
        let told = "1.250 s [1.000 s, 1.500 s] (measured 5 times; peak rss <= 34.00 MB)";
        assert_eq!(price(&repeated), told);
    }
}
