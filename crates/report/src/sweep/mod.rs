//! The page of a sweep: the best point and the line to copy, then a row for each point, best first.

pub(crate) mod figures;

use findings::{
    CheckedSetting, ComparedPair, Contender, Document, MetricSummary, PointState, SweepFinding,
    SweepPoint, TuningFinding,
};
use model::metric::{MetricId, PEAK_RSS, Source};
use model::spec::parameters::Parameter;
use model::verdict::Verdict;
use page::{Block, Column, Label, Line, Page, Row, Span, Table, Tone, line};
use words::quantity::{percent, quantity, ratio_decimals, scale_for};
use words::reasons;

use crate::{equal_work, notes};

/// The largest number of points listed on a terminal; the exports have all of them.
const MOST_ROWS: usize = 60;

/// The least width of the cut remark on a point.
const REMARK: usize = 16;

/// The page; empty if the document is not about a sweep.
pub(crate) fn page(document: &Document) -> Page {
    let mut page = Page::default();
    let Some(sweep) = document.sweep() else { return page };
    let mut answers = answers(document, sweep).into_iter();
    let is_good = shown_best(document, sweep).is_some_and(|best| best != 0);
    let tone = if is_good { Tone::Good } else { Tone::Plain };
    page.blocks.extend(answers.next().map(|answer| Block::Answer(answer.toned(tone))));
    page.sentences(answers);
    let line = sweep.tuning.as_ref().and_then(|tuning| tuning.line.clone());
    page.blocks.extend(line.map(Block::Command));
    // The figures of a search that chose nothing mean nothing.
    let has_figures = sweep.tuning.as_ref().is_none_or(|tuning| tuning.is_confirmed);
    match has_figures {
        true => page.push(Block::Table(table(document, sweep))),
        false => page.sentences([Span::code(&sweep.command)]),
    }
    let [warnings, remarks] = equal_work::findings(document);
    page.notes(Label::WARNING, warnings);
    if has_figures {
        page.sentences([circumstances(document, sweep)]);
        page.sentences((!document.comparisons.is_empty()).then(|| words::confidence(document)));
    }
    page.notes(Label::NOTE, remarks);
    notes::add(&mut page, document, &|variant| named(document, variant).into());
    page
}

fn table(document: &Document, sweep: &SweepFinding) -> Table {
    let label = |id: &MetricId| Column::right(words::label(id));
    let parameters = parameters(document, sweep);
    let named = parameters.iter().map(|parameter| Column::right(parameter.name.clone()));
    let columns = std::iter::once(Column::left(""))
        .chain(named)
        .chain([label(&sweep.minimized), Column::right("± sd").giving_way(0)])
        .chain([Column::left(match sweep.default {
            Some(_) => "to default",
            None => "to first",
        })
        .giving_way(1)])
        .chain(sweep.beside().map(label))
        .chain([Column::right("runs"), Column::names("", REMARK)]);
    let mut table = Table { most_rows: Some(MOST_ROWS), ..Table::new(columns) };
    table.title = Span::code(&sweep.command).into();
    let points = sorted(document, sweep);
    table.rows.extend(points.into_iter().map(|point| row(document, sweep, &parameters, point)));
    table
}

fn row(
    document: &Document,
    sweep: &SweepFinding,
    parameters: &[&Parameter],
    point: &SweepPoint,
) -> Row {
    let mark = if point.state.is_on_front() { "*" } else { "" };
    let part = document.comparison_of(0, point.variant, &sweep.minimized, Source::Run);
    let ratio = part.map(|part| Span::quantity(words::ratio(part), part.ratio).into());
    let [minimized, spread] = reading(document, point.variant, &sweep.minimized);
    let beside = sweep.beside().map(|id| reading(document, point.variant, id)[0].clone());
    let tone = match point.state {
        PointState::Front => Tone::Good,
        PointState::Equal { .. } | PointState::Undecided { .. } => Tone::Plain,
        PointState::Failed { .. } => Tone::Bad,
        PointState::Dominated { .. }
        | PointState::Dropped { .. }
        | PointState::OverLimit { .. } => Tone::Quiet,
    };
    std::iter::once(Line::from(mark).toned(Tone::Good))
        .chain(values(document, parameters, point.variant))
        .chain([minimized, spread, ratio.unwrap_or_default()])
        .chain(beside)
        .chain([point.rounds.to_string().into(), remark(document, sweep, point).toned(tone)])
        .collect()
}

