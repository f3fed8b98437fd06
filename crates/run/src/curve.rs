//! Curves: a quantity sampled over the time of one run, or the reason why it is missing.

use serde::{Deserialize, Serialize};

use model::metric::Missing;

/// The quantity that a curve shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Resident memory of all processes of the run.
    Resident,
    /// The live heap reported by the program's runtime after its collections.
    LiveHeap,
}

impl Quantity {
    /// All quantities, in the order of reports.
    pub const ALL: [Self; 2] = [Self::Resident, Self::LiveHeap];

    /// Its name for other programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Resident => "resident",
            Self::LiveHeap => "live-heap",
        }
    }

    /// Its name in sentences.
    pub fn label(self) -> &'static str {
        match self {
            Self::Resident => "resident memory",
            Self::LiveHeap => "live heap",
        }
    }
}

/// One quantity over the time of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The quantity.
    pub quantity: Quantity,
    /// The samples in chronological order, or the reason why they are missing.
    #[serde(with = "model::metric::known")]
    pub samples: Result<Samples, Missing>,
}

/// A curve with its place in the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedCurve {
    /// The variant that ran.
    pub variant: u32,
    /// The number of the sampled round.
    pub round: u32,
    /// The curve.
    pub curve: Curve,
}

/// Amounts at moments; the two lists have equal length.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Samples {
    /// The time since the start of the run.
    pub seconds: Vec<f64>,
    /// The amounts.
    pub bytes: Vec<f64>,
}

impl Samples {
    /// At most `most` evenly spaced samples, plus the largest; of samples at the same moment, only
    /// the last is kept.
    #[must_use]
    pub fn from_pairs(pairs: impl IntoIterator<Item = (f64, f64)>, most: usize) -> Self {
        let mut all: Vec<(f64, f64)> = Vec::new();
        for (seconds, bytes) in pairs {
            match all.last_mut() {
                Some(last) if last.0 >= seconds => last.1 = bytes,
                _ => all.push((seconds, bytes)),
            }
        }
        let every = all.len().div_ceil(most.max(1)).max(1);
        let largest = (0..all.len()).max_by(|&a, &b| all[a].1.total_cmp(&all[b].1));
        let kept = (0..all.len()).filter(|&index| index % every == 0 || Some(index) == largest);
        let (seconds, bytes) = kept.map(|index| all[index]).unzip();
        Self { seconds, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_samples_some_are_kept_and_the_largest() {
        let all = (0..1000).map(|i| (f64::from(i), if i == 333 { 9.0 } else { 1.0 }));
        let kept = Samples::from_pairs(all, 100);
        assert_eq!(kept.seconds.len(), 101);
        assert!(kept.seconds.is_sorted() && kept.bytes.contains(&9.0));
    }

    #[test]
    fn a_moment_has_one_sample() {
        let kept = Samples::from_pairs([(0.0, 1.0), (0.001, 2.0), (0.001, 3.0), (0.002, 4.0)], 10);
        assert_eq!(kept, Samples { seconds: vec![0.0, 0.001, 0.002], bytes: vec![1.0, 3.0, 4.0] });
    }
}
