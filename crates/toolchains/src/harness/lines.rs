//! brisk's own protocol: a line for each measurement, easy to write from a shell script.
//!
//! `docs/harness-lines.md` explains it to the authors of such programs. The output begins with the
//! line `brisk-bench 1`; anything before it is ignored. With `--list` names follow, one a line.
//! After `--run` all arguments are names of benchmarks, to be run in this order, and measurements
//! follow, with tabs between their fields:
//!
//! ```text
//! name    iterations    seconds    [figure=value    ...]
//! ```

use super::description::Reported;
use super::measurement::{Figures, HarnessError, Measured, Measurement};

/// The first line of all output.
const BEGINNING: &str = "brisk-bench 1";

/// The names in a list.
pub(super) fn names(stdout: &str) -> Result<Vec<String>, HarnessError> {
    let lines = lines(stdout)?.map(|(_, line)| line.to_owned());
    Ok(lines.filter(|line| !line.is_empty()).collect())
}

/// The lines after the first one of the protocol, with their numbers from 1.
fn lines(stdout: &str) -> Result<impl Iterator<Item = (usize, &str)>, HarnessError> {
    let mut numbered = (1..).zip(stdout.lines());
    let begins = numbered.any(|(_, line)| line.trim_end() == BEGINNING);
    begins.then_some(numbered).ok_or(HarnessError::NoBeginning { expected: BEGINNING })
}

/// The measurements in the output of a run.
pub(super) fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let stdout = reported.stdout;
    let mut found: Vec<(&str, Vec<Measurement>)> = Vec::new();
    let mut last = (1, "");
    for (number, line) in lines(stdout)? {
        last = (number, line);
        if line.is_empty() {
            continue;
        }
        let (name, measurement) = measurement(line).map_err(|what| wrong(number, line, what))?;
        match found.last_mut().filter(|(before, _)| *before == name) {
            Some((_, all)) => all.push(measurement),
            None => found.push((name, vec![measurement])),
        }
    }
    if !stdout.ends_with('\n') {
        return Err(wrong(last.0, last.1, "has no end"));
    }
    Ok(found.into_iter().map(|(name, all)| Measured::new(name, all)).collect())
}

fn wrong(line: usize, text: &str, what: &'static str) -> HarnessError {
    /// The number of characters shown of a faulty line.
    const SHOWN: usize = 60;
    HarnessError::Line { line, text: text.chars().take(SHOWN).collect(), what }
}

fn measurement(line: &str) -> Result<(&str, Measurement), &'static str> {
    let mut fields = line.split('\t');
    let (Some(name), Some(iterations), Some(seconds)) =
        (fields.next(), fields.next(), fields.next())
    else {
        return Err("is not a name, a number of iterations and seconds with tabs between");
    };
    let iterations = iterations.trim().parse().map_err(|_| "has no whole number of iterations")?;
    let seconds = seconds.trim().parse().map_err(|_| "has no number of seconds")?;
    let mut figures = Figures::default();
    for field in fields {
        let (key, value) = field.split_once('=').ok_or("has a figure without `=`")?;
        let value = value.trim().parse().map_err(|_| "has a figure that is not a number")?;
        let figure = match key.trim() {
            "allocated" => &mut figures.allocated_bytes,
            "allocations" => &mut figures.allocations,
            "copied" => &mut figures.copied_bytes,
            "gc_count" => &mut figures.collections,
            "gc_time" => &mut figures.gc_seconds,
            "page_faults" => &mut figures.page_faults,
            // Additional figures of a newer program are ignored.
            _ => continue,
        };
        *figure = Some(value);
    }
    Ok((name, Measurement { iterations: Some(iterations), seconds, figures }))
}
