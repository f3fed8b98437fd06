//! Which program of a path is built: of a cabal project, a folder or a file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toolchains::project::cabal;

use crate::spec::nearest::listed;

/// A program in source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExplainedSource {
    /// A file with `main`, that GHC is given.
    File {
        /// The folder that GHC runs in: where the file's imports are found.
        folder: PathBuf,
        /// The name of the file.
        main: String,
    },
    /// An executable of a cabal project.
    Cabal {
        /// The folder of the project.
        folder: PathBuf,
        /// The package's name, of its cabal file.
        package: String,
        /// The executable's name.
        executable: String,
    },
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// A folder or file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is nothing of Haskell's.
    #[error("`{}` is not a Haskell program: it has neither a cabal file nor `Main.hs`", folder.display())]
    NoHaskell {
        /// The folder.
        folder: PathBuf,
    },
    /// The project has no executable.
    #[error("the cabal project in `{}` has no executable, so there is nothing to run", folder.display())]
    NoExecutable {
        /// The folder.
        folder: PathBuf,
    },
    /// The project has several executables.
    #[error("the cabal project in `{}` has several executables: {names}", folder.display())]
    Several {
        /// The folder.
        folder: PathBuf,
        /// Their names.
        names: String,
    },
    /// The project has no executable of that name.
    #[error("the cabal project in `{}` has no executable `{wanted}`; it has {names}", folder.display())]
    NoSuch {
        /// The folder.
        folder: PathBuf,
        /// What was asked for.
        wanted: String,
        /// Their names.
        names: String,
    },
    /// An executable was named, of what is no project.
    #[error("`--executable` needs a cabal project, and `{}` is not one", path.display())]
    NotCabal {
        /// The path.
        path: PathBuf,
    },
}

impl SubjectError {
    /// A way out.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoHaskell { .. } => Some(
                "name a file of Haskell, or a command in quotes for programs of other languages",
            ),
            Self::NoExecutable { .. } => {
                Some("write one that does the slow work, such as a benchmark with `main`")
            }
            Self::Several { .. } => Some("choose one with `--executable NAME`"),
            Self::Read { .. } | Self::NoSuch { .. } | Self::NotCabal { .. } => None,
        }
    }
}

/// Looks at a path.
///
/// # Errors
///
/// When there is no program, or several and none is chosen.
pub fn source(path: &Path, executable: Option<&str>) -> Result<ExplainedSource, SubjectError> {
    if path.is_dir() {
        let executables = executables(path)?;
        if let Some(executables) = executables {
            return choose(path, &executables, executable);
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

/// The executables of a project, each with its package; none where there is no cabal file. Packages
/// lie in the folder itself or directly below it.
fn executables(folder: &Path) -> Result<Option<BTreeMap<String, String>>, SubjectError> {
    let mut files = cabal_files(folder)?;
    if files.is_empty() && !folder.join("cabal.project").exists() {
        return Ok(None);
    }
    if files.is_empty() {
        for entry in read_folder(folder)? {
            if entry.is_dir() {
                files.extend(cabal_files(&entry)?);
            }
        }
    }
    let mut all = BTreeMap::new();
    for file in files {
        let text =
            fs::read(&file).map_err(|source| SubjectError::Read { path: file.clone(), source })?;
        let text = String::from_utf8_lossy(&text);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let package = cabal::package_name(&text).unwrap_or(stem);
        all.extend(
            cabal::executables_of(&text, &package).into_iter().map(|name| (name, package.clone())),
        );
    }
    Ok(Some(all))
}

fn read_folder(folder: &Path) -> Result<Vec<PathBuf>, SubjectError> {
    let failed = |source| SubjectError::Read { path: folder.to_owned(), source };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()
        .map_err(failed)?;
    paths.sort();
    Ok(paths)
}

fn cabal_files(folder: &Path) -> Result<Vec<PathBuf>, SubjectError> {
    let mut files = read_folder(folder)?;
    files.retain(|path| path.extension().is_some_and(|end| end == "cabal") && path.is_file());
    Ok(files)
}

fn choose(
    folder: &Path,
    executables: &BTreeMap<String, String>,
    wanted: Option<&str>,
) -> Result<ExplainedSource, SubjectError> {
    let names = || listed(executables.keys().map(String::as_str));
    let chosen = match (wanted, executables.len()) {
        (_, 0) => return Err(SubjectError::NoExecutable { folder: folder.to_owned() }),
        (None, 1) => executables.first_key_value(),
        (None, _) => {
            return Err(SubjectError::Several { folder: folder.to_owned(), names: names() });
        }
        (Some(wanted), _) => executables.get_key_value(wanted),
    };
    match chosen {
        Some((executable, package)) => Ok(ExplainedSource::Cabal {
            folder: folder.to_owned(),
            package: package.clone(),
            executable: executable.clone(),
        }),
        None => Err(SubjectError::NoSuch {
            folder: folder.to_owned(),
            wanted: wanted.unwrap_or_default().to_owned(),
            names: names(),
        }),
    }
}

impl ExplainedSource {
    /// The folder that it is built and run in.
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
        let all = |names: &[&str]| -> BTreeMap<String, String> {
            names.iter().map(|&name| (name.to_owned(), "p".to_owned())).collect()
        };
        let chosen = |names: &[&str], wanted| {
            choose(Path::new("d"), &all(names), wanted).map_err(|error| error.to_string())
        };
        let one = |name: &str| {
            Ok(ExplainedSource::Cabal {
                folder: PathBuf::from("d"),
                package: "p".to_owned(),
                executable: name.to_owned(),
            })
        };
        assert_eq!(chosen(&["a"], None), one("a"));
        assert_eq!(chosen(&["a", "b"], Some("b")), one("b"));
        assert!(chosen(&["a", "b"], None).expect_err("several").contains("several executables"));
        assert!(chosen(&["a"], Some("c")).expect_err("none").contains("no executable `c`"));
        assert!(chosen(&[], None).expect_err("none").contains("has no executable"));
    }
}
