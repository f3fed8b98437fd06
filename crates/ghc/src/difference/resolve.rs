//! The meaning of names: the binding and module of each, seen through aliases.

use std::collections::{HashMap, HashSet};

use super::tokens::hash;
use crate::causes::declarations::definition_line;
use crate::causes::names::{for_people, in_source};
use crate::causes::{Program, Site};
use crate::core::names::Name;
use crate::core::occurrence::{module, occurrence, split_unique};
use crate::core::tree::Expr;

/// One of the two programs, with the meanings of its names.
#[derive(Debug)]
pub(super) struct Resolved<'a> {
    pub(super) program: &'a Program,
    /// By name without module: the bindings with this name that other modules see.
    visible: HashMap<&'a str, Vec<Site>>,
    /// By binding: the one that it is only another name for.
    aliases: HashMap<Site, Site>,
    /// By binding: the name of the source that is only another name for it.
    aliased: HashMap<Site, Site>,
    /// The bindings for which a copy of an overloaded function is only another name.
    copies: HashSet<Site>,
}

impl<'a> Resolved<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let mut visible: HashMap<&str, Vec<Site>> = HashMap::new();
        for site in program.sites().filter(|site| !is_internal(program, *site)) {
            visible.entry(occurrence(program.name(site))).or_default().push(site);
        }
        let mut this = Self {
            program,
            visible,
            aliases: HashMap::new(),
            aliased: HashMap::new(),
            copies: HashSet::new(),
        };
        for site in program.sites() {
            if let Some(target) = this.alias_of(site) {
                this.aliases.insert(site, target);
                this.aliased.entry(target).or_insert(site);
                if is_specialised(program.name(site)) {
                    this.copies.insert(target);
                }
            }
        }
        this
    }

    /// The binding that a name in a module means; callers must exclude local names that shadow it.
    pub(super) fn site(&self, in_module: usize, name: Name) -> Option<Site> {
        let program = self.program;
        program.site_of(in_module, name).or_else(|| {
            let text = program.modules[in_module].core().text(name);
            // Exports of other modules may appear without their module, or with its name in the
            // import, which is most often the end of the module's name.
            let is_of = |site: &Site, alias: &str| {
                let start = program.module_of(*site).name.strip_suffix(alias);
                start.is_some_and(|start| start.is_empty() || start.ends_with('.'))
            };
            let Some(alias) = module(text) else { return self.alone(text) };
            let all = self.visible.get(occurrence(text))?;
            let mut imported = all.iter().filter(|site| is_of(site, alias));
            imported.next().copied().filter(|_| imported.next().is_none())
        })
    }

    /// True if a binding is a copy that GHC made of an overloaded function for some types, or the
    /// code behind one.
    pub(super) fn is_copy(&self, site: Site) -> bool {
        self.copies.contains(&site) || is_specialised(self.program.name(site))
    }

    /// The same, seen through aliases.
    pub(super) fn target(&self, in_module: usize, name: Name) -> Option<Site> {
        self.site(in_module, name).map(|site| self.behind(site))
    }

    /// The binding behind an alias.
    pub(super) fn behind(&self, site: Site) -> Site {
        /// The longest chain of aliases; a dump with `x = y` and `y = x` has no end.
        const LONGEST_CHAIN: usize = 50;
        let mut site = site;
        for _ in 0..LONGEST_CHAIN {
            match self.aliases.get(&site) {
                Some(next) => site = *next,
                None => break,
            }
        }
        site
    }

    pub(super) fn is_alias(&self, site: Site) -> bool {
        self.aliases.contains_key(&site)
    }

    /// True if a binding is a part of a function, with a name that GHC made up: `lvl3`, or `load4`
    /// of `load32`. Without the source, all names that differ only in their numbers count as such.
    pub(super) fn is_piece(&self, site: Site) -> bool {
        // `instr1` is the code of `instr`.
        let shown = self.shown(site);
        let name = occurrence(&shown).trim_start_matches('(').trim_end_matches(')');
        let whole = numberless(name);
        if ["lvl", "poly_", "karg"].iter().any(|begin| name.starts_with(begin)) {
            return true;
        }
        let module = self.program.module_of(site);
        match &module.source {
            _ if whole == name => false,
            Some(source) => definition_line(&source.text, name).is_none(),
            None => (0..module.len())
                .any(|top| top != site.top && numberless(stem(module.top_name(top))) == whole),
        }
    }

    fn alias_of(&self, site: Site) -> Option<Site> {
        let core = self.program.module_of(site).core();
        let mut it = self.program.binding(site).right;
        loop {
            it = match core.exprs[it] {
                Expr::Cast(inner, _) | Expr::Tick(_, inner) => inner,
                Expr::Variable(name) => {
                    return self.site(site.module, name).filter(|target| *target != site);
                }
                _ => return None,
            };
        }
    }

    /// The meaning of a name that is not bound by a lambda, case or let, as a number.
    pub(super) fn label(&self, in_module: usize, name: Name) -> u64 {
        match self.site(in_module, name) {
            Some(site) if is_internal(self.program, site) => {
                let name = self.program.name(site);
                hash(("internal", in_module, numberless(stem(name))))
            }
            Some(site) => hash(("visible", self.full_name(site))),
            None => hash(("foreign", self.program.modules[in_module].core().text(name))),
        }
    }

    /// Its name with its module.
    pub(super) fn full_name(&self, site: Site) -> String {
        self.program.module_of(site).full_name(self.program.name(site)).into_owned()
    }

    /// Its name for people, with its module. GHC also calls the code of `eval` `eval1`.
    pub(super) fn shown(&self, site: Site) -> String {
        let shown = self.aliased.get(&site).copied().unwrap_or(site);
        if is_internal(self.program, shown) {
            return self.program.shown_name(site);
        }
        let module = &self.program.module_of(site).name;
        let name = in_source(self.program.name(shown));
        // A copy of `eval` for some types is `eval_$seval` if a pragma asked for it.
        let name = name.split_once("_$s").map_or(name, |(name, _)| name);
        if let Some(original) = self.copied(shown, name) {
            return original;
        }
        // The code of `eval1` is called `$weval1`, and its name in the source is `eval`.
        let code = self.alone(name);
        let source = code.and_then(|code| self.aliased.get(&code)).copied();
        let source = source.filter(|source| source.module == site.module);
        match source {
            Some(source) => for_people(module, self.program.name(source)),
            None => for_people(module, name),
        }
    }

    /// The only binding with a name among those that other modules see.
    fn alone(&self, name: &str) -> Option<Site> {
        match self.visible.get(name).map(Vec::as_slice) {
            Some([site]) => Some(*site),
            _ => None,
        }
    }

    /// The function of another module or package that a binding is a copy of: a copy is made in the
    /// module that needs it.
    fn copied(&self, copy: Site, name: &str) -> Option<String> {
        let module = self.program.module_of(copy);
        let is_own = |text: &str| definition_line(text, name).is_some();
        let is_own = module.source.as_ref().is_some_and(|source| is_own(&source.text));
        if is_own || !is_specialised(self.program.name(copy)) {
            return None;
        }
        match self.alone(name) {
            Some(site) => {
                let module = self.program.module_of(site);
                Some(for_people(&module.name, name))
            }
            None => module.source.is_some().then(|| name.to_owned()),
        }
    }
}

