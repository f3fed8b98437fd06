//! Time that passes in libraries, and the use of them that it passes for.
//!
//! No counter is in code that was compiled before; but the stacks of a running program tell what it does,
//! and for whom ([`super::super::samples`]). What is lazy is done for whoever asks for its result, which
//! may be any function. Core tells which functions mention what is at work, and counters how often these
//! run. A cost is that of the function that waits for it, if it mentions what is at work; otherwise of
//! the one among those that do that runs most often.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bound::{bare, fields, is_primitive};
use super::cause::{Cause, Look, Need, Paid};
use super::costs::Time;
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::library_functions::{COSTLY, Costly, Inlined, When, of_program, plain};
use super::loops::{Loop, loops};
use super::names::{Location, in_source, note};
use super::program::{Program, Site};
use super::spelled::Spelled;
use crate::ghc::core::Core;
use crate::ghc::core::arena::Id;
use crate::ghc::core::names::Name;
use crate::ghc::core::occurrence::{occurrence, split_unique};
use crate::ghc::core::tree::{Binder, Binding, Expr};
use crate::ghc::samples::{Function, Samples, Use};

/// Functions of libraries that are costly as they are used.
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

/// What runs as often as this is run again and again. Arbitrary.
const OFTEN: u64 = 20;

/// With so many levels on the average, a function works on its own results: a few are what any program
/// has that puts a line together. Arbitrary.
const DEEP: f64 = 8.0;

fn find(look: &Look<'_>) -> Vec<Finding> {
    let Ok(samples) = &look.program.samples else { return Vec::new() };
    let copies = copies(look.program);
    let of_library = samples.uses.iter().map(|it| (costly_of(look.program, &copies, it), it));
    let of_library: Vec<(Option<&Costly>, &Use)> = of_library.collect();
    let mut found = Vec::new();
    for costly in &COSTLY {
        let is_it = |it: &&(Option<&Costly>, &Use)| it.0.is_some_and(|it| std::ptr::eq(it, costly));
        let uses: Vec<&Use> = of_library.iter().filter(is_it).map(|(_, it)| *it).collect();
        let is_inlined = costly.inlined != Inlined::Never || costly.spelled.is_some();
        if uses.is_empty() && !is_inlined {
            continue;
        }
        let mentions = mentions(look, costly);
        let mut blamed = blamed(&uses, &mentions);
        if is_inlined {
            let own = of_library.iter().filter(|(known, _)| known.is_none()).map(|(_, it)| *it);
            add_inlined(own, &mentions, &mut blamed);
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
                found.push(finding(look, samples, costly, (site, looks), &mentions));
            }
        }
    }
    found
}

/// Whether some searches are short on the average. There may be fewer of them than the code around them
/// ran: then they are longer than this takes them to be.
fn are_short(samples: &Samples, looks: u64, mentions: &[&Mention], each_seconds: f64) -> bool {
    // Several notes are of one call, some of them within a loop that was inlined.
    let mut of_lines: HashMap<&Location, u64> = HashMap::new();
    for (at, it) in
        mentions.iter().filter(|it| it.by_text).filter_map(|it| it.at.as_ref().zip(Some(it)))
    {
        let least = of_lines.entry(at).or_insert(it.entries);
        *least = it.entries.min(*least);
    }
    let others = mentions.iter().filter(|it| !it.by_text).map(|it| it.entries);
    let calls: u64 = of_lines.values().copied().chain(others).sum();
    let share = looks as f64 / samples.working() as f64;
    samples.mutator_seconds.is_some_and(|all| share * all < each_seconds * calls as f64)
}

/// Adds the looks at the program's own code, or at what the runtime does for it, in lines where a
/// function is inlined.
fn add_inlined<'a>(
    uses: impl Iterator<Item = &'a Use>,
    mentions: &[Mention],
    blamed: &mut BTreeMap<Site, u64>,
) {
    let mut lines: HashMap<Site, HashSet<u64>> = HashMap::new();
    for it in mentions {
        lines.entry(it.site).or_default().extend(&it.lines);
    }
    for it in uses.filter(|it| it.functions.iter().all(|it| it.module.is_none())) {
        let Some((site, lines)) = it.site.and_then(|site| Some((site, lines.get(&site)?))) else {
            continue;
        };
        let looks = it.lines.iter().filter(|((_, line), _)| lines.contains(line));
        *blamed.entry(site).or_default() += looks.map(|(_, looks)| looks).sum::<u64>();
    }
}

