//! Work that is put off, and waits for other work: in arguments of loops, in the heap, on the stack.
//!
//! If a loop is lazy in a parameter and passes itself a value made from that parameter, each round
//! allocates a thunk that holds the thunk of the round before. A heap profile by kind of closure
//! (`+RTS -hT`) shows thunks as separate bands: if they grow for as long as the program builds
//! something up, a chain of them grows somewhere. It shows the stack as a band, too, which grows while
//! calls wait for recursive calls. A census of the heap or of the frames names the code; without one,
//! the counters show who can have done it.

use std::collections::HashSet;

use super::bound::{Bound, Loop, ends, fields, is_constructor, is_lambda, is_primitive};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::{Held, HeldBytes};
use super::examine::{Basis, Finding, Only};
use super::names::{Location, in_source};
use super::program::{Module, Program, Site, Source};
use super::source::{declaration, definition_line};
use super::source::{import, words};
use super::whole_structure::appended;
use crate::core::Core;
use crate::core::names::{Name, split_unique};
use crate::core::tree::{Binding, Expr, Id};
use crate::heap_census::Waiting;
use crate::heap_profile::HeapProfile;
use crate::ticky::{Closure, Kind, Profile};

pub(super) static LAZY_ACCUMULATOR: Cause = Cause {
    id: "lazy-accumulator",
    title: "puts off what it accumulates",
    about: "The loop passes itself a value that is computed only when somebody asks for it, from the \
            value of the round before, which may have been put off, too. Each round allocates a thunk, \
            and the chain of them stays in memory.",
    seed: "faster-winter, 3 (the memory leak); case c of the founding measurements",
    needs: &[Need::IdInfo],
    explains: 0.9,
    paid: Paid::Allocations,
    find: find_lazy_accumulator,
};

fn find_lazy_accumulator(look: &Look<'_>) -> Vec<Finding> {
    look.loops()
        .filter_map(|it| {
            let put_off = put_off(look.program, &it);
            (!put_off.is_empty()).then(|| lazy_accumulator(look.program, &it, put_off))
        })
        .collect()
}

/// The thunks that a loop makes from a parameter for that same parameter.
fn put_off(program: &Program, it: &Loop) -> Vec<Id<Expr>> {
    let core = program.core_of(it.site);
    let bound = Bound::from_core(core, it.binding.right);
    let mut found = Vec::new();
    for (_, call) in &it.calls {
        for (number, (value, parameter)) in call.values.iter().zip(&it.parameters).enumerate() {
            if !it.is_lazy(core, number) {
                continue;
            }
            let parts = bound.parts(parameter.name);
            let value = bound.behind(*value);
            // A lazy field is within a constructor that is not lazy.
            let parts_of_value = fields(core, value).unwrap_or_else(|| vec![value]);
            for part in parts_of_value {
                let part = bound.behind(part);
                if is_thunk(program, it, part) && bound.uses(part, &parts) {
                    found.push(part);
                }
            }
        }
    }
    found
}

/// True if a lazy argument becomes a thunk of a chain. A value, or an expression as cheap as one,
/// does not. A result of the loop itself (`go left (go right rest)`) is consumed as it comes;
/// computing it first makes the stack as deep as the chain would be long.
fn is_thunk(program: &Program, within: &Loop, it: Id<Expr>) -> bool {
    let core = program.core_of(within.site);
    match core.exprs[it] {
        Expr::Case(..) | Expr::Let(..) => !gives_lambda(core, it),
        Expr::Apply(..) => core.call(it).is_some_and(|call| {
            let name = core.text(call.function);
            let is_partial =
                program.site_of(within.site.module, call.function).is_some_and(|called| {
                    let callee = program.core_of(called);
                    callee
                        .arity(program.binding(called))
                        .is_some_and(|arity| arity as usize > call.values.len())
                });
            !is_partial
                && !within.is_call_of_itself(it)
                && !is_primitive(name)
                && fields(core, it).is_none()
                // Appends have a separate cause.
                && appended(core, it).is_none()
        }),
        _ => false,
    }
}

/// True if an expression is a function below bindings: a difference list, or a continuation.
fn gives_lambda(core: &Core, mut it: Id<Expr>) -> bool {
    while let Expr::Let(_, _, body) | Expr::Cast(body, _) | Expr::Tick(_, body) = core.exprs[it] {
        it = body;
    }
    is_lambda(core, it)
}

