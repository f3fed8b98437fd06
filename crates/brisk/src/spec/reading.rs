//! What is read of a run, besides what every run reads.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolchains::runtime;
use toolchains::runtime::adapter::Adapter;

use crate::metric::{self, MetricId};

/// Where readings come from besides the run itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sources {
    /// Where counts come from.
    pub counters: CounterOption,
    /// Whose runtime system is asked.
    pub runtime: RuntimeOption,
}

/// As words, the same as on the command line.
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
    /// Nothing besides the run.
    pub const NONE: Self = Self { counters: CounterOption::None, runtime: RuntimeOption::None };

    /// The readings that the timed runs take.
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

/// Where counts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterOption {
    /// With the processor's counters, if there are any.
    Auto,
    /// With the processor's counters, or fail.
    Perf,
    /// Separate runs under valgrind.
    Valgrind,
    /// Nowhere.
    None,
}

impl CounterOption {
    /// Every one of them.
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

/// Whose runtime system is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuntimeOption {
    /// The runtime system that brisk recognises in each command.
    Auto,
    /// This one, also where a script or a shell starts its programs.
    Named(&'static Adapter),
    /// Nobody's.
    None,
}

impl RuntimeOption {
    /// Every one of them: the table of runtimes between two words.
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
