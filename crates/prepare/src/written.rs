//! Files of brisk's own in a checkout: exports, reports and stores. They are not changes of the
//! project.
//!
//! Each export is remembered in the folder of the cache with its size and the time of its last
//! change, so a file that somebody has edited since is a change again. A store changes with every
//! experiment, and is known by its header.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use model::spec::writable;

use super::cache::Cache;

/// The list of exports, in the folder of the cache: a line for each, `SIZE SECONDS NANOSECONDS
/// PATH`.
const LIST: &str = "exports";

/// The size of the list, in bytes, at which entries that are out of date are dropped.
const MOST_BYTES: u64 = 64 * 1024;

/// The beginning of every file of SQLite, and the place and value of its application id for stores
/// of brisk (<https://www.sqlite.org/fileformat.html#the_database_header>).
const SQLITE: &[u8] = b"SQLite format 3\0";
const APPLICATION_ID: std::ops::Range<usize> = 68..72;
const STORE: &[u8] = b"bris";

/// The endings of what lies beside a store while it is open.
const BESIDE_A_STORE: [&str; 4] = ["-wal", "-shm", "-journal", ".inflight"];

/// A file as it was when it was written: its size in bytes, and when it was changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// Writes a file of brisk's own, as [`writable::write`] does, and remembers it as such if it lies
/// in a checkout. Without a cache that can be written to, it is forgotten, and counts as a change.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    writable::write(path, fill)?;
    if let Ok(cache) = Cache::of_the_user() {
        let _ = remember_in(cache.root(), path);
    }
    Ok(())
}

/// The same for a text.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    write(path, |out| out.write_all(text.as_bytes()))
}

fn remember_in(root: &Path, path: &Path) -> io::Result<()> {
    let path = path.canonicalize()?;
    if !path.is_file() {
        return Ok(());
    }
    let is_in_a_checkout = path.ancestors().any(|folder| folder.join(".git").exists());
    if !is_in_a_checkout || path.as_os_str().as_bytes().contains(&b'\n') {
        return Ok(());
    }
    fs::create_dir_all(root)?;
    let list = root.join(LIST);
    let mut file = OpenOptions::new().append(true).create(true).open(&list)?;
    file.write_all(&line(&path, state(&path)?))?;
    if file.metadata()?.len() > MOST_BYTES {
        let exports = Exports::parse(&fs::read(&list)?);
        let current = exports.0.iter().filter(|(path, then)| is_unchanged(path, **then));
        let lines: Vec<u8> = current.flat_map(|(path, then)| line(path, *then)).collect();
        writable::write(&list, |out| out.write_all(&lines))?;
    }
    Ok(())
}

fn line(path: &Path, then: State) -> Vec<u8> {
    let State { size, seconds, nanoseconds } = then;
    let mut line = format!("{size} {seconds} {nanoseconds} ").into_bytes();
    line.extend(path.as_os_str().as_bytes());
    line.push(b'\n');
    line
}

fn state(path: &Path) -> io::Result<State> {
    let found = fs::symlink_metadata(path)?;
    let (seconds, nanoseconds) = (found.mtime(), found.mtime_nsec());
    Ok(State { size: found.size(), seconds, nanoseconds })
}

fn is_unchanged(path: &Path, then: State) -> bool {
    state(path).is_ok_and(|now| now == then)
}

/// The exports that the user's brisk has written, as they were then.
pub(super) struct Exports(HashMap<PathBuf, State>);

impl Exports {
    /// All that are remembered, which is nothing without a cache.
    pub(super) fn of_the_user() -> Self {
        let cache = Cache::of_the_user().ok();
        Self::parse(&cache.and_then(|it| fs::read(it.root().join(LIST)).ok()).unwrap_or_default())
    }

