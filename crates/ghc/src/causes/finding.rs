//! Findings of causes: the place, the problem, the evidence, and the remedy.

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
    /// The Core that shows it; the most telling part comes first.
    pub evidence: Vec<Evidence>,
    /// The suggested remedy.
    pub remedy: Remedy,
    /// The reason why GHC did not do that by itself, in one or two sentences.
    pub why: String,
    /// The figures of a run that make up this finding's cost.
    pub basis: Basis,
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
        /// Its exports.
        exports: Vec<String>,
    },
    /// An option for GHC, such as `-O2`.
    CompilerOption(String),
    /// Options of the runtime, such as `-A64m`.
    RuntimeOption(String),
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
