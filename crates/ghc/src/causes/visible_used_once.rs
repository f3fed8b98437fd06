//! Exported functions that are used in only one place.
//!
//! GHC inlines a function that is used in only one place, however large it is, if it knows all
//! places. For exports it does not, and a module without an export list exports everything.

use std::collections::{HashMap, HashSet};

use super::bound::{bare, body};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Change, Evidence, Finding, Remedy};
use super::kept::{calls_itself, is_copied};
use super::names::in_source;
use super::program::{Module, Program, Site, exported_types, has_export_list};
use crate::core::Core;
use crate::core::names::{Name, module as module_of_name, split_unique};
use crate::core::tree::{Expr, Id, Key};

/// Exported functions that are used in only one place.
pub(super) static CAUSE: Cause = Cause {
    id: "visible-used-once",
    title: "exports what one place uses",
    about: "The module has no export list, so that all of its functions are visible from outside. GHC \
            keeps them as they are, where it would inline those that are used once.",
    seed: "faster-winter, 4 (export lists)",
    needs: &[Need::IdInfo, Need::Uniques, Need::Source],
    // Case d of the founding measurements: 688 MB before, 344 MB after.
    explains: 0.5,
    paid: Paid::Allocations,
    find,
};

/// A function, and the one place that uses it.
#[derive(Debug, Clone, Copy)]
struct Once {
    /// The function that does the work: the worker, if any.
    function: Site,
    user: Site,
    occurrence: Id<Expr>,
}

fn find(look: &Look<'_>) -> Vec<Finding> {
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
            found.push(finding(program, number, &used, &once));
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
            for used in module.graph.uses(module.binding(top).name) {
                let name = module.core().bindings[used.binding].name;
                live.extend(module.top(name).filter(|top| seen.insert(*top)));
            }
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

fn finding(program: &Program, number: usize, used: &Used, once: &[Once]) -> Finding {
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
        cause: &CAUSE,
        site: first.function,
        within: None,
        at: None,
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
                .map(|exports| Change::ExportList { module: module.name.clone(), exports }),
        },
        why: "What is exported may be used by modules that GHC has not seen, so it must remain callable; \
              GHC copies it only if it is small."
            .to_owned(),
        basis: Basis::sites(once.iter().flat_map(|it| [it.function, it.user])),
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
