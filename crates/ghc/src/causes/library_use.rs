//! Time spent in libraries, and the uses that cause it.
//!
//! Precompiled code has no counters; but the stacks of a running program show the function at work,
//! and its callers ([`crate::samples`]). Lazy work is done for the function that needs its result,
//! which may be any function. Core shows which functions mention the function at work (by its name,
//! by GHC's inlined form of it, or by the lines of the program's text), and counters how often these
//! run. A cost is attributed to the function that waits for it, if it mentions the function at work;
//! otherwise to the one that runs most often among those that do.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{Loop, bare, fields, is_primitive, loops, variable};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::Time;
use super::examine::{Basis, Evidence, Finding};
use super::library_table::{COSTLY, RUNTIME};
use super::names::{Location, in_source, note};
use super::program::{Program, Site};
use super::source::{Spelled, words};
use super::source::{declaration, definition_line};
use crate::core::Core;
use crate::core::names::{Name, occurrence, split_unique};
use crate::core::tree::{Binder, Binding, Expr, Id};
use crate::samples::{Function, Samples, Use};

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
                found.push((is_guess, finding(look, samples, costly, site, looks, &mentions)));
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
        let core = program.core_of(site);
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
        let of_it = module.graph.users(it.top).iter().copied();
        waiting.extend(of_it.filter(|top| seen.insert(*top)).map(|top| Site { top, ..it }));
    }
    let (names, _, line) = users.into_iter().max()?;
    Some((names, Location { file: source.path.clone(), line, column: None }))
}

fn finding(
    look: &Look<'_>,
    samples: &Samples,
    costly: &Costly,
    site: Site,
    looks: u64,
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
        at,
        what: format!("`{name}` uses `{}`, which {}", costly.shown, costly.what),
        predicate: Some(format!("uses `{}`, which {}", costly.shown, costly.what)),
        evidence: vec![Evidence { site, within: first.and_then(|it| it.within), focus }],
        remedy: costly.remedy.into(),
        why: costly.why.to_owned(),
        basis: Basis { time: Some(Time { looks, of: samples.working() }), ..Basis::site(site) },
        ..Finding::at_site(&CAUSE, site, Vec::new())
    }
}

/// The least number of runs of code that runs repeatedly. Arbitrary.
const OFTEN: u64 = 20;

/// A place in Core that names a costly function, or contains it inlined.
#[derive(Debug)]
pub(super) struct Mention {
    pub(super) site: Site,
    pub(super) it: Id<Expr>,
    pub(super) within: Option<Id<Binding>>,
    /// The number of runs of the innermost code around it, as far as known.
    pub(super) entries: u64,
    /// The cases around it, from the outside in, and the alternative of each that contains it.
    pub(super) choices: Vec<(Id<Expr>, usize)>,
    pub(super) at: Option<Location>,
    /// The lines that its code may belong to.
    pub(super) lines: HashSet<u64>,
    /// Set if only the module's text names it.
    pub(super) by_text: bool,
}

pub(super) fn mentions(look: &Look<'_>, costly: &Costly) -> Vec<Mention> {
    let program = look.program;
    let mut found: Vec<Mention> =
        costly.spelled.iter().flat_map(|spelled| mentions_of_text(look, spelled)).collect();
    for site in look.sites() {
        let core = program.core_of(site);
        let making = match costly.inlined {
            Inlined::Bytes => making_bytes(program, site),
            Inlined::Boxes => Making::Everywhere,
            Inlined::Never | Inlined::Lines => Making::Nowhere,
        };
        let mut walk = core.walk(program.binding(site).right);
        while let Some(it) = walk.next() {
            let Expr::Variable(name) = core.exprs[it] else { continue };
            let text = core.text(name);
            let of = program.site_of(site.module, name);
            // A function defined here is not a library's, unless GHC copied it.
            let is_own = split_unique(text).is_some() && of.is_none()
                || of.is_some_and(|of| program.location(of).is_some());
            let named =
                !is_own && is_named(costly, text) && !is_harmless(costly, core, walk.path());
            if !named && making.is_nowhere() {
                continue;
            }
            let around = Around::from_path(look, site, walk.path());
            if !named && !around.is_making(program, site, &making, text) {
                continue;
            }
            if costly.when == When::Always || around.entries >= OFTEN {
                let mut lines: HashSet<u64> =
                    around.at.iter().map(|it| u64::from(it.line)).collect();
                if !named {
                    lines.extend(around.lines_within(program, site));
                }
                // GHC moves code together: the use belongs to the function whose text has it.
                let at =
                    program.location_on_path(site, walk.path(), |line| names_one(costly, line));
                let Around { within, entries, choices, .. } = around;
                found.push(Mention {
                    site,
                    it,
                    within,
                    entries,
                    choices,
                    at,
                    lines,
                    by_text: false,
                });
            }
        }
    }
    found
}

