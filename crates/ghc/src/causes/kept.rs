//! The reason why GHC did not inline a function.

use super::program::{Program, Site};
use crate::core::tree::{Key, Unfolding};

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
    let module = program.module_of(site);
    let name = module.binding(site.top).name;
    module.graph.uses(name).any(|used| module.core().bindings[used.binding].name == name)
}

/// True if GHC copies the function to each use: its template is present, and always applies.
pub(super) fn is_copied(program: &Program, site: Site) -> bool {
    let core = program.module_of(site).core();
    let binding = program.binding(site);
    let pragma = core.attribute(binding.notes, Key::Inline);
    let by_pragma = pragma.is_some_and(|it| it.starts_with("INLINE") && !it.contains("INLINABLE"));
    let always = core.unfolding(binding.info).is_some_and(|unfolding| match unfolding {
        Unfolding::Core(fields, _) => core.fields[*fields].iter().any(|field| {
            core.text(field.key) == "Guidance" && core.text(field.value).starts_with("ALWAYS_IF")
        }),
        Unfolding::Text(_) => false,
    });
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
