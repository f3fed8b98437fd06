//! One command with the programs of several commits, and with uncommitted changes.

use std::fs;

use crate::cost::COST;
use crate::document::list;
use crate::lab::{Ended, Lab};
use crate::repository::{LONG, Repository, SHORT, has_no_worktrees, program};

/// Runs in the repository; `build` makes the program `prog`.
fn compare(lab: &Lab, repository: &Repository<'_>, options: &[&str]) -> Ended {
    let build = repository.build();
    let own = ["compare", "--project", "repo", "--build", &build, "--artifact", "prog"];
    let usual = ["--counters", "none", "--metrics", "cost", "--runs", "12"];
    lab.brisk(&[&own[..], &usual, &COST, options].concat())
}

#[test]
fn the_first_commit_is_the_baseline_of_all_others() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, LONG, "-", SHORT]);
    repository.commit_costing("the last", LONG);
    let json = ["--export-json", "c.json"];
    let ended = compare(&lab, &repository, &[&["--at", "HEAD~4..HEAD"][..], &json].concat());
    ended.exited(1).says("commit 0").says("the last");
    let document = lab.json("c.json");
    let comparisons = list(&document, "comparisons");
    assert_eq!((comparisons.len(), &comparisons[0]["verdict"]), (1, &"regressed".into()));
    assert_eq!(document["variants"][0]["command"], "{artifact}");
    assert_eq!(
        document["variants"][0]["labels"]["commit"],
        repository.git(&["rev-parse", "HEAD~4"])
    );
    let builds = repository.builds();
    let three = ["--at", "HEAD~4,HEAD~3", "--at", "HEAD~1", "-n", "a", "-n", "b"];
    compare(&lab, &repository, &[&three[..], &json].concat()).exited(1).says("b");
    assert_eq!(lab.json("c.json")["variants"].as_array().map(Vec::len), Some(3));
    assert_eq!(repository.builds(), builds + 2, "what was built is not built again");
    let id = lab.brisk(&["list"]).stdout.lines().nth(1).map(|line| line.trim().to_owned());
    let id = id.and_then(|line| line.split_whitespace().next().map(str::to_owned)).expect("an id");
    lab.brisk(&["show", &id]).exited(0).says("B b");
}

#[test]
fn commits_are_run_with_one_command_and_its_words() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    let ended = compare(&lab, &repository, &["--at", "HEAD^..HEAD", "env {artifact}"]);
    ended.exited(1).says("regressed");
    for (options, error) in [
        (
            &["--at", "HEAD^..HEAD", "{artifact}", "x"][..],
            "`--at` takes one command, and there are 2",
        ),
        (&["--at", "HEAD^..HEAD", "-L", "x", "1,2", "{artifact} {x}"], "`--at` and parameters"),
        (&["--at", "HEAD^..nowhere"], "unknown revision `nowhere`"),
        (&["--at", "HEAD^..HEAD", "sleep 1"], "does not say where the artefact goes"),
    ] {
        let builds = repository.builds();
        compare(&lab, &repository, options).refused(error);
        assert_eq!(repository.builds(), builds, "{options:?}");
    }
    let nowhere = lab.brisk(&["compare", "--build", "make", "sleep 1"]);
    nowhere.refused("`--build` and `--artifact` apply to commits, and none is named");
    let same = repository.commit("nothing");
    let ended = compare(&lab, &repository, &["--at", "HEAD^..HEAD"]).exited(0);
    ended.says(&same[..7]).says("make the same program, byte for byte");
}

