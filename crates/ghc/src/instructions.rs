//! What the code of each binding executed, from counts by symbol.
//!
//! A symbol is the Z-encoding of a name of CorePrep (`-ddump-prep`): with its module where other
//! modules see it, else with its unique, and then only the dump of the very same compilation knows
//! it. Closures within a binding have symbols of their own and are counted with it, as are those that
//! are nested in them.
//!
//! Symbols alone do not tell. GHC up to 9.0 leaves what only its own module sees without any; and
//! callgrind takes code for another function's only where it is entered at its beginning, so that what
//! is gone on with after a collection counts with the runtime. But debug information (`-g1`) tells the
//! line of each instruction, and the dump of Core has the same lines as notes: a binding in whose Core a
//! line is, and no other, has its instructions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::causes::costs::owners;
use super::causes::names::note;
use super::causes::{Program, Site};
use super::core::occurrence::{module, split_unique};
use super::core::tree::Expr;
use toolchains::symbol::context;
use toolchains::symbol::zcode;

/// Where code is that belongs to no binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Elsewhere {
    /// In the modules of the program, in code that cannot be given to a binding of their dumps.
    Unplaced,
    /// In other packages that GHC compiled.
    Libraries,
    /// In no code of GHC's: its runtime, the C library.
    Runtime,
    /// In code without a symbol.
    Nameless,
}

/// The least share of the instructions in a program's own code that must belong to a binding, for
/// bindings to be compared by them. Arbitrary: the rest may be any binding's.
const LEAST_PLACED: f64 = 0.5;

/// The most bytes that one instruction initialises on the heap: the width of the widest store that a
/// compiler chooses.
const MOST_BYTES_AN_INSTRUCTION: u64 = 32;

/// How many instructions one run executed, by binding of the top level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instructions {
    by_site: HashMap<Site, u64>,
    elsewhere: BTreeMap<Elsewhere, u64>,
}

/// Instructions that were executed at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count<'a> {
    /// The symbol of the function, as the program has it.
    pub symbol: &'a str,
    /// The source file; empty where it is not known.
    pub file: &'a str,
    /// The line in it, from 1; 0 where it is not known.
    pub line: u64,
    /// How many.
    pub instructions: u64,
}

impl Instructions {
    /// What some counts are of a program. Its dumps must be those of the compilation that made the
    /// symbols.
    #[must_use]
    pub fn of<'a>(program: &Program, counts: impl Iterator<Item = Count<'a>>) -> Self {
        let (locals, notes) = (locals(program), Notes::of(program));
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

    /// The same for another compilation of the same source, which has other uniques. What has no
    /// counterpart is unplaced.
    #[must_use]
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

    /// What the code of a binding executed, with all that is nested in it.
    #[must_use]
    pub fn site(&self, site: Site) -> u64 {
        self.by_site.get(&site).copied().unwrap_or(0)
    }

    /// What belongs to no binding.
    #[must_use]
    pub fn elsewhere(&self, place: Elsewhere) -> u64 {
        self.elsewhere.get(&place).copied().unwrap_or(0)
    }

    /// What the code of all bindings executed.
    #[must_use]
    pub fn placed(&self) -> u64 {
        self.by_site.values().sum()
    }

    /// The share of the instructions in the program's own modules that belong to a binding; `None` where
    /// those executed nothing.
    #[must_use]
    pub fn placed_share(&self) -> Option<f64> {
        let own = self.placed() + self.elsewhere(Elsewhere::Unplaced);
        (own > 0).then(|| self.placed() as f64 / own as f64)
    }

    /// Bindings can be compared by their counts: most instructions of the program's own code are in
    /// one, and enough to have allocated `allocated_bytes`, the bytes that this code allocates.
    #[must_use]
    pub fn compares_bindings(&self, allocated_bytes: u64) -> bool {
        let is_most = self.placed_share().is_some_and(|share| share >= LEAST_PLACED);
        is_most && could_allocate(self.placed(), allocated_bytes)
    }

    /// What was executed in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.placed() + self.elsewhere.values().sum::<u64>()
    }
}

/// Whether so few instructions can have initialised so many bytes on the heap.
#[must_use]
pub fn could_allocate(instructions: u64, allocated_bytes: u64) -> bool {
    instructions >= allocated_bytes / MOST_BYTES_AN_INSTRUCTION
}

/// By line of the source: the bindings of the top level in whose Core it is, with the name of its file.
pub(super) struct Notes(HashMap<u64, BTreeSet<(String, Site)>>);

impl Notes {
    pub(super) fn of(program: &Program) -> Self {
        let mut lines: HashMap<u64, BTreeSet<(String, Site)>> = HashMap::new();
        for site in program.sites() {
            let core = program.module_of(site).core();
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

    /// The bindings that have a line.
    pub(super) fn sites(&self, file: &str, line: u64) -> BTreeSet<Site> {
        let is_it = |own: &str| {
            file.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let places = self.0.get(&line).into_iter().flatten();
        places.filter(|(own, _)| is_it(own)).map(|(_, site)| *site).collect()
    }
}

/// The binding that has executed something: that of the line, or, where several have the line or none
/// has, that of the symbol.
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

/// Whether a file is the source of one of the modules.
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

/// By name with unique: the binding of the top level that one is, or is nested in; none where several
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
    let Some(symbol) = zcode::symbol(text) else { return Err(Elsewhere::Runtime) };
    match (&symbol.package, &symbol.module) {
        // `_IO_getline_info` would be one of a package without a name.
        (Some(package), _) if package.is_empty() => Err(Elsewhere::Runtime),
        (_, Some(module)) => {
            let is_own = program.modules.iter().any(|own| own.name == *module);
            // `:Main.main` only calls the program's own.
            let elsewhere = || match is_own || module.starts_with(':') {
                true => Elsewhere::Unplaced,
                false => Elsewhere::Libraries,
            };
            let full = format!("{module}.{}", symbol.name);
            program.site_named(&full).ok_or_else(elsewhere)
        }
        (_, None) => match locals.get(&symbol.name[..]) {
            Some(site) => site.ok_or(Elsewhere::Unplaced),
            // `stg_BLACKHOLE` has no unique: those have a digit in them.
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

/// Which binding of one compilation is which of another one of the same source: of modules with the
/// same names in the same order those of the same place, else those that are alone with their names.
fn counterparts(from: &Program, to: &Program) -> HashMap<Site, Site> {
    let mut counterparts = HashMap::new();
    for (number, ours) in from.modules.iter().enumerate() {
        let Some(other) = to.modules.iter().position(|it| it.name == ours.name) else { continue };
        let theirs = &to.modules[other];
        let site = |top| Site { module: number, top };
        let in_other = |top| Site { module: other, top };
        let stems = |program: &Program, of: &dyn Fn(usize) -> Site, count: usize| -> Vec<String> {
            (0..count).map(|top| stem(program.name(of(top))).to_owned()).collect()
        };
        let before = stems(from, &site, ours.len());
        let after = stems(to, &in_other, theirs.len());
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

/// By name: where it is; none where there are several of it.
fn alone(names: &[String]) -> HashMap<&str, Option<usize>> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        places.entry(name).and_modify(|it| *it = None).or_insert(Some(at));
    }
    places
}

/// A name of the top level without its unique, and with its module where it is printed.
fn stem(name: &str) -> &str {
    match module(name) {
        Some(_) => name,
        None => split_unique(name).map_or(name, |(stem, _)| stem),
    }
}
