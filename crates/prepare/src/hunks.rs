//! The difference between two commits as hunks, and commits that have only some of them.
//!
//! Hunks are those of `git diff`: changed lines with up to six unchanged ones between them. A file
//! that is added, removed, binary, a link or a submodule, or whose mode changes, is one hunk. Files
//! that cannot matter for a program ([`could_matter`]) are none.
//!
//! A commit with some of the hunks is written like the one of `WORKTREE`: its objects go into the
//! user's repository, and no reference leads to them. Lines are exchanged by their numbers, so no
//! patch is applied, and none can go to the wrong place.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;

use super::git::{GitError, OURSELVES, Repository, Said, line};
use super::inputs::could_matter;
use super::range::{Commit, FIXED, commit};

/// A part of a difference that is applied or left out as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The path of its file in the repository.
    pub path: String,
    /// Its lines before and after; `None` if it is a file as a whole.
    pub lines: Option<HunkLines>,
    /// The text of each changed stretch of lines; empty if there are no lines.
    pub texts: Vec<HunkText>,
    /// The changed stretches of lines, in their order; empty if it is a file as a whole.
    pub stretches: Vec<HunkLines>,
}

/// The text of a changed stretch of lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HunkText {
    /// The lines before it that enclose it by their indentation, the nearest first, and last the one
    /// at which git sees a function begin.
    pub headings: Vec<String>,
    /// The lines that only the older commit has.
    pub removed: Vec<String>,
    /// The lines that only the newer commit has.
    pub added: Vec<String>,
}

/// Lines of a file before and after, counted from 1. A range is empty at an insertion or a removal;
/// it then begins behind the line that precedes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLines {
    /// In the older commit.
    pub before: Range<usize>,
    /// In the newer commit.
    pub after: Range<usize>,
}

/// The hunks between two commits.
#[derive(Debug, Clone)]
pub struct Difference {
    repository: Repository,
    from: Commit,
    to: Commit,
    files: Vec<ChangedFile>,
    /// The hunks, in git's order.
    pub hunks: Vec<Hunk>,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ChangedFile {
    path: Vec<u8>,
    before: Option<TreeEntry>,
    after: Option<TreeEntry>,
    /// The numbers of its hunks.
    hunks: Range<usize>,
}

/// A file in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TreeEntry {
    mode: String,
    object: String,
}

/// The number of unchanged lines that one hunk may have between two of its changes: three lines of
/// context on either side (git-diff(1), `--unified`).
const MOST_BETWEEN: usize = 6;

/// The number of files that are cut into hunks; in larger differences, each file is one.
const MOST_FILES: usize = 200;

/// The size of a file up to which its text is read as a whole.
const MOST_TEXT_BYTES: usize = 1 << 20;

/// The number of lines of a file among which enclosing ones are looked for.
const MOST_LINES: usize = 100_000;

/// Git's patterns for the beginnings of functions, by the endings of names (gitattributes(5)).
const FUNCTIONS: &str = "\
*.c diff=cpp\n*.h diff=cpp\n*.cc diff=cpp\n*.cpp diff=cpp\n*.cxx diff=cpp\n*.hpp diff=cpp\n\
*.hh diff=cpp\n*.rs diff=rust\n*.go diff=golang\n*.py diff=python\n*.rb diff=ruby\n\
*.java diff=java\n*.kt diff=kotlin\n*.cs diff=csharp\n*.php diff=php\n*.pl diff=perl\n\
*.f90 diff=fortran\n*.scm diff=scheme\n*.ex diff=elixir\n*.hs diff=haskell\n*.ml diff=ocaml\n";

/// Patterns for languages that git has none for.
const MORE_FUNCTIONS: [&str; 2] = [
    "diff.haskell.xfuncname=^([a-z_][A-Za-z0-9_']*[ \t].*)$",
    "diff.ocaml.xfuncname=^[ \t]*((let|and|method)[ \t].*)$",
];

