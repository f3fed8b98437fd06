//! The places where a running program spent its time, from samples.

use ghc::causes::names::for_people;
use ghc::samples::{Function, OUTSIDE, Samples};
use page::{Line, Span, line};
use serde::{Deserialize, Serialize};

use crate::report::quantity::percent;

/// The probability that an interval misses the true share.
const ALPHA: f64 = 0.05;

/// The places where a run without counters spent its time. Shares are relative to all samples
/// outside the collector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimePart {
    /// The number of samples over all runs, without those in the collector.
    pub looks: u64,
    /// The number of samples in the collector.
    pub collector_looks: u64,
    /// The share of the program's own code.
    pub own: TimeSharePart,
    /// The work of libraries and their callers, most costly first.
    pub libraries: Vec<LibraryPart>,
}

/// A share of the time, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimeSharePart {
    /// The number of samples in which it was seen.
    pub looks: u64,
    /// Their share of all samples outside the collector.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A library function at work for a function of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LibraryPart {
    /// The function, with its module; if several call each other, the outermost.
    pub function: String,
    /// The function of the program that waits for its result; missing if none was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caller: Option<String>,
    /// Its share of the time.
    pub time: TimeSharePart,
}

impl TimeSharePart {
    pub(super) fn from_looks(looks: u64, of: u64) -> Self {
        let share = looks as f64 / of.max(1) as f64;
        let (low, high) = stats::proportion::interval(looks, of, ALPHA).unwrap_or((0.0, 1.0));
        Self { looks, share, low, high }
    }

    /// `61 % of the time (58 to 64 %)`
    pub(super) fn in_words(&self) -> String {
        format!(
            "{} of the time ({} to {})",
            percent(self.share),
            percent(self.low),
            percent(self.high)
        )
    }
}

impl TimePart {
    pub(super) fn from_samples(samples: &Samples) -> Self {
        let working = samples.working();
        let own = samples.uses.iter().filter(|it| it.functions.is_empty());
        let own = own.map(|it| it.looks).sum();
        let mut libraries: Vec<(String, Option<String>, u64)> = Vec::new();
        for it in &samples.uses {
            let Some(function) = outermost(&it.functions) else { continue };
            let known = libraries
                .iter_mut()
                .find(|(name, caller, _)| *name == function && *caller == it.caller);
            match known {
                Some((_, _, looks)) => *looks += it.looks,
                None => libraries.push((function, it.caller.clone(), it.looks)),
            }
        }
        libraries.sort_by_key(|(_, _, looks)| std::cmp::Reverse(*looks));
        let part = |(function, caller, looks)| LibraryPart {
            function,
            caller,
            time: TimeSharePart::from_looks(looks, working),
        };
        Self {
            looks: working,
            collector_looks: samples.collector,
            own: TimeSharePart::from_looks(own, working),
            libraries: libraries.into_iter().map(part).collect(),
        }
    }
}

/// The first function called, otherwise the one in the runtime or in C.
fn outermost(functions: &[Function]) -> Option<String> {
    let named = functions.iter().find_map(|it| Some(for_people(it.module.as_deref()?, &it.name)));
    let native = || match functions.first()?.name.as_str() {
        OUTSIDE => Some(OUTSIDE.to_owned()),
        name => Some(name.to_owned()),
    };
    named.or_else(native)
}

/// The largest number of functions named; the data have more.
const NAMED: usize = 3;

/// Smaller shares are not reported.
const LEAST: f64 = 0.05;

/// The library function with the largest share of the time; `None` if that is small.
pub(super) fn costliest(part: &TimePart) -> Option<Line> {
    part.libraries.first().filter(|it| it.time.share >= LEAST).map(in_library)
}

fn in_library(it: &LibraryPart) -> Line {
    let of = match &it.caller {
        Some(caller) => line![", called by ", Span::code(caller.clone())],
        None => ", for no function that could be seen".into(),
    };
    line![it.time.in_words(), " in ", Span::code(it.function.clone()), of]
}

/// The places where time was spent without any counter seeing it.
pub(super) fn sentence(part: &TimePart) -> Line {
    let named = part.libraries.iter().filter(|it| it.time.share >= LEAST).take(NAMED);
    let said = named.map(in_library);
    let own = line![percent(part.own.share), " in the program's own code"];
    let said = std::iter::once(own).chain(said);
    let all = part.looks + part.collector_looks;
    let collector = part.collector_looks as f64 / all.max(1) as f64;
    line![
        format!(
            "Looked at {all} times, the program was in the collector {} of the time. Of the rest: ",
            percent(collector)
        ),
        Line::join(said, "; "),
        "."
    ]
}
