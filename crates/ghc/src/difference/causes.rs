//! The causes of cost of two programs, joined: those that are gone, those that are new, and those that
//! cost more or less than before.

use std::collections::HashMap;

use super::compare::Aligned;
use crate::causes::examine::Ranked;
use crate::causes::{Cause, Examination, Paid, Program, Site};

/// A cause whose cost fell below this part of its former one is gone, although traces are left.
const TRACES: f64 = 0.1;

/// A smaller relative change of a cost is none: shares are sampled, and programs vary.
const ALIKE: f64 = 0.5;

/// A cause in one function, before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedCause {
    /// The cause.
    pub cause: &'static Cause,
    /// The function, for people.
    pub name: String,
    /// Its binding, by number among the aligned ones, if known.
    pub binding: Option<usize>,
    /// The finding on each side, by number.
    pub findings: [Option<usize>; 2],
    /// The development of its cost.
    pub fate: Fate,
    /// The change in its cost, as a share of the whole program's cost of that kind, on the side where
    /// that is larger: -1 to 1; of a sampled cost, what is certain of it (95 %). `None` if a side was
    /// not measured.
    pub moved: Option<f64>,
}

/// The development of a cause from one program to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Only the program before has it.
    Gone,
    /// Only the program after has it.
    New,
    /// It costs less than half of what it did.
    Less,
    /// It costs more than twice as much.
    More,
    /// It costs about the same.
    Same,
}

impl JoinedCause {
    /// Its weight as an explanation: the share that moved, times the part of it that usually goes
    /// away with the cause.
    pub fn weight(&self) -> f64 {
        self.moved.unwrap_or(0.0).abs() * self.cause.explains
    }

    /// The side on which it costs more: 0 before, 1 after.
    pub fn dearer_side(&self) -> usize {
        usize::from(matches!(self.fate, Fate::New | Fate::More))
    }
}

/// The half of an interval at 95 %, in standard deviations.
const DEVIATIONS: f64 = 1.96;

/// A cost in its unit, and that of the whole program.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    own: f64,
    whole: f64,
    /// Half of the interval of a sampled cost; 0 if it was counted.
    doubt: f64,
}

/// Joins the findings of two programs by cause and function. Minor findings are left out, unless the
/// other side has more of the same.
pub(super) fn joined(
    bindings: &[Aligned],
    programs: [&Program; 2],
    examinations: &[Examination; 2],
) -> Vec<JoinedCause> {
    let mut all: Vec<JoinedCause> = Vec::new();
    let mut known: HashMap<(&str, String), usize> = HashMap::new();
    for side in [0, 1] {
        let numbers = numbers(bindings, side);
        for (number, ranked) in examinations[side].ranked.iter().enumerate() {
            let binding = numbers.get(&ranked.finding.site).copied();
            let name = name(programs[side], ranked);
            let key = (ranked.finding.cause.id, name.clone());
            let at = *known.entry(key).or_insert(all.len());
            if at == all.len() {
                all.push(JoinedCause {
                    cause: ranked.finding.cause,
                    name,
                    binding,
                    findings: [None, None],
                    fate: Fate::Same,
                    moved: None,
                });
            }
            // Findings come in the order of their cost.
            all[at].findings[side].get_or_insert(number);
        }
    }
    join_renamed(&mut all, programs, examinations);
    for it in &mut all {
        settle(it, programs, examinations);
    }
    all.retain(|it| {
        let is_major = |side: usize| {
            it.findings[side].is_some_and(|at| !examinations[side].ranked[at].is_minor())
        };
        is_major(0) || is_major(1)
    });
    all.sort_by(|one, other| other.weight().total_cmp(&one.weight()));
    all
}

fn numbers(bindings: &[Aligned], side: usize) -> HashMap<Site, usize> {
    let sites = bindings.iter().enumerate();
    sites.filter_map(|(at, it)| Some(([it.before, it.after][side]?, at))).collect()
}

/// The function that a finding is about, with its module: the one whose declaration has the place.
fn name(program: &Program, ranked: &Ranked) -> String {
    let site = ranked.finding.site;
    let at = program.location_of(&ranked.finding);
    match at.and_then(|at| program.declared(site, &at).map(str::to_owned)) {
        Some(declared) => format!("{}.{declared}", program.module_of(site).name),
        None => program.shown_name(site),
    }
}