#[test]
fn what_lies_in_the_worktree_is_a_revision_and_nothing_of_the_users_is_touched() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT]);
    repository.write(".gitignore", "ignored\n");
    repository.commit("ignore");
    repository.write("source", &program(LONG, "uncommitted"));
    repository.write("untracked", "x");
    repository.write("ignored", "x");
    repository.git(&["add", "source"]);
    let look = || {
        let status = repository.git(&["--no-optional-locks", "status", "--porcelain"]);
        (status, repository.head(), repository.git(&["branch", "--all"]), repository.index())
    };
    let before = look();
    let json = ["--export-json", "c.json"];
    let ended = compare(&lab, &repository, &[&["--at", "HEAD"][..], &json].concat());
    ended.exited(1).says("WORKTREE, uncommitted");
    let builds = repository.builds();
    let hash = |document: &serde_json::Value| document["variants"][1]["labels"]["commit"].clone();
    let first = hash(&lab.json("c.json"));
    let tree = first.as_str().map(|hash| repository.git(&["ls-tree", "--name-only", hash]));
    assert_eq!(tree.as_deref(), Some(".gitignore\nsource\nuntracked"));
    compare(&lab, &repository, &[&["--at", "HEAD..WORKTREE"][..], &json].concat()).exited(1);
    assert_eq!((hash(&lab.json("c.json")), repository.builds()), (first.clone(), builds));
    assert_eq!(look(), before);
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
    repository.write("untracked", "y");
    compare(&lab, &repository, &[&["--at", "HEAD..WORKTREE"][..], &json].concat()).exited(1);
    assert_ne!((hash(&lab.json("c.json")), repository.builds()), (first, builds));
    fs::remove_file(repository.path().join("untracked")).expect("ours");
}

#[test]
fn files_that_brisk_wrote_into_the_checkout_are_no_changes_of_it() {
    let lab = Lab::new();
    let store = lab.path("repo/runs.db");
    let lab = lab.storing_at(store);
    let repository = Repository::costing(&lab, &[SHORT]);
    repository.write("source", &program(LONG, "uncommitted"));
    let files = |revision: &str| repository.git(&["ls-tree", "--name-only", revision]);
    let files_of_worktree = || {
        let exports = [
            "--export-json",
            "repo/told.json",
            "--export-csv",
            "repo/out put.csv",
            "--export-html",
            "repo/page.html",
        ];
        compare(&lab, &repository, &[&["--at", "HEAD..WORKTREE"][..], &exports].concat()).exited(1);
        let document = lab.json("repo/told.json");
        files(document["variants"][1]["labels"]["commit"].as_str().expect("a commit"))
    };
    for _ in 0..2 {
        assert_eq!(files_of_worktree(), files("HEAD"));
    }
    // An export that somebody edits is theirs.
    fs::write(repository.path().join("out put.csv"), "edited").expect("ours");
    let names = files_of_worktree();
    assert!(names.contains("out put.csv") && !names.contains("page.html"), "{names}");
}

#[test]
fn a_history_goes_on_to_what_is_not_committed_yet() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, SHORT]);
    repository.write("source", &program(LONG, "uncommitted"));
    let build = repository.build();
    let own = ["history", "HEAD^..WORKTREE", "--project", "repo", "--build", &build];
    let usual = [
        "--artifact",
        "prog",
        "--counters",
        "none",
        "--metrics",
        "cost",
        "--runs",
        "12",
        COST[0],
        COST[1],
    ];
    let ended = lab.brisk(&[&own[..], &usual].concat()).exited(1).says("regressed");
    ended.says("WORKTREE, uncommitted");
    let (builds, runs) = (repository.builds(), repository.runs());
    lab.brisk(&[&own[..], &usual].concat()).exited(1);
    assert_eq!((repository.builds(), repository.runs()), (builds, runs), "answered from the store");
    repository.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    let bare = ["history", "HEAD^..WORKTREE", "--project", "bare", "--build", &build];
    lab.brisk(&[&bare[..], &usual].concat()).refused("no `WORKTREE`").because("bare");
}

#[test]
fn a_git_that_is_killed_is_not_taken_for_a_folder_without_a_repository() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new();
    Repository::costing(&lab, &[SHORT, SHORT]);
    let bin = lab.path("bin");
    fs::create_dir_all(&bin).expect("ours");
    fs::write(bin.join("git"), "#!/bin/sh\nkill -9 $$\n").expect("ours");
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).expect("ours");
    let path = std::env::var("PATH").expect("there is one");
    let lab = lab.with("PATH", format!("{}:{path}", bin.display()));
    let arguments = ["history", "HEAD^..HEAD", "--project", "repo", "--artifact", "source"];
    lab.brisk(&arguments).refused("`git` was ended by signal 9").hinting("memory");
}
