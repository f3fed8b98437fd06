//! Time spent in libraries, and the uses that cause it.
//!
//! Precompiled code has no counters; but the stacks of a running program show the function at work,
//! and its callers ([`super::super::samples`]). Lazy work is done for the function that needs its
//! result, which may be any function. Core shows which functions mention the function at work, and
//! counters how often these run. A cost is attributed to the function that waits for it, if it
//! mentions the function at work; otherwise to the one that runs most often among those that do.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::cause::{Cause, Look, Need, Paid};
use super::costs::Time;
use super::declarations::{declaration, definition_line};
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::library_functions::{Costly, Inlined, When, of_program, plain};
use super::library_mentions::{Mention, calls, mentions, names_one};
use super::library_table::COSTLY;
use super::names::{Location, in_source};
use super::program::{Program, Site};
use crate::core::arena::Id;
use crate::core::tree::Expr;
use crate::samples::{Function, Samples, Use};

/// Library functions that are costly in their current use.
pub(super) static CAUSE: Cause = Cause {
    id: "library-use",
    title: "uses a library at great cost",
    about: "Much of the time passes in functions of a library that are known to be costly when they are \
            used like this: again and again on the same structure, or on their own results.",
    seed: "the libraries' documentation, which gives the complexity of each function",
    needs: &[Need::Ticky, Need::Samples],
    // In the test pairs nearly all of it went away.
    explains: 0.95,
    paid: Paid::Time,
    find,
};

/// The least mean number of levels of a function that works on its own results: any program that
/// puts a line together has a few. Arbitrary.
const DEEP: f64 = 8.0;

fn find(look: &Look<'_>) -> Vec<Finding> {
    let Ok(samples) = &look.program.samples else { return Vec::new() };
    let copies = copies(look.program);
    let is_inlined = |it: &Costly| it.inlined != Inlined::Never || it.spelled.is_some();
    let at_work: Vec<(Vec<&Costly>, &Use)> =
        samples.uses.iter().map(|it| (known(look.program, &copies, it), it)).collect();
    let is_at_work =
        |it: &Costly| at_work.iter().any(|(known, _)| known.iter().any(|known| is_same(known, it)));
    // Functions that the program does not use run for something else.
    let asked = COSTLY.iter().filter(|it| is_inlined(it) || is_at_work(it));
    let asked = asked.map(|it| (it, mentions(look, it))).filter(|(_, all)| !all.is_empty());
    let asked: Vec<(&Costly, Vec<Mention>)> = asked.collect();
    let is_asked = |it: &&Costly| asked.iter().any(|(asked, _)| is_same(asked, it));
    let of_library: Vec<(Option<&Costly>, &Use)> = at_work
        .into_iter()
        .map(|(known, it)| (innermost(known.into_iter().filter(is_asked)), it))
        .collect();
    let (mut found, mut told_by_text) = (Vec::new(), HashSet::new());
    for (costly, mentions) in &asked {
        let is_it = |it: &&(Option<&Costly>, &Use)| it.0.is_some_and(|it| is_same(it, costly));
        let uses: Vec<&Use> = of_library.iter().filter(is_it).map(|(_, it)| *it).collect();
        let mut blamed = blamed(&uses, mentions);
        if is_inlined(costly) {
            let own = of_library.iter().filter(|(known, _)| known.is_none()).map(|(_, it)| *it);
            add_inlined(look.program, own, mentions, &mut blamed);
        }
        for (site, looks) in blamed {
            if looks as f64 >= costly.least * samples.working() as f64 {
                let mentions: Vec<&Mention> =
                    mentions.iter().filter(|it| it.site == site).collect();
                let by_text =
                    costly.spelled.as_ref().filter(|_| mentions.iter().all(|it| it.by_text));
                let short_seconds = by_text.map(|it| it.short_seconds).or(costly.short_seconds);
                if short_seconds.is_some_and(|it| are_short(samples, looks, &mentions, it)) {
                    continue;
                }
                told_by_text.extend(by_text.map(|_| site));
                let is_guess = costly.inlined == Inlined::Bytes && by_text.is_none();
                found.push((is_guess, finding(look, samples, costly, (site, looks), &mentions)));
            }
        }
    }
    // Bytes made by a loop are those of an array if its text says so.
    found.retain(|(is_guess, it)| !is_guess || !told_by_text.contains(&it.site));
    found.into_iter().map(|(_, it)| it).collect()
}

