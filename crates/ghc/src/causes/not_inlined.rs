//! Functions that GHC does not inline, though their callers know more than they do.
//!
//! A function that is given another one, and is not inlined, gets a closure and calls it as an unknown
//! one. A recursive function is never inlined: it walks a list of known length at run time. An export
//! that one place uses is kept as it is, because other modules may use it, and a module without an
//! export list exports everything. Of `withMVar` the exception handler and the masking remain. And
//! without optimisation nothing is inlined, so that all other findings about a module can wait.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{
    Bound, Loop, bare, behind_name, body, is_lambda, loops, parameters, tails, variable,
};
use super::bound::{comes_back, is_continuation};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, Remedy, RemedyChange};
use super::names::in_source;
use super::overloading::classes;
use super::program::{Module, Program, Site};
use super::source::{definition_line, exported_types, has_export_list};
use crate::core::Core;
use crate::core::calls::Call;
use crate::core::names::{Name, module as module_of_name, occurrence, split_unique};
use crate::core::tree::{Expr, Id, Key};

pub(super) static MISSING_OPTIMISATION: Cause = Cause {
    id: "missing-optimisation",
    title: "compiled without optimisation",
    about: "The module was compiled with `-O0`, GHC's default when it is called by hand. Nothing is \
            inlined across functions, every number is boxed, and every overloaded function is passed \
            its dictionaries.",
    seed: "GHC User's Guide, `-O`: the default is `-O0`",
    needs: &[Need::IdInfo],
    // Between factors of 2 and 20 on the programs of the test pairs.
    explains: 0.9,
    paid: Paid::Allocations,
    find: find_missing_optimisation,
};

/// Fewer functions prove nothing.
const LEAST_FUNCTIONS: usize = 2;

fn find_missing_optimisation(look: &Look<'_>) -> Vec<Finding> {
    look.modules().filter_map(|(number, module)| missing_optimisation(number, module)).collect()
}

fn missing_optimisation(number: usize, module: &Module) -> Option<Finding> {
    let core = module.core();
    let functions: Vec<usize> = (0..module.len())
        .filter(|top| {
            let binding = module.binding(*top);
            // Code that GHC generates for data types has no strictness at any level.
            core.arity(binding).is_some_and(|arity| arity > 0)
                && core.attribute(binding.info, Key::Details).is_none()
        })
        .collect();
    let is_analysed =
        |top: &usize| core.attribute(module.binding(*top).info, Key::Strictness).is_some();
    if functions.len() < LEAST_FUNCTIONS || functions.iter().any(is_analysed) {
        return None;
    }
    let site = Site { module: number, top: *functions.first()? };
    let every = (0..module.len()).map(|top| Site { module: number, top });
    Some(Finding {
        what: format!(
            "module `{}` was compiled without optimisation: GHC analysed none of its {} functions",
            module.name,
            functions.len()
        ),
        remedy: Remedy {
            text: "compile with `-O1` or `-O2` (in a cabal file `ghc-options: -O2`; look for \
                   `optimization: False` in `cabal.project` and `{-# OPTIONS_GHC -O0 #-}` in the module)"
                .to_owned(),
            change: Some(RemedyChange::CompilerOption("-O1".to_owned())),
        },
        why: "GHC optimises only when it is told to; cabal tells it by default, unless the project \
              says otherwise."
            .to_owned(),
        basis: Basis::sites(every),
        ..Finding::at_site(&MISSING_OPTIMISATION, site, Vec::new())
    })
}

/// The reason why a function is called, and not inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// A pragma in the program forbids it.
    NoInline,
    /// It calls itself, or is one of several that call each other.
    Recursive,
    /// It is too large to be copied to its uses.
    Large,
}

/// The reason why a site's function is called, and not inlined.
pub(super) fn kept(program: &Program, site: Site) -> Kept {
    let module = program.module_of(site);
    let core = module.core();
    let binding = module.binding(site.top);
    let notes = |key| core.attribute(binding.notes, key);
    if notes(Key::Inline).is_some_and(|pragma| pragma.starts_with("NOINLINE")) {
        return Kept::NoInline;
    }
    let is_breaker = notes(Key::Occurrence).is_some_and(|it| it.starts_with("LoopBreaker"));
    if is_breaker || calls_itself(program, site) {
        return Kept::Recursive;
    }
    Kept::Large
}

