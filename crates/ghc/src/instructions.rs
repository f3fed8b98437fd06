//! The instructions executed by the code of each binding, from counts by symbol.
//!
//! A symbol is the Z-encoding of a name of CorePrep (`-ddump-prep`): with its module if other
//! modules see it, else with its unique, and then only the dump of the very same compilation knows
//! it. Closures within a binding have separate symbols and are counted with it, as are those nested
//! in them.
//!
//! Symbols alone are not enough. GHC up to 9.0 omits those of code that only its module sees; and
//! callgrind attributes code to another function only if it is entered at its beginning, so code
//! that continues after a collection counts with the runtime. But debug information (`-g1`) gives
//! the line of each instruction, and the dump of Core has the same lines as notes: a line in the
//! Core of exactly one binding assigns its instructions to that binding.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use toolchains::symbol::{context, ghc_symbol};

use super::causes::costs::owners;
use super::causes::names::note;
use super::causes::{Module, Program, Site};
use super::core::names::{module, split_unique};
use super::core::tree::Expr;

/// The location of code that does not belong to a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Elsewhere {
    /// Modules of the program, with code that cannot be assigned to a binding of their dumps.
    Unplaced,
    /// Other packages compiled by GHC.
    Libraries,
    /// Code not compiled by GHC: its runtime, the C library.
    Runtime,
    /// Code without a symbol.
    Nameless,
}

/// The least share of the instructions in a program's code that must belong to a binding, for
/// bindings to be compared by them. Arbitrary: the rest may belong to any binding.
const LEAST_PLACED: f64 = 0.5;

/// The most bytes that one instruction initialises on the heap: the width of the widest store that
/// a compiler chooses.
const MOST_BYTES_AN_INSTRUCTION: u64 = 32;

/// The number of instructions executed by one run, by binding of the top level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instructions {
    by_site: HashMap<Site, u64>,
    elsewhere: BTreeMap<Elsewhere, u64>,
}

/// Instructions executed at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count<'a> {
    /// The symbol of the function, as in the program.
    pub symbol: &'a str,
    /// The source file; empty if unknown.
    pub file: &'a str,
    /// The line in it, from 1; 0 if unknown.
    pub line: u64,
    /// Their number.
    pub instructions: u64,
}

impl Instructions {
    /// Assigns counts to the bindings of a program. Its dumps must be those of the compilation that
    /// made the symbols.
    pub fn from_counts<'a>(program: &Program, counts: impl Iterator<Item = Count<'a>>) -> Self {
        let (locals, notes) = (locals(program), Notes::from_program(program));
        let mut this = Self::default();
        for count in counts {
            match placed(program, &locals, &notes, count) {
                Ok(site) => *this.by_site.entry(site).or_default() += count.instructions,
                Err(elsewhere) => {
                    *this.elsewhere.entry(elsewhere).or_default() += count.instructions;
                }
            }
        }
        this
    }

    /// The same for another compilation of the same source, which has other uniques. Counts without
    /// a counterpart are unplaced.
    pub fn transferred(&self, from: &Program, to: &Program) -> Self {
        let counterparts = counterparts(from, to);
        let mut this = Self { by_site: HashMap::new(), elsewhere: self.elsewhere.clone() };
        for (site, count) in &self.by_site {
            match counterparts.get(site) {
                Some(site) => *this.by_site.entry(*site).or_default() += count,
                None => *this.elsewhere.entry(Elsewhere::Unplaced).or_default() += count,
            }
        }
        this
    }

    /// The instructions of a binding's code, with everything nested in it.
    pub fn site(&self, site: Site) -> u64 {
        self.by_site.get(&site).copied().unwrap_or(0)
    }

    /// The instructions that do not belong to a binding.
    pub fn elsewhere(&self, place: Elsewhere) -> u64 {
        self.elsewhere.get(&place).copied().unwrap_or(0)
    }

    /// The instructions of the code of all bindings.
    pub fn placed(&self) -> u64 {
        self.by_site.values().sum()
    }

    /// The share of the instructions in the program's modules that belong to a binding; `None` if
    /// those executed nothing.
    pub fn placed_share(&self) -> Option<f64> {
        let own = self.placed() + self.elsewhere(Elsewhere::Unplaced);
        (own > 0).then(|| self.placed() as f64 / own as f64)
    }

    /// True if bindings can be compared by their counts: most instructions of the program's code
    /// are in one, and enough to have allocated `allocated_bytes`, the bytes that this code
    /// allocates.
    pub fn compares_bindings(&self, allocated_bytes: u64) -> bool {
        let is_most = self.placed_share().is_some_and(|share| share >= LEAST_PLACED);
        is_most && could_allocate(self.placed(), allocated_bytes)
    }

    /// The total number of instructions.
    pub fn total(&self) -> u64 {
        self.placed() + self.elsewhere.values().sum::<u64>()
    }
}

/// True if this number of instructions can have initialised this number of bytes on the heap.
pub fn could_allocate(instructions: u64, allocated_bytes: u64) -> bool {
    instructions >= allocated_bytes / MOST_BYTES_AN_INSTRUCTION
}

/// By line of the source: the bindings of the top level whose Core has it, with the name of its
/// file.
pub(super) struct Notes(HashMap<u64, BTreeSet<(String, Site)>>);

impl Notes {
    pub(super) fn from_program(program: &Program) -> Self {
        let mut lines: HashMap<u64, BTreeSet<(String, Site)>> = HashMap::new();
        for site in program.sites() {
            let core = program.core_of(site);
            for it in core.walk(program.binding(site).right) {
                let Expr::Tick(tick, _) = core.exprs[it] else { continue };
                if let Some(location) = note(core.text(tick)) {
                    let places = lines.entry(u64::from(location.line)).or_default();
                    places.insert((location.file, site));
                }
            }
        }
        Self(lines)
    }

