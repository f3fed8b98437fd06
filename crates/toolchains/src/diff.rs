//! The changes between two commits, as `git diff --raw -z --patch --unified=0` writes them.

/// A file that differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path in the old commit; `None` if the file is new.
    pub old: Option<String>,
    /// The path in the new commit; `None` if the file is gone.
    pub new: Option<String>,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The lines that differ, in the order of the file; empty unless the file is text.
    pub hunks: Vec<Hunk>,
}

/// The kind of a file's change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Other lines of text, another path, or both.
    Text,
    /// The content is not text.
    Binary,
    /// The permissions, or the kind of file: a link, a submodule.
    Mode,
}

/// A run of lines that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the old file.
    pub old: Lines,
    /// The lines of the new file.
    pub new: Lines,
}

/// Consecutive lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The first line, from 1; of no lines, the line that they would follow.
    pub start: u64,
    /// The number of lines.
    pub count: u64,
}

impl Lines {
    /// True if one of these lines is within `first..=last`; of no lines, if their place is.
    pub fn touch(&self, first: u64, last: u64) -> bool {
        match self.count {
            // In front of the first line is not within.
            0 => (first..last).contains(&self.start),
            count => self.start <= last && first <= self.start.saturating_add(count - 1),
        }
    }
}

impl FileChange {
    /// The paths of the file, the old one first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let new = self.new.as_deref().filter(|new| self.old.as_deref() != Some(new));
        self.old.as_deref().into_iter().chain(new)
    }
}

/// The arguments of `git` that write a diff for [`changes`].
pub const ARGUMENTS: [&str; 12] = [
    "diff",
    "--raw",
    "-z",
    "--patch",
    "--unified=0",
    "--inter-hunk-context=0",
    "--find-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
    "--submodule=short",
];

/// The mode of ordinary files, without the permission to execute.
const ORDINARY: [&str; 2] = ["100644", "100755"];

/// Reads a diff. `None` if it is not understood.
pub fn changes(diff: &[u8]) -> Option<Vec<FileChange>> {
    let mut rest = diff;
    let mut changes = Vec::new();
    while let Some(entry) = rest.strip_prefix(b":") {
        let (change, after) = raw_entry(entry)?;
        changes.push(change);
        rest = after;
    }
    // An empty field is between the two forms.
    let patch = String::from_utf8_lossy(rest.strip_prefix(b"\0").unwrap_or(rest)).into_owned();
    let mut number = 0;
    for line in patch.split('\n') {
        if line.starts_with("diff --git ") {
            number += 1;
            continue;
        }
        let change: Option<&mut FileChange> =
            usize::checked_sub(number, 1).and_then(|index| changes.get_mut(index));
        if let Some(header) = line.strip_prefix("@@ -") {
            change?.hunks.push(hunk(header)?);
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            let change = change?;
            if change.kind == ChangeKind::Text {
                change.kind = ChangeKind::Binary;
            }
        }
    }
    (number == changes.len()).then_some(changes)
}

/// `100644 100644 OLD NEW M\0PATH\0`, with two paths if the file was renamed or copied.
fn raw_entry(entry: &[u8]) -> Option<(FileChange, &[u8])> {
    let mut fields = entry.splitn(3, |byte| *byte == 0);
    let facts = std::str::from_utf8(fields.next()?).ok()?;
    let mut facts = facts.split(' ');
    let (old_mode, new_mode) = (facts.next()?, facts.next()?);
    let status = facts.nth(2)?;
    let path = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let first = path(fields.next()?);
    let mut rest = fields.next().unwrap_or_default();
    let (old, new) = match status.as_bytes().first()? {
        b'A' => (None, Some(first)),
        b'D' => (Some(first), None),
        b'M' => (Some(first.clone()), Some(first)),
        b'R' | b'C' => {
            let mut fields = rest.splitn(2, |byte| *byte == 0);
            let second = path(fields.next()?);
            rest = fields.next().unwrap_or_default();
            (Some(first), Some(second))
        }
        // Such as a file that became a link, of which there would be two patches.
        _ => return None,
    };
    let is_ordinary =
        |mode: &str, path: &Option<String>| path.is_none() || ORDINARY.contains(&mode);
    let is_same = old.is_none() || new.is_none() || old_mode == new_mode;
    let kind = match is_same && is_ordinary(old_mode, &old) && is_ordinary(new_mode, &new) {
        true => ChangeKind::Text,
        false => ChangeKind::Mode,
    };
    Some((FileChange { old, new, kind, hunks: Vec::new() }, rest))
}

