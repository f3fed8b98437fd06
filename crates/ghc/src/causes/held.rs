//! A finding's part of the heap, by a profile of its kinds of closures (`-hT`).

use crate::core::occurrence::occurrence;
use crate::heap_profile::{HeapProfile, HeapSample};

/// The closures in the heap that make up a finding's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Held {
    /// Deferred work, and functions applied but not run yet.
    Thunks,
    /// Arrays of pointers, of any element type, and boxes with these constructors.
    PointerArrays(&'static [&'static str]),
    /// The cells of lists.
    Lists,
    /// Arrays of bytes, which hold texts.
    Bytes,
    /// Stacks, of all threads.
    Stacks,
}

/// The peak of one kind in the heap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldBytes {
    /// Its bytes.
    pub bytes: u64,
    /// Their share of the heap at that moment, from 0 to 1.
    pub share: f64,
}

impl Held {
    /// The bytes at one moment.
    #[must_use]
    pub fn bytes(self, sample: &HeapSample) -> u64 {
        let bands = sample.bands.iter().filter(|(band, _)| self.has(band));
        bands.map(|(_, bytes)| bytes).sum()
    }

    /// The moment of its peak, the last of several; `None` without moments.
    #[must_use]
    pub fn most(self, profile: &HeapProfile) -> Option<(usize, HeldBytes)> {
        let all = profile.samples.iter().map(|sample| self.bytes(sample)).enumerate();
        let (place, bytes) = all.max_by_key(|(place, bytes)| (*bytes, *place))?;
        let heap: u64 = profile.samples[place].bands.iter().map(|(_, bytes)| bytes).sum();
        let share = if heap > 0 { bytes as f64 / heap as f64 } else { 0.0 };
        Some((place, HeldBytes { bytes, share }))
    }

    fn has(self, band: &str) -> bool {
        match self {
            Self::Thunks => band.starts_with("THUNK") || matches!(band, "AP" | "AP_UPD"),
            Self::Lists => band.split_once(':').is_some_and(|(_, name)| name == "GHC.Types.:"),
            Self::Bytes => band == "ARR_WORDS",
            Self::Stacks => band == "STACK",
            Self::PointerArrays(boxes) => {
                band.starts_with("MUT_ARR_PTRS")
                    || band.starts_with("SMALL_MUT_ARR_PTRS")
                    // A constructor has its package before it: `base:GHC.Word.W8#`.
                    || band.split_once(':').is_some_and(|(_, name)| boxes.contains(&occurrence(name)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(bands: &[(&str, u64)]) -> HeapSample {
        let bands = bands.iter().map(|(band, bytes)| ((*band).to_owned(), *bytes));
        HeapSample { seconds: 0.0, bands: bands.collect() }
    }

    #[test]
    fn each_kind_has_its_bands() {
        let sample = sample(&[
            ("THUNK_2_0", 1),
            ("AP", 2),
            ("APPEND", 4),
            ("MUT_ARR_PTRS_FROZEN_CLEAN", 8),
            ("SMALL_MUT_ARR_PTRS_DIRTY", 16),
            ("base:GHC.Word.W8#", 32),
            ("ghc-prim:GHC.Types.I#", 64),
            ("ARR_WORDS", 128),
            ("ghc-prim:GHC.Types.:", 256),
            ("STACK", 512),
            ("AP_STACK", 1024),
        ]);
        assert_eq!(Held::Stacks.bytes(&sample), 512);
        assert_eq!(Held::Lists.bytes(&sample), 256);
        assert_eq!(Held::Bytes.bytes(&sample), 128);
        assert_eq!(Held::Thunks.bytes(&sample), 3);
        assert_eq!(Held::PointerArrays(&["W8#"]).bytes(&sample), 8 + 16 + 32);
    }

    #[test]
    fn the_share_is_that_of_the_moment_with_most() {
        let profile = HeapProfile {
            samples: vec![
                sample(&[("THUNK", 10), ("FUN", 90)]),
                sample(&[("THUNK", 30), ("FUN", 30)]),
                sample(&[("THUNK", 20)]),
            ],
        };
        let most = Held::Thunks.most(&profile);
        assert_eq!(most, Some((1, HeldBytes { bytes: 30, share: 0.5 })));
        let nothing = Held::PointerArrays(&["W8#"]).most(&profile).map(|(_, most)| most);
        assert_eq!(nothing, Some(HeldBytes { bytes: 0, share: 0.0 }));
        assert_eq!(Held::Thunks.most(&HeapProfile::default()), None);
    }
}
