//! The words for findings: numbers with units, ratios with intervals, and the sentences that several
//! reports share, the same on a terminal and in Markdown.

pub mod names;
pub mod quantity;
pub mod reasons;

use std::fmt::Display;

use page::{Block, Line, Section, Span, Tone, line};

use crate::names::named;
use crate::quantity::{ChangeSize, duration, percent, quantity, ratio_decimals};
use findings::{Answer, Authorship, Bound, ComparedPair, Document, Order};
use judge::comparison::Basis;
use model::design::stopping::StopReason;
use model::metric::{self, MetricId, Source, WALL_TIME};
use model::spec::copies::Copies;
use model::verdict::Verdict;

/// `1.009 [1.006, 1.012]`, or `exactly 1.001`; `from 0 B to 64 B` if one side is 0.
pub fn ratio(part: &ComparedPair) -> String {
    if let Some(difference) = part.difference {
        return quantity::shift(difference, part.metric.unit());
    }
    let (sign, middle) = (sign(part), middle(part));
    match part.basis {
        Basis::Exact => format!("{sign}exactly {middle}"),
        _ => format!("{sign}{middle} {}", interval(part)),
    }
}

fn sign(part: &ComparedPair) -> &'static str {
    match part.bound {
        Some(Bound::AtLeast) => ">= ",
        Some(Bound::AtMost) => "<= ",
        None => "",
    }
}

/// The ratio itself, with an appropriate number of decimals.
fn middle(part: &ComparedPair) -> String {
    match (part.basis, part.high) {
        _ if part.difference.is_some() || part.ratio.is_infinite() => {
            ChangeSize::from(part).words()
        }
        (Basis::Exact, _) => exact(part.ratio),
        (_, Some(high)) => format!("{:.1$}", part.ratio, ratio_decimals(part.low, high)),
        (_, None) => format!("{:.2}", part.ratio),
    }
}

/// The ratio beside the figures of both sides, with a star if they contradict it; [`footnote`]
/// gives the reason.
pub fn ratio_in_row(document: &Document, part: &ComparedPair) -> String {
    let star = if contradicts_figures(document, part) { " *" } else { "" };
    format!("{}{star}", ratio(part))
}

/// `1.0091 regressed`: the ratio without its interval, and the verdict.
pub fn ratio_and_verdict(document: &Document, part: &ComparedPair) -> Line {
    let star = contradicts_figures(document, part).then(|| Span::foreign(" *"));
    let star = star.map(Line::from).unwrap_or_default();
    let small = if part.verdict.is_change() && part.within_margin { " (small)" } else { "" };
    line![sign(part), middle(part), star, " ", part.verdict.word(), small].toned(tone(part.verdict))
}

/// `[1.0072, 1.0109]`, or `exactly`.
pub fn interval(part: &ComparedPair) -> String {
    let of_difference = part.difference.map(|one| quantity::ends(one, part.metric.unit()));
    match (part.basis, part.high) {
        (Basis::Exact, _) => "exactly".to_owned(),
        _ if let Some(interval) = of_difference => interval,
        (_, Some(high)) => {
            let decimals = ratio_decimals(part.low, high);
            format!("[{:.decimals$}, {high:.decimals$}]", part.low)
        }
        (_, None) => "[?, ?]".to_owned(),
    }
}

/// The reason some ratio differs from that of the figures beside it; `None` if all agree.
pub fn footnote(document: &Document) -> Option<Line> {
    let mut shown = document.comparisons.iter().filter(|part| document.shows(&part.metric));
    shown.any(|part| contradicts_figures(document, part)).then(|| line![
        Span::foreign("*"),
        " not the ratio of the figures beside it: a figure is the middle of all rounds, the ratio \
         compares runs of the same round, and the machine was not the same in all of them",
    ])
}

/// True if the figures of both sides certainly contradict this ratio: they are on the other side of
/// 1 from a change that was found, or outside the interval by more than the margin.
fn contradicts_figures(document: &Document, part: &ComparedPair) -> bool {
    let figure = |variant: u32| {
        let own = document.summary(variant, &part.metric, part.source);
        own.filter(|one| !one.at_most).map(|one| document.figure(one))
    };
    let Some((baseline, candidate)) = figure(part.baseline).zip(figure(part.candidate)) else {
        return false;
    };
    let quotient = candidate / baseline;
    let has_ratio = part.basis != Basis::Exact && part.difference.is_none();
    if !has_ratio || part.bound.is_some() || !quotient.is_finite() {
        return false;
    }
    let most = 1.0 + document.experiment.margin.fraction();
    let is_outside = quotient < part.low / most || part.high.is_some_and(|h| quotient > h * most);
    let is_opposite = part.verdict.is_change() && (quotient - 1.0) * (part.ratio - 1.0) < 0.0;
    is_outside || is_opposite
}