/// The costly function at work in some looks: of several the innermost, which the others wait for.
fn costly_of(program: &Program, copies: &Copies, it: &Use) -> Option<&'static Costly> {
    let is_deep = it.depth as f64 >= DEEP * it.looks as f64;
    let known = |function: &Function| {
        let module = function.module.as_deref()?;
        let known = of_program(module, plain(&function.name)).or_else(|| {
            let site = program.site_named(&format!("{module}.{}", function.name))?;
            copies.get(&site).copied()
        });
        known.filter(|it| is_deep || it.when != When::Nested)
    };
    let own = || it.site.filter(|_| it.functions.is_empty());
    let innermost = it.functions.iter().rev().find_map(known);
    innermost.or_else(|| own().and_then(|site| copies.get(&site).copied()))
}

/// The bindings of the program's modules that GHC copied from such functions, for one type or another.
type Copies = HashMap<Site, &'static Costly>;

/// Functions of lists that Data.Map and Data.Set have, too. Core does not say of which a copy is.
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
    // What they alone are made of.
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

/// A place in Core that names such a function, or does what it does.
#[derive(Debug)]
struct Mention {
    site: Site,
    it: Id<Expr>,
    within: Option<Id<Binding>>,
    /// How often the innermost code around it ran, as far as it is known.
    entries: u64,
    at: Option<Location>,
    /// The lines of which its code may be.
    lines: HashSet<u64>,
    /// Whether only the module's text names it.
    by_text: bool,
}

fn mentions(look: &Look<'_>, costly: &Costly) -> Vec<Mention> {
    let program = look.program;
    let mut found: Vec<Mention> =
        costly.spelled.iter().flat_map(|spelled| mentions_of_text(look, spelled)).collect();
    for site in look.sites() {
        let core = program.module_of(site).core();
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
            // What is defined here is no library's, unless GHC copied it.
            let is_own = split_unique(text).is_some() && of.is_none()
                || of.is_some_and(|of| program.location(of).is_some());
            let named = !is_own
                && is_named(costly, text)
                && !(costly.counts && counts_another(core, walk.path()));
            if !named && making.is_nowhere() {
                continue;
            }
            let around = Around::of(look, site, walk.path());
            if !named && !around.is_making(program, site, &making, text) {
                continue;
            }
            if costly.when == When::Always || around.entries >= OFTEN {
                let mut lines: HashSet<u64> =
                    around.at.iter().map(|it| u64::from(it.line)).collect();
                if !named {
                    lines.extend(around.lines_within(program, site));
                }
                let Around { within, entries, at, .. } = around;
                found.push(Mention { site, it, within, entries, at, lines, by_text: false });
            }
        }
    }
    found
}

/// The places in Core whose lines name such functions in the text of their modules, with what is left
/// of these.
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
        let core = program.module_of(site).core();
        let mut walk = core.walk(program.binding(site).right);
        while let Some(it) = walk.next() {
            if !is_left(core, it) {
                continue;
            }
            // One expression may have several notes: its own, and those of what was inlined around it.
            let tick = |it: &Id<Expr>| match core.exprs[*it] {
                Expr::Tick(tick, _) => Some(core.text(tick)),
                _ => None,
            };
            let around = walk.path().iter().rev().skip_while(|it| tick(it).is_none());
            let Some(at) = around.map_while(tick).find_map(named) else { continue };
            let Around { within, entries, .. } = Around::of(look, site, walk.path());
            if entries >= OFTEN {
                let lines = HashSet::from([u64::from(at.line)]);
                found.push(Mention {
                    site,
                    it,
                    within,
                    entries,
                    at: Some(at),
                    lines,
                    by_text: true,
                });
            }
        }
    }
    found
}

/// The most lines that an expression is looked for a name on: the note of a whole function is around
/// much else.
const MOST_LINES: u32 = 3;

/// The last line of a note that begins on `first`, or `first` where it is long.
fn last_line(tick: &str, first: u32) -> u32 {
    let end = tick.rsplit_once("-(").and_then(|(_, end)| end.split(',').next()?.parse().ok());
    end.filter(|last| *last < first + MOST_LINES).unwrap_or(first)
}

fn is_named(costly: &Costly, text: &str) -> bool {
    let (plain, instance) = (plain(text), occurrence(text));
    costly
        .mentions
        .iter()
        .any(|it| *it == plain || (it.starts_with("$f") && instance.starts_with(it)))
}

