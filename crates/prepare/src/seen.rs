//! Information about a project from the files of a commit: its build tool, and the products.
//!
//! Sites on which build commands run, if not here: machines that see the same folders.
//!
//! A site reports separately if the end of a command is unknown, because a machine or a scheduler
//! failed: that says nothing about a commit.

use super::git::{CheckoutKind, GitError, Repository};
use super::range::Commit;
use measure::tool::Log;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, io};
use toolchains::project;
use toolchains::project::{Files, Recognised};

/// The view of a commit's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFiles {
    /// The paths of its files.
    pub names: Vec<String>,
    /// The build tool and its products, if recognised.
    pub recognised: Option<Recognised>,
    /// Subfolders of the examined folder that could be built.
    pub below: Vec<String>,
}

/// Examines a commit, from the folder `place` of the repository.
///
/// # Errors
///
/// When git fails.
pub fn seen(
    repository: &Repository,
    commit: &Commit,
    place: &Path,
) -> Result<ProjectFiles, GitError> {
    let tree = &commit.tree;
    let list = repository.ask(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree])?;
    let names = lines(&list);
    // Submodules have no text, and unreadable files are skipped.
    let read = |name: &str| {
        let text = repository.ask(["cat-file", "blob", &format!("{tree}:{name}")]).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    Ok(look(names, &read, place))
}

/// Examines the files in a folder, and returns its path in the repository. Files that git ignores
/// do not count; without a repository, neither do the products of builds.
///
/// # Errors
///
/// When git fails.
pub fn seen_there(folder: &Path) -> Result<(ProjectFiles, PathBuf), GitError> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let (root, names) = match Repository::open(folder) {
        Ok(repository) if repository.kind() == CheckoutKind::Checkout => {
            let list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
            (repository.root().to_owned(), lines(&repository.ask(list)?))
        }
        Ok(_) | Err(GitError::NoRepository { .. } | GitError::Run { .. }) => {
            (real.clone(), walked(&real))
        }
        Err(error) => return Err(error),
    };
    let root = root.canonicalize().unwrap_or(root);
    let place = real.strip_prefix(&root).map(Path::to_owned).unwrap_or_default();
    let read = |name: &str| {
        let text = fs::read(root.join(name)).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    Ok((look(names, &read, &place), place))
}

/// The depth to which a folder outside any repository is searched. Arbitrary.
const DEPTH: usize = 6;

/// Folders that builds make.
const MADE: [&str; 6] = ["target", "build", "dist-newstyle", "_build", "node_modules", "vendor"];

/// The paths of the files below a folder.
fn walked(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            match entry.file_type() {
                Ok(kind) if kind.is_file() => names.push(path),
                Ok(kind)
                    if kind.is_dir()
                        && depth < DEPTH
                        && !name.starts_with('.')
                        && !MADE.contains(&name.as_str()) =>
                {
                    folders.push((entry.path(), format!("{path}/"), depth + 1));
                }
                _ => {}
            }
        }
    }
    names.sort();
    names
}

fn lines(list: &[u8]) -> Vec<String> {
    let list = String::from_utf8_lossy(list);
    list.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn look(names: Vec<String>, read: &dyn Fn(&str) -> Option<String>, place: &Path) -> ProjectFiles {
    let (files, place) = (Files { names: &names, read }, place.to_string_lossy());
    let recognised = project::recognise(files, &place);
    let below = match recognised {
        Some(_) => Vec::new(),
        None => project::below(files, &place),
    };
    ProjectFiles { recognised, below, names }
}

/// A place in which build commands run.
pub trait BuildSite: fmt::Debug + Send + Sync {
    /// Runs a build command to its end.
    ///
    /// # Errors
    ///
    /// When its end is unknown, or it cannot be run there.
    fn run(&self, order: &BuildOrder<'_>) -> Result<Log, SiteError>;
}

/// A build command to run.
pub struct BuildOrder<'a> {
    /// The command, for a shell.
    pub command: &'a str,
    /// The working folder.
    pub cwd: &'a Path,
    /// The checkout, which contains `cwd`.
    pub tree: &'a Path,
    /// Variables to set, or to remove from the inherited ones.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// A folder beside the checkout, for files about the build.
    pub folder: &'a Path,
    /// The number of bytes kept of the output.
    pub kept_bytes: usize,
    /// The number of earlier signals, which are ignored.
    pub requests: u32,
    /// The earlier jobs of this build that got lost.
    pub lost: LostBuilds,
    /// Shows a message to the user.
    pub say: &'a dyn Fn(&str),
}

/// The number of jobs of a build that got lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostBuilds {
    /// All of them.
    pub all: u32,
    /// Those that had begun.
    pub begun: u32,
}

/// Reasons that the end of a build command is unknown.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// It got lost and should be tried again in another worktree: in this one, it may still run.
    #[error("the build got lost")]
    Lost(LostBuilds),
    /// It got lost again and again.
    #[error("{} jobs of a build were submitted, and none finished", lost.all)]
    GivenUp {
        /// The number of jobs.
        lost: LostBuilds,
        /// The output of the last one.
        #[source]
        source: Said,
    },
    /// It was refused.
    #[error("{what}")]
    Refused {
        /// The message of the refusal.
        what: String,
        /// The reason.
        #[source]
        source: Said,
        /// Advice for the user.
        hint: Option<String>,
    },
    /// Its files cannot be written or read.
    #[error("cannot use `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// A message of another program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Said(pub String);

impl SiteError {
    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::GivenUp { lost: LostBuilds { begun: 0, .. }, .. } => Some(
                "jobs must see the build cache under the same path: `BRISK_CACHE` can name a \
                 shared folder"
                    .to_owned(),
            ),
            Self::GivenUp { .. } => Some(
                "perhaps jobs are ended by a limit on time or memory, which `build_options` can \
                 raise"
                    .to_owned(),
            ),
            Self::Refused { hint, .. } => hint.clone(),
            Self::Lost(_) | Self::Folder { .. } => None,
        }
    }
}

/// Opens the folders on the path to a remote build's artefact: otherwise a shared file system may
/// remember for a while that it did not exist.
pub(super) fn look_anew(cwd: &Path, artifact: &Path) {
    let mut ways: Vec<PathBuf> = artifact.ancestors().skip(1).map(|way| cwd.join(way)).collect();
    ways.reverse();
    for way in ways {
        let _ = fs::read_dir(way).map(Iterator::count);
    }
}