/// The parameters that some variant sets: a search may have many, but find few of them useful.
fn parameters<'a>(document: &Document, sweep: &'a SweepFinding) -> Vec<&'a Parameter> {
    let is_set = |parameter: &&Parameter| {
        document.variants.iter().any(|variant| variant.labels.parameter(&parameter.name).is_some())
    };
    sweep.parameters.iter().filter(is_set).collect()
}

/// The values of the parameters; `default` in the first column if none is set.
fn values(document: &Document, parameters: &[&Parameter], variant: u32) -> Vec<Line> {
    let variant: Option<&Contender> = document.variants.get(variant as usize);
    let is_unset = variant.is_some_and(|variant| variant.labels.parameters.is_empty());
    let value = |(place, parameter): (usize, &&Parameter)| match variant
        .and_then(|variant| variant.labels.parameter(&parameter.name))
    {
        Some(value) => value.to_owned().into(),
        None if place == 0 && is_unset => "default".into(),
        None => Line::default(),
    };
    parameters.iter().enumerate().map(value).collect()
}

/// A point's value of a metric, with the spread of its runs.
fn reading(document: &Document, variant: u32, id: &MetricId) -> [Line; 2] {
    let Some(part) = document.any_summary(variant, id) else { return ["?".into(), "".into()] };
    let centre = value(document, variant, id).unwrap_or_else(|| document.figure(part));
    let scale = scale_for(centre, id.unit());
    let decimals = scale.decimals(centre);
    let bound = if part.at_most { "<= " } else { "" };
    let value = scale.with_symbol(&format!("{bound}{}", scale.number(centre, decimals)));
    let spread = part.sd.filter(|_| !part.at_most);
    let spread =
        spread.map(|sd| Span::quantity(scale.with_symbol(&scale.spread(sd, decimals)), sd).into());
    [Span::quantity(value, centre).into(), spread.unwrap_or_default()]
}

/// The remark on a point: `default, worse than s=32M`.
fn remark(document: &Document, sweep: &SweepFinding, point: &SweepPoint) -> Line {
    let roles = [
        (sweep.default, "default"),
        (shown_best(document, sweep), "best"),
        (sweep.thrifty, "thrifty"),
        (sweep.knee, "knee"),
    ];
    let roles = roles.into_iter().filter(|(variant, _)| *variant == Some(point.variant));
    let state = state(document, point).map(Line::from);
    Line::join(roles.map(|(_, role)| line![role]).chain(state), ", ")
}

