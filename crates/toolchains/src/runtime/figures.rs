//! The figures that a runtime reports for a process, in one vocabulary for all runtimes, and the
//! reading of numbers and reports.
//!
//! Each figure has the meaning documented here; a similarly named figure of a runtime with another
//! meaning is not used. `docs/runtimes.md` lists the source of each figure for each runtime. Words
//! have been converted to bytes, and times to seconds. Numbers are digits, possibly with a point or
//! with commas between thousands; signs, infinities and exponents are refused.

use std::collections::BTreeMap;

/// The figures of one process. Figures that were not reported are absent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Bytes allocated on the heap over the whole run.
    pub allocated_bytes: Option<u64>,
    /// Bytes moved from the young generation to the old one.
    pub promoted_bytes: Option<u64>,
    /// The most bytes that were live at a major collection; absent if there was none.
    pub max_live_bytes: Option<u64>,
    /// The most bytes that the runtime held of the operating system's memory, for its heap.
    pub max_in_use_bytes: Option<u64>,
    /// Bytes copied by collections.
    pub copied_bytes: Option<u64>,
    /// Collections, of all generations.
    pub collections: Option<u64>,
    /// Collections of the young generation alone.
    pub minor_collections: Option<u64>,
    /// Collections of the whole heap.
    pub major_collections: Option<u64>,
    /// Processor time of the collections, over all threads, in seconds.
    pub gc_cpu_seconds: Option<f64>,
    /// Processor time of the program itself, without collections, start and end, in seconds.
    pub mutator_cpu_seconds: Option<f64>,
    /// The total pause for collections, in seconds.
    pub pause_seconds: Option<f64>,
    /// The longest pause, in seconds.
    pub max_pause_seconds: Option<f64>,
}

/// A figure by name, for iterating over all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a field of `Figures`, described there")]
pub enum Quantity {
    Allocated,
    Promoted,
    MaxLive,
    MaxInUse,
    Copied,
    Collections,
    MinorCollections,
    MajorCollections,
    GcTime,
    MutatorTime,
    PauseTime,
    MaxPause,
}

impl Quantity {
    /// Every figure.
    pub const ALL: [Self; 12] = [
        Self::Allocated,
        Self::Promoted,
        Self::MaxLive,
        Self::MaxInUse,
        Self::Copied,
        Self::Collections,
        Self::MinorCollections,
        Self::MajorCollections,
        Self::GcTime,
        Self::MutatorTime,
        Self::PauseTime,
        Self::MaxPause,
    ];
}

impl Figures {
    /// One figure, in bytes, seconds, or as a count.
    pub fn get(&self, quantity: Quantity) -> Option<f64> {
        let count = |value: Option<u64>| value.map(|value| value as f64);
        match quantity {
            Quantity::Allocated => count(self.allocated_bytes),
            Quantity::Promoted => count(self.promoted_bytes),
            Quantity::MaxLive => count(self.max_live_bytes),
            Quantity::MaxInUse => count(self.max_in_use_bytes),
            Quantity::Copied => count(self.copied_bytes),
            Quantity::Collections => count(self.collections),
            Quantity::MinorCollections => count(self.minor_collections),
            Quantity::MajorCollections => count(self.major_collections),
            Quantity::GcTime => self.gc_cpu_seconds,
            Quantity::MutatorTime => self.mutator_cpu_seconds,
            Quantity::PauseTime => self.pause_seconds,
            Quantity::MaxPause => self.max_pause_seconds,
        }
    }

    /// The figures of two processes together: sums, but the larger of two peaks, because it is
    /// unknown if they coincided. A figure that either lacks is absent.
    pub fn plus(self, other: Self) -> Self {
        let add = |a: Option<u64>, b: Option<u64>| a?.checked_add(b?);
        let larger = |a: Option<u64>, b: Option<u64>| Some(a?.max(b?));
        let add_times = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        let longer = |a: Option<f64>, b: Option<f64>| Some(a?.max(b?));
        Self {
            allocated_bytes: add(self.allocated_bytes, other.allocated_bytes),
            promoted_bytes: add(self.promoted_bytes, other.promoted_bytes),
            max_live_bytes: larger(self.max_live_bytes, other.max_live_bytes),
            max_in_use_bytes: larger(self.max_in_use_bytes, other.max_in_use_bytes),
            copied_bytes: add(self.copied_bytes, other.copied_bytes),
            collections: add(self.collections, other.collections),
            minor_collections: add(self.minor_collections, other.minor_collections),
            major_collections: add(self.major_collections, other.major_collections),
            gc_cpu_seconds: add_times(self.gc_cpu_seconds, other.gc_cpu_seconds),
            mutator_cpu_seconds: add_times(self.mutator_cpu_seconds, other.mutator_cpu_seconds),
            pause_seconds: add_times(self.pause_seconds, other.pause_seconds),
            max_pause_seconds: longer(self.max_pause_seconds, other.max_pause_seconds),
        }
    }
}

