//! Failures as shown to the user: the failed action, its causes, and a hint.

use std::error::Error;

use anstyle::{AnsiColor, Style};
use serde::{Deserialize, Serialize};

use page::plain::plain;

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

const ERROR: Style = AnsiColor::Red.on_default().bold();
const LABEL: Style = Style::new().bold();

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

    /// The failure as text with terminal styles.
    pub fn text(&self) -> String {
        let mut text = match self.kind {
            FailureKind::Detached => format!("{}\n", plain(&self.error)),
            _ => format!("{ERROR}error{ERROR:#}: {}\n", plain(&self.error)),
        };
        for cause in &self.causes {
            let indented = plain(cause.trim_end()).replace('\n', "\n         ");
            text.push_str(&format!("  {LABEL}cause{LABEL:#}: {indented}\n"));
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("\n{LABEL}hint{LABEL:#}: {}\n", plain(hint)));
        }
        text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_at_once() {
        let one = |name: &str| Failure::new(name).because("why").hint(Some(format!("give {name}")));
        assert_eq!(Failure::of_all(vec![one("a")]), one("a"));
        let both = Failure::of_all(vec![one("a"), one("b")]);
        let plain = anstream::adapter::strip_str(&both.text()).to_string();
        let told = "error: 2 things are missing\n  cause: a\n         why\n  cause: b\n         why\n\n\
                    hint: give a; give b\n";
        assert_eq!(plain, told);
    }

    #[test]
    fn a_failure_names_its_causes_and_a_way_out() {
        let io = std::io::Error::other("disk on fire");
        let failure = Failure::new("cannot save").caused_by(&io).hint(Some("buy another"));
        let plain = anstream::adapter::strip_str(&failure.text()).to_string();
        assert_eq!(plain, "error: cannot save\n  cause: disk on fire\n\nhint: buy another\n");
    }
}