/// `12,3 +14 @@ the function`, after `@@ -`.
fn hunk(header: &str) -> Option<Hunk> {
    let (old, rest) = header.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let lines = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some(Lines { start: start.parse().ok()?, count: count.parse().ok()? })
    };
    Some(Hunk { old: lines(old)?, new: lines(new)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(start: u64, count: u64) -> Lines {
        Lines { start, count }
    }

    #[test]
    fn files_and_lines_are_told_of_every_kind_of_change() {
        let diff = b":100644 100644 1 2 M\0src/a b.c\0:000000 100644 0 2 A\0new.c\0\
            :100644 000000 1 0 D\0gone.c\0:100644 100644 1 2 R090\0old.c\0renamed.c\0\
            :100644 100755 1 2 M\0run.c\0:100644 100644 1 2 M\0data.bin\0:160000 160000 1 2 M\0lib\0\0\
            diff --git a/src/a b.c b/src/a b.c\nindex 1..2 100644\n--- a/src/a b.c\n+++ b/src/a b.c\n\
            @@ -3 +3,2 @@ int f()\n-x\n+diff --git\n+@@ -1 +1 @@\n@@ -9,2 +10,0 @@\n--- a\n-b\n\
            diff --git a/new.c b/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+x\n\
            diff --git a/gone.c b/gone.c\n@@ -1 +0,0 @@\n-x\n\
            diff --git a/old.c b/renamed.c\nsimilarity index 90%\nrename from old.c\nrename to renamed.c\n\
            diff --git a/run.c b/run.c\nold mode 100644\nnew mode 100755\n\
            diff --git a/data.bin b/data.bin\nBinary files a/data.bin and b/data.bin differ\n\
            diff --git a/lib b/lib\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n";
        let found = changes(diff).expect("it is a diff");
        let kinds: Vec<_> =
            found.iter().map(|it| (it.paths().last().expect("one"), it.kind)).collect();
        let expected = [
            ("src/a b.c", ChangeKind::Text),
            ("new.c", ChangeKind::Text),
            ("gone.c", ChangeKind::Text),
            ("renamed.c", ChangeKind::Text),
            ("run.c", ChangeKind::Mode),
            ("data.bin", ChangeKind::Binary),
            ("lib", ChangeKind::Mode),
        ];
        assert_eq!(kinds, expected);
        let hunks = [
            Hunk { old: lines(3, 1), new: lines(3, 2) },
            Hunk { old: lines(9, 2), new: lines(10, 0) },
        ];
        assert_eq!(found[0].hunks, hunks);
        assert_eq!((found[1].old.as_deref(), found[2].new.as_deref()), (None, None));
        assert_eq!(found[3].paths().collect::<Vec<_>>(), ["old.c", "renamed.c"]);
        assert_eq!(changes(b""), Some(Vec::new()));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for diff in [
            &b":120000 100644 1 2 T\0link\0"[..],
            b":100644 100644 1 2 M\0a.c\0",
            b":100644 100644 1 2 M\0a.c\0\0diff --git a/a.c b/a.c\n@@ -x +1 @@\n",
            b":100644",
        ] {
            assert_eq!(changes(diff), None, "{}", String::from_utf8_lossy(diff));
        }
    }

    #[test]
    fn lines_touch_a_function_within_it() {
        for (touched, expected) in [
            (lines(4, 1), false),
            (lines(4, 2), true),
            (lines(9, 3), true),
            (lines(10, 1), false),
            // Between 4 and 5, between 5 and 6, and after 9.
            (lines(4, 0), false),
            (lines(5, 0), true),
            (lines(9, 0), false),
        ] {
            assert_eq!(touched.touch(5, 9), expected, "{touched:?}");
        }
    }
}