/// True if a binding of the top level uses itself, directly.
pub(super) fn calls_itself(program: &Program, site: Site) -> bool {
    program.module_of(site).graph.uses(site.top).contains(&site.top)
}

/// True if GHC copies the function to each use: its template is present, and always applies.
pub(super) fn is_copied(program: &Program, site: Site) -> bool {
    let core = program.core_of(site);
    let binding = program.binding(site);
    let pragma = core.attribute(binding.notes, Key::Inline);
    let by_pragma = pragma.is_some_and(|it| it.starts_with("INLINE") && !it.contains("INLINABLE"));
    let always = core.guidance(binding).is_some_and(|it| it.starts_with("ALWAYS_IF"));
    by_pragma || always
}

impl Kept {
    /// The reason why GHC did not inline it, as a sentence about `name`.
    pub(super) fn words(self, name: &str) -> String {
        match self {
            Self::NoInline => {
                format!("`{name}` has a NOINLINE pragma; if that is on purpose, leave it.")
            }
            Self::Recursive => {
                format!("`{name}` calls itself, and GHC never inlines what does.")
            }
            Self::Large => {
                format!("`{name}` is larger than what GHC copies to where it is used.")
            }
        }
    }
}

pub(super) static FUNCTION_ARGUMENT: Cause = Cause {
    id: "function-argument",
    title: "gives a function to one that is not inlined",
    about: "The caller knows which function it passes, but what it passes it to is not inlined. So a \
            closure is allocated, and called without being known.",
    seed: "mvar-locking (`withMVar`)",
    needs: &[Need::IdInfo],
    // Case i of the founding measurements: 528 MB before, 360 MB after.
    explains: 0.32,
    paid: Paid::Allocations,
    find: find_function_argument,
};

/// A call with a function as an argument.
#[derive(Debug, Clone)]
struct Passed {
    caller: Site,
    callee: Site,
    function: Id<Expr>,
    /// The callee's parameter for it.
    parameter: Name,
}

/// A parameter that a function calls.
#[derive(Debug, Clone, Copy)]
struct Called {
    number: usize,
    parameter: Name,
    /// Set if it is the function's continuation.
    is_continuation: bool,
}

fn find_function_argument(look: &Look<'_>) -> Vec<Finding> {
    let mut by_callee: BTreeMap<Site, Vec<Passed>> = BTreeMap::new();
    let mut known = HashMap::new();
    for passed in look.sites().flat_map(|caller| passed_by(look.program, caller, &mut known)) {
        let all = by_callee.entry(passed.callee).or_default();
        // The calls of one caller are adjacent.
        if all.last().is_none_or(|it| it.caller != passed.caller) {
            all.push(passed);
        }
    }
    by_callee.values_mut().for_each(|all| {
        // The most costly caller represents all.
        all.sort_by_key(|it| std::cmp::Reverse(look.costs.site(it.caller).allocated_bytes));
    });
    by_callee.values().map(|all| function_argument(look.program, all)).collect()
}

fn passed_by(
    program: &Program,
    caller: Site,
    called: &mut HashMap<Site, Option<Called>>,
) -> Vec<Passed> {
    let core = program.core_of(caller);
    let right = program.binding(caller).right;
    let bound = Bound::from_core(core, right);
    let mut found = Vec::new();
    for (_, call) in core.calls_within(right) {
        let Some(callee) = program.site_of(caller.module, call.function) else { continue };
        let callee = behind_name(program, callee);
        // A function that a loop passes to itself was found at its origin.
        if callee == caller {
            continue;
        }
        let called = called.entry(callee).or_insert_with(|| called_parameter(program, callee));
        let Some(Called { number, parameter, is_continuation }) = *called else { continue };
        let Some(value) = call.values.get(number) else { continue };
        let function = bound.behind(*value);
        let is_function = is_lambda(core, function) || is_known_function(program, caller, function);
        if is_function && (!is_continuation || comes_back(program, caller, &bound, function)) {
            found.push(Passed { caller, callee, function, parameter });
        }
    }
    found
}