/// True if some searches are short on average. If there are fewer of them than runs of the code
/// around them, they are longer than assumed here.
fn are_short(samples: &Samples, looks: u64, mentions: &[&Mention], each_seconds: f64) -> bool {
    // Several notes may belong to one call, some of them within a loop that was inlined.
    let mut of_lines: HashMap<&Location, u64> = HashMap::new();
    for (at, it) in
        mentions.iter().filter(|it| it.by_text).filter_map(|it| it.at.as_ref().zip(Some(it)))
    {
        let least = of_lines.entry(at).or_insert(it.entries);
        *least = it.entries.min(*least);
    }
    let others: Vec<&Mention> = mentions.iter().copied().filter(|it| !it.by_text).collect();
    let calls = of_lines.values().sum::<u64>() + calls(&others);
    let share = looks as f64 / samples.working() as f64;
    samples.mutator_seconds.is_some_and(|all| share * all < each_seconds * calls as f64)
}

/// Adds the samples of the program's code, or of the runtime working for it, in lines where a
/// function is inlined.
fn add_inlined<'a>(
    program: &Program,
    uses: impl Iterator<Item = &'a Use>,
    mentions: &[Mention],
    blamed: &mut BTreeMap<Site, u64>,
) {
    let mut lines: BTreeMap<Site, HashSet<u64>> = BTreeMap::new();
    for it in mentions {
        lines.entry(it.site).or_default().extend(&it.lines);
    }
    let has = |site: &Site, line: u64| lines.get(site).is_some_and(|it| it.contains(&line));
    for it in uses.filter(|it| it.functions.iter().all(|it| it.module.is_none())) {
        let Some(site) = it.site else { continue };
        // The code of a binding that no other module sees has no symbol, and seems to belong to the
        // next.
        let is_hidden =
            |other: &Site| other.module == site.module && !program.name(*other).contains('.');
        for ((_, line), looks) in &it.lines {
            let mut hidden = lines.keys().copied().filter(is_hidden);
            let place = Some(site).filter(|site| has(site, *line));
            if let Some(place) = place.or_else(|| hidden.find(|other| has(other, *line))) {
                *blamed.entry(place).or_default() += looks;
            }
        }
    }
}

fn is_same(one: &Costly, other: &Costly) -> bool {
    std::ptr::eq(one, other)
}

/// The costly functions at work in some samples, from the outside in; without any, the one that the
/// program's code is a copy of.
fn known(program: &Program, copies: &Copies, it: &Use) -> Vec<&'static Costly> {
    let is_deep = it.depth as f64 >= DEEP * it.looks as f64;
    let of = |function: &Function| {
        let module = function.module.as_deref();
        let known = of_program(module, plain(&function.name)).or_else(|| {
            let site = program.site_named(&format!("{}.{}", module?, function.name))?;
            copies.get(&site).copied()
        });
        known.filter(|it| is_deep || it.when != When::Nested)
    };
    let known: Vec<&Costly> = it.functions.iter().filter_map(of).collect();
    let own =
        it.site.filter(|_| it.functions.is_empty()).and_then(|site| copies.get(&site).copied());
    known.into_iter().chain(own).collect()
}

/// The innermost of several functions at work, for which the others wait.
fn innermost(
    known: impl DoubleEndedIterator<Item = &'static Costly> + Clone,
) -> Option<&'static Costly> {
    let mut all = known.rev();
    all.clone().find(|it| it.when != When::Otherwise).or_else(|| all.next())
}

/// The bindings of the program's modules that GHC copied from costly functions, specialised for
/// some type.
type Copies = HashMap<Site, &'static Costly>;

/// Functions of lists that Data.Map and Data.Set have, too. Core does not show which one a copy is
/// from.
const OF_CONTAINERS: [&str; 6] = ["insert", "delete", "union", "lookup", "elem", "notElem"];

fn copies(program: &Program) -> Copies {
    let mut copies = Copies::new();
    let mut waiting = Vec::new();
    let is_foreign = |site: Site| program.location(site).is_none();
    for site in program.sites() {
        let name = program.name(site);
        let is_copy =
            name.contains("$s") && is_foreign(site) && !OF_CONTAINERS.contains(&plain(name));
        let mentioned = |it: &&Costly| it.mentions.contains(&plain(name));
        if let Some(costly) = COSTLY.iter().filter(|_| is_copy).find(mentioned) {
            copies.insert(site, costly);
            waiting.push(site);
        }
    }
    // The library code used by the copies.
    while let Some(site) = waiting.pop() {
        let core = program.module_of(site).core();
        for it in core.walk(program.binding(site).right) {
            if let Expr::Variable(name) = core.exprs[it]
                && let Some(used) = program.site_of(site.module, name)
                && is_foreign(used)
                && !copies.contains_key(&used)
            {
                copies.insert(used, copies[&site]);
                waiting.push(used);
            }
        }
    }
    copies
}

