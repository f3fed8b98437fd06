//! The change within a function, by source line.
//!
//! The text of source lines, if the source is still as compiled.

use super::profiling::Counts;
use findings::instructions::file_name;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Returns the text of a line of a source file, from 1; `None` if it is unavailable.
pub type Text<'a> = &'a dyn Fn(&str, u64) -> Option<String>;

/// The events of one line within one function, on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// The source file, as a path.
    pub file: PathBuf,
    /// The line number before, and after; `None` if it did not run.
    pub line: (Option<u64>, Option<u64>),
    /// The text of the line.
    pub text: Option<String>,
    /// The events before.
    pub before: u64,
    /// The events after.
    pub after: u64,
}

/// One program with the text of its sources.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The counts of the program.
    pub counts: &'a Counts,
    /// The text of the sources.
    pub text: Text<'a>,
}

/// The lines of the function `name`, largest change first. Lines are matched by text, because they
/// move; if any text is unknown, by file name and number.
pub fn changed_lines(name: &str, before: Side<'_>, after: Side<'_>) -> Vec<LineChange> {
    let (old, new) = (lines_of(name, before), lines_of(name, after));
    let has_texts = old.iter().chain(&new).all(|line| line.text.is_some());
    let mut joined: BTreeMap<(String, String), LineChange> = BTreeMap::new();
    let sides = old.iter().map(|line| (line, true)).chain(new.iter().map(|line| (line, false)));
    for (line, is_old) in sides {
        let key = match &line.text {
            // The same file may have different names in the two programs.
            Some(text) if has_texts => (String::new(), text.clone()),
            _ => (file_name(&line.file).to_owned(), line.number.to_string()),
        };
        let change = joined.entry(key).or_insert_with(|| LineChange {
            file: PathBuf::from(&line.file),
            line: (None, None),
            text: None,
            before: 0,
            after: 0,
        });
        // The newer text is the one that the user looks at.
        change.text = line.text.clone().or(change.text.take());
        if is_old {
            change.line.0.get_or_insert(line.number);
            change.before += line.count;
        } else {
            change.line.1.get_or_insert(line.number);
            change.after += line.count;
        }
    }
    let mut changes: Vec<LineChange> = joined.into_values().collect();
    changes.sort_by_key(|line| std::cmp::Reverse(line.before.abs_diff(line.after)));
    changes
}

/// One line of a function.
struct Line {
    file: String,
    number: u64,
    text: Option<String>,
    count: u64,
}

fn lines_of(name: &str, side: Side<'_>) -> Vec<Line> {
    let counts = side.counts;
    let mut lines = Vec::new();
    for (place, _) in counts.functions.iter().enumerate().filter(|(_, f)| f.name == name) {
        let first = counts.lines.partition_point(|line| line.function < place);
        let own = counts.lines[first..].iter().take_while(|line| line.function == place);
        for line in own.filter(|line| line.line > 0 && line.count > 0) {
            let file = &counts.files[line.file];
            lines.push(Line {
                file: file.clone(),
                number: line.line,
                text: (side.text)(file, line.line),
                count: line.count,
            });
        }
    }
    lines
}

/// The lines of a function in one program, costliest first.
pub fn costly_lines(name: &str, side: Side<'_>) -> Vec<LineChange> {
    let mut lines: Vec<LineChange> = lines_of(name, side)
        .into_iter()
        .map(|line| LineChange {
            file: PathBuf::from(line.file),
            line: (None, Some(line.number)),
            text: line.text,
            before: 0,
            after: line.count,
        })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.after));
    lines
}

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