/// The only parameter that a function calls, unless a loop exits through it. Two continuations, one
/// for success and one for failure, are a deliberate protocol; and methods are passed for other
/// reasons.
fn called_parameter(program: &Program, callee: Site) -> Option<Called> {
    if !classes(program, callee).is_empty() {
        return None;
    }
    let core = program.core_of(callee);
    let binding = program.binding(callee);
    let calls = core.calls_within(binding.right);
    let functions: HashSet<Name> = calls.iter().map(|(_, call)| call.function).collect();
    let parameters = parameters(core, binding);
    let mut called =
        parameters.iter().map(|it| it.name).enumerate().filter(|(_, it)| functions.contains(it));
    let (Some((number, parameter)), None) = (called.next(), called.next()) else { return None };
    if is_left_by(program, callee, parameter) {
        return None;
    }
    let is_continuation = is_continuation(program, callee, parameter);
    Some(Called { number, parameter, is_continuation })
}

/// True if a loop passes a function on unchanged, and calls it only when it ends: one call for all
/// rounds.
fn is_left_by(program: &Program, callee: Site, parameter: Name) -> bool {
    let core = program.core_of(callee);
    let binding = program.binding(callee);
    let mut own = loops(program, callee);
    own.retain(|it| it.within.is_none() && !it.calls.is_empty());
    let Some(it) = own.first() else { return false };
    let passes_on =
        it.parameters.iter().position(|it| it.name == parameter).is_some_and(|number| {
            it.calls.iter().all(|(_, call)| {
                call.values
                    .get(number)
                    .is_some_and(|value| variable(core, *value) == Some(parameter))
            })
        });
    let tails = tails(core, body(core, binding));
    let calls = core.calls_within(binding.right);
    let mut of_parameter = calls.iter().filter(|(_, call)| call.function == parameter);
    passes_on && of_parameter.all(|(it, _)| tails.contains(it))
}

/// True if an expression is the name of a function of the program.
fn is_known_function(program: &Program, caller: Site, it: Id<Expr>) -> bool {
    let Expr::Variable(name) = program.core_of(caller).exprs[it] else { return false };
    program.site_of(caller.module, name).is_some_and(|site| {
        program.core_of(site).arity(program.binding(site)).is_some_and(|arity| arity > 0)
    })
}

fn function_argument(program: &Program, all: &[Passed]) -> Finding {
    let passed = &all[0];
    let others = match all.len() {
        1 => String::new(),
        count => format!(" (as do {} others)", count - 1),
    };
    let callee = in_source(program.name(passed.callee));
    let caller_at = program.location_of_code(passed.caller, passed.function);
    let caller = program.name_at(passed.caller, caller_at.as_ref());
    let kept = kept(program, passed.callee);
    let module = program.module_of(passed.callee).name.clone();
    // A pragma needs a name of the source; local functions were lifted out of others.
    let is_of_source = split_unique(program.name(passed.callee)).is_none()
        || program
            .module_of(passed.callee)
            .source
            .as_ref()
            .is_some_and(|source| definition_line(&source.text, callee).is_some());
    let change = (kept == Kept::Large && is_of_source).then(|| RemedyChange::Pragma {
        module,
        binding: callee.to_owned(),
        pragma: format!("INLINE {callee}"),
    });
    let text = match kept {
        Kept::Large => format!(
            "`{{-# INLINE {callee} #-}}`, so that each caller gets a copy for its own function"
        ),
        Kept::NoInline => {
            format!("take the NOINLINE of `{callee}` away, or write INLINE in its place")
        }
        Kept::Recursive => format!(
            "split `{callee}`: an outer function that takes the function argument and is inlined, and a \
             local loop in it that does not pass it on"
        ),
    };
    let given = Evidence { site: passed.caller, within: None, focus: vec![passed.function] };
    let calls = calls_of(program, passed.callee, passed.parameter);
    let called = Evidence { site: passed.callee, within: None, focus: calls };
    // The place is where the unknown calls are repeated: in a loop that receives the function once,
    // or else around each call of the function that receives it. A copy of a library's function is
    // not a place in the source.
    let own = program.location(passed.callee);
    let is_place = own.is_some() && is_in_loop(program, passed.callee, passed.parameter);
    let (site, evidence) = match is_place {
        true => (passed.callee, vec![called, given]),
        false => (passed.caller, vec![given, called]),
    };
    Finding {
        at: own.filter(|_| is_place),
        what: format!(
            "`{caller}` makes a function for `{callee}`{others}, which is not inlined and calls it \
             without knowing it"
        ),
        evidence,
        remedy: Remedy { text, change },
        why: kept.words(callee),
        basis: Basis {
            counters: vec!["UNKNOWN_CALL_ctr"],
            ..Basis::sites(all.iter().map(|it| it.caller).chain([passed.callee]))
        },
        ..Finding::at_site(&FUNCTION_ARGUMENT, site, Vec::new())
    }
}

