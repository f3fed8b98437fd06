//! All causes applied to one program: their findings, ranked by cost, and the places of these.
//!
//! A finding has the place, the problem, the evidence, and the remedy. A place is a binding, or the
//! part of it that is from one declaration of the source; it has one cost, even if several causes
//! show there.

use std::collections::{HashMap, HashSet};

use super::ALL;
use super::bound::Loop;
use super::cause::{Cause, Look, Need};
use super::costs::{Cost, Costs, Coverage, Held, Time, Undumped};
use super::names::Location;
use super::overloading::implementation_of;
use super::program::{Program, Site};
use crate::core::tree::{Binding, Expr, Id};

/// A finding with a smaller share of the cost than this is minor: it is counted, and shown on
/// request.
pub const LEAST_SHARE: f64 = 0.01;

/// The results of all causes for a program.
#[derive(Debug, Clone)]
pub struct Examination {
    /// The findings, the most costly first.
    pub ranked: Vec<Ranked>,
    /// The places of the findings, in the order of the first finding of each.
    pub places: Vec<Place>,
    /// The modules that causes could not examine.
    pub blind: Vec<Blind>,
    /// The part of the run that the counters cover; `None` without counters.
    pub coverage: Option<Coverage>,
    /// The modules with counters but without a dump, the costliest first.
    pub undumped: Vec<Undumped>,
}

/// A finding and its cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The finding.
    pub finding: Finding,
    /// Its cost; `None` if nothing was measured.
    pub cost: Option<Cost>,
}

/// Modules that a cause could not examine.
#[derive(Debug, Clone, PartialEq)]
pub struct Blind {
    /// The cause.
    pub cause: &'static Cause,
    /// The missing data.
    pub lacks: Need,
    /// The reason why it is missing.
    pub reason: String,
    /// The modules, by number.
    pub modules: Vec<usize>,
}

impl Ranked {
    /// The share of the measured cost by which it is ranked; `None` if nothing was measured.
    pub fn share(&self) -> Option<f64> {
        self.cost.as_ref().and_then(|cost| self.finding.cause.paid.share(cost))
    }

    /// True if its cost is known, and too small to be shown by default.
    pub fn is_minor(&self) -> bool {
        self.cost.is_some() && self.share().is_none_or(|share| share < LEAST_SHARE)
    }

    fn weight(&self) -> f64 {
        self.share().unwrap_or(0.0) * self.finding.cause.explains
    }
}

/// Runs all causes.
pub fn examine(program: &Program) -> Examination {
    examine_for(program, &ALL)
}