fn lazy_accumulator(program: &Program, it: &Loop, put_off: Vec<Id<Expr>>) -> Finding {
    let core = program.core_of(it.site);
    let name = in_source(core.text(it.name()));
    let count = put_off.len();
    Finding {
        what: format!(
            "each round of `{name}` puts off {}, made from that of the round before",
            if count == 1 { "an argument".to_owned() } else { format!("{count} arguments") }
        ),
        remedy:
            "make it strict: a bang on the parameter in the first equation (`!acc`), strict fields \
                 (`!Int`) where it is part of a data type, foldl' for foldl, modify' for modify"
                .into(),
        why: format!(
            "`{name}` does not always need the value, so GHC may not compute it: that could fail, or \
             never end."
        ),
        basis: Basis { only: Some(Only::Thunks), ..Basis::binding(it.site, it.within) },
        ..Finding::at_loop(&LAZY_ACCUMULATOR, it, put_off)
    }
}

pub(super) static THUNK_LEAK: Cause = Cause {
    id: "thunk-leak",
    title: "leaks work put off",
    about: "Thunks, values that nobody has asked for yet, fill the heap more and more. Each holds on to \
            what it needs, often to the thunk before it.",
    seed: "faster-winter, 3 (memory -99 %)",
    needs: &[Need::HeapProfile, Need::Ticky],
    explains: 0.6,
    paid: Paid::Memory,
    find: find_thunk_leak,
};

/// Fewer moments show no trend.
const LEAST_SAMPLES: usize = 6;
/// Any lazy program has fewer bytes of thunks.
const LEAST_THUNKS_BYTES: u64 = 1 << 19;
/// The least share of the heap's peak that the thunks reach.
const LEAST_THUNKS_SHARE: f64 = 0.2;
/// A program that builds something up and drops it more often than this does so in rounds: its
/// thunks may grow from quarter to quarter by chance. Arbitrary.
const MOST_COLLAPSES: usize = 4;

/// True if a program's heap fills with deferred work, by its heap profile.
pub fn is_leaking(program: &Program) -> bool {
    program.heap.as_ref().and_then(growth).is_some()
}

fn find_thunk_leak(look: &Look<'_>) -> Vec<Finding> {
    let Some(growth) = look.program.heap.as_ref().and_then(growth) else { return Vec::new() };
    maker(look, growth).map(|maker| thunk_leak(look, &maker, growth)).into_iter().collect()
}

/// The peak of the thunks, if they grow from quarter to quarter of the time until then. The decline
/// after it is the evaluation of the values.
fn growth(profile: &HeapProfile) -> Option<HeldBytes> {
    let (peak, most) = Held::Thunks.most(profile)?;
    let thunks: Vec<u64> = profile.samples.iter().map(|it| Held::Thunks.bytes(it)).collect();
    let rising = &thunks[..=peak];
    let is_leak = rising.len() >= LEAST_SAMPLES
        && most.bytes >= LEAST_THUNKS_BYTES
        && most.share >= LEAST_THUNKS_SHARE
        && collapses(&thunks, most.bytes) <= MOST_COLLAPSES;
    let middles: Vec<u64> = rising.chunks(rising.len().div_ceil(4)).map(median).collect();
    (is_leak && middles.windows(2).all(|two| two[0] < two[1])).then_some(most)
}

/// The number of times that thunks were half of their peak, and then next to nothing.
fn collapses(thunks: &[u64], most: u64) -> usize {
    let (mut found, mut were_many) = (0, false);
    for bytes in thunks {
        were_many |= *bytes >= most / 2;
        if were_many && *bytes <= most / 10 {
            (found, were_many) = (found + 1, false);
        }
    }
    found
}

fn median(values: &[u64]) -> u64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values[values.len() / 2]
}

fn thunk_leak(look: &Look<'_>, maker: &Maker, growth: HeldBytes) -> Finding {
    let site = maker.site;
    // Inlined code is in another binding than the one that declares it.
    let name = look.program.name_at(site, maker.location.as_ref());
    let made_by = match (&maker.by_way_of, &maker.location) {
        (Some(function), _) => format!(
            "no thunks with counters are half of it, so it may be made in libraries, by \
             `{function}` for `{name}`"
        ),
        (None, Some(at)) => format!("most of it is made by `{name}` at {at}"),
        (None, None) => format!("most of it is made by `{name}`"),
    };
    Finding {
        at: maker.location.clone(),
        what: format!(
            "work put off fills the heap more and more, up to {:.1} MB, {:.0} % of its peak; {made_by}",
            growth.bytes as f64 / 1e6,
            growth.share * 100.0
        ),
        remedy: leak_remedy(name, look.program.module_of(site).source.as_ref().map(|it| &*it.text)).into(),
        why: "Haskell computes a value when it is asked for; GHC does it before only where it can prove \
              that it will be."
            .to_owned(),
        basis: Basis { held: Some(Held::Thunks), ..Basis::site(site) },
        ..Finding::at_site(&THUNK_LEAK, site, maker.focus.clone())
    }
}

