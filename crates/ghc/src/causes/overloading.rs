//! Functions that are passed the operations of their types, or find them in data.
//!
//! A function with a class constraint takes a dictionary: the class's methods for the type at hand.
//! Each method is an unknown call, with arguments and results in boxes, and in a monad each step of a
//! `do` block is one. GHC makes a copy for a known type, a specialisation, only if it sees the
//! function's definition; a SPECIALISE pragma makes one, and a rewrite rule that puts the copy in
//! place of the function, which may not fire. A value with a constraint is a function, too, and is
//! computed anew for each use. A data type with a hidden type keeps a dictionary beside each value,
//! and a function in a field or a list can be any function.

use std::collections::{HashMap, HashSet};

use super::bound::{Bound, is_lambda, is_primitive, loops, parameters};
use super::cause::{Cause, Look, Need, Paid};
use super::examine::{Basis, Evidence, Finding, MOST_SHOWN, Remedy, RemedyChange, in_places};
use super::names::in_source;
use super::program::{Program, Site};
use crate::core::Core;
use crate::core::names::{Name, occurrence};
use crate::core::tree::{Argument, Attribute, Binder, Expr, Id, Key, Rule, RuleBody, Type};

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
    let core = program.core_of(site);
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
        let core = program.core_of(caller);
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

pub(super) static OVERLOADED_LOOP: Cause = Cause {
    id: "overloaded-loop",
    title: "loops over methods that it is passed",
    about: "The loop is written for any type of a class, and runs that way: it is passed a dictionary \
            of methods, and calls them without knowing them.",
    seed: "faster-winter, 2 (SPECIALIZE)",
    needs: &[Need::IdInfo],
    // Case b of the founding measurements: 97 % of the allocations.
    explains: 0.95,
    paid: Paid::Allocations,
    find: find_overloaded_loop,
};

fn find_overloaded_loop(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let lost: HashSet<Site> = lost_specialisations(look).into_iter().map(|it| it.callee).collect();
    let mut known: HashMap<Site, Vec<String>> = HashMap::new();
    for use_ in known_dictionaries(look) {
        known.entry(use_.callee).or_default().extend(use_.dictionaries);
    }
    look.sites()
        .filter(|site| !lost.contains(site) && is_overloaded(program, *site))
        .filter(|site| {
            program.module_of(*site).is_recursive(site.top) || !loops(program, *site).is_empty()
        })
        // The general version remains beside its specialisations, but unused.
        .filter(|site| known.contains_key(site) || was_entered(look, *site))
        .filter_map(|site| {
            let calls = method_calls(program, site);
            let dictionaries = known.get(&site).map_or(&[][..], Vec::as_slice);
            (!calls.is_empty()).then(|| overloaded_loop(program, site, calls, dictionaries))
        })
        .collect()
}

fn was_entered(look: &Look<'_>, site: Site) -> bool {
    look.costs.site(site).entries.is_some_and(|entries| entries > 0)
}

/// True if a function receives the methods of a class in its type.
pub(super) fn is_overloaded(program: &Program, site: Site) -> bool {
    !classes(program, site).is_empty() && !method_calls(program, site).is_empty()
}

/// The calls of methods: those selected from a dictionary, or a dictionary's fields if GHC passes
/// them one by one, as it does up to 9.0.
pub(super) fn method_calls(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.core_of(site);
    let binding = program.binding(site);
    let bound = Bound::from_core(core, binding.right);
    let parameters = parameters(core, binding);
    let mut dictionaries: HashSet<Name> = HashSet::new();
    let mut methods: HashSet<Name> = HashSet::new();
    let classes = classes(program, site);
    // A worker's parameters have lost their names, but not their types.
    let is_dictionary_type = |parameter: &Binder| {
        let class = parameter.signature.and_then(|it| head(core, it));
        class.is_some_and(|class| classes.iter().any(|it| it == class))
    };
    for parameter in &parameters {
        let is_dictionary = core.text(parameter.name).starts_with("$d");
        if is_dictionary || is_dictionary_type(parameter) {
            dictionaries.insert(parameter.name);
            methods.extend(bound.parts(parameter.name));
        } else if core.text(parameter.name).starts_with("ww") && is_polymorphic(core, parameter) {
            methods.insert(parameter.name);
        }
    }
    let calls = core.calls_within(binding.right).into_iter().filter(|(_, call)| {
        let is_selector = || {
            let name = core.text(call.function);
            let is_of_dictionary = call
                .values
                .first()
                .is_some_and(|it| is_dictionary(core, &bound, &dictionaries, *it));
            // Selecting a superclass does no work.
            is_of_dictionary
                && !occurrence(name).starts_with("$p")
                && !is_primitive(name)
                && call.function != binding.name
                && program.site_of(site.module, call.function).is_none_or(|called| {
                    let callee = program.core_of(called);
                    // The class's selectors, but not functions that only receive the dictionary.
                    callee
                        .attribute(program.binding(called).info, Key::Details)
                        .is_some_and(|details| details.contains("ClassOp"))
                })
        };
        methods.contains(&call.function) || is_selector()
    });
    calls.map(|(it, _)| it).collect()
}

