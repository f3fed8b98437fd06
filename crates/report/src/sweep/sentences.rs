//! The sentences of a sweep: the best point, cheaper ones with most of its gain, and the default.

use page::{Line, Span, line};

use super::points::{self, name, shown_best, value};
use findings::{
    CheckedSetting, ComparedPair, Document, PointState, SweepFinding, SweepPoint, TuningFinding,
};
use model::metric::{MetricId, PEAK_RSS};
use model::verdict::Verdict;
use words::quantity::{percent, ratio_decimals};
use words::reasons;

/// The answer: the fastest point, cheaper ones with most of its gain, and the standing of the
/// default.
pub(super) fn answers(document: &Document, sweep: &SweepFinding) -> Vec<Line> {
    if let Some(tuning) = &sweep.tuning {
        return tuned(document, sweep, tuning);
    }
    let Some(fastest) = shown_best(document, sweep).or(sweep.front.first().copied()) else {
        let why = unread(document, sweep).map(|why| line![": ", why]).unwrap_or_default();
        return vec![line!["no point is left to choose from", why]];
    };
    let mut sentences = vec![best(document, sweep, fastest)];
    sentences.extend(cheaper(document, sweep, fastest));
    sentences.extend(default_place(document, sweep, fastest));
    sentences.extend(open(document, sweep));
    sentences
}

/// The points that may yet leave the front; the default is reported separately.
fn open(document: &Document, sweep: &SweepFinding) -> Option<Line> {
    let points: Vec<u32> =
        points::open(sweep).filter(|point| Some(*point) != sweep.default).collect();
    let names = reasons::named(points.iter().map(|&p| named(document, p).into()).collect());
    let belong = if points.len() == 1 { " belongs" } else { " belong" };
    (!points.is_empty()).then(|| line!["not decided: whether ", names, belong, " to the front"])
}

/// The reason an objective was not read.
fn unread(document: &Document, sweep: &SweepFinding) -> Option<String> {
    let mut objectives = [&sweep.minimized].into_iter().chain(sweep.beside());
    let part = objectives.find_map(|id| document.missing.iter().find(|part| part.metric == *id))?;
    Some(format!("{} is missing ({})", words::label(&part.metric), part.reason))
}

/// The points of the front that have most of the gain for less.
fn cheaper(document: &Document, sweep: &SweepFinding, fastest: u32) -> Vec<Line> {
    let knee = sweep.knee.filter(|_| sweep.knee != sweep.thrifty);
    [(sweep.thrifty, ", the thrifty one,"), (knee, ", the knee of the front,")]
        .into_iter()
        .filter_map(|(variant, what)| Some((variant.filter(|one| *one != fastest)?, what)))
        .map(|(variant, what)| share_of_gain(document, sweep, fastest, variant, what))
        .collect()
}

/// The result of a tuning: the setting to choose, and its effect elsewhere.
fn tuned(document: &Document, sweep: &SweepFinding, tuning: &TuningFinding) -> Vec<Line> {
    let mut sentences = match tuning.recommended {
        Some(variant) => {
            let mut sentences = vec![best(document, sweep, variant)];
            sentences.extend(cheaper(document, sweep, variant));
            sentences
        }
        None => vec![line![
            "nothing is certainly better than the default in ",
            words::label(&sweep.minimized).to_owned(),
            " by ",
            percent(document.experiment.margin.fraction())
        ]],
    };
    sentences.extend(tuning.check.as_ref().map(checked));
    sentences.push(searched(tuning));
    sentences.extend(not_varied(tuning));
    sentences
}

/// The effect of the setting on another command.
fn checked(check: &CheckedSetting) -> Line {
    let decimals = ratio_decimals(check.low, check.high.unwrap_or(check.ratio));
    let number = |ratio: f64| format!("{ratio:.decimals$}");
    let high = check.high.map_or("?".to_owned(), number);
    let ratio = format!("{} [{}, {high}]", number(check.ratio), number(check.low));
    line![
        if check.verdict == Verdict::Improved { "with " } else { "but with " },
        Span::code(&check.command),
        " it takes ",
        Span::quantity(ratio, check.ratio),
        " times as long: ",
        check.verdict.word()
    ]
}

