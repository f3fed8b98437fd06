//! The commits in a range, and the refused ranges.

use prepare::{
    CheckoutKind, Commit, Depth, Follow, GitError, RangeError, Repository, commits, count_all,
    remote_compare_url,
};

use crate::given::{Given, Lab};

fn subjects(given: &Given, range: &str, follow: Follow) -> Vec<String> {
    let commits = commits(&given.open(), range, follow).expect("a range");
    commits.into_iter().map(|commit| commit.subject).collect()
}

fn refusal(given: &Given, range: &str) -> RangeError {
    commits(&given.open(), range, Follow::FirstParents).expect_err("to be refused")
}

#[test]
fn a_range_is_read_as_git_reads_it_oldest_first() {
    let lab = Lab::new();
    let given = lab.repository("häuser und gärten");
    let hashes = given.programs(4);
    given.git(&["tag", "-m", "annotated", "v1", &hashes[1]]);
    let first = |range: &str| subjects(&given, range, Follow::FirstParents);
    assert_eq!(first("v1..HEAD"), ["commit 2", "commit 3"]);
    assert_eq!(first("v1^..main"), ["commit 1", "commit 2", "commit 3"]);
    assert_eq!(first("HEAD~2.."), ["commit 2", "commit 3"]);
    assert_eq!(first("HEAD^!"), ["commit 3"]);
    assert_eq!(first(" HEAD^{/commit 1}..HEAD~1 "), ["commit 2"]);
    // A root has no parent, but can be included all the same.
    assert_eq!(first(&format!("{}^..v1", hashes[0])), ["commit 0", "commit 1"]);
}

#[test]
fn a_commit_is_described_by_git() {
    let lab = Lab::new();
    let given = lab.repository("r");
    let root = given.commit(&[("a", "1")], "grüße\nüber zwei zeilen\n\nkörper");
    let next = given.commit(&[], "empty");
    let commits = given.history();
    let tree = given.git(&["rev-parse", "HEAD^{tree}"]);
    let expected = Commit {
        hash: root.clone(),
        parents: Vec::new(),
        tree: tree.clone(),
        subject: "grüße über zwei zeilen".to_owned(),
        author_unix_seconds: 1_700_000_000,
        author: "A. U. Thor".to_owned(),
    };
    assert_eq!(commits[0], expected);
    assert_eq!((commits[1].hash.as_str(), commits[1].parent()), (&*next, Some(&*root)));
    assert_eq!(commits[1].tree, tree, "an empty commit has its parent's tree");
}

#[test]
fn merges_count_as_one_change_unless_all_parents_are_asked_for() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.commit(&[("a", "0")], "base");
    given.git(&["checkout", "--quiet", "-b", "side"]);
    given.commit(&[("b", "1")], "side 1");
    given.commit(&[("b", "2")], "side 2");
    given.git(&["checkout", "--quiet", "main"]);
    given.commit(&[("a", "1")], "main 1");
    given.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "side"]);
    given.commit(&[("a", "2")], "main 2");
    let linear = subjects(&given, "HEAD~3..HEAD", Follow::FirstParents);
    assert_eq!(linear, ["main 1", "merge", "main 2"]);
    assert_eq!(count_all(&given.open(), "HEAD~3..HEAD").expect("a range"), 5);
    let all = commits(&given.open(), "HEAD~3..HEAD", Follow::AllParents).expect("a range");
    let place = |subject: &str| all.iter().position(|one| one.subject == subject);
    assert_eq!(all.len(), 5);
    assert!(place("side 1") < place("side 2") && place("side 2") < place("merge"));
    assert!(place("main 1") < place("merge") && place("merge") < place("main 2"));
    let merge = &all[place("merge").expect("it is in the range")];
    assert_eq!(merge.parents.len(), 2);
    assert_eq!(merge.parent(), Some(&*given.git(&["rev-parse", "HEAD~2"])));
}

#[test]
fn what_is_no_range_is_refused_with_a_way_out() {
    let lab = Lab::new();
    let given = lab.repository("r");
    let hashes = given.programs(3);
    let empty = refusal(&given, "HEAD..HEAD~1");
    assert!(matches!(&empty, RangeError::Empty { .. }), "{empty}");
    let unknown = refusal(&given, "HEAD~1..nonsense");
    assert_eq!(unknown.to_string(), "unknown revision `nonsense`");
    assert!(unknown.hint().is_some_and(|hint| hint.contains("git branch")));
    assert_eq!(refusal(&given, "nonsense^..HEAD").to_string(), "unknown revision `nonsense^`");
    assert_eq!(refusal(&given, "HEAD~7..").to_string(), "unknown revision `HEAD~7`");
    let whole = refusal(&given, "main");
    assert_eq!(
        whole.to_string(),
        "`main` is the whole history up to there, 3 commits, not a range"
    );
    let all = format!("`{}^..main` all of it", &hashes[0][..12]);
    assert!(whole.hint().is_some_and(|hint| hint.contains(&all)), "{:?}", whole.hint());
    assert!(matches!(refusal(&given, "HEAD~1...HEAD"), RangeError::SeveralEnds { .. }));
    for text in ["", "  ", "--all", "-5", "^HEAD"] {
        assert!(matches!(refusal(&given, text), RangeError::NotARange { .. }), "{text:?}");
    }
    for text in ["HEAD~1:source..HEAD", "HEAD~1..HEAD:source", "HEAD:"] {
        assert!(matches!(refusal(&given, text), RangeError::NotARange { .. }), "{text:?}");
    }
}

