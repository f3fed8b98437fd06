//! The program to build for a path: from a cabal project, a folder or a file.

use std::io;
use std::path::{Path, PathBuf};

use toolchains::project::cabal::ComponentKind;

use super::building::{Component, components};
use model::spec::place::listed;

/// The source of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExplainedSource {
    /// A file with `main`, passed to GHC.
    File {
        /// The folder that GHC runs in, to which the file's imports are relative.
        folder: PathBuf,
        /// The name of the file.
        main: String,
    },
    /// A component of a cabal project.
    Cabal {
        /// The folder of the project.
        folder: PathBuf,
        /// The component.
        component: Component,
    },
}

/// The reason why a path has no usable program.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// A folder or file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The folder has no Haskell source.
    #[error("`{}` is not a Haskell program: it has neither a cabal file nor `Main.hs`", folder.display())]
    NoHaskell {
        /// The folder.
        folder: PathBuf,
    },
    /// The project has nothing to run.
    #[error(
        "the cabal project in `{}` has no executable, test suite or benchmark, so there is nothing to \
         run", folder.display()
    )]
    NoComponent {
        /// The folder.
        folder: PathBuf,
    },
    /// The project has no executables, or several.
    #[error("the cabal project in `{}` has {count} executables: {names}", folder.display())]
    Several {
        /// The folder.
        folder: PathBuf,
        /// The number of executables, in words.
        count: &'static str,
        /// The names of all runnable components.
        names: String,
    },
    /// The project has no component with that name.
    #[error("the cabal project in `{}` has no component `{wanted}`; it has {names}", folder.display())]
    NoSuch {
        /// The folder.
        folder: PathBuf,
        /// The requested name.
        wanted: String,
        /// The names of the components.
        names: String,
    },
    /// The project's packages only have hpack files.
    #[error("the packages in `{}` have no cabal files, only `package.yaml`", folder.display())]
    OnlyHpack {
        /// The folder.
        folder: PathBuf,
    },
    /// `--executable` was given for a path that is not a project.
    #[error("`--executable` needs a cabal project, and `{}` is not one", path.display())]
    NotCabal {
        /// The path.
        path: PathBuf,
    },
}

impl SubjectError {
    /// Advice for the user, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoHaskell { .. } => Some(
                "for a program of another language name a command: `brisk explain 'PROGRAM ARGUMENTS'` \
                 counts its instructions by function, with `--at OLD..NEW` what changed; of Haskell, name \
                 the file with `main`",
            ),
            Self::NoComponent { .. } => {
                Some("write one that does the slow work, such as a benchmark with `main`")
            }
            Self::Several { .. } => {
                Some("choose an executable, test suite or benchmark with `--executable NAME`")
            }
            Self::OnlyHpack { .. } => {
                Some("`hpack` writes the cabal files; with `--at`, `--build hpack`")
            }
            Self::Read { .. } | Self::NoSuch { .. } | Self::NotCabal { .. } => None,
        }
    }
}

/// Finds the program for a path.
///
/// # Errors
///
/// When there is no program, or there are several and none is chosen.
pub fn source(path: &Path, executable: Option<&str>) -> Result<ExplainedSource, SubjectError> {
    if path.is_dir() {
        let components = components(path)?;
        if let Some(components) = components {
            return choose(path, components, executable);
        }
    }
    if executable.is_some() {
        return Err(SubjectError::NotCabal { path: path.to_owned() });
    }
    if !path.is_dir() {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let main = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(ExplainedSource::File {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            main,
        });
    }
    let main = ["Main.hs", "Main.lhs", "main.hs"].into_iter().find(|name| path.join(name).exists());
    match main {
        Some(main) => Ok(ExplainedSource::File { folder: path.to_owned(), main: main.to_owned() }),
        None => Err(SubjectError::NoHaskell { folder: path.to_owned() }),
    }
}

fn choose(
    folder: &Path,
    components: Vec<Component>,
    wanted: Option<&str>,
) -> Result<ExplainedSource, SubjectError> {
    let folder = folder.to_owned();
    if components.is_empty() {
        return Err(SubjectError::NoComponent { folder });
    }
    let names = listed(components.iter().map(|it| it.name.as_str()));
    let is_meant = |it: &Component| match wanted {
        Some(wanted) => it.name == wanted || it.target() == wanted,
        None => it.kind == ComponentKind::Executable,
    };
    let mut meant = components.into_iter().filter(is_meant);
    match (meant.next(), meant.next(), wanted) {
        (Some(component), None, _) => Ok(ExplainedSource::Cabal { folder, component }),
        // If several packages have a component with this name, the first one wins.
        (Some(component), Some(_), Some(_)) => Ok(ExplainedSource::Cabal { folder, component }),
        (Some(_), Some(_), None) => Err(SubjectError::Several { folder, count: "several", names }),
        (None, _, None) => Err(SubjectError::Several { folder, count: "no", names }),
        (None, _, Some(wanted)) => {
            Err(SubjectError::NoSuch { folder, wanted: wanted.to_owned(), names })
        }
    }
}

impl ExplainedSource {
    /// The folder to build and run it in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match self {
            Self::File { folder, .. } | Self::Cabal { folder, .. } => folder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_executable_is_chosen_and_of_several_none() {
        let all = |names: &[(ComponentKind, &str)]| -> Vec<Component> {
            let one = |&(kind, name): &(ComponentKind, &str)| Component {
                package: "p".to_owned(),
                kind,
                name: name.to_owned(),
                unlisted: Vec::new(),
            };
            names.iter().map(one).collect()
        };
        let chosen = |names: &[(ComponentKind, &str)], wanted| match choose(
            Path::new("d"),
            all(names),
            wanted,
        ) {
            Ok(ExplainedSource::Cabal { component, .. }) => component.target(),
            Ok(file) => format!("{file:?}"),
            Err(error) => error.to_string(),
        };
        use ComponentKind::{Benchmark, Executable, TestSuite};
        assert_eq!(chosen(&[(Executable, "a"), (TestSuite, "t")], None), "p:exe:a");
        assert_eq!(chosen(&[(Executable, "a"), (TestSuite, "t")], Some("t")), "p:test:t");
        assert_eq!(chosen(&[(Benchmark, "b")], Some("p:bench:b")), "p:bench:b");
        assert!(
            chosen(&[(Executable, "a"), (Executable, "b")], None).contains("several executables")
        );
        assert!(chosen(&[(Benchmark, "b")], None).contains("has no executables: `b`"));
        assert!(chosen(&[(Executable, "a")], Some("c")).contains("no component `c`"));
        assert!(chosen(&[], None).contains("has no executable, test suite or benchmark"));
    }
}
