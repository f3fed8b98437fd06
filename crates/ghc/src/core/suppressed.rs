//! The parts of a dump removed by flags, as far as the dump itself shows.
//!
//! A rule that examines arities finds nothing in a dump without them. To explain that, the dump is
//! searched for suppressed parts. Some cannot be determined: without a single cast it is unknown if
//! coercions would have been shown.

use super::core::Core;
use super::dump::Dump;
use super::occurrence::{module, split_unique};
use super::tree::{Argument, Attribute, BinderKind, Evidence, Expr, Key, Unfolding};

/// The presence of a part of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suppression {
    /// It is present.
    Shown,
    /// It was left out, by this flag or one that implies it (`-dsuppress-all` implies most).
    By(&'static str),
    /// The dump does not show it.
    Unknown,
}

/// The parts left out of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suppressed {
    /// The uniques after names; without them names of a ticky profile cannot be joined.
    pub uniques: Suppression,
    /// Arity, strictness, occurrences, unfoldings.
    pub idinfo: Suppression,
    /// The types of bindings and parameters. Without them, GHC leaves out the attributes of
    /// bindings, too.
    pub type_signatures: Suppression,
    /// The evidence of casts; its size remains.
    pub coercions: Suppression,
    /// The type arguments of functions.
    pub type_applications: Suppression,
    /// The modules before names.
    pub module_prefixes: Suppression,
    /// The templates of unfoldings.
    pub unfoldings: Suppression,
    /// The notes of the source, which are only made by `-g`: either may be the cause.
    pub ticks: Suppression,
}

/// The number of times that something was seen, and was missing.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    there: usize,
    missing: usize,
}

impl Seen {
    fn note(&mut self, there: bool) {
        if there {
            self.there += 1;
        } else {
            self.missing += 1;
        }
    }

    fn by(self, flag: &'static str) -> Suppression {
        match self {
            Seen { there: 1.., .. } => Suppression::Shown,
            Seen { missing: 1.., .. } => Suppression::By(flag),
            Seen { .. } => Suppression::Unknown,
        }
    }
}

impl Dump {
    /// The parts left out of this dump.
    #[must_use]
    pub fn suppressed(&self) -> Suppressed {
        let core = &self.core;
        let mut signatures = Seen::default();
        let mut idinfo = Seen::default();
        for top in &core.tops {
            let binding = &core.bindings[top.binding];
            signatures.note(binding.signature.is_some());
            idinfo.note(core.attribute(binding.info, Key::Scope).is_some());
        }
        Suppressed {
            uniques: uniques(core).by("-dsuppress-uniques"),
            idinfo: match (signatures.by("-dsuppress-type-signatures"), idinfo) {
                (by @ Suppression::By(_), Seen { there: 0, .. }) => by,
                (_, idinfo) => idinfo.by("-dsuppress-idinfo"),
            },
            type_signatures: signatures.by("-dsuppress-type-signatures"),
            coercions: coercions(core).by("-dsuppress-coercions"),
            type_applications: type_applications(core).by("-dsuppress-type-applications"),
            module_prefixes: module_prefixes(core).by("-dsuppress-module-prefixes"),
            unfoldings: unfoldings(core).by("-dsuppress-unfoldings"),
            ticks: if core.exprs.iter().any(|it| is_source_note(core, it)) {
                Suppression::Shown
            } else {
                Suppression::Unknown
            },
        }
    }
}

/// Local binders end with a unique, if the dump has uniques. A name of the program may look like
/// that, so a few are not evidence: most must.
fn uniques(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for binder in &core.binders {
        let name = core.text(binder.name);
        if name != "_" {
            seen.note(split_unique(name).is_some());
        }
    }
    if seen.there < seen.missing { Seen { there: 0, ..seen } } else { seen }
}

fn coercions(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for coercion in &core.coercions {
        seen.note(matches!(coercion.evidence, Evidence::Term(_)));
    }
    seen
}

/// If types are parameters, some function is applied to one.
fn type_applications(core: &Core) -> Seen {
    let there = core.arguments.iter().filter(|it| matches!(it, Argument::Type(_))).count();
    let missing = core.binders.iter().filter(|binder| binder.kind == BinderKind::Type).count();
    Seen { there, missing }
}

/// Every program uses names of other modules.
fn module_prefixes(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for it in &core.exprs {
        if let Expr::Variable(name) = it {
            seen.note(module(core.text(*name)).is_some());
        }
    }
    seen
}

/// Unfoldings fixed by the program or by a pass are printed with their templates.
fn unfoldings(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for attribute in &core.attributes {
        let Attribute::Unfolding(id) = attribute else { continue };
        if let Unfolding::Core(fields, template) = core.unfoldings[*id] {
            let source = core.fields[fields].iter().find(|field| core.text(field.key) == "Src");
            if source.is_some_and(|field| core.text(field.value) != "<vanilla>") {
                seen.note(template.is_some());
            }
        }
    }
    seen
}

fn is_source_note(core: &Core, it: &Expr) -> bool {
    matches!(it, Expr::Tick(tick, _) if core.text(*tick).starts_with("src<"))
}
