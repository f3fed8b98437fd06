//! The GHC that builds, and the options that make it dump and count.

use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::Outcome;
use measure::tool::{Tool, ToolError, output};

/// A GHC installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// The program, as named or found.
    pub program: PathBuf,
    /// Its version: 9, 0, 2.
    pub version: Vec<u32>,
}

/// The reason why no GHC can be used.
#[derive(Debug, thiserror::Error)]
pub enum CompilerError {
    /// It cannot be run.
    #[error("there is no GHC to build with")]
    Absent(#[source] ToolError),
    /// It does not print a version.
    #[error("`{}` is not GHC: asked for its version, it prints `{said}`", program.display())]
    NotGhc {
        /// The program.
        program: PathBuf,
        /// The first line of its output.
        said: String,
    },
    /// It was killed by a signal.
    #[error("`{}` was killed by signal {signal} when it was asked for its version", program.display())]
    Killed {
        /// The program.
        program: PathBuf,
        /// The signal's number.
        signal: i32,
    },
    /// Its dumps cannot be read.
    #[error("brisk does not know the form in which GHC {version} writes Core")]
    TooOld {
        /// Its version.
        version: String,
    },
}

impl CompilerError {
    /// Advice for the user.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Absent(_) => {
                "install GHC, or name one with `--ghc PATH`; `--core DIR` explains existing dumps"
            }
            Self::Killed { .. } => "try again; a system that is short of memory kills by signal 9",
            Self::NotGhc { .. } => "name a GHC with `--ghc PATH`",
            Self::TooOld { .. } => "GHC 8.8 to 9.12 are known; name one with `--ghc PATH`",
        }
    }
}

/// The oldest supported GHC.
const OLDEST: [u32; 2] = [8, 8];

/// The newest minor version whose dumps are known to be readable.
const NEWEST: [u32; 2] = [9, 12];

/// The timeout. GHC answers at once, but a wrapper may have to start something.
const PATIENCE: Duration = Duration::from_secs(60);

impl Compiler {
    /// Asks a GHC for its version.
    ///
    /// # Errors
    ///
    /// When it is missing, is another program, or is too old.
    pub fn ask(program: &Path) -> Result<Self, CompilerError> {
        let tool = Tool::new(program).args(["--numeric-version"]).timeout(PATIENCE);
        let said = output(&tool).map_err(CompilerError::Absent)?;
        if let Outcome::Signalled(signal) = said.outcome {
            return Err(CompilerError::Killed { program: program.to_owned(), signal });
        }
        let text = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let version = version(&text).filter(|_| said.outcome == Outcome::Exited(0));
        let Some(version) = version else {
            let said = text.lines().next().unwrap_or_default().to_owned();
            return Err(CompilerError::NotGhc { program: program.to_owned(), said });
        };
        if version[..] < OLDEST[..] {
            return Err(CompilerError::TooOld { version: text });
        }
        Ok(Self { program: program.to_owned(), version })
    }

    /// True if it is newer than the versions whose dumps are known.
    #[must_use]
    pub fn is_newer_than_known(&self) -> bool {
        self.version.get(..2).is_some_and(|version| *version > NEWEST[..])
    }

    /// The options that make it write dumps into `dumps`, a path that ends in `/`.
    ///
    /// GHC 9.0.2 panics when it prints Core after CorePrep with its coercions, so these are always
    /// suppressed; since 9.4 their types have a separate option. `-dumpdir` is reset by
    /// `-outputdir`, so it comes last. `-g1` adds places in the source and does not affect
    /// allocation.
    #[must_use]
    pub fn dump_options(&self, dumps: &str) -> Vec<String> {
        let mut options: Vec<String> = [
            "-ddump-to-file",
            "-ddump-simpl",
            "-ddump-prep",
            "-ddump-rule-firings",
            "-ddump-inlinings",
            "-dsuppress-timestamps",
            "-dsuppress-coercions",
            "-dsuppress-unfoldings",
            "-dsuppress-type-applications",
            "-dppr-cols=200",
            "-g1",
        ]
        .map(str::to_owned)
        .to_vec();
        if self.is_at_least([9, 4]) {
            options.push("-dsuppress-coercion-types".to_owned());
        }
        options.extend(["-dumpdir".to_owned(), dumps.to_owned()]);
        options
    }

    /// The options that make it count. GHC 9.6.6 mixes up two of its columns with `-ticky-allocd`;
    /// the exact range of affected versions is unknown, so the option is left out for all versions
    /// between those that were seen to be right.
    #[must_use]
    pub fn ticky_options(&self) -> Vec<&'static str> {
        let mut options = vec!["-ticky", "-ticky-LNE", "-ticky-dyn-thunk"];
        if !self.is_at_least([9, 2]) || self.is_at_least([9, 10]) {
            options.push("-ticky-allocd");
        }
        options
    }

    /// True if programs of this GHC accept a path for their heap profile (`-po`) without being
    /// built for profiling: 9.6 and 9.10 do, 9.0 does not.
    #[must_use]
    pub fn names_heap_profiles(&self) -> bool {
        self.is_at_least([9, 6])
    }

    fn is_at_least(&self, version: [u32; 2]) -> bool {
        self.version[..] >= version[..]
    }
}

fn version(text: &str) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = text.split('.').map(|number| number.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() >= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ghc(text: &str) -> Compiler {
        Compiler { program: PathBuf::from("ghc"), version: version(text).expect("a version") }
    }

    #[test]
    fn every_version_gets_the_options_that_it_knows() {
        let has =
            |text: &str, option: &str| ghc(text).dump_options("d/").iter().any(|its| its == option);
        for text in ["8.8.4", "9.0.2", "9.6.6", "9.10.3"] {
            assert!(has(text, "-dsuppress-coercions"), "{text}");
            assert_eq!(ghc(text).dump_options("d/").last().map(String::as_str), Some("d/"));
            let counts = |option: &str| ghc(text).ticky_options().contains(&option);
            assert_eq!(counts("-ticky-allocd"), text != "9.6.6", "{text}");
            assert!(counts("-ticky"), "{text}");
        }
        assert!(!has("9.0.2", "-dsuppress-coercion-types"));
        assert!(has("9.4.7", "-dsuppress-coercion-types"));
    }

    #[test]
    fn versions_are_numbers_with_dots() {
        assert_eq!(version("9.0.2"), Some(vec![9, 0, 2]));
        assert_eq!(version("9.13.20250101"), Some(vec![9, 13, 20_250_101]));
        assert_eq!(version("gcc 12"), None);
        assert_eq!(version(""), None);
        assert!(ghc("9.14.1").is_newer_than_known() && !ghc("9.12.2").is_newer_than_known());
    }
}