/// True if a function calls another one in a loop within itself.
fn is_in_loop(program: &Program, site: Site, function: Name) -> bool {
    let core = program.core_of(site);
    let is_called = |it: &Loop| {
        let calls = core.calls_within(it.binding.right);
        calls.iter().any(|(_, call)| call.function == function)
    };
    loops(program, site).iter().any(is_called)
}

fn calls_of(program: &Program, site: Site, function: Name) -> Vec<Id<Expr>> {
    let core = program.core_of(site);
    let calls = core.calls_within(program.binding(site).right);
    calls.into_iter().filter(|(_, call)| call.function == function).map(|(it, _)| it).collect()
}

pub(super) static LITERAL_LIST: Cause = Cause {
    id: "literal-list",
    title: "gives a recursive function a list of known length",
    about: "The caller allocates a list whose length is known, and a recursive function takes it apart \
            again. Because it is recursive it is not inlined, so that nothing of what is known of the \
            elements helps.",
    seed: "aeson-performance (`commaSep`)",
    needs: &[Need::IdInfo],
    // Case h of the founding measurements: 14 % with 5 elements, 32 % with 25.
    explains: 0.32,
    paid: Paid::Allocations,
    find: find_literal_list,
};

/// Shorter lists are optional arguments.
const LEAST_ELEMENTS: usize = 2;

/// A call with such a list.
#[derive(Debug)]
struct Fed {
    caller: Site,
    callee: Site,
    call: Id<Expr>,
    elements: usize,
}

fn find_literal_list(look: &Look<'_>) -> Vec<Finding> {
    // One list for each caller and callee suffices.
    let mut told = HashSet::new();
    let all = look.sites().flat_map(|caller| fed_by(look.program, caller));
    all.filter(|fed| told.insert((fed.caller, fed.callee)))
        .map(|fed| literal_list(look.program, &fed))
        .collect()
}

fn fed_by(program: &Program, caller: Site) -> Vec<Fed> {
    let core = program.core_of(caller);
    let binding = program.binding(caller);
    // A binding without arguments runs once.
    if body(core, binding) == binding.right {
        return Vec::new();
    }
    let bound = Bound::from_core(core, binding.right);
    let calls = core.calls_within(binding.right);
    calls.iter().filter_map(|(it, call)| fed(program, caller, &bound, *it, call)).collect()
}

fn fed(
    program: &Program,
    caller: Site,
    bound: &Bound<'_>,
    it: Id<Expr>,
    call: &Call,
) -> Option<Fed> {
    let callee = program.site_of(caller.module, call.function).filter(|it| *it != caller)?;
    if kept(program, callee) == Kept::NoInline {
        return None;
    }
    let known = call.values.iter().enumerate().filter_map(|(number, value)| {
        let elements = elements(program, caller, bound, *value)?;
        takes_apart(program, callee, number).then_some(elements)
    });
    let elements = known.max()?;
    (elements >= LEAST_ELEMENTS).then_some(Fed { caller, callee, call: it, elements })
}

/// True if a function walks the list that is its argument of this number: all recursive calls, or
/// those of a loop within it, pass a part of that list in its place.
fn takes_apart(program: &Program, callee: Site, number: usize) -> bool {
    let core = program.core_of(callee);
    let outer = parameters(core, program.binding(callee));
    loops(program, callee).iter().any(|it| {
        let number = match it.within {
            None => Some(number),
            Some(_) => outer.get(number).and_then(|list| begun_with(core, program, it, list.name)),
        };
        let Some((number, list)) = number.and_then(|at| Some((at, it.parameters.get(at)?))) else {
            return false;
        };
        let bound = Bound::from_core(core, it.binding.right);
        let mut parts = bound.parts(list.name);
        parts.remove(&list.name);
        it.calls.iter().all(|(_, call)| {
            call.values.get(number).is_some_and(|value| {
                bound.variable(*value).is_some_and(|name| parts.contains(&name))
            })
        })
    })
}

/// The index of the loop parameter whose initial value is this parameter of the function.
fn begun_with(core: &Core, program: &Program, it: &Loop, list: Name) -> Option<usize> {
    let calls = core.calls_within(program.binding(it.site).right);
    calls.iter().filter(|(_, call)| call.function == it.name()).find_map(|(_, call)| {
        call.values.iter().position(|value| variable(core, *value) == Some(list))
    })
}