/// Lazy names that a module's text may use, and their strict counterparts.
const STRICT: [(&[&str], &str); 9] = [
    (&["modifyIORef"], "`modifyIORef'` for `modifyIORef`"),
    (&["atomicModifyIORef"], "`atomicModifyIORef'` for `atomicModifyIORef`"),
    (&["modifySTRef"], "`modifySTRef'` for `modifySTRef`"),
    (&["modifyTVar"], "`modifyTVar'` for `modifyTVar`"),
    (&["foldl"], "`foldl'` for `foldl`"),
    (
        &["Data.Map", "Data.IntMap", "Data.HashMap", "Data.Map.Lazy", "Data.IntMap.Lazy"],
        "the `.Strict` module of the map (`Data.Map.Strict`)",
    ),
    (
        &["Control.Monad.State", "Control.Monad.State.Lazy", "Control.Monad.Trans.State"],
        "`Control.Monad.State.Strict` with `modify'`",
    ),
    (
        &["Control.Monad.Writer", "Control.Monad.Writer.Strict", "Control.Monad.Trans.Writer"],
        "a strict fold, or a strict state (`modify'`), for the `Writer`, which puts its sums off",
    ),
    (&["modify"], "`modify'` for `modify`"),
];

/// The remedy, depending on the names that the module's text uses.
fn leak_remedy(name: &str, text: Option<&str>) -> String {
    let words: HashSet<&str> = text
        .unwrap_or_default()
        .split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '_' | '\'')))
        // `Map.insertWith` is a use of `insertWith`, and `Data.Map` a module.
        .flat_map(|word| [word, word.rsplit('.').next().unwrap_or(word)])
        .collect();
    let used = STRICT.iter().filter(|(lazy, _)| lazy.iter().any(|it| words.contains(it)));
    let strict: Vec<&str> = used.map(|(_, strict)| *strict).collect();
    let by_hand =
        "`$!`, a bang, or strict fields (a pair is lazy in both: use a data type of your own)";
    match strict.is_empty() {
        true => format!("let `{name}` compute what it stores: {by_hand}"),
        false => {
            format!("let `{name}` compute what it stores: {}; else {by_hand}", strict.join(", "))
        }
    }
}

/// The maker of the thunks.
#[derive(Debug)]
pub(super) struct Maker {
    pub(super) site: Site,
    /// The function without counters that it calls, and that makes them.
    pub(super) by_way_of: Option<String>,
    /// The location in the source at which they are made.
    pub(super) location: Option<Location>,
    /// The deferred expressions.
    pub(super) focus: Vec<Id<Expr>>,
}

/// The bytes of the smallest thunk: header, room for its value, and one word.
const LEAST_THUNK_BYTES: u64 = 24;
/// The most that a call that defers one thing keeps: two such thunks, such as one for each part of
/// a pair.
const PUT_OFF_BYTES: u64 = 2 * LEAST_THUNK_BYTES;
/// Thunks of a kind are mostly unevaluated if less than one in this number is entered.
const MANY: u64 = 10;
/// Functions of `base` and `containers` whose results hold deferred work, the commonest first:
/// those that defer one or two things in each call.
const LAZY_ONCE: [&str; 12] = [
    "++",
    "modifyIORef",
    "modifySTRef",
    "modifyTVar",
    "modify",
    "insertWith",
    "insertWithKey",
    "adjust",
    "alter",
    "fromListWith",
    "unionWith",
    "atomicModifyIORef",
];
/// Those that defer something for each element of their argument.
const LAZY_EACH: [&str; 9] =
    ["foldl", "map", "fmap", "zip", "zipWith", "filter", "concat", "concatMap", "iterate"];

/// Functions of `base` that never return.
const FAILURES: [&str; 3] = ["error", "errorWithoutStackTrace", "throw"];

