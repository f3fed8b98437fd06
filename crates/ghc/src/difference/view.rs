//! One of two programs, ready to be compared with the other: its bindings and their uses, and the
//! uses of a binding on one side only, in the terms of its authors.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::align::{Side, rows};
use super::compare::{Comparison, is_evidence, is_specialised, numberless, stem};
use super::facts::Change;
use super::facts::{Facts, is_constructor};
use super::group::is_copied;
use super::tokens::{Token, hash, shape};
use crate::causes::Site;
use crate::causes::names::in_source;
use crate::causes::source::{definition_line, definition_lines};
use crate::core::names::{Name, occurrence};

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
            let core = program.core_of(site);
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
        let core = names.program.core_of(site);
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

impl Comparison<'_> {
    /// Adds the uses that are new or gone. If both are versions of one function, only that is
    /// reported. Returns the versions that replace each other, and with it each other's cost, and
    /// the bindings unchanged on both sides that only this one stopped or began to use.
    pub(super) fn usage(
        &self,
        before: Site,
        uses: &Uses,
        after: Site,
        uses_now: &Uses,
        hidden: &HashSet<usize>,
        changes: &mut Vec<Change>,
    ) -> Vec<usize> {
        let mut versions = Vec::new();
        let only = |one: &Uses, other: &Uses| -> Vec<Used> {
            let is_hidden = |used: &Used| match used {
                Used::Own(number) => {
                    hidden.iter().any(|it| self.is_piece_of(*number, *it))
                        || self.is_constant(*number)
                        || (self.is_piece(*number) && !self.is_nameless_copy(*number))
                        // A constructor wrapper adds nothing to the allocations.
                        || stem(&self.core_name(used)).starts_with("$W")
                }
                Used::Foreign(name) => is_evidence(name),
            } || is_evidence(&self.core_name(used));
            let keys = one.keys().filter(|used| !other.contains_key(used) && !is_hidden(used));
            keys.cloned().collect()
        };
        let (mut gone, mut new) = (only(uses, uses_now), only(uses_now, uses));
        let is_copy = |used: &Used| self.is_copy(used);
        gone.retain(|old| {
            let Some(place) = new.iter().position(|new| self.is_version(old, new)) else {
                return true;
            };
            let now = new.remove(place);
            // A copy is named after the module that contains it.
            let what = self.shown(if is_copy(old) { &now } else { old });
            if is_copy(old) != is_copy(&now) {
                versions.extend([old, &now].into_iter().filter_map(Used::own));
            }
            match (is_copy(old), is_copy(&now)) {
                (false, true) => changes.push(Change::Specialised { what }),
                (true, false) => changes.push(Change::NoLongerSpecialised { what }),
                // A wrapper called in place of its worker, or the same function under another
                // alias.
                _ => {}
            }
            false
        });
        // The overloaded function itself may have been inlined.
        let was = gone.extract_if(.., |used| self.is_only_copy(used)).map(|used| (false, used));
        let is = new.extract_if(.., |used| self.is_only_copy(used)).map(|used| (true, used));
        for (now, used) in was.chain(is) {
            let what = self.shown(&used);
            changes.push(match now {
                true => Change::Specialised { what },
                false => Change::NoLongerSpecialised { what },
            });
            versions.extend(used.own());
        }
        let freed = self.before.only_users(before, &gone).into_iter();
        let freed = freed.chain(self.after.only_users(after, &new));
        versions.extend(freed.filter(|number| self.is_the_same(*number)));
        self.inlined_copies(before, after, [&mut gone, &mut new], changes);
        let (gone, new) = (self.expanded(self.before, gone), self.expanded(self.after, new));
        let rewritten = gone.iter().chain(&new).any(|used| self.is_of_one(used));
        let (gone, new) = (self.names(&gone), self.names(&new));
        let only = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|name| !other.contains(name)).cloned().collect()
        };
        let (before, after) = (only(&gone, &new), only(&new, &gone));
        if !before.is_empty() || !after.is_empty() {
            changes.push(Change::Uses { before, after, rewritten });
        }
        versions
    }

    /// Removes overloaded functions from the uses on one side only if the other has a copy in its
    /// code: an inlined one has left no name.
    fn inlined_copies(
        &self,
        before: Site,
        after: Site,
        [gone, new]: [&mut Vec<Used>; 2],
        changes: &mut Vec<Change>,
    ) {
        let (ours, theirs) = (self.before, self.after);
        let is_copied = |used: &Used, here, there, place| match used {
            Used::Own(number) => is_copied(here, *number, there, place),
            Used::Foreign(_) => false,
        };
        let was_used = |used: &mut Used| is_copied(used, ours, theirs, after);
        let copied = gone.extract_if(.., was_used).map(|used| self.shown(&used));
        changes.extend(copied.map(|what| Change::Specialised { what }));
        let is_used = |used: &mut Used| is_copied(used, theirs, ours, before);
        let copied = new.extract_if(.., is_used).map(|used| self.shown(&used));
        changes.extend(copied.map(|what| Change::NoLongerSpecialised { what }));
    }

    /// The same uses, with copies of unknown origin replaced by their own uses.
    fn expanded(&self, view: &View<'_>, used: Vec<Used>) -> Vec<Used> {
        let mut seen: HashSet<Used> = HashSet::new();
        let mut waiting = used;
        let mut all = Vec::new();
        while let Some(used) = waiting.pop() {
            if !seen.insert(used.clone()) {
                continue;
            }
            match &used {
                Used::Own(number) if self.is_nameless_copy(*number) => {
                    let inner = view.uses(view.sites[number]);
                    waiting.extend(inner.into_keys().filter(|it| matches!(it, Used::Foreign(_))));
                }
                _ => all.push(used),
            }
        }
        all
    }

    /// True if only one of the sources has the used binding.
    fn is_of_one(&self, used: &Used) -> bool {
        let Used::Own(number) = used else { return false };
        let alone = match self.places[*number] {
            (Some(site), None) => Some((self.before, self.after, site)),
            (None, Some(site)) => Some((self.after, self.before, site)),
            _ => None,
        };
        alone.is_some_and(|(here, there, site)| {
            !here.side.names.is_piece(site) && !is_in_source(there, here, site)
        })
    }

    /// The names of the uses for people, each once.
    fn names(&self, used: &[Used]) -> Vec<String> {
        let mut names: Vec<String> = used.iter().map(|it| self.shown(it)).collect();
        names.sort_unstable();
        names.dedup();
        // The module before a name is only printed if needed.
        let whole = names.clone();
        names.retain(|name| !whole.iter().any(|it| it.ends_with(&format!(".({name})"))));
        names
    }

    /// True if two names belong to one function of the source.
    fn is_version(&self, one: &Used, other: &Used) -> bool {
        let version = |used: &Used| numberless(&self.shown(used)).to_owned();
        let foreign = |used: &Used| matches!(used, Used::Foreign(_));
        if foreign(one) && foreign(other) {
            // The module before a name is only printed if needed.
            let bare = |used: &Used| stem(&self.core_name(used)).to_owned();
            if bare(one) == bare(other) {
                return true;
            }
        }
        let is_copy = self.is_copy(one) || self.is_copy(other);
        // A copy is made in the module that needs it, and may be of another module's function.
        let copied = |used: &Used| occurrence(&version(used)).to_owned();
        version(one) == version(other) || (is_copy && copied(one) == copied(other))
    }

    /// True if a binding does the same on both sides.
    fn is_the_same(&self, number: usize) -> bool {
        matches!(self.places[number], (Some(before), Some(after))
            if shape(&self.before.rows[&before]) == shape(&self.after.rows[&after]))
    }

    /// True if a binding is a copy from another package that exists on one side only.
    fn is_nameless_copy(&self, number: usize) -> bool {
        let (before, after) = self.places[number];
        let used = Used::Own(number);
        (before.is_none() || after.is_none())
            && self.is_copy(&used)
            && !self.shown(&used).contains('.')
    }

    /// True if a binding is a part of another one, with a name that GHC made.
    pub(super) fn is_piece(&self, number: usize) -> bool {
        let (before, after) = self.places[number];
        let is_piece = |view: &View<'_>, site: Site| view.side.names.is_piece(site);
        before.is_some_and(|site| is_piece(self.before, site))
            || after.is_some_and(|site| is_piece(self.after, site))
    }

    /// True if a binding is a value, not code.
    fn is_constant(&self, number: usize) -> bool {
        let (before, after) = self.places[number];
        let facts = before
            .map(|site| &self.before.facts[&site])
            .or(after.map(|site| &self.after.facts[&site]));
        facts.is_some_and(|facts| facts.arity == Some(0))
    }

    /// True if it is a copy on one side only of an overloaded function that both have.
    fn is_only_copy(&self, used: &Used) -> bool {
        let is_alone = |number: usize| matches!(self.places[number], (None, _) | (_, None));
        let name = self.shown(used);
        used.own().is_some_and(is_alone)
            && self.is_copy(used)
            && self.places.iter().enumerate().any(|(number, place)| {
                let (Some(before), Some(after)) = place else { return false };
                self.before.facts[before].dictionaries > 0
                    && self.after.facts[after].dictionaries > 0
                    && self.shown(&Used::Own(number)) == name
            })
    }

    /// True if it is a copy for some types.
    fn is_copy(&self, used: &Used) -> bool {
        match used {
            Used::Own(number) => {
                let (before, after) = self.places[*number];
                let new = after.map(|site| self.after.side.names.is_copy(site));
                new.or(before.map(|site| self.before.side.names.is_copy(site))).unwrap_or_default()
            }
            Used::Foreign(name) => is_specialised(name),
        }
    }
}
