//! Reports written by a few lines of our code inside the program's process, for runtimes that can
//! only be queried in their own language.
//!
//! Such a report is one line, short enough to be written at once (`PIPE_BUF`), so that those of
//! several processes do not mix: a word that identifies the runtime, then `key=number` pairs.

use std::collections::BTreeMap;

use super::figures::{Figures, FiguresError};
use super::numbers::{decimal, whole};

/// The numbers of one report.
#[derive(Debug)]
pub struct Report<'a> {
    pairs: BTreeMap<&'a str, &'a str>,
    runtime: &'static str,
}

/// The reports in `text` that begin with this word.
///
/// # Errors
///
/// When one is not terminated.
pub fn reports<'a>(
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
    pub fn count(&self, key: &str) -> Result<Option<u64>, FiguresError> {
        self.number(key, whole)
    }

    /// A number with or without a point; `None` for `-`.
    pub fn decimal(&self, key: &str) -> Result<Option<f64>, FiguresError> {
        self.number(key, decimal)
    }

    /// The figures that every such report has: collections of both kinds and their pauses.
    ///
    /// # Errors
    ///
    /// When one of them is missing or not a number.
    pub fn collections(&self) -> Result<Figures, FiguresError> {
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