/// The maker of most thunks: by a census; else, if unevaluated thunks of one kind are at least
/// half, the binding that makes these; else a caller of libraries, whose closures are not counted,
/// or the binding with the most thunks.
pub(super) fn maker(look: &Look<'_>, growth: HeldBytes) -> Option<Maker> {
    let profile = look.program.ticky.as_ref()?;
    if let Some(maker) = maker_by_census(look) {
        return Some(maker);
    }
    let words = look.program.heap.as_ref().and_then(Words::of_most);
    let bytes = |row: usize| profile.closures[row].allocated_bytes.ok().unwrap_or(0);
    let rows =
        look.sites().flat_map(|site| look.costs.rows(site).iter().map(move |row| (site, *row)));
    let kept = rows
        .filter(|(site, row)| is_kept(&profile.closures[*row]) && can_be(look, *site, *row, words));
    if let Some((site, row)) = kept.max_by_key(|(_, row)| bytes(*row))
        && bytes(row) >= growth.bytes / 2
    {
        return Some(at_row(look, site, row));
    }
    let is_counted = profile.closures.iter().all(|it| it.allocated_bytes.is_ok());
    let once = |entries: u64| entries.saturating_mul(PUT_OFF_BYTES) >= growth.bytes / 2;
    let by_call = is_counted.then(|| caller(look, &LAZY_ONCE, once)).flatten();
    by_call
        .or_else(|| busiest(look, profile, words, growth.bytes / 2))
        .or_else(|| is_counted.then(|| caller(look, &LAZY_EACH, |entries| entries > 0)).flatten())
}

/// The least share of all thunks in the heap that are in chains, if chains fill it: their contents
/// may be larger than the thunks.
const LEAST_CHAINED: f64 = 0.1;

/// The maker of most of the thunks counted in the heap, or of most of those in chains. `None`
/// without a census, or if they belong to libraries.
fn maker_by_census(look: &Look<'_>) -> Option<Maker> {
    let waiting = &look.program.waiting;
    let all: u64 = waiting.iter().map(|it| it.bytes).sum();
    let chained: u64 = waiting.iter().filter(|it| it.is_chained).map(|it| it.bytes).sum();
    let is_chain = chained as f64 >= LEAST_CHAINED * all as f64;
    let candidates = || waiting.iter().filter(|it| it.is_chained || !is_chain);
    let by = |it: &Waiting| {
        let declared = |at| look.program.declared(it.site?, at).map(str::to_owned);
        (it.site, it.at.as_ref().and_then(declared), it.library.clone())
    };
    let bytes = |it: &Waiting| -> u64 {
        candidates().filter(|other| by(other) == by(it)).map(|it| it.bytes).sum()
    };
    let most = candidates().max_by_key(|it| (bytes(it), it.bytes))?;
    let (site, line) = (most.site?, most.at.clone()?);
    let location = row_of(look, site, most).and_then(|row| written(look, site, row));
    Some(at(look, site, location.or(Some(line))))
}

/// The counter row of some thunks of a binding: of the same size, and with at least as many
/// allocated.
fn row_of(look: &Look<'_>, site: Site, thunks: &Waiting) -> Option<usize> {
    let profile = look.program.ticky.as_ref()?;
    let words = Some(Words::Exactly(usize::try_from(thunks.words).ok()?));
    let allocated = |row: usize| profile.closures[row].allocated_bytes.ok();
    let enough = thunks.bytes - thunks.bytes / 10;
    let rows = look.costs.rows(site).iter().copied().filter(|row| {
        profile.closures[*row].kind == Kind::Thunk
            && look.costs.prep(*row).is_some()
            && can_be(look, site, *row, words)
            && allocated(*row).is_some_and(|it| it >= enough)
    });
    rows.min_by_key(|row| allocated(*row))
}

/// The location in the source of the code of a row, even if it was inlined: by the notes within it,
/// else by the nearest around it.
fn written(look: &Look<'_>, site: Site, row: usize) -> Option<Location> {
    let module = look.program.module_of(site);
    let (prep, binding) = module.prep.as_ref().zip(look.costs.prep(row))?;
    let whole = module.prepared(site.top)?;
    look.program.written(site, &prep.core, prep.core.bindings[whole].right, binding)
}

/// The number of words of a thunk's free variables. A heap profile shows it for its thunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Exactly(usize),
    AtLeast(usize),
}

impl Words {
    /// That of the kind that makes up most of the thunks at their peak, if any.
    fn of_most(heap: &HeapProfile) -> Option<Self> {
        let (moment, most) = Held::Thunks.most(heap)?;
        let mut bands = heap.samples[moment].bands.iter();
        let (band, _) =
            bands.find(|(band, bytes)| band.starts_with("THUNK") && bytes * 2 > most.bytes)?;
        match band.as_str() {
            "THUNK_1_0" | "THUNK_0_1" | "THUNK_SELECTOR" => Some(Self::Exactly(1)),
            "THUNK_2_0" | "THUNK_1_1" | "THUNK_0_2" => Some(Self::Exactly(2)),
            "THUNK" => Some(Self::AtLeast(3)),
            _ => None,
        }
    }
}

