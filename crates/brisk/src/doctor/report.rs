//! What `doctor` found, on a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::advice::Advice;
use super::facts::{Fact, Facts, Mark, list};
use super::rates::{FalsePositives, LEVEL, ROUNDS_A_BLOCK, Rate};
use super::trial::{MARGIN, Trial};
use super::{Trials, Tried};
use crate::metric::{Missing, Unit};
use crate::report::quantity::{duration, percent, quantity};
use crate::report::table::{Cell, lines};
use crate::report::terminal::wrap;

const HEADING: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// A mark, the name of a fact, and the gaps behind both.
const MARK_COLUMNS: usize = 6;
const NAME_COLUMNS: usize = 15;

/// Where most facts are; the JSON has the whole path of a file that is not there.
const CPU_FOLDER: &str = "/sys/devices/system/cpu/";

/// The table of facts.
pub fn facts(facts: &Facts, columns: usize) -> String {
    let mut text = format!("{STRONG}This machine, now{STRONG:#}\n");
    for fact in list(facts) {
        let value = match &fact.value {
            Ok(value) => value.clone(),
            Err(reason) => format!("missing: {}", reason.replace(CPU_FOLDER, "…/cpu/")),
        };
        let room = columns.saturating_sub(MARK_COLUMNS + NAME_COLUMNS);
        for (index, line) in wrap(&value, room).iter().enumerate() {
            let (mark, name) = if index == 0 { (mark(&fact), fact.name) } else { blank() };
            let _ = writeln!(text, "{mark}{name:NAME_COLUMNS$}{line}");
        }
    }
    text.push('\n');
    text
}

fn mark(fact: &Fact) -> String {
    let (word, style) = match fact.mark {
        Mark::Good => ("good", GOOD),
        Mark::Bad => ("bad", BAD),
        Mark::Neutral => ("", Style::new()),
    };
    let padding = " ".repeat(MARK_COLUMNS - word.len());
    format!("{style}{word}{style:#}{padding}")
}

fn blank() -> (String, &'static str) {
    (" ".repeat(MARK_COLUMNS), "")
}