impl Difference {
    /// The hunks between two commits of a repository.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub fn between(repository: &Repository, from: &Commit, to: &Commit) -> Result<Self, GitError> {
        Self::cut(repository, from, to, MOST_BETWEEN)
    }

    /// The difference that these hunks alone make, each of its changed stretches as a hunk.
    ///
    /// # Errors
    ///
    /// When git fails, or the folder for temporary files cannot be written.
    pub fn stretches_of(&self, chosen: &BTreeSet<usize>) -> Result<Self, GitError> {
        Self::cut(&self.repository, &self.from, &self.commit_with(chosen)?, 0)
    }

    /// The hunks between two commits, with at most this number of unchanged lines between changes.
    fn cut(
        repository: &Repository,
        from: &Commit,
        to: &Commit,
        most_between: usize,
    ) -> Result<Self, GitError> {
        let raw = repository.ask([
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            &from.tree,
            &to.tree,
        ])?;
        let mut difference = Self {
            repository: repository.clone(),
            from: from.clone(),
            to: to.clone(),
            files: changed_files(&raw),
            hunks: Vec::new(),
        };
        let is_large = difference.files.len() > MOST_FILES;
        for place in 0..difference.files.len() {
            let file = &difference.files[place];
            let stretches = if is_large { Vec::new() } else { difference.stretches(file)? };
            let first = difference.hunks.len();
            let path = String::from_utf8_lossy(&file.path).into_owned();
            let mut hunks = hunks(&path, stretches, most_between);
            if let ([whole], false) = (hunks.as_mut_slice(), is_large) {
                whole.texts.extend(difference.whole_text(file)?.filter(|_| whole.lines.is_none()));
            }
            difference.hunks.extend(hunks);
            difference.files[place].hunks = first..difference.hunks.len();
        }
        Ok(difference)
    }

    /// The changed stretches of a file's lines; empty if it can only be taken as a whole.
    fn stretches(&self, file: &ChangedFile) -> Result<Vec<Stretch>, GitError> {
        let (Some(before), Some(after)) = (&file.before, &file.after) else {
            return Ok(Vec::new());
        };
        if before.mode != after.mode || !before.mode.starts_with("100") {
            return Ok(Vec::new());
        }
        let scratch = scratch()?;
        let attributes = scratch.path().join("attributes");
        fs::write(&attributes, FUNCTIONS).map_err(|error| failed(&error))?;
        let mut setting = OsString::from("core.attributesFile=");
        setting.push(&attributes);
        let mut args: Vec<OsString> = vec!["-c".into(), setting];
        for pattern in MORE_FUNCTIONS {
            args.extend(["-c".into(), pattern.into()]);
        }
        let options = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv"];
        args.extend(options.map(OsString::from));
        args.extend([&before.object, &after.object].map(OsString::from));
        // Blobs have no names, and the patterns go by the name.
        let by_path = |commit: &Commit| {
            let mut name = OsString::from(format!("{}:", commit.hash));
            name.push(OsStr::from_bytes(&file.path));
            name
        };
        let last = args.len() - 2;
        args[last..].clone_from_slice(&[by_path(&self.from), by_path(&self.to)]);
        let mut stretches = stretches(&self.repository.ask(args)?);
        let content = self.repository.ask(["cat-file", "blob", &after.object])?;
        let content = String::from_utf8_lossy(&content);
        let lines: Vec<&str> = content.lines().take(MOST_LINES).collect();
        for stretch in &mut stretches {
            let above = lines.get(..stretch.lines.after.start - 1).unwrap_or_default();
            let text = &mut stretch.text;
            let changed = text.added.iter().chain(&text.removed);
            let Some(first) = changed.into_iter().find(|line| !line.trim().is_empty()) else {
                continue;
            };
            let mut headings = enclosing(above, first);
            let is_around = |heading: &String| {
                headings.last() != Some(heading) && !has_ended(heading, above, first)
            };
            let around = text.headings.pop().filter(is_around);
            headings.extend(around);
            text.headings = headings;
        }
        Ok(stretches)
    }

    /// The text of a file that is added or removed; `None` if it is not a text.
    fn whole_text(&self, file: &ChangedFile) -> Result<Option<HunkText>, GitError> {
        let lines = |entry: &Option<TreeEntry>| -> Result<Option<Vec<String>>, GitError> {
            let Some(entry) = entry else { return Ok(Some(Vec::new())) };
            if !entry.mode.starts_with("100") {
                return Ok(None);
            }
            let content = self.repository.ask(["cat-file", "blob", &entry.object])?;
            let text = (content.len() <= MOST_TEXT_BYTES).then(|| String::from_utf8(content).ok());
            Ok(text.flatten().map(|text| text.lines().map(str::to_owned).collect()))
        };
        let (removed, added) = (lines(&file.before)?, lines(&file.after)?);
        let is_one_sided = file.before.is_none() || file.after.is_none();
        let both = removed.zip(added).filter(|_| is_one_sided);
        Ok(both.map(|(removed, added)| HunkText { headings: Vec::new(), removed, added }))
    }

    /// The commit that has these hunks, by their numbers, and no others.
    ///
    /// # Errors
    ///
    /// When git fails, or the folder for temporary files cannot be written.
    pub fn commit_with(&self, chosen: &BTreeSet<usize>) -> Result<Commit, GitError> {
        let scratch = scratch()?;
        let index = scratch.path().join("index");
        let ask = |args: &[&str], stdin: &[u8]| -> Result<String, GitError> {
            let args = args.iter().map(OsString::from).collect();
            let fixed = OURSELVES.into_iter().chain(FIXED);
            let fixed = fixed.map(|(name, value)| (name, OsStr::new(value)));
            let variables = fixed.chain([("GIT_INDEX_FILE", index.as_os_str())]);
            Ok(line(self.repository.ask_with(args, variables, stdin)?).to_string_lossy().into())
        };
        ask(&["read-tree", &self.from.tree], &[])?;
        let mut entries: Vec<u8> = Vec::new();
        for file in &self.files {
            let own: BTreeSet<usize> = chosen.range(file.hunks.clone()).copied().collect();
            let entry = match own.len() {
                0 => continue,
                all if all == file.hunks.len() => file.after.clone(),
                _ => {
                    let content = self.content_with(file, &own)?;
                    let object = ask(&["hash-object", "-w", "--no-filters", "--stdin"], &content)?;
                    file.after.clone().map(|entry| TreeEntry { object, ..entry })
                }
            };
            let entry = entry.unwrap_or_else(|| TreeEntry {
                mode: "0".to_owned(),
                object: "0".repeat(self.from.tree.len()),
            });
            entries.extend_from_slice(format!("{} {}\t", entry.mode, entry.object).as_bytes());
            entries.extend_from_slice(&file.path);
            entries.push(0);
        }
        ask(&["update-index", "-z", "--index-info"], &entries)?;
        let tree = ask(&["write-tree"], &[])?;
        let name = format!("{} of {}", numbered(chosen), &self.to.hash[..7]);
        let made =
            ask(&["commit-tree", "--no-gpg-sign", "-m", &name, &tree, "-p", &self.from.hash], &[])?;
        let unread = || failed(&format!("the commit {made} cannot be read"));
        commit(&self.repository, &made)?.ok_or_else(unread)
    }

    /// The content of a file with some of its hunks.
    fn content_with(&self, file: &ChangedFile, own: &BTreeSet<usize>) -> Result<Vec<u8>, GitError> {
        let read = |entry: &Option<TreeEntry>| match entry {
            Some(entry) => self.repository.ask(["cat-file", "blob", &entry.object]),
            None => Ok(Vec::new()),
        };
        let (before, after) = (read(&file.before)?, read(&file.after)?);
        let stretches = own.iter().flat_map(|&number| &self.hunks[number].stretches);
        Ok(exchanged(&before, &after, stretches))
    }
}

