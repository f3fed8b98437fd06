//! A user's own metrics: `--measure 'size[kB]=du -k out'`.
//!
//! A metric is read after each run: from the output of a command that is run for it, or from the
//! output of the program itself, by a pattern between slashes or by a pointer into JSON.

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use super::Invocation;
use crate::expectation::UnitSymbol;
use crate::metric::{self, Direction, MetricId, Unit, naming};

/// A metric, and the source of its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure<C = Invocation> {
    /// The metric.
    pub metric: MetricId,
    /// The numbers that a reading is multiplied with and divided by, to convert a unit with a
    /// prefix to one without.
    factor: (f64, f64),
    /// The source of its value.
    pub by: By<C>,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By<C = Invocation> {
    /// The output of a command that is run after each run.
    Command(C),
    /// The program's output: the first group of the last match, or the whole match.
    Pattern(Pattern),
    /// The program's output, as JSON: the number at this pointer (RFC 6901).
    Json(String),
}

/// A pattern that is compared and serialised as its text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(Regex);

impl Pattern {
    /// A pattern in which `^` and `$` are the ends of lines.
    ///
    /// # Errors
    ///
    /// When it is not a valid pattern.
    pub fn new(text: &str) -> Result<Self, regex_lite::Error> {
        regex_lite::RegexBuilder::new(text).multi_line(true).build().map(Self)
    }

    /// The regular expression.
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl TryFrom<String> for Pattern {
    type Error = regex_lite::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

/// The reason that a metric is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum MeasureError {
    #[error("`{0}` does not say what is measured; write NAME=COMMAND")]
    NoCommand(String),
    #[error("`{0}` is not the name of a metric; use letters, digits and `_`, with a letter first")]
    Name(String),
    #[error("brisk has a metric `{0}`; one of your own needs another name")]
    BuiltIn(String),
    #[error("the metric `{0}` is defined twice")]
    Twice(String),
    #[error("`{word}` in `{name}[{word}]` is neither a unit nor a direction")]
    Word { name: String, word: String },
    #[error("cannot read the pattern `{pattern}` of `{name}`: {reason}")]
    Pattern { name: String, pattern: String, reason: String },
    #[error("`{name}` is read from what the commands print, and `--output` sends that elsewhere")]
    Elsewhere { name: String },
}

impl MeasureError {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoCommand(_) | Self::Name(_) => {
                Some("for example `--measure 'size[bytes]=stat -c %s out'`")
            }
            Self::Word { .. } => Some(
                "a unit is `s`, `ms`, `B`, `kB`, `MiB`, `Hz`, `%`, `count` and so on; a direction \
                 is `lower`, `higher` or `neither`",
            ),
            Self::Elsewhere { .. } => {
                Some("read the file with a command: `--measure 'NAME=grep -c error FILE'`")
            }
            Self::BuiltIn(_) | Self::Twice(_) | Self::Pattern { .. } => None,
        }
    }
}

/// Parses every `--measure`.
///
/// # Errors
///
/// When one is invalid.
pub fn parse_all(texts: &[String]) -> Result<Vec<Measure<String>>, MeasureError> {
    let mut all: Vec<Measure<String>> = Vec::new();
    for text in texts {
        let one = parse(text)?;
        let name = one.metric.name();
        if all.iter().any(|other| other.metric.name() == name) {
            return Err(MeasureError::Twice(name.to_owned()));
        }
        all.push(one);
    }
    Ok(all)
}

/// `NAME=COMMAND`, `NAME[UNIT]=COMMAND`, `NAME[UNIT,higher]=/PATTERN/`, `NAME=json:/POINTER`.
fn parse(text: &str) -> Result<Measure<String>, MeasureError> {
    let no_command = || MeasureError::NoCommand(text.to_owned());
    let (named, by) = text.split_once('=').ok_or_else(no_command)?;
    let by = by.trim();
    if by.is_empty() {
        return Err(no_command());
    }
    let (name, said) = match named.trim().strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((name, said)) => (name.trim(), said),
        None => (named.trim(), ""),
    };
    if !naming::is_name(name) {
        return Err(MeasureError::Name(name.to_owned()));
    }
    if metric::built_in(&MetricId::from(name.to_owned())).is_some() {
        return Err(MeasureError::BuiltIn(name.to_owned()));
    }
    let (mut unit, mut direction, mut factor) = (Unit::Count, Direction::Lower, (1.0, 1.0));
    for word in said.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        if let Some(one) = naming::direction(word) {
            direction = one;
        } else if let Some(one) = naming::unit(word) {
            unit = one;
        } else if let Some((symbol, one)) = symbol(word) {
            (factor, unit) = (symbol.factor(), one);
        } else {
            return Err(MeasureError::Word { name: name.to_owned(), word: word.to_owned() });
        }
    }
    Ok(Measure { metric: naming::id(name, unit, direction), factor, by: source(name, by)? })
}