/// Joins a cause that is left in one function and found in another at about the same cost: the
/// function was renamed, inlined or split.
fn join_renamed(
    all: &mut Vec<JoinedCause>,
    programs: [&Program; 2],
    examinations: &[Examination; 2],
) {
    let mut at = 0;
    while at < all.len() {
        let is_alone = |it: &JoinedCause, side: usize| {
            it.findings[side].is_some() && it.findings[1 - side].is_none()
        };
        let partner = (at + 1..all.len()).find(|other| {
            let (one, other) = (&all[at], &all[*other]);
            if one.cause != other.cause || !is_alone(one, 0) || !is_alone(other, 1) {
                return false;
            }
            let [before, after] =
                amounts([one.findings[0], other.findings[1]], programs, examinations);
            before.zip(after).is_some_and(|(before, after)| is_alike(before.own, after.own))
        });
        if let Some(partner) = partner {
            let other = all.remove(partner);
            all[at].findings[1] = other.findings[1];
            all[at].name = other.name;
        }
        at += 1;
    }
}

fn is_alike(before: f64, after: f64) -> bool {
    before.min(after) >= ALIKE * before.max(after)
}

fn amounts(
    findings: [Option<usize>; 2],
    programs: [&Program; 2],
    examinations: &[Examination; 2],
) -> [Option<Amount>; 2] {
    let ranked = [0, 1].map(|side| findings[side].map(|at| &examinations[side].ranked[at]));
    let kind = ranked
        .into_iter()
        .flatten()
        .find_map(|it| Some(it.finding.cause.paid.in_which(it.cost.as_ref()?)));
    [0, 1].map(|side| match ranked[side] {
        Some(ranked) => amount(kind?, ranked, programs[side]),
        None => Some(Amount::default()),
    })
}

/// The cost of a finding in its kind.
fn amount(kind: Paid, ranked: &Ranked, program: &Program) -> Option<Amount> {
    let cost = ranked.cost.as_ref()?;
    let of_share = |own: f64, share: Option<f64>| {
        let whole = share.filter(|share| *share > 0.0).map_or(0.0, |share| own / share);
        Amount { own, whole, doubt: 0.0 }
    };
    let allocated = || of_share(cost.allocated_bytes as f64, cost.allocation_share);
    Some(match kind {
        Paid::Allocations | Paid::Work => allocated(),
        Paid::Entries => of_share(cost.entries? as f64, cost.entry_share),
        Paid::Memory => match cost.held {
            Some(held) => of_share(held.bytes as f64, Some(held.share)),
            None => allocated(),
        },
        Paid::Time => {
            let seconds = program.samples.as_ref().ok()?.mutator_seconds.unwrap_or(1.0);
            let time = cost.time?;
            let share = time.share();
            let deviation = (share * (1.0 - share) / time.of.max(1) as f64).sqrt();
            let doubt = DEVIATIONS * deviation * seconds;
            Amount { own: share * seconds, whole: seconds, doubt }
        }
    })
}

/// Decides what became of a cause.
fn settle(it: &mut JoinedCause, programs: [&Program; 2], examinations: &[Examination; 2]) {
    let [before, after] = amounts(it.findings, programs, examinations);
    let measured = before.zip(after);
    it.moved = measured.and_then(|(before, after)| {
        let whole = before.whole.max(after.whole);
        let (moved, doubt) = (after.own - before.own, before.doubt.hypot(after.doubt));
        let certain = (moved.abs() - doubt).max(0.0).copysign(moved);
        (whole > 0.0).then(|| certain / whole)
    });
    let is_trace = |of: f64, beside: f64| of < TRACES * beside;
    it.fate = match (it.findings, measured) {
        ([Some(_), None], _) => Fate::Gone,
        ([None, Some(_)], _) => Fate::New,
        (_, Some((before, after))) if is_trace(after.own, before.own) => Fate::Gone,
        (_, Some((before, after))) if is_trace(before.own, after.own) => Fate::New,
        (_, Some((before, after))) if !is_alike(before.own, after.own) => {
            if after.own < before.own { Fate::Less } else { Fate::More }
        }
        _ => Fate::Same,
    };
}