/// True if the thunks of a row may be of a kind, as far as their contents are known.
fn can_be(look: &Look<'_>, site: Site, row: usize, words: Option<Words>) -> bool {
    let held = |binding| words_of(look.program.module_of(site), binding);
    match (words, look.costs.prep(row).and_then(held)) {
        (Some(Words::Exactly(words)), Some(held)) => held == words,
        (Some(Words::AtLeast(words)), Some(held)) => held >= words,
        _ => true,
    }
}

/// The number of words that a thunk in a module's CorePrep dump holds: one for each free name.
/// Names of the top level take none.
fn words_of(module: &Module, thunk: Id<Binding>) -> Option<usize> {
    let prep = module.prep.as_ref()?;
    let thunk = prep.core.bindings[thunk];
    let tops: HashSet<Name> = prep
        .passes
        .last()
        .into_iter()
        .flat_map(|pass| prep.tops(pass))
        .map(|top| prep.core.bindings[top.binding].name)
        .collect();
    let is_around = |name: &Name| {
        *name != thunk.name && !tops.contains(name) && split_unique(prep.core.text(*name)).is_some()
    };
    Some(prep.core.free_variables(thunk.right).iter().filter(|it| is_around(it)).count())
}

/// True if most closures of a row are thunks that were never evaluated.
fn is_kept(closure: &Closure) -> bool {
    let (Ok(bytes), Ok(entries)) = (closure.allocated_bytes, closure.entries) else { return false };
    closure.kind == Kind::Thunk && bytes / LEAST_THUNK_BYTES > entries.saturating_mul(MANY)
}

fn at_row(look: &Look<'_>, site: Site, row: usize) -> Maker {
    let module = look.program.module_of(site);
    let prep = module.prep.as_ref().zip(look.costs.prep(row));
    let location = prep.and_then(|(prep, binding)| {
        look.program.location_in(&prep.core, site, &prep.core.bindings[binding])
    });
    at(look, site, location)
}

/// The maker for a location in the source.
fn at(look: &Look<'_>, site: Site, location: Option<Location>) -> Maker {
    // The same note is around the same expression, before CorePrep named it.
    let core = look.program.core_of(site);
    let focus = location.as_ref().and_then(|location| {
        core.walk(look.program.binding(site).right).find(|it| match core.exprs[*it] {
            Expr::Tick(note, _) => super::names::note(core.text(note)).is_some_and(|it| {
                it.line == location.line
                    && (location.column.is_none() || it.column == location.column)
            }),
            _ => false,
        })
    });
    Maker { site, by_way_of: None, location, focus: focus.into_iter().collect() }
}

/// The binding with the most thunks, by bytes, or by number if bytes were not counted; `None` if
/// these are fewer bytes than `least`.
fn busiest(look: &Look<'_>, profile: &Profile, words: Option<Words>, least: u64) -> Option<Maker> {
    let bytes = |closure: &Closure| match (closure.allocated_bytes, closure.entries) {
        (Ok(bytes), _) => bytes,
        (Err(_), Ok(entries)) => entries.saturating_mul(LEAST_THUNK_BYTES),
        (Err(_), Err(_)) => 0,
    };
    let thunks = |site: Site| {
        let rows = look.costs.rows(site).iter().copied();
        rows.filter(move |row| {
            profile.closures[*row].kind == Kind::Thunk && can_be(look, site, *row, words)
        })
    };
    let of_row = |row: &usize| bytes(&profile.closures[*row]);
    let of_site = |site: Site| -> u64 { thunks(site).map(|row| of_row(&row)).sum() };
    let site = look.sites().max_by_key(|site| of_site(*site))?;
    let row = thunks(site).max_by_key(of_row)?;
    (of_site(site) >= least.max(1)).then(|| at_row(look, site, row))
}

/// The most entered binding among those that call one of these functions, which have no counters
/// and whose results hold deferred work, if this number of entries `can` have made the thunks.
fn caller(look: &Look<'_>, lazy: &[&str], can: impl Fn(u64) -> bool) -> Option<Maker> {
    let entries = |site: Site| look.costs.site(site).entries.unwrap_or(0);
    let of_site = |site: Site| Some((site, outside(look, site, lazy)?));
    let (site, call) = look.sites().filter_map(of_site).max_by_key(|(site, _)| entries(*site))?;
    let core = look.program.core_of(site);
    let function = in_source(core.text(core.call(call)?.function)).to_owned();
    let maker = Maker { site, by_way_of: Some(function), location: None, focus: vec![call] };
    can(entries(site)).then_some(maker)
}

