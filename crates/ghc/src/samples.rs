//! The time spent by a program compiled by GHC, by the functions of the program that call
//! libraries.
//!
//! The program is stopped at intervals ([`Tally::look`]). Its code at that moment, and the frames
//! of its stack ([`walk`]), up to the first from one of the program's modules, show the
//! library functions at work, and their caller. Nothing is counted twice: a sample is one of the
//! program's code, of libraries for a function of the program, of libraries without a visible
//! caller, of the collector, or of the rest of the runtime.
//!
//! GHC's code does not use the C stack. Its stack grows towards lower addresses, and begins at the
//! address in a register. Each frame begins with the address of the code that continues when the
//! frames above have a result, and just before that code a table gives the size of the frame
//! (`rts/include/rts/storage/InfoTables.h` and `stack_frame_sizeW` of `ClosureMacros.h` in GHC's
//! sources; programs built with tables next to code, as all ordinary ones are):
//!
//! ```text
//! code - 16   layout: its lowest six bits are the number of words after the frame's first
//! code -  8   kind of the closure or frame, 32 bits
//! code -  4   32 bits that do not matter here
//! ```
//!
//! Calls in tail position leave no frame. Their only trace is the frame that will update a thunk
//! with its value: it knows the thunk, and the thunk knows its code, until a collection or a switch
//! of threads marks it as being evaluated (`BLACKHOLE`).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::causes::names::in_source;
use super::causes::{Program, Site};
use super::image::{Code, Image, Line};
use super::instructions::Notes;

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
    pub fn worked(&self) -> u64 {
        self.routes.values().map(|it| it.looks).sum::<u64>() + self.runtime
    }

    /// The samples, by bindings of the program; the costliest first.
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

/// Reads a word of the program's memory; `None` if it is not mapped.
pub type Memory<'a> = dyn FnMut(u64) -> Option<u64> + 'a;

/// One frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Its address.
    pub at: u64,
    /// The code that continues with the result.
    pub code: u64,
    /// Its purpose.
    pub role: Role,
    /// The code of the thunk that the frame is to update, if still known.
    pub thunk: Option<u64>,
}

/// The purpose of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Continues, or handles exceptions.
    Continuation,
    /// Updates a thunk with its value.
    Update,
    /// Ends a piece of the stack; the next piece is at this address.
    Underflow(u64),
}

/// The DWARF number of the register that points to the top frame: `rbp` on x86-64, `x20` on AArch64
/// (`MachRegs.h` in GHC's sources).
pub const fn stack_register() -> usize {
    if cfg!(target_arch = "aarch64") { 20 } else { 6 }
}

/// The bytes of a word.
pub(super) const WORD: u64 = 8;

/// Kinds of closures (`rts/include/rts/storage/ClosureTypes.h`, the same from GHC 8.8 to 9.12).
mod kind {
    pub(super) const THUNKS: std::ops::RangeInclusive<u32> = 15..=22;
    pub(super) const RET_BCO: u32 = 29;
    pub(super) const RET_SMALL: u32 = 30;
    pub(super) const RET_BIG: u32 = 31;
    pub(super) const RET_FUN: u32 = 32;
    pub(super) const UPDATE_FRAME: u32 = 33;
    pub(super) const CATCH_FRAME: u32 = 34;
    pub(super) const UNDERFLOW_FRAME: u32 = 35;
    pub(super) const STOP_FRAME: u32 = 36;
    pub(super) const ATOMICALLY_FRAME: u32 = 55;
    pub(super) const CATCH_STM_FRAME: u32 = 57;
}

/// Visits the frames of a stack from its top, at most `most`, as long as `visit` returns true.
/// Returns their number; 0 if there is no stack at this address.
pub fn walk(
    top: u64,
    most: usize,
    memory: &mut Memory<'_>,
    visit: &mut dyn FnMut(Frame) -> bool,
) -> usize {
    let mut at = top;
    for count in 0..most {
        if !at.is_multiple_of(WORD) {
            return count;
        }
        let Some((code, kind, layout)) = table(at, memory) else { return count };
        let (role, thunk) = match kind {
            kind::UPDATE_FRAME => (Role::Update, thunk(at, memory)),
            kind::UNDERFLOW_FRAME => {
                let next = at.checked_add(WORD).and_then(&mut *memory);
                (Role::Underflow(next.unwrap_or(0)), None)
            }
            _ => (Role::Continuation, None),
        };
        if !visit(Frame { at, code, role, thunk }) {
            return count + 1;
        }
        let Some(next) = next(at, code, kind, layout, memory) else { return count + 1 };
        at = next;
    }
    most
}

/// The code of the frame at an address, its kind and its layout; `None` if it is not a frame.
fn table(at: u64, memory: &mut Memory<'_>) -> Option<(u64, u32, u64)> {
    let code = memory(at)?;
    let (kind, layout) = described(code, memory)?;
    let is_frame = matches!(kind,
        kind::RET_BCO..=kind::STOP_FRAME | kind::ATOMICALLY_FRAME..=kind::CATCH_STM_FRAME);
    is_frame.then_some((code, kind, layout))
}

/// The contents of the table before some code: the kind of the closure, and its layout.
fn described(code: u64, memory: &mut Memory<'_>) -> Option<(u32, u64)> {
    let kind = memory(code.checked_sub(WORD)?)? as u32;
    let layout = memory(code.checked_sub(2 * WORD)?)?;
    Some((kind, layout))
}

/// The address of the next frame.
fn next(at: u64, code: u64, kind: u32, layout: u64, memory: &mut Memory<'_>) -> Option<u64> {
    /// The lowest bits of a small layout are its size.
    const SIZE_BITS: u64 = 0x3f;
    let words = match kind {
        kind::RET_SMALL
        | kind::UPDATE_FRAME
        | kind::CATCH_FRAME
        | kind::ATOMICALLY_FRAME..=kind::CATCH_STM_FRAME => 1 + (layout & SIZE_BITS),
        // The layout is the distance from the code to the number of words, effectively of 32 bits.
        kind::RET_BIG => {
            let distance = i64::from(layout as u32 as i32);
            memory(code.checked_add_signed(distance)?)?.checked_add(1)?
        }
        // The first word, the number of the others, the function.
        kind::RET_FUN => memory(at.checked_add(WORD)?)?.checked_add(3)?,
        // The next piece, with its top after the header and the size.
        kind::UNDERFLOW_FRAME => {
            let piece = memory(at.checked_add(WORD)?)?;
            return memory(piece.checked_add(2 * WORD)?);
        }
        _ => return None,
    };
    at.checked_add(words.checked_mul(WORD)?)
}

/// The code of the thunk of an update frame.
fn thunk(frame: u64, memory: &mut Memory<'_>) -> Option<u64> {
    let thunk = memory(frame.checked_add(WORD)?)?;
    let code = memory(thunk)?;
    let (kind, _) = described(code, memory)?;
    kind::THUNKS.contains(&kind).then_some(code)
}
