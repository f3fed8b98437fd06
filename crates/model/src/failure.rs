//! Failures as shown to the user: the failed action, its causes, and a hint.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// A failed action with its causes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    error: String,
    causes: Vec<String>,
    hint: Option<String>,
    /// The kind of the failure.
    #[serde(skip)]
    kind: FailureKind,
}

/// The meaning of a failure for the caller of brisk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureKind {
    /// The action failed.
    #[default]
    Trouble,
    /// Another process holds the machine.
    Held,
    /// It may succeed later: a server is away or full, or another brisk is working on it.
    Passing,
    /// Another machine does the work, and nobody waits for it: not a failure.
    Detached,
}

impl Failure {
    /// A failure in the user's words.
    pub fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), causes: Vec::new(), hint: None, kind: FailureKind::Trouble }
    }

    /// The failure to acquire the machine, which `others` hold.
    pub fn held(others: &str) -> Self {
        let failure = Self::new("the machine is held by somebody else").because(others);
        let hint = Some("without `--no-wait`, brisk waits for them");
        Self { kind: FailureKind::Held, ..failure.hint(hint) }
    }

    /// The notice that no result is known yet, because nobody waits for it; with a hint how to come
    /// back.
    pub fn detached(what: &str, hint: &str) -> Self {
        Self { kind: FailureKind::Detached, ..Self::new(what).hint(Some(hint)) }
    }

    /// The same failure with another kind.
    #[must_use]
    pub fn of_kind(self, kind: FailureKind) -> Self {
        Self { kind, ..self }
    }

    /// The kind of the failure.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// A failure from an error and all its causes.
    pub fn from_error(error: &dyn Error) -> Self {
        let mut failure = Self::new(error.to_string());
        if let Some(source) = error.source() {
            failure = failure.caused_by(source);
        }
        failure
    }

    /// Several failures that the user has to fix together, as one; a single one is returned
    /// unchanged.
    pub fn of_all(mut failures: Vec<Self>) -> Self {
        if failures.len() == 1 {
            return failures.swap_remove(0);
        }
        let mut all = Self::new(format!("{} things are missing", failures.len()));
        let mut hints = Vec::new();
        for failure in failures {
            all.causes.push([&[failure.error], &failure.causes[..]].concat().join("\n"));
            hints.extend(failure.hint);
        }
        all.hint = (!hints.is_empty()).then(|| hints.join("; "));
        all
    }

    /// The failure as the cause of another.
    #[must_use]
    pub fn within(mut self, error: &str) -> Self {
        self.causes.insert(0, std::mem::replace(&mut self.error, error.to_owned()));
        self
    }

    /// Adds an error and all its causes, below.
    #[must_use]
    pub fn caused_by(mut self, error: &dyn Error) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            self.causes.push(error.to_string());
            next = error.source();
        }
        self
    }

    /// Adds a cause in words.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds the last lines of a program's standard error, if any.
    #[must_use]
    pub fn with_stderr(self, stderr: &str) -> Self {
        match stderr {
            "" => self,
            tail => self.because(format!("last lines of its standard error:\n{tail}")),
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into).or(self.hint);
        self
    }

    /// Removes and returns the hint.
    pub fn take_hint(&mut self) -> Option<String> {
        self.hint.take()
    }

    /// The failed action.
    pub fn error(&self) -> &str {
        &self.error
    }

    /// The causes, each of the one before it.
    pub fn causes(&self) -> &[String] {
        &self.causes
    }

    /// The failed action and its causes, as part of a sentence.
    pub fn in_one_line(&self) -> String {
        let all: Vec<&str> =
            std::iter::once(&self.error).chain(&self.causes).map(String::as_str).collect();
        all.join(": ")
    }
}

/// The failure as people read it, with its causes and the way out.
impl Display for Failure {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let label = if self.kind == FailureKind::Detached { "" } else { "error: " };
        writeln!(out, "{label}{}", self.error)?;
        for cause in &self.causes {
            writeln!(out, "  cause: {}", cause.trim_end().replace('\n', "\n         "))?;
        }
        match &self.hint {
            Some(hint) => writeln!(out, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Results that become a failure in the user's words, with the error below them.
pub trait Failing<T> {
    /// Describes the failed action in the user's words.
    ///
    /// # Errors
    ///
    /// When the result is an error.
    fn failing(self, what: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: Error> Failing<T> for Result<T, E> {
    fn failing(self, what: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(what).caused_by(&error))
    }
}

/// Makes failures of errors that need no more than their own words: `?` turns them into a [`Failure`].
#[macro_export]
macro_rules! failures_from {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for $crate::failure::Failure {
            fn from(error: $error) -> Self {
                Self::from_error(&error)
            }
        })+
    };
}

/// The same for errors whose method `hint` knows a way out.
#[macro_export]
macro_rules! failures_with_hints_from {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for $crate::failure::Failure {
            fn from(error: $error) -> Self {
                Self::from_error(&error).hint(error.hint())
            }
        })+
    };
}

failures_from! {
    measure::LauncherError,
    measure::StartError,
    measure::tool::ToolError,
    crate::metric::MetricError,
}

failures_with_hints_from! {
    crate::spec::invocation::CommandError,
    crate::spec::own_metric::MeasureError,
    crate::spec::project::ProjectFileError,
    crate::spec::suite::BaselineError,
    crate::spec::suite::SuiteError,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_at_once() {
        let one = |name: &str| Failure::new(name).because("why").hint(Some(format!("give {name}")));
        assert_eq!(Failure::of_all(vec![one("a")]), one("a"));
        let both = Failure::of_all(vec![one("a"), one("b")]);
        let told = "error: 2 things are missing\n  cause: a\n         why\n  cause: b\n         why\n\n\
                    hint: give a; give b\n";
        assert_eq!(both.to_string(), told);
    }

    #[test]
    fn a_failure_names_its_causes_and_a_way_out() {
        let io = std::io::Error::other("disk on fire");
        let failure = Failure::new("cannot save").caused_by(&io).hint(Some("buy another"));
        let told = "error: cannot save\n  cause: disk on fire\n\nhint: buy another\n";
        assert_eq!(failure.to_string(), told);
    }
}