/// The largest number of tried settings named; the JSON has all of them.
const MOST_NAMED: usize = 3;

/// The extent of the search.
fn searched(tuning: &TuningFinding) -> Line {
    let tried = tuning.tried.len();
    let failed = match tuning.tried.iter().filter(|tried| tried.seconds.is_none()).count() {
        0 => String::new(),
        failed => format!("; at {failed} of them the program failed or took too long"),
    };
    let fresh = if tuning.is_confirmed { "; all figures are of fresh runs" } else { "" };
    let names = tuning.tried.iter().map(|tried| Span::code(&tried.setting).into());
    let which = match tried {
        1..=MOST_NAMED => line![" (", Line::join(names, ", "), ")"],
        _ => Line::default(),
    };
    line![
        format!("the search tried {tried} of {}", words::counted(tuning.settings, "setting")),
        which,
        format!(" in {}{failed}{fresh}", words::counted(tuning.search_runs as u64, "run"))
    ]
}

/// The knobs that other circumstances would allow, grouped by reason.
fn not_varied(tuning: &TuningFinding) -> Option<Line> {
    let left = tuning.left_out.iter().map(|left| (&left.reason, Span::code(&left.name).into()));
    let clauses = reasons::together(left);
    let clauses = clauses
        .into_iter()
        .map(|(why, names)| line![Line::join(names, ", "), " (", why.clone(), ")"]);
    let clauses = Line::join(clauses, "; ");
    (!clauses.is_empty()).then(|| line!["not varied: ", clauses])
}

fn named(document: &Document, variant: u32) -> Span {
    Span::code(name(document, variant))
}

/// The reference point of the comparisons.
fn reference(document: &Document, sweep: &SweepFinding) -> Line {
    match sweep.default {
        Some(_) => "the default".into(),
        None => named(document, 0).into(),
    }
}

/// `0.71 [0.58, 0.94] times the wall time`, or `errors from 7 to 0` if one side is 0.
fn amount(part: &ComparedPair, what: &str) -> Line {
    let size = Span::quantity(words::ratio(part), part.ratio);
    match part.difference {
        Some(_) => line![what.to_owned(), " ", size],
        None => line![
            size,
            " times ",
            if what.starts_with("its ") { "" } else { "the " },
            what.to_owned()
        ],
    }
}

fn best(document: &Document, sweep: &SweepFinding, fastest: u32) -> Line {
    let what = || words::label(&sweep.minimized).to_owned();
    let (name, reference) = (named(document, fastest), reference(document, sweep));
    let is_shown = shown_best(document, sweep) == Some(fastest);
    if fastest == 0 {
        return match (is_shown, sweep.default) {
            (false, _) => line!["nothing is shown to be better than ", reference, " in ", what()],
            (true, Some(_)) => line!["nothing is better than the default in ", what()],
            (true, None) => line![name, " is best in ", what()],
        };
    }
    let compared = |id: &MetricId| {
        let mut parts = document.comparisons.iter();
        parts.find(|part| part.candidate == fastest && part.metric == *id)
    };
    let Some(gain) = compared(&sweep.minimized) else {
        return line!["the lowest estimate of ", what(), " is that of ", name];
    };
    let beside = sweep.beside().and_then(|id| match compared(id) {
        Some(beside) => Some(amount(beside, &format!("its {}", noun(id)))),
        None => {
            let ratio = value(document, fastest, id)? / value(document, 0, id)?;
            let is_told = sweep.tuning.is_some() && ratio.is_finite();
            let ratio = is_told.then(|| Span::quantity(format!("{ratio:.2}"), ratio))?;
            Some(line![ratio, " times its ", noun(id).to_owned()])
        }
    });
    let beside = beside.map(|amount| line![", and ", amount]).unwrap_or_default();
    let is_rivalled = |other: &SweepPoint| {
        matches!(other.state, PointState::Undecided { with: Some(with) }
            if other.variant == fastest || with == fastest)
    };
    if is_shown {
        let is = match sweep.points.iter().any(is_rivalled) {
            true => " is the best so far: ",
            false => " is best: ",
        };
        let of = if gain.difference.is_some() { ", compared with " } else { " of " };
        return line![name, is, amount(gain, &what()), of, reference, beside];
    }
    line![
        "nothing is shown to be better than ",
        reference,
        " in ",
        what(),
        "; the lowest estimate is ",
        name,
        " with ",
        amount(gain, &what()),
        beside
    ]
}

