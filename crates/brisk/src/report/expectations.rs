//! What became of the expectations: on a terminal, and as Markdown for a pull request.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::markdown::{code, escape};
use super::quantity::{ratio_decimals, scale_for};
use super::table::{Cell, lines, shorten, width};
use crate::judge::acceptance::{Acceptance, Standing};
use crate::judge::expectation::{Evaluation, Link, Truth};
use crate::judge::interval::Interval;
use crate::metric::Unit;
use crate::spec::expectation::{Dimension, ExpectationId};

/// An expectation with all that is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Its name.
    pub id: ExpectationId,
    /// What it says, as it was written.
    pub that: String,
    /// Why it is expected, where the project says so.
    pub why: Option<String>,
    /// What was found.
    pub evaluation: Evaluation,
    /// How it stands.
    pub standing: Standing,
    /// The acceptance that makes it *accepted*.
    pub acceptance: Option<Acceptance>,
}

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();

/// All of it as text with terminal styles, for a terminal so many columns wide.
pub fn terminal(checked: &[Checked], columns: usize) -> String {
    let mut text = String::new();
    if !checked.is_empty() {
        for line in table(checked, columns) {
            let _ = writeln!(text, "{line}");
        }
        text.push('\n');
    }
    for one in checked.iter().filter(|one| one.standing != Standing::Holds) {
        let _ = writeln!(text, "{}  {}", styled(one.standing), single_line(&one.that));
        for line in details(one) {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", summary(checked));
    text
}

/// A row for each comparison; the texts of the expectations get the columns that the rest leaves.
fn table(checked: &[Checked], columns: usize) -> Vec<String> {
    let heading = ["standing", "id", "measured", "limit"].map(faint).to_vec();
    let (mut rows, mut texts) = (vec![heading], vec!["expectation".to_owned()]);
    for one in checked {
        for (index, link) in one.evaluation.links.iter().enumerate() {
            let first = |text: String| if index == 0 { text } else { String::new() };
            rows.push(vec![
                Cell::left(first(one.standing.word().to_owned())).styled(style(one.standing)),
                Cell::left(first(one.id.to_string())),
                Cell::left(measured(link)),
                Cell::left(limit(link)),
            ]);
            texts.push(first(single_line(&one.that)));
        }
    }
    let room = columns.saturating_sub(width(&rows) + 2).max(20);
    for (index, (row, text)) in rows.iter_mut().zip(texts).enumerate() {
        row.push(if index == 0 { faint(&text) } else { Cell::left(shorten(&text, room)) });
    }
    lines(&rows)
}

fn faint(text: &str) -> Cell {
    Cell::left(text).styled(FAINT)
}

fn style(standing: Standing) -> Style {
    match standing {
        Standing::Holds => GOOD,
        Standing::Fails => BAD,
        Standing::Undecided | Standing::Accepted => OPEN,
    }
}

fn styled(standing: Standing) -> String {
    let style = style(standing);
    format!("{style}{}{style:#}", standing.word())
}

fn single_line(text: &str) -> String {
    super::plain::plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is to be said of an expectation that does not simply hold: each comparison that does not,
/// why it is expected, and who accepted it.
pub fn details(one: &Checked) -> Vec<String> {
    let open = one.evaluation.links.iter().filter(|link| link.truth != Truth::Holds);
    let mut lines: Vec<String> =
        open.map(|link| super::plain::plain(&sentence(link)).into_owned()).collect();
    if let Some(why) = &one.why {
        lines.push(format!("expected because: {}", single_line(why)));
    }
    if let Some(acceptance) = &one.acceptance {
        let at = acceptance.commit.as_ref().map(|commit| {
            let short: String = commit.chars().take(12).collect();
            format!(" at {short}")
        });
        lines.push(format!(
            "accepted by {}{}: {}",
            single_line(&acceptance.who),
            at.unwrap_or_default(),
            single_line(&acceptance.why)
        ));
    }
    lines
}

/// One comparison in words.
pub fn sentence(link: &Link) -> String {
    let (what, sign) = (&link.what, link.comparison.symbol());
    match &link.sides {
        Err(reason) => format!("whether `{what}` is as expected stays open: {reason}"),
        Ok(sides) => {
            let limit = value(sides.limit, link.dimension);
            let value = measured(link);
            match link.truth {
                Truth::Holds => format!("`{what}` is {value}, which is {sign} {limit}"),
                Truth::Fails => format!("`{what}` is {value}; it should be {sign} {limit}"),
                Truth::Undecided => {
                    format!("`{what}` is {value}; whether it is {sign} {limit} stays open")
                }
            }
        }
    }
}

fn measured(link: &Link) -> String {
    match &link.sides {
        Err(_) => "missing".to_owned(),
        Ok(sides) if sides.value.is_exact() => {
            format!("exactly {}", value(sides.value, link.dimension))
        }
        Ok(sides) => value(sides.value, link.dimension),
    }
}

fn limit(link: &Link) -> String {
    let sign = link.comparison.symbol();
    match &link.sides {
        Ok(sides) => format!("{sign} {}", value(sides.limit, link.dimension)),
        Err(_) => sign.to_owned(),
    }
}

/// A value with its interval: `0.630 [0.620, 0.640]`, `2.1 MB [2.0, 2.2]`; a value that is known
/// exactly without one.
pub fn value(interval: Interval, dimension: Dimension) -> String {
    let estimate = interval.estimate();
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

/// Decimals of a value that is known exactly, before its trailing zeros go.
const EXACT_DECIMALS: usize = 9;

/// `number` without trailing zeros; where nothing but zeros is left of a value, with an exponent.
fn plain(number: &str, value: f64) -> String {
    let trimmed = number.trim_end_matches('0').trim_end_matches('.');
    if value != 0.0 && trimmed.trim_start_matches(['-', '0', '.']).is_empty() {
        format!("{value:e}")
    } else {
        trimmed.to_owned()
    }
}

/// How many stand how: `3 expectations: 1 holds, 1 fails, 1 is undecided`.
pub fn summary(checked: &[Checked]) -> String {
    tally(&checked.iter().map(|one| one.standing).collect::<Vec<_>>())
}

/// How many stand how, as [`summary`] says it.
pub fn tally(standings: &[Standing]) -> String {
    let count = |standing| standings.iter().filter(|other| **other == standing).count();
    let parts = [
        (count(Standing::Holds), "holds", "hold"),
        (count(Standing::Accepted), "is accepted", "are accepted"),
        (count(Standing::Fails), "fails", "fail"),
        (count(Standing::Undecided), "is undecided", "are undecided"),
    ];
    let told = parts.into_iter().filter(|(count, ..)| *count > 0);
    let told: Vec<String> = told
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    match standings.len() {
        0 => "no expectations".to_owned(),
        1 => format!("1 expectation: {}", told.join(", ")),
        all => format!("{all} expectations: {}", told.join(", ")),
    }
}

/// All of it as Markdown: the summary, a table, and what there is to say below it.
pub fn markdown(checked: &[Checked]) -> String {
    let mut text = format!("**{}**\n", summary(checked));
    if checked.is_empty() {
        return text;
    }
    text.push_str("\n| | expectation | measured | limit | id |\n|---|---|---:|---:|---|\n");
    for one in checked {
        for (index, link) in one.evaluation.links.iter().enumerate() {
            let [standing, that, id] = if index == 0 {
                let word = one.standing.word();
                let word = if one.standing == Standing::Fails {
                    format!("**{word}**")
                } else {
                    word.to_owned()
                };
                [word, code(&single_line(&one.that)), code(&one.id.to_string())]
            } else {
                Default::default()
            };
            let (measured, limit) = (escape(&measured(link)), escape(&limit(link)));
            let _ = writeln!(text, "| {standing} | {that} | {measured} | {limit} | {id} |");
        }
    }
    for one in checked.iter().filter(|one| one.standing != Standing::Holds) {
        let _ = write!(text, "\n* {}", code(&single_line(&one.that)));
        for (index, line) in details(one).iter().enumerate() {
            let joint = if index == 0 { ": " } else { "; " };
            let _ = write!(text, "{joint}{}", escape_words(line));
        }
        text.push('\n');
    }
    text
}

/// Escapes what is not code.
fn escape_words(line: &str) -> String {
    let parts = line.split('`').enumerate();
    let escaped =
        parts.map(|(index, part)| if index % 2 == 0 { escape(part) } else { part.to_owned() });
    escaped.collect::<Vec<_>>().join("`")
}