fn symbol(word: &str) -> Option<(&'static UnitSymbol, Unit)> {
    let symbol = UnitSymbol::find(word)?;
    Some((symbol, symbol.dimension.unit()?))
}

fn source(name: &str, by: &str) -> Result<By<String>, MeasureError> {
    if let Some(pointer) = by.strip_prefix("json:") {
        return Ok(By::Json(pointer.to_owned()));
    }
    let pattern = by.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) else {
        return Ok(By::Command(by.to_owned()));
    };
    // People look for lines, so `^` and `$` are their ends.
    Pattern::new(pattern).map(By::Pattern).map_err(|error| MeasureError::Pattern {
        name: name.to_owned(),
        pattern: pattern.to_owned(),
        reason: error.to_string(),
    })
}

impl<C> Measure<C> {
    /// True if its value is read from the program's output.
    pub(super) fn reads_output(&self) -> bool {
        !matches!(self.by, By::Command(_))
    }

    /// Converts a number that was read to the unit of the metric.
    pub fn value(&self, number: f64) -> f64 {
        number * self.factor.0 / self.factor.1
    }
}

impl Measure {
    /// The command that is run for it, if any.
    pub fn command(&self) -> Option<&Invocation> {
        match &self.by {
            By::Command(command) => Some(command),
            By::Pattern(_) | By::Json(_) => None,
        }
    }
}

impl Measure<String> {
    /// The same, with the command turned into an invocation.
    pub fn with(&self, run: impl FnOnce(&str) -> Invocation) -> Measure {
        let by = match &self.by {
            By::Command(typed) => By::Command(run(typed)),
            By::Pattern(pattern) => By::Pattern(pattern.clone()),
            By::Json(pointer) => By::Json(pointer.clone()),
        };
        Measure { metric: self.metric.clone(), factor: self.factor, by }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<(String, f64), MeasureError> {
        let one = parse(text)?;
        Ok((one.metric.to_string(), one.value(3.0)))
    }

    #[test]
    fn a_number_with_a_prefix_becomes_one_without() {
        let is = |text: &str, id: &str, value: f64| {
            assert_eq!(parsed(text), Ok((id.to_owned(), value)), "{text}");
        };
        is("size=stat -c %s out", "size", 3.0);
        is("size[bytes]=stat -c %s out", "size[bytes]", 3.0);
        is("size[kB]=x", "size[bytes]", 3000.0);
        is("size [ KiB ] = x", "size[bytes]", 3072.0);
        is("p99[ms]=x", "p99[seconds]", 0.003);
        is("hits[%, higher]=x", "hits[ratio,higher]", 0.03);
        is("score[higher]=x", "score[higher]", 3.0);
        is("rows[count,neither]=x", "rows[neither]", 3.0);
    }

    #[test]
    fn what_cannot_be_a_metric_is_refused() {
        assert!(matches!(parsed("size"), Err(MeasureError::NoCommand(_))));
        assert!(matches!(parsed("size="), Err(MeasureError::NoCommand(_))));
        assert!(matches!(parsed("two words=x"), Err(MeasureError::Name(_))));
        assert!(matches!(parsed("=x"), Err(MeasureError::Name(_))));
        assert!(matches!(parsed("wall_time=x"), Err(MeasureError::BuiltIn(_))));
        assert!(matches!(parsed("size[parsecs]=x"), Err(MeasureError::Word { .. })));
        assert!(matches!(parsed("n=/(/"), Err(MeasureError::Pattern { .. })));
        let twice = ["size=a", "size[kB]=b"].map(str::to_owned);
        assert!(matches!(parse_all(&twice), Err(MeasureError::Twice(_))));
    }

    #[test]
    fn a_pattern_stands_between_slashes_and_a_path_does_not() {
        let by = |text: &str| parse(text).expect("sound").by;
        assert!(matches!(by(r"errors=/errors: (\d+)/"), By::Pattern(_)));
        assert!(matches!(by("size=/usr/bin/size out"), By::Command(_)));
        assert!(
            matches!(by("p99=json:/latency/p99"), By::Json(pointer) if pointer == "/latency/p99")
        );
    }
}
