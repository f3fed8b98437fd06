//! The changes from one program to the other, binding by binding.

use std::collections::HashSet;

use super::align::{Pairs, Side};
use super::brought::{Least, brought, surplus};
use super::change::{Change, Reason, of_facts, reasons};
use super::resolve::{is_internal, numberless, stem};
use super::tokens::shape;
use super::view::{Used, Uses, View, is_in_source, lines};
use crate::causes::Site;
use crate::causes::names::{for_people, in_source};

/// True if the reasons only give a size.
fn is_silent(reasons: &[Reason]) -> bool {
    reasons.iter().all(|reason| matches!(reason, Reason::Large { .. }))
}

/// The least share of a binding's code that must be in another binding, for it to count as inlined
/// there. Inlining simplifies code, so it is never all of it. Arbitrary.
const BROUGHT_ALONG: f64 = 0.5;

/// The same if the binding itself is gone, so that its code must be somewhere.
const BROUGHT_WHOLE: f64 = 0.25;

/// One binding before and after, or one of the two.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// Its site in the program before.
    pub before: Option<Site>,
    /// Its site in the program after.
    pub after: Option<Site>,
    /// Its name for people, with its module: the one after, if present.
    pub name: String,
    /// Its former name, if different.
    pub renamed_from: Option<String>,
    /// The changes in it; empty if it is the same, or only in one of the two.
    pub changes: Vec<Change>,
    /// Set if its code runs once in a program, as far as visible: only code that runs once uses it.
    pub runs_once: bool,
    /// Other bindings, by number, with code moved into this one or out of it.
    pub exchanged: Vec<usize>,
}

/// The weight of inlining into code that runs once.
const ONCE: u32 = 45;

impl Aligned {
    /// The weight of one of its changes as an explanation, by index, from 0 to 120.
    #[must_use]
    pub fn weight(&self, change: usize) -> u32 {
        match &self.changes[change] {
            Change::Inlines { .. } | Change::NoLongerInlines { .. } if self.runs_once => ONCE,
            change => change.weight(),
        }
    }

    /// True if it is the same before and after.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.before.is_some() && self.after.is_some() && self.changes.is_empty()
    }
}

/// The sites of a binding before and after.
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

/// From before to after, or back.
#[derive(Clone, Copy)]
enum Direction {
    There,
    Back,
}

pub(super) struct Comparison<'a> {
    pub(super) before: &'a View<'a>,
    pub(super) after: &'a View<'a>,
    pub(super) places: &'a [Place],
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

    /// Records a worker that came or went.
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

    pub(super) fn shown(&self, used: &Used) -> String {
        match used {
            Used::Own(number) => {
                let (before, after) = self.places[*number];
                let new = after.map(|site| self.after.side.names.shown(site));
                new.or(before.map(|site| self.before.side.names.shown(site))).unwrap_or_default()
            }
            Used::Foreign(name) => {
                let module = crate::core::occurrence::module(name);
                // Operations of the machine are known without their module.
                let module = module.filter(|_| !name.ends_with('#'));
                let Some(module) = module else { return in_source(name).to_owned() };
                for_people(module, name)
            }
        }
    }

    pub(super) fn core_name(&self, used: &Used) -> String {
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

    /// True if two bindings are pieces of one function of the source.
    pub(super) fn is_piece_of(&self, piece: usize, of: usize) -> bool {
        piece == of || self.shown(&Used::Own(piece)) == self.shown(&Used::Own(of))
    }

    /// The bindings used by `from` but not by `to`, because their code is in `to`. The search
    /// continues through them: inlined code brings its own uses.
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
            // A wrapper, also of a constructor, is inlined everywhere, and the name of a piece is
            // unknown to readers; only their uses matter.
            let there = to.sites.get(&number);
            // GHC does not inline recursive functions; but it may be a loop within the other one.
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
                // A function that is in the source but not in Core was inlined everywhere.
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

    /// The reasons why a binding is not inlined in one program, though it is in the other.
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
        // New users of it do not count: they only exist for other modules, too.
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
            // Not the pragma alone was removed, but the function with it.
            reasons.retain(|reason| *reason != Reason::Forbidden);
        }
        reasons
    }
}

/// The bindings of the programs in `uses` but not in `uses_now`.
fn gone(uses: &Uses, uses_now: &Uses) -> Vec<usize> {
    uses.keys().filter(|used| !uses_now.contains_key(used)).filter_map(Used::own).collect()
}