/// The places in Core with remains of such functions, on lines that name them in the text of their
/// modules.
fn mentions_of_text(look: &Look<'_>, spelled: &Spelled) -> Vec<Mention> {
    let program = look.program;
    let lines: HashMap<&str, HashSet<u32>> = program
        .modules
        .iter()
        .filter_map(|it| Some((it.source.as_ref()?.path.as_str(), spelled.lines(it))))
        .collect();
    let mut found = Vec::new();
    if lines.values().all(HashSet::is_empty) {
        return found;
    }
    let is_left = |core: &Core, it: Id<Expr>| match core.exprs[it] {
        Expr::Variable(name) => spelled.operations.contains(&occurrence(core.text(name))),
        Expr::Tick(..) => spelled.operations.is_empty(),
        _ => false,
    };
    let named = |text: &str| {
        let at = note(text)?;
        let at = program.source_line(&at.file, at.line.into())?;
        let all = at.line..=last_line(text, at.line);
        let lines = lines.get(&*at.file)?;
        Some(at).filter(|_| all.into_iter().any(|line| lines.contains(&line)))
    };
    for site in look.sites() {
        let core = program.core_of(site);
        let mut walk = core.walk(program.binding(site).right);
        while let Some(it) = walk.next() {
            if !is_left(core, it) {
                continue;
            }
            // One expression may have several notes: its own, and those of code inlined around it.
            let tick = |it: &Id<Expr>| match core.exprs[*it] {
                Expr::Tick(tick, _) => Some(core.text(tick)),
                _ => None,
            };
            let around = walk.path().iter().rev().skip_while(|it| tick(it).is_none());
            let notes: Vec<&str> = around.map_while(tick).collect();
            let Some(at) = notes.iter().copied().find_map(named) else { continue };
            let Around { within, entries, choices, .. } =
                Around::from_path(look, site, walk.path());
            if entries >= OFTEN {
                // Code has only one line: that of any of its notes, or of the function around them.
                let whole =
                    walk.path().iter().filter_map(tick).filter(|it| is_short_around(it, &at));
                let notes = notes.iter().copied().chain(whole).filter_map(note);
                let lines = notes.map(|it| u64::from(it.line)).collect();
                found.push(Mention {
                    site,
                    it,
                    within,
                    entries,
                    choices,
                    at: Some(at),
                    lines,
                    by_text: true,
                });
            }
        }
    }
    found
}

/// The most lines of an expression that are searched for a name: the note of a whole function is
/// around much else.
const MOST_LINES: u32 = 3;

/// The most lines of a function that may consist of just one use of a library.
const MOST_LINES_OF_FUNCTION: u32 = 8;

/// The last line of a note that begins on `first`; `first` for a long note.
fn last_line(tick: &str, first: u32) -> u32 {
    end_line(tick, first).filter(|last| *last < first + MOST_LINES).unwrap_or(first)
}

/// The last line of a note: `src<Interp.hs:(24,12)-(28,38)>`.
fn end_line(tick: &str, first: u32) -> Option<u32> {
    let several = tick.rsplit_once("-(").map(|(_, end)| end.split(',').next()?.parse().ok());
    several.unwrap_or(Some(first))
}

/// True if a note is that of a short declaration around a place.
fn is_short_around(tick: &str, at: &Location) -> bool {
    let Some(first) = note(tick).filter(|it| it.column == Some(1)) else { return false };
    let is_file = at.file.ends_with(&first.file) || first.file.ends_with(&at.file);
    end_line(tick, first.line).is_some_and(|last| {
        (first.line..=last).contains(&at.line) && last < first.line + MOST_LINES_OF_FUNCTION
    }) && is_file
}

fn is_named(costly: &Costly, text: &str) -> bool {
    let (plain, instance) = (plain(text), occurrence(text));
    costly
        .mentions
        .iter()
        .any(|it| *it == plain || (it.starts_with("$f") && instance.starts_with(it)))
}