/// True if a binding of the top level is only visible in its module: then it has a unique.
pub(super) fn is_internal(program: &Program, site: Site) -> bool {
    split_unique(program.name(site)).is_some()
}

/// A name without module and unique.
pub(super) fn stem(name: &str) -> &str {
    split_unique(name).map_or_else(|| occurrence(name), |(stem, _)| stem)
}

/// A name without the number that GHC appended.
pub(super) fn numberless(name: &str) -> &str {
    let cut = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if cut.is_empty() { name } else { cut }
}

/// True if a binding is one of those in every module that describe its types at run time.
pub(super) fn is_of_types(name: &str) -> bool {
    let name = stem(name);
    ["$tc", "$krep", "$trModule"].iter().any(|begin| name.starts_with(begin))
}

/// True if a name is that of a copy that GHC made of an overloaded function for some types.
pub(super) fn is_specialised(name: &str) -> bool {
    let name = stem(name);
    name.starts_with("$s") || name.contains("_$s") || name.starts_with("$w$s")
}

/// True if a name is that of evidence for a class passed to overloaded code: a dictionary, its
/// constructor, a superclass selector, or a copy of an instance's method that GHC made for a type.
/// The methods of an instance are code of the program.
pub(super) fn is_evidence(name: &str) -> bool {
    let name = stem(name);
    let is_made = name.starts_with("$f") && !name.contains("_$c");
    // `$dm` is the default of a method.
    let is_passed = name.starts_with("$d") && !name.starts_with("$dm");
    is_made || is_passed || ["$s$f", "$p", "C:"].iter().any(|begin| name.starts_with(begin))
}
