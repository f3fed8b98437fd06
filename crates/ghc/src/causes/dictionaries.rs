//! Class constraints, and the dictionaries passed for them.

use super::cause::Look;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Expr, Id, Type};

/// Constraints whose dictionaries have no methods that do work.
const IDLE: [&str; 9] =
    ["HasCallStack", "IP", "Typeable", "Coercible", "~", "~~", "~#", "~R#", "KnownNat"];

/// True if a class has no methods that do work.
pub(crate) fn is_idle(class: &str) -> bool {
    IDLE.contains(&class)
}

/// A call of an overloaded function with a known dictionary.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) caller: Site,
    pub(super) callee: Site,
    pub(super) call: Id<Expr>,
    /// The names of the dictionaries, or of their parts.
    pub(super) dictionaries: Vec<String>,
}

/// The classes in the signature of a function; for a worker, also in that of its wrapper.
pub(crate) fn classes(program: &Program, site: Site) -> Vec<String> {
    let own = classes_of(program, site);
    match implementation_of(program, site) {
        Some(wrapper) if own.is_empty() => classes_of(program, wrapper),
        _ => own,
    }
}

/// The wrapper of a worker.
pub(crate) fn implementation_of(program: &Program, worker: Site) -> Option<Site> {
    let top = program.module_of(worker).wrapper_of(worker.top)?;
    Some(Site { top, ..worker })
}

fn classes_of(program: &Program, site: Site) -> Vec<String> {
    let core = program.module_of(site).core();
    let mut classes = Vec::new();
    let mut next = program.binding(site).signature;
    while let Some(it) = next {
        next = match core.types[it] {
            Type::Forall(_, body) => Some(body),
            Type::Function(from, arrow, to) if matches!(core.text(arrow), "=>" | "⇒") => {
                constraint(core, from, &mut classes);
                Some(to)
            }
            _ => None,
        };
    }
    classes
}

fn constraint(core: &Core, it: Id<Type>, classes: &mut Vec<String>) {
    match core.types[it] {
        Type::Name(name) => class(core, name, classes),
        Type::Apply(head, _) => constraint(core, head, classes),
        Type::Tuple(_, all) => {
            for it in &core.type_lists[all] {
                constraint(core, *it, classes);
            }
        }
        _ => {}
    }
}

fn class(core: &Core, name: Name, classes: &mut Vec<String>) {
    let name = occurrence(core.text(name));
    if !is_idle(name) && name.starts_with(|first: char| first.is_uppercase()) {
        classes.push(name.to_owned());
    }
}

/// All calls of overloaded functions with dictionaries of instances.
pub(super) fn known_dictionaries(look: &Look<'_>) -> Vec<Known> {
    let program = look.program;
    let mut found = Vec::new();
    for caller in look.sites() {
        let core = program.module_of(caller).core();
        for (call, it) in core.calls_within(program.binding(caller).right) {
            let Some(callee) = program.site_of(caller.module, it.function) else { continue };
            let is_own = callee == caller
                || implementation_of(program, callee) == Some(caller)
                || implementation_of(program, caller) == Some(callee);
            if is_own || classes(program, callee).is_empty() {
                continue;
            }
            let dictionaries: Vec<String> =
                it.values.iter().filter_map(|value| instance(core, *value)).collect();
            if !dictionaries.is_empty() {
                found.push(Known { caller, callee, call, dictionaries });
            }
        }
    }
    found
}

/// The instance that an argument is the dictionary of, or a part of its dictionary.
fn instance(core: &Core, it: Id<Expr>) -> Option<String> {
    let it = super::bound::bare(core, it);
    let name = match core.exprs[it] {
        Expr::Variable(name) => name,
        _ => core.call(it)?.function,
    };
    let name = occurrence(core.text(name));
    name.starts_with("$f").then(|| name.to_owned())
}