/// True if a line of a module's text names such a function.
pub(super) fn names_one(costly: &Costly, line: &str) -> bool {
    let code = line.split("--").next().unwrap_or_default();
    let is_one = |word: &str| {
        costly.mentions.iter().any(|name| {
            word.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    };
    !code.starts_with("import") && words(code).any(is_one)
}

/// The largest possible number of calls for some mentions. Only one alternative of a case runs at a
/// time.
pub(super) fn calls(mentions: &[&Mention]) -> u64 {
    calls_below(mentions, 0)
}

fn calls_below(mentions: &[&Mention], depth: usize) -> u64 {
    let mut cases: HashMap<Id<Expr>, HashMap<usize, Vec<&Mention>>> = HashMap::new();
    let mut calls = 0;
    for it in mentions {
        match it.choices.get(depth) {
            Some((case, chosen)) => {
                cases.entry(*case).or_default().entry(*chosen).or_default().push(it);
            }
            None => calls += it.entries,
        }
    }
    let of_case = |alternatives: &HashMap<usize, Vec<&Mention>>| {
        alternatives.values().map(|it| calls_below(it, depth + 1)).max().unwrap_or(0)
    };
    calls + cases.values().map(of_case).sum::<u64>()
}

/// The surroundings of a place in Core.
struct Around {
    within: Option<Id<Binding>>,
    /// All bindings around it within that of the top level, from the outside in.
    bindings: Vec<Id<Binding>>,
    entries: u64,
    choices: Vec<(Id<Expr>, usize)>,
    at: Option<Location>,
}

impl Around {
    fn from_path(look: &Look<'_>, site: Site, path: &[Id<Expr>]) -> Self {
        let core = look.program.core_of(site);
        let (mut bindings, mut choices, mut at) = (Vec::new(), Vec::new(), None);
        // Flags: parameters of a binding may still follow; and there are other lambdas.
        let (mut is_head, mut is_in_lambda) = (true, false);
        for pair in path.windows(2) {
            match core.exprs[pair[0]] {
                Expr::Let(_, group, _) => {
                    is_head = false;
                    if let Some(it) = group.ids().find(|it| core.bindings[*it].right == pair[1]) {
                        bindings.push(it);
                        (is_head, is_in_lambda) = (true, false);
                    }
                }
                Expr::Tick(tick, _) => at = note(core.text(tick)).or(at),
                Expr::Lambda(..) => is_in_lambda |= !is_head,
                Expr::Cast(..) => {}
                Expr::Case(_, _, alternatives) => {
                    is_head = false;
                    let mut all = core.alternatives[alternatives].iter();
                    let chosen = all.position(|it| it.right == pair[1]);
                    choices.extend(chosen.map(|number| (pair[0], number)));
                }
                _ => is_head = false,
            }
        }
        let around = bindings.iter().rev().map(|it| Some(*it)).chain([None]);
        let known = |it| look.costs.own_entries(look.program, site, it);
        let entries = around.filter(|_| !is_in_lambda).find_map(known);
        let entries = entries.unwrap_or_else(|| look.costs.most_entries(site));
        Self { within: bindings.last().copied(), bindings, entries, choices, at }
    }

    /// True if a name makes bytes or an array where these are made in each round.
    fn is_making(&self, program: &Program, site: Site, making: &Making, name: &str) -> bool {
        let core = program.core_of(site);
        let name = occurrence(name);
        match making {
            Making::Nowhere => false,
            Making::Within { bindings, whole } => {
                matches!(name, "newByteArray#" | "newPinnedByteArray#")
                    && (*whole || self.bindings.iter().any(|it| bindings.contains(it)))
            }
            Making::Everywhere if name == "newArray#" => {
                let root =
                    self.within.map_or(program.binding(site).right, |it| core.bindings[it].right);
                copies_elements(core, root)
            }
            Making::Everywhere => false,
        }
    }

    /// The lines of the innermost binding around it.
    fn lines_within(&self, program: &Program, site: Site) -> HashSet<u64> {
        let core = program.core_of(site);
        let root = self.within.map_or(program.binding(site).right, |it| core.bindings[it].right);
        let line = |it| match core.exprs[it] {
            Expr::Tick(tick, _) => Some(u64::from(note(core.text(tick))?.line)),
            _ => None,
        };
        core.walk(root).filter_map(line).collect()
    }
}

/// True if code copies elements of one array into another unchanged: code that makes a new array
/// from something else may also read others, but computes what it writes.
fn copies_elements(core: &Core, root: Id<Expr>) -> bool {
    let is_read = |of: Id<Expr>| core.call(of).is_some_and(|call| reads_array(core, call.function));
    let reads = core.walk(root).filter_map(|it| match core.exprs[it] {
        Expr::Case(of, _, alternatives) if is_read(of) => Some(alternatives),
        _ => None,
    });
    let alternatives = reads.flat_map(|it| &core.alternatives[it]);
    let elements = alternatives.flat_map(|it| &core.binders[it.binders]).map(|it| it.name);
    let elements: HashSet<Name> = elements.collect();
    core.calls_within(root).into_iter().any(|(_, call)| {
        occurrence(core.text(call.function)) == "writeArray#"
            && call.values.get(2).is_some_and(|value| is_one_of(core, *value, &elements))
    })
}

fn reads_array(core: &Core, operation: Name) -> bool {
    matches!(occurrence(core.text(operation)), "indexArray#" | "readArray#")
}

fn is_one_of(core: &Core, value: Id<Expr>, names: &HashSet<Name>) -> bool {
    variable(core, value).is_some_and(|name| names.contains(&name))
}

/// True if the last expression of a path names such a function in a harmless use.
fn is_harmless(costly: &Costly, core: &Core, path: &[Id<Expr>]) -> bool {
    costly.counts && counts_another(core, path) || is_for_input(core, path)
}

/// True if the last expression of a path is passed to a call together with the standard input.
fn is_for_input(core: &Core, path: &[Id<Expr>]) -> bool {
    let call = path.iter().rev().skip(1).find_map(|around| core.call(*around));
    call.is_some_and(|call| {
        call.values.iter().any(|it| {
            matches!(core.exprs[bare(core, *it)],
                Expr::Variable(name) if occurrence(core.text(name)) == "stdin")
        })
    })
}

/// True if the function's call, at the end of a path, receives a list made in the same round, or an
/// element of an array: then it is not the list of the previous round.
fn counts_another(core: &Core, path: &[Id<Expr>]) -> bool {
    let Some(call) = path.iter().rev().find_map(|around| core.call(*around)) else { return false };
    let makes = |it: Id<Expr>| {
        let it = bare(core, it);
        core.call(it).is_some_and(|call| match is_primitive(core.text(call.function)) {
            true => reads_array(core, call.function),
            false => fields(core, it).is_none(),
        })
    };
    let round = path.iter().rposition(|it| matches!(core.exprs[*it], Expr::Lambda(..)));
    let mut made: HashSet<Name> = HashSet::new();
    for it in &path[round.unwrap_or(0)..] {
        match core.exprs[*it] {
            Expr::Case(of, binder, alternatives) if makes(of) => {
                let alternatives = core.alternatives[alternatives].iter();
                let parts = alternatives.flat_map(|it| &core.binders[it.binders]);
                made.extend(parts.map(|it| it.name));
                made.extend(binder.map(|it| core.binders[it].name));
            }
            Expr::Let(_, bindings, _) => {
                let thunks = core.bindings[bindings].iter().filter(|it| makes(it.right));
                made.extend(thunks.map(|it| it.name));
            }
            _ => {}
        }
    }
    call.values.iter().any(|it| makes(*it) || is_one_of(core, *it, &made))
}

/// The places that may make bytes or arrays in each round.
enum Making {
    Nowhere,
    Everywhere,
    /// Within some bindings of one of the top level, or in all of it.
    Within {
        bindings: HashSet<Id<Binding>>,
        whole: bool,
    },
}

impl Making {
    fn is_nowhere(&self) -> bool {
        matches!(self, Self::Nowhere)
    }
}

/// The loops that pass themselves other bytes than they received.
fn making_bytes(program: &Program, site: Site) -> Making {
    let core = program.core_of(site);
    let is_bytes = |it: &Binder| {
        it.signature.is_some_and(|it| {
            let text = core.print_type(it);
            matches!(occurrence(&text), "ByteArray#" | "Text" | "ByteString" | "ForeignPtrContents")
        })
    };
    let passes_others = |it: &Loop| {
        it.calls.iter().any(|(_, call)| {
            let given = it.parameters.iter().zip(&call.values).filter(|(it, _)| is_bytes(it));
            given
                .into_iter()
                .any(|(parameter, value)| variable(core, *value) != Some(parameter.name))
        })
    };
    let loops: Vec<Loop> = loops(program, site).into_iter().filter(passes_others).collect();
    match loops.is_empty() {
        true => Making::Nowhere,
        false => Making::Within {
            whole: loops.iter().any(|it| it.within.is_none()),
            bindings: loops.iter().filter_map(|it| it.within).collect(),
        },
    }
}

/// Library functions that are costly for one reason.
#[derive(Debug)]
pub(super) struct Costly {
    /// Its name in sentences.
    pub(super) shown: &'static str,
    /// The functions in a running program: modules, as of GHC 9.0 (later versions use
    /// `GHC.Internal.` in place of `GHC.`), and names without worker prefix, copy and number.
    pub(super) functions: &'static [(&'static str, &'static [&'static str])],
    /// The names by which Core mentions them.
    pub(super) mentions: &'static [&'static str],
    /// The use that is costly.
    pub(super) when: When,
    /// For functions that traverse a list: the largest mean number of seconds that still means only
    /// a few elements, for which a replacement takes as long. A cell of a list takes 2 ns if it is
    /// in the cache, and comparing a short text 20 ns.
    pub(super) short_seconds: Option<f64>,
    /// Set if it is costly only for a list that it has processed before.
    pub(super) counts: bool,
    /// The evidence of it in Core after inlining.
    pub(super) inlined: Inlined,
    /// The names in a program's text, used if nothing else of it is left.
    pub(super) spelled: Option<Spelled>,
    /// The least share of the time that makes it a finding: [`LEAST`], or more if much of it may be
    /// the purpose of the program.
    pub(super) least: f64,
    /// The problem, as the end of a sentence.
    pub(super) what: &'static str,
    /// The suggested remedy.
    pub(super) remedy: &'static str,
    /// The reason why GHC does not do it.
    pub(super) why: &'static str,
}