/// What the programs showed that ran against themselves.
pub fn trials(trials: &Trials, columns: usize) -> String {
    let mut text = format!("{STRONG}A program against itself{STRONG:#}\n");
    let mut rows = vec![
        ["program", "rounds", "median", "noise", "sd", "waited", "sees", "1 % takes"]
            .iter()
            .enumerate()
            .map(|(column, word)| if column == 0 { Cell::left(*word) } else { Cell::right(*word) })
            .map(|cell| cell.styled(HEADING))
            .collect::<Vec<_>>(),
    ];
    let finished = trials.finished();
    rows.extend(finished.iter().map(row));
    if !finished.is_empty() {
        lines(&rows).iter().for_each(|line| push(&mut text, line));
        let legend = format!(
            "noise: spread of the middle half, as a standard deviation; waited: share of the time \
             waiting for a CPU; sees: the smallest change that `compare` finds nine times in ten \
             with so many rounds; 1 % takes: about how many rounds, and how long, to see {}",
            percent(MARGIN)
        );
        wrap(&legend, columns).iter().for_each(|line| {
            push(&mut text, &format!("{HEADING}{line}{HEADING:#}"));
        });
    }
    for sentence in trials.tried.iter().flat_map(sentences) {
        wrap(&sentence, columns).iter().for_each(|line| push(&mut text, line));
    }
    text.push('\n');
    false_positives(&mut text, trials, columns);
    text
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn row(trial: &Trial) -> Vec<Cell> {
    let takes = match (trial.rounds_for_margin, trial.seconds_for_margin()) {
        (Some(rounds), Some(seconds)) => format!("{rounds} ({})", duration(seconds)),
        _ => "?".to_owned(),
    };
    vec![
        Cell::left(trial.program.name),
        Cell::right(trial.rounds.to_string()),
        Cell::right(quantity(trial.summary.median, Unit::Seconds)),
        Cell::right(percent(trial.robust_spread())),
        Cell::right(trial.spread().map_or("?".to_owned(), percent)),
        Cell::right(fraction(&trial.wait_share)),
        Cell::right(fraction(&trial.detectable)),
        Cell::right(takes),
    ]
}

fn fraction(value: &Result<f64, Missing>) -> String {
    value.as_ref().map_or("missing".to_owned(), |fraction| percent(*fraction))
}

/// A test for drift must be as sure as this to be mentioned; there are three of them.
const DRIFT_LEVEL: f64 = 0.01;

/// What a table has no room for: reasons, and trends.
fn sentences(tried: &Tried) -> Vec<String> {
    let name = tried.program.name;
    let trial = match &tried.trial {
        Ok(trial) => trial,
        Err(reason) => return vec![format!("{name}: not run: {reason}")],
    };
    let mut sentences = Vec::new();
    if let Err(reason) = &trial.detectable {
        sentences.push(format!("{name}: sees {reason}"));
    }
    if let Err(reason) = &trial.wait_share {
        sentences.push(format!("{name}: waiting for a CPU: {reason}"));
    }
    if let Some(drift) = trial.drift.filter(|drift| drift.p_value < DRIFT_LEVEL) {
        sentences.push(format!(
            "{name}: {} by {} from the first run to the last (p = {:.1e})",
            if drift.change > 0.0 { "slowed down" } else { "sped up" },
            percent(drift.change.abs()),
            drift.p_value
        ));
    }
    sentences
}

fn false_positives(text: &mut String, trials: &Trials, columns: usize) {
    push(text, &format!("{STRONG}Differences found where there are none{STRONG:#}"));
    let found = match &trials.false_positives {
        Ok(found) => found,
        Err(reason) => {
            let missing = format!("missing: {reason}");
            wrap(&missing, columns).iter().for_each(|line| push(text, line));
            text.push('\n');
            return;
        }
    };
    lines(&rates_table(found)).iter().for_each(|line| push(text, line));
    let legend = format!(
        "{} blocks of 2 × {ROUNDS_A_BLOCK} runs of the {} program, each judged by itself; the \
         tests may err in {}; in brackets the 95 % interval of the rate",
        found.paired.of,
        trials.tried[0].program.name,
        percent(LEVEL)
    );
    wrap(&legend, columns).iter().for_each(|line| {
        push(text, &format!("{HEADING}{line}{HEADING:#}"));
    });
    text.push('\n');
}

fn rates_table(found: &FalsePositives) -> Vec<Vec<Cell>> {
    let row = |way: &str, rate: &Rate| {
        let whole = |fraction: f64| format!("{:.0}", fraction * 100.0);
        let share = rate.found as f64 / rate.of as f64;
        vec![
            Cell::left(way),
            Cell::right(format!("{} of {}", rate.found, rate.of)),
            Cell::right(format!("{} %", whole(share))),
            Cell::left(format!("[{}, {}]", whole(rate.low), whole(rate.high))),
        ]
    };
    vec![
        row("one after the other, t test of the means", &found.welch),
        row("one after the other, means 1 % apart", &found.apart),
        row("brisk: in rounds of random order, ratios", &found.paired),
    ]
}

/// What to do.
pub fn advice(advice: &[Advice], columns: usize) -> String {
    let mut text = format!("{STRONG}What to do, most effective first{STRONG:#}\n");
    if advice.is_empty() {
        text.push_str("nothing: no fault was found\n");
    }
    for (number, advice) in (1..).zip(advice) {
        let lead = format!("{number:>2}. ");
        let indent = " ".repeat(lead.width());
        let room = columns.saturating_sub(lead.width());
        for (index, line) in wrap(&advice.action, room).iter().enumerate() {
            push(&mut text, &format!("{}{line}", if index == 0 { &lead } else { &indent }));
        }
        for line in wrap(&advice.evidence, room) {
            push(&mut text, &format!("{indent}{HEADING}{line}{HEADING:#}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{busy, quiet};
    use super::super::schedule::PROGRAMS;
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn example() -> Trials {
        let rate = |found, low, high| Rate { found, of: 27, low, high };
        let values: Vec<f64> = (0..41).map(|n| 0.01 + f64::from(n * 7 % 41) * 1e-5).collect();
        let trial = Trial {
            program: PROGRAMS[0],
            iterations: 1,
            rounds: 20,
            elapsed_seconds: 0.42,
            summary: stats::describe::summarise(&values).expect("some values"),
            drift: None,
            wait_share: Ok(0.0123),
            detectable: Ok(0.0345),
            rounds_for_margin: Some(240),
            times: Vec::new(),
        };
        let long = Trial {
            program: PROGRAMS[1],
            rounds: 1234,
            elapsed_seconds: 250.0,
            wait_share: Err(Missing("this kernel keeps no scheduler statistics".into())),
            detectable: Err(Missing("nothing: there were few rounds".into())),
            rounds_for_margin: Some(12345),
            ..trial.clone()
        };
        let reason = Missing("no time".into());
        Trials {
            tried: vec![
                Tried { program: PROGRAMS[0], trial: Ok(trial) },
                Tried { program: PROGRAMS[1], trial: Ok(long) },
                Tried { program: PROGRAMS[2], trial: Err(reason) },
            ],
            false_positives: Ok(FalsePositives {
                welch: rate(7, 0.111, 0.463),
                apart: rate(9, 0.165, 0.54),
                paired: rate(1, 0.0009, 0.19),
            }),
            throttled: 0,
        }
    }

    #[test]
    fn nothing_is_wider_than_eighty_columns() {
        let mut given = quiet();
        given.conditions.busiest = Ok((0..5).map(|_| busy("fifteen-letters", 0.5)).collect());
        given.conditions.governors = Ok(vec!["powersave".to_owned()]);
        let trials_given = example();
        let text = facts(&given, 80)
            + &trials(&trials_given, 80)
            + &advice(&super::super::advise(&given, Some(&trials_given)), 80);
        for line in plain(&text).lines() {
            // A command is not cut: it is copied.
            assert!(line.width() <= 80 || line.contains("sudo"), "{line}");
        }
    }

    /// By hand: the values are 10.00, 10.01, ... 10.40 ms; their quartiles lie 0.2 ms apart, which is
    /// 1.349 standard deviations, and their variance is 41 * 42 / 12 hundredths squared.
    #[test]
    fn the_table_of_trials_gives_numbers_or_reasons() {
        let text = plain(&trials(&example(), 100));
        let row = text.lines().find(|line| line.starts_with("10 ms")).expect("a row");
        let cells: Vec<&str> =
            row.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect();
        assert_eq!(
            cells,
            ["10 ms", "20", "10.20 ms", "1.5 %", "1.2 %", "1.2 %", "3.5 %", "240 (5.0 s)"]
        );
        assert!(text.contains("1 s: not run: no time\n"));
        assert!(text.contains("1 of 27   4 %  [0, 19]\n"), "{text}");
    }

    #[test]
    fn a_machine_without_a_fault_is_told_so() {
        assert!(plain(&advice(&[], 80)).ends_with("nothing: no fault was found\n"));
    }
}
