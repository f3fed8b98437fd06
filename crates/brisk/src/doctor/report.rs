//! The page of `doctor`: the detectable changes, the advice, and the evidence for both.

use page::{Block, Column, Line, Narrow, Page, Span, Table, Tone, line};

use super::document::{DoctorPart, FalsePositivesPart, RatePart, Reading, TrialPart, TriedPart};
use super::facts::Mark;
use crate::report::quantity::{duration, percent, quantity};
use model::metric::Unit;

/// The folder of most facts; the JSON has the full paths of missing files.
const CPU_FOLDER: &str = "/sys/devices/system/cpu/";

/// The page. Without trials, it shows the facts alone.
pub fn page(part: &DoctorPart) -> Page {
    let mut page = Page::default();
    page.push(Block::Answer(answer(part)));
    if !part.advice.is_empty() {
        page.push(Block::Heading("What to do, most effective first".into()));
        let lines = part.advice.iter().map(|advice| {
            let evidence = Line::of_message(&advice.evidence).toned(Tone::Quiet);
            line![Line::of_message(&advice.action), "\n", evidence]
        });
        page.push(Block::List(lines.collect()));
    }
    if let Some(tried) = &part.trials {
        trials(&mut page, tried, part.margin);
    }
    if let Some(found) = &part.false_positives {
        false_positives(&mut page, found);
    }
    page.push(Block::Table(facts_table(part)));
    page
}

/// The smallest detectable changes, or the obstacles.
fn answer(part: &DoctorPart) -> Line {
    let seen: Vec<Line> = part
        .trials
        .iter()
        .flatten()
        .filter_map(|tried| {
            let change = *tried.trial.get().ok()?.detectable.get().ok()?;
            Some(format!("{} in {}", percent(change), tried.program).into())
        })
        .collect();
    let faults = match part.advice.len() {
        0 => "No fault was found.".to_owned(),
        count => format!("Possible improvements: {count}."),
    };
    match (seen.is_empty(), &part.trials) {
        (false, _) => {
            let seen = Line::join(seen, ", ");
            line!["The smallest changes that can be seen here, now: ", seen, ". ", faults]
        }
        (true, Some(_)) => line!["How small a change can be seen here is not known. ", faults],
        (true, None) => faults.into(),
    }
}

fn facts_table(part: &DoctorPart) -> Table {
    let value = Column::left("").cut(20, 200).narrow(Narrow::Wrapped);
    let mut table = Table {
        title: "This machine, now".into(),
        ..Table::new([Column::left(""), Column::left(""), value])
    };
    for fact in &part.facts {
        let value = match fact.value.get() {
            Ok(value) => value.clone(),
            Err(reason) => format!("missing: {}", reason.replace(CPU_FOLDER, "…/cpu/")),
        };
        let mark = match fact.mark {
            Mark::Good => Span::from("good").toned(Tone::Good),
            Mark::Bad => Span::from("bad").toned(Tone::Bad),
            Mark::Neutral => Span::from(""),
        };
        table.push([mark.into(), Line::of_message(&fact.name), Line::of_message(&value)]);
    }
    table
}

/// The results of the programs that ran against themselves.
fn trials(page: &mut Page, tried: &[TriedPart], margin: f64) {
    let numbers = ["rounds", "median", "noise", "sd", "waited", "sees", "1 % takes"];
    let columns = [Column::left("program")].into_iter().chain(numbers.map(Column::right));
    let mut table = Table { title: "A program against itself".into(), ..Table::new(columns) };
    for one in tried {
        if let Ok(trial) = one.trial.get() {
            table.push(row(&one.program, trial));
        }
    }
    table.foot.push(line![
        "noise: spread of the middle half, as a standard deviation; waited: share of the time waiting \
         for a CPU; sees: the smallest change that ",
        Span::code("compare"),
        " finds nine times in ten with so many rounds; 1 % takes: about how many rounds, and how long, \
         to see ",
        percent(margin)
    ]);
    page.push(Block::Table(table));
    page.sentences(tried.iter().flat_map(sentences));
}

fn row(program: &str, trial: &TrialPart) -> [Line; 8] {
    let takes = match (trial.rounds_for_margin, trial.seconds_for_margin) {
        (Some(rounds), Some(seconds)) => format!("{rounds} ({})", duration(seconds)),
        _ => "?".to_owned(),
    };
    [
        Line::of_message(program),
        trial.rounds.to_string().into(),
        quantity(trial.median_seconds, Unit::Seconds).into(),
        percent(trial.robust_spread).into(),
        trial.spread.map_or("?".to_owned(), percent).into(),
        fraction(&trial.wait_share),
        fraction(&trial.detectable),
        takes.into(),
    ]
}