/// The number of elements of a list of known length, if the caller makes at least one of them.
fn elements(program: &Program, caller: Site, bound: &Bound<'_>, mut it: Id<Expr>) -> Option<usize> {
    /// A longer literal list was generated.
    const LONGEST: usize = 10_000;
    let module = program.module_of(caller);
    let core = module.core();
    let mut count = 0;
    let mut is_made_here = false;
    while count < LONGEST {
        it = bound.behind(it);
        if let Expr::Variable(name) = core.exprs[it] {
            if occurrence(core.text(name)) == "[]" {
                return is_made_here.then_some(count);
            }
            // Its end may be shared by all callers.
            it = module.binding(module.top(name)?).right;
            if matches!(core.exprs[it], Expr::Variable(_)) {
                return None;
            }
            continue;
        }
        let call = core.call(it).filter(|call| occurrence(core.text(call.function)) == ":")?;
        let [head, tail] = call.values[..] else { return None };
        is_made_here |= !is_constant(core, module, bound, head);
        count += 1;
        it = tail;
    }
    None
}

/// True if an element does not depend on the caller's arguments.
fn is_constant(
    core: &Core,
    module: &super::program::Module,
    bound: &Bound<'_>,
    it: Id<Expr>,
) -> bool {
    let names = core.free_variables(bound.behind(it));
    names.into_iter().all(|name| {
        module.top(name).is_some()
            || super::bound::is_constructor(core.text(name))
            || crate::core::names::module(core.text(name)).is_some()
    })
}

fn literal_list(program: &Program, fed: &Fed) -> Finding {
    let callee = in_source(program.name(fed.callee));
    let caller = in_source(program.name(fed.caller));
    Finding {
        what: format!(
            "`{caller}` makes a list of {} elements for `{callee}`, which is recursive and takes it \
             apart again",
            fed.elements
        ),
        evidence: vec![
            Evidence { site: fed.caller, within: None, focus: vec![fed.call] },
            Evidence { site: fed.callee, within: None, focus: Vec::new() },
        ],
        remedy: format!(
            "write out what `{callee}` does with the {} elements, with an operator instead of a \
             list; or write `{callee}` with `foldr` and INLINE, so that it fuses with the list",
            fed.elements
        )
        .into(),
        why: format!("`{callee}` is recursive, and GHC inlines no recursive function."),
        basis: Basis::sites([fed.caller, fed.callee]),
        ..Finding::at_site(&LITERAL_LIST, fed.caller, Vec::new())
    }
}

pub(super) static VISIBLE_USED_ONCE: Cause = Cause {
    id: "visible-used-once",
    title: "exports what one place uses",
    about: "The module has no export list, so that all of its functions are visible from outside. GHC \
            keeps them as they are, where it would inline those that are used once.",
    seed: "faster-winter, 4 (export lists)",
    needs: &[Need::IdInfo, Need::Uniques, Need::Source],
    // Case d of the founding measurements: 688 MB before, 344 MB after.
    explains: 0.5,
    paid: Paid::Allocations,
    find: find_visible_used_once,
};

/// A function, and the one place that uses it.
#[derive(Debug, Clone, Copy)]
struct Once {
    /// The function that does the work: the worker, if any.
    function: Site,
    user: Site,
    occurrence: Id<Expr>,
}

fn find_visible_used_once(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let mut found = Vec::new();
    // Only the source shows if a module has an export list.
    let open: Vec<(usize, &Module)> = look
        .modules()
        .filter(|(_, it)| it.source.as_ref().is_some_and(|source| !has_export_list(&source.text)))
        .collect();
    if open.is_empty() {
        return found;
    }
    let across = used_across(program);
    for (number, module) in open {
        let used = Used::from_module(program, number, &across);
        let mut once: Vec<Once> = (0..module.len())
            .filter_map(|top| once(program, Site { module: number, top }, &used))
            .collect();
        // The most costly one represents all.
        once.sort_by_key(|it| std::cmp::Reverse(look.costs.site(it.function).allocated_bytes));
        if !once.is_empty() {
            found.push(visible_used_once(program, number, &used, &once));
        }
    }
    found
}

