//! Which benchmarks are run, and how.

use std::time::Duration;

use toolchains::harness;
use toolchains::harness::adapter::Harness;

use super::Arrangement;

/// What programs run their benchmarks with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessOption {
    /// What their files show.
    Auto,
    /// This.
    Named(&'static Harness),
}

impl HarnessOption {
    /// Every one of them.
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

/// Which benchmarks are selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Parts of their names; all are selected where there are none.
    pub texts: Vec<String>,
    /// Whether these are whole names.
    pub exact: bool,
}

impl Filter {
    /// Whether a benchmark of this name is selected.
    pub fn selects(&self, name: &str) -> bool {
        let fits =
            |text: &String| if self.exact { name == text } else { name.contains(text.as_str()) };
        self.texts.is_empty() || self.texts.iter().any(fits)
    }

    /// What is looked for, in words; none where everything is.
    pub fn wanted(&self) -> Option<String> {
        let quoted: Vec<String> = self.texts.iter().map(|text| format!("`{text}`")).collect();
        let how = if self.exact { "called" } else { "with" };
        (!quoted.is_empty()).then(|| format!("{how} {}", quoted.join(" or ")))
    }
}

/// How the benchmarks of programs are run.
#[derive(Debug, Clone)]
pub struct SuiteRequest {
    /// Which of them.
    pub filter: Filter,
    /// In which arrangement; none for all that the harness can.
    pub order: Option<Arrangement>,
    /// Claims that one is made of others.
    pub made_of: Vec<String>,
    /// The longest a process may take.
    pub timeout: Option<Duration>,
    /// How long one benchmark is measured in one process, in seconds.
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
