//! Changes in sentences.

use super::causes::Fate;
use super::facts::Allocates;
use super::facts::{Change, Reason};

/// A change as a predicate of the binding: `no longer inlines `instr`: ...`.
pub fn change(change: &Change) -> String {
    match change {
        Change::Inlines { what, reasons } => {
            format!("now has the code of `{what}` in it (inlined){}", since(reasons))
        }
        Change::NoLongerInlines { what, reasons } => {
            format!("no longer inlines `{what}`, {}", because(reasons))
        }
        Change::Specialised { what } => {
            format!(
                "calls a copy of `{what}` made for its types, no longer the overloaded function"
            )
        }
        Change::NoLongerSpecialised { what } => {
            format!("calls the overloaded `{what}`, no longer a copy made for its types")
        }
        Change::UnknownCalls { before, after } => {
            let noun = if *after == 1 { "call" } else { "calls" };
            format!("makes {after} {noun} of functions that GHC does not know, instead of {before}")
        }
        Change::Keeps { what, now: true } => {
            format!("makes all of `{what}` now, and keeps it while it is used")
        }
        Change::Keeps { what, now: false } => {
            format!("no longer makes all of `{what}` to keep it while it is used")
        }
        Change::Allocates { before, after } => allocates(before, after),
        Change::Pragma { before, after } => pragma(before.as_deref(), after.as_deref()),
        Change::Recursive { now: true } => "calls itself now".to_owned(),
        Change::Recursive { now: false } => "no longer calls itself".to_owned(),
        Change::Uses { before, after, .. } => match (&before[..], &after[..]) {
            (before, []) => format!("no longer uses {}", listed(before)),
            ([], after) => format!("now uses {}", listed(after)),
            (before, after) => format!("uses {} instead of {}", listed(after), listed(before)),
        },
        Change::Cause { cause, now, whole } => known(cause.title, *now, *whole),
        Change::Body => "has another body".to_owned(),
        other => of_arguments(other),
    }
}

/// Changes in the passing of arguments and results.
fn of_arguments(change: &Change) -> String {
    match change {
        Change::Split => {
            "was split by GHC into a worker, which takes its arguments in parts, and a \
                          wrapper"
                .to_owned()
        }
        Change::NoLongerSplit => {
            "is no longer split into a worker and a wrapper, so its arguments \
                                  come as they are"
                .to_owned()
        }
        Change::Arity { of: None, before: 0, after } => {
            format!("is a function of {} now, and was a value", arguments(*after))
        }
        Change::Arity { of: None, before, after: 0 } => {
            format!("is a value now, and was a function of {}", arguments(*before))
        }
        Change::Arity { of, before, after } => {
            let of =
                of.as_ref().map_or_else(String::new, |of| format!("its inner function `{of}` "));
            let what = if after > before {
                "takes all at once what it took one after the other"
            } else {
                "takes fewer at once"
            };
            format!("{of}takes {} instead of {before}: {what}", arguments(*after))
        }
        Change::Unboxed { before, after } => {
            format!("takes {} without a box instead of {before}", arguments(*after))
        }
        Change::GivesFunction { now: true } => {
            "gives back a function that it makes after some work, once for every call".to_owned()
        }
        Change::GivesFunction { now: false } => {
            "no longer makes a function for its result; it takes the arguments of that itself"
                .to_owned()
        }
        Change::JoinPoint { of, now: true } => {
            format!(
                "its inner function `{of}` is code to be jumped to now, and no longer allocated"
            )
        }
        Change::JoinPoint { of, now: false } => {
            format!("its inner function `{of}` is allocated now, and was code to be jumped to")
        }
        Change::Strict { argument, now: true } => {
            format!("certainly needs argument {argument} now, so that nobody puts it off")
        }
        Change::Strict { argument, now: false } => {
            format!("may not need argument {argument} any more, so that callers put it off")
        }
        other => of_functions_passed(other),
    }
}

/// Changes in the functions passed along: methods and continuations.
fn of_functions_passed(change: &Change) -> String {
    match change {
        Change::Dictionaries { before: 0, after } => format!(
            "is overloaded now: it is passed {}, and calls methods that GHC does not know",
            dictionaries(*after)
        ),
        Change::Dictionaries { before, after: 0 } => format!(
            "is no longer overloaded: it was passed {}, and GHC knows now what it calls",
            dictionaries(*before)
        ),
        Change::Dictionaries { before, after } => {
            format!("is passed {} instead of {before}", dictionaries(*after))
        }
        Change::Continuation { now: true } => {
            "is given what comes next as a function now, and no longer just gives back its result"
                .to_owned()
        }
        Change::Continuation { now: false } => {
            "gives back its result now, and is no longer given what comes next as a function"
                .to_owned()
        }
        _ => "has another body".to_owned(),
    }
}