impl Hunk {
    /// The number of unchanged lines between it and these lines, which come later in its file.
    fn distance(&self, lines: &HunkLines) -> usize {
        lines.before.start - self.lines.as_ref().map_or(0, |own| own.before.end)
    }

    fn extend(&mut self, lines: HunkLines, text: HunkText) {
        if let Some(own) = &mut self.lines {
            own.before.end = lines.before.end;
            own.after.end = lines.after.end;
        }
        self.texts.push(text);
        self.stretches.push(lines);
    }
}

/// A changed stretch of lines, as git reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    lines: HunkLines,
    text: HunkText,
}

/// The hunks of a file: its stretches, joined if at most this number of lines is between them, or one
/// for the whole file.
fn hunks(path: &str, stretches: Vec<Stretch>, most_between: usize) -> Vec<Hunk> {
    let whole =
        Hunk { path: path.to_owned(), lines: None, texts: Vec::new(), stretches: Vec::new() };
    if stretches.is_empty() {
        return vec![whole];
    }
    let mut hunks: Vec<Hunk> = Vec::new();
    for Stretch { lines, text } in stretches {
        let last = hunks.last_mut().filter(|last| last.distance(&lines) <= most_between);
        match last {
            Some(last) => last.extend(lines, text),
            None => hunks.push(Hunk {
                lines: Some(lines.clone()),
                texts: vec![text],
                stretches: vec![lines],
                ..whole.clone()
            }),
        }
    }
    hunks
}

