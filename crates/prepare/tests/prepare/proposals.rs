//! Ledgers, which only grow, and proposals on top of another state.

use prepare::ledger::{Ledger, LedgerState, moved, tip};
use prepare::proposal::{changed_paths, merged, nearest, patched};

use crate::given::Lab;

#[test]
fn of_two_writers_of_a_ledger_one_has_to_read_again() {
    let lab = Lab::new();
    let given = lab.repository("ledger");
    let first = given.commit(&[("a", "1\n")], "first");
    let repository = given.open();
    let ledger = Ledger::new(&repository, "refs/brisk/test/log".to_owned());
    assert_eq!(ledger.read().expect("git works"), LedgerState::default());
    assert!(ledger.append(&LedgerState::default(), "one\n\n{}", &[]).expect("git works"));
    let state = ledger.read().expect("git works");
    assert!(ledger.append(&state, "two", &[&first]).expect("git works"));
    assert!(!ledger.append(&state, "lost", &[]).expect("git works"), "somebody was quicker");
    assert!(!ledger.append(&LedgerState::default(), "lost", &[]).expect("git works"));
    let state = ledger.read().expect("git works");
    assert_eq!(state.texts, ["one\n\n{}", "two"]);
    // What an entry is about stays, and is no entry.
    let parents = given.git(&["log", "-1", "--format=%P", "refs/brisk/test/log"]);
    assert!(parents.ends_with(&first), "{parents}");
    assert_eq!(given.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_reference_moves_only_from_where_it_was() {
    let lab = Lab::new();
    let given = lab.repository("references");
    let [first, second] = ["1\n", "2\n"].map(|text| given.commit(&[("a", text)], text));
    let repository = given.open();
    let name = "refs/brisk/test/incumbent";
    assert!(moved(&repository, name, None, &first).expect("git works"));
    assert!(!moved(&repository, name, None, &second).expect("git works"));
    assert!(!moved(&repository, name, Some(&second), &second).expect("git works"));
    assert!(moved(&repository, name, Some(&first), &second).expect("git works"));
    assert_eq!(tip(&repository, name).expect("git works"), Some(second));
}

#[test]
fn a_state_is_taken_as_its_change_from_the_nearest_one() {
    let lab = Lab::new();
    let given = lab.repository("states");
    let text = |one: &str, two: &str| format!("{one}\n2\n3\n4\n5\n6\n7\n{two}\n");
    let first = given.commit(&[("a", &text("1", "8"))], "first");
    let kept = given.commit(&[("a", &text("one", "8"))], "kept");
    let states = [first.clone(), kept.clone()];
    let repository = given.open();
    let at = |base: &str, theirs: &str| {
        let tree = merged(&repository, base, &kept, theirs).expect("git works");
        tree.map(|tree| given.git(&["show", &format!("{tree}:a")]))
    };
    // One proposer goes on from what was kept, and one began before it.
    let later = given.commit(&[("a", &text("one", "eight"))], "later");
    given.git(&["checkout", "--quiet", &first]);
    let beside = given.commit(&[("a", &text("1", "eight"))], "beside");
    let against = given.commit(&[("a", &text("eins", "8"))], "against");
    assert_eq!(nearest(&repository, &states, &later).expect("git works"), kept);
    assert_eq!(nearest(&repository, &states, &beside).expect("git works"), first);
    let both = text("one", "eight");
    assert_eq!(at(&kept, &later).as_deref(), Some(both.trim_end()));
    assert_eq!(at(&first, &beside).as_deref(), Some(both.trim_end()));
    assert_eq!(at(&first, &against), None, "both change the same line");
}

#[test]
fn changed_files_are_told_from_those_that_may_change() {
    let lab = Lab::new();
    let given = lab.repository("paths");
    let first = given.commit(&[("src/a.c", "1\n"), ("b", "1\n")], "first");
    let patch = "--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-1\n+2\n";
    let repository = given.open();
    let tree = patched(&repository, &first, patch.as_bytes()).expect("git works");
    let tree = tree.expect("it applies");
    let (changed, allowed) =
        changed_paths(&repository, &first, &tree, &["src/*.c".to_owned()]).expect("git works");
    assert_eq!((changed.len(), allowed.len()), (1, 1));
    let (_, allowed) =
        changed_paths(&repository, &first, &tree, &["*.c".to_owned()]).expect("git works");
    assert!(allowed.is_empty(), "a star does not match a slash");
    let again = patched(&repository, &tree, patch.as_bytes()).expect("git works");
    assert!(again.is_err(), "it was applied already");
    std::os::unix::fs::symlink("/etc/passwd", given.root.join("src/link")).expect("writable");
    let linked = given.commit(&[("b", "2\n")], "a link");
    let (changed, _) = changed_paths(&repository, &first, &linked, &[]).expect("git works");
    let leads: Vec<bool> = changed.iter().map(|one| one.leads_elsewhere).collect();
    assert_eq!(leads, [false, true]);
}