/// The reasons why a binding is not inlined.
pub fn because(reasons: &[Reason]) -> String {
    if reasons.is_empty() {
        return "and its Core does not say why".to_owned();
    }
    let words = reasons.iter().map(|reason| match reason {
        Reason::Forbidden => "a pragma forbids it (`NOINLINE`)".to_owned(),
        Reason::NotAskedFor => "its `INLINE` pragma is gone".to_owned(),
        Reason::BreaksLoop => "it calls itself, directly or through others".to_owned(),
        Reason::Grew { before, after } => {
            format!("it grew from {before} to {after} in GHC's count for inlining")
        }
        Reason::Longer { before, after } => {
            format!("its definition grew from {before} to {after} lines")
        }
        Reason::Exported => "its module exports it now: what other modules may call stays a \
                             function, even if it is used once here"
            .to_owned(),
        Reason::Large { size } => format!("its size is {size} in GHC's count for inlining"),
    });
    format!("because {}", words.collect::<Vec<_>>().join(", and because "))
}

/// The reasons why a binding is inlined that was not, from those why it was not.
fn since(reasons: &[Reason]) -> String {
    let words = reasons.iter().filter_map(|reason| match reason {
        Reason::Forbidden => Some("no pragma forbids it any more (`NOINLINE`)".to_owned()),
        Reason::NotAskedFor => Some("a pragma asks for it (`INLINE`)".to_owned()),
        Reason::BreaksLoop => Some("it no longer calls itself".to_owned()),
        // They are those of the opposite direction.
        Reason::Grew { before, after } => {
            Some(format!("it shrank from {after} to {before} in GHC's count for inlining"))
        }
        Reason::Longer { before, after } => {
            Some(format!("its definition shrank from {after} to {before} lines"))
        }
        Reason::Exported => Some("its module no longer exports it, and it is used once".to_owned()),
        // Size alone cannot be the reason: GHC would then have inlined it before, too.
        Reason::Large { .. } => None,
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!(", because {}", words.join(" and ")) }
}

/// The title of a cause, or a more precise predicate, as a present or past property of a binding.
fn known(title: &str, now: bool, whole: bool) -> String {
    let (is, title) = match title.strip_prefix("is ") {
        Some(title) => ("is ", title),
        None if is_done_to_it(title) => ("is ", title),
        None => ("", title),
    };
    match (whole, now) {
        (false, true) => format!("{is}now {title}"),
        (false, false) => format!("{is}no longer {title}"),
        (true, true) => format!("is new, and {is}{title}"),
        (true, false) => format!("is gone, and with it that it {is}{title}"),
    }
}

/// The development of a cause as a predicate of its function. `title` is the cause's, or a more
/// precise predicate; `whole` is set if the function is on one side only.
pub fn fate(fate: Fate, title: &str, whole: bool) -> String {
    let is = if is_done_to_it(title) { "is " } else { "" };
    match fate {
        Fate::Gone => known(title, false, whole),
        Fate::New => known(title, true, whole),
        Fate::Less => format!("{is}still {title}, which costs less now"),
        Fate::More => format!("{is}still {title}, which costs more now"),
        Fate::Same => format!("{is}still {title}"),
    }
}

fn is_done_to_it(title: &str) -> bool {
    ["called", "compiled"].iter().any(|begin| title.starts_with(begin))
}

fn dictionaries(count: u32) -> String {
    if count == 1 { "1 dictionary".to_owned() } else { format!("{count} dictionaries") }
}

fn arguments(count: u32) -> String {
    if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
}

fn allocates(before: &Allocates, after: &Allocates) -> String {
    let mut parts = Vec::new();
    let mut part = |what: [&str; 2], before: u32, after: u32| {
        let more = after.abs_diff(before);
        if more > 0 {
            let noun = what[usize::from(more != 1)];
            let way = if after > before { "more" } else { "fewer" };
            parts.push(format!("{more} {noun} {way}"));
        }
    };
    part(["function", "functions"], before.functions, after.functions);
    if before.is_exact == after.is_exact {
        part(["thunk", "thunks"], before.thunks, after.thunks);
    }
    part(["constructor", "constructors"], before.constructors, after.constructors);
    format!("allocates in its body: {}", parts.join(", "))
}

fn pragma(before: Option<&str>, after: Option<&str>) -> String {
    match (before, after) {
        (None, Some(now)) => format!("has the pragma `{now}` now"),
        (Some(before), None) => format!("has the pragma `{before}` no more"),
        (before, after) => format!(
            "has the pragma `{}` in place of `{}`",
            after.unwrap_or_default(),
            before.unwrap_or_default()
        ),
    }
}

/// `a`, `b` and `c`; only the first few of a long list.
fn listed(names: &[String]) -> String {
    const MOST: usize = 4;
    let mut shown: Vec<String> = names.iter().take(MOST).map(|it| format!("`{it}`")).collect();
    let more = names.len().saturating_sub(MOST);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    match shown.pop() {
        Some(last) if shown.is_empty() => last,
        Some(last) => format!("{} and {last}", shown.join(", ")),
        None => String::new(),
    }
}
