//! The places where a program uses library functions: by their names in Core, by GHC's inlined form
//! of them, or by the lines of its text.

use std::collections::{HashMap, HashSet};

use super::bound::{bare, fields, is_primitive};
use super::cause::Look;
use super::library_functions::{Costly, Inlined, When, plain};
use super::loops::{Loop, loops};
use super::names::{Location, note};
use super::program::{Program, Site};
use super::spelled::{Spelled, words};
use crate::core::Core;
use crate::core::arena::Id;
use crate::core::names::Name;
use crate::core::occurrence::{occurrence, split_unique};
use crate::core::tree::{Binder, Binding, Expr};

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
        let core = program.module_of(site).core();
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
        let core = look.program.module_of(site).core();
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

    /// The lines of the innermost binding around it.
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
    matches!(core.exprs[bare(core, value)], Expr::Variable(name) if names.contains(&name))
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
