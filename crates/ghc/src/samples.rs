//! Where a program compiled by GHC spends its time, by the functions of its own that call libraries.
//!
//! The program is stopped every so often ([`Tally::look`]). Its code at that moment, and the frames of
//! its stack ([`super::stack`]), up to the first that is of one of its own modules, tell which functions
//! of libraries were at work, and for whom. Nothing is counted twice: a look is one of the program's own
//! code, of libraries for a function of the program, of libraries for nobody who could be seen, of the
//! collector, or of the rest of the runtime.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::causes::names::in_source;
use super::causes::{Program, Site};
use super::image::{Code, Image, Line};
use super::instructions::Notes;
use super::stack::{Memory, walk};

/// The deepest that a stack is looked into, in frames. What is called from farther away is nobody's.
const MOST_FRAMES: usize = 2000;

/// How many different functions of libraries are kept of a look, from the outside in.
const MOST_FUNCTIONS: usize = 8;

/// A function that was not compiled here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function {
    /// Its module; none for the runtime's and those in C.
    pub module: Option<String>,
    /// Its name.
    pub name: String,
}

/// A place in the program's own code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) module: String,
    /// The binding of the top level whose symbol it is, or before whose symbol it stands.
    pub(super) name: String,
    pub(super) is_exact: bool,
    pub(super) line: Option<Line>,
}

/// Functions of libraries at work, and the nearest code of the program that waits for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Route {
    caller: Option<Place>,
    /// From the outside in, each once. None where the program's own code was at work.
    functions: Vec<Function>,
}

/// Where a program stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The address of its code.
    pub code: u64,
    /// The top of its stack.
    pub top: u64,
    /// How much higher its code is than it was linked to be.
    pub moved_by: u64,
}

/// What looks are counted together: by the binding, or else its name, and the functions at work.
type Key<'a> = (Option<Site>, Option<String>, &'a [Function]);

/// What was seen so far.
#[derive(Debug, Default)]
pub struct Tally {
    routes: HashMap<Route, Seen>,
    collector: u64,
    runtime: u64,
}

/// How often something was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    looks: u64,
    /// How deep the function was nested in itself that was so most, summed over the looks.
    depth: u64,
}

impl Tally {
    /// Takes note of where a program is. `own` are the modules of the program.
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
            // Code in C uses the register for something else.
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

    /// How many looks were at anything but the collector.
    #[must_use]
    pub fn worked(&self) -> u64 {
        self.routes.values().map(|it| it.looks).sum::<u64>() + self.runtime
    }

    /// What was seen, by bindings of the program; the costliest first.
    #[must_use]
    pub fn placed(&self, program: &Program) -> Samples {
        let notes = Notes::of(program);
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

/// One look, from the inside out.
struct Run<'a> {
    image: &'a Image,
    own: &'a HashSet<String>,
    caller: Option<Place>,
    /// The outermost code so far that is in a module of the program, but of no line: what GHC made of
    /// functions of libraries there, or by itself; and how many functions were at work within it.
    copy: Option<(Place, usize)>,
    functions: Vec<Function>,
    /// For each function, how often it was come upon.
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
            // The runtime's own frames say nothing of who is at work.
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

    /// Where nobody else waits, what has no line is the caller.
    fn settle(&mut self) {
        if self.caller.is_none()
            && let Some((copy, inside)) = self.copy.take()
        {
            self.functions.truncate(inside);
            self.caller = Some(copy);
        }
    }
}

/// What functions are called that are in no file of the program: those of the C library.
pub const OUTSIDE: &str = "the C library";

/// Whether a function of the runtime only passes calls and results on.
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

/// Whether a function of the runtime is one of its collector's: `rts/sm` in GHC's sources.
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

/// What was seen of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Looks at the collector.
    pub collector: u64,
    /// Looks at the rest of the runtime, and at what is not known.
    pub runtime: u64,
    /// Looks at the program's own code and at libraries; the costliest first.
    pub uses: Vec<Use>,
    /// How long one run works by itself, without the collector, in seconds; none where nobody said.
    pub mutator_seconds: Option<f64>,
}

impl Samples {
    /// All looks but those at the collector: shares are of these.
    #[must_use]
    pub fn working(&self) -> u64 {
        self.runtime + self.uses.iter().map(|it| it.looks).sum::<u64>()
    }
}

/// A function of the program at work, or functions of libraries for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The binding of the top level that waits for them, where it is known.
    pub site: Option<Site>,
    /// The same for people; none where nobody could be seen.
    pub caller: Option<String>,
    /// The functions of libraries, from the outside in, each once; none where its own code was at work.
    /// Copies of theirs that GHC made in the program's modules are among them.
    pub functions: Vec<Function>,
    /// How often that was seen.
    pub looks: u64,
    /// How deep one of the functions was nested in itself, summed over the looks.
    pub depth: u64,
    /// The caller's lines, by file and number, and how often each was seen.
    pub lines: BTreeMap<(String, u64), u64>,
}

impl Place {
    /// The binding of the top level that it is in: that of its symbol; where it has none of its own,
    /// that of its line, or among several of the line the one of the next symbol.
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
                // Those with symbols would have had theirs.
                let is_hidden = |it: &&Site| !program.name(**it).contains('.');
                of_line.iter().find(is_hidden).or_else(|| of_line.first()).copied()
            }),
        }
    }
}