/// Runs some causes.
pub fn examine_for(program: &Program, causes: &[&'static Cause]) -> Examination {
    let costs = Costs::from_program(program);
    let mut blind: Vec<Blind> = Vec::new();
    let mut ranked = Vec::new();
    for cause in causes {
        let mut modules = Vec::new();
        for number in 0..program.modules.len() {
            match lacking(cause, program, number) {
                None => modules.push(number),
                Some((lacks, reason)) => note(&mut blind, cause, lacks, reason, number),
            }
        }
        let look = Look { program, costs: &costs, modules: &modules };
        ranked.extend((cause.find)(&look).into_iter().map(|finding| {
            let cost = costs.is_measured().then(|| costs.basis(program, &finding.basis));
            Ranked { finding, cost }
        }));
    }
    without_unoptimised(&mut ranked);
    // Sorting is stable: findings with equal or unknown cost keep the order of the causes.
    ranked.sort_by(|one, other| other.weight().total_cmp(&one.weight()));
    let coverage = costs.is_measured().then(|| costs.coverage());
    let places = places(program, &costs, &ranked);
    let undumped = costs.undumped().to_vec();
    Examination { ranked, places, blind, coverage, undumped }
}

/// Keeps only that finding for modules compiled without optimisation: GHC may do away with all
/// other patterns in them.
fn without_unoptimised(ranked: &mut Vec<Ranked>) {
    let is_unoptimised =
        |it: &Ranked| it.finding.cause == &super::not_inlined::MISSING_OPTIMISATION;
    let modules: HashSet<usize> =
        ranked.iter().filter(|it| is_unoptimised(it)).map(|it| it.finding.site.module).collect();
    ranked.retain(|it| is_unoptimised(it) || !modules.contains(&it.finding.site.module));
}

fn lacking(cause: &Cause, program: &Program, number: usize) -> Option<(Need, String)> {
    let module = &program.modules[number];
    cause.needs.iter().find_map(|need| Some((*need, need.lacking(program, module)?)))
}

fn note(blind: &mut Vec<Blind>, cause: &'static Cause, lacks: Need, reason: String, module: usize) {
    let known =
        blind.iter_mut().find(|it| it.cause == cause && it.lacks == lacks && it.reason == reason);
    match known {
        Some(known) => known.modules.push(module),
        None => blind.push(Blind { cause, lacks, reason, modules: vec![module] }),
    }
}

/// One place at which a cause shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The cause.
    pub cause: &'static Cause,
    /// The binding of the top level that it is about.
    pub site: Site,
    /// The binding within that one, if it is about a part.
    pub within: Option<Id<Binding>>,
    /// The location in the source, if known more precisely than by its binding.
    pub at: Option<Location>,
    /// The problem, in one sentence, with the names of the source.
    pub what: String,
    /// The problem as a predicate of its function, if the cause's title is too general.
    pub predicate: Option<String>,
    /// The Core that shows it; the most telling part comes first.
    pub evidence: Vec<Evidence>,
    /// The suggested remedy.
    pub remedy: Remedy,
    /// The reason why GHC did not do that by itself, in one or two sentences.
    pub why: String,
    /// The figures of a run that make up this finding's cost.
    pub basis: Basis,
}

impl Finding {
    /// A finding about a binding of the top level, whose cost is that of the binding. The words are
    /// still missing.
    pub(super) fn at_site(cause: &'static Cause, site: Site, focus: Vec<Id<Expr>>) -> Self {
        Self::within(cause, site, None, focus)
    }

    /// The same about a recursive function.
    pub(super) fn at_loop(cause: &'static Cause, it: &Loop, focus: Vec<Id<Expr>>) -> Self {
        Self::within(cause, it.site, it.within, focus)
    }

    /// The same about a binding, or one within it.
    pub(super) fn within(
        cause: &'static Cause,
        site: Site,
        within: Option<Id<Binding>>,
        focus: Vec<Id<Expr>>,
    ) -> Self {
        Self {
            cause,
            site,
            within,
            at: None,
            what: String::new(),
            predicate: None,
            evidence: vec![Evidence { site, within, focus }],
            remedy: String::new().into(),
            why: String::new(),
            basis: Basis::binding(site, within),
        }
    }
}

/// The most expressions of one place that are shown as evidence: more add nothing.
pub(super) const MOST_SHOWN: usize = 3;

/// The number of places in words.
pub(super) fn in_places(count: usize) -> String {
    format!("in {count} {}", if count == 1 { "place" } else { "places" })
}

/// A binding, and the expressions in it that matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The binding of the top level.
    pub site: Site,
    /// The binding within that one to be shown; `None` for all of it.
    pub within: Option<Id<Binding>>,
    /// The expressions to be marked; parts far from them are left out.
    pub focus: Vec<Id<Expr>>,
}

/// A suggested remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// In words: the pragma, the type, the way of writing.
    pub text: String,
    /// The change itself, if a program can make it.
    pub change: Option<RemedyChange>,
}

impl<Text: Into<String>> From<Text> for Remedy {
    fn from(text: Text) -> Self {
        Self { text: text.into(), change: None }
    }
}

/// A change to the program by which a remedy is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemedyChange {
    /// A pragma for a binding of a module's source: `{-# INLINE name #-}`.
    Pragma {
        /// The module.
        module: String,
        /// The binding, as the source names it.
        binding: String,
        /// The pragma without its brackets, such as `INLINE go`.
        pragma: String,
    },
    /// An export list for a module without one.
    ExportList {
        /// The module.
        module: String,
        /// Its exports.
        exports: Vec<String>,
    },
    /// An option for GHC, such as `-O2`.
    CompilerOption(String),
}

