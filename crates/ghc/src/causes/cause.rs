//! Causes, and the data that they need.

use std::fmt;

use super::bound::{Loop, loops};
use super::costs::{Cost, Costs, Time};
use super::examine::Finding;
use super::program::{Module, Program, Site};

/// A pattern that costs time or memory, and its search.
pub struct Cause {
    /// Its name in data, such as `over-saturated-calls`; it never changes.
    pub id: &'static str,
    /// Its name for people, in a few words.
    pub title: &'static str,
    /// The pattern and its cost, in a few sentences.
    pub about: &'static str,
    /// The source from which it is known.
    pub seed: &'static str,
    /// The data without which it finds nothing.
    pub needs: &'static [Need],
    /// The part of a finding's cost that goes away with the cause, from 0 to 1, as far as known
    /// from programs before and after. Findings are ranked by their cost times this.
    pub explains: f64,
    /// The kind of cost.
    pub paid: Paid,
    /// The search.
    pub find: fn(&Look<'_>) -> Vec<Finding>,
}

impl fmt::Debug for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Cause").field(&self.id).finish()
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The least number of bytes that count as held. A heap that fits into the caches of a processor
/// costs next to nothing to keep, however large the share is. Arbitrary.
const LEAST_HELD_BYTES: u64 = 1 << 18;

/// The kind of cost of a cause: its share decides the rank of findings, and whether they are shown
/// by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paid {
    /// In allocated bytes.
    Allocations,
    /// In work for each entry, even if nothing is allocated.
    Entries,
    /// In retained memory: the larger of its shares of the heap, at its peak, and of the allocated
    /// bytes. If the heap is known, the latter only if those bytes were counted.
    Memory,
    /// In time, measured by sampling the running program.
    Time,
    /// In allocated bytes, entries or time, whichever share is the largest: for work that may be
    /// done in libraries, which have no counters.
    Work,
}

impl Paid {
    /// The share of a cost that counts.
    pub fn share(self, cost: &Cost) -> Option<f64> {
        match self {
            Self::Allocations => cost.allocation_share,
            Self::Entries => cost.entry_share,
            Self::Memory => {
                let held =
                    cost.held.map(|it| if it.bytes < LEAST_HELD_BYTES { 0.0 } else { it.share });
                let allocated = cost.allocation_share.filter(|_| held.is_none() || !cost.at_most);
                [held, allocated].into_iter().flatten().max_by(f64::total_cmp)
            }
            Self::Time => cost.time.map(Time::share),
            Self::Work => self.in_which(cost).share(cost),
        }
    }

    /// The kind with the largest share of a cost, for causes that may be paid in several kinds.
    pub fn in_which(self, cost: &Cost) -> Self {
        let several = [Self::Allocations, Self::Entries, Self::Time];
        let share = |it: &Self| it.share(cost).unwrap_or(0.0);
        match self {
            // Among equal ones, the first.
            Self::Work => several
                .into_iter()
                .rev()
                .max_by(|a, b| share(a).total_cmp(&share(b)))
                .unwrap_or(self),
            _ => self,
        }
    }
}

/// Data without which a cause finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// Arity, strictness, occurrences, pragmas.
    IdInfo,
    /// The types of bindings and parameters.
    TypeSignatures,
    /// The uniques behind names.
    Uniques,
    /// The dump of CorePrep.
    Prep,
    /// The text of the module.
    Source,
    /// The ticky counters of a run.
    Ticky,
    /// The contents of the heap over time.
    HeapProfile,
    /// Samples of the running program.
    Samples,
}

impl Need {
    /// The reason why a module lacks it; `None` if the module has it.
    pub fn lacking(self, program: &Program, module: &Module) -> Option<String> {
        let suppressed = &module.suppressed;
        let by = |flag: Option<&str>| {
            flag.map(|flag| format!("removed by `{flag}`, or a flag that implies it"))
        };
        let unless = |is_there: bool, how: &str| (!is_there).then(|| how.to_owned());
        match self {
            Self::IdInfo => by(suppressed.idinfo),
            Self::TypeSignatures => by(suppressed.type_signatures),
            Self::Uniques => by(suppressed.uniques),
            Self::Prep => unless(module.prep.is_some(), "no dump of `-ddump-prep`"),
            Self::Source => unless(module.source.is_some(), "no source of the module"),
            Self::Ticky => unless(program.ticky.is_some(), "no ticky counters"),
            Self::HeapProfile => unless(program.heap.is_some(), "no heap profile"),
            Self::Samples => match &program.samples {
                Ok(_) => None,
                Err(reason) => Some(reason.clone()),
            },
        }
    }

    /// A description in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::IdInfo => "arity and strictness",
            Self::TypeSignatures => "types of bindings",
            Self::Uniques => "uniques behind names",
            Self::Prep => "Core as code is made from it",
            Self::Source => "the source",
            Self::Ticky => "ticky counters",
            Self::HeapProfile => "the heap over time",
            Self::Samples => "looks at the running program",
        }
    }
}

/// The view of a cause: the program, without the modules that lack the data it needs.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The program.
    pub program: &'a Program,
    /// The costs of its bindings; empty without counters.
    pub costs: &'a Costs,
    /// The modules that have the data the cause needs, by number.
    pub modules: &'a [usize],
}

impl<'a> Look<'a> {
    /// The modules that have the data the cause needs, with their numbers.
    pub fn modules(&self) -> impl Iterator<Item = (usize, &'a Module)> + 'a {
        let program = self.program;
        self.modules.iter().map(move |number| (*number, &program.modules[*number]))
    }

    /// The bindings of their top levels.
    pub fn sites(&self) -> impl Iterator<Item = Site> + 'a {
        self.modules().flat_map(|(module, it)| (0..it.len()).map(move |top| Site { module, top }))
    }

    /// The recursive functions at and below them.
    pub(super) fn loops(&self) -> impl Iterator<Item = Loop> + 'a {
        let program = self.program;
        self.sites().flat_map(move |site| loops(program, site))
    }
}