/// A ratio with enough decimals to tell it from 1, at least three.
fn exact(ratio: f64) -> String {
    let distance = (ratio - 1.0).abs();
    let decimals =
        if distance > 0.0 { (1.0 - distance.log10().floor()).clamp(3.0, 9.0) } else { 3.0 };
    format!("{ratio:.0$}", decimals as usize)
}

/// `1 module`, `3 modules`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Blocks that are folded by default; on a terminal, `-v` shows them.
pub fn folded(title: String, blocks: Vec<Block>) -> Vec<Block> {
    if blocks.is_empty() {
        return Vec::new();
    }
    let hint = line![Span::code("-v"), " shows ", title.clone()];
    vec![Block::Hint(hint), Block::Section(Section::folded(title, blocks))]
}

/// A sentence with a capital at its beginning.
pub fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// The metric's readable name: `wall time`, `p90 wall time`.
pub fn label(id: &MetricId) -> String {
    let reading = id.reading();
    let label = metric::find(&reading).map_or(reading.as_str(), |metric| metric.label);
    match id.quantile() {
        Some(quantile) => format!("p{} {label}", quantile.percent()),
        None => label.to_owned(),
    }
}

/// `` `new` (B) is slower than `old` (A): it takes 1.009 [1.006, 1.012] times as long (wall time) ``.
pub fn answer(document: &Document, answer: &Answer) -> Line {
    let Some(part) = document.deciding(answer) else { return Line::default() };
    let (a, b) = (named(document, answer.baseline), named(document, answer.candidate));
    let sentence = match (answer.verdict, is_time(&answer.metric)) {
        (Verdict::Improved, true) => {
            line![b, " is faster than ", a, ": ", times_as_long(part, answer)]
        }
        (Verdict::Regressed, true) => {
            line![b, " is slower than ", a, ": ", times_as_long(part, answer)]
        }
        (Verdict::Improved | Verdict::Regressed, false) if part.difference.is_some() => {
            let rounds = match part.basis {
                Basis::Exact => format!(", in each of {}", counted(part.rounds, "round")),
                _ => String::new(),
            };
            let verdict = answer.verdict.word();
            line![b, " has ", amount_of(part, a), format!("{rounds}: {verdict}")]
        }
        (Verdict::Improved | Verdict::Regressed, false)
            if is_rate(&answer.metric) && is_same_load(document, answer) =>
        {
            let faster = if answer.verdict == Verdict::Improved { "faster" } else { "slower" };
            let (times, of) = (ratio(part), label(&answer.metric));
            line![b, format!(" is {faster} than "), a, format!(": it has {times} times the {of}")]
        }
        (Verdict::Improved | Verdict::Regressed, false) => {
            line![b, " has ", amount_of(part, a), format!(": {}", answer.verdict.word())]
        }
        (Verdict::Unchanged, _) => {
            let is_speed = is_time(&answer.metric) || is_rate(&answer.metric);
            let margin = percent(document.experiment.margin.fraction());
            let (label, times) = (label(&answer.metric), ratio(part));
            line![
                b,
                if is_speed { " is as fast as " } else { " is as large as " },
                a,
                format!(", within {margin}: {label} {times}")
            ]
        }
        (Verdict::Inconclusive, _) => inconclusive(document, part, a, b),
    };
    let apart = match part.basis {
        Basis::Experiments => "; the two were not interleaved",
        _ => "",
    };
    line![sentence, small_change(document, part), decided_by(answer), apart]
}

/// The fewest runs of which half are worth a sentence.
const LEAST_HALVED: usize = 8;

/// The answer about a command that is compared with nothing: `` `sort big` takes 22.17 ms (wall
/// time); half of its runs took 21.98 ms to 22.40 ms ``. `None` without a value.
pub fn level(document: &Document) -> Option<Line> {
    let [_] = document.variants.as_slice() else { return None };
    let id = document.main_metric();
    let part = document.any_summary(0, &id)?;
    let amount = |value: f64| quantity(value, id.unit());
    let interval = part.quantile.map(|quantile| {
        let end = |end: Option<f64>| end.map_or_else(|| "?".to_owned(), amount);
        format!(" [{}, {}]", end(quantile.low), end(quantile.high))
    });
    let bound = if part.at_most { "at most " } else { "" };
    let value = format!("{bound}{}{}", amount(document.figure(part)), interval.unwrap_or_default());
    let has = match is_time(&id) {
        true => format!(" takes {value} ({}){}", label(&id), part.source.mark()),
        false => format!(" has {value} {}{}", label(&id), part.source.mark()),
    };
    let is_halved = part.n >= LEAST_HALVED && !part.at_most && part.quantile.is_none();
    let half = part.quartiles.filter(|_| is_halved).map(|[low, high]| match part.min < part.max {
        true => format!("; half of its runs lie between {} and {}", amount(low), amount(high)),
        false => format!(" in each of {}", counted(part.n, "run")),
    });
    Some(line![named(document, 0), has, half.unwrap_or_default()])
}

