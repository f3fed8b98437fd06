//! The pairing of the bindings of two programs.
//!
//! Names given by the source stay. GHC numbers the names that it makes in the order in which it
//! makes them, so a new constant shifts the numbers of all later ones, and uniques change with
//! every compilation. So those are paired first by their contents, then by their similarity and
//! their users.

use std::collections::{HashMap, HashSet};

use super::compare::{Resolved, is_internal, is_of_types, is_specialised, numberless, stem};
use super::tokens::{Token, hash, shape, tokens};
use crate::causes::{Program, Site};

/// The least share of common nodes at which two bindings with the same stem count as one.
/// Arbitrary: a third of a function is not a coincidence.
const ALIKE: f64 = 0.3;

/// The same if only the bodies agree.
const NEARLY_EQUAL: f64 = 0.7;

/// Bodies with fewer nodes are alike by coincidence.
const TELLING_NODES: usize = 8;

/// The weight of common users in the similarity of two bindings.
const NEIGHBOURS: f64 = 0.2;

/// The most pairs of bindings that are compared one by one; beyond, only names are used.
const MOST_PAIRS: usize = 200_000;

/// A program whose bindings are to be paired.
#[derive(Debug)]
pub(super) struct Side<'a> {
    pub(super) names: Resolved<'a>,
    bodies: HashMap<Site, Body>,
    /// By binding: its users, in all modules.
    users: HashMap<Site, Vec<Site>>,
}

/// The contents of a binding.
#[derive(Debug)]
struct Body {
    /// With names of the top level unchanged, except for numbers and uniques.
    shape: u64,
    /// Its nodes, sorted.
    nodes: Vec<u64>,
}

impl<'a> Side<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let names = Resolved::new(program);
        let sites = program.sites().filter(|site| !is_of_types(program.name(*site)));
        let bodies = sites
            .map(|site| {
                let row = rows(&names, site, &|name| names.label(site.module, name));
                let mut nodes: Vec<u64> = row.iter().map(|token| token.loose).collect();
                nodes.sort_unstable();
                (site, Body { shape: shape(&row), nodes })
            })
            .collect();
        let users = users(&names);
        Self { names, bodies, users }
    }

    /// The bindings to be paired, in the order of the dumps.
    pub(super) fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        self.names.program.sites().filter(|site| self.bodies.contains_key(site))
    }

    fn name(&self, site: Site) -> &str {
        self.names.program.name(site)
    }

    /// The bindings of the top level that use one.
    pub(super) fn users(&self, site: Site) -> &[Site] {
        self.users.get(&site).map_or(&[], Vec::as_slice)
    }
}

/// By binding: its users, each once.
fn users(names: &Resolved<'_>) -> HashMap<Site, Vec<Site>> {
    let program = names.program;
    let mut users: HashMap<Site, Vec<Site>> = HashMap::new();
    for user in program.sites() {
        let core = program.core_of(user);
        core.free_occurrences(program.binding(user).right, |name, _| {
            let Some(used) = names.site(user.module, name).filter(|used| *used != user) else {
                return;
            };
            let users = users.entry(used).or_default();
            if users.last() != Some(&user) {
                users.push(user);
            }
        });
    }
    users
}

/// The tokens of a binding of the top level, with its own name replaced by a common one.
pub(super) fn rows(
    names: &Resolved<'_>,
    site: Site,
    label: &dyn Fn(crate::core::names::Name) -> u64,
) -> Vec<Token> {
    let binding = names.program.binding(site);
    let own = hash("self");
    tokens(names.program.core_of(site), binding, &|name| {
        if name == binding.name { own } else { label(name) }
    })
}

/// The pairs of bindings.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) after: HashMap<Site, Site>,
    pub(super) before: HashMap<Site, Site>,
}

impl Pairs {
    fn add(&mut self, before: Site, after: Site) {
        self.after.insert(before, after);
        self.before.insert(after, before);
    }
}

struct Alignment<'a> {
    before: &'a Side<'a>,
    after: &'a Side<'a>,
    pairs: Pairs,
}