/// A call of such a function; of the commonest, if there are several.
fn outside(look: &Look<'_>, site: Site, lazy: &[&str]) -> Option<Id<Expr>> {
    let core = look.program.core_of(site);
    let right = look.program.binding(site).right;
    let calls = core.calls_within(right);
    // Values for an error message are made at most once.
    let failures =
        calls.iter().filter(|(_, call)| FAILURES.contains(&in_source(core.text(call.function))));
    let of_failures: HashSet<Id<Expr>> = failures.flat_map(|(it, _)| core.walk(*it)).collect();
    let calls = calls.into_iter().filter(|(it, _)| !of_failures.contains(it));
    let ranked = calls.filter_map(|(it, call)| {
        let name = core.text(call.function);
        let is_outside = split_unique(name).is_none()
            && !is_constructor(name)
            && !is_primitive(name)
            && look.program.site_of(site.module, call.function).is_none();
        let rank = lazy.iter().position(|it| *it == in_source(name))?;
        is_outside.then_some((rank, it))
    });
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, it)| it)
}

pub(super) static DEEP_STACK: Cause = Cause {
    id: "deep-stack",
    title: "waits for too many calls at once",
    about: "The function calls itself, or has a library call it, and goes on only when that call is done. \
            Each call that is not done keeps a frame on the stack, and whatever it has so far.",
    seed: "Neil Mitchell, Making sequence/mapM for IO take O(1) stack",
    needs: &[Need::HeapProfile, Need::Ticky],
    explains: 0.6,
    paid: Paid::Memory,
    find: find_deep_stack,
};

/// A smaller stack fits into the caches of a processor. Arbitrary.
const LEAST_STACK_BYTES: u64 = 1 << 21;
/// The least share of the heap's peak that the stack reaches. The rest is held by the waiting calls.
const LEAST_STACK_SHARE: f64 = 0.1;
/// A stack evaluates deferred work if at least one in this number of its frames updates a thunk.
const MANY_UPDATES: u64 = 3;
/// The least share of the stack that a binding must have to be reported.
const LEAST_PART: f64 = 0.5;

/// True if the stack is a large part of a program's heap, by its heap profile.
pub fn is_deep(program: &Program) -> bool {
    depth(program).is_some()
}

fn depth(program: &Program) -> Option<HeldBytes> {
    let (_, most) = Held::Stacks.most(program.heap.as_ref()?)?;
    (most.bytes >= LEAST_STACK_BYTES && most.share >= LEAST_STACK_SHARE).then_some(most)
}

/// The waiting function, and its number of calls if counted.
struct Waiter {
    site: Site,
    within: Option<Id<Binding>>,
    at: Option<Location>,
    calls: Option<u64>,
    /// Set if most of the waiting frames are thunks that need each other's values.
    is_put_off: bool,
    focus: Vec<Id<Expr>>,
}

fn find_deep_stack(look: &Look<'_>) -> Vec<Finding> {
    let Some(depth) = depth(look.program) else { return Vec::new() };
    let waiter = waiter_by_frames(look).or_else(|| waiter_by_counters(look, depth));
    // Thunks that wait for each other are reported as a thunk leak.
    let is_told = |it: &Waiter| it.is_put_off && super::is_leaking(look.program);
    waiter.filter(|it| !is_told(it)).map(|it| deep_stack(look, it, depth)).into_iter().collect()
}

/// The function with most of the stack, by its frames.
fn waiter_by_frames(look: &Look<'_>) -> Option<Waiter> {
    let waits = &look.program.waits;
    let part = |site: Site| {
        let own = waits.by.iter().filter(move |(it, ..)| *it == site);
        own.map(|(_, _, frames)| *frames)
    };
    let bytes = |site: Site| part(site).map(|it| it.bytes).sum::<u64>();
    // Methods of instances are inlined everywhere; the function around them is the one that waits.
    let program = look.program;
    let is_function = |site: Site, at: &Location| {
        let is_file = |it: &&Source| it.path == at.file;
        let source = program.modules.iter().filter_map(|it| it.source.as_ref()).find(is_file);
        let name = program.declared(site, at);
        source.zip(name).is_some_and(|(it, name)| definition_line(&it.text, name).is_some())
    };
    let is_place =
        |site: Site, at: &Option<Location>| at.as_ref().is_some_and(|at| is_function(site, at));
    let (site, at, _) = waits
        .by
        .iter()
        .max_by_key(|(site, at, it)| (bytes(*site), is_place(*site, at), it.bytes))?;
    let is_most = bytes(*site) as f64 >= LEAST_PART * waits.all.bytes as f64;
    is_most.then(|| Waiter {
        site: *site,
        within: None,
        at: at.clone().filter(|at| is_function(*site, at)),
        calls: part(*site).map(|it| it.count).max(),
        is_put_off: waits.all.updates * MANY_UPDATES >= waits.all.count,
        focus: Vec::new(),
    })
}