/// The name of a metric in a sentence.
fn noun(id: &MetricId) -> &str {
    if *id == PEAK_RSS { "memory" } else { words::label(id) }
}

/// `s=4M, the knee of the front, has 91 % of its gain, for 20 % of its additional memory`.
fn share_of_gain(
    document: &Document,
    sweep: &SweepFinding,
    fastest: u32,
    variant: u32,
    what: &'static str,
) -> Line {
    let name = named(document, variant);
    let of = |variant: u32, id: &MetricId| value(document, variant, id);
    let compared = |id: &MetricId| Some((of(0, id)?, of(fastest, id)?, of(variant, id)?));
    let gained = compared(&sweep.minimized).map(|(from, best, this)| (from - this) / (from - best));
    let Some(share) = gained.filter(|share| share.is_finite() && *share > 0.0) else {
        return line![name, " is", what.trim_start_matches(',').trim_end_matches(',')];
    };
    let noun = noun(&sweep.beside);
    let more = compared(&sweep.beside).map(|(from, best, this)| (this - from, best - from));
    let price = match more {
        Some((this, _)) if this <= 0.0 => format!(", for no additional {noun}"),
        Some((this, best)) if best > 0.0 => {
            format!(", for {} of its additional {noun}", percent(this / best))
        }
        _ => String::new(),
    };
    line![name, what, " has ", percent(share), " of its gain", price]
}

fn default_place(document: &Document, sweep: &SweepFinding, fastest: u32) -> Option<Line> {
    let default = sweep.default.filter(|default| *default != fastest)?;
    let by = |other: u32| named(document, other);
    Some(match &sweep.points.get(default as usize)?.state {
        PointState::Front => line![
            "the default is on the front: less ",
            words::label(&sweep.minimized).to_owned(),
            " takes more ",
            noun(&sweep.beside).to_owned()
        ],
        PointState::Equal { to } => line!["the default is as good as ", by(*to)],
        PointState::Undecided { with } => {
            line!["it is not decided whether ", by((*with)?), " is better than the default"]
        }
        PointState::Dominated { by: other } | PointState::Dropped { by: other } => {
            line!["the default is not on the front: ", by(*other), " is better"]
        }
        PointState::OverLimit { limit } => {
            line!["the default breaks the limit ", Span::code(limit)]
        }
        PointState::Failed { how, .. } => line!["the default ", how.clone()],
    })
}

/// The circumstances of the measurement, and the runs saved by dropping points.
pub(super) fn circumstances(document: &Document, sweep: &SweepFinding) -> String {
    let runs: u64 = sweep.points.iter().map(|point| u64::from(point.rounds)).sum();
    let full = u64::from(document.experiment.rounds) * sweep.points.len() as u64;
    let saved = match full.saturating_sub(runs) {
        0 => String::new(),
        saved => {
            let full = words::counted(full, "run");
            format!("; {saved} of {full} were saved by dropping points that could not win")
        }
    };
    format!("{}{saved}", words::circumstances(document))
}
