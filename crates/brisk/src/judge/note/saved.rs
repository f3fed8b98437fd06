//! The words of the notes on a baseline that a harness saved.

use std::fmt;

use super::Note;
use crate::report::quantity::percent;

impl Note {
    pub(super) fn saved_words(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SavedBaseline { file, alone, wait_share } => {
                let together = "; it may have had other benchmarks before it, as with \
                                `--order together`";
                write!(
                    out,
                    "{file} says what a single process took at another time{}; processes are \
                     taken to differ there as they do here, and whatever else was different then \
                     looks like a change",
                    if *alone { together } else { "" }
                )?;
                match wait_share {
                    Some(share) => write!(
                        out,
                        "; here, up to {} of the time was spent waiting for a processor, so that \
                         being slower is no finding",
                        percent(*share)
                    ),
                    None => Ok(()),
                }
            }
            Self::NotInBaseline { benchmarks } => {
                let named = benchmarks.iter().map(|(name, reason)| format!("`{name}` ({reason})"));
                let named = named.collect::<Vec<_>>().join(", ");
                write!(out, "not compared with the baseline: {named}")
            }
            _ => Ok(()),
        }
    }
}
