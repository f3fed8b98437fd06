//! The program to build for a path: from a cabal project, a folder or a file.

use std::path::{Path, PathBuf};
use std::{fs, io};

use model::spec::place::listed;
use toolchains::project::cabal::{self, ComponentKind};

use super::folder::is_passed_over;

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
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SubjectError {
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is not a Haskell program: it has neither a cabal file nor `Main.hs`", folder.display())]
    NoHaskell { folder: PathBuf },
    #[error(
        "the cabal project in `{}` has no executable, test suite or benchmark, so there is nothing to \
         run", folder.display()
    )]
    NoComponent { folder: PathBuf },
    #[error("the cabal project in `{}` has {count} executables: {names}", folder.display())]
    Several { folder: PathBuf, count: &'static str, names: String },
    #[error("the cabal project in `{}` has no component `{wanted}`; it has {names}", folder.display())]
    NoSuch { folder: PathBuf, wanted: String, names: String },
    #[error("the packages in `{}` have no cabal files, only `package.yaml`", folder.display())]
    OnlyHpack { folder: PathBuf },
    #[error("`--executable` needs a cabal project, and `{}` is not one", path.display())]
    NotCabal { path: PathBuf },
}

impl SubjectError {
    /// Advice for the user, if there is any.
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

/// A part of a package that can be built and run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// The package's name, from its cabal file.
    pub package: String,
    /// Its kind.
    pub kind: ComponentKind,
    /// Its name.
    pub name: String,
    /// The folders of the project's packages, relative to its own, if no cabal file lists them:
    /// those of a stack project.
    pub unlisted: Vec<PathBuf>,
}

impl Component {
    /// Its name as a cabal target.
    pub fn target(&self) -> String {
        format!("{}:{}:{}", self.package, self.kind.in_targets(), self.name)
    }
}

/// The maximum depth of package folders below their project.
pub(super) const PACKAGE_LEVELS: usize = 4;

/// The components of the project in a folder, by package; `None` if there is no project.
fn components(folder: &Path) -> Result<Option<Vec<Component>>, SubjectError> {
    let has = |name: &str| folder.join(name).exists();
    let own = cabal_files(folder, 0)?;
    // A package without a project file is the whole project; packages below it do not belong to it.
    let is_alone = !own.is_empty() && !has("cabal.project") && !has("stack.yaml");
    if !is_alone && !["cabal.project", "stack.yaml", "package.yaml"].into_iter().any(has) {
        return Ok(None);
    }
    let files = if is_alone { own } else { cabal_files(folder, PACKAGE_LEVELS)? };
    if files.is_empty() {
        return Err(SubjectError::OnlyHpack { folder: folder.to_owned() });
    }
    let mut unlisted = Vec::new();
    if !is_alone && !has("cabal.project") {
        let folders = files.iter().filter_map(|file| file.parent()?.strip_prefix(folder).ok());
        unlisted.extend(folders.map(Path::to_owned));
    }
    let mut all = Vec::new();
    for file in files {
        let text =
            fs::read(&file).map_err(|source| SubjectError::Read { path: file.clone(), source })?;
        let text = String::from_utf8_lossy(&text);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let package = cabal::package_name(&text).unwrap_or(stem);
        all.extend(cabal::components_of(&text, &package).into_iter().map(|(kind, name)| {
            Component { package: package.clone(), kind, name, unlisted: unlisted.clone() }
        }));
    }
    all.sort();
    Ok(Some(all))
}

/// The cabal files in a folder and this many levels below, without generated ones.
fn cabal_files(folder: &Path, levels: usize) -> Result<Vec<PathBuf>, SubjectError> {
    let failed = |source| SubjectError::Read { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && path.extension().is_some_and(|end| end == "cabal") {
            files.push(path);
        } else if levels > 0 && path.is_dir() && !path.is_symlink() && !is_passed_over(&name) {
            files.extend(cabal_files(&path, levels - 1)?);
        }
    }
    files.sort();
    Ok(files)
}

/// Finds the program for a path.
pub fn source(path: &Path, executable: Option<&str>) -> Result<ExplainedSource, SubjectError> {
    if path.is_dir()
        && let Some(components) = components(path)?
    {
        return choose(path, components, executable);
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
