//! Values that are recomputed because their type is polymorphic.
//!
//! A value with a class constraint, `primes :: Integral a => [a]`, is a function: it takes a
//! dictionary, and computes its result anew for each use. With one type it would be computed once.

use super::bound::parameters;
use super::cause::{Cause, Look, Need, Paid};
use super::dictionaries::classes;
use super::examine::{Basis, Evidence, Finding, Remedy};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::tree::{Binder, Id, Type};

/// Values that are recomputed because their type is polymorphic.
pub(super) static CAUSE: Cause = Cause {
    id: "overloaded-constant",
    title: "is computed again for each use",
    about: "The value has no parameters but a class constraint, so it is a function of the methods, and \
            each use computes it anew. A value of one type is computed once and kept.",
    seed: "Haskell 2010 Report, 4.5.5 (the monomorphism restriction, rule 1: repeated evaluation)",
    needs: &[Need::TypeSignatures, Need::Ticky],
    explains: 0.97,
    paid: Paid::Entries,
    find,
};

fn find(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let is_again = |site: &Site| {
        look.costs.own_entries(program, *site, None).is_some_and(|entries| entries > 1)
    };
    let all = look.sites().filter(|site| is_value(program, *site));
    all.filter(is_again).map(|site| finding(program, site)).collect()
}

/// True if a function takes only class methods, and does not return a function. Up to 9.0 the
/// parameters of a worker may be the methods themselves.
fn is_value(program: &Program, site: Site) -> bool {
    let core = program.module_of(site).core();
    let binding = program.binding(site);
    let parameters = parameters(core, binding);
    let is_method = |it: &Binder| {
        let name = core.text(it.name);
        let is_function = it
            .signature
            .is_some_and(|it| matches!(core.types[it], Type::Function(..) | Type::Forall(..)));
        name.starts_with("$d") || name.starts_with("ww") && (is_function || is_class(core, it))
    };
    // A binding that GHC made for a class or an instance is a dictionary, or a part of one.
    !classes(program, site).is_empty()
        && !core.text(binding.name).contains("$f")
        && !parameters.is_empty()
        && parameters.iter().all(is_method)
        && gives_no_function(core, binding.signature, parameters.len())
}

/// True if a parameter's type is a class, which GHC writes as a capitalised type with arguments.
fn is_class(core: &Core, it: &Binder) -> bool {
    it.signature
        .is_some_and(|it| matches!(core.types[it], Type::Apply(head, _) if is_known(core, head)))
}

/// True if the rest of a signature after this number of arrows is known not to be a function.
fn gives_no_function(core: &Core, signature: Option<Id<Type>>, mut arrows: usize) -> bool {
    let mut next = signature;
    while let Some(it) = next {
        next = match core.types[it] {
            Type::Forall(_, body) => Some(body),
            Type::Function(_, _, to) if arrows > 0 => {
                arrows -= 1;
                Some(to)
            }
            // A type variable may stand for a function, as with the monads of `mtl`.
            Type::Apply(head, _) => return arrows == 0 && is_known(core, head),
            Type::Name(_) | Type::Function(..) | Type::Linear(..) => return false,
            _ => return arrows == 0,
        };
    }
    false
}

fn is_known(core: &Core, mut head: Id<Type>) -> bool {
    while let Type::Apply(inner, _) = core.types[head] {
        head = inner;
    }
    match core.types[head] {
        Type::Name(name) => !core.text(name).starts_with(|first: char| first.is_lowercase()),
        _ => true,
    }
}

fn finding(program: &Program, site: Site) -> Finding {
    let name = in_source(program.name(site));
    let classes = classes(program, site).join(", ");
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: None,
        what: format!("`{name}` is a value for any {classes}, and is computed again for each use"),
        evidence: vec![Evidence { site, within: None, focus: Vec::new() }],
        remedy: Remedy {
            text: format!(
                "give `{name}` a signature with one type, so that it is computed once; or compute it \
                 once where it is used, and pass it on"
            ),
            change: None,
        },
        why: "A value whose type is open takes the methods of the type as an argument, and GHC keeps no \
              results of functions."
            .to_owned(),
        basis: Basis::site(site),
    }
}