/// The sites that the samples are attributed to, and their number for each.
fn blamed(uses: &[&Use], mentions: &[Mention]) -> BTreeMap<Site, u64> {
    let sites: HashSet<Site> = mentions.iter().map(|it| it.site).collect();
    let mut blamed: BTreeMap<Site, u64> = BTreeMap::new();
    let mut others = 0;
    for it in uses {
        match it.site.filter(|site| sites.contains(site)) {
            Some(site) => *blamed.entry(site).or_default() += it.looks,
            None => others += it.looks,
        }
    }
    let seen = |site: &Site| blamed.get(site).copied().unwrap_or(0);
    let first = mentions.iter().rev().max_by_key(|it| (it.entries, seen(&it.site)));
    if let Some(first) = first.map(|it| it.site) {
        *blamed.entry(first).or_default() += others;
    }
    blamed
}

/// The only line of the module's text that names one of these functions, if it is the only one: GHC
/// moves the call to the place where its result is used.
fn only_use(program: &Program, site: Site, costly: &Costly) -> Option<Location> {
    let source = program.module_of(site).source.as_ref()?;
    let mut lines = source.text.lines().enumerate().filter(|(_, line)| names_one(costly, line));
    let (Some((number, _)), None) = (lines.next(), lines.next()) else { return None };
    let line = u32::try_from(number + 1).ok()?;
    Some(Location { file: source.path.clone(), line, column: None })
}

/// The function in the module's text that uses code missing from the text, because GHC took it out
/// of several functions or copied it from a library: preferably one that names the costly function,
/// then the one that runs most often. The flag is set if it names it.
fn user(look: &Look<'_>, site: Site, costly: &Costly) -> Option<(bool, Location)> {
    let program = look.program;
    let module = program.module_of(site);
    let source = module.source.as_ref()?;
    let defined = |it: Site| definition_line(&source.text, in_source(program.name(it)));
    let mut waiting: Vec<Site> =
        Some(site).filter(|it| defined(*it).is_none()).into_iter().collect();
    let (mut seen, mut users) = (HashSet::from([site.top]), Vec::new());
    while let Some(it) = waiting.pop() {
        if let Some(first) = defined(it) {
            let mut lines = (first..).zip(declaration(&source.text, first));
            let naming = lines.find(|(_, line)| names_one(costly, line)).map(|(number, _)| number);
            users.push((naming.is_some(), look.costs.site(it).entries, naming.unwrap_or(first)));
            continue;
        }
        let of_it = module.graph.users(module.binding(it.top).name);
        let of_it = of_it.filter_map(|it| module.top(module.core().bindings[it.binding].name));
        waiting.extend(of_it.filter(|top| seen.insert(*top)).map(|top| Site { top, ..it }));
    }
    let (names, _, line) = users.into_iter().max()?;
    Some((names, Location { file: source.path.clone(), line, column: None }))
}

fn finding(
    look: &Look<'_>,
    samples: &Samples,
    costly: &Costly,
    (site, looks): (Site, u64),
    mentions: &[&Mention],
) -> Finding {
    let program = look.program;
    let naming = |at: &Location| program.declaration_has(site, at, |it| names_one(costly, it));
    let first = mentions.iter().max_by_key(|it| (it.entries, it.at.as_ref().is_some_and(naming)));
    // The lines of a type, from which an instance is derived, call nothing.
    let asks = |at: &Location| program.declared(site, at).is_some();
    let nearest = first.and_then(|it| it.at.clone()).filter(asks);
    let nearest = match user(look, site, costly) {
        Some((true, at)) if !nearest.as_ref().is_some_and(naming) => Some(at),
        Some((_, at)) => nearest.or(Some(at)),
        None => nearest,
    };
    let is_own = |at: &Location| {
        program.module_of(site).source.as_ref().is_some_and(|it| it.path == at.file)
    };
    let only = only_use(program, site, costly).filter(|_| nearest.as_ref().is_none_or(is_own));
    let at = only.or(nearest);
    let name = program.name_at(site, at.as_ref());
    let focus: Vec<Id<Expr>> = mentions.iter().map(|it| it.it).collect();
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at,
        what: format!("`{name}` uses `{}`, which {}", costly.shown, costly.what),
        evidence: vec![Evidence { site, within: first.and_then(|it| it.within), focus }],
        remedy: Remedy { text: costly.remedy.to_owned(), change: None },
        why: costly.why.to_owned(),
        basis: Basis { time: Some(Time { looks, of: samples.working() }), ..Basis::site(site) },
    }
}