/// The older text with some stretches exchanged for those of the newer one.
fn exchanged<'s>(
    before: &[u8],
    after: &[u8],
    stretches: impl Iterator<Item = &'s HunkLines>,
) -> Vec<u8> {
    let lines = |text: &[u8]| -> Vec<Vec<u8>> {
        text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let taken = |lines: &[Vec<u8>], range: Range<usize>| {
        lines.get(range.start - 1..range.end - 1).unwrap_or_default().concat()
    };
    let mut text = Vec::new();
    let mut next = 1;
    for stretch in stretches {
        text.extend(taken(&before, next..stretch.before.start));
        text.extend(taken(&after, stretch.after.clone()));
        next = stretch.before.end;
    }
    text.extend(taken(&before, next..before.len() + 1));
    text
}

/// The files of a raw difference that could matter, in git's order.
fn changed_files(raw: &[u8]) -> Vec<ChangedFile> {
    let mut fields = raw.split(|byte| *byte == 0);
    let mut files = BTreeMap::new();
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        let about = String::from_utf8_lossy(about);
        let words: Vec<&str> = about.trim_start_matches(':').split(' ').collect();
        let [before, after, old, new, _] = words[..] else { continue };
        let entry = |mode: &str, object: &str| {
            let is_there = mode.bytes().any(|digit| digit != b'0');
            is_there.then(|| TreeEntry { mode: mode.to_owned(), object: object.to_owned() })
        };
        let file = ChangedFile {
            path: path.to_vec(),
            before: entry(before, old),
            after: entry(after, new),
            hunks: 0..0,
        };
        if could_matter(&String::from_utf8_lossy(path)) {
            files.insert(path.to_vec(), file);
        }
    }
    files.into_values().collect()
}

/// The stretches of a unified difference without context; empty for binary files.
fn stretches(difference: &[u8]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let text = String::from_utf8_lossy(difference);
    for line in text.split('\n') {
        if let Some((lines, heading)) = header(line) {
            let mut text = HunkText::default();
            text.headings.extend(Some(heading.trim().to_owned()).filter(|text| !text.is_empty()));
            stretches.push(Stretch { lines, text });
        } else if let Some(stretch) = stretches.last_mut() {
            let text = &mut stretch.text;
            text.removed.extend(line.strip_prefix('-').map(str::to_owned));
            text.added.extend(line.strip_prefix('+').map(str::to_owned));
        }
    }
    stretches
}

/// The lines above that enclose a line by their indentation, the nearest first. Brackets, comments,
/// labels and instructions of a preprocessor enclose nothing.
fn enclosing(above: &[&str], line: &str) -> Vec<String> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut least = indentation(line);
    let mut headings = Vec::new();
    for line in above.iter().rev() {
        let text = line.trim();
        let is_label = text.ends_with(':') && !text.contains([' ', '(']);
        let is_other = text.is_empty() || text.starts_with(['{', '}', '(', ')', '#', '/', '*']);
        if indentation(line) < least && !is_label && !is_other {
            least = indentation(line);
            headings.push(line.trim_end().to_owned());
        }
        if least == 0 {
            break;
        }
    }
    headings
}

/// True if what a heading begins has ended before a line: git's patterns find the last beginning above,
/// whatever follows it.
fn has_ended(heading: &str, above: &[&str], line: &str) -> bool {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    // git cuts long lines.
    let is_heading = |line: &&str| line.trim().starts_with(heading);
    let Some(place) = above.iter().rposition(is_heading) else { return false };
    let least = indentation(above[place]);
    let has_closed = |line: &&str| indentation(line) <= least && line.trim_start().starts_with('}');
    let ends_by_indentation = above[place].trim_end().ends_with(':') && indentation(line) <= least;
    ends_by_indentation || above[place + 1..].iter().any(has_closed)
}

/// The lines of a header such as `@@ -3,2 +3 @@ fn main() {`, and the heading behind them.
fn header(line: &str) -> Option<(HunkLines, &str)> {
    let (ranges, heading) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (before, after) = ranges.split_once(" +")?;
    let range = |text: &str| {
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
        // An empty range is named by the line before it.
        let first = if count == 0 { first + 1 } else { first };
        Some(first..first + count)
    };
    Some((HunkLines { before: range(before)?, after: range(after)? }, heading))
}

/// The words `hunk 2` or `hunks 1, 3`, counted from 1.
fn numbered(chosen: &BTreeSet<usize>) -> String {
    let numbers: Vec<String> = chosen.iter().map(|number| (number + 1).to_string()).collect();
    match numbers.len() {
        0 => "no hunk".to_owned(),
        1 => format!("hunk {}", numbers[0]),
        _ => format!("hunks {}", numbers.join(", ")),
    }
}

