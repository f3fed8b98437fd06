//! Differences as hunks, and commits with some of them, against git's own answers.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use prepare::{Difference, Follow, commits};

use crate::given::{Given, Lab};

/// The difference between the last two commits.
fn difference(given: &Given) -> Difference {
    let repository = given.open();
    let both = commits(&repository, "HEAD^^..HEAD", Follow::FirstParents).expect("two commits");
    Difference::between(&repository, &both[0], &both[1]).expect("git works")
}

fn chosen(numbers: &[usize]) -> BTreeSet<usize> {
    numbers.iter().copied().collect()
}

fn file(given: &Given, commit: &str, path: &str) -> String {
    given.git(&["show", &format!("{commit}:{path}")])
}

/// A program of three functions, far enough apart.
fn program(bodies: [&str; 3]) -> String {
    let function = |name: &str, body: &str| {
        let lines: String = (0..8).map(|n| format!("  step({n});\n")).collect();
        format!("int {name}(int x) {{\n{lines}  {body}\n}}\n\n")
    };
    ["one", "two", "three"].iter().zip(bodies).map(|(name, body)| function(name, body)).collect()
}

#[test]
fn any_hunks_make_a_commit_and_all_of_them_the_newer_one() {
    let lab = Lab::new();
    let given = lab.repository("ein räumchen");
    let old = program(["return 1;", "return 2;", "return 3;"]);
    let new = program(["return 10;", "return 20;", "return 30;"]);
    given.commit(&[("root", "")], "root");
    given.commit(&[("a.c", &old), ("README.md", "old"), ("gone.h", "x\n")], "old");
    fs::remove_file(given.root.join("gone.h")).expect("it exists");
    given.commit(&[("a.c", &new), ("README.md", "new"), ("grüße.h", "y\n")], "new");
    let found = difference(&given);
    let paths: Vec<&str> = found.hunks.iter().map(|hunk| hunk.path.as_str()).collect();
    assert_eq!(paths, ["a.c", "a.c", "a.c", "gone.h", "grüße.h"], "documents are no hunks");
    let second = &found.hunks[1];
    let lines = second.lines.as_ref().expect("lines");
    assert_eq!((lines.before.clone(), lines.after.clone()), (22..23, 22..23));
    assert_eq!(second.texts[0].headings, ["int two(int x) {"]);
    assert_eq!(second.texts[0].removed, ["  return 2;"]);
    assert_eq!(second.texts[0].added, ["  return 20;"]);
    assert_eq!(found.hunks[4].texts[0].added, ["y"], "a new file is a text, too");
    let only = found.commit_with(&chosen(&[1])).expect("a commit");
    let expected = program(["return 1;", "return 20;", "return 3;"]);
    assert_eq!(file(&given, &only.hash, "a.c"), expected.trim_end());
    assert_eq!(file(&given, &only.hash, "gone.h"), "x");
    let without = found.commit_with(&chosen(&[0, 2, 3, 4])).expect("a commit");
    let expected = program(["return 10;", "return 2;", "return 30;"]);
    assert_eq!(file(&given, &without.hash, "a.c"), expected.trim_end());
    let names = given.git(&["-c", "core.quotePath=false", "ls-tree", "--name-only", &without.hash]);
    assert_eq!(names.lines().collect::<Vec<_>>(), ["README.md", "a.c", "grüße.h", "root"]);
    let (none, all) = (chosen(&[]), chosen(&[0, 1, 2, 3, 4]));
    let tree = |name: &str| given.git(&["rev-parse", &format!("{name}^{{tree}}")]);
    assert_eq!(found.commit_with(&none).expect("a commit").tree, tree("HEAD^"));
    let all = found.commit_with(&all).expect("a commit");
    assert_eq!(given.git(&["diff", "--name-only", &all.hash, "HEAD"]), "README.md");
    // The same hunks are the same commit, and nothing of the user's changed.
    assert_eq!(found.commit_with(&chosen(&[1])).expect("a commit").hash, only.hash);
    assert_eq!(given.git(&["status", "--porcelain"]), "");
    assert_eq!(given.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

#[test]
fn what_has_no_lines_is_one_hunk() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.commit(&[("root", "")], "root");
    let text: String = (0..60).map(|n| format!("{n}\n")).collect();
    given.commit(&[("run.sh", &text), ("data.bin", "a\0b"), ("link", "text")], "old");
    let script = given.root.join("run.sh");
    fs::write(&script, text.replace("\n9\n", "\nnine\n").replace("\n50\n", "\nfifty\n"))
        .expect("writable");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("ours");
    fs::remove_file(given.root.join("link")).expect("it exists");
    symlink("run.sh", given.root.join("link")).expect("writable");
    given.commit(&[("data.bin", "a\0c")], "new");
    let found = difference(&given);
    let paths: Vec<&str> = found.hunks.iter().map(|hunk| hunk.path.as_str()).collect();
    assert_eq!(paths, ["data.bin", "link", "run.sh"]);
    assert!(found.hunks.iter().all(|hunk| hunk.lines.is_none()));
    let two = found.commit_with(&chosen(&[1, 2])).expect("a commit");
    let listed = given.git(&["ls-tree", &two.hash, "link", "run.sh"]);
    let modes: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(modes, ["120000", "100755"]);
}

#[test]
fn a_file_without_a_last_line_break_keeps_its_lines() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.commit(&[("root", "")], "root");
    let text = |first: &str, last: &str| {
        let between: String = (0..20).map(|n| format!("{n}\r\n")).collect();
        format!("{first}\r\n{between}{last}")
    };
    given.commit(&[("a.txt.in", &text("a", "z"))], "old");
    given.commit(&[("a.txt.in", &text("b", "y\r\n"))], "new");
    let found = difference(&given);
    assert_eq!(found.hunks.len(), 2);
    for (numbers, first, last) in
        [(&[0][..], "b", "z"), (&[1], "a", "y\r\n"), (&[0, 1], "b", "y\r\n")]
    {
        let made = found.commit_with(&chosen(numbers)).expect("a commit");
        let size = given.git(&["cat-file", "-s", &format!("{}:a.txt.in", made.hash)]);
        assert_eq!(size, text(first, last).len().to_string(), "{numbers:?}");
    }
}