/// True if a binding is a function written by the program's author, judging by its name.
fn is_of_source(module: &Module, top: usize) -> bool {
    let name = module.top_name(top);
    let stem =
        split_unique(name).map_or_else(|| crate::core::names::occurrence(name), |(stem, _)| stem);
    // A copy for one type stands for the function: `step_$sstep`.
    let stem = stem.split("_$s").next().unwrap_or(stem);
    let core = module.core();
    let binding = module.binding(top);
    stem.starts_with(|first: char| first.is_lowercase())
        && !stem.starts_with("lvl")
        && !stem.contains('$')
        // A piece that was lifted out of a function is named after it: `main1`, `go_s2`.
        && !stem.ends_with(|last: char| last.is_ascii_digit())
        && !stem.contains('_')
        && core.attribute(binding.info, Key::Details).is_none()
        && core.arity(binding).is_some_and(|arity| arity > 0)
}

fn is_visible(name: &str) -> bool {
    module_of_name(name).is_some() || split_unique(name).is_none()
}

/// The function of a site with the only place that uses it, if there is just one among the relevant
/// bindings.
fn once(program: &Program, site: Site, used: &Used) -> Option<Once> {
    let module = program.module_of(site);
    if !is_of_source(module, site.top) || !is_visible(module.top_name(site.top)) {
        return None;
    }
    let pieces = pieces(module, site.top);
    let work = Site { module: site.module, top: *pieces.last()? };
    if is_copied(program, work) || pieces.iter().any(|top| used.outside.contains(top)) {
        return None;
    }
    let uses =
        pieces.iter().filter_map(|top| used.places.get(&module.binding(*top).name)).flatten();
    let mut others = uses.filter(|(top, _)| !pieces.contains(top));
    let (Some(&(user, occurrence)), None) = (others.next(), others.next()) else { return None };
    let calls_itself = pieces.iter().any(|top| calls_itself(program, Site { top: *top, ..site }));
    let user = Site { module: site.module, top: user };
    (!calls_itself).then_some(Once { function: work, user, occurrence })
}

/// The used bindings of a module's top level, and their users.
#[derive(Debug)]
struct Used {
    /// The bindings that other modules use.
    outside: HashSet<usize>,
    /// By name: its uses in those bindings and in the ones that they use. Other bindings exist only
    /// because they are exported.
    places: HashMap<Name, Vec<(usize, Id<Expr>)>>,
}

impl Used {
    /// `across` are the bindings of all modules that others use.
    fn from_module(program: &Program, number: usize, across: &HashSet<Site>) -> Self {
        let module = &program.modules[number];
        let is_outside = |top: &usize| {
            let name = module.top_name(*top);
            // The runtime uses `main`.
            name.starts_with(':')
                || (module.name == "Main" && name == "main")
                || (is_visible(name) && across.contains(&Site { module: number, top: *top }))
        };
        let outside: HashSet<usize> = (0..module.len()).filter(is_outside).collect();
        let mut live: Vec<usize> = outside.iter().copied().collect();
        let mut seen = outside.clone();
        let mut next = 0;
        while let Some(top) = live.get(next).copied() {
            next += 1;
            let uses = module.graph.uses(top).iter().copied();
            live.extend(uses.filter(|top| seen.insert(*top)));
        }
        let mut places: HashMap<Name, Vec<(usize, Id<Expr>)>> = HashMap::new();
        for top in live {
            module.core().free_occurrences(module.binding(top).right, |name, it| {
                if module.top(name).is_some() {
                    places.entry(name).or_default().push((top, it));
                }
            });
        }
        Self { outside, places }
    }
}

/// The bindings that another module has a name for.
fn used_across(program: &Program) -> HashSet<Site> {
    let modules = program.modules.iter().enumerate();
    let names = modules.flat_map(|(other, it)| it.core().names.iter().map(move |it| (other, it.0)));
    names
        .filter_map(|(other, name)| program.site_of(other, name).filter(|it| it.module != other))
        .collect()
}

/// A function and the pieces that GHC split off it, from the wrapper to the one that does the work.
fn pieces(module: &Module, top: usize) -> Vec<usize> {
    let core = module.core();
    let mut pieces = vec![top];
    let source = in_source(module.top_name(top));
    while let Some(next) = pieces.last().and_then(|last| handed_to(core, module, *last)) {
        let is_piece = in_source(module.top_name(next))
            .strip_prefix(source)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_piece || pieces.contains(&next) {
            break;
        }
        pieces.push(next);
    }
    pieces
}