/// True if an expression is one of some dictionaries, or a superclass of one.
fn is_dictionary(
    core: &Core,
    bound: &Bound<'_>,
    dictionaries: &HashSet<Name>,
    it: Id<Expr>,
) -> bool {
    /// The depth of superclasses is small.
    const DEEPEST: usize = 20;
    let mut it = it;
    for _ in 0..DEEPEST {
        it = bound.behind(it);
        if let Expr::Variable(name) = core.exprs[it] {
            return dictionaries.contains(&name);
        }
        let Some(call) = core.call(it) else { return false };
        if !occurrence(core.text(call.function)).starts_with("$p") {
            return false;
        }
        let Some(first) = call.values.first() else { return false };
        it = *first;
    }
    false
}

/// The type constructor at the head of a type, if any, without its module.
fn head(core: &Core, it: Id<Type>) -> Option<&str> {
    match core.types[it] {
        Type::Name(name) => Some(occurrence(core.text(name))),
        Type::Apply(function, _) => head(core, function),
        _ => None,
    }
}

/// True if a parameter is a function at types chosen by the caller.
fn is_polymorphic(core: &crate::core::Core, parameter: &Binder) -> bool {
    parameter.signature.is_some_and(|it| {
        matches!(core.types[it], Type::Forall(..) | Type::Function(..) | Type::Linear(..))
    })
}

fn overloaded_loop(
    program: &Program,
    site: Site,
    calls: Vec<Id<Expr>>,
    dictionaries: &[String],
) -> Finding {
    let module = program.module_of(site);
    let name = in_source(program.name(site));
    let classes = classes(program, site).join(", ");
    let of_wrapper = implementation_of(program, site).unwrap_or(site);
    let core = module.core();
    let pragma = core.attribute(program.binding(of_wrapper).notes, Key::Inline).unwrap_or_default();
    let is_open = pragma.contains("INLINABLE");
    let used_at = match dictionaries.first() {
        Some(first) => format!("; it is used with `{first}`"),
        None => String::new(),
    };
    let remedy = if is_open {
        Remedy {
            text: format!(
                "`{name}` is INLINABLE already: see that its callers know the type, or give it a \
                 signature with one type"
            ),
            change: None,
        }
    } else {
        Remedy {
            text: format!(
                "`{{-# INLINABLE {name} #-}}`, so that modules that use it make a copy for their type; or \
                 a SPECIALISE pragma for the type, or a signature with one type"
            ),
            change: Some(RemedyChange::Pragma {
                module: module.name.clone(),
                binding: name.to_owned(),
                pragma: format!("INLINABLE {name}"),
            }),
        }
    };
    Finding {
        what: format!(
            "`{name}` is a loop for any {classes}, and calls methods that it is passed {}{used_at}",
            in_places(calls.len())
        ),
        remedy,
        why: "GHC specialises a function by itself where it is defined; for other modules only when its \
              text is kept with it, which INLINABLE does."
            .to_owned(),
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(site) },
        ..Finding::at_site(&OVERLOADED_LOOP, site, calls.into_iter().take(MOST_SHOWN).collect())
    }
}

pub(super) static LOST_SPECIALISE: Cause = Cause {
    id: "lost-specialise",
    title: "has a SPECIALISE that is not used",
    about: "There is a copy of the function for one type, by a SPECIALISE pragma, but a caller that \
            knows its type still uses the general function, and passes it a dictionary.",
    seed: "faster-winter, 2 (SPECIALIZE); case b of the founding measurements: with GHC 9.0.2 the rule \
           never fires for a function whose result is a newtype",
    needs: &[Need::IdInfo],
    explains: 0.95,
    paid: Paid::Allocations,
    find: find_lost_specialise,
};

fn find_lost_specialise(look: &Look<'_>) -> Vec<Finding> {
    let mut told = HashSet::new();
    let all = lost_specialisations(look).into_iter();
    all.filter(|use_| told.insert((use_.callee, use_.caller)))
        .filter_map(|use_| lost_specialise(look.program, &use_))
        .collect()
}

