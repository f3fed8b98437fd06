//! Calls that wait for recursive calls, until the stack is a large part of the heap.
//!
//! GHC keeps the stack in the heap; it grows as long as there is memory, and the collector
//! traverses it. A heap profile by kind of closure (`+RTS -hT`) shows it as a separate band. A
//! census of the frames names the waiting function; without one, it is taken to be the function
//! that calls itself most often and continues after that.

use super::bound::{ends, loops};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::{Held, HeldBytes};
use super::examine::{Basis, Evidence, Finding, Only, Remedy};
use super::names::Location;
use super::program::{Program, Site, Source, declaration, definition_line};
use super::spelled::{import, words};
use crate::core::tree::{Binding, Expr, Id};

/// Calls that wait for recursive calls.
pub(super) static CAUSE: Cause = Cause {
    id: "deep-stack",
    title: "waits for too many calls at once",
    about: "The function calls itself, or has a library call it, and goes on only when that call is done. \
            Each call that is not done keeps a frame on the stack, and whatever it has so far.",
    seed: "Neil Mitchell, Making sequence/mapM for IO take O(1) stack",
    needs: &[Need::HeapProfile, Need::Ticky],
    explains: 0.6,
    paid: Paid::Memory,
    find,
};

/// A smaller stack fits into the caches of a processor. Arbitrary.
const LEAST_BYTES: u64 = 1 << 21;
/// The stack's least share of the heap when it is deepest. The rest is held by the waiting calls.
const LEAST_SHARE: f64 = 0.1;
/// A stack evaluates deferred work if at least one in this number of its frames updates a thunk.
const MANY_UPDATES: u64 = 3;
/// The least share of the stack that a binding must have to be reported.
const LEAST_PART: f64 = 0.5;

/// True if the stack is a large part of a program's heap, by its heap profile.
#[must_use]
pub fn is_deep(program: &Program) -> bool {
    depth(program).is_some()
}

fn depth(program: &Program) -> Option<HeldBytes> {
    let (_, most) = Held::Stacks.most(program.heap.as_ref()?)?;
    (most.bytes >= LEAST_BYTES && most.share >= LEAST_SHARE).then_some(most)
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

fn find(look: &Look<'_>) -> Vec<Finding> {
    let Some(depth) = depth(look.program) else { return Vec::new() };
    let waiter = counted(look).or_else(|| by_counters(look, depth));
    // Thunks that wait for each other are reported as a thunk leak.
    let is_told = |it: &Waiter| it.is_put_off && super::is_leaking(look.program);
    waiter.filter(|it| !is_told(it)).map(|it| finding(look, it, depth)).into_iter().collect()
}

/// The function with most of the stack, by its frames.
fn counted(look: &Look<'_>) -> Option<Waiter> {
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
fn by_counters(look: &Look<'_>, depth: HeldBytes) -> Option<Waiter> {
    // Without frames, it is unknown if the waiting frames are thunks that wait for each other.
    if look.program.waits.all.count > 0 || super::is_leaking(look.program) {
        return None;
    }
    let program = look.program;
    let waiting = look.sites().flat_map(|site| loops(program, site)).filter_map(|it| {
        let core = program.module_of(it.site).core();
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

fn finding(look: &Look<'_>, it: Waiter, depth: HeldBytes) -> Finding {
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
        cause: &CAUSE,
        site,
        within,
        at: at.clone(),
        what: format!(
            "`{name}` waits{calls} {what}: the stack is {:.1} MB, {:.0} % of the heap",
            depth.bytes as f64 / 1e6,
            depth.share * 100.0
        ),
        evidence: vec![Evidence { site, within, focus }],
        remedy: Remedy { text: remedy(name, text), change: None },
        why: "A call that is the last thing a function does needs no frame. One after which something is \
              left to do, such as to put its result into a list, keeps a frame until it is done."
            .to_owned(),
        // A frame is not a closure: the counters of allocations do not have it.
        basis: Basis {
            held: Some(Held::Stacks),
            only: Some(Only::Rows(Vec::new())),
            ..Basis::site(site)
        },
    }
}

/// The remedy, depending on the functions that the declaration names.
fn remedy(name: &str, text: Option<&str>) -> String {
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

    #[test]
    fn the_remedy_is_that_of_what_the_function_uses() {
        let text = "import Control.Monad\n\nall n = do\n  xs <- replicateM n one\n  pure (sum xs)\n\n\
                    last xs = foldr step 0 xs\n\nplain [] = 0\nplain (x : xs) = x + plain xs\n";
        assert!(remedy("all", Some(text)).contains("in the place of `replicateM`"));
        assert!(remedy("last", Some(text)).contains("in the place of `foldr`"));
        assert!(remedy("plain", Some(text)).contains("strict accumulator"));
        assert!(remedy("plain", None).contains("strict accumulator"));
        let writer = format!("import Control.Monad.Writer.Strict (tell)\n{text}");
        assert!(remedy("all", Some(&writer)).contains("Writer.CPS"));
        let writer = format!("import Control.Monad.Trans.Writer.CPS (tell)\n{text}");
        assert!(remedy("all", Some(&writer)).contains("`replicateM`"));
    }
}
