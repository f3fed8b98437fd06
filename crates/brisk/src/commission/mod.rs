//! What was asked for: the kind of an experiment, and what tells two of one kind apart.

mod subject;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use subject::{Compared, Program, Subject};

/// The kind of an experiment: the verb that asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Commands, of which the first is the baseline.
    Compare,
    /// The benchmarks inside of programs.
    Bench,
    /// The commits of a range.
    History,
    /// The points of one command's parameters.
    Sweep,
    /// What a runtime is told: `brisk sweep --tune`.
    Tune,
    /// What `brisk.toml` expects.
    Check,
    /// Why programs cost what they cost.
    Explain,
    /// The machine itself.
    Doctor,
}

impl Kind {
    /// Every one of them.
    pub const ALL: [Self; 8] = [
        Self::Compare,
        Self::Bench,
        Self::History,
        Self::Sweep,
        Self::Tune,
        Self::Check,
        Self::Explain,
        Self::Doctor,
    ];

    /// Its word in the store, in JSON and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Bench => "bench",
            Self::History => "history",
            Self::Sweep => "sweep",
            Self::Tune => "tune",
            Self::Check => "check",
            Self::Explain => "explain",
            Self::Doctor => "doctor",
        }
    }

    /// Whether it is an inspection: stored with what was found, and without rounds.
    pub fn is_inspection(self) -> bool {
        matches!(self, Self::Explain | Self::Doctor)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_kind_is_the_same_everywhere() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.word());
        }
    }
}