/// The calls of functions with a SPECIALISE pragma that still pass a dictionary.
pub(super) fn lost_specialisations(look: &Look<'_>) -> Vec<Known> {
    let mut known = known_dictionaries(look);
    known.retain(|use_| specialise_rule(look.program, use_.callee).is_some());
    known
}

/// The rule of a SPECIALISE pragma for a function, or for its wrapper.
fn specialise_rule(program: &Program, site: Site) -> Option<&Rule> {
    let of = |site: Site| {
        let dump = &program.module_of(site).dump;
        let core = &dump.core;
        let name = in_source(program.name(site));
        let info = &core.attributes[program.binding(site).info];
        let rules = info.iter().filter_map(|attribute| match attribute {
            Attribute::Rules(rules) => Some(&core.rules[*rules]),
            _ => None,
        });
        // The compiler's own specialisations have the type in the rule's name, or the module.
        let at_end = dump.passes.last().map_or(&[][..], |pass| &core.rules[pass.rules]);
        rules.flatten().chain(at_end).find(|rule| {
            let rule = core.text(rule.name);
            let by_hand = rule.strip_prefix("USPEC ").map(|it| it.split(' ').next().unwrap_or(it));
            by_hand.or_else(|| rule.strip_prefix("SPEC ")) == Some(name)
        })
    };
    of(site).or_else(|| implementation_of(program, site).and_then(of))
}

/// The instances that a rule applies to, in GHC's notation: the class followed by its types.
fn instances(core: &Core, rule: &Rule) -> Vec<String> {
    let RuleBody::Rewrite(rewrite) = rule.body else { return Vec::new() };
    let binders = &core.binders[core.rewrites[rewrite].binders];
    let of_type = |binder: &crate::core::tree::Binder| {
        let Type::Apply(class, types) = core.types[binder.signature?] else { return None };
        let word = |it| match core.types[it] {
            Type::Name(name) => Some(occurrence(core.text(name)).to_owned()),
            _ => None,
        };
        let types: Option<Vec<String>> =
            core.type_lists[types].iter().map(|it| word(*it)).collect();
        Some(format!("{} {}", word(class)?, types?.join(" ")))
    };
    binders.iter().filter_map(of_type).collect()
}

fn lost_specialise(program: &Program, use_: &Known) -> Option<Finding> {
    let callee_module = program.module_of(use_.callee);
    let rule = specialise_rule(program, use_.callee)?;
    let instances = instances(callee_module.core(), rule);
    let name = in_source(program.name(use_.callee));
    let caller = program.shown_name(use_.caller);
    let dictionary = use_.dictionaries.first()?;
    let is_for = |instance: &String| {
        dictionary.strip_prefix("$f").is_some_and(|it| it.starts_with(&instance.replace(' ', "")))
    };
    let is_same = instances.iter().any(is_for);
    let made_for = if instances.is_empty() { "one type".to_owned() } else { instances.join(", ") };
    let why = if is_same {
        format!(
            "The rule that replaces `{name}` by the copy is tried only where `{name}` still stands; a \
             wrapper that is inlined first, such as that of a newtype, takes its place."
        )
    } else {
        "A SPECIALISE pragma is for the types that it names, and no others.".to_owned()
    };
    Some(Finding {
        what: format!(
            "`{name}` has a SPECIALISE for {made_for}, but `{caller}` passes the general one `{dictionary}`"
        ),
        evidence: vec![
            Evidence { site: use_.caller, within: None, focus: vec![use_.call] },
            Evidence { site: use_.callee, within: None, focus: Vec::new() },
        ],
        remedy: Remedy {
            text: format!(
                "`{{-# INLINABLE {name} #-}}` in place of the SPECIALISE, so that each module that uses \
                 `{name}` makes the copy that it needs{}",
                if is_same { "" } else { "; or a SPECIALISE for the type that is used" }
            ),
            change: Some(RemedyChange::Pragma {
                module: callee_module.name.clone(),
                binding: name.to_owned(),
                pragma: format!("INLINABLE {name}"),
            }),
        },
        why,
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(use_.callee) },
        ..Finding::at_site(&LOST_SPECIALISE, use_.callee, Vec::new())
    })
}

