//! The words of the notes on what was measured at another time: a baseline that a harness saved, a
//! stored experiment.

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
            Self::StoredExperiment { experiment, date, further, since, wait_share } => {
                write!(
                    out,
                    "experiment {experiment} is of {date}, and was not interleaved with this one: \
                     what the machine did differently then looks like a change"
                )?;
                if further.is_empty() {
                    write!(
                        out,
                        "; no other experiment of its command on this machine is stored, so how \
                         far experiments differ is not known, and nothing is decided. Measure both \
                         in one experiment, or the stored command again"
                    )?;
                } else {
                    let all = further.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                    write!(
                        out,
                        "; ratios to it are judged by how far it and the other experiments of its \
                         command differ ({all}; since {since})"
                    )?;
                }
                match wait_share {
                    Some(share) => write!(
                        out,
                        "; while it ran, up to {} of the time was spent waiting for a processor, so that \
                         being faster now is no finding",
                        percent(*share)
                    ),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}
