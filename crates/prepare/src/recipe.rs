//! The recipe of a build, its ingredients, and the key under which its result is kept.
//!
//! The key covers every known input of a build: the tree, the recipe with the contents of patch and
//! overlay, the variables that matter, and the compilers. The commit itself is not part of it, so
//! commits with the same tree share an artefact; a program that contains the name of its commit
//! shows that of the first one built.
//!
//! The files of an overlay, which are laid over every commit before it is built (such as today's
//! benchmark over old code), are read once, at the beginning, so that the build uses the content
//! that the key was computed from, even if the files are edited in between.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use std::{fmt, fs, io};

use model::spec::artifacts::is_checkout;
use model::spec::artifacts::shuffling_linkers;

use crate::counter_build::CounterBuild;
use crate::environment::{Fingerprint, Part, PartKind, programs, variables, with_versions};
use crate::inputs::{Inputs, command_words, named};
use crate::worktree::remove_folder;

/// Incremented whenever the meaning of a key or the layout of an entry changes, so that entries of
/// another version of brisk are never misread.
const FORMAT: u64 = 3;

/// The date for compilers that embed one, so that equal programs have equal files: 1980-01-01 UTC,
/// the earliest that a zip archive can hold.
pub(super) const SOURCE_DATE_EPOCH: &str = "315532800";

/// The state in which a build finds its worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trees {
    /// With the results of the neighbouring commit's build, which leave less to do.
    Incremental,
    /// Empty of any results.
    Clean,
}

impl Trees {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Incremental => Self::Clean,
            Self::Clean => Self::Incremental,
        }
    }
}

/// The recipe of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The shell command of the build; without it, the artefact is part of the commit.
    pub build: Option<String>,
    /// The result: a file or a folder, relative to `cwd`; `.` is the whole checkout.
    pub artifact: PathBuf,
    /// A patch that is applied to every commit, before anything else.
    pub patch: Option<PathBuf>,
    /// A folder whose files are laid over every commit.
    pub overlay: Option<PathBuf>,
    /// The names of the programs that affect the result, if they are found.
    pub compilers: BTreeSet<String>,
    /// Variables set for the build.
    pub env: Vec<(OsString, OsString)>,
    /// The working folder of the build, relative to the root of the repository; empty for the root.
    pub cwd: PathBuf,
    /// The time limit of a build.
    pub timeout: Option<Duration>,
    /// The state in which a build finds its worktree.
    pub trees: Trees,
    /// The number of further layouts in which the artefact is linked; 0 for none.
    pub layouts: u32,
    /// The other way in which commits are compiled, to see what that changes.
    pub counter: Option<CounterBuild>,
    /// Names of files that matter if the checkout is the program, because the command names them.
    pub named: BTreeSet<String>,
    /// Inputs that the command names besides the artefact.
    pub inputs: Inputs,
}

impl Recipe {
    /// True if the artefact is the whole checkout.
    pub fn makes_checkout(&self) -> bool {
        is_checkout(&self.artifact)
    }

    /// True if the build command names this file of the repository.
    pub fn build_names(&self, path: &str) -> bool {
        let Ok(place) = Path::new(path).strip_prefix(&self.cwd) else { return false };
        let build = self.build.as_deref().unwrap_or_default();
        command_words(build).any(|word| Path::new(word) == place)
    }

    /// The same recipe for a command with these texts.
    #[must_use]
    pub fn run_with<'t>(self, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let named = texts.into_iter().flat_map(named).map(str::to_owned).collect();
        Self { named, ..self }
    }

    /// The same recipe with this number of layouts. It builds from scratch, because earlier builds
    /// compiled without a section for each function.
    #[must_use]
    pub fn in_layouts(self, layouts: u32) -> Self {
        match layouts {
            0 => self,
            layouts => Self { layouts, trees: Trees::Clean, ..self },
        }
    }

    /// The same recipe, compiled otherwise. It builds from scratch, because earlier builds were not.
    #[must_use]
    pub fn compiled_otherwise(self, counter: CounterBuild) -> Self {
        Self { counter: Some(counter), layouts: 0, trees: Trees::Clean, ..self }
    }
}

/// Reasons that a recipe cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum RecipeError {
    #[error("the build command is empty")]
    EmptyBuild,
    #[error("the artefact `{}` is not a file or folder inside the repository", path.display())]
    Artifact { path: PathBuf },
    #[error("the folder to build in, `{}`, is not inside the repository", path.display())]
    Cwd { path: PathBuf },
    #[error("cannot read the patch `{}`", path.display())]
    Patch { path: PathBuf, source: io::Error },
    #[error("cannot read the overlay `{}`", path.display())]
    Overlay { path: PathBuf, source: io::Error },
}