pub(super) static OVERLOADED_CONSTANT: Cause = Cause {
    id: "overloaded-constant",
    title: "is computed again for each use",
    about: "The value has no parameters but a class constraint, so it is a function of the methods, and \
            each use computes it anew. A value of one type is computed once and kept.",
    seed: "Haskell 2010 Report, 4.5.5 (the monomorphism restriction, rule 1: repeated evaluation)",
    needs: &[Need::TypeSignatures, Need::Ticky],
    explains: 0.97,
    paid: Paid::Entries,
    find: find_overloaded_constant,
};

fn find_overloaded_constant(look: &Look<'_>) -> Vec<Finding> {
    let program = look.program;
    let is_again = |site: &Site| {
        look.costs.own_entries(program, *site, None).is_some_and(|entries| entries > 1)
    };
    let all = look.sites().filter(|site| is_value(program, *site));
    all.filter(is_again).map(|site| overloaded_constant(program, site)).collect()
}

/// True if a function takes only class methods, and does not return a function. Up to 9.0 the
/// parameters of a worker may be the methods themselves.
fn is_value(program: &Program, site: Site) -> bool {
    let core = program.core_of(site);
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

fn overloaded_constant(program: &Program, site: Site) -> Finding {
    let name = in_source(program.name(site));
    let classes = classes(program, site).join(", ");
    Finding {
        what: format!("`{name}` is a value for any {classes}, and is computed again for each use"),
        remedy: format!(
            "give `{name}` a signature with one type, so that it is computed once; or compute it \
             once where it is used, and pass it on"
        ).into(),
        why: "A value whose type is open takes the methods of the type as an argument, and GHC keeps no \
              results of functions."
            .to_owned(),
        ..Finding::at_site(&OVERLOADED_CONSTANT, site, Vec::new())
    }
}

pub(super) static EXISTENTIAL_DICTIONARY: Cause = Cause {
    id: "existential-dictionary",
    title: "calls methods that each value brings along",
    about: "The values are of a type that hides another one, and each comes with the methods of a class \
            for it. A method is called through a pointer, its numbers are in boxes, and nothing of it \
            is inlined.",
    seed: "GHC User's Guide, existentially quantified data constructors",
    needs: &[],
    explains: 0.5,
    paid: Paid::Entries,
    find: find_existential_dictionary,
};

fn find_existential_dictionary(look: &Look<'_>) -> Vec<Finding> {
    let found = look.sites().filter_map(|site| {
        let calls = stored_method_calls(look.program, site);
        (!calls.is_empty()).then(|| existential_dictionary(look.program, site, calls))
    });
    found.collect()
}

/// The calls of methods from dictionaries that patterns bind.
fn stored_method_calls(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.core_of(site);
    let right = program.binding(site).right;
    let mut dictionaries: HashSet<Name> = HashSet::new();
    for it in core.walk(right) {
        let Expr::Case(_, _, alternatives) = core.exprs[it] else { continue };
        for alternative in &core.alternatives[alternatives] {
            // The fields of a dictionary are methods and superclasses, and do not count.
            if let crate::core::tree::Pattern::Constructor(constructor) = alternative.pattern
                && !occurrence(core.text(constructor)).starts_with("C:")
            {
                let binders = core.binders[alternative.binders].iter().map(|it| it.name);
                dictionaries.extend(binders.filter(|name| core.text(*name).starts_with("$d")));
            }
        }
    }
    if dictionaries.is_empty() {
        return Vec::new();
    }
    let bound = Bound::from_core(core, right);
    let methods: HashSet<Name> =
        dictionaries.iter().flat_map(|dictionary| bound.parts(*dictionary)).collect();
    let calls = core.calls_within(right).into_iter().filter(|(_, call)| {
        let is_of_one = call.values.first().is_some_and(|first| {
            bound.variable(*first).is_some_and(|name| dictionaries.contains(&name))
        });
        // Selecting a superclass does no work.
        methods.contains(&call.function)
            || is_of_one && !occurrence(core.text(call.function)).starts_with("$p")
    });
    calls.map(|(it, _)| it).collect()
}

fn existential_dictionary(program: &Program, site: Site, calls: Vec<Id<Expr>>) -> Finding {
    let name = in_source(program.name(site));
    let places = in_places(calls.len());
    Finding {
        what: format!("`{name}` calls methods that a value brings along, {places}"),
        remedy:
            "make it a data type with a constructor for each kind of value, and tell them apart by \
                 `case`; where the kinds are not known, keep one list for each type"
                .into(),
        why: "The type is hidden on purpose: which methods are called is known only at run time."
            .to_owned(),
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(site) },
        ..Finding::at_site(
            &EXISTENTIAL_DICTIONARY,
            site,
            calls.into_iter().take(MOST_SHOWN).collect(),
        )
    }
}