/// Pairs the bindings of two programs.
pub(super) fn align(before: &Side<'_>, after: &Side<'_>) -> Pairs {
    let mut it = Alignment { before, after, pairs: Pairs::default() };
    let of_module = |side: &Side<'_>| {
        let mut modules: HashMap<String, Vec<Site>> = HashMap::new();
        for site in side.sites() {
            let name = side.names.program.module_of(site).name.clone();
            modules.entry(name).or_default().push(site);
        }
        modules
    };
    let (befores, afters) = (of_module(before), of_module(after));
    let mut names: Vec<&String> =
        befores.keys().filter(|name| afters.contains_key(*name)).collect();
    names.sort_unstable();
    for name in names {
        it.module(&befores[name], &afters[name]);
    }
    // A binding of a module that is gone may be in a new one.
    let (lost, found) =
        it.open(&before.sites().collect::<Vec<_>>(), &after.sites().collect::<Vec<_>>());
    it.by_key(&lost, &found, |side, site| {
        let is_own = !is_internal(side.names.program, site);
        is_own.then(|| hash((stem(side.name(site)), side.bodies[&site].shape)))
    });
    let (lost, found) = it.open(&lost, &found);
    it.alike(&lost, &found, ALIKE, |before, after| before == after);
    it.pairs
}