/// The assumed maximum size of a frame: some thirty live words.
const MOST_FRAME_BYTES: u64 = 256;

/// The function that calls itself most often among those that continue after the call, if often
/// enough.
fn waiter_by_counters(look: &Look<'_>, depth: HeldBytes) -> Option<Waiter> {
    // Without frames, it is unknown if the waiting frames are thunks that wait for each other.
    if look.program.waits.all.count > 0 || super::is_leaking(look.program) {
        return None;
    }
    let program = look.program;
    let waiting = look.loops().filter_map(|it| {
        let core = program.core_of(it.site);
        let ends = ends(core, it.binding.right);
        let focus: Vec<Id<Expr>> =
            it.calls.iter().map(|(call, _)| *call).filter(|call| !ends.contains(call)).collect();
        let entries = look.costs.own_entries(program, it.site, it.within)?;
        let is_enough = !focus.is_empty() && entries >= depth.bytes / MOST_FRAME_BYTES;
        is_enough.then_some((entries, it, focus))
    });
    let (_, it, focus) = waiting.max_by_key(|(entries, ..)| *entries)?;
    let (site, within) = (it.site, it.within);
    Some(Waiter { site, within, at: None, calls: None, is_put_off: false, focus })
}

/// Library functions that run an action for each of many elements and return all results.
const GATHER: [&str; 11] = [
    "mapM",
    "forM",
    "replicateM",
    "traverse",
    "sequence",
    "sequenceA",
    "zipWithM",
    "filterM",
    "for",
    "mapAndUnzipM",
    "traverseWithKey",
];
/// Functions that return the tail of a list only after working on its head, and their counterparts
/// for sums.
const FOLDS: [&str; 6] = ["foldr", "foldr1", "scanr", "foldrM", "foldMap", "mconcat"];

fn deep_stack(look: &Look<'_>, it: Waiter, depth: HeldBytes) -> Finding {
    let program = look.program;
    let Waiter { site, within, at, calls, is_put_off, focus } = it;
    let name = program.name_at(site, at.as_ref());
    let text = program.module_of(site).source.as_ref().map(|it| &*it.text);
    let calls = calls.map_or_else(String::new, |it| format!(" {it} times"));
    let what = match is_put_off {
        true => "for work that was put off, one piece within the other",
        false => "for calls that are not done",
    };
    Finding {
        at: at.clone(),
        what: format!(
            "`{name}` waits{calls} {what}: the stack is {:.1} MB, {:.0} % of the heap's peak",
            depth.bytes as f64 / 1e6,
            depth.share * 100.0
        ),
        remedy: stack_remedy(name, text).into(),
        why: "A call that is the last thing a function does needs no frame. One after which something is \
              left to do, such as to put its result into a list, keeps a frame until it is done."
            .to_owned(),
        // A frame is not a closure: the counters of allocations do not have it.
        basis: Basis {
            held: Some(Held::Stacks),
            only: Some(Only::Rows(Vec::new())),
            ..Basis::site(site)
        },
        ..Finding::within(&DEEP_STACK, site, within, focus)
    }
}

