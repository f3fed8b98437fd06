//! The sentences of a sweep, the same on a terminal and in Markdown.

use super::rows::{is_shown_worse, value};
use crate::judge::verdict::Verdict;
use crate::metric::{MetricId, PEAK_RSS};
use crate::report::document::{Document, PointState, SweepPart, TuningPart};
use crate::report::quantity::{percent, ratio_decimals};
use crate::report::words;

/// The answer: the fastest point, cheaper ones that have most of its gain, and where the default
/// stands.
pub fn answers(document: &Document, sweep: &SweepPart) -> Vec<String> {
    if let Some(tuning) = &sweep.tuning {
        return tuned(document, sweep, tuning);
    }
    let Some(&fastest) = sweep.front.first() else {
        let why = unread(document, sweep).map(|why| format!(": {why}")).unwrap_or_default();
        return vec![format!("no point is left to choose{why}")];
    };
    let mut sentences = vec![best(document, sweep, fastest)];
    sentences.extend(cheaper(document, sweep, fastest));
    sentences.extend(default_place(document, sweep, fastest));
    sentences
}

/// Why something that the points are chosen by was not read.
fn unread(document: &Document, sweep: &SweepPart) -> Option<String> {
    let mut objectives = [&sweep.minimized].into_iter().chain(sweep.beside());
    let part = objectives.find_map(|id| document.missing.iter().find(|part| part.metric == *id))?;
    Some(format!("{} is missing ({})", words::label(&part.metric), part.reason))
}

/// The members of the front that have most of the gain for less.
fn cheaper(document: &Document, sweep: &SweepPart, fastest: u32) -> Vec<String> {
    let mut sentences = Vec::new();
    let cheaper = [(sweep.thrifty, "the thrifty one"), (sweep.knee, "the knee of the front")];
    for (variant, what) in cheaper {
        let is_new = variant.is_some_and(|variant| variant != fastest);
        let is_said = what != "the thrifty one" && sweep.thrifty == variant;
        if let Some(variant) = variant.filter(|_| is_new && !is_said) {
            sentences.push(share_of_gain(document, sweep, fastest, variant, what));
        }
    }
    sentences
}

/// What a tuning ends with: the setting to choose, and what it does elsewhere.
fn tuned(document: &Document, sweep: &SweepPart, tuning: &TuningPart) -> Vec<String> {
    let mut sentences = match tuning.recommended {
        Some(variant) => {
            let mut sentences = vec![best(document, sweep, variant)];
            sentences.extend(cheaper(document, sweep, variant));
            sentences
        }
        None => vec![format!(
            "nothing is certainly better than the default in {} by {}",
            words::label(&sweep.minimized),
            percent(document.experiment.margin)
        )],
    };
    if let Some(check) = &tuning.check {
        let decimals = ratio_decimals(check.low, check.high.unwrap_or(check.ratio));
        let number = |ratio: f64| format!("{ratio:.decimals$}");
        let high = check.high.map_or("?".to_owned(), number);
        let but = if check.verdict == Verdict::Improved { "" } else { "but " };
        sentences.push(format!(
            "{but}with `{}` it takes {} [{}, {high}] times as long: {}",
            check.command,
            number(check.ratio),
            number(check.low),
            check.verdict.word()
        ));
    }
    sentences.push(searched(tuning));
    sentences.extend(not_varied(tuning));
    sentences
}

/// How far the search got.
fn searched(tuning: &TuningPart) -> String {
    let tried = tuning.tried.len();
    let failed = tuning.tried.iter().filter(|tried| tried.seconds.is_none()).count();
    let failed = match failed {
        0 => String::new(),
        failed => format!("; at {failed} of them the program failed or took too long"),
    };
    let worth = if tuning.is_confirmed { "; only the runs above say what is gained" } else { "" };
    format!(
        "{} runs looked at {tried} of {} settings{failed}{worth}",
        tuning.search_runs, tuning.settings
    )
}

/// What the runtime could be told in other circumstances, the knobs with one reason together.
fn not_varied(tuning: &TuningPart) -> Option<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for left in &tuning.left_out {
        let name = format!("`{}`", left.name);
        match reasons.iter_mut().find(|(reason, _)| *reason == left.reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((&left.reason, vec![name])),
        }
    }
    let clauses = reasons.iter().map(|(why, names)| format!("{} ({why})", names.join(", ")));
    let clauses: Vec<String> = clauses.collect();
    (!clauses.is_empty()).then(|| format!("not varied: {}", clauses.join("; ")))
}

fn name(document: &Document, variant: u32) -> &str {
    document.variants.get(variant as usize).map_or("", |variant| variant.name.as_str())
}

/// The point that the others are compared with, as a word in a sentence.
fn reference(document: &Document, sweep: &SweepPart) -> String {
    match sweep.default {
        Some(_) => "the default".to_owned(),
        None => format!("`{}`", name(document, 0)),
    }
}

