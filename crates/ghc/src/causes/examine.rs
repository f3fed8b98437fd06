//! All causes applied to one program, with the findings ranked by cost.

use std::collections::HashSet;

use super::ALL;
use super::cause::{Cause, Look, Need};
use super::costs::{Cost, Costs, Coverage, Undumped};
use super::finding::Finding;
use super::places::{Place, places};
use super::program::Program;

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
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        self.cost.as_ref().and_then(|cost| self.finding.cause.paid.share(cost))
    }

    /// True if its cost is known, and too small to be shown by default.
    #[must_use]
    pub fn is_minor(&self) -> bool {
        self.cost.is_some() && self.share().is_none_or(|share| share < LEAST_SHARE)
    }

    fn weight(&self) -> f64 {
        self.share().unwrap_or(0.0) * self.finding.cause.explains
    }
}

/// Runs all causes.
#[must_use]
pub fn examine(program: &Program) -> Examination {
    examine_for(program, &ALL)
}

/// Runs some causes.
#[must_use]
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
    let is_unoptimised = |it: &Ranked| it.finding.cause == &super::missing_optimisation::CAUSE;
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
