//! The runnable components of a cabal project: the executables, test suites and benchmarks of its
//! packages.

use std::fs;
use std::path::{Path, PathBuf};

use toolchains::project::cabal::{self, ComponentKind};

use super::subject::SubjectError;
use super::texts::is_passed_over;

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
    #[must_use]
    pub fn target(&self) -> String {
        format!("{}:{}:{}", self.package, self.kind.in_targets(), self.name)
    }
}

/// The maximum depth of package folders below their project.
pub(super) const PACKAGE_LEVELS: usize = 4;

/// The components of the project in a folder, by package; `None` if there is no project.
///
/// # Errors
///
/// When a folder or file cannot be read, or the cabal files have not been generated yet.
pub(super) fn components(folder: &Path) -> Result<Option<Vec<Component>>, SubjectError> {
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
