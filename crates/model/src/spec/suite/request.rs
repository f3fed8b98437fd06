//! The benchmarks to run, and their settings.

use std::time::Duration;

use toolchains::harness;
use toolchains::harness::adapter::Harness;

use super::Arrangement;

/// The harness of programs' benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessOption {
    /// The harness is detected from the program's file.
    Auto,
    /// A given harness.
    Named(&'static Harness),
}

impl HarnessOption {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Auto).chain(harness::ALL.into_iter().map(Self::Named))
    }

    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(harness) => harness.word,
        }
    }
}

/// The selection of benchmarks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Parts of their names; if empty, all are selected.
    pub texts: Vec<String>,
    /// Set if these are whole names.
    pub exact: bool,
}

impl Filter {
    /// True if a benchmark of this name is selected.
    pub fn selects(&self, name: &str) -> bool {
        let fits =
            |text: &String| if self.exact { name == text } else { name.contains(text.as_str()) };
        self.texts.is_empty() || self.texts.iter().any(fits)
    }

    /// The selection in words; `None` if everything is selected.
    pub fn wanted(&self) -> Option<String> {
        let quoted: Vec<String> = self.texts.iter().map(|text| format!("`{text}`")).collect();
        let how = if self.exact { "called" } else { "with" };
        (!quoted.is_empty()).then(|| format!("{how} {}", quoted.join(" or ")))
    }
}

/// The settings for running the benchmarks of programs.
#[derive(Debug, Clone)]
pub struct SuiteRequest {
    /// The selection.
    pub filter: Filter,
    /// The arrangement; `None` for all that the harness supports.
    pub order: Option<Arrangement>,
    /// Claims that a benchmark is made of others.
    pub made_of: Vec<String>,
    /// The time limit of a process.
    pub timeout: Option<Duration>,
    /// The time that a benchmark is measured in one process, in seconds.
    pub seconds_per_run: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_are_no_parts_of_names() {
        let parts = Filter { texts: vec!["fib/1".to_owned()], exact: false };
        assert!(parts.selects("fib/10"));
        let exact = Filter { exact: true, ..parts };
        assert!(exact.selects("fib/1") && !exact.selects("fib/10"));
    }
}
