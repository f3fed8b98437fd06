//! Output files: checked for writability before anything is measured, and replaced as a whole or
//! not at all.
//!
//! `-` is standard output, as in most programs; a file of this name is `./-`.
//!
//! The target of a link is replaced, and the link stays. Targets that are not regular files, such
//! as `/dev/stdout` or a named pipe, are written directly, and so is a file in a folder in which no
//! second one can be created.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// The target of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// A file, existing or to be created; no part of the path is a link.
    File(PathBuf),
    /// A target that can only be written to.
    Stream,
    /// Standard output.
    Stdout,
}

/// The name of standard output in place of a file.
pub const STDOUT: &str = "-";

/// The maximum number of links followed, as in Linux (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// The permissions of a new file, before the user's umask is applied.
const NEW_FILE: u32 = 0o666;

fn target(path: &Path) -> io::Result<Target> {
    if path == Path::new(STDOUT) {
        return Ok(Target::Stdout);
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let Some(name) = path.file_name().filter(|_| !is_folder) else {
            return Ok(Target::Stream);
        };
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        let here = folder.join(name);
        match fs::symlink_metadata(&here) {
            // The links there only look like paths: they stand for files that a process has open.
            Ok(_) if folder.starts_with("/proc") => return Ok(Target::Stream),
            Ok(found) if found.is_symlink() => path = folder.join(fs::read_link(&here)?),
            Ok(found) if !found.is_file() => return Ok(Target::Stream),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => return Ok(Target::File(here)),
        }
    }
    Err(io::Error::other("too many links lead from one to the next"))
}

/// Opens the file for writing and leaves everything unchanged: its content stays, and a file that
/// did not exist is removed again.
///
/// # Errors
///
/// When it cannot be opened.
pub fn check(path: &Path) -> io::Result<()> {
    let file = match target(path)? {
        Target::File(file) => file,
        Target::Stream => path.to_owned(),
        Target::Stdout => return Ok(()),
    };
    let existed = file.exists();
    OpenOptions::new().append(true).create(true).open(&file)?;
    if existed { Ok(()) } else { fs::remove_file(file) }
}

/// The same for several files, no two of which may be identical, under any spelling. Two may share
/// a stream.
///
/// # Errors
///
/// The path that cannot be opened, or is the same as another one.
pub fn check_all<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
) -> Result<(), (&'a Path, io::Error)> {
    let mut known: Vec<(&Path, PathBuf)> = Vec::new();
    for path in paths {
        check(path).map_err(|error| (path, error))?;
        let file = match target(path) {
            Ok(Target::File(file)) => file,
            Ok(Target::Stdout) => path.to_owned(),
            _ => continue,
        };
        if let Some((other, _)) = known.iter().find(|(_, other)| *other == file) {
            let told = format!("it is to have another export, too: `{}`", other.display());
            return Err((path, io::Error::other(told)));
        }
        known.push((path, file));
    }
    Ok(())
}

/// Writes the output of `fill`. Until all of it is on the disk the file stays unchanged, even if
/// this process is killed.
///
/// # Errors
///
/// When `fill` fails, or the file cannot be written.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if let Target::File(file) = target(path)?
        && let Some(beside) = beside(&file)?
    {
        let mut out = BufWriter::new(beside);
        fill(&mut out)?;
        let beside = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        beside.as_file().sync_all()?;
        beside.persist(&file)?;
        // The new name is stored in the folder; some file systems cannot sync folders.
        let _ = File::open(file.parent().unwrap_or(Path::new("/"))).and_then(|it| it.sync_all());
        return Ok(());
    }
    if target(path)? == Target::Stdout {
        let mut out = BufWriter::new(io::stdout().lock());
        return match fill(&mut out).and_then(|()| out.flush()) {
            // A reader that has read enough is not a failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        };
    }
    let mut out = BufWriter::new(File::create(path)?);
    fill(&mut out).and_then(|()| out.flush())
}

