//! Facts in files below a root.

use std::fs;
use std::path::{Path, PathBuf};

use crate::missing::Missing;

/// The root of a file system, real or made up for a test.
#[derive(Debug)]
pub(super) struct Source {
    root: PathBuf,
}

impl Source {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The path of the file; `path` is relative to the root.
    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// The file's text.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Result<String, Missing> {
        let path = self.path(path);
        fs::read_to_string(&path).map_err(|error| Missing::from_read(&path, &error))
    }

    /// The result of `parse` for the file's text.
    pub(super) fn parse<T>(
        &self,
        path: impl AsRef<Path>,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Missing> {
        let text = self.text(path.as_ref())?;
        parse(&text).ok_or_else(|| Missing::NotUnderstood { path: self.path(path) })
    }

    /// The names in a directory that are numbers, ascending; empty if it cannot be read.
    pub(super) fn numbered(&self, path: impl AsRef<Path>, prefix: &str) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(self.path(path)) else { return Vec::new() };
        let mut numbers: Vec<u32> = entries
            .filter_map(|entry| {
                entry.ok()?.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()
            })
            .collect();
        numbers.sort_unstable();
        numbers
    }
}