    /// The bindings that contain a line.
    pub(super) fn sites(&self, file: &str, line: u64) -> BTreeSet<Site> {
        let is_it = |own: &str| {
            file.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let places = self.0.get(&line).into_iter().flatten();
        places.filter(|(own, _)| is_it(own)).map(|(_, site)| *site).collect()
    }
}

/// The binding that executed some instructions: that of the line, or, if several bindings have the
/// line or none, that of the symbol.
fn placed(
    program: &Program,
    locals: &HashMap<&str, Option<Site>>,
    notes: &Notes,
    count: Count<'_>,
) -> Result<Site, Elsewhere> {
    let of_symbol = place(program, locals, context(count.symbol).0);
    let of_line = notes.sites(count.file, count.line);
    match of_symbol {
        _ if of_line.len() == 1 => of_line.first().copied().ok_or(Elsewhere::Unplaced),
        Ok(site) if of_line.is_empty() || of_line.contains(&site) => Ok(site),
        Ok(_) => Err(Elsewhere::Unplaced),
        Err(_) if is_of(program, count.file) => Err(Elsewhere::Unplaced),
        Err(elsewhere) => Err(elsewhere),
    }
}

/// True if a file is the source of one of the modules.
fn is_of(program: &Program, file: &str) -> bool {
    let Some(path) = file.strip_suffix(".hs").or_else(|| file.strip_suffix(".lhs")) else {
        return false;
    };
    let is_own = |name: &str| {
        let end = name.replace('.', "/");
        path.strip_suffix(&end[..]).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    program.modules.iter().any(|module| is_own(&module.name))
}

/// By name with unique: the binding of the top level that it is, or is nested in; `None` if several
/// modules have the name.
fn locals(program: &Program) -> HashMap<&str, Option<Site>> {
    let mut locals: HashMap<&str, Option<Site>> = HashMap::new();
    for module in &program.modules {
        let dump = module.prep.as_ref().unwrap_or(&module.dump);
        for (binding, site) in owners(program, module, dump) {
            let name = dump.core.text(dump.core.bindings[binding].name);
            if split_unique(name).is_some() {
                let known = locals.entry(name).or_insert(Some(site));
                *known = known.filter(|known| *known == site);
            }
        }
    }
    locals
}

fn place(
    program: &Program,
    locals: &HashMap<&str, Option<Site>>,
    text: &str,
) -> Result<Site, Elsewhere> {
    if text.starts_with("0x") || text == "???" {
        return Err(Elsewhere::Nameless);
    }
    let Some(symbol) = ghc_symbol(text) else { return Err(Elsewhere::Runtime) };
    match (&symbol.package, &symbol.module) {
        // `_IO_getline_info` would belong to a package without a name.
        (Some(package), _) if package.is_empty() => Err(Elsewhere::Runtime),
        (_, Some(module)) => {
            let is_own = program.modules.iter().any(|own| own.name == *module);
            // `:Main.main` only calls the program's `main`.
            let elsewhere = || match is_own || module.starts_with(':') {
                true => Elsewhere::Unplaced,
                false => Elsewhere::Libraries,
            };
            let full = format!("{module}.{}", symbol.name);
            program.site_named(&full).ok_or_else(elsewhere)
        }
        (_, None) => match locals.get(&symbol.name[..]) {
            Some(site) => site.ok_or(Elsewhere::Unplaced),
            // `stg_BLACKHOLE` has no unique: those contain a digit.
            None if has_unique(&symbol.name) => Err(Elsewhere::Unplaced),
            None => Err(Elsewhere::Runtime),
        },
    }
}

fn has_unique(name: &str) -> bool {
    split_unique(name).is_some_and(|(_, unique)| {
        unique.starts_with(|first: char| first.is_ascii_lowercase())
            && unique.contains(|letter: char| letter.is_ascii_digit())
    })
}

/// The bindings of two compilations of the same source that correspond: by position if a module has
/// the same names in the same order, else by unique name.
fn counterparts(from: &Program, to: &Program) -> HashMap<Site, Site> {
    let mut counterparts = HashMap::new();
    for (number, ours) in from.modules.iter().enumerate() {
        let Some(other) = to.modules.iter().position(|it| it.name == ours.name) else { continue };
        let theirs = &to.modules[other];
        let site = |top| Site { module: number, top };
        let in_other = |top| Site { module: other, top };
        let stems = |module: &Module| -> Vec<String> {
            (0..module.len()).map(|top| stem(module.top_name(top)).to_owned()).collect()
        };
        let (before, after) = (stems(ours), stems(theirs));
        if before == after {
            counterparts.extend((0..before.len()).map(|top| (site(top), in_other(top))));
            continue;
        }
        let (ours, theirs) = (alone(&before), alone(&after));
        for (name, top) in ours {
            if let (Some(top), Some(Some(there))) = (top, theirs.get(name)) {
                counterparts.insert(site(top), in_other(*there));
            }
        }
    }
    counterparts
}

/// By name: its index; `None` if it occurs several times.
fn alone(names: &[String]) -> HashMap<&str, Option<usize>> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        places.entry(name).and_modify(|it| *it = None).or_insert(Some(at));
    }
    places
}

/// A name of the top level without its unique, and with its module if printed.
fn stem(name: &str) -> &str {
    match module(name) {
        Some(_) => name,
        None => split_unique(name).map_or(name, |(stem, _)| stem),
    }
}
