//! The time spent by a program compiled by GHC, by the functions of the program that call
//! libraries.
//!
//! The program is stopped at intervals ([`Tally::look`]). Its code at that moment, and the frames
//! of its stack ([`super::stack`]), up to the first from one of the program's modules, show the
//! library functions at work, and their caller. Nothing is counted twice: a sample is one of the
//! program's code, of libraries for a function of the program, of libraries without a visible
//! caller, of the collector, or of the rest of the runtime.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::causes::names::in_source;
use super::causes::{Program, Site};
use super::image::{Code, Image, Line};
use super::instructions::Notes;
use super::stack::{Memory, walk};

/// The maximum depth of a stack that is examined, in frames. Calls from farther away have no
/// caller.
const MOST_FRAMES: usize = 2000;

/// The most library functions kept for a sample, from the outside in.
const MOST_FUNCTIONS: usize = 8;

/// A function that was not compiled here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function {
    /// Its module; `None` for those of the runtime and in C.
    pub module: Option<String>,
    /// Its name.
    pub name: String,
}

/// A place in the program's code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) module: String,
    /// The binding of the top level with its symbol, or with the next symbol after it.
    pub(super) name: String,
    pub(super) is_exact: bool,
    pub(super) line: Option<Line>,
}

/// Library functions at work, and the nearest code of the program that waits for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Route {
    caller: Option<Place>,
    /// From the outside in, each once. Empty if the program's code was at work.
    functions: Vec<Function>,
}

/// The state of a stopped program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The address of its code.
    pub code: u64,
    /// The top of its stack.
    pub top: u64,
    /// The distance from the link address of its code up to its load address.
    pub moved_by: u64,
}

/// The key for counting samples together: the binding, or else its name, and the functions at work.
type Key<'a> = (Option<Site>, Option<String>, &'a [Function]);

/// The samples so far.
#[derive(Debug, Default)]
pub struct Tally {
    routes: HashMap<Route, Seen>,
    collector: u64,
    runtime: u64,
}

/// Counts of a route.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    looks: u64,
    /// The nesting depth of the most deeply self-nested function, summed over the samples.
    depth: u64,
}

impl Tally {
    /// Records the current place of a program. `own` are the modules of the program.
    pub fn look(
        &mut self,
        image: &Image,
        own: &HashSet<String>,
        at: Stop,
        memory: &mut Memory<'_>,
    ) {
        let linked = |address: u64| address.wrapping_sub(at.moved_by);
        let mut run =
            Run { image, own, caller: None, copy: None, functions: Vec::new(), times: Vec::new() };
        let leaf = image.code(linked(at.code)).map(|(code, _)| code.clone());
        if matches!(&leaf, Some(Code::Native(name)) if is_collectors(name)) {
            self.collector += 1;
            return;
        }
        match leaf {
            Some(_) => run.visit(linked(at.code)),
            None => run.work(None, OUTSIDE),
        }
        let mut frames = 0;
        if run.caller.is_none() {
            frames = walk(at.top, MOST_FRAMES, memory, &mut |frame| {
                run.visit(linked(frame.code));
                if run.caller.is_none()
                    && let Some(thunk) = frame.thunk
                {
                    run.visit(linked(thunk));
                }
                run.caller.is_none()
            });
        }
        match leaf {
            // Code in C uses the register for other purposes.
            None | Some(Code::Native(_)) if frames == 0 => self.runtime += 1,
            _ => {
                run.settle();
                let depth = run.times.iter().copied().max().unwrap_or(0);
                let mut functions = run.functions;
                functions.reverse();
                functions.truncate(MOST_FUNCTIONS);
                let seen = self.routes.entry(Route { caller: run.caller, functions }).or_default();
                seen.looks += 1;
                seen.depth += depth;
            }
        }
    }

    /// The number of samples outside the collector.
    #[must_use]
    pub fn worked(&self) -> u64 {
        self.routes.values().map(|it| it.looks).sum::<u64>() + self.runtime
    }

    /// The samples, by bindings of the program; the costliest first.
    #[must_use]
    pub fn placed(&self, program: &Program) -> Samples {
        let notes = Notes::from_program(program);
        let mut uses: HashMap<Key<'_>, Use> = HashMap::new();
        let mut samples =
            Samples { collector: self.collector, runtime: self.runtime, ..Samples::default() };
        for (route, seen) in &self.routes {
            let site = route.caller.as_ref().and_then(|place| place.site(program, &notes));
            let caller = route.caller.as_ref().map(|it| match site {
                Some(site) => program.shown_name(site),
                None => format!("{}.{}", it.module, in_source(&it.name)),
            });
            let key = (site, caller.clone(), &route.functions[..]);
            let it = uses.entry(key).or_insert_with(|| Use {
                site,
                caller,
                functions: route.functions.clone(),
                looks: 0,
                depth: 0,
                lines: BTreeMap::new(),
            });
            it.looks += seen.looks;
            it.depth += seen.depth;
            if let Some(line) = route.caller.as_ref().and_then(|it| it.line.clone()) {
                *it.lines.entry((line.file, line.line)).or_default() += seen.looks;
            }
        }
        samples.uses = uses.into_values().collect();
        samples.uses.sort_by(|one, other| {
            let key = |it: &Use| (std::cmp::Reverse(it.looks), it.caller.clone());
            key(one).cmp(&key(other)).then_with(|| one.functions.cmp(&other.functions))
        });
        samples
    }
}

