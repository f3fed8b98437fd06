//! Information about a project from the files of a commit: its build tool, and the products.

use super::git::{CheckoutKind, GitError, Repository};
use super::range::Commit;
use std::fs;
use std::path::{Path, PathBuf};
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