impl RecipeError {
    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::EmptyBuild => {
                "leave `--build` out if the artefact is part of the commits".to_owned()
            }
            Self::Artifact { .. } => "name what the build makes, as seen from where it runs, such \
                                      as `--artifact build/fib`"
                .to_owned(),
            Self::Cwd { .. } => "write it as seen from the root of the repository".to_owned(),
            Self::Patch { .. } => "make one with `git diff > FILE`".to_owned(),
            Self::Overlay { .. } => {
                "name a folder whose files lie as they shall lie in the repository".to_owned()
            }
        })
    }
}

/// The key of a build: a digest of all its inputs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey(String);

impl CacheKey {
    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A recipe together with the contents of the files that it names.
#[derive(Debug, Clone)]
pub struct Ingredients {
    pub(super) recipe: Recipe,
    pub(super) patch: Option<Vec<u8>>,
    pub(super) overlay: Overlay,
    /// All inputs of a build except the tree.
    parts: Vec<Part>,
    /// The same with versions, computed on first use.
    versioned: OnceLock<Vec<Part>>,
    /// The `PATH` in which programs are searched.
    path: OsString,
}

impl Ingredients {
    /// Reads the files that the recipe names, and finds the compilers.
    pub fn read(recipe: &Recipe) -> Result<Self, RecipeError> {
        check(recipe)?;
        let patch = match &recipe.patch {
            Some(path) => Some(
                fs::read(path)
                    .map_err(|source| RecipeError::Patch { path: path.clone(), source })?,
            ),
            None => None,
        };
        let overlay = match &recipe.overlay {
            Some(path) => Overlay::read(path)
                .map_err(|source| RecipeError::Overlay { path: path.clone(), source })?,
            None => Overlay::default(),
        };
        let mut parts = of_recipe(recipe, patch.as_deref(), &overlay);
        let variables = variables(std::env::vars_os(), &recipe.env);
        for (name, value) in &variables {
            parts.push(Part::from_content(
                PartKind::Variable,
                &name.to_string_lossy(),
                value.as_bytes(),
            ));
        }
        // Variables that the recipe does not set are inherited.
        let given = variables.get(OsStr::new("PATH")).cloned();
        let path = given.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        let mut compilers = recipe.compilers.clone();
        if recipe.layouts > 0 {
            compilers.extend(shuffling_linkers());
        }
        parts.extend(programs(&compilers, &variables, &path));
        let versioned = OnceLock::new();
        Ok(Self { recipe: recipe.clone(), patch, overlay, parts, versioned, path })
    }

    /// The `PATH` in which programs are searched.
    pub(super) fn path(&self) -> &OsStr {
        &self.path
    }

    /// All inputs of a build except the tree; compilers with their versions.
    pub(super) fn parts(&self) -> &[Part] {
        self.versioned.get_or_init(|| with_versions(&self.parts, &self.path))
    }