/// What is around a place in Core.
struct Around {
    within: Option<Id<Binding>>,
    /// All bindings around it within that of the top level, from the outside in.
    bindings: Vec<Id<Binding>>,
    entries: u64,
    at: Option<Location>,
}

impl Around {
    fn of(look: &Look<'_>, site: Site, path: &[Id<Expr>]) -> Self {
        let core = look.program.module_of(site).core();
        let (mut bindings, mut at) = (Vec::new(), None);
        // Whether the parameters of a binding may still come, and whether there are others.
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
                _ => is_head = false,
            }
        }
        let around = bindings.iter().rev().map(|it| Some(*it)).chain([None]);
        let known = |it| look.costs.own_entries(look.program, site, it);
        let entries = around.filter(|_| !is_in_lambda).find_map(known);
        let entries = entries.unwrap_or_else(|| look.costs.most_entries(site));
        Self { within: bindings.last().copied(), bindings, entries, at }
    }

    /// Whether a name makes bytes or an array where others are made in each round.
    fn is_making(&self, program: &Program, site: Site, making: &Making, name: &str) -> bool {
        let core = program.module_of(site).core();
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

    /// The lines of all that is in the innermost binding around it.
    fn lines_within(&self, program: &Program, site: Site) -> HashSet<u64> {
        let core = program.module_of(site).core();
        let root = self.within.map_or(program.binding(site).right, |it| core.bindings[it].right);
        let line = |it| match core.exprs[it] {
            Expr::Tick(tick, _) => Some(u64::from(note(core.text(tick))?.line)),
            _ => None,
        };
        core.walk(root).filter_map(line).collect()
    }
}

/// Whether code writes elements of one array into another as they are: what makes a new array from
/// something else reads others, too, but computes what it writes.
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
    matches!(core.exprs[bare(core, value)], Expr::Variable(name) if names.contains(&name))
}

/// Whether the call of a function, the last of a path, is given a list that was made in the same round,
/// or is another element of an array: then it is not the list of the round before.
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

/// Where bytes or arrays may be made in each round.
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

/// The loops that pass themselves other bytes than they were given.
fn making_bytes(program: &Program, site: Site) -> Making {
    let core = program.module_of(site).core();
    let is_bytes = |it: &Binder| {
        it.signature.is_some_and(|it| {
            let text = core.print_type(it);
            matches!(occurrence(&text), "ByteArray#" | "Text" | "ByteString" | "ForeignPtrContents")
        })
    };
    let passes_others = |it: &Loop| {
        it.calls.iter().any(|(_, call)| {
            let given = it.parameters.iter().zip(&call.values).filter(|(it, _)| is_bytes(it));
            given.into_iter().any(|(parameter, value)| {
                !matches!(core.exprs[bare(core, *value)],
                    Expr::Variable(name) if name == parameter.name)
            })
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

/// For whom the looks are, and how many for each.
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

/// The one line of the module's text that names a function of these, where there is one: GHC moves the
/// call to where its result is used.
fn only_use(program: &Program, site: Site, costly: &Costly) -> Option<Location> {
    let source = program.module_of(site).source.as_ref()?;
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'');
    let names = |line: &str| {
        let code = line.split("--").next().unwrap_or_default();
        !code.starts_with("import")
            && code.split(|it| !is_name(it)).any(|word| costly.mentions.contains(&word))
    };
    let mut lines = source.text.lines().enumerate().filter(|(_, line)| names(line));
    let (Some((number, _)), None) = (lines.next(), lines.next()) else { return None };
    let line = u32::try_from(number + 1).ok()?;
    Some(Location { file: source.path.clone(), line, column: None })
}

fn finding(
    look: &Look<'_>,
    samples: &Samples,
    costly: &Costly,
    (site, looks): (Site, u64),
    mentions: &[&Mention],
) -> Finding {
    let program = look.program;
    let name = in_source(program.name(site));
    let first = mentions.iter().max_by_key(|it| it.entries);
    let focus: Vec<Id<Expr>> = mentions.iter().map(|it| it.it).collect();
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: only_use(program, site, costly).or_else(|| first.and_then(|it| it.at.clone())),
        what: format!("`{name}` uses `{}`, which {}", costly.shown, costly.what),
        evidence: vec![Evidence { site, within: first.and_then(|it| it.within), focus }],
        remedy: Remedy { text: costly.remedy.to_owned(), change: None },
        why: costly.why.to_owned(),
        basis: Basis { time: Some(Time { looks, of: samples.working() }), ..Basis::site(site) },
    }
}