/// The fastest point, cheaper ones with most of its gain, and the standing of the default.
fn answers(document: &Document, sweep: &SweepFinding) -> Vec<Line> {
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
    let is_open = |point: &&SweepPoint| {
        matches!(point.state, PointState::Undecided { with: Some(_) })
            && Some(point.variant) != sweep.default
    };
    let points = sweep.points.iter().filter(is_open).map(|point| point.variant);
    let points: Vec<u32> = points.collect();
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
            words::label(&sweep.minimized),
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
    let what = || words::label(&sweep.minimized);
    let (name, reference) = (named(document, fastest), reference(document, sweep));
    let is_shown = shown_best(document, sweep) == Some(fastest);
    if fastest == 0 {
        return match (is_shown, sweep.default) {
            (false, _) => line!["nothing is shown to be better than ", reference, " in ", what()],
            (true, Some(_)) => {
                let default = figure(document, fastest, &sweep.minimized);
                line!["nothing is better than the default in ", what(), default]
            }
            (true, None) => {
                line![name, " is best in ", what(), figure(document, fastest, &sweep.minimized)]
            }
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
            Some(line![ratio, " times its ", noun(id)])
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

/// `: 12.99 ms`, a point's value.
fn figure(document: &Document, variant: u32, id: &MetricId) -> Line {
    let value = value(document, variant, id);
    value
        .map(|value| line![": ", Span::quantity(quantity(value, id.unit()), value)])
        .unwrap_or_default()
}

/// The name of a metric in a sentence.
fn noun(id: &MetricId) -> String {
    if *id == PEAK_RSS { "memory".to_owned() } else { words::label(id) }
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
    Some(match &sweep.points.get(default as usize)?.state {
        PointState::Front => line![
            "the default is on the front: less ",
            words::label(&sweep.minimized),
            " takes more ",
            noun(&sweep.beside)
        ],
        PointState::Equal { to } => line!["the default is as good as ", named(document, *to)],
        PointState::Undecided { with } => {
            line![
                "it is not decided whether ",
                named(document, (*with)?),
                " is better than the default"
            ]
        }
        PointState::Dominated { by: other } | PointState::Dropped { by: other } => {
            line!["the default is not on the front: ", named(document, *other), " is better"]
        }
        PointState::OverLimit { limit } => {
            line!["the default breaks the limit ", Span::code(limit)]
        }
        PointState::Failed { how, .. } => line!["the default ", how.clone()],
    })
}

/// The circumstances of the measurement, and the runs saved by dropping points.
fn circumstances(document: &Document, sweep: &SweepFinding) -> String {
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

/// The front, then the others that were read, fastest first; then those that left, last first.
fn sorted<'a>(document: &Document, sweep: &'a SweepFinding) -> Vec<&'a SweepPoint> {
    let value = |point: &SweepPoint| {
        value(document, point.variant, &sweep.minimized).unwrap_or(f64::INFINITY)
    };
    let rank = |point: &SweepPoint| match point.state {
        PointState::Front | PointState::Equal { .. } | PointState::Undecided { with: Some(_) } => 0,
        PointState::Dominated { .. } | PointState::Undecided { with: None } => 1,
        PointState::Dropped { .. } => 2,
        PointState::OverLimit { .. } => 3,
        PointState::Failed { .. } => 4,
    };
    let mut points: Vec<&SweepPoint> = sweep.points.iter().collect();
    points.sort_by(|a, b| {
        let by_rounds = b.rounds.cmp(&a.rounds);
        rank(a).cmp(&rank(b)).then(by_rounds).then(value(a).total_cmp(&value(b)))
    });
    points
}

fn name(document: &Document, variant: u32) -> &str {
    document.variants.get(variant as usize).map_or("", |variant| variant.name.as_str())
}

/// The value of the first point times the ratio to it. It decides the front and is drawn in the
/// picture: the points ran in the same rounds, so the ratio says more than their own values.
/// Without such a ratio, or with only a bound, the point's own value.
fn value(document: &Document, variant: u32, id: &MetricId) -> Option<f64> {
    let own = document.any_summary(variant, id)?;
    let first = document.any_summary(0, id);
    let from_ratio = to_first(document, own).zip(first);
    let from_ratio = from_ratio.map(|(part, first)| part.ratio * document.figure(first));
    Some(from_ratio.unwrap_or_else(|| document.figure(own)))
}

/// The comparison with the first point; `None` without a ratio or an interval.
fn to_first<'a>(document: &'a Document, own: &MetricSummary) -> Option<&'a ComparedPair> {
    let part = document.comparison_of(0, own.variant, &own.metric, own.source)?;
    let is_known = part.bound.is_none() && part.low > 0.0 && !own.at_most && part.high.is_some();
    is_known.then_some(part)
}

/// The point with the least value of the minimised metric, if it is shown to be better than the
/// reference point; or the reference point, if all others that are left are shown to be worse.
fn shown_best(document: &Document, sweep: &SweepFinding) -> Option<u32> {
    if let Some(tuning) = &sweep.tuning {
        return tuning.recommended;
    }
    let has_verdict = |variant: u32, verdict: Verdict| {
        let mut parts = document.comparisons.iter();
        let part = parts.find(|part| part.candidate == variant && part.metric == sweep.minimized);
        part.is_some_and(|part| part.verdict == verdict)
    };
    let is_left = |state: &PointState| {
        !matches!(
            state,
            PointState::Dropped { .. } | PointState::OverLimit { .. } | PointState::Failed { .. }
        )
    };
    let left = sweep.points.iter().filter(|point| is_left(&point.state)).map(|point| point.variant);
    let beside_front = left.clone().filter(|variant| !sweep.front.contains(variant));
    let mut all = sweep.front.iter().copied().chain(beside_front);
    all.find(|&variant| has_verdict(variant, Verdict::Improved)).or_else(|| {
        let mut others = left.filter(|&variant| variant != 0);
        let is_first = sweep.front.first() == Some(&0);
        (is_first && others.all(|variant| has_verdict(variant, Verdict::Regressed))).then_some(0)
    })
}

/// The outcome of a point, in words; `None` if it is alone on the front or was not read.
fn state(document: &Document, point: &SweepPoint) -> Option<String> {
    let name = |variant: u32| name(document, variant);
    match &point.state {
        PointState::Front | PointState::Undecided { with: None } => None,
        PointState::Equal { to } => Some(format!("≈ {}", name(*to))),
        PointState::Undecided { with: Some(other) } => {
            Some(format!("may be worse than {}", name(*other)))
        }
        PointState::Dominated { by } => Some(format!("worse than {}", name(*by))),
        PointState::Dropped { by } => Some(format!("stopped early: worse than {}", name(*by))),
        PointState::OverLimit { limit } => Some(format!("not {limit}")),
        PointState::Failed { how, .. } => Some(how.clone()),
    }
}