/// The binding to which another one passes all its arguments, after taking them out of their boxes.
fn handed_to(core: &Core, module: &Module, top: usize) -> Option<usize> {
    let mut it = body(core, module.binding(top));
    loop {
        it = bare(core, it);
        match core.exprs[it] {
            Expr::Case(scrutinee, _, alternatives) => {
                let [alternative] = core.alternatives[alternatives] else { return None };
                // A worker that returns its result unboxed is called first, and its result then
                // boxed.
                if let Some(call) = core.call(scrutinee) {
                    return module.top(call.function);
                }
                it = alternative.right;
            }
            Expr::Variable(name) => return module.top(name),
            _ => return module.top(core.call(it)?.function),
        }
    }
}

fn visible_used_once(program: &Program, number: usize, used: &Used, once: &[Once]) -> Finding {
    let module = &program.modules[number];
    let first = once[0];
    let names: Vec<String> =
        once.iter().map(|it| format!("`{}`", in_source(program.name(it.function)))).collect();
    let listed = match &names[..] {
        [one] => format!("{one} is"),
        [all @ .., last] => format!("{} and {last} are", all.join(", ")),
        [] => String::new(),
    };
    Finding {
        what: format!(
            "module `{}` has no export list, so {listed} not inlined into the one place that uses {}",
            module.name,
            if once.len() == 1 { "it" } else { "each" }
        ),
        evidence: vec![Evidence {
            site: first.user,
            within: None,
            focus: once
                .iter()
                .filter(|it| it.user == first.user)
                .map(|it| it.occurrence)
                .collect(),
        }],
        remedy: Remedy {
            text: format!("give the module an export list: `module {} (...) where`", module.name),
            change: exports(program, number, used)
                .map(|exports| RemedyChange::ExportList { module: module.name.clone(), exports }),
        },
        why: "What is exported may be used by modules that GHC has not seen, so it must remain callable; \
              GHC copies it only if it is small."
            .to_owned(),
        basis: Basis::sites(once.iter().flat_map(|it| [it.function, it.user])),
        ..Finding::at_site(&VISIBLE_USED_ONCE, first.function, Vec::new())
    }
}

/// The necessary contents of an export list: the functions that other modules use, and all types.
/// `None` without the source, which names the types.
fn exports(program: &Program, number: usize, used: &Used) -> Option<Vec<String>> {
    let module = &program.modules[number];
    let source = module.source.as_ref()?;
    if module.name == "Main" {
        return Some(vec!["main".to_owned()]);
    }
    let mut exports = exported_types(&source.text);
    for top in 0..module.len() {
        let is_used = || pieces(module, top).iter().any(|it| used.outside.contains(it));
        if is_of_source(module, top) && is_used() {
            exports.push(in_source(module.top_name(top)).to_owned());
        }
    }
    Some(exports)
}

pub(super) static LOCK_FRAME: Cause = Cause {
    id: "lock-frame",
    title: "takes a lock, with a handler, for each piece of work",
    about: "The function takes an `MVar`, does its work under an exception handler, and puts the \
            `MVar` back. Handler and masking cost more than many a piece of work.",
    seed: "mvar-locking (52 s with `withMVar`, 20 s with a simpler lock, 10 s without handler)",
    needs: &[],
    explains: 0.5,
    // The code under the handler is a new closure each time; the entries also include those of any
    // other loop in the function.
    paid: Paid::Allocations,
    find: find_lock_frame,
};

fn find_lock_frame(look: &Look<'_>) -> Vec<Finding> {
    look.sites().filter_map(|site| lock_frame(look, site)).collect()
}

fn lock_frame(look: &Look<'_>, site: Site) -> Option<Finding> {
    let core = look.program.core_of(site);
    let right = look.program.binding(site).right;
    let operations = ["takeMVar#", "catch#", "putMVar#"];
    let focus = operations.map(|it| core.first_call(right, &[it]));
    let focus = focus.into_iter().collect::<Option<Vec<_>>>()?;
    let name = in_source(look.program.name(site));
    Some(Finding {
        what: format!("`{name}` takes a lock and sets up an exception handler each time"),
        remedy: "take the lock once for many pieces of work; for a single value, IORef with \
                 atomicModifyIORef'; where the MVar only guards data that is elsewhere, `MVar ()` with \
                 one handler and no masking"
            .into(),
        why: "Handler and masking keep the lock from being lost when a thread is interrupted; GHC may \
              not leave them out, even where that cannot happen."
            .to_owned(),
        ..Finding::at_site(&LOCK_FRAME, site, focus)
    })
}