/// An empty file in the same folder with the owner and the permissions of `file`; `None` if the
/// user may not create one.
fn beside(file: &Path) -> io::Result<Option<NamedTempFile>> {
    let made = || -> io::Result<NamedTempFile> {
        let old = fs::metadata(file).ok();
        let mode = old.as_ref().map_or(NEW_FILE, |old| old.mode() & 0o7777);
        let made = tempfile::Builder::new()
            .prefix(".brisk-")
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(file.parent().unwrap_or(Path::new("/")))?;
        old.map_or(Ok(()), |old| take_after(made.path(), &old))?;
        Ok(made)
    };
    match made() {
        Ok(made) => Ok(Some(made)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a file the owner and the permissions of another one.
fn take_after(path: &Path, old: &Metadata) -> io::Result<()> {
    let own = fs::metadata(path)?;
    if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
        chown(path, Some(old.uid()), Some(old.gid()))?;
    }
    fs::set_permissions(path, old.permissions())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("there is room")
    }

    fn text(text: &'static str) -> impl FnOnce(&mut dyn Write) -> io::Result<()> {
        move |out| out.write_all(text.as_bytes())
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("readable").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_fails_halfway_leaves_the_file_as_it_was() {
        let folder = folder();
        let file = folder.path().join("out");
        let half = |out: &mut dyn Write| {
            out.write_all(&[b'x'; 100_000])?;
            Err(io::Error::other("a damaged row"))
        };
        assert!(write(&file, half).is_err());
        assert!(names(folder.path()).is_empty());
        write(&file, text("good")).expect("writable");
        fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("ours");
        assert!(write(&file, half).is_err());
        assert_eq!(fs::read_to_string(&file).expect("readable"), "good");
        write(&file, text("better")).expect("writable");
        assert_eq!(fs::read_to_string(&file).expect("readable"), "better");
        assert_eq!(fs::metadata(&file).expect("there").mode() & 0o7777, 0o640);
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn a_new_file_has_the_permissions_that_any_new_file_has() {
        let folder = folder();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).expect("there").mode();
        write(&folder.path().join("ours"), text("")).expect("writable");
        File::create(folder.path().join("any")).expect("writable");
        assert_eq!(mode("ours"), mode("any"));
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_written() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).expect("writable");
        symlink("far/there", at("link")).expect("writable");
        symlink("link", at("link of link")).expect("writable");
        for given in ["first", "second"] {
            check(&at("link of link")).expect("writable");
            write(&at("link of link"), text(given)).expect("writable");
            assert_eq!(fs::read_to_string(at("far/there")).expect("readable"), given);
            assert!(at("link").is_symlink() && at("link of link").is_symlink());
        }
        symlink("round", at("round")).expect("writable");
        assert!(check(&at("round")).is_err() && write(&at("round"), text("x")).is_err());
    }

    #[test]
    fn what_is_no_file_is_written_directly() {
        let folder = folder();
        // A file that this process has open: its path leads to it, but it must not be replaced.
        let file = folder.path().join("open");
        let open = File::create(&file).expect("writable");
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        let inode = fs::metadata(&file).expect("there").ino();
        for path in [format!("/dev/fd/{number}"), format!("/proc/self/fd/{number}")] {
            check(Path::new(&path)).expect("writable");
            write(Path::new(&path), text("through")).expect("writable");
            assert_eq!(fs::read_to_string(&file).expect("readable"), "through");
            assert_eq!(fs::metadata(&file).expect("there").ino(), inode);
        }
        write(Path::new("/dev/null"), text("nothing")).expect("writable");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }

    #[test]
    fn one_file_by_two_names_is_found_out() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).expect("writable");
        symlink("file", at("link")).expect("writable");
        let same = |names: [&str; 2]| {
            let paths = names.map(|name| match name.starts_with('/') {
                true => PathBuf::from(name),
                false => at(name),
            });
            check_all(paths.iter().map(PathBuf::as_path)).is_err()
        };
        assert!(same(["file", "file"]) && same(["file", "sub/../file"]) && same(["link", "file"]));
        assert!(!same(["file", "sub/file"]) && !same(["/dev/null", "/dev/null"]));
    }
}