/// The largest number of commands named in a ranking.
const MOST_RANKED: usize = 6;

/// `fastest first: D, then B and C (not told apart), then 12 others`; `None` without a ranking.
pub fn ranking(document: &Document) -> Option<Line> {
    let metric = &document.answers.first()?.metric;
    let is_speed = is_time(metric) || is_rate(metric);
    let groups = document.ranking.chunk_by(|a, b| a.rank == b.rank);
    if groups.clone().count() == 1 {
        let all = document.ranking.len();
        let best = if is_speed { "fastest" } else { "best" };
        return Some(
            format!("none of the {all} commands is shown to be {best} in {}", label(metric)).into(),
        );
    }
    let first = match is_speed {
        true => line![format!("fastest first ({}): ", label(metric))],
        false => line!["best first in ", label(metric), ": "],
    };
    let mut unnamed = document.ranking.len();
    let mut told = Vec::new();
    for group in groups {
        let named_before = document.ranking.len() - unnamed;
        if named_before + group.len() > MOST_RANKED && named_before > 0 {
            break;
        }
        unnamed -= group.len();
        let mut names: Vec<Line> =
            group.iter().take(MOST_RANKED).map(|part| named(document, part.variant)).collect();
        if group.len() > names.len() {
            names.push(counted(group.len() - names.len(), "other").into());
        }
        let tied = if group.len() > 1 { " (not told apart)" } else { "" };
        told.push(line![conjunction(names), tied]);
    }
    told.extend((unnamed > 0).then(|| counted(unnamed, "other").into()));
    (!told.is_empty()).then(|| line![first, Line::join(told, ", then ")])
}

/// `a, b and c`.
fn conjunction(mut names: Vec<Line>) -> Line {
    let Some(last) = names.pop() else { return Line::default() };
    match names.is_empty() {
        true => last,
        false => line![Line::join(names, ", "), " and ", last],
    }
}

/// A candidate's amount of the metric: `1.009 [1.006, 1.012] times the instructions of A`, or, if
/// one side is 0, `64 B allocated where A has 0 B`.
pub fn amount_of(part: &ComparedPair, baseline: impl Into<Line>) -> Line {
    let (label, baseline) = (label(&part.metric), baseline.into());
    let Some(difference) = part.difference else {
        return line![format!("{} times the {label} of ", ratio(part)), baseline];
    };
    let value = difference.value;
    let [zero, other] = [0.0, value.abs()].map(|value| quantity(value, part.metric.unit()));
    match part.basis {
        Basis::Exact if value < 0.0 => {
            line![format!("{zero} {label} where "), baseline, format!(" has {other}")]
        }
        Basis::Exact => line![format!("{other} {label} where "), baseline, format!(" has {zero}")],
        _ => line![format!("{} {} {label} compared with ", middle(part), interval(part)), baseline],
    }
}

/// The meaning of a run and its readings when several copies run at once; `None` if commands run
/// alone.
pub fn copies(document: &Document) -> Option<String> {
    let copies = || document.variants.iter().filter_map(|variant| variant.labels.copies);
    let processors = copies().next()?.processors;
    let mut sizes: Vec<u32> = copies().map(|one| one.count).collect();
    sizes.dedup();
    let (last, before) = sizes.split_last()?;
    let numbers = match before {
        [] => last.to_string(),
        _ => {
            let before: Vec<String> = before.iter().map(u32::to_string).collect();
            format!("{} or {last}", before.join(", "))
        }
    };
    let shared = if copies().any(Copies::is_crowded) { ", which they share" } else { "" };
    let copy = if sizes == [1] { "copy" } else { "copies" };
    let is_separate = document.summaries.iter().any(|part| part.source != Source::Run);
    let separate = if is_separate { "; separate runs are of one copy alone" } else { "" };
    Some(format!(
        "each run starts {numbers} {copy} at once on {}{shared}; latency is one copy's (the mean), peak \
         rss the largest process's, all else the copies' total{separate}",
        counted(processors, "processor")
    ))
}