    /// The key of a build of this tree.
    pub fn key(&self, tree: &str) -> CacheKey {
        let mut fingerprint = Fingerprint::new("build");
        fingerprint.field("format", &FORMAT.to_le_bytes());
        for part in &self.parts {
            fingerprint.field("part", part.name.as_bytes());
            fingerprint.field("value", part.value.as_bytes());
        }
        fingerprint.field("tree", tree.as_bytes());
        CacheKey(fingerprint.finish())
    }
}

fn of_recipe(recipe: &Recipe, patch: Option<&[u8]>, overlay: &Overlay) -> Vec<Part> {
    let part = |name, content: &[u8]| Part::from_content(PartKind::Recipe, name, content);
    let mut parts = vec![
        part("path of the artefact", recipe.artifact.as_os_str().as_bytes()),
        part("folder of the build", recipe.cwd.as_os_str().as_bytes()),
    ];
    parts.extend(recipe.build.as_ref().map(|build| part("build command", build.as_bytes())));
    match recipe.inputs {
        Inputs::None => {}
        Inputs::Files => parts.push(part("files of the command", b"committed")),
        Inputs::Checkout => parts.push(part("files of the command", b"made")),
    }
    parts.extend(recipe.named.iter().map(|name| part("file of the command", name.as_bytes())));
    let layouts = (recipe.layouts > 0).then(|| recipe.layouts.to_le_bytes());
    parts.extend(layouts.map(|count| part("number of layouts", &count)));
    let counter = recipe.counter.map(CounterBuild::word);
    parts.extend(counter.map(|word| part("counter-build", word.as_bytes())));
    parts.extend(patch.map(|patch| part("patch", patch)));
    if *overlay != Overlay::default() {
        let mut fingerprint = Fingerprint::new("overlay");
        overlay.add_to(&mut fingerprint);
        parts.push(part("overlay", fingerprint.finish().as_bytes()));
    }
    parts
}

fn check(recipe: &Recipe) -> Result<(), RecipeError> {
    if recipe.build.as_ref().is_some_and(|build| build.trim().is_empty()) {
        return Err(RecipeError::EmptyBuild);
    }
    if !stays_inside(&recipe.cwd) {
        return Err(RecipeError::Cwd { path: recipe.cwd.clone() });
    }
    let names_something = recipe.artifact.file_name().is_some() || recipe.makes_checkout();
    let is_git = recipe.artifact.components().any(|part| part.as_os_str() == ".git");
    if !names_something || !stays_inside(&recipe.artifact) || is_git {
        return Err(RecipeError::Artifact { path: recipe.artifact.clone() });
    }
    Ok(())
}

fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The files of an overlay, with their contents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Overlay {
    /// Sorted by path.
    files: Vec<OverlayFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OverlayFile {
    /// Relative to the checkout.
    path: PathBuf,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    File { mode: u32, bytes: Vec<u8> },
    Link { target: PathBuf },
}

impl Overlay {
    /// Reads all files below `folder`. Anything but a file, folder or link is an error, and so is a
    /// `.git`, which would break the checkout.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        read_below(folder, Path::new(""), &mut files)?;
        files.sort();
        Ok(Self { files })
    }

    pub(super) fn add_to(&self, fingerprint: &mut Fingerprint) {
        for file in &self.files {
            fingerprint.field("path", file.path.as_os_str().as_bytes());
            match &file.content {
                Content::File { mode, bytes } => {
                    fingerprint.field("mode", &mode.to_le_bytes());
                    fingerprint.field("bytes", bytes);
                }
                Content::Link { target } => {
                    fingerprint.field("target", target.as_os_str().as_bytes());
                }
            }
        }
    }

    /// Lays the files over the checkout at `tree`. An existing file with the same content is left
    /// alone, so that it does not look new to the build.
    pub(super) fn lay_over(&self, tree: &Path) -> io::Result<()> {
        self.files.iter().try_for_each(|file| file.lay_over(tree))
    }

    /// Removes the files again, if they exist: a patch may want to add them.
    pub(super) fn take_off(&self, tree: &Path) -> io::Result<()> {
        for file in &self.files {
            if leads_inside(tree, &file.path) {
                match fs::remove_file(tree.join(&file.path)) {
                    Err(error) if !is_absence(&error) => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

impl OverlayFile {
    fn lay_over(&self, tree: &Path) -> io::Result<()> {
        let path = tree.join(&self.path);
        make_folders(tree, &self.path)?;
        let kind = fs::symlink_metadata(&path).map(|facts| facts.file_type());
        if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
            remove_folder(&path)?;
        }
        if kind.as_ref().is_ok_and(fs::FileType::is_symlink) {
            fs::remove_file(&path)?;
        }
        match &self.content {
            Content::Link { target } => {
                if kind.is_ok_and(|kind| kind.is_file()) {
                    fs::remove_file(&path)?;
                }
                symlink(target, &path)
            }
            Content::File { mode, bytes } => {
                if !fs::read(&path).is_ok_and(|there| there == *bytes) {
                    fs::write(&path, bytes)?;
                }
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode))
            }
        }
    }
}

fn read_below(folder: &Path, below: &Path, files: &mut Vec<OverlayFile>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        let kind = entry.file_type()?;
        if entry.file_name() == ".git" {
            return Err(io::Error::other(format!("it contains `{}`", path.display())));
        }
        let content = if kind.is_dir() {
            read_below(&entry.path(), &path, files)?;
            continue;
        } else if kind.is_symlink() {
            Content::Link { target: fs::read_link(entry.path())? }
        } else if kind.is_file() {
            let mode = entry.metadata()?.permissions().mode() & 0o777;
            Content::File { mode, bytes: fs::read(entry.path())? }
        } else {
            return Err(io::Error::other(format!("`{}` is not a file", path.display())));
        };
        files.push(OverlayFile { path, content });
    }
    Ok(())
}

/// Makes the folders that lead to `path` inside `tree`. Files in the way are removed, and so are
/// symbolic links, because they may lead out of the checkout.
fn make_folders(tree: &Path, path: &Path) -> io::Result<()> {
    let mut folder = tree.to_owned();
    for part in path.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(facts) if facts.is_dir() => {}
            Ok(_) => {
                fs::remove_file(&folder)?;
                fs::create_dir(&folder)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir(&folder)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// True if no folder on the way to `path` is a symbolic link, which may lead out of the checkout.
pub(super) fn leads_inside(tree: &Path, path: &Path) -> bool {
    let mut folder = tree.to_owned();
    path.parent().into_iter().flat_map(Path::components).all(|part| {
        folder.push(part);
        fs::symlink_metadata(&folder).is_ok_and(|facts| facts.is_dir())
    })
}

/// True if an error means that a file does not exist.
pub(super) fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}
