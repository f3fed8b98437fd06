//! The text of source lines, if the source is still as compiled.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The maximum size of a source file, in bytes; anything larger is ignored.
const MOST_BYTES: u64 = 16 << 20;

/// Reads source files on demand.
#[derive(Debug)]
pub struct Sources {
    /// The folder of the command: paths may be relative to it.
    folder: PathBuf,
    /// The time of compilation; a newer source is not the compiled one.
    compiled: Option<SystemTime>,
    read: RefCell<HashMap<String, Option<Vec<String>>>>,
}

impl Sources {
    /// The sources of a program that was compiled into `object`, or counted in that file.
    pub fn in_folder(folder: &Path, object: &Path) -> Self {
        let compiled = fs::metadata(object).and_then(|about| about.modified()).ok();
        Self { folder: folder.to_owned(), compiled, read: RefCell::default() }
    }

    /// The text of a line, from 1, trimmed; `None` if it is unavailable.
    pub fn text(&self, file: &str, line: u64) -> Option<String> {
        let mut read = self.read.borrow_mut();
        if !read.contains_key(file) {
            read.insert(file.to_owned(), self.lines(file));
        }
        let lines = read.get(file)?.as_ref()?;
        let place = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.get(place).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn lines(&self, file: &str) -> Option<Vec<String>> {
        let path = self.folder.join(file);
        let about = fs::metadata(&path).ok()?;
        let is_as_compiled = about.modified().ok()? <= self.compiled?;
        if !about.is_file() || about.len() > MOST_BYTES || !is_as_compiled {
            return None;
        }
        let text = fs::read(&path).ok()?;
        Some(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }
}
