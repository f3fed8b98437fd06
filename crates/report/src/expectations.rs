//! The page of a check, with the outcomes of the expectations.

use page::{Block, Column, Label, Line, Page, Section, Span, Table, Tone, line};

use super::{cause, notes, reach};
use findings::cause::Cause;
use findings::reach::ChangeReach;
use findings::{CheckedExpectation, letter};
use judge::acceptance::Standing;
use judge::expectation::{Link, Sides, Truth};
use judge::level::Interval;
use model::expectation::Dimension;
use model::json::ratio;
use model::metric::Unit;
use model::note::Note;
use words::counted;
use words::quantity::{ratio_decimals, scale_for};

/// The remarks of a check, besides its expectations.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The reach of the change, if it was asked for.
    pub reach: Option<&'a ChangeReach>,
    /// The causes of failures, if they were searched for.
    pub causes: &'a [Cause],
    /// The share of their time that the programs waited for a processor, if worth a note.
    pub wait_share: Option<f64>,
}

/// Builds the page: the number of expectations that hold, the measurements of each, and details on
/// the others.
///
/// `beside` is what the page says besides them.
pub fn page(checked: &[CheckedExpectation], beside: Beside<'_>) -> Page {
    let Beside { reach, causes, wait_share } = beside;
    let mut page = Page::default();
    page.blocks.extend(reach.and_then(reach::answer).map(Block::Answer));
    let checked = worst_first(checked);
    let worst = [Standing::Unmeasured, Standing::Fails, Standing::Undecided]
        .into_iter()
        .find(|worst| checked.iter().any(|one| one.standing == *worst))
        .map_or(Tone::Plain, tone);
    let standings: Vec<Standing> = checked.iter().map(|one| one.standing).collect();
    page.push(Block::Answer(Line::from(tally(&standings)).toned(worst)));
    let mut sections = Vec::new();
    let is_told =
        |one: &&&CheckedExpectation| !matches!(one.standing, Standing::Holds | Standing::Skipped);
    for one in checked.iter().filter(is_told) {
        let that = || Span::code(single_line(&one.that));
        let mut said = details(one).into_iter();
        if one.standing != Standing::Accepted {
            let first = said.next().unwrap_or_else(|| that().into());
            page.push(Block::Answer(line![standing(one), ": ", first]));
        }
        let said: Vec<Block> = said.map(Block::Sentence).collect();
        let title = line![standing(one), ": ", that()];
        sections.extend((!said.is_empty()).then(|| Block::Section(Section::new(title, said))));
    }
    page.blocks.extend(cause::blocks(causes));
    if !checked.is_empty() {
        page.push(Block::Table(table(&checked)));
    }
    page.blocks.extend(sections);
    if let Some(reach) = reach {
        reach::add(&mut page, reach);
    }
    let busy = wait_share.map(|wait_share| Note::Contention { wait_share, quota_cpus: None });
    page.notes(
        Label::NOTE,
        busy.iter().map(|note| notes::words(note, &|variant| letter(variant).into())),
    );
    page
}

/// The expectations in the order of pages: those that could not be measured, those that fail, and
/// last those that hold.
pub(crate) fn worst_first(checked: &[CheckedExpectation]) -> Vec<&CheckedExpectation> {
    let mut checked: Vec<&CheckedExpectation> = checked.iter().collect();
    checked.sort_by_key(|one| match one.standing {
        Standing::Unmeasured => 0,
        Standing::Fails => 1,
        Standing::Undecided => 2,
        Standing::Accepted => 3,
        Standing::Holds => 4,
        Standing::Skipped => 5,
    });
    checked
}

fn table(checked: &[&CheckedExpectation]) -> Table {
    let [standing_, id, measured_, limit_] =
        ["standing", "id", "measured", "limit"].map(Column::left);
    let that = Column::left("expectation").cut(20, 200);
    let mut table = Table::new([standing_, id, measured_, limit_, that]);
    for one in checked {
        if one.standing == Standing::Skipped {
            let id = Span::code(one.id.to_string()).into();
            let that = Span::code(single_line(&one.that)).into();
            table.push([standing(one).into(), id, "not measured".into(), Line::default(), that]);
            continue;
        }
        for (index, link) in one.evaluation.links.iter().enumerate() {
            let first = |line: Line| if index == 0 { line } else { Line::default() };
            table.push([
                first(standing(one).into()),
                first(Span::code(one.id.to_string()).into()),
                measured(link),
                limit(link),
                first(Span::code(single_line(&one.that)).into()),
            ]);
        }
    }
    table
}

fn standing(one: &CheckedExpectation) -> Span {
    Span::from(one.standing.word()).toned(tone(one.standing))
}

fn tone(standing: Standing) -> Tone {
    match standing {
        Standing::Holds => Tone::Good,
        Standing::Fails | Standing::Unmeasured => Tone::Bad,
        Standing::Undecided | Standing::Accepted => Tone::Open,
        Standing::Skipped => Tone::Quiet,
    }
}

fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The details of an expectation that does not simply hold: each comparison that fails, the reason
/// it is expected, and the author of its acceptance.
pub fn details(one: &CheckedExpectation) -> Vec<Line> {
    let open = one.evaluation.links.iter().filter(|link| link.truth != Truth::Holds);
    let mut lines: Vec<Line> = open.map(sentence).collect();
    lines.extend(one.why.iter().map(|why| line!["expected because: ", single_line(why)]));
    if let Some(acceptance) = &one.acceptance {
        let at = acceptance.commit.as_ref().map(|commit| {
            let short: String = commit.chars().take(12).collect();
            line![" at ", Span::commit(short, commit.clone())]
        });
        lines.push(line![
            "accepted by ",
            single_line(&acceptance.who),
            at.unwrap_or_default(),
            ": ",
            single_line(&acceptance.why)
        ]);
    }
    lines
}

