//! The places where a running program spent its time, in words.

use page::{Line, Span, line};

use findings::explanation::{LibraryTime, SampledTime, TimeShare};
use words::quantity::percent;

/// `61 % of the time (58 to 64 %)`
pub(super) fn in_words(part: &TimeShare) -> String {
    format!("{} of the time ({} to {})", percent(part.share), percent(part.low), percent(part.high))
}

/// The largest number of functions named; the data have more.
const NAMED: usize = 3;

/// Smaller shares are not reported.
const LEAST: f64 = 0.05;

/// The library function with the largest share of the time; `None` if that is small.
pub(super) fn costliest(part: &SampledTime) -> Option<Line> {
    part.libraries.first().filter(|it| it.time.share >= LEAST).map(in_library)
}

fn in_library(it: &LibraryTime) -> Line {
    let of = match &it.caller {
        Some(caller) => line![", called by ", Span::code(caller.clone())],
        None => ", for no function that could be seen".into(),
    };
    line![in_words(&it.time), " in ", Span::code(it.function.clone()), of]
}

/// The places where time was spent without any counter seeing it.
pub(super) fn sentence(part: &SampledTime) -> Line {
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
