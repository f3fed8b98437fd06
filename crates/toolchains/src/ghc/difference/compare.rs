//! What changed from one program to the other, binding by binding.

use std::collections::{HashMap, HashSet};

use super::align::{Pairs, Side};
use super::change::{Change, of_facts, reasons};
use super::resolve::{is_internal, numberless, stem};
use super::tokens::{Token, shape};
use super::view::{Used, Uses, View};
use crate::ghc::causes::Site;
use crate::ghc::causes::names::for_people;
use crate::ghc::core::occurrence::occurrence;
use crate::ghc::core::tree::Expr;

/// So much of a binding's code must have gone over to another binding, for it to be inlined there.
/// Inlining simplifies what it brings, so it is never all of it. Arbitrary.
const BROUGHT_ALONG: f64 = 0.5;

/// The same where the binding itself is gone, so that its code must be somewhere.
const BROUGHT_WHOLE: f64 = 0.25;

/// Code with fewer nodes is found everywhere.
const TELLING_NODES: usize = 4;

/// One binding before and after, or one of the two.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// Where it is in the program before.
    pub before: Option<Site>,
    /// Where it is in the program after.
    pub after: Option<Site>,
    /// Its name for people, with its module: that after, where it is there.
    pub name: String,
    /// Its name before, where it had another one.
    pub renamed_from: Option<String>,
    /// What changed in it; empty where it is the same, and where it is only in one of the two.
    pub changes: Vec<Change>,
    /// Other bindings, by number, whose code went into this one or came out of it.
    pub exchanged: Vec<usize>,
}

impl Aligned {
    /// Whether it is the same before and after.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.before.is_some() && self.after.is_some() && self.changes.is_empty()
    }
}

/// Where a binding is before and after.
type Place = (Option<Site>, Option<Site>);

/// Compares all bindings.
pub(super) fn compare(before: &Side<'_>, after: &Side<'_>, pairs: &Pairs) -> Vec<Aligned> {
    let mut places: Vec<Place> =
        before.sites().map(|site| (Some(site), pairs.after.get(&site).copied())).collect();
    let is_new = |site: &Site| !pairs.before.contains_key(site);
    places.extend(after.sites().filter(is_new).map(|site| (None, Some(site))));
    let numbers = |pick: fn(&Place) -> Option<Site>| {
        places.iter().enumerate().filter_map(|(at, it)| Some((pick(it)?, at))).collect()
    };
    let ours = View::new(before, numbers(|it| it.0));
    let theirs = View::new(after, numbers(|it| it.1));
    let comparison = Comparison { before: &ours, after: &theirs, places: &places };
    places.iter().map(|(before, after)| comparison.aligned(*before, *after)).collect()
}

struct Comparison<'a> {
    before: &'a View<'a>,
    after: &'a View<'a>,
    places: &'a [Place],
}

