//! What changed from one program to the other, binding by binding.

use std::collections::HashSet;

use super::align::{Pairs, Side};
use super::brought::{Least, brought, surplus};
use super::change::{Change, Reason, of_facts, reasons};
use super::overloading::is_copied;
use super::resolve::{is_evidence, is_internal, is_specialised, numberless, stem};
use super::tokens::shape;
use super::view::{Used, Uses, View, is_in_source, lines};
use crate::ghc::causes::Site;
use crate::ghc::causes::names::{for_people, in_source};
use crate::ghc::core::occurrence::occurrence;

/// Whether reasons say no more than how large something is.
fn is_silent(reasons: &[Reason]) -> bool {
    reasons.iter().all(|reason| matches!(reason, Reason::Large { .. }))
}

/// So much of a binding's code must have gone over to another binding, for it to be inlined there.
/// Inlining simplifies what it brings, so it is never all of it. Arbitrary.
const BROUGHT_ALONG: f64 = 0.5;

/// The same where the binding itself is gone, so that its code must be somewhere.
const BROUGHT_WHOLE: f64 = 0.25;

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
    /// Whether its code runs once in a program, as far as is seen: only code uses it that runs once.
    pub runs_once: bool,
    /// Other bindings, by number, whose code went into this one or came out of it.
    pub exchanged: Vec<usize>,
}

/// What inlining into code weighs that runs once.
const ONCE: u32 = 45;

