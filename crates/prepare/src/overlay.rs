//! Files laid over every commit before it is built, such as today's benchmark over old code.
//!
//! They are read once, at the beginning, so that the build uses the content that the key was
//! computed from, even if the files are edited in between.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::crew::remove_folder;
use super::environment::Fingerprint;

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