/// One sample, from the inside out.
struct Run<'a> {
    image: &'a Image,
    own: &'a HashSet<String>,
    caller: Option<Place>,
    /// The outermost code so far in a module of the program, but without a line: GHC's copies of
    /// library functions, or code that it made up; with the number of functions at work within it.
    copy: Option<(Place, usize)>,
    functions: Vec<Function>,
    /// For each function, the number of its frames.
    times: Vec<u64>,
}

impl Run<'_> {
    fn visit(&mut self, address: u64) {
        let Some((code, is_exact)) = self.image.code(address) else { return };
        match code {
            Code::Haskell { module, name, .. } => {
                if self.own.contains(module) {
                    let line = self.image.line(address).cloned();
                    let has_line = line.is_some();
                    let place =
                        Place { module: module.clone(), name: name.clone(), is_exact, line };
                    if has_line {
                        self.caller = Some(place);
                        return;
                    }
                    self.copy = Some((place, self.functions.len()));
                }
                self.work(Some(module), name);
            }
            // Frames of the runtime do not show the function at work.
            Code::Native(name) if self.functions.is_empty() && !is_plumbing(name) => {
                self.work(None, name);
            }
            Code::Native(_) => {}
        }
    }

    fn work(&mut self, module: Option<&str>, name: &str) {
        let is_it = |it: &Function| it.name == name && it.module.as_deref() == module;
        match self.functions.iter().position(is_it) {
            Some(known) => self.times[known] += 1,
            None => {
                let module = module.map(str::to_owned);
                self.functions.push(Function { module, name: name.to_owned() });
                self.times.push(1);
            }
        }
    }

    /// Without another waiting function, the code without a line is the caller.
    fn settle(&mut self) {
        if self.caller.is_none()
            && let Some((copy, inside)) = self.copy.take()
        {
            self.functions.truncate(inside);
            self.caller = Some(copy);
        }
    }
}

/// The name for functions in no file of the program: those of the C library.
pub const OUTSIDE: &str = "the C library";

/// True if a function of the runtime only passes calls and results on.
fn is_plumbing(name: &str) -> bool {
    const PLUMBING: [&str; 10] = [
        "stg_ap_",
        "stg_upd_",
        "stg_IND",
        "stg_BLACKHOLE",
        "stg_gc_",
        "__stg_",
        "stg_enter",
        "stg_marked_",
        "handle_tick",
        "stg_bh_",
    ];
    PLUMBING.iter().any(|it| name.starts_with(it))
}

/// True if a function of the runtime belongs to its collector: `rts/sm` in GHC's sources.
fn is_collectors(name: &str) -> bool {
    const PARTS: [&str; 16] = [
        "evacuate",
        "scavenge",
        "GarbageCollect",
        "todo_block",
        "alloc_for_copy",
        "copy_tag",
        "collect",
        "Nurser",
        "allocGroup",
        "allocBlock",
        "freeGroup",
        "freeChain",
        "mark_",
        "sweep",
        "compact",
        "update_fwd",
    ];
    PARTS.iter().any(|it| name.contains(it))
}

/// The samples of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Samples of the collector.
    pub collector: u64,
    /// Samples of the rest of the runtime, and of unknown code.
    pub runtime: u64,
    /// Samples of the program's code and of libraries; the costliest first.
    pub uses: Vec<Use>,
    /// The duration of one run without samples and without the collector, in seconds; `None` if not
    /// reported.
    pub mutator_seconds: Option<f64>,
}

impl Samples {
    /// All samples except those of the collector: shares refer to these.
    #[must_use]
    pub fn working(&self) -> u64 {
        self.runtime + self.uses.iter().map(|it| it.looks).sum::<u64>()
    }
}

/// A function of the program at work, or library functions on its behalf.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The binding of the top level that waits for them, if known.
    pub site: Option<Site>,
    /// The same for people; `None` if there is no visible caller.
    pub caller: Option<String>,
    /// The library functions, from the outside in, each once; empty if the program's code was at
    /// work. They include copies that GHC made in the program's modules.
    pub functions: Vec<Function>,
    /// The number of samples.
    pub looks: u64,
    /// The nesting depth of the most deeply self-nested function, summed over the samples.
    pub depth: u64,
    /// The caller's lines, by file and number, with the number of samples of each.
    pub lines: BTreeMap<(String, u64), u64>,
}

impl Place {
    /// The binding of the top level that contains it: that of its symbol; without one, that of its
    /// line, or among several with the line that of the next symbol.
    pub(super) fn site(&self, program: &Program, notes: &Notes) -> Option<Site> {
        let of_symbol = program.site_named(&format!("{}.{}", self.module, self.name));
        if self.is_exact && of_symbol.is_some() {
            return of_symbol;
        }
        let line = self.line.as_ref();
        let of_line = line.map(|it| notes.sites(&it.file, it.line)).unwrap_or_default();
        match of_line.len() {
            0 => of_symbol,
            1 => of_line.first().copied(),
            _ => of_symbol.filter(|it| of_line.contains(it)).or_else(|| {
                // A binding with a symbol would have been found by it.
                let is_hidden = |it: &&Site| !program.name(**it).contains('.');
                of_line.iter().find(is_hidden).or_else(|| of_line.first()).copied()
            }),
        }
    }
}
