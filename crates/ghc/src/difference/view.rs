//! One of two programs, ready to be compared with the other: its bindings and their uses.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::align::{Side, rows};
use super::facts::{Facts, is_constructor};
use super::resolve::stem;
use super::tokens::{Token, hash};
use crate::causes::Site;
use crate::causes::declarations::{definition_line, definition_lines};
use crate::causes::names::in_source;
use crate::core::names::Name;
use crate::core::occurrence::occurrence;

/// The uses of one side of a binding, with the number of each.
pub(super) type Uses = BTreeMap<Used, u32>;

/// A used binding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Used {
    /// A binding of one of the programs, by its number.
    Own(usize),
    /// A binding of another package.
    Foreign(String),
}

impl Used {
    /// The number of a binding of one of the programs.
    pub(super) fn own(&self) -> Option<usize> {
        match self {
            Self::Own(number) => Some(*number),
            Self::Foreign(_) => None,
        }
    }
}

/// One of the programs, ready to be compared with the other.
pub(super) struct View<'a> {
    pub(super) side: &'a Side<'a>,
    /// The number of each binding.
    pub(super) numbers: HashMap<Site, usize>,
    /// The binding of each number, if this program has it.
    pub(super) sites: HashMap<usize, Site>,
    /// By binding: the worker that it was split into.
    workers: HashMap<Site, Site>,
    pub(super) rows: HashMap<Site, Vec<Token>>,
    pub(super) facts: HashMap<Site, Facts>,
    /// The bindings whose code runs once in a program.
    pub(super) once: HashSet<Site>,
}

impl<'a> View<'a> {
    pub(super) fn new(side: &'a Side<'a>, numbers: HashMap<Site, usize>) -> Self {
        let names = &side.names;
        let sites = numbers.iter().map(|(site, at)| (*at, *site)).collect();
        let (rows, facts, once) = (HashMap::new(), HashMap::new(), HashSet::new());
        let mut this = Self { side, numbers, sites, workers: workers(side), rows, facts, once };
        for site in side.sites() {
            let label = |name: Name| match names.site(site.module, name) {
                Some(used) => match this.numbers.get(&used) {
                    Some(number) => hash(("own", number)),
                    None => hash(("types", stem(names.program.name(used)))),
                },
                None => hash(("foreign", names.program.modules[site.module].core().text(name))),
            };
            let row = self::rows(names, site, &label);
            this.rows.insert(site, row);
            this.facts.insert(site, Facts::from_binding(names.program, site));
        }
        this.once = this.once();
        this
    }

    /// The bindings that only the start of the program uses, and those that only these use in turn,
    /// as long as they contain no loop.
    fn once(&self) -> HashSet<Site> {
        let program = self.side.names.program;
        let is_start = |site: &Site| program.name(*site).starts_with(':');
        let mut once: HashSet<Site> = HashSet::new();
        let mut waiting: Vec<Site> = self.side.sites().filter(is_start).collect();
        let is_straight = |site: &Site| {
            let facts = &self.facts[site];
            !facts.is_recursive
                && facts.inner.is_empty()
                && !program.module_of(*site).is_recursive(site.top)
        };
        while let Some(site) = waiting.pop() {
            if !is_straight(&site) || !once.insert(site) {
                continue;
            }
            let core = program.module_of(site).core();
            core.free_occurrences(program.binding(site).right, |name, _| {
                let used = self.side.names.site(site.module, name);
                let is_its =
                    |used: &Site| self.side.users(*used).iter().all(|it| once.contains(it));
                waiting.extend(used.filter(|used| self.facts.contains_key(used) && is_its(used)));
            });
        }
        once
    }

    pub(super) fn uses(&self, site: Site) -> Uses {
        let names = &self.side.names;
        let core = names.program.module_of(site).core();
        let mut uses = Uses::new();
        core.free_occurrences(names.program.binding(site).right, |name, _| {
            let text = core.text(name);
            let used = match names.target(site.module, name) {
                Some(target) => self.numbers.get(&target).copied().map(Used::Own),
                // Constructors add nothing to the allocations.
                None if is_constructor(text) || is_plain_operation(text) => None,
                None => Some(Used::Foreign(text.to_owned())),
            };
            if let Some(used) = used.filter(|it| *it != Used::Own(self.numbers[&site])) {
                *uses.entry(used).or_default() += 1;
            }
        });
        uses
    }