    fn parse(list: &[u8]) -> Self {
        let entry = |line: &[u8]| {
            let mut words = line.splitn(4, |byte| *byte == b' ');
            let mut number = || std::str::from_utf8(words.next()?).ok()?.parse::<i64>().ok();
            let (size, seconds, nanoseconds) = (number()?, number()?, number()?);
            let state = State { size: size.try_into().ok()?, seconds, nanoseconds };
            Some((PathBuf::from(OsStr::from_bytes(words.next()?)), state))
        };
        Self(list.split(|byte| *byte == b'\n').filter_map(entry).collect())
    }

    /// True if a file is one of brisk's own: an export that nobody has changed since, or a store,
    /// or a file that lies beside one.
    pub(super) fn has(&self, path: &Path) -> bool {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_export = self.0.get(&real).is_some_and(|then| is_unchanged(&real, *then));
        is_export || is_of_a_store(path)
    }
}

fn is_of_a_store(path: &Path) -> bool {
    let file_and_folder = path.ancestors().take(2);
    let beside = file_and_folder.flat_map(|path| {
        let name = path.as_os_str().as_bytes();
        BESIDE_A_STORE.iter().filter_map(move |end| name.strip_suffix(end.as_bytes()))
    });
    is_store(path) || beside.map(OsStr::from_bytes).any(|store| is_store(Path::new(store)))
}

fn is_store(path: &Path) -> bool {
    let mut header = [0; APPLICATION_ID.end];
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    is_file
        && File::open(path).and_then(|mut file| file.read_exact(&mut header)).is_ok()
        && header.starts_with(SQLITE)
        && header[APPLICATION_ID] == *STORE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_ours_until_somebody_changes_it() {
        let folder = tempfile::tempdir().expect("there is room");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("repo/.git")).expect("writable");
        let (export, foreign) = (at("repo/out put.json"), at("repo/mine.json"));
        for path in [&export, &foreign] {
            fs::write(path, "{}").expect("writable");
        }
        fs::write(at("elsewhere.json"), "{}").expect("writable");
        remember_in(&at("cache"), &export).expect("writable");
        remember_in(&at("cache"), &at("elsewhere.json")).expect("writable");
        let list = fs::read(at("cache").join(LIST)).expect("readable");
        let exports = Exports::parse(&list);
        assert!(exports.has(&export) && !exports.has(&foreign));
        assert_eq!(exports.0.len(), 1, "what is in no checkout is not remembered");
        fs::write(&export, "{ }").expect("writable");
        assert!(!exports.has(&export));
    }

    #[test]
    fn the_list_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().expect("there is room");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("repo/.git")).expect("writable");
        fs::write(at("repo/kept"), "").expect("writable");
        remember_in(&at("cache"), &at("repo/kept")).expect("writable");
        let list = at("cache").join(LIST);
        let mut most = 0;
        while fs::metadata(&list).expect("it is there").len() > most {
            most = fs::metadata(&list).expect("it is there").len();
            fs::write(at("repo/again"), "").expect("writable");
            remember_in(&at("cache"), &at("repo/again")).expect("writable");
        }
        assert!(most <= MOST_BYTES, "{most} bytes");
        let exports = Exports::parse(&fs::read(&list).expect("readable"));
        assert!(exports.has(&at("repo/kept")) && exports.has(&at("repo/again")));
        assert_eq!(exports.0.len(), 2);
    }

    #[test]
    fn a_store_is_known_by_its_header() {
        let folder = tempfile::tempdir().expect("there is room");
        let at = |name: &str| folder.path().join(name);
        let mut header = SQLITE.to_vec();
        header.resize(APPLICATION_ID.start, 0);
        let foreign = [&header[..], b"abcd"].concat();
        fs::write(at("runs.db"), [&header[..], STORE, &[0; 100]].concat()).expect("writable");
        fs::write(at("other.db"), foreign).expect("writable");
        fs::write(at("other.db-wal"), "").expect("writable");
        let of = |name: &str| is_of_a_store(&at(name));
        assert!(of("runs.db") && of("runs.db-wal") && of("runs.db.inflight/1-2"));
        assert!(!of("other.db") && !of("other.db-wal") && !of("runs.dbx") && !of("nothing"));
    }
}