pub(super) static UNKNOWN_CALL: Cause = Cause {
    id: "unknown-call",
    title: "calls functions that it does not know",
    about: "The loop calls functions that it finds in a structure. Such a call goes through a pointer, \
            its arguments are boxed, and nothing is inlined.",
    seed: "mvar-locking (the general conclusion); case d of the founding measurements: 1 000 001 \
           unknown calls before, none after",
    needs: &[Need::Ticky],
    explains: 0.15,
    paid: Paid::Entries,
    find: find_unknown_call,
};

/// A smaller share of unknown calls among the program's calls does not matter.
const LEAST_UNKNOWN: f64 = 0.02;

fn find_unknown_call(look: &Look<'_>) -> Vec<Finding> {
    if !matters(look.program) {
        return Vec::new();
    }
    look.sites()
        // Dictionaries are structures of functions, and have a separate cause.
        .filter(|site| !is_overloaded(look.program, *site))
        .filter_map(|site| unknown_call(look.program, site))
        .collect()
}

fn matters(program: &Program) -> bool {
    let Some(profile) = &program.ticky else { return false };
    let unknown = profile.counters.get("UNKNOWN_CALL_ctr").copied().unwrap_or(0);
    let known = profile.counters.get("KNOWN_CALL_ctr").copied().unwrap_or(0);
    unknown as f64 >= LEAST_UNKNOWN * (known + unknown) as f64 && unknown > 0
}

fn unknown_call(program: &Program, site: Site) -> Option<Finding> {
    let module = program.module_of(site);
    let core = module.core();
    let is_loop = module.is_recursive(site.top) || !loops(program, site).is_empty();
    let calls = if is_loop { unknown_calls(program, site) } else { Vec::new() };
    let first = calls.first()?;
    let called = in_source(core.text(core.call(*first)?.function)).to_owned();
    let name = in_source(program.name(site));
    Some(Finding {
        what: format!(
            "`{name}` calls functions that it does not know, such as `{called}`, {}",
            in_places(calls.len())
        ),
        remedy: "let the structure hold what is to be done as a data type, and do it by `case`; or make \
                 the function that is called known: inline what passes it"
            .into(),
        why: "Which function it is, is known only at run time.".to_owned(),
        basis: Basis { counters: vec!["UNKNOWN_CALL_ctr"], ..Basis::site(site) },
        ..Finding::at_site(&UNKNOWN_CALL, site, calls)
    })
}

/// The calls of functions that patterns bind. Calls of parameters are up to the caller that passes
/// them, and a deferred call, as in difference lists, is not work of the loop.
fn unknown_calls(program: &Program, site: Site) -> Vec<Id<Expr>> {
    let core = program.core_of(site);
    let binding = program.binding(site);
    let mut local: HashSet<Name> = HashSet::new();
    for it in core.walk(binding.right) {
        if let Expr::Case(_, _, alternatives) = core.exprs[it] {
            let alternatives = core.alternatives[alternatives].iter();
            let binders = alternatives.flat_map(|it| &core.binders[it.binders]);
            local.extend(binders.map(|it| it.name));
        }
    }
    let run = run_by(core, binding.right);
    let mut calls = core.calls_within(binding.right);
    calls.retain(|(it, call)| local.contains(&call.function) && run.contains(it));
    calls.into_iter().map(|(it, _)| it).collect()
}

/// The expressions that run when a function does, or one that it makes; without deferred ones.
fn run_by(core: &Core, root: Id<Expr>) -> HashSet<Id<Expr>> {
    let mut found = HashSet::new();
    let mut waiting = vec![root];
    while let Some(it) = waiting.pop() {
        found.insert(it);
        match core.exprs[it] {
            Expr::Lambda(_, inner) | Expr::Cast(inner, _) | Expr::Tick(_, inner) => {
                waiting.push(inner);
            }
            Expr::Let(kind, bindings, body) => {
                let is_join = kind.is_join();
                let rights = core.bindings[bindings].iter().map(|it| it.right);
                waiting.extend(rights.filter(|right| is_join || is_lambda(core, *right)));
                waiting.push(body);
            }
            Expr::Case(of, _, alternatives) => {
                waiting.push(of);
                waiting.extend(core.alternatives[alternatives].iter().map(|it| it.right));
            }
            Expr::Apply(head, arguments) => {
                waiting.push(head);
                waiting.extend(core.arguments[arguments].iter().filter_map(|it| match it {
                    Argument::Value(value) if is_lambda(core, *value) => Some(*value),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    found
}