/// The remedy, depending on the functions that the declaration names.
fn stack_remedy(name: &str, text: Option<&str>) -> String {
    let names = |these: &[&'static str]| {
        let lines: Vec<&str> = text.into_iter().flat_map(|text| declared_by(text, name)).collect();
        let named = |word: &&&str| {
            lines.iter().any(|line| words(line).any(|it| it.rsplit('.').next() == Some(**word)))
        };
        these.iter().find(named).copied()
    };
    let writes = text.is_some_and(|text| {
        let modules = text.lines().filter_map(import).map(|it| it.module);
        modules.into_iter().any(|it| it.contains(".Writer") && !it.ends_with(".CPS"))
    });
    match (names(&GATHER), names(&FOLDS)) {
        _ if writes => {
            "use `Control.Monad.Trans.Writer.CPS`, or a strict state (`modify'`): the other \
                        writers add what a call tells only when all calls after it are done"
                .to_owned()
        }
        (Some(gather), _) => format!(
            "use each result as soon as it is there: a loop or `foldM` with a strict accumulator in the \
             place of `{gather}`, which in a strict monad gives nothing before all is done; `mapM_` and \
             `forM_` where no results are needed"
        ),
        (None, Some(fold)) => {
            format!(
                "use `foldl'` in the place of `{fold}`, where the result is not taken part by part"
            )
        }
        (None, None) => format!(
            "give `{name}` what it has so far as an argument (a strict accumulator), so that its call of \
             itself is the last thing that it does"
        ),
    }
}

/// The lines of the declaration of a name of the top level.
fn declared_by<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    definition_line(text, name).into_iter().flat_map(|line| declaration(text, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap_profile::HeapSample;

    #[test]
    fn the_remedy_is_that_of_the_libraries_that_the_module_uses() {
        let text = "import qualified Data.Map as Map\nadd m = Map.insertWith (+) 1 2 m\n";
        assert!(leak_remedy("add", Some(text)).contains("`Data.Map.Strict`"));
        assert!(
            !leak_remedy("add", Some("import Data.Map.Strict\n")).contains("`Data.Map.Strict`")
        );
        assert!(leak_remedy("f", Some("f r = modifyTVar r (+ 1)")).contains("`modifyTVar'`"));
        assert!(!leak_remedy("f", Some("f r = modifyTVar' r (+ 1)")).contains("modifyTVar"));
        assert!(leak_remedy("f", None).contains("strict fields"));
    }

    fn profile(thunks: &[u64], others: u64) -> HeapProfile {
        let sample = |bytes: &u64| HeapSample {
            seconds: 0.0,
            bands: vec![("THUNK_2_0".to_owned(), *bytes), ("CONSTR".to_owned(), others)],
        };
        HeapProfile { samples: thunks.iter().map(sample).collect() }
    }

    #[test]
    fn thunks_that_become_more_until_they_are_asked_for_are_a_leak() {
        let rising: Vec<u64> = (1..=20).map(|step| step << 18).collect();
        let found = growth(&profile(&rising, 1 << 18)).expect("a leak");
        assert_eq!(found.bytes, 20 << 18);
        let mut asked_for = rising.clone();
        asked_for.extend([3 << 18, 1 << 18, 0]);
        assert_eq!(growth(&profile(&asked_for, 1 << 18)), Some(found));
    }

    #[test]
    fn what_stays_level_is_small_or_is_not_thunks_is_no_leak() {
        let level = [5 << 20; 20];
        let small: Vec<u64> = (1..=20).collect();
        let rising: Vec<u64> = (1..=20).map(|step| step << 18).collect();
        assert_eq!(growth(&profile(&level, 0)), None);
        assert_eq!(growth(&profile(&small, 0)), None);
        assert_eq!(growth(&profile(&rising, 1 << 30)), None, "a share that is small");
        assert_eq!(growth(&profile(&rising[..5], 0)), None, "too few samples");
        assert_eq!(growth(&HeapProfile::default()), None);
        let rounds: Vec<u64> = (0..400).map(|step| (step % 20) * ((400 + step) << 11)).collect();
        assert_eq!(growth(&profile(&rounds, 0)), None, "rounds that each begin with nothing");
    }

    #[test]
    fn the_remedy_is_that_of_what_the_function_uses() {
        let text = "import Control.Monad\n\nall n = do\n  xs <- replicateM n one\n  pure (sum xs)\n\n\
                    last xs = foldr step 0 xs\n\nplain [] = 0\nplain (x : xs) = x + plain xs\n";
        assert!(stack_remedy("all", Some(text)).contains("in the place of `replicateM`"));
        assert!(stack_remedy("last", Some(text)).contains("in the place of `foldr`"));
        assert!(stack_remedy("plain", Some(text)).contains("strict accumulator"));
        assert!(stack_remedy("plain", None).contains("strict accumulator"));
        let writer = format!("import Control.Monad.Writer.Strict (tell)\n{text}");
        assert!(stack_remedy("all", Some(&writer)).contains("Writer.CPS"));
        let writer = format!("import Control.Monad.Trans.Writer.CPS (tell)\n{text}");
        assert!(stack_remedy("all", Some(&writer)).contains("`replicateM`"));
    }
}