/// True if both sides ran in the same number of copies.
fn is_same_load(document: &Document, answer: &Answer) -> bool {
    let of = |variant: u32| document.variants.get(variant as usize)?.labels.copies;
    of(answer.baseline) == of(answer.candidate)
}

fn is_rate(id: &MetricId) -> bool {
    metric::find(id).is_some_and(|metric| metric.unit == metric::Unit::PerSecond)
}

fn is_time(id: &MetricId) -> bool {
    metric::find(id).is_some_and(|metric| metric.unit == metric::Unit::Seconds)
}

fn times_as_long(part: &ComparedPair, answer: &Answer) -> String {
    if part.difference.is_some() {
        return format!("{} {}", label(&answer.metric), ratio(part));
    }
    format!("it takes {} times as long ({})", ratio(part), label(&answer.metric))
}

fn inconclusive(document: &Document, part: &ComparedPair, a: Line, b: Line) -> Line {
    let settle = match part.more_rounds {
        // Experiments differ, however many rounds they have.
        _ if part.basis == Basis::Experiments => String::new(),
        Some(more) => {
            let seconds = document.experiment.elapsed_seconds
                / f64::from(document.experiment.rounds.max(1))
                * more as f64;
            let (time, rounds) = (duration(seconds), counted(more, "more round"));
            match part.high {
                Some(_) => format!("; about {rounds} ({time}) would settle it"),
                None => format!("; an interval takes at least {rounds} ({time})"),
            }
        }
        None => "; too few rounds to estimate how many more are needed".to_owned(),
    };
    let (label, times) = (label(&part.metric), ratio(part));
    line!["whether ", b, " or ", a, format!(" is better stays open: {label} {times}{settle}")]
}

fn small_change(document: &Document, part: &ComparedPair) -> String {
    if part.verdict.is_change() && part.within_margin {
        format!(", a change within the {} margin", percent(document.experiment.margin.fraction()))
    } else {
        String::new()
    }
}

fn decided_by(answer: &Answer) -> String {
    match answer.wait_share {
        Some(share) => format!(
            ". Wall time cannot tell: up to {} of it was spent waiting for a processor, so cpu \
             time decides",
            percent(share)
        ),
        None => String::new(),
    }
}

/// The circumstances of the measurement: rounds, time, order, and the reason it ended.
pub fn circumstances(document: &Document) -> String {
    let experiment = &document.experiment;
    let rounds = counted(experiment.rounds, "round");
    if experiment.order == Order::Sequential {
        return format!("{rounds}, imported; each command's runs came one after the other");
    }
    let is_apart = |answer| is_apart(document, answer);
    let is_alone = document.variants.len() == 1
        || (!document.answers.is_empty() && document.answers.iter().all(is_apart));
    // An inconclusive answer is not settled: the resolution reached was enough to stop.
    let seen = experiment
        .resolution
        .filter(|_| document.answers.iter().any(|answer| answer.verdict == Verdict::Inconclusive));
    let is_history = document.history().is_some();
    let end = match (experiment.stop, seen) {
        (StopReason::Settled, _) if is_history && document.answers.is_empty() => {
            "as there is nothing to compare".to_owned()
        }
        (StopReason::Settled, Some(change)) if !is_alone => {
            format!("until a change of {} would have been seen", percent(change))
        }
        (StopReason::Settled, _) if !is_alone => "until the verdict was settled".to_owned(),
        (StopReason::Settled, _) => "until the median was known within the margin".to_owned(),
        (StopReason::Budget, _) => "until the time was up".to_owned(),
        (StopReason::Rounds, _) => "as asked".to_owned(),
        (StopReason::Interrupted, _) => "until interrupted".to_owned(),
        (StopReason::Failed, _) => "until a command failed".to_owned(),
        (StopReason::Running, _) => "so far".to_owned(),
    };
    format!("{rounds} in {} {end}", duration(experiment.elapsed_seconds))
}

/// True if the smallest detectable change does not apply to an answer: it is about an experiment of
/// another time, or one side is 0.
fn has_none(document: &Document, answer: &Answer) -> bool {
    let has_difference = document.deciding(answer).is_some_and(|part| part.difference.is_some());
    has_difference || is_apart(document, answer)
}

/// True if an answer is about an experiment of another time.
fn is_apart(document: &Document, answer: &Answer) -> bool {
    document.deciding(answer).is_some_and(|part| part.basis == Basis::Experiments)
}