impl Aligned {
    /// How much one of its changes explains, by its place, from 0 to 120.
    #[must_use]
    pub fn weight(&self, change: usize) -> u32 {
        match &self.changes[change] {
            Change::Inlines { .. } | Change::NoLongerInlines { .. } if self.runs_once => ONCE,
            change => change.weight(),
        }
    }

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

/// From before to after, or the way back.
#[derive(Clone, Copy)]
enum Direction {
    There,
    Back,
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
            runs_once: before.is_none_or(|site| self.before.once.contains(&site))
                && after.is_none_or(|site| self.after.once.contains(&site)),
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
            changes.push(Change::Inlines {
                what: self.shown(&Used::Own(*number)),
                reasons: self.why_not(*number, Direction::Back),
            });
        }
        for number in &expelled {
            changes.push(Change::NoLongerInlines {
                what: self.shown(&Used::Own(*number)),
                reasons: self.why_not(*number, Direction::There),
            });
        }
        self.split(before, after, &mut changes, &mut exchanged);
        let own = self.after.numbers[&after];
        let hidden: HashSet<usize> =
            inlined.iter().chain(&expelled).chain([&own]).copied().collect();
        exchanged.extend(inlined.into_iter().chain(expelled));
        exchanged.extend(self.usage((before, &uses), (after, &uses_now), &hidden, &mut changes));
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
    /// is what is said. Gives the versions that take each other's place, and with it each other's cost,
    /// and what is the same on both sides, and only this one stopped or began to use.
    fn usage(
        &self,
        (before, uses): (Site, &Uses),
        (after, uses_now): (Site, &Uses),
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
                        // What makes a constructor says what the allocations say.
                        || stem(&self.core_name(used)).starts_with("$W")
                }
                Used::Foreign(name) => is_evidence(name),
            } || is_evidence(&self.core_name(used));
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
            // A copy is named after the module that it is in.
            let what = self.shown(if is_copy(old) { &now } else { old });
            if is_copy(old) != is_copy(&now) {
                versions.extend([old, &now].into_iter().filter_map(|used| match used {
                    Used::Own(number) => Some(*number),
                    Used::Foreign(_) => None,
                }));
            }
            match (is_copy(old), is_copy(&now)) {
                (false, true) => changes.push(Change::Specialised { what }),
                (true, false) => changes.push(Change::NoLongerSpecialised { what }),
                // A wrapper that is called in place of its worker, or the same under another alias.
                _ => {}
            }
            false
        });
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

    /// Takes overloaded functions out of what is used on one side only, where the other has a copy in its
    /// code: one that was inlined has left no name.
    fn inlined_copies(
        &self,
        before: Site,
        after: Site,
        [gone, new]: [&mut Vec<Used>; 2],
        changes: &mut Vec<Change>,
    ) {
        let (ours, theirs) = (self.before, self.after);
        let is_copied = |used: &Used, here, there| match used {
            Used::Own(number) => is_copied((here, *number), there),
            Used::Foreign(_) => false,
        };
        let was_used = |used: &mut Used| is_copied(used, ours, (theirs, after));
        let copied = gone.extract_if(.., was_used).map(|used| self.shown(&used));
        changes.extend(copied.map(|what| Change::Specialised { what }));
        let is_used = |used: &mut Used| is_copied(used, theirs, (ours, before));
        let copied = new.extract_if(.., is_used).map(|used| self.shown(&used));
        changes.extend(copied.map(|what| Change::NoLongerSpecialised { what }));
    }

    /// The same, in which copies of what nobody knows the origin of are replaced by what they use
    /// themselves.
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

    /// Whether only one of the sources has something.
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

    /// The names of what is used for people, each once.
    fn names(&self, used: &[Used]) -> Vec<String> {
        let mut names: Vec<String> = used.iter().map(|it| self.shown(it)).collect();
        names.sort_unstable();
        names.dedup();
        // The module before a name is only printed where it is needed.
        let whole = names.clone();
        names.retain(|name| !whole.iter().any(|it| it.ends_with(&format!(".({name})"))));
        names
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

    /// Whether a binding does the same on both sides.
    fn is_the_same(&self, number: usize) -> bool {
        matches!(self.places[number], (Some(before), Some(after))
            if shape(&self.before.rows[&before]) == shape(&self.after.rows[&after]))
    }

    /// Whether a binding is a copy of something in another package, which is on one side only.
    fn is_nameless_copy(&self, number: usize) -> bool {
        let (before, after) = self.places[number];
        let used = Used::Own(number);
        (before.is_none() || after.is_none())
            && is_specialised(&self.core_name(&used))
            && !self.shown(&used).contains('.')
    }

    /// Whether a binding is a part of another one, with a name that GHC made.
    fn is_piece(&self, number: usize) -> bool {
        let (before, after) = self.places[number];
        let is_piece = |view: &View<'_>, site: Site| view.side.names.is_piece(site);
        before.is_some_and(|site| is_piece(self.before, site))
            || after.is_some_and(|site| is_piece(self.after, site))
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
                // Operations of the machine are known without theirs.
                let module = module.filter(|_| !name.ends_with('#'));
                let Some(module) = module else { return in_source(name).to_owned() };
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
        let whole: usize = more.values().sum();
        let own = from.numbers[&site];
        let mut seen: HashSet<usize> = HashSet::from([own]);
        let mut waiting: Vec<usize> = gone(uses, uses_now);
        let mut found = Vec::new();
        while let Some(number) = waiting.pop() {
            let Some(candidate) = from.sites.get(&number).copied() else { continue };
            if !seen.insert(number) {
                continue;
            }
            // A wrapper, be it of a constructor, is inlined everywhere, and a piece has no name that anybody knows; what they
            // use is what matters.
            let there = to.sites.get(&number);
            // GHC inlines nothing that calls itself; but it may be a loop within the other one.
            let is_loop = from.facts[&candidate].is_recursive
                && there.is_none_or(|there| to.facts[there].is_recursive);
            let is_local = to.facts[&target].has_inner(from.name(candidate));
            if is_loop && !is_local {
                continue;
            }
            let is_through = is_loop
                || from.is_wrapper(candidate)
                || from.side.names.is_alias(candidate)
                || stem(from.name(candidate)).starts_with("$W")
                || from.side.names.is_piece(candidate)
                || self.is_piece_of(number, own);
            let is_gone = there.is_none();
            let least = if is_gone {
                // What is in the source and nowhere in Core was inlined everywhere.
                let of_more = is_in_source(to, from, candidate).then_some((BROUGHT_ALONG, whole));
                Least { of_its: BROUGHT_WHOLE, of_more }
            } else {
                Least { of_its: BROUGHT_ALONG, of_more: None }
            };
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

    /// Why a binding is not inlined in the one program, though it is in the other.
    fn why_not(&self, number: usize, direction: Direction) -> Vec<Reason> {
        let (before, after) = self.places[number];
        let ((here, site), (there, other)) = match direction {
            Direction::There => ((self.after, after), (self.before, before)),
            Direction::Back => ((self.before, before), (self.after, after)),
        };
        let Some(site) = site else { return Vec::new() };
        let is_own = |view: &View<'_>, site| is_internal(view.side.names.program, site);
        let is_exported = !is_own(here, site)
            && other.is_none_or(|other| is_own(there, other))
            && !here.side.names.is_piece(site);
        // Others that came along with it do not count: they are only there for other modules, too.
        let is_in_both = |user: &&Site| {
            let (before, after) = self.places[here.numbers[user]];
            user.module == site.module && before.is_some() && after.is_some()
        };
        let used_once = here.users(site).iter().filter(is_in_both).count() == 1;
        let facts = &here.facts[&site];
        let is_exported_alone =
            is_exported && used_once && !facts.is_recursive && !facts.is_noinline();
        let mut reasons =
            reasons(other.map(|other| &there.facts[&other]), facts, is_exported_alone);
        let lines = [there, here].map(|view| lines(view, here, site));
        if let ([Some(before), Some(after)], true) = (lines, is_silent(&reasons))
            && after > before
        {
            reasons = vec![Reason::Longer { before, after }];
        }
        if let (None, Direction::Back) = (other, direction)
            && !is_in_source(there, here, site)
        {
            // Nobody took a pragma away: somebody took it away with all the rest.
            reasons.retain(|reason| *reason != Reason::Forbidden);
        }
        reasons
    }
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