impl Comparison<'_> {
    fn aligned(&self, before: Option<Site>, after: Option<Site>) -> Aligned {
        let shown = |view: &View<'_>, site| view.side.names.shown(site);
        let old = before.map(|site| shown(self.before, site));
        let new = after.map(|site| shown(self.after, site));
        let is_renamed = before.zip(after).is_some_and(|(before, after)| {
            let stem = |view: &View<'_>, site| numberless(stem(view.name(site))).to_owned();
            stem(self.before, before) != stem(self.after, after)
                || self.module(self.before, before) != self.module(self.after, after)
        });
        let (changes, exchanged) = match (before, after) {
            (Some(before), Some(after)) => self.changes(before, after),
            _ => (Vec::new(), Vec::new()),
        };
        Aligned {
            before,
            after,
            renamed_from: old.clone().filter(|_| is_renamed && old != new),
            name: new.or(old).unwrap_or_default(),
            changes,
            exchanged,
        }
    }

    fn module<'v>(&self, view: &'v View<'_>, site: Site) -> &'v str {
        &view.side.names.program.module_of(site).name
    }

    fn changes(&self, before: Site, after: Site) -> (Vec<Change>, Vec<usize>) {
        let (ours, theirs) = (&self.before.facts[&before], &self.after.facts[&after]);
        let mut changes = of_facts(ours, theirs);
        if shape(&self.before.rows[&before]) == shape(&self.after.rows[&after]) {
            return (changes, Vec::new());
        }
        let mut exchanged = Vec::new();
        let (uses, uses_now) = (self.before.uses(before), self.after.uses(after));
        let inlined = self.absorbed((self.before, before, &uses), (self.after, after, &uses_now));
        let expelled = self.absorbed((self.after, after, &uses_now), (self.before, before, &uses));
        for number in &inlined {
            changes.push(Change::Inlines { what: self.shown(&Used::Own(*number)) });
        }
        for number in &expelled {
            changes.push(Change::NoLongerInlines {
                what: self.shown(&Used::Own(*number)),
                reasons: self.why_not(*number),
            });
        }
        self.split(before, after, &mut changes, &mut exchanged);
        let own = self.after.numbers[&after];
        let hidden: HashSet<usize> =
            inlined.iter().chain(&expelled).chain([&own]).copied().collect();
        exchanged.extend(inlined.into_iter().chain(expelled));
        self.usage(&uses, &uses_now, &hidden, &mut changes);
        if changes.is_empty() {
            changes.push(Change::Body);
        }
        (changes, exchanged)
    }

    /// Whether a worker came or went.
    fn split(
        &self,
        before: Site,
        after: Site,
        changes: &mut Vec<Change>,
        exchanged: &mut Vec<usize>,
    ) {
        match (self.before.worker(before), self.after.worker(after)) {
            (None, Some(worker)) => {
                changes.push(Change::Split);
                exchanged.extend(self.after.numbers.get(&worker));
            }
            (Some(worker), None) => {
                changes.push(Change::NoLongerSplit);
                exchanged.extend(self.before.numbers.get(&worker));
            }
            _ => {}
        }
    }

    /// What is used and was not, and the other way round. Where both are versions of one function, that
    /// is what is said.
    fn usage(
        &self,
        uses: &Uses,
        uses_now: &Uses,
        hidden: &HashSet<usize>,
        changes: &mut Vec<Change>,
    ) {
        let only = |one: &Uses, other: &Uses| -> Vec<Used> {
            let is_hidden = |used: &Used| match used {
                Used::Own(number) => {
                    hidden.iter().any(|it| self.is_piece_of(*number, *it))
                        || self.is_constant(*number)
                        || is_made_up(&self.core_name(used))
                }
                Used::Foreign(_) => false,
            };
            let keys = one.keys().filter(|used| !other.contains_key(used) && !is_hidden(used));
            keys.cloned().collect()
        };
        let (mut gone, mut new) = (only(uses, uses_now), only(uses_now, uses));
        let is_copy = |used: &Used| is_specialised(&self.core_name(used));
        gone.retain(|old| {
            let Some(place) = new.iter().position(|new| self.is_version(old, new)) else {
                return true;
            };
            let now = new.remove(place);
            let what = self.shown(old);
            match (is_copy(old), is_copy(&now)) {
                (false, true) => changes.push(Change::Specialised { what }),
                (true, false) => changes.push(Change::NoLongerSpecialised { what }),
                // A wrapper that is called in place of its worker, or the same under another alias.
                _ => {}
            }
            false
        });
        let names = |used: &[Used]| {
            let mut names: Vec<String> = used.iter().map(|it| self.shown(it)).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let (gone, new) = (names(&gone), names(&new));
        let only = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|name| !other.contains(name)).cloned().collect()
        };
        let (what, what_now) = (only(&gone, &new), only(&new, &gone));
        if !what.is_empty() {
            changes.push(Change::NoLongerUses { what });
        }
        if !what_now.is_empty() {
            changes.push(Change::Uses { what: what_now });
        }
    }

    /// Whether two names are of one function of the source.
    fn is_version(&self, one: &Used, other: &Used) -> bool {
        let version = |used: &Used| numberless(&self.shown(used)).to_owned();
        let foreign = |used: &Used| matches!(used, Used::Foreign(_));
        if foreign(one) && foreign(other) {
            // The module before a name is only printed where it is needed.
            let bare = |used: &Used| stem(&self.core_name(used)).to_owned();
            if bare(one) == bare(other) {
                return true;
            }
        }
        let is_copy =
            is_specialised(&self.core_name(one)) || is_specialised(&self.core_name(other));
        // A copy is made where it is needed, and may be of another module's function.
        let copied = |used: &Used| occurrence(&version(used)).to_owned();
        version(one) == version(other) || (is_copy && copied(one) == copied(other))
    }

    /// Whether a binding is a value, and no code.
    fn is_constant(&self, number: usize) -> bool {
        let (before, after) = self.places[number];
        let facts = before
            .map(|site| &self.before.facts[&site])
            .or(after.map(|site| &self.after.facts[&site]));
        facts.is_some_and(|facts| facts.arity == Some(0))
    }

    fn shown(&self, used: &Used) -> String {
        match used {
            Used::Own(number) => {
                let (before, after) = self.places[*number];
                let new = after.map(|site| self.after.side.names.shown(site));
                new.or(before.map(|site| self.before.side.names.shown(site))).unwrap_or_default()
            }
            Used::Foreign(name) => {
                let module = crate::ghc::core::occurrence::module(name);
                let Some(module) = module else { return for_foreign(name) };
                for_people(module, name)
            }
        }
    }

    fn core_name(&self, used: &Used) -> String {
        match used {
            Used::Own(number) => {
                let (before, after) = self.places[*number];
                let new = after.map(|site| stem(self.after.name(site)));
                new.or(before.map(|site| stem(self.before.name(site))))
                    .unwrap_or_default()
                    .to_owned()
            }
            Used::Foreign(name) => name.clone(),
        }
    }

    /// Whether two bindings are pieces of one function of the source.
    fn is_piece_of(&self, piece: usize, of: usize) -> bool {
        piece == of || self.shown(&Used::Own(piece)) == self.shown(&Used::Own(of))
    }

    /// The bindings that `from` uses and `to` does not, because their code is in `to`. Those are looked
    /// for through each other: what is inlined brings what it uses.
    fn absorbed(
        &self,
        (from, site, uses): (&View<'_>, Site, &Uses),
        (to, target, uses_now): (&View<'_>, Site, &Uses),
    ) -> Vec<usize> {
        let mut more = surplus(&to.rows[&target], &from.rows[&site]);
        let own = from.numbers[&site];
        let mut seen: HashSet<usize> = HashSet::from([own]);
        let mut waiting: Vec<usize> = gone(uses, uses_now);
        let mut found = Vec::new();
        while let Some(number) = waiting.pop() {
            let Some(candidate) = from.sites.get(&number).copied() else { continue };
            if !seen.insert(number) {
                continue;
            }
            // A wrapper is inlined everywhere, and a piece has no name that anybody knows; what they
            // use is what matters.
            let is_through = from.is_wrapper(candidate)
                || from.side.names.is_alias(candidate)
                || is_made_up(stem(from.name(candidate)))
                || self.is_piece_of(number, own);
            let is_gone = !to.sites.contains_key(&number);
            let least = if is_gone { BROUGHT_WHOLE } else { BROUGHT_ALONG };
            if brought(from, candidate, least, &mut more) || is_through {
                if !is_through {
                    found.push(number);
                }
                waiting.extend(gone(&from.uses(candidate), uses_now));
            }
        }
        found.sort_unstable();
        found
    }

    /// Why a binding of the program after is not inlined, though it was.
    fn why_not(&self, number: usize) -> Vec<super::change::Reason> {
        let (before, after) = self.places[number];
        let Some(after) = after else { return Vec::new() };
        let program = self.after.side.names.program;
        let was_own = before.is_none_or(|site| is_internal(self.before.side.names.program, site));
        let is_exported = !is_internal(program, after) && was_own;
        // Others that came along with it do not count: they are only there for other modules, too.
        let is_old = |user: &Site| self.places[self.after.numbers[user]].0.is_some();
        let used_once = self.after.users(after).iter().filter(|it| is_old(it)).count() == 1;
        let facts = &self.after.facts[&after];
        let is_exported_alone =
            is_exported && used_once && !facts.is_recursive && !facts.is_noinline();
        reasons(before.map(|site| &self.before.facts[&site]), facts, is_exported_alone)
    }
}

/// Whether a name is one of a copy that GHC made of an overloaded function for some types.
fn is_specialised(name: &str) -> bool {
    let name = stem(name);
    name.starts_with("$s") || name.contains("_$s") || name.starts_with("$w$s")
}

/// Whether GHC made a name up for a part of a function, so that nobody knows it.
fn is_made_up(stem: &str) -> bool {
    stem.starts_with("lvl") || stem.starts_with("poly_") || stem.starts_with("karg")
}

/// A name of another package for people, where its module is not printed.
fn for_foreign(name: &str) -> String {
    crate::ghc::causes::names::in_source(name).to_owned()
}

/// The bindings of the programs that are used there and not here.
fn gone(uses: &Uses, uses_now: &Uses) -> Vec<usize> {
    let own = uses.keys().filter(|used| !uses_now.contains_key(used));
    own.filter_map(|used| match used {
        Used::Own(number) => Some(*number),
        Used::Foreign(_) => None,
    })
    .collect()
}

/// Whether much of a function's code is in what another binding has more of; then it is taken out of
/// that.
fn brought(view: &View<'_>, candidate: Site, least: f64, more: &mut HashMap<u64, usize>) -> bool {
    let core = view.side.names.program.module_of(candidate).core();
    let binding = view.side.names.program.binding(candidate);
    if core.parameters(binding) == 0 {
        return false;
    }
    let telling = |token: &&Token| {
        // Its parameters are gone where it is inlined, and names alone say little.
        !matches!(core.exprs[token.expr], Expr::Lambda(..)) && token.exact == token.loose
    };
    let its: Vec<u64> = view.rows[&candidate].iter().filter(telling).map(|it| it.loose).collect();
    if its.len() < TELLING_NODES {
        return false;
    }
    let mut taken: HashMap<u64, usize> = HashMap::new();
    for node in &its {
        let there = more.get(node).copied().unwrap_or(0);
        let count = taken.entry(*node).or_default();
        if *count < there {
            *count += 1;
        }
    }
    let count: usize = taken.values().sum();
    if (count as f64) < least * its.len() as f64 {
        return false;
    }
    for (node, count) in taken {
        if let Some(there) = more.get_mut(&node) {
            *there -= count;
        }
    }
    true
}

/// How much more often each node is in one row than in another.
fn surplus(row: &[Token], other: &[Token]) -> HashMap<u64, usize> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for token in row {
        *counts.entry(token.loose).or_default() += 1;
    }
    for token in other {
        if let Some(count) = counts.get_mut(&token.loose) {
            *count = count.saturating_sub(1);
        }
    }
    counts
}