/// The use of a function that is costly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Any use, even one.
    Always,
    /// Repeated use.
    Repeated,
    /// Use on its own results, deeply nested.
    Nested,
    /// Repeated use, unless another known cause explains the cost.
    Otherwise,
}

/// The evidence in Core that a function was inlined, so that the program's code does its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inlined {
    /// No evidence.
    Never,
    /// It still has its name, but parts of it are in the code of the same line.
    Lines,
    /// A loop passes itself other bytes in each round, and makes some.
    Bytes,
    /// Code that runs repeatedly makes an array, and copies elements into it.
    Boxes,
}
/// The least share of the time that is a finding. A program that becomes a tenth faster is noticed
/// by its user; most programs spend less than that in any one of these functions. Arbitrary.
pub(super) const LEAST: f64 = 0.1;

/// The entry for a function of a running program, with its name in the form of [`plain`]. A
/// function of the runtime has no module.
pub(super) fn of_program(module: Option<&str>, name: &str) -> Option<&'static Costly> {
    let module = module.unwrap_or(RUNTIME);
    let later = module.strip_prefix("GHC.Internal.");
    // `GHC.Internal.Data.OldList` was `Data.OldList`, `GHC.Internal.Base` was `GHC.Base`.
    let is_module = |known: &str| {
        known == module
            || later.is_some_and(|it| known == it || known.strip_prefix("GHC.") == Some(it))
    };
    COSTLY.iter().find(|it| {
        let has = |names: &[&str]| names.is_empty() || names.contains(&name);
        it.functions.iter().any(|(module, names)| is_module(module) && has(names))
    })
}