    /// The users of a binding, except those that are only another name for it.
    pub(super) fn users(&self, site: Site) -> Vec<Site> {
        let names = &self.side.names;
        let mut users = self.side.users(site).to_vec();
        users.retain(|user| names.behind(*user) != site);
        users
    }

    /// Among the uses of a binding, the bindings that nothing else uses, with all that only they
    /// use.
    pub(super) fn only_users(&self, user: Site, used: &[Used]) -> Vec<usize> {
        let mut known: HashSet<Site> = HashSet::from([user]);
        let mut numbers = Vec::new();
        let mut waiting: Vec<Site> = self.own(used).collect();
        while let Some(site) = waiting.pop() {
            let is_known = |user: &Site| known.contains(user);
            let is_its = self.side.users(site).iter().all(|user| {
                // The wrapper of a worker that is called directly.
                let is_wrapper = self.worker(*user) == Some(site);
                is_known(user) || (is_wrapper && self.side.users(*user).iter().all(is_known))
            });
            if is_its && known.insert(site) {
                numbers.push(self.numbers[&site]);
                waiting.extend(self.own(self.uses(site).keys()));
            }
        }
        numbers
    }

    /// The bindings of this program among the uses.
    fn own<'u>(
        &'u self,
        used: impl IntoIterator<Item = &'u Used> + 'u,
    ) -> impl Iterator<Item = Site> + 'u {
        used.into_iter().filter_map(Used::own).filter_map(|number| self.sites.get(&number).copied())
    }

    pub(super) fn name(&self, site: Site) -> &str {
        self.side.names.program.name(site)
    }

    /// True if it only takes its arguments out of their boxes and calls its worker.
    pub(super) fn is_wrapper(&self, site: Site) -> bool {
        self.worker(site).is_some_and(|worker| {
            let facts = &self.facts[&site];
            facts.pragma.is_some()
                && self.uses(site).contains_key(&Used::Own(self.numbers[&worker]))
        })
    }

    /// The worker that a binding was split into.
    pub(super) fn worker(&self, site: Site) -> Option<Site> {
        self.workers.get(&site).copied()
    }
}

/// The workers of all bindings that have one with a unique name.
fn workers(side: &Side<'_>) -> HashMap<Site, Site> {
    let program = side.names.program;
    let mut named: HashMap<(usize, &str), Option<Site>> = HashMap::new();
    for site in side.sites() {
        let key = (site.module, stem(program.name(site)));
        named.entry(key).and_modify(|it| *it = None).or_insert(Some(site));
    }
    let worker_of = |site: Site| {
        let own = stem(program.name(site)).strip_prefix("$w")?;
        Some((named.get(&(site.module, own)).copied().flatten()?, site))
    };
    side.sites().filter_map(worker_of).collect()
}

/// True if the source of one program has a binding of the other; if it was inlined everywhere,
/// nothing else is left of it.
pub(super) fn is_in_source(there: &View<'_>, here: &View<'_>, site: Site) -> bool {
    let module = here.side.names.program.module_of(site);
    let modules = &there.side.names.program.modules;
    let other = modules.iter().find(|other| other.name == module.name);
    let source = other.and_then(|other| other.source.as_ref());
    source.is_some_and(|source| definition_line(&source.text, in_source(here.name(site))).is_some())
}

/// The number of lines of the definition of a binding of one program in the source of the other.
pub(super) fn lines(view: &View<'_>, here: &View<'_>, site: Site) -> Option<u32> {
    let module = &here.side.names.program.module_of(site).name;
    let other = view.side.names.program.modules.iter().find(|other| other.name == *module)?;
    definition_lines(&other.source.as_ref()?.text, in_source(here.name(site)))
}

/// True if a name is that of a machine operation, unless it accesses an array, a variable, a lock
/// or a handler.
fn is_plain_operation(name: &str) -> bool {
    let name = occurrence(name);
    const TELLING: [&str; 6] = ["Array#", "MutVar", "MVar#", "TVar#", "catch#", "mask"];
    // They come and go with any read.
    let is_read = name.starts_with("index") || name.starts_with("unsafe");
    name.ends_with('#') && (is_read || !TELLING.iter().any(|part| name.contains(part)))
}
