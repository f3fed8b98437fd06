//! Findings by place: a binding, or the part of it that is from one declaration of the source. One
//! place has one cost, even if several causes show there.

use std::collections::HashMap;

use super::costs::{Cost, Costs};
use super::dictionaries::implementation_of;
use super::examine::Ranked;
use super::finding::Basis;
use super::program::{Program, Site};

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
