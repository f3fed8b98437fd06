//! The optional readings of a run.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolchains::runtime;
use toolchains::runtime::adapter::Adapter;

use crate::metric::{self, MetricId};

/// The sources of readings besides the run itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sources {
    /// The source of counts.
    pub counters: CounterOption,
    /// The runtime system to query.
    pub runtime: RuntimeOption,
}

/// Implements serialisation as words, the same as on the command line.
macro_rules! as_its_word {
    ($option:ty, $all:expr) => {
        impl Serialize for $option {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                self.word().serialize(to)
            }
        }

        impl<'de> Deserialize<'de> for $option {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = String::deserialize(from)?;
                let found = $all.into_iter().find(|option| option.word() == word);
                found.ok_or_else(|| D::Error::custom(format!("unknown word `{word}`")))
            }
        }
    };
}

as_its_word!(CounterOption, CounterOption::ALL);
as_its_word!(RuntimeOption, RuntimeOption::all());

impl Sources {
    /// No sources besides the run.
    pub const NONE: Self = Self { counters: CounterOption::None, runtime: RuntimeOption::None };

    /// The readings of the timed runs.
    pub fn reads(&self, chosen: Option<&[MetricId]>) -> measure::Reads {
        let is_named = |read| chosen.into_iter().flatten().any(|id| id.is_told_from(read));
        measure::Reads {
            counters: matches!(self.counters, CounterOption::Auto | CounterOption::Perf),
            tree_memory: is_named(&metric::PEAK_TREE_MEMORY),
            memory_over_time: false,
            stack_start: false,
            energy: is_named(&metric::ENERGY),
        }
    }
}

/// The source of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterOption {
    /// The processor's counters, if available.
    Auto,
    /// The processor's counters; their absence is an error.
    Perf,
    /// Separate runs under valgrind.
    Valgrind,
    /// No counts.
    None,
}

impl CounterOption {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Perf, Self::Valgrind, Self::None];

    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Perf => "perf",
            Self::Valgrind => "valgrind",
            Self::None => "none",
        }
    }
}

/// The runtime system to query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuntimeOption {
    /// The runtime system that brisk recognises in each command.
    Auto,
    /// This one, even if a script or a shell starts its programs.
    Named(&'static Adapter),
    /// No runtime system.
    None,
}

impl RuntimeOption {
    /// All of them: the table of runtimes between two words.
    pub fn all() -> impl Iterator<Item = Self> {
        let named = runtime::ALL.into_iter().map(Self::Named);
        [Self::Auto].into_iter().chain(named).chain([Self::None])
    }

    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(adapter) => adapter.word,
            Self::None => "none",
        }
    }
}