/// One comparison in words.
pub fn sentence(link: &Link) -> Line {
    let what = Span::code(single_line(&link.what));
    let limit = match &link.sides {
        Err(reason) => {
            let reason = Line::of_message(&single_line(&reason.to_string()));
            return line!["not known: ", reason];
        }
        Ok(_) => limit(link),
    };
    match link.truth {
        Truth::Holds => line![what, " is ", measured(link), ", which is ", limit],
        Truth::Fails => line![what, " is ", measured(link), "; it should be ", limit],
        Truth::Undecided => {
            let open =
                line![what, " is ", measured(link), "; whether it is ", limit, " stays open"];
            line![open, ": ", longer(link)]
        }
    }
}

/// Longer measurements than this many times the present rounds are not recommended.
const MOST_TIMES: f64 = 100.0;

/// The further measuring that would settle an open comparison.
fn longer(link: &Link) -> Line {
    let times = link.sides.as_ref().ok().map(Sides::times_as_many_rounds);
    let budget = Span::code("--budget");
    match times.flatten() {
        None => line!["too few rounds; a longer ", budget, " gives more"],
        Some(times) if times > MOST_TIMES => {
            line!["it is too close for a longer ", budget, " to decide"]
        }
        Some(times) => {
            let times = times.ceil().max(2.0);
            line![
                format!("about {times:.0} times as many rounds would decide; a longer "),
                budget,
                " gives them"
            ]
        }
    }
}

fn measured(link: &Link) -> Line {
    match &link.sides {
        Err(_) => "missing".into(),
        Ok(sides) => {
            let exactly = if sides.value.is_exact() { "exactly " } else { "" };
            line![exactly, shown(sides.value, link.dimension)]
        }
    }
}

/// `1.46 [1.44, 1.48], limit < 1.2`.
pub(crate) fn measured_against_limit(link: &Link) -> String {
    format!("{}, limit {}", measured(link).text(), limit(link).text())
}

fn limit(link: &Link) -> Line {
    let sign = link.comparison.symbol();
    match &link.sides {
        Ok(sides) => line![sign, " ", shown(sides.limit, link.dimension)],
        Err(_) => sign.into(),
    }
}

fn shown(interval: Interval, dimension: Dimension) -> Span {
    Span::quantity(value(interval, dimension), interval.estimate())
}

/// A value with its interval: `0.630 [0.620, 0.640]`, `2.1 MB [2.0, 2.2]`; without it if the value
/// is exact.
pub fn value(interval: Interval, dimension: Dimension) -> String {
    let estimate = interval.estimate();
    if ratio::is_infinite(estimate) {
        return "infinite, as it is over 0".to_owned();
    }
    let unit = match dimension.unit() {
        // A large plain number is a count, and reads better with a prefix.
        Some(Unit::Ratio) if estimate.abs() >= 1000.0 => Unit::Count,
        Some(unit) => unit,
        None => Unit::Ratio,
    };
    let scale = scale_for(estimate, unit);
    let symbol = |text: String| match dimension.unit() {
        Some(_) => scale.with_symbol(&text),
        None => format!("{text} {}", dimension.symbols()),
    };
    if interval.is_exact() {
        return symbol(plain(&scale.number(estimate, EXACT_DECIMALS), estimate));
    }
    let decimals = match unit {
        Unit::Ratio => ratio_decimals(interval.low(), interval.high()),
        _ => scale.decimals(estimate),
    };
    let end = |end: f64| {
        if end.is_finite() { scale.number(end, decimals) } else { "?".to_owned() }
    };
    let ends = format!("[{}, {}]", end(interval.low()), end(interval.high()));
    format!("{} {ends}", symbol(scale.number(estimate, decimals)))
}

/// Decimals of an exact value, before trailing zeros are removed.
const EXACT_DECIMALS: usize = 9;

/// `number` without trailing zeros; in exponent form if nothing else is left.
fn plain(number: &str, value: f64) -> String {
    let trimmed = number.trim_end_matches('0').trim_end_matches('.');
    if value != 0.0 && trimmed.trim_start_matches(['-', '0', '.']).is_empty() {
        format!("{value:e}")
    } else {
        trimmed.to_owned()
    }
}

/// The numbers of outcomes, bad news first: `3 expectations: 1 fails, 1 is undecided, 1 holds`.
pub fn tally(standings: &[Standing]) -> String {
    let count = |standing| standings.iter().filter(|other| **other == standing).count();
    let parts = [
        (count(Standing::Unmeasured), "could not be measured", "could not be measured"),
        (count(Standing::Fails), "fails", "fail"),
        (count(Standing::Undecided), "is undecided", "are undecided"),
        (count(Standing::Accepted), "is accepted", "are accepted"),
        (count(Standing::Skipped), "was skipped", "were skipped"),
        (count(Standing::Holds), "holds", "hold"),
    ];
    let told = parts.into_iter().filter(|(count, ..)| *count > 0);
    let told: Vec<String> = told
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    match standings.len() {
        0 => "no expectations".to_owned(),
        all => format!("{}: {}", counted(all, "expectation"), told.join(", ")),
    }
}
