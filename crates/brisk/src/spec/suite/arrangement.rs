//! What shares a process, and in which order.

use serde::{Deserialize, Serialize};
use toolchains::harness::adapter::{Arranges, Harness};

/// What runs before a benchmark in its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Each benchmark has a process of its own.
    #[default]
    Alone,
    /// All benchmarks share a process, in the program's own order.
    Together,
    /// All benchmarks share a process, in reverse order.
    Reversed,
    /// All benchmarks share a process, in a new random order each round.
    Shuffled,
    /// Two processes share the benchmarks, by halves drawn anew each round, in the program's own
    /// order.
    Divided,
}

impl Arrangement {
    /// Every one of them.
    pub const ALL: [Self; 5] =
        [Self::Alone, Self::Together, Self::Reversed, Self::Shuffled, Self::Divided];

    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Together => "together",
            Self::Reversed => "reversed",
            Self::Shuffled => "shuffled",
            Self::Divided => "divided",
        }
    }

    /// The one with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }

    /// The arrangements in which a suite of so many benchmarks is run to see whether they depend on
    /// each other: each benchmark alone, and all that gives it different company.
    ///
    /// A harness that runs its benchmarks in its own order only is given half of them at a time, so
    /// that each has different ones before it.
    pub(super) fn of_design(harness: &Harness, benchmarks: usize) -> Vec<Self> {
        /// Fewer have no halves that differ from each alone and from all together.
        const LEAST_DIVIDED: usize = 4;
        let mut arrangements = vec![Self::Alone];
        if benchmarks > 1 {
            let orders = [Self::Together, Self::Reversed, Self::Shuffled];
            arrangements.extend(orders.into_iter().filter(|order| order.is_possible(harness)));
        }
        if benchmarks >= LEAST_DIVIDED && !arrangements.contains(&Self::Shuffled) {
            arrangements.push(Self::Divided);
        }
        arrangements
    }

    /// Whether a harness can run its benchmarks like this.
    pub(super) fn is_possible(self, harness: &Harness) -> bool {
        match (self, harness.arranges) {
            (Self::Alone | Self::Together | Self::Divided, _) | (_, Arranges::AsNamed) => true,
            (Self::Reversed, Arranges::ByOptions { reversed, .. }) => reversed.is_some(),
            (Self::Shuffled, Arranges::ByOptions { shuffled, .. }) => shuffled.is_some(),
        }
    }
}
