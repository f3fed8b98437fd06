//! Heap profiles of GHC's runtime: `.hp` files, as written by `+RTS -h...`.
//!
//! With `-hT` any program writes one; its bands are kinds of closures, such as `THUNK_2_0`.

/// The contents of the heap, moment by moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeapProfile {
    /// The moments, in their order.
    pub samples: Vec<HeapSample>,
}

/// The contents of the heap at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct HeapSample {
    /// The time, in seconds of the program's run.
    pub seconds: f64,
    /// Each band with its bytes.
    pub bands: Vec<(String, u64)>,
}

impl HeapProfile {
    /// The moment with the largest heap; `None` without moments.
    pub fn peak(&self) -> Option<&HeapSample> {
        self.samples.iter().max_by_key(|sample| sample.bytes())
    }
}

impl HeapSample {
    /// The bytes of all bands.
    pub fn bytes(&self) -> u64 {
        self.bands.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Its bands, the largest first.
    pub fn largest(&self) -> Vec<(&str, u64)> {
        let mut bands: Vec<(&str, u64)> =
            self.bands.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
        bands.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        bands
    }
}

/// The reason why a file is not a heap profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeapProfileError {
    /// It does not contain any sample.
    #[error("there is no sample, as GHC's heap profiles have them")]
    NoSample,
    /// A line is malformed.
    #[error("line {line} of the heap profile is neither a band nor the beginning of a sample")]
    Line {
        /// The line, from 1.
        line: usize,
    },
}

/// Reads the text of a profile. An incomplete sample, such as the last one of a program that was
/// ended, is left out.
///
/// # Errors
///
/// When there is no sample, or a line within one is not of the format.
pub fn read(text: &str) -> Result<HeapProfile, HeapProfileError> {
    let mut profile = HeapProfile::default();
    let mut open: Option<HeapSample> = None;
    for (place, line) in text.lines().enumerate() {
        if let Some(seconds) = line.strip_prefix("BEGIN_SAMPLE ") {
            let wrong = || HeapProfileError::Line { line: place + 1 };
            let seconds = seconds.trim().parse().map_err(|_| wrong())?;
            open = Some(HeapSample { seconds, bands: Vec::new() });
        } else if line.starts_with("END_SAMPLE ") {
            profile.samples.extend(open.take());
        } else if let Some(sample) = &mut open {
            let band = line.rsplit_once('\t');
            let band = band.and_then(|(name, bytes)| Some((name, bytes.trim().parse().ok()?)));
            let (name, bytes) = band.ok_or(HeapProfileError::Line { line: place + 1 })?;
            sample.bands.push((name.to_owned(), bytes));
        }
    }
    if profile.samples.is_empty() { Err(HeapProfileError::NoSample) } else { Ok(profile) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_and_a_cut_one_is_left_out() {
        let text = "JOB \"main\"\nDATE \"Sun\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n\
                    BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n\
                    BEGIN_SAMPLE 0.01\nTHUNK_2_0\t1600\nghc-prim:GHC.Types.:\t48\n\
                    END_SAMPLE 0.01\nBEGIN_SAMPLE 0.02\nTHUNK_2_0\t3200\n";
        let profile = read(text).expect("a profile");
        assert_eq!(profile.samples.len(), 2);
        let expected = [("THUNK_2_0".to_owned(), 1600), ("ghc-prim:GHC.Types.:".to_owned(), 48)];
        assert_eq!(profile.samples[1].bands, expected);
        let peak = profile.peak().expect("a moment");
        assert_eq!(
            (peak.bytes(), peak.largest()),
            (1648, vec![("THUNK_2_0", 1600), ("ghc-prim:GHC.Types.:", 48)])
        );
        assert_eq!(read("hello\n"), Err(HeapProfileError::NoSample));
        let spoilt = text.replace("\t1600", " much");
        assert_eq!(read(&spoilt), Err(HeapProfileError::Line { line: 8 }));
    }
}