#[test]
fn a_root_of_another_history_is_refused() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    given.git(&["checkout", "--quiet", "--orphan", "other"]);
    given.commit(&[("source", "other")], "other root");
    let refused = refusal(&given, "other^..main");
    assert_eq!(refused.to_string(), "`main` does not descend from `other`");
}

#[test]
fn an_empty_repository_has_no_range() {
    let lab = Lab::new();
    let given = lab.repository("r");
    assert!(matches!(refusal(&given, "HEAD~1..HEAD"), RangeError::UnknownRevision { .. }));
}

#[test]
fn a_shallow_clone_is_used_as_far_as_it_goes_and_no_further() {
    let lab = Lab::new();
    let given = lab.repository("full");
    given.programs(5);
    let url = format!("file://{}", given.root.display());
    let clone = lab.path("shallow clone");
    lab.git(&lab.path(""), &["clone", "--quiet", "--depth=3", &url, "shallow clone"]);
    let shallow = Given { root: clone };
    assert_eq!(shallow.open().depth(), Depth::Shallow);
    assert_eq!(subjects(&shallow, "HEAD~2..", Follow::FirstParents), ["commit 3", "commit 4"]);
    let boundary = shallow.git(&["rev-parse", "HEAD~2"]);
    for range in [format!("{boundary}^..HEAD"), "HEAD~4..HEAD".to_owned()] {
        let refused = refusal(&shallow, &range);
        let hint = refused.hint().expect("there is a way out");
        assert!(hint.contains("--unshallow"), "{refused}: {hint}");
    }
    // Nothing excludes the history before the boundary, so it would be missing silently.
    shallow.git(&["fetch", "--quiet", "--depth=1", "origin", &given.git(&["rev-parse", "HEAD~4"])]);
    let cut = refusal(&shallow, "FETCH_HEAD..HEAD");
    assert!(matches!(&cut, RangeError::Shallow { commit, .. } if *commit == boundary), "{cut}");
}

#[test]
fn a_folder_below_the_root_is_in_the_repository_and_one_beside_it_is_not() {
    let lab = Lab::new();
    let given = lab.repository("mit leerzeichen");
    given.commit(&[("sub/deep/a", "1")], "one");
    let below = Repository::open(&given.root.join("sub/deep")).expect("it is inside");
    assert_eq!(below.root(), given.open().root());
    assert_eq!(below.common_dir(), given.open().common_dir());
    assert_eq!((below.kind(), below.depth()), (CheckoutKind::Checkout, Depth::Complete));
    // The tests' folder may lie in a repository; the root folder does not.
    let outside = Repository::open("/".as_ref()).expect_err("there is none");
    assert!(matches!(&outside, GitError::NoRepository { .. }), "{outside}");
    assert!(outside.hint().is_some_and(|hint| hint.contains("--project")));
    let absent = Repository::open(&lab.path("absent")).expect_err("there is none");
    assert!(matches!(&absent, GitError::NoRepository { .. }), "{absent}");
    let inside = Repository::open(&given.root.join(".git")).expect_err("it is no checkout");
    assert!(matches!(&inside, GitError::NoRepository { .. }), "{inside}");
}

#[test]
fn a_bare_repository_has_ranges_too() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    lab.git(&lab.path(""), &["clone", "--quiet", "--bare", "r", "bare.git"]);
    let bare = Given { root: lab.path("bare.git") };
    assert_eq!(bare.open().kind(), CheckoutKind::Bare);
    assert_eq!(subjects(&bare, "HEAD^..", Follow::FirstParents), ["commit 1"]);
    let built = bare.build(&lab.cache(), &lab.recipe(), 1);
    assert_eq!(crate::given::output_of(&built[1]), "1");
}

#[test]
fn links_come_from_the_remote_that_is_origin_or_the_only_one() {
    let lab = Lab::new();
    let given = lab.repository("r");
    let url = || remote_compare_url(&given.open(), "a", "b");
    assert_eq!(url(), None);
    given.git(&["remote", "add", "fork", "git@github.com:me/r.git"]);
    assert_eq!(url().as_deref(), Some("https://github.com/me/r/compare/a...b"));
    given.git(&["remote", "add", "other", "git@github.com:you/r.git"]);
    assert_eq!(url(), None, "neither of the two");
    given.git(&["remote", "add", "origin", "https://gitlab.com/we/r"]);
    assert_eq!(url().as_deref(), Some("https://gitlab.com/we/r/-/compare/a...b"));
}
