//! The uses of a binding on one side only, in the terms of its authors.

use std::collections::HashSet;

use super::change::Change;
use super::compare::Comparison;
use super::overloading::is_copied;
use super::resolve::{is_evidence, is_specialised, numberless, stem};
use super::tokens::shape;
use super::view::{Used, Uses, View, is_in_source};
use crate::causes::Site;
use crate::core::occurrence::occurrence;

impl Comparison<'_> {
    /// Adds the uses that are new or gone. If both are versions of one function, only that is
    /// reported. Returns the versions that replace each other, and with it each other's cost, and
    /// the bindings unchanged on both sides that only this one stopped or began to use.
    pub(super) fn usage(
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
