//! The first sentence for each pair of programs, in both directions: the function it names, and the
//! kind of change. The expectations were written from the sources, as a person would put them.

use fixtures::GHC_DIFFERENCE;
use ghc::causes::Program;
use ghc::difference::{Change, Difference, words};

use crate::recorded::{VERSIONS, program, read};

/// The compiler of the samples of `ghc_difference`.
pub(crate) const MADE_BY: &str = "9.0.2";

/// A change from before to after; in reverse it is the opposite.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Said {
    /// It calls a copy that was made for its types.
    CallsCopyOf(&'static str),
    /// It is passed fewer dictionaries.
    PassedLess,
    /// A known cause disappeared.
    NoMore(&'static str),
    /// It inlines another function.
    Inlines(&'static str),
    /// It returns its result instead of a function.
    GivesNoFunction,
    /// It returns its result instead of passing it on.
    GivesItsResult,
    /// More arguments are unboxed.
    Unboxed,
    /// It no longer makes a value inside.
    DoesNotKeep(&'static str),
    /// It uses the second instead of the first.
    Uses(&'static str, &'static str),
}

use Said::*;

/// The pairs in `programs` of the set: the change in the source, the named function, and the
/// reported change.
pub(crate) const PAIRS: [(&str, &str, Said); 16] = [
    // SPECIALISE, in another module than its use.
    ("specialise", "Main.main", CallsCopyOf("Mean.mean")),
    // The same for the entry to mutually recursive functions: the ones that do the work are copied,
    // too.
    ("entry", "Main.main", CallsCopyOf("Toy.Machine.run")),
    // INLINABLE, likewise.
    ("inlinable", "Main.main", CallsCopyOf("Mean.mean")),
    // A method of a superclass, called in a loop: `Eq` of `Ord`.
    ("superclass", "Main.main", CallsCopyOf("Runs.runs")),
    // Classes of monads for a stack of transformers.
    ("monad_class", "Machine.steps", PassedLess),
    // The same with a newtype that derives the class.
    ("newtype_deriving", "Steps.steps", PassedLess),
    // The loop is a local function without a signature.
    ("local_helper", "Grid.digest", PassedLess),
    // `main2` is the polymorphic function that `main` passes.
    ("passed_method", "Main.main2", PassedLess),
    // One of two constraints, needed for an error message only.
    ("constraint", "Table.find", PassedLess),
    // A bang pattern.
    ("bang", "Main.tally", NoMore("lazy-accumulator")),
    // `foldl'` instead of `foldl`, in a function that is inlined into `main`.
    ("strict_fold", "Main.main", NoMore("lazy-accumulator")),
    // Strict fields with UNPACK.
    ("unpack", "Main.move", Unboxed),
    // Direct style instead of continuations.
    ("direct_style", "Main.weigh", GivesItsResult),
    // A map instead of a list; the part inlined by GHC calls the balancing function.
    ("list_to_map", "Main.tally", Uses("Main.note", "Data.Map.Internal.balanceL")),
    // `Int` instead of `Integer`.
    ("integer", "Main.mix", NoMore("integer-arithmetic")),
    // A list that is used once instead of twice.
    ("shared_list", "Main.spread", DoesNotKeep("numbers")),
];

/// The pairs of the causes, in all versions. If a changed calling convention removed the cause, the
/// sentence names that change.
const CAUSES: [(&str, &[&str], Said); 18] = [
    ("append", &["Main.go"], NoMore("append-to-accumulator")),
    ("boxed_argument", &["Main.search"], NoMore("boxed-argument")),
    ("boxed_elements", &["Main.add"], NoMore("boxed-elements")),
    ("copy_on_write", &["Main.store"], NoMore("copy-on-write")),
    ("eta", &["Step.run"], GivesNoFunction),
    ("function_argument", &["Main.count"], Inlines("Guard.guarded")),
    ("integer_loop", &["Main.digits"], NoMore("integer-arithmetic")),
    ("lazy_argument", &["Main.go"], NoMore("lazy-accumulator")),
    ("literal_list", &["Main.encode"], NoMore("literal-list")),
    ("lock_frame", &["Main.count"], NoMore("lock-frame")),
    // The list of `main` is a loop that GHC calls `go`.
    ("lost_specialise", &["Main.main", "Main.go", "Main.go1"], CallsCopyOf("Powers.powers")),
    ("missing_optimisation", &["Main.triangle"], NoMore("missing-optimisation")),
    ("over_saturated", &["Table.table"], GivesNoFunction),
    ("overloaded", &["Main.main"], CallsCopyOf("Walk.walk")),
    ("rebuild", &["Main.step"], NoMore("rebuild-after-recursion")),
    ("thunk_leak", &["Main.count"], NoMore("thunk-leak")),
    ("unknown_call", &["Main.step"], NoMore("unknown-call")),
    ("visible_used_once", &["Collatz.collatz"], Inlines("Collatz.advance")),
];

/// True if a change is the expected one, or its opposite in reverse.
fn is_said(change: &Change, said: Said, is_back: bool) -> bool {
    let way = |before: u32, after: u32| if is_back { before < after } else { before > after };
    let has = |names: &[String], name: &str| names.iter().any(|it| it == name);
    match (said, change) {
        (CallsCopyOf(of), Change::Specialised { what }) => !is_back && what == of,
        (CallsCopyOf(of), Change::NoLongerSpecialised { what }) => is_back && what == of,
        (PassedLess, Change::Dictionaries { before, after }) => way(*before, *after),
        (NoMore(id), Change::Cause { cause, now, whole: false }) => {
            cause.id == id && *now == is_back
        }
        (Inlines(of), Change::Inlines { what, .. }) => !is_back && what == of,
        (Inlines(of), Change::NoLongerInlines { what, .. }) => is_back && what == of,
        // GHC 8.8 does not report that a pragma forbids it; that it takes a function is equally
        // true.
        (Inlines("Guard.guarded"), Change::Cause { cause, now: true, .. }) => {
            is_back && cause.id == "function-argument"
        }
        (GivesNoFunction, Change::GivesFunction { now }) => *now == is_back,
        (GivesItsResult, Change::Continuation { now }) => *now == is_back,
        (Unboxed, Change::Unboxed { before, after }) => way(*after, *before),
        (DoesNotKeep(value), Change::Keeps { what, now }) => what == value && *now == is_back,
        (Uses(old, new), Change::Uses { before, after, .. }) => {
            let (gone, came) = if is_back { (after, before) } else { (before, after) };
            has(gone, old) && has(came, new)
        }
        _ => false,
    }
}

/// The faults in the first sentences of a pair, in both directions.
fn wrong(title: &str, names: &[&str], said: Said, [before, after]: &[Program; 2]) -> Vec<String> {
    let of = |is_back: bool| {
        let (one, other) = if is_back { (after, before) } else { (before, after) };
        let difference = Difference::new(one, other);
        let Some((at, change)) = difference.groups.first().and_then(|group| group.lead) else {
            return Some(format!("{title}: nothing is said"));
        };
        let binding = &difference.bindings[at];
        let change = &binding.changes[change];
        let is_right = names.contains(&&binding.name[..]) && is_said(change, said, is_back);
        let told =
            || format!("{title}, back {is_back}: {} {}", binding.name, words::change(change));
        (!is_right).then(told)
    };
    [false, true].into_iter().filter_map(of).collect()
}

/// Every pair: its title, the names and the expected change, and its programs.
fn each(versions: &[&str], mut visit: impl FnMut(&str, &[&str], Said, [Program; 2])) {
    let variants = ["before", "after"];
    for (pair, name, said) in PAIRS {
        let programs = variants.map(|variant| read(&GHC_DIFFERENCE, MADE_BY, pair, variant));
        visit(pair, &[name], said, programs);
    }
    for version in versions {
        for (pair, names, said) in CAUSES {
            let programs = variants.map(|variant| program(version, pair, variant));
            visit(&format!("{pair} {version}"), names, said, programs);
        }
    }
}

#[test]
fn the_first_sentence_names_the_function_and_what_was_done_to_it() {
    let mut all = Vec::new();
    each(&VERSIONS, |title, names, said, programs| {
        all.extend(wrong(title, names, said, &programs))
    });
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn dumps_and_counters_alone_say_the_same() {
    // These need the heap over time, the allocations of libraries, or the source.
    const NEED_MORE: [&str; 5] =
        ["thunk_leak", "boxed_elements", "integer", "shared_list", "list_to_map"];
    let mut all = Vec::new();
    each(&[MADE_BY], |title, names, said, mut programs| {
        if NEED_MORE.iter().any(|pair| title.split(' ').next() == Some(pair)) {
            return;
        }
        for program in &mut programs {
            (program.allocated_bytes, program.heap) = (None, None);
            program.modules.iter_mut().for_each(|module| module.source = None);
        }
        all.extend(wrong(title, names, said, &programs));
    });
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn nothing_else_that_is_said_contradicts_what_is_passed() {
    each(&[MADE_BY], |title, _, _, [before, after]| {
        for (one, other) in [(&before, &after), (&after, &before)] {
            let difference = Difference::new(one, other);
            let said = difference.bindings.iter().flat_map(|binding| {
                let passed = binding.changes.iter().filter_map(|change| match change {
                    Change::Specialised { what } => Some((what.clone(), false)),
                    Change::NoLongerSpecialised { what } => Some((what.clone(), true)),
                    Change::Dictionaries { before, after } => {
                        Some((binding.name.clone(), after > before))
                    }
                    Change::Cause { cause, now, .. } => {
                        (cause.id == "overloaded-loop").then(|| (binding.name.clone(), *now))
                    }
                    _ => None,
                });
                passed.collect::<Vec<_>>()
            });
            let mut known = std::collections::BTreeMap::new();
            for (name, is_more) in said {
                let first = *known.entry(name.clone()).or_insert(is_more);
                assert_eq!(first, is_more, "{title}: {name} is passed more, and less");
            }
        }
    });
}
