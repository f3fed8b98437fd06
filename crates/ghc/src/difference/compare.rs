//! The changes from one program to the other, binding by binding: in the code, and in the known causes
//! of cost that it shows; and the meaning of names in the two, seen through aliases.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::align::{Pairs, Side};
use super::facts::{Change, Facts, Reason, of_facts, reasons};
use super::group::{Least, brought, surplus};
use super::tokens::{hash, shape};
use super::view::{Used, Uses, View, is_in_source, lines};
use crate::causes::names::{for_people, in_source};
use crate::causes::source::definition_line;
use crate::causes::{Cause, Examination, Program, Site};
use crate::core::names::{Name, module, occurrence, split_unique};
use crate::core::tree::Expr;

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
    pub fn weight(&self, change: usize) -> u32 {
        match &self.changes[change] {
            Change::Inlines { .. } | Change::NoLongerInlines { .. } if self.runs_once => ONCE,
            change => change.weight(),
        }
    }

    /// True if it is the same before and after.
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
        let inlined = self.absorbed(self.before, before, &uses, self.after, after, &uses_now);
        let expelled = self.absorbed(self.after, after, &uses_now, self.before, before, &uses);
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
        exchanged.extend(self.usage(before, &uses, after, &uses_now, &hidden, &mut changes));
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
                let module = crate::core::names::module(name);
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
        from: &View<'_>,
        site: Site,
        uses: &Uses,
        to: &View<'_>,
        target: Site,
        uses_now: &Uses,
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
        let core = self.program.core_of(site);
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

/// A cause by its name in data, and the function of the source in which it shows.
type Key<'a> = (&'static str, &'a str);

/// The cause that only goes away together with the dictionaries.
const OVERLOADED_LOOP: &str = "overloaded-loop";

/// The cause that other changes may bring along.
const FUNCTION_ARGUMENT: &str = "function-argument";

/// Adds to each binding the causes that show in it on one side only. An unchanged binding gets
/// none.
pub(super) fn add_causes(
    bindings: &mut [Aligned],
    programs: [&Program; 2],
    examinations: &[Examination; 2],
) {
    let mut sides = [0, 1].map(|side| causes_shown(bindings, side, &examinations[side]));
    let sites = |number: usize| [bindings[number].before, bindings[number].after];
    for (side, other) in [(0, 1), (1, 0)] {
        // With a copy for some types, another finding replaces this one, though it still loops.
        sides[side].retain(|_, (number, cause)| {
            let there = sites(*number)[other];
            let is_overloaded = there
                .is_some_and(|site| Facts::from_binding(programs[other], site).dictionaries > 0);
            let name = &bindings[*number].name;
            let has_copy = || {
                let named = bindings.iter().filter(|it| it.name == *name);
                let mut sites = named.filter_map(|it| [it.before, it.after][other]);
                sites.any(|site| is_specialised(programs[other].name(site)))
            };
            cause.id != OVERLOADED_LOOP || !(is_overloaded || has_copy())
        });
    }
    let mut found = Vec::new();
    for (side, (here, there)) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])].iter().enumerate()
    {
        let alone = here.iter().filter(|(key, _)| !there.contains_key(*key));
        found.extend(alone.map(|(_, (number, cause))| (*number, *cause, side == 1)));
    }
    let known = |side: usize| -> HashSet<String> {
        let there = bindings.iter().filter(|it| [it.before, it.after][side].is_some());
        there.map(|it| it.name.clone()).collect()
    };
    let names = [known(0), known(1)];
    // A cause in a worker is reported for its function, if that is only split on one side.
    for (number, _, now) in &mut found {
        let worker = &bindings[*number];
        let site = [worker.before, worker.after][usize::from(*now)];
        let is_copy = site.is_some_and(|it| is_specialised(programs[usize::from(*now)].name(it)));
        let is_function = |it: &Aligned| {
            it.before.is_some() && it.after.is_some() && !it.is_same() && it.name == worker.name
        };
        if !is_copy && (worker.before.is_none() || worker.after.is_none()) {
            *number = bindings.iter().position(is_function).unwrap_or(*number);
        }
    }
    // A new copy of an existing function is not news about it.
    found.retain(|(number, _, now)| {
        let it = &bindings[*number];
        let is_alone = it.before.is_none() || it.after.is_none();
        let program = programs[usize::from(*now)];
        let site = [it.before, it.after][usize::from(*now)];
        let is_passed = site.is_some_and(|site| is_evidence(program.name(site)));
        !(is_alone && (is_passed || names[usize::from(!*now)].contains(&it.name)))
    });
    // A function may be passed as a consequence of the other changes.
    found.sort_by_key(|(number, cause, _)| (*number, cause.id == FUNCTION_ARGUMENT));
    for (number, cause, now) in found {
        bindings[number].changes.retain(|change| *change != Change::Body);
        let whole = bindings[number].before.is_none() || bindings[number].after.is_none();
        bindings[number].changes.push(Change::Cause { cause, now, whole });
    }
}

/// By cause and function: the first binding in which it shows.
fn causes_shown<'a>(
    bindings: &'a [Aligned],
    side: usize,
    examination: &Examination,
) -> BTreeMap<Key<'a>, (usize, &'static Cause)> {
    let site_of = |aligned: &Aligned| [aligned.before, aligned.after][side];
    let numbers: HashMap<Site, usize> =
        bindings.iter().enumerate().filter_map(|(at, it)| Some((site_of(it)?, at))).collect();
    let mut shown = BTreeMap::new();
    for ranked in examination.ranked.iter().filter(|ranked| !ranked.is_minor()) {
        let cause = ranked.finding.cause;
        if let Some(number) = numbers.get(&ranked.finding.site) {
            let key = (cause.id, bindings[*number].name.as_str());
            shown.entry(key).or_insert((*number, cause));
        }
    }
    let is_changed = |(number, _): &(usize, &'static Cause)| !bindings[*number].is_same();
    // A cause in an unchanged binding shows on both sides, or is due to others.
    shown.retain(|_, it| is_changed(it));
    shown
}