/// The day of the measurement: `2026-11-21`, in UTC.
pub fn date(document: &Document) -> String {
    let seconds = document.experiment.started_unix_ns / 1_000_000_000;
    let moment = i64::try_from(seconds).ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
    moment.map(|moment| moment.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

/// `Ada Lovelace, 2026-11-21`: the author of a commit and the day, in UTC.
pub fn authorship(one: &Authorship) -> String {
    let moment = jiff::Timestamp::from_second(one.unix_seconds).unwrap_or_default();
    format!("{}, {}", one.author, moment.strftime("%Y-%m-%d"))
}

/// The smallest change that could have been seen, in the metric that answers.
pub fn detectable(document: &Document) -> Option<String> {
    let id = document.answers.first().map_or(WALL_TIME, |answer| answer.metric.clone());
    let by_instrument = document.answers.first().is_some_and(|answer| answer.source != Source::Run);
    let has_none = document.answers.first().is_some_and(|answer| has_none(document, answer));
    match document.detectable.get(&id) {
        Some(_) if by_instrument => None,
        _ if has_none => None,
        Some(&change) => Some(format!(
            "smallest detectable change, found nine times in ten: {} ({})",
            percent(change),
            label(&id)
        )),
        None if document.answers.is_empty() => None,
        None => Some("too few rounds to detect a change".to_owned()),
    }
}

/// The confidence of the verdicts.
pub fn confidence(document: &Document) -> String {
    format!(
        "all intervals and verdicts hold together with {} % confidence",
        (document.experiment.confidence * 1e8).round() / 1e6
    )
}

/// The order of verdicts in answers: bad news comes first.
pub const BAD_NEWS_FIRST: [Verdict; 4] =
    [Verdict::Regressed, Verdict::Improved, Verdict::Inconclusive, Verdict::Unchanged];

/// The tone in which a verdict is shown.
pub fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Improved => Tone::Good,
        Verdict::Regressed => Tone::Bad,
        Verdict::Unchanged => Tone::Plain,
        Verdict::Inconclusive => Tone::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::ShiftFromZero;

    fn part(ratio: f64, low: f64, high: Option<f64>, basis: Basis) -> ComparedPair {
        ComparedPair {
            metric: WALL_TIME,
            source: Source::Run,
            baseline: 0,
            candidate: 1,
            ratio,
            difference: None,
            bound: None,
            low,
            high,
            verdict: Verdict::Regressed,
            within_margin: false,
            basis,
            rounds: 20,
            more_rounds: None,
            detectable: None,
            machine: None,
        }
    }

    #[test]
    fn a_ratio_shows_what_its_interval_deserves() {
        let shown = |r, low, high, basis| ratio(&part(r, low, high, basis));
        assert_eq!(shown(1.0091, 1.0072, Some(1.0109), Basis::Ratios), "1.0091 [1.0072, 1.0109]");
        assert_eq!(shown(0.63, 0.58, Some(0.68), Basis::Ratios), "0.63 [0.58, 0.68]");
        assert_eq!(shown(2.0, 0.0, None, Basis::Ratios), "2.00 [?, ?]");
        assert_eq!(shown(1.0012, 1.0012, Some(1.0012), Basis::Exact), "exactly 1.0012");
        assert_eq!(shown(1.0, 1.0, Some(1.0), Basis::Exact), "exactly 1.000");
        let over_zero = |value, low, high| {
            let difference = Some(ShiftFromZero { value, low, high });
            let metric = model::metric::ALLOCATED;
            ComparedPair {
                difference,
                metric,
                ..part(f64::INFINITY, 0.0, None, Basis::Differences)
            }
        };
        let always = over_zero(64.0, Some(64.0), Some(64.0));
        assert_eq!(ratio(&always), "from 0 B to 64 B");
        assert_eq!(
            amount_of(&always, "A").text(),
            "+64 B [+64 B, +64 B] allocated compared with A"
        );
        let exact = ComparedPair { basis: Basis::Exact, ..always };
        assert_eq!(amount_of(&exact, "A").text(), "64 B allocated where A has 0 B");
        let less = over_zero(-64.0, Some(-80.0), Some(-60.0));
        assert_eq!(ratio(&less), "-64 B [-80 B, -60 B]");
        assert_eq!((middle(&less), interval(&less)), ("-64 B".into(), "[-80 B, -60 B]".into()));
        assert_eq!(amount_of(&less, "A").text(), "-64 B [-80 B, -60 B] allocated compared with A");
        let bounded = part(6.5, 6.2, Some(6.8), Basis::Ratios);
        let bounded = ComparedPair { bound: Some(Bound::AtLeast), ..bounded };
        assert_eq!(ratio(&bounded), ">= 6.50 [6.20, 6.80]");
    }
}