fn scratch() -> Result<tempfile::TempDir, GitError> {
    tempfile::Builder::new().prefix("brisk-hunks-").tempdir().map_err(|error| failed(&error))
}

fn failed(why: &dyn std::fmt::Display) -> GitError {
    GitError::Failed { what: "commit-tree".to_owned(), source: Said::new(why.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(before: Range<usize>, after: Range<usize>) -> HunkLines {
        HunkLines { before, after }
    }

    #[test]
    fn headers_are_read_with_their_empty_ranges() {
        for (line, expected, heading) in [
            ("@@ -3,2 +3 @@ fn main() {", lines(3..5, 3..4), " fn main() {"),
            ("@@ -0,0 +1,3 @@", lines(1..1, 1..4), ""),
            ("@@ -7 +6,0 @@ x", lines(7..8, 7..7), " x"),
        ] {
            assert_eq!(header(line), Some((expected, heading)), "{line}");
        }
        for line in ["@@ -x +1 @@", "+@@ -1 +1 @@", "@@ 1 2"] {
            assert_eq!(header(line), None, "{line}");
        }
    }

    #[test]
    fn changes_six_lines_apart_are_one_hunk_and_seven_apart_are_two() {
        let stretch =
            |before, after| Stretch { lines: lines(before, after), text: HunkText::default() };
        let places = |stretches| -> Vec<_> {
            hunks("a.c", stretches, MOST_BETWEEN)
                .into_iter()
                .filter_map(|hunk| hunk.lines)
                .collect()
        };
        let near = vec![stretch(1..2, 1..3), stretch(8..9, 9..10)];
        assert_eq!(places(near), [lines(1..9, 1..10)]);
        let far = vec![stretch(1..2, 1..3), stretch(9..10, 10..11)];
        assert_eq!(places(far), [lines(1..2, 1..3), lines(9..10, 10..11)]);
    }

    #[test]
    fn what_has_ended_is_not_around_a_line() {
        let ended = |heading: &str, text: &str, line: &str| {
            has_ended(heading, &text.lines().collect::<Vec<_>>(), line)
        };
        let function = "int f(int a,\n      int b\n) {\n    if (a) {\n        b++;\n    }\n";
        assert!(!ended("int f(int a,", function, "    return b;"));
        assert!(ended("int f(int a,", &format!("{function}}}\n\n"), "int g(void);"));
        // A label, and an instruction of the preprocessor.
        assert!(!ended("int f(int a,", function, "done:"));
        let method = "class A {\n    int f() {\n        return 1;\n    }\n";
        assert!(!ended("class A {", method, "    int g() { return 2; }"));
        let python = "class A:\n    def f(self):\n        pass\n";
        assert!(!ended("def f(self):", python, "        return 1"));
        assert!(ended("def f(self):", python, "    x = 1"));
        assert!(ended("class A:", python, "x = 1"));
        assert!(!ended("not there", python, "x = 1"));
    }

    #[test]
    fn lines_enclose_a_line_by_their_indentation() {
        let text = "namespace pugi\n{\n    int f(int a,\n          int b)\n    {\n#if X\n        if (a)\n\
                    done:\n        {\n            a = b;\n";
        let above: Vec<&str> = text.lines().collect();
        let expected = ["        if (a)", "    int f(int a,", "namespace pugi"];
        assert_eq!(enclosing(&above, "            b = a;"), expected);
        assert_eq!(enclosing(&above, "int g;"), [""; 0]);
        assert_eq!(enclosing(&[], "    b = a;"), [""; 0]);
    }

    #[test]
    fn lines_are_exchanged_by_their_numbers() {
        let (before, after) = (b"a\nb\nc\nd".as_slice(), b"new\na\nB1\nB2\nc\n".as_slice());
        let all = [lines(1..1, 1..2), lines(2..3, 3..5), lines(4..5, 6..6)];
        let with = |chosen: &[usize]| {
            let text = exchanged(before, after, chosen.iter().map(|&place| &all[place]));
            String::from_utf8(text).expect("text")
        };
        assert_eq!(with(&[]), "a\nb\nc\nd");
        assert_eq!(with(&[0]), "new\na\nb\nc\nd");
        assert_eq!(with(&[1]), "a\nB1\nB2\nc\nd");
        assert_eq!(with(&[0, 1, 2]), "new\na\nB1\nB2\nc\n");
    }
}
