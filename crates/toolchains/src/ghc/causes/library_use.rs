//! Time that passes in libraries, and the use of them that it passes for.
//!
//! No counter is in code that was compiled before; but the stacks of a running program tell what it does,
//! and for whom ([`super::super::samples`]). What is lazy is done for whoever asks for its result, which
//! may be any function. Core tells which functions mention what is at work, and counters how often these
//! run. A cost is that of the function that waits for it, if it mentions what is at work; otherwise of
//! the one among those that do that runs most often.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::cause::{Cause, Look, Need, Paid};
use super::costs::Time;
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::library_functions::{COSTLY, Costly, When, of_program, plain};
use super::names::{Location, in_source, note};
use super::program::{Program, Site};
use crate::ghc::core::arena::Id;
use crate::ghc::core::occurrence::split_unique;
use crate::ghc::core::tree::{Binding, Expr};
use crate::ghc::samples::{Samples, Use};

/// Functions of libraries that are costly as they are used.
pub(super) static CAUSE: Cause = Cause {
    id: "library-use",
    title: "uses a library at great cost",
    about: "Much of the time passes in functions of a library that are known to be costly when they are \
            used like this: again and again on the same structure, or on their own results.",
    seed: "the libraries' documentation, which gives the complexity of each function",
    needs: &[Need::Ticky],
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
    let Some(samples) = &look.program.samples else { return Vec::new() };
    let copies = copies(look.program);
    let mut found = Vec::new();
    for costly in &COSTLY {
        let uses: Vec<&Use> =
            samples.uses.iter().filter(|it| is_of(look.program, &copies, it, costly)).collect();
        let looks: u64 = uses.iter().map(|it| it.looks).sum();
        let share = |looks: u64| looks as f64 / samples.working().max(1) as f64;
        if share(looks) < costly.least || !is_deep_enough(costly, &uses) {
            continue;
        }
        let mentions = mentions(look, costly);
        for (site, looks) in blamed(&uses, &mentions) {
            if share(looks) >= costly.least {
                let mentions: Vec<&Mention> =
                    mentions.iter().filter(|it| it.site == site).collect();
                found.push(finding(look, samples, costly, (site, looks), &mentions));
            }
        }
    }
    found
}

fn is_deep_enough(costly: &Costly, uses: &[&Use]) -> bool {
    let (looks, depth) =
        uses.iter().fold((0, 0), |(looks, depth), it| (looks + it.looks, depth + it.depth));
    costly.when != When::Nested || depth as f64 >= DEEP * looks as f64
}

/// Whether such functions are at work in some looks: the outermost that is known to be costly counts.
fn is_of(program: &Program, copies: &Copies, it: &Use, costly: &Costly) -> bool {
    let known = |function: &crate::ghc::samples::Function| {
        let module = function.module.as_deref()?;
        of_program(module, plain(&function.name)).or_else(|| {
            let site = program.site_named(&format!("{module}.{}", function.name))?;
            copies.get(&site).copied()
        })
    };
    let own =
        it.site.filter(|_| it.functions.is_empty()).and_then(|site| copies.get(&site).copied());
    let first = it.functions.iter().find_map(known).or(own);
    first.is_some_and(|first| std::ptr::eq(first, costly))
}

/// The bindings of the program's modules that GHC copied from such functions, for one type or another.
type Copies = HashMap<Site, &'static Costly>;

fn copies(program: &Program) -> Copies {
    let mut copies = Copies::new();
    let mut waiting = Vec::new();
    let is_foreign = |site: Site| program.location(site).is_none();
    for site in program.sites() {
        let name = program.name(site);
        let is_copy = name.contains("$s") && is_foreign(site);
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

/// A place in Core that names such a function.
#[derive(Debug)]
struct Mention {
    site: Site,
    it: Id<Expr>,
    within: Option<Id<Binding>>,
    /// How often the innermost code around it ran, as far as it is known.
    entries: u64,
    at: Option<Location>,
}

fn mentions(look: &Look<'_>, costly: &Costly) -> Vec<Mention> {
    let program = look.program;
    let mut found = Vec::new();
    for site in look.sites() {
        let core = program.module_of(site).core();
        let mut walk = core.walk(program.binding(site).right);
        while let Some(it) = walk.next() {
            let Expr::Variable(name) = core.exprs[it] else { continue };
            let text = core.text(name);
            let of = program.site_of(site.module, name);
            // What is defined here is no library's, unless GHC copied it.
            let is_own = split_unique(text).is_some() && of.is_none()
                || of.is_some_and(|of| program.location(of).is_some());
            if is_own || !is_named(costly, text) {
                continue;
            }
            let around = Around::of(look, site, walk.path());
            if costly.when == When::Always || around.entries >= OFTEN {
                let Around { within, entries, at } = around;
                found.push(Mention { site, it, within, entries, at });
            }
        }
    }
    found
}

fn is_named(costly: &Costly, text: &str) -> bool {
    let (plain, instance) = (plain(text), crate::ghc::core::occurrence::occurrence(text));
    costly
        .mentions
        .iter()
        .any(|it| *it == plain || (it.starts_with("$f") && instance.starts_with(it)))
}

/// What is around a place in Core.
struct Around {
    within: Option<Id<Binding>>,
    entries: u64,
    at: Option<Location>,
}

impl Around {
    fn of(look: &Look<'_>, site: Site, path: &[Id<Expr>]) -> Self {
        let core = look.program.module_of(site).core();
        let (mut within, mut at, mut head, mut is_in_lambda) = (None, None, true, false);
        for pair in path.windows(2) {
            match core.exprs[pair[0]] {
                Expr::Let(_, bindings, _) => {
                    if let Some(it) = bindings.ids().find(|it| core.bindings[*it].right == pair[1])
                    {
                        (within, head, is_in_lambda) = (Some(it), true, false);
                    }
                    continue;
                }
                Expr::Tick(tick, _) => {
                    at = note(core.text(tick)).or(at);
                    continue;
                }
                // The parameters of a binding come first.
                Expr::Lambda(..) => is_in_lambda |= !head,
                Expr::Cast(..) => continue,
                _ => head = false,
            }
        }
        let own = look.costs.own_entries(look.program, site, within).filter(|_| !is_in_lambda);
        Self { within, entries: own.unwrap_or_else(|| look.costs.most_entries(site)), at }
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
        at: first.and_then(|it| it.at.clone()),
        what: format!("`{name}` uses `{}`, which {}", costly.shown, costly.what),
        evidence: vec![Evidence { site, within: first.and_then(|it| it.within), focus }],
        remedy: Remedy { text: costly.remedy.to_owned(), change: None },
        why: costly.why.to_owned(),
        basis: Basis { time: Some(Time { looks, of: samples.working() }), ..Basis::site(site) },
    }
}
