//! The harness of a program and its list of benchmarks: determined before anything is measured.

use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::{self, Tool, ToolError};
use measure::{Outcome, StartError};
use toolchains::harness::adapter::{Discovery, Harness, Selection};
use toolchains::harness::measurement::HarnessError;
use toolchains::harness::{self};

use super::{command, last_words};
use model::failure::Failure;
use model::spec::Invocation;
use model::spec::suite::{HarnessOption, SuiteProgram};

/// The maximum length of a list of benchmarks, in bytes. Arbitrary: a hundred thousand names, each
/// as long as a line of code.
const MOST_BYTES: u64 = 16 << 20;

/// The reason why a program's benchmarks cannot be listed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ListingError {
    #[error("cannot start `{program}`")]
    Start { program: String, source: StartError },
    #[error("cannot read `{path}`")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("`{program}` has no benchmark harness that is known")]
    NoHarness { program: String },
    #[error("`{program}` may run its benchmarks with {harnesses}")]
    Several { program: String, harnesses: String },
    #[error("cannot list the benchmarks of `{program}`")]
    Tool { program: String, source: ToolError },
    #[error("`{program}`, asked for its benchmarks, {how}")]
    Failed { program: String, how: String, last_lines: String },
    #[error("cannot understand which benchmarks `{program}` lists")]
    Listed { program: String, source: HarnessError },
}

impl ListingError {
    /// Advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoHarness { .. } => {
                let words: Vec<&str> = harness::ALL.iter().map(|harness| harness.word).collect();
                let last = "where a script starts such a program, say which it is with `--harness`";
                Some(format!("known are {}; {last}", words.join(", ")))
            }
            Self::Several { .. } => Some("say which it is with `--harness`".to_owned()),
            Self::Tool { source: ToolError::TimedOut { .. }, .. } => {
                Some("give it longer with `--timeout`".to_owned())
            }
            Self::Failed { .. }
            | Self::Listed { .. }
            | Self::Tool { source: ToolError::TooMuch { .. }, .. } => {
                Some("`--harness` says what the program runs its benchmarks with".to_owned())
            }
            _ => None,
        }
    }

    /// The last lines of the program's output, if it failed.
    pub fn last_lines(&self) -> Option<&str> {
        match self {
            Self::Failed { last_lines, .. } if !last_lines.is_empty() => Some(last_lines),
            _ => None,
        }
    }
}

/// Finds the program, detects its harness, and lists its benchmarks.
///
/// # Errors
///
/// When the program or its harness is not known, or its answer cannot be used.
pub fn program(
    run: Invocation,
    harness: HarnessOption,
    timeout: Option<Duration>,
) -> Result<SuiteProgram, ListingError> {
    let name = run.argv[0].to_string_lossy().into_owned();
    let resolved =
        run.resolve().map_err(|source| ListingError::Start { program: name.clone(), source })?;
    let harness = match harness {
        HarnessOption::Named(harness) => harness,
        HarnessOption::Auto => recognise(&name, &resolved.program)?,
    };
    let mut program = SuiteProgram { name, harness, run, listed: Vec::new() };
    let listing = Listing { program: &program, path: &resolved.program, timeout };
    program.listed = listing.benchmarks()?;
    Ok(program)
}

fn recognise(name: &str, path: &Path) -> Result<&'static Harness, ListingError> {
    let contents = std::fs::read(path)
        .map_err(|source| ListingError::Unreadable { path: path.to_owned(), source })?;
    match harness::recognised(&contents).as_slice() {
        [] => Err(ListingError::NoHarness { program: name.to_owned() }),
        [one] => Ok(one),
        several => {
            let names: Vec<&str> = several.iter().map(|harness| harness.name).collect();
            let harnesses = names.join(" or ");
            Err(ListingError::Several { program: name.to_owned(), harnesses })
        }
    }
}

/// A query for a program's benchmarks.
struct Listing<'a> {
    program: &'a SuiteProgram,
    path: &'a Path,
    timeout: Option<Duration>,
}

impl Listing<'_> {
    fn benchmarks(&self) -> Result<Vec<String>, ListingError> {
        let output = self.output(&command::listing(self.program, Selection::Everything))?;
        match &self.program.harness.discovery {
            Some(discovery) if !is_complete(discovery, &output) => {
                self.discover(discovery, &output)
            }
            Some(_) => self.names(&output),
            None if output.outcome == Outcome::Exited(0) => self.names(&output),
            None => Err(self.failed(&output)),
        }
    }

    /// The benchmarks of a program whose listing process was ended by a benchmark. The top-level
    /// benchmarks about which it printed nothing, or not everything, are each listed in a separate
    /// process; one that ends that process as well is listed by itself, so that it is run and named
    /// as the one that fails.
    fn discover(
        &self,
        discovery: &Discovery,
        ended: &tool::Output,
    ) -> Result<Vec<String>, ListingError> {
        let output = self.output(&command::roots(self.program, discovery))?;
        if output.outcome != Outcome::Exited(0) {
            return Err(self.failed(ended));
        }
        let names = self.names(ended)?;
        let of_root = |root: &str| -> Vec<String> {
            names.iter().filter(|name| is_below(name, root)).cloned().collect()
        };
        let roots = (discovery.roots)(&String::from_utf8_lossy(&output.stdout));
        let last = roots.iter().rposition(|root| !of_root(root).is_empty());
        let mut all = Vec::new();
        for (place, root) in roots.iter().enumerate() {
            let printed = of_root(root);
            if !printed.is_empty() && Some(place) != last {
                all.extend(printed);
                continue;
            }
            let output = self.output(&command::listing(self.program, Selection::Only(&[root])))?;
            all.extend(self.names(&output)?);
            if !is_complete(discovery, &output) {
                all.push(root.clone());
            }
        }
        Ok(all)
    }

    fn names(&self, output: &tool::Output) -> Result<Vec<String>, ListingError> {
        let stdout = String::from_utf8_lossy(&output.stdout);
        (self.program.harness.list)(&stdout)
            .map_err(|source| ListingError::Listed { program: self.program.name.clone(), source })
    }

    fn output(&self, run: &Invocation) -> Result<tool::Output, ListingError> {
        let arguments = run.argv.iter().skip(1);
        let mut tool = Tool::new(self.path).args(arguments).printing_at_most(MOST_BYTES);
        for (name, value) in &run.env {
            tool = tool.env(name, value.as_deref());
        }
        if let Some(folder) = &run.cwd {
            tool = tool.cwd(folder);
        }
        if let Some(timeout) = self.timeout {
            tool = tool.timeout(timeout);
        }
        let program = || self.program.name.clone();
        tool::output(&tool).map_err(|source| ListingError::Tool { program: program(), source })
    }

    fn failed(&self, output: &tool::Output) -> ListingError {
        let stdout = String::from_utf8_lossy(&output.stdout);
        ListingError::Failed {
            program: self.program.name.clone(),
            how: output.outcome.to_string(),
            last_lines: last_words(self.program.harness, &output.stderr, &stdout),
        }
    }
}

fn is_complete(discovery: &Discovery, output: &tool::Output) -> bool {
    (discovery.is_complete)(&String::from_utf8_lossy(&output.stdout))
}

/// True if a name is that of a root, or of something below it.
fn is_below(name: &str, root: &str) -> bool {
    name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl From<ListingError> for Failure {
    fn from(error: ListingError) -> Self {
        let failure = Self::from_error(&error).hint(error.hint());
        match error.last_lines() {
            Some(lines) => failure.because(format!("its last lines:\n{lines}")),
            None => failure,
        }
    }
}
