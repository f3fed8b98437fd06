//! The user's own metrics of a run: read from the program's output, or from that of a command run
//! after it.

use std::borrow::Cow;

use measure::{FinishedRun, Outcome};
use regex_lite::Regex;

use super::finished::last_lines;
use model::metric::{Missing, Readings, Value};
use model::spec::own_metric::{By, Measure};

/// The maximum length of a text shown in place of a number, in characters. Arbitrary: a line.
const SHOWN: usize = 60;

/// The result of a process; only the end of its output is kept.
#[derive(Debug, Clone, Copy)]
struct Said<'a> {
    outcome: Outcome,
    stdout: &'a [u8],
    stderr: &'a [u8],
}

impl<'a> From<&'a FinishedRun> for Said<'a> {
    fn from(finished: &'a FinishedRun) -> Self {
        let (stdout, stderr) = (&*finished.stdout_tail, &*finished.stderr_tail);
        Self { outcome: finished.outcome, stdout, stderr }
    }
}

/// The value of each metric after a run; `after` has the runs of the measuring commands, in order,
/// up to the last one that ran.
pub(super) fn readings(measures: &[Measure], run: &FinishedRun, after: &[FinishedRun]) -> Readings {
    let mut after = after.iter();
    let value = |measure: &Measure| {
        let number = match &measure.by {
            By::Command(_) => match after.next() {
                Some(finished) => printed_by(finished.into()),
                None => missing("the run ended before it was measured"),
            },
            By::Pattern(pattern) => matched(pattern.regex(), run.into()),
            By::Json(pointer) => pointed_at(pointer, run.into()),
        };
        (measure.metric.clone(), number.map(|number| measure.value(number)))
    };
    measures.iter().map(value).collect()
}

fn missing<T>(reason: impl Into<Cow<'static, str>>) -> Result<T, Missing> {
    Err(Missing(reason.into()))
}

/// The number printed by a command: the first word of its output, so that `du` and `wc` work
/// unchanged.
fn printed_by(command: Said<'_>) -> Value {
    if command.outcome != Outcome::Exited(0) {
        let how = command.outcome.to_string();
        let words = last_lines(command.stderr);
        let words = words.lines().last().map(|line| format!(": {}", shown(line)));
        return missing(format!("its command {how}{}", words.unwrap_or_default()));
    }
    let text = String::from_utf8_lossy(command.stdout);
    match text.split_whitespace().next() {
        Some(word) => number(word, &text),
        None => missing("its command printed nothing"),
    }
}

/// The first group of the last match, or the whole match: in standard output, or else in standard
/// error.
fn matched(pattern: &Regex, program: Said<'_>) -> Value {
    let texts = [program.stdout, program.stderr].map(String::from_utf8_lossy);
    let found = texts.iter().find_map(|text| pattern.captures_iter(text).last());
    match found.and_then(|groups| groups.get(1).or_else(|| groups.get(0))) {
        Some(found) => number(found.as_str().trim(), found.as_str()),
        None => missing(format!("the output does not match `{pattern}`")),
    }
}

/// The number at a JSON pointer: in the whole output, or else in its last line.
fn pointed_at(pointer: &str, program: Said<'_>) -> Value {
    let text = String::from_utf8_lossy(program.stdout);
    let line = text.trim_end().lines().last().unwrap_or_default();
    let json = serde_json::from_str(&text).or_else(|_| serde_json::from_str(line));
    let Ok::<serde_json::Value, _>(json) = json else {
        return missing("the output is not JSON");
    };
    match json.pointer(pointer) {
        Some(serde_json::Value::Number(found)) => number(&found.to_string(), &found.to_string()),
        Some(serde_json::Value::String(text)) => number(text.trim(), text),
        Some(other) => missing(format!("`{}` is not a number", shown(&other.to_string()))),
        None => missing(format!("the JSON that was printed has nothing at `{pointer}`")),
    }
}

/// `word` as a finite number; otherwise a reason that quotes `text`.
fn number(word: &str, text: &str) -> Value {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => missing(format!("`{}` is not a number", shown(text.trim()))),
    }
}

fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'a>(stdout: &'a str, stderr: &'a str) -> Said<'a> {
        let (stdout, stderr) = (stdout.as_bytes(), stderr.as_bytes());
        Said { outcome: Outcome::Exited(0), stdout, stderr }
    }

    fn why(value: Value) -> String {
        value.expect_err("there is not a number").to_string()
    }

    #[test]
    fn the_first_word_that_a_command_prints_is_the_number() {
        for (printed, number) in
            [("123\n", 123.0), ("  1.5e3 out\n", 1500.0), ("4\tdir\n", 4.0), ("-2", -2.0)]
        {
            assert_eq!(printed_by(said(printed, "")), Ok(number), "{printed}");
        }
    }

    #[test]
    fn a_command_without_a_number_says_why() {
        assert_eq!(why(printed_by(said(" \n", ""))), "its command printed nothing");
        assert_eq!(why(printed_by(said("none yet\nx", ""))), "`none yet` is not a number");
        // Rust reads these as numbers, but other tools do not.
        assert_eq!(why(printed_by(said("inf", ""))), "`inf` is not a number");
        assert_eq!(why(printed_by(said("nan", ""))), "`nan` is not a number");
        let failed = Said { outcome: Outcome::Exited(1), ..said("7", "warning\nno such file\n") };
        assert_eq!(why(printed_by(failed)), "its command exited with status 1: no such file");
        let ended = Said { outcome: Outcome::TimedOut, ..said("7", "") };
        assert!(why(printed_by(ended)).starts_with("its command "), "and not 7");
    }

    #[test]
    fn a_pattern_takes_its_last_match_and_of_that_the_first_group() {
        let found = |pattern: &str, stdout: &str, stderr: &str| {
            let pattern = Regex::new(pattern).expect("a pattern");
            matched(&pattern, said(stdout, stderr))
        };
        assert_eq!(found(r"errors: (\d+)", "errors: 3\nerrors: 4 of 9\n", "errors: 5"), Ok(4.0));
        assert_eq!(found(r"errors: (\d+)", "", "errors: 5"), Ok(5.0));
        assert_eq!(found(r"\d+", "12 and 13", ""), Ok(13.0));
        assert_eq!(why(found("x(.*)", "xyz", "")), "`yz` is not a number");
        assert_eq!(why(found("x", "abc", "")), "the output does not match `x`");
    }

    #[test]
    fn a_pointer_leads_into_the_json_of_all_the_output_or_of_its_last_line() {
        let found = |pointer: &str, stdout: &str| pointed_at(pointer, said(stdout, ""));
        assert_eq!(found("/a/1", "{\"a\": [1,\n 2.5]}\n"), Ok(2.5));
        assert_eq!(found("/a", "starting\n{\"a\": \"7\"}\n"), Ok(7.0));
        assert_eq!(why(found("/a", "{\"a\": null}")), "`null` is not a number");
        assert_eq!(why(found("/b", "{\"a\": 1}")), "the JSON that was printed has nothing at `/b`");
        assert_eq!(why(found("/a", "a: 1")), "the output is not JSON");
    }

    #[test]
    fn what_is_shown_of_a_text_is_short() {
        assert_eq!(shown(&"é".repeat(100)), format!("{}...", "é".repeat(SHOWN)));
    }
}