/// The reason that figures could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum FiguresError {
    #[error("the figures of {runtime} are cut off")]
    CutOff { runtime: &'static str },
    #[error("the figures of {runtime} are not in a form that is known")]
    Malformed { runtime: &'static str },
}

pub(super) const MEBIBYTE: u64 = 1 << 20;

/// A whole number; commas between digits are ignored, as in `1,234`.
pub(super) fn whole(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|&sign| sign != ',').collect();
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain && !text.starts_with(','))
}

/// A number with or without a point.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| plain)
}

/// A size with its unit, in powers of 1024: `512K`, `1.72M`, `2G`, or bytes without one. It is as
/// precise as the runtime's digits.
pub(super) fn size(text: &str) -> Option<u64> {
    let shift = match text.chars().last()? {
        'K' | 'k' => 10,
        'M' | 'm' => 20,
        'G' | 'g' => 30,
        'T' | 't' => 40,
        _ => 0,
    };
    let number = if shift == 0 { text } else { &text[..text.len() - 1] };
    let factor = 1_u64 << shift;
    if let Some(number) = whole(number) {
        return number.checked_mul(factor);
    }
    let bytes = decimal(number)? * factor as f64;
    (bytes < u64::MAX as f64).then_some(bytes.round() as u64)
}

/// The text between `before` and the next `after`.
pub(super) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inner, _)| inner)
}

/// The numbers of one report, written by a few lines of our code inside the program's process, for
/// runtimes that can only be queried in their own language.
///
/// It is one line, short enough to be written at once (`PIPE_BUF`), so that those of several
/// processes do not mix: a word that identifies the runtime, then `key=number` pairs.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pairs: BTreeMap<&'a str, &'a str>,
    runtime: &'static str,
}

/// The reports in `text` that begin with this word.
pub(super) fn reports<'a>(
    text: &'a str,
    word: &str,
    runtime: &'static str,
) -> Result<Vec<Report<'a>>, FiguresError> {
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let Some(pairs) = line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')) else {
            continue;
        };
        let pairs = pairs.strip_suffix('\n').ok_or(FiguresError::CutOff { runtime })?;
        let pairs = pairs.split(' ').filter_map(|pair| pair.split_once('=')).collect();
        found.push(Report { pairs, runtime });
    }
    Ok(found)
}

impl Report<'_> {
    /// A count; `None` for `-`.
    pub(super) fn count(&self, key: &str) -> Result<Option<u64>, FiguresError> {
        self.number(key, whole)
    }

    /// A number with or without a point; `None` for `-`.
    pub(super) fn decimal(&self, key: &str) -> Result<Option<f64>, FiguresError> {
        self.number(key, decimal)
    }

    /// The figures that every such report has: collections of both kinds and their pauses.
    pub(super) fn collections(&self) -> Result<Figures, FiguresError> {
        let (minor, major) = (self.count("minor")?, self.count("major")?);
        let seconds = |microseconds: f64| microseconds / 1e6;
        Ok(Figures {
            collections: minor.zip(major).and_then(|(minor, major)| minor.checked_add(major)),
            minor_collections: minor,
            major_collections: major,
            pause_seconds: self.decimal("pause_microseconds")?.map(seconds),
            max_pause_seconds: self.decimal("max_pause_microseconds")?.map(seconds),
            ..Figures::default()
        })
    }

    fn number<T>(&self, key: &str, read: fn(&str) -> Option<T>) -> Result<Option<T>, FiguresError> {
        let malformed = FiguresError::Malformed { runtime: self.runtime };
        match self.pairs.get(key) {
            Some(&"-") => Ok(None),
            Some(text) => read(text).map(Some).ok_or(malformed),
            None => Err(malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(whole("15,593,856"), Some(15_593_856));
        assert_eq!(whole("18446744073709551615"), Some(u64::MAX));
        assert_eq!(decimal("0.409"), Some(0.409));
        assert_eq!(size("64M"), Some(64 << 20));
        assert_eq!(size("65536K"), Some(64 << 20));
        assert_eq!(size("1.50M"), Some(3 << 19));
        assert_eq!(size("8192"), Some(8192));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", "-1", "+1", "1e3", "inf", "NaN", "1 2", "18446744073709551616", ",1"]
        {
            assert_eq!(whole(text), None, "{text}");
        }
        for text in ["", ".", "-0.1", "+0.1", "1e3", "inf", "nan", "1.2.3"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        for text in ["", "M", "-1M", "99999999999999G", "é", "18446744073709551615K"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