fn best(document: &Document, sweep: &SweepPart, fastest: u32) -> String {
    let what = words::label(&sweep.minimized);
    let name_of = name(document, fastest);
    let reference = reference(document, sweep);
    if fastest == 0 {
        return match (sweep.default, shown_best(document, sweep)) {
            (_, None) => format!("nothing is shown to be better than {reference} in {what}"),
            (Some(_), Some(_)) => format!("nothing is better than the default in {what}"),
            (None, Some(_)) => format!("`{name_of}` is best in {what}"),
        };
    }
    let compared = |id: &MetricId| {
        let mut parts = document.comparisons.iter();
        parts.find(|part| part.candidate == fastest && part.metric == *id)
    };
    let Some(gain) = compared(&sweep.minimized) else {
        return format!("`{name_of}` is best in {what}");
    };
    let ratio = words::ratio(gain);
    let beside = sweep.beside().and_then(|id| match compared(id) {
        Some(beside) => Some((id, words::ratio(beside))),
        None => value(document, fastest, id)
            .zip(value(document, 0, id))
            .filter(|_| sweep.tuning.is_some())
            .map(|(this, from)| (id, format!("{:.2}", this / from))),
    });
    let beside = beside.map(|(id, ratio)| format!(", and {ratio} times its {}", noun(id)));
    let beside = beside.unwrap_or_default();
    if gain.verdict == Verdict::Improved {
        return format!("`{name_of}` is best: {ratio} times the {what} of {reference}{beside}");
    }
    format!(
        "nothing is shown to be better than {reference} in {what}; the least estimate is \
         `{name_of}` with {ratio} times as much{beside}"
    )
}

/// The first member of the front, where it is shown to be better than the point that the others are
/// compared with; or that point, where all others that are left are shown to be worse.
pub(super) fn shown_best(document: &Document, sweep: &SweepPart) -> Option<u32> {
    let first = *sweep.front.first()?;
    let verdict = |variant: u32| {
        let mut parts = document.comparisons.iter();
        let part =
            parts.find(|part| part.candidate == variant && part.metric == sweep.minimized)?;
        Some(part.verdict)
    };
    let is_left = |state: &PointState| {
        !matches!(
            state,
            PointState::Dropped { .. } | PointState::OverLimit { .. } | PointState::Failed { .. }
        )
    };
    let is_best = match (first, &sweep.tuning) {
        (_, Some(tuning)) => tuning.recommended == Some(first),
        (0, None) => {
            let others = sweep.points.iter().filter(|point| point.variant != 0);
            let mut left = others.filter(|point| is_left(&point.state));
            left.all(|point| verdict(point.variant) == Some(Verdict::Regressed))
        }
        (_, None) => verdict(first).is_none_or(|verdict| verdict == Verdict::Improved),
    };
    is_best.then_some(first)
}

/// What a metric is called in a sentence.
fn noun(id: &MetricId) -> &str {
    if *id == PEAK_RSS { "memory" } else { words::label(id) }
}

/// `s=4M, the knee, has 91 % of that gain and 20 % of the additional memory`.
fn share_of_gain(
    document: &Document,
    sweep: &SweepPart,
    fastest: u32,
    variant: u32,
    what: &str,
) -> String {
    let name_of = name(document, variant);
    let of = |variant: u32, id: &MetricId| value(document, variant, id);
    let compared = |id: &MetricId| Some((of(0, id)?, of(fastest, id)?, of(variant, id)?));
    let times = compared(&sweep.minimized).map(|(from, best, this)| (from - this) / (from - best));
    let Some(share) = times.filter(|share| share.is_finite() && *share > 0.0) else {
        return format!("`{name_of}` is {what}");
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
    format!("`{name_of}`, {what}, has {} of its gain{price}", percent(share))
}

fn default_place(document: &Document, sweep: &SweepPart, fastest: u32) -> Option<String> {
    let default = sweep.default?;
    if fastest == default {
        return None;
    }
    let by = |other: u32| format!("`{}`", name(document, other));
    let is_worse = |other: u32| is_shown_worse(document, sweep, default, other);
    Some(match &sweep.points.get(default as usize)?.state {
        PointState::Front => "the default is on the front: what is faster needs more".to_owned(),
        PointState::Equal { to } => format!("the default is as good as {}", by(*to)),
        PointState::Dominated { by: other } if !is_worse(*other) => format!(
            "the default is not on the front, but is not shown to be worse than {}",
            by(*other)
        ),
        PointState::Dominated { by: other } | PointState::Dropped { by: other } => {
            format!("the default is not on the front: {} is better", by(*other))
        }
        PointState::OverLimit { limit } => format!("the default does not keep to `{limit}`"),
        PointState::Failed { how, .. } => format!("the default {how}"),
        PointState::Undecided => return None,
    })
}

/// Whether the points' figures say something: not those of a search that named nothing.
pub fn has_figures(sweep: &SweepPart) -> bool {
    sweep.tuning.as_ref().is_none_or(|tuning| tuning.is_confirmed)
}

/// How it was measured, and what leaving points out saved.
pub fn circumstances(document: &Document, sweep: &SweepPart) -> String {
    let runs: u64 = sweep.points.iter().map(|point| u64::from(point.rounds)).sum();
    let full = u64::from(document.experiment.rounds) * sweep.points.len() as u64;
    let saved = match full.saturating_sub(runs) {
        0 => String::new(),
        saved => format!("; {saved} of {full} runs were saved, as points left that had no hope"),
    };
    format!("{}{saved}", words::circumstances(document))
}