impl Alignment<'_> {
    /// The bindings of both that are not paired yet.
    fn open(&self, befores: &[Site], afters: &[Site]) -> (Vec<Site>, Vec<Site>) {
        let lost = befores.iter().filter(|it| !self.pairs.after.contains_key(it));
        let found = afters.iter().filter(|it| !self.pairs.before.contains_key(it));
        (lost.copied().collect(), found.copied().collect())
    }

    /// Pairs the bindings of one module.
    fn module(&mut self, befores: &[Site], afters: &[Site]) {
        // Names given by the source, or made from one.
        self.by_key(befores, afters, |side, site| {
            let name = side.name(site);
            let is_given = !is_internal(side.names.program, site) && numberless(name) == name;
            is_given.then(|| hash(stem(name)))
        });
        let (lost, found) = self.open(befores, afters);
        // The same name with equal contents; then with any number.
        self.by_key(&lost, &found, |side, site| {
            Some(hash((stem(side.name(site)), side.bodies[&site].shape)))
        });
        let (lost, found) = self.open(&lost, &found);
        self.by_key(&lost, &found, |side, site| {
            Some(hash((numberless(stem(side.name(site))), side.bodies[&site].shape)))
        });
        let (lost, found) = self.open(&lost, &found);
        let same_stem = |one: &str, other: &str| numberless(one) == numberless(other);
        self.alike(&lost, &found, ALIKE, same_stem);
        let (lost, found) = self.open(&lost, &found);
        self.only_one(&lost, &found, |name| Some(numberless(stem(name))));
        // A function that was not split and is a worker now, or vice versa: one function, but not a
        // copy.
        let (lost, found) = self.open(&lost, &found);
        self.only_one(&lost, &found, |name| {
            let name = numberless(stem(name));
            (!is_specialised(name)).then(|| name.strip_prefix("$w").unwrap_or(name))
        });
        let (lost, found) = self.open(&lost, &found);
        self.only_user(&lost, &found);
        let (lost, found) = self.open(&lost, &found);
        self.by_key(&lost, &found, |side, site| {
            let body = &side.bodies[&site];
            (body.nodes.len() >= TELLING_NODES).then_some(body.shape)
        });
        let (lost, found) = self.open(&lost, &found);
        self.alike(&lost, &found, NEARLY_EQUAL, |_, _| true);
    }

    /// Pairs bindings with the same key, in order, if both sides have equally many of it.
    fn by_key(
        &mut self,
        befores: &[Site],
        afters: &[Site],
        key: impl Fn(&Side<'_>, Site) -> Option<u64>,
    ) {
        let (before, after) = (self.before, self.after);
        let keyed = |side: &Side<'_>, sites: &[Site]| {
            let mut keyed: HashMap<u64, Vec<Site>> = HashMap::new();
            for site in sites {
                if let Some(key) = key(side, *site) {
                    keyed.entry(key).or_default().push(*site);
                }
            }
            keyed
        };
        let afters = keyed(after, afters);
        for (key, befores) in keyed(before, befores) {
            if let Some(afters) = afters.get(&key).filter(|it| it.len() == befores.len()) {
                befores.iter().zip(afters).for_each(|(one, other)| self.pairs.add(*one, *other));
            }
        }
    }

    /// Pairs bindings whose name, as mapped by `key`, is unique, however different they are.
    /// Constants floated out of functions have meaningless names.
    fn only_one(&mut self, befores: &[Site], afters: &[Site], key: impl Fn(&str) -> Option<&str>) {
        self.alone(befores, afters, |_, side, site| {
            let name = side.name(site);
            key(name).filter(|_| !stem(name).starts_with("lvl")).map(hash)
        });
    }

    /// Pairs functions, with names that GHC made up, that have a unique combination of stem and
    /// users.
    fn only_user(&mut self, befores: &[Site], afters: &[Site]) {
        let before = self.before;
        self.alone(befores, afters, |pairs, side, site| {
            let program = side.names.program;
            let core = program.core_of(site);
            let is_function = core.arity(program.binding(site)).is_some_and(|arity| arity > 0);
            let [user] = side.users(site)[..] else { return None };
            // The user's binding after, on both sides.
            let user = match std::ptr::eq(side, before) {
                true => *pairs.after.get(&user)?,
                false => user,
            };
            is_function.then(|| hash((user, numberless(stem(side.name(site))))))
        });
    }

    /// Pairs bindings whose key is unique on either side.
    fn alone(
        &mut self,
        befores: &[Site],
        afters: &[Site],
        key: impl Fn(&Pairs, &Side<'_>, Site) -> Option<u64>,
    ) {
        let alone = |side: &Side<'_>, sites: &[Site]| {
            let mut counts: HashMap<u64, (usize, Site)> = HashMap::new();
            for site in sites {
                if let Some(key) = key(&self.pairs, side, *site) {
                    counts.entry(key).or_insert((0, *site)).0 += 1;
                }
            }
            counts.retain(|_, (count, _)| *count == 1);
            counts
        };
        let (lost, found) = (alone(self.before, befores), alone(self.after, afters));
        for (key, (_, before)) in lost {
            if let Some((_, after)) = found.get(&key) {
                self.pairs.add(before, *after);
            }
        }
    }

    /// Pairs bindings whose stems may match, the most similar first.
    fn alike(
        &mut self,
        befores: &[Site],
        afters: &[Site],
        least: f64,
        may: impl Fn(&str, &str) -> bool,
    ) {
        let mut candidates = Vec::new();
        if befores.len() * afters.len() > MOST_PAIRS {
            return;
        }
        for (place, before) in befores.iter().enumerate() {
            let name = stem(self.before.name(*before));
            for (other, after) in afters.iter().enumerate() {
                let shown = stem(self.after.name(*after));
                if !may(name, shown) {
                    continue;
                }
                let same_name = if name == shown { 0.1 } else { 0.0 };
                let alike = self.likeness(*before, *after);
                if alike >= least {
                    let score = alike + same_name + NEIGHBOURS * self.neighbours(*before, *after);
                    candidates.push((score, place.abs_diff(other), place + other, *before, *after));
                }
            }
        }
        candidates.sort_by(|one, other| {
            other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2))
        });
        for (_, _, _, before, after) in candidates {
            let is_open =
                !self.pairs.after.contains_key(&before) && !self.pairs.before.contains_key(&after);
            if is_open {
                self.pairs.add(before, after);
            }
        }
    }

    /// The share of common nodes of two bindings, from 0 to 1 (Dice's coefficient).
    fn likeness(&self, before: Site, after: Site) -> f64 {
        let (one, other) = (&self.before.bodies[&before].nodes, &self.after.bodies[&after].nodes);
        let all = one.len() + other.len();
        if all == 0 {
            return 1.0;
        }
        2.0 * common(one, other) as f64 / all as f64
    }

    /// The share of their users that are paired with each other, from 0 to 1.
    fn neighbours(&self, before: Site, after: Site) -> f64 {
        let befores = self.before.users(before);
        let afters: HashSet<Site> = self.after.users(after).iter().copied().collect();
        let most = befores.len().max(afters.len());
        let shared = befores.iter().filter_map(|user| self.pairs.after.get(user));
        let shared = shared.filter(|user| afters.contains(user)).count();
        if most == 0 { 0.0 } else { shared as f64 / most as f64 }
    }
}

/// The number of common elements of two sorted lists.
fn common(one: &[u64], other: &[u64]) -> usize {
    let (mut left, mut right, mut count) = (0, 0, 0);
    while let (Some(first), Some(second)) = (one.get(left), other.get(right)) {
        match first.cmp(second) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                (left, right, count) = (left + 1, right + 1, count + 1);
            }
        }
    }
    count
}