fn fraction(value: &Reading<f64>) -> Line {
    value.get().map_or("missing".into(), |fraction| percent(*fraction).into())
}

/// The level at which a test for drift is mentioned; there are three tests.
const DRIFT_LEVEL: f64 = 0.01;

/// The details that do not fit in a table: reasons, and trends.
fn sentences(tried: &TriedPart) -> Vec<Line> {
    let name = || Line::of_message(&tried.program);
    let said = |what: &'static str, reason: &str| line![name(), what, Line::of_message(reason)];
    let trial = match tried.trial.get() {
        Ok(trial) => trial,
        Err(reason) => return vec![said(": not run: ", reason)],
    };
    let mut sentences = Vec::new();
    sentences.extend(trial.detectable.get().err().map(|reason| said(": sees ", reason)));
    sentences
        .extend(trial.wait_share.get().err().map(|reason| said(": waiting for a CPU: ", reason)));
    if let Some(drift) = trial.drift.filter(|drift| drift.p_value < DRIFT_LEVEL) {
        let which = if drift.change > 0.0 { ": slowed down by " } else { ": sped up by " };
        let change = percent(drift.change.abs());
        let sure =
            format!(" of its median from the first run to the last (p = {:.1e})", drift.p_value);
        sentences.push(line![name(), which, change, sure]);
    }
    sentences
}

fn false_positives(page: &mut Page, found: &Reading<FalsePositivesPart>) {
    let title = Line::from("False differences");
    let found = match found.get() {
        Ok(found) => found,
        Err(reason) => {
            page.push(Block::Heading(title));
            page.sentences([line!["missing: ", Line::of_message(reason)]]);
            return;
        }
    };
    let legend = format!(
        "{} blocks of 2 × {} runs of the {} program, each judged by itself; the tests may err in \
         {}; in brackets the 95 % interval of the rate",
        found.brisk.of,
        found.rounds_a_block,
        found.program,
        percent(found.level)
    );
    page.push(Block::Table(Table { title, foot: vec![legend.into()], ..rates(found) }));
}

fn rates(found: &FalsePositivesPart) -> Table {
    let columns = [Column::left, Column::right, Column::right, Column::left];
    let mut table = Table::new(columns.map(|column| column("")));
    let mut row = |way: &'static str, rate: &RatePart| {
        let whole = |fraction: f64| format!("{:.0}", fraction * 100.0);
        let share = rate.found as f64 / rate.of as f64;
        table.push([
            way.into(),
            format!("{} of {}", rate.found, rate.of),
            format!("{} %", whole(share)),
            format!("[{}, {}]", whole(rate.low), whole(rate.high)),
        ]);
    };
    row("one after the other, t test of the means", &found.sequential_welch);
    row("one after the other, means 1 % apart", &found.sequential_means_apart);
    row("brisk: in rounds of random order, ratios", &found.brisk);
    table
}

#[cfg(test)]
mod tests {
    use page::terminal::Folds;
    use unicode_width::UnicodeWidthStr;

    use super::super::facts::tests::{busy, quiet};
    use super::super::rates::{FalsePositives, Rate};
    use super::super::schedule::PROGRAMS;
    use super::super::trial::Trial;
    use super::super::{Trials, Tried};
    use super::*;
    use model::metric::Missing;

    /// The page as shown on a terminal, without styles.
    fn shown(page: &Page, columns: usize) -> String {
        let styled = page::terminal::render(page, columns, Folds::Closed);
        anstream::adapter::strip_str(&styled).to_string()
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
        let trials = example();
        let advice = super::super::advise(&given, Some(&trials));
        for line in shown(&page(&DoctorPart::new(&given, Some(&trials), &advice)), 80).lines() {
            // A command is not wrapped, since it is copied.
            assert!(line.width() <= 80 || line.contains("sudo"), "{line}");
        }
    }

    /// By hand: the values are 10.00, 10.01, ... 10.40 ms; their quartiles lie 0.2 ms apart, which
    /// is 1.349 standard deviations, and their variance is 41 * 42 / 12 hundredths squared.
    #[test]
    fn the_table_of_trials_gives_numbers_or_reasons() {
        let text = shown(&page(&DoctorPart::new(&quiet(), Some(&example()), &[])), 100);
        let answer =
            "The smallest changes that can be seen here, now: 3.5 % in 10 ms. No fault was found.";
        assert_eq!(text.lines().next(), Some(answer));
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
        assert!(
            shown(&page(&DoctorPart::new(&quiet(), None, &[])), 80)
                .starts_with("No fault was found.\n")
        );
    }
}
