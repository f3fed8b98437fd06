//! The costs of setups and when they pay, in words.
//!
//! If all variants share their setup, nothing has to be paid back, and only the document has the
//! cost.

use findings::{Answer, Document, PaybackVerdict, SetupCost, SetupPayback};
use judge::level::Interval;
use model::metric::Unit;
use page::{Line, line};
use words::names::named;
use words::quantity::quantity;

use super::notes::Name;

fn setup_of(document: &Document, variant: u32) -> Option<&SetupCost> {
    document.setups.iter().find(|part| part.variant == variant)
}

/// The sentences on setups that differ, one for each comparison.
pub(super) fn sentences(document: &Document) -> Vec<Line> {
    document.answers.iter().filter_map(|answer| sentence(document, answer)).collect()
}

/// `the setup of B takes 1.203 s (measured once; peak rss 34.00 MB); a run of B takes 87.10 ms
/// [80.02 ms, 95.33 ms] less than one of A (wall time), so it pays after 14 runs [13, 16]`
fn sentence(document: &Document, answer: &Answer) -> Option<Line> {
    let (baseline, candidate) = (answer.baseline, answer.candidate);
    let typed = |variant| setup_of(document, variant).map(|part| part.command.as_str());
    if typed(baseline) == typed(candidate) {
        return None;
    }
    let cost = |variant| {
        let price = price(setup_of(document, variant)?);
        Some(line!["the setup of ", named(document, variant), format!(" takes {price}")])
    };
    let costs = Line::join([candidate, baseline].into_iter().filter_map(cost), ", and ");
    let parts = document.paybacks.iter();
    let of_pair = parts.filter(|part| (part.baseline, part.candidate) == (baseline, candidate));
    let deciding = of_pair.clone().find(|part| part.metric == answer.metric);
    let told = deciding.or_else(|| of_pair.clone().next());
    Some(match told {
        Some(part) => line![costs, "; ", when(part, &|variant| named(document, variant))],
        None => costs.and("; when it pays is not known, as no time was judged"),
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

fn when(part: &SetupPayback, name: Name<'_>) -> Line {
    let its = || name(part.variant);
    let other = name(if part.variant == part.baseline { part.candidate } else { part.baseline });
    let label = words::label(&part.metric);
    match part.verdict {
        PaybackVerdict::Pays => {
            let gain = seconds_with_interval(part.gain);
            let less = format!(" takes {gain} less than one of ");
            let so = format!(" ({label}), so the setup of ");
            line!["a run of ", its(), less, other, so, its(), format!(" pays {}", after(part))]
        }
        PaybackVerdict::Never => {
            let loss = seconds_with_interval(part.gain.negative());
            let never = " never pays: it is not faster (a run of ";
            let more = format!(" takes {loss} more than one of ");
            line!["the setup of ", its(), never, its(), more, other, format!(" ({label}))")]
        }
        PaybackVerdict::Undecided => {
            let earliest = match part.low {
                Some(runs) => format!(", and not before {}", words::counted(runs, "run")),
                None => String::new(),
            };
            let open = format!(" pays is not decided{earliest} ({label})");
            line!["whether the setup of ", its(), open]
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
    use findings::letter;
    use model::metric::WALL_TIME;

    fn interval(estimate: f64, low: f64, high: f64) -> Interval {
        Interval::new(estimate, low, high).expect("in order")
    }

    fn when(part: &SetupPayback) -> String {
        super::when(part, &|variant| letter(variant).into()).text()
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