/// A name without number and prime: pieces of a function have the function's name with a number.
pub(super) fn plain(name: &str) -> &str {
    // `nub_$snub1` is a copy of `nub`.
    let copied = name.split_once("_$s").map(|(of, _)| of).filter(|of| !of.is_empty());
    let plain = super::names::in_source(copied.unwrap_or(name))
        .trim_end_matches(|last: char| last.is_ascii_digit())
        .trim_end_matches('_');
    if plain.is_empty() { name } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(module: &str, name: &str) -> Option<&'static str> {
        of_program(Some(module), plain(name)).map(|it| it.shown)
    }

    #[test]
    fn workers_copies_and_pieces_are_the_functions_that_they_are_of() {
        assert_eq!(shown("GHC.List", "$w!!"), Some("!!"));
        assert_eq!(shown("GHC.List", "$wlenAcc"), Some("length"));
        assert_eq!(shown("GHC.Base", "++_$s++"), Some("++"));
        assert_eq!(shown("Data.OldList", "nub_$snub1"), Some("nub"));
        assert_eq!(shown("Data.OldList", "elem_by"), Some("nub"));
        assert_eq!(shown("GHC.List", "init1"), Some("last and init"));
        assert_eq!(shown("Text.Read.Lex", "expect2"), Some("read"));
    }

    #[test]
    fn later_versions_have_other_modules() {
        assert_eq!(shown("GHC.Internal.Base", "++"), Some("++"));
        assert_eq!(shown("GHC.Internal.Data.OldList", "nub"), Some("nub"));
        assert_eq!(shown("GHC.Internal.List", "$w!!"), Some("!!"));
    }

    #[test]
    fn what_is_called_alike_elsewhere_is_something_else() {
        assert_eq!(shown("Data.Map.Internal", "insert"), None);
        assert_eq!(shown("Data.Map.Internal", "lookup"), None);
        assert_eq!(shown("Data.Sequence.Internal", "length"), None);
        assert_eq!(shown("Main", "nub"), None);
        assert_eq!(shown("Main", "stmReadTVar"), None);
        assert!(of_program(None, "stmReadTVar").is_some());
    }
}
