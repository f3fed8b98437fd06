//! The uses between bindings of the top level, across modules.

use std::collections::{HashMap, HashSet};

use super::program::{Program, Site};

/// The uses and users of each binding.
#[derive(Debug)]
pub(super) struct Uses {
    uses: HashMap<Site, HashSet<Site>>,
    users: HashMap<Site, HashSet<Site>>,
}

impl Uses {
    /// The uses between all bindings of a program.
    pub(super) fn from_program(program: &Program) -> Self {
        let mut uses: HashMap<Site, HashSet<Site>> = HashMap::new();
        let mut users: HashMap<Site, HashSet<Site>> = HashMap::new();
        for site in program.sites() {
            let core = program.module_of(site).core();
            for name in core.free_variables(program.binding(site).right) {
                if let Some(used) = program.site_of(site.module, name) {
                    uses.entry(site).or_default().insert(used);
                    users.entry(used).or_default().insert(site);
                }
            }
        }
        Self { uses, users }
    }

    /// The bindings that a binding uses.
    pub(super) fn by(&self, site: Site) -> impl Iterator<Item = Site> + '_ {
        self.uses.get(&site).into_iter().flatten().copied()
    }

    /// The bindings that use a binding.
    pub(super) fn users(&self, site: Site) -> impl Iterator<Item = Site> + '_ {
        self.users.get(&site).into_iter().flatten().copied()
    }

    /// The bindings that only the given ones use, directly or through others; `elsewhere` is left
    /// out, because the given ones need it for something else as well.
    pub(super) fn only_for(&self, own: &HashSet<Site>, elsewhere: &HashSet<Site>) -> HashSet<Site> {
        let mut only: HashSet<Site> = HashSet::new();
        let mut waiting: Vec<Site> = own.iter().copied().collect();
        while let Some(site) = waiting.pop() {
            let new = self.by(site).filter(|it| !own.contains(it) && !elsewhere.contains(it));
            let new: Vec<Site> = new.filter(|it| only.insert(*it)).collect();
            waiting.extend(new);
        }
        loop {
            let is_foreign =
                |site: &Site| self.users(*site).any(|it| !only.contains(&it) && !own.contains(&it));
            let foreign: Vec<Site> = only.iter().copied().filter(is_foreign).collect();
            if foreign.is_empty() {
                return only;
            }
            foreign.iter().for_each(|it| {
                only.remove(it);
            });
        }
    }
}