/// The rows and counters of a run that make up a finding's cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Basis {
    /// The bindings of the top level, each with everything nested in it.
    pub sites: Vec<Site>,
    /// Bindings within one, each with everything nested in it; if the counters do not identify such
    /// a part, the whole binding of the top level counts instead.
    pub parts: Vec<(Site, Id<Binding>)>,
    /// Single rows of the counters, each without those nested in it.
    pub rows: Vec<usize>,
    /// The closures allocated by the code that make up the cost; `None` for all of them. If a run
    /// did not count them, all are.
    pub only: Option<Only>,
    /// The part of the heap that is the cost, for causes that cost memory.
    pub held: Option<Held>,
    /// The part of the time that is the cost, for causes that cost time elsewhere.
    pub time: Option<Time>,
    /// Set if it is the whole program.
    pub whole_program: bool,
    /// Counters of the whole program that show it, such as `UNKNOWN_CALL_ctr`; they are reported
    /// beside the cost, but are not part of it.
    pub counters: Vec<&'static str>,
}

/// Some of the closures that code allocates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Only {
    /// Deferred work.
    Thunks,
    /// Constructors with these names.
    Constructors(&'static [&'static str]),
    /// Those of some rows of the counters.
    Rows(Vec<usize>),
}

impl Basis {
    /// One binding of the top level.
    pub fn site(site: Site) -> Self {
        Self { sites: vec![site], ..Self::default() }
    }

    /// Some bindings of the top level.
    pub fn sites(sites: impl IntoIterator<Item = Site>) -> Self {
        Self { sites: sites.into_iter().collect(), ..Self::default() }
    }

    /// A binding within one, if given, else all of it.
    pub fn binding(site: Site, within: Option<Id<Binding>>) -> Self {
        match within {
            Some(within) => Self { parts: vec![(site, within)], ..Self::default() },
            None => Self::site(site),
        }
    }

    /// Everything that the program does.
    pub fn whole_program() -> Self {
        Self { whole_program: true, ..Self::default() }
    }
}

/// A binding, and its findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The binding of the top level; for a function and its worker, the function.
    pub site: Site,
    /// The findings by number, the most costly first.
    pub findings: Vec<usize>,
    /// The cost of all code of the findings; `None` if nothing was measured.
    pub cost: Option<Cost>,
}

/// The places of some findings, in the order of the first finding of each.
pub(super) fn places(program: &Program, costs: &Costs, ranked: &[Ranked]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut known: HashMap<(Site, Option<String>), usize> = HashMap::new();
    for (number, it) in ranked.iter().enumerate() {
        let site = implementation_of(program, it.finding.site).unwrap_or(it.finding.site);
        // Code inlined into one binding is from several declarations of the source.
        let at = program.location_of(&it.finding);
        let declared = at.and_then(|at| program.declared(site, &at).map(str::to_owned));
        let place = *known.entry((site, declared)).or_insert(places.len());
        if place == places.len() {
            places.push(Place { site, findings: Vec::new(), cost: None });
        }
        places[place].findings.push(number);
    }
    if costs.is_measured() {
        for place in &mut places {
            let bases = place.findings.iter().map(|number| &ranked[*number].finding.basis);
            place.cost = Some(costs.basis(program, &together(bases)));
        }
    }
    places
}

/// The union of some bases.
fn together<'a>(bases: impl Iterator<Item = &'a Basis>) -> Basis {
    let mut all = Basis::default();
    for basis in bases {
        all.sites.extend(&basis.sites);
        all.parts.extend(&basis.parts);
        all.rows.extend(&basis.rows);
        all.whole_program |= basis.whole_program;
        all.time = all.time.into_iter().chain(basis.time).max_by_key(|it| it.looks);
    }
    all
}
