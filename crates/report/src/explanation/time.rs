//! The places where a running program spent its time, from samples.

use ghc::causes::names::for_people;
use ghc::samples::{Function, OUTSIDE, Samples};
use page::{Line, Span, line};

use findings::explanation::{LibraryTime, SampledTime, TimeShare};
use words::quantity::percent;

/// `61 % of the time (58 to 64 %)`
pub(super) fn in_words(part: &TimeShare) -> String {
    format!("{} of the time ({} to {})", percent(part.share), percent(part.low), percent(part.high))
}

/// The places where a run spent its time.
pub(super) fn time(samples: &Samples) -> SampledTime {
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
    let part = |(function, caller, looks)| LibraryTime {
        function,
        caller,
        time: TimeShare::from_looks(looks, working),
    };
    SampledTime {
        looks: working,
        collector_looks: samples.collector,
        own: TimeShare::from_looks(own, working),
        libraries: libraries.into_iter().map(part).collect(),
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
