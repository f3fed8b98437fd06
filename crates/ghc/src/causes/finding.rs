//! What a cause says: where, what, the evidence, and what to try.

use super::cause::Cause;
use super::costs::Time;
use super::held::Held;
use super::names::Location;
use super::program::Site;
use crate::core::arena::Id;
use crate::core::tree::{Binding, Expr};

/// One place at which a cause shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What was found.
    pub cause: &'static Cause,
    /// The binding of the top level that it is about.
    pub site: Site,
    /// The binding within that one, where it is about a part.
    pub within: Option<Id<Binding>>,
    /// Where in the source it is, where that is known better than by its binding.
    pub at: Option<Location>,
    /// What is wrong, in one sentence, with the names of the source.
    pub what: String,
    /// The Core that shows it; the first is the most telling one.
    pub evidence: Vec<Evidence>,
    /// What to try.
    pub remedy: Remedy,
    /// Why GHC did not do that by itself, in one or two sentences.
    pub why: String,
    /// Which figures of a run are this finding's cost.
    pub basis: Basis,
}

/// A binding, and the expressions in it that matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The binding of the top level.
    pub site: Site,
    /// The binding within that one that is shown; none for all of it.
    pub within: Option<Id<Binding>>,
    /// The expressions to be marked; parts far from them are left out.
    pub focus: Vec<Id<Expr>>,
}

/// What to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// In words: the pragma, the type, the way of writing.
    pub text: String,
    /// The change itself, where a program can make it.
    pub change: Option<Change>,
}

/// A change that a program can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
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
        /// What it exports.
        exports: Vec<String>,
    },
    /// An option for GHC, such as `-O2`.
    CompilerOption(String),
    /// Options of the runtime, such as `-A64m`.
    RuntimeOption(String),
}

/// Which rows and counters of a run are a finding's cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Basis {
    /// The bindings of the top level, each with all that is nested in it.
    pub sites: Vec<Site>,
    /// Bindings within one, each with all that is nested in it; where such a part cannot be told in the
    /// counters, the whole binding of the top level counts in its place.
    pub parts: Vec<(Site, Id<Binding>)>,
    /// Single rows of the counters, each without what is nested in it.
    pub rows: Vec<usize>,
    /// Which of the closures that the code allocates are the cost; none for all of them. Where a run did
    /// not count them, all are.
    pub only: Option<Only>,
    /// What of the heap is the cost, for causes that cost memory.
    pub held: Option<Held>,
    /// What of the time is the cost, for causes that cost time elsewhere.
    pub time: Option<Time>,
    /// Whether it is the whole program.
    pub whole_program: bool,
    /// Counters of the whole program that it shows in, such as `UNKNOWN_CALL_ctr`; they are told
    /// beside the cost, and are no part of it.
    pub counters: Vec<&'static str>,
}

/// Some of the closures that code allocates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Only {
    /// Work put off.
    Thunks,
    /// Constructors with these names.
    Constructors(&'static [&'static str]),
    /// Those of these rows of the counters.
    Rows(Vec<usize>),
}

impl Basis {
    /// One binding of the top level.
    #[must_use]
    pub fn site(site: Site) -> Self {
        Self { sites: vec![site], ..Self::default() }
    }

    /// Some bindings of the top level.
    #[must_use]
    pub fn sites(sites: impl IntoIterator<Item = Site>) -> Self {
        Self { sites: sites.into_iter().collect(), ..Self::default() }
    }

    /// A binding within one.
    #[must_use]
    pub fn part(site: Site, within: Id<Binding>) -> Self {
        Self { parts: vec![(site, within)], ..Self::default() }
    }

    /// Everything that the program does.
    #[must_use]
    pub fn whole_program() -> Self {
        Self { whole_program: true, ..Self::default() }
    }
}
