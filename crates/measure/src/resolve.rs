//! Finding the file of a program's name, before anything is measured.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The reason that a program cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No directory of `PATH` has it.
    #[error("cannot find `{}` in PATH", name.display())]
    NotInPath {
        /// The name as given.
        name: OsString,
    },
    /// The path does not lead to a file.
    #[error("cannot find `{}`", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
        /// The kernel's answer.
        #[source]
        source: io::Error,
    },
    /// The path leads to a directory.
    #[error("`{}` is a directory", path.display())]
    IsDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The file is not executable for anyone.
    #[error("`{}` is not executable", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
}

/// The absolute path of the file that a shell in `cwd` (by default the current directory) would run
/// for `name`, given `path_env` as its `PATH`.
pub fn resolve_program(
    name: &OsStr,
    cwd: Option<&Path>,
    path_env: Option<&OsStr>,
) -> Result<PathBuf, StartError> {
    let here = cwd.unwrap_or(Path::new("."));
    if name.as_bytes().contains(&b'/') {
        return check(here.join(name));
    }
    let mut nearly = None;
    let not_found = || StartError::NotInPath { name: name.to_owned() };
    if name.is_empty() {
        return Err(not_found());
    }
    for directory in std::env::split_paths(path_env.unwrap_or_default()) {
        // An empty entry means the current directory (POSIX, "PATH").
        match check(here.join(directory).join(name)) {
            Ok(program) => return Ok(program),
            Err(StartError::NotFound { .. }) => {}
            Err(other) => nearly = nearly.or(Some(other)),
        }
    }
    Err(nearly.unwrap_or_else(not_found))
}

fn check(path: PathBuf) -> Result<PathBuf, StartError> {
    let path = std::path::absolute(&path).unwrap_or(path);
    match fs::metadata(&path) {
        Err(source) => Err(StartError::NotFound { path, source }),
        Ok(file) if file.is_dir() => Err(StartError::IsDirectory { path }),
        // The kernel decides at the start if this user may execute it.
        Ok(file) if file.permissions().mode() & 0o111 == 0 => {
            Err(StartError::NotExecutable { path })
        }
        Ok(_) => Ok(path),
    }
}
