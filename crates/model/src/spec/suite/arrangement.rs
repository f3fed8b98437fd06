//! The benchmarks that share a process, and their order.

use serde::{Deserialize, Serialize};
use toolchains::harness::adapter::{Arranges, Harness};

/// The arrangement: the benchmarks that run before a benchmark in its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Each benchmark has its own process.
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
    /// All of them.
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

    /// The arrangement with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }

    /// The arrangements in which a suite of this size is run to show whether its benchmarks depend
    /// on each other: each benchmark alone, and all that change its predecessors.
    ///
    /// A harness that runs its benchmarks only in its own order is given half of them at a time, so
    /// that each has different predecessors.
    pub(super) fn of_design(harness: &Harness, benchmarks: usize) -> Vec<Self> {
        /// Fewer have no halves that differ both from single benchmarks and from all together.
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

    /// True if a harness can run its benchmarks in this arrangement.
    pub(super) fn is_possible(self, harness: &Harness) -> bool {
        match (self, harness.arranges) {
            (Self::Alone | Self::Together | Self::Divided, _) | (_, Arranges::AsNamed) => true,
            (Self::Reversed, Arranges::ByOptions { reversed, .. }) => reversed.is_some(),
            (Self::Shuffled, Arranges::ByOptions { shuffled, .. }) => shuffled.is_some(),
        }
    }
}
