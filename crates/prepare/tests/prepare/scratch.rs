//! Builds from scratch, and worktrees that are reused from build to build.

use std::fs;
use std::path::Path;
use std::time::Duration;

use prepare::{BuildEvent, Confirmation, Trees, WORKTREE, commit};

use crate::given::{Lab, artifact, confirm, get, jobs, output_of};

#[test]
fn a_clean_build_confirms_an_incremental_one_or_contradicts_it() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(3);
    let history = given.history();
    let mut builder = given.builder(&lab.cache(), &lab.recipe());
    for commit in &history {
        get(&mut builder, commit);
    }
    let confirmed = confirm(&mut builder, &history[1]);
    assert_eq!(confirmed.agrees(), Some(true));
    assert_eq!(artifact(&confirmed.clean).trees, Trees::Clean);
    assert_eq!(lab.builds(), 4);
    assert_eq!(confirm(&mut builder, &history[1]).agrees(), Some(true));
    assert_eq!(lab.builds(), 4, "a confirmation is kept too");
    let first = confirm(&mut builder, &history[0]);
    assert_eq!(first.agrees(), None, "it was clean from the beginning");
    drop(builder);
    let mut recipe = lab.recipe();
    recipe.build = Some("echo x >> left; mkdir -p out; cp left out/prog".to_owned());
    let mut builder = given.builder(&lab.cache(), &recipe);
    for commit in &history {
        get(&mut builder, commit);
    }
    assert_eq!(confirm(&mut builder, &history[2]).agrees(), Some(false));
    drop(builder);
    assert_eq!(given.worktrees(), 1);
}

#[test]
fn programs_that_contain_their_path_are_confirmed_in_the_same_place() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(9);
    let mut recipe = lab.recipe();
    recipe.build = Some("mkdir -p out; pwd > out/prog; cat source >> out/prog".to_owned());
    let history = given.history();
    let mut walkers = [0, 1, 2].map(|_| given.builder(&lab.cache(), &recipe));
    for (place, commit) in history.iter().enumerate() {
        get(&mut walkers[place % 3], commit);
    }
    drop(walkers);
    let mut builder = given.builder(&lab.cache(), &recipe);
    let mut told = Vec::new();
    let all = builder.confirm_all(&history, jobs(1), &mut |event| told.push(event));
    let all = all.expect("they build");
    assert!(all.iter().all(|one| artifact(&one.clean).trees == Trees::Clean));
    let answers: Vec<Option<bool>> = all.iter().map(Confirmation::agrees).collect();
    assert_eq!(answers[..3], [None; 3], "they were clean from the beginning");
    assert_eq!(answers[3..], [Some(true); 6]);
    let count = |is: fn(&BuildEvent) -> bool| told.iter().filter(|event| is(event)).count();
    assert_eq!(count(|event| matches!(event, BuildEvent::Found { .. })), 3);
    assert_eq!(count(|event| matches!(event, BuildEvent::Finished { .. })), 6);
    drop(builder);
    assert_eq!(given.worktrees(), 1);
}

#[test]
fn several_are_confirmed_at_once() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(4);
    let mut recipe = lab.recipe();
    // Waits until two builds have arrived.
    let meet = "if test -e \"$TRACE.meet\"; then echo > \"$TRACE.meet/$(tail -n 1 source)\"; \
                while test \"$(ls \"$TRACE.meet\" | wc -l)\" -lt 2; do sleep 0.02; done; fi";
    recipe.build = recipe.build.map(|build| format!("{meet}; {build}"));
    recipe.timeout = Some(Duration::from_secs(60));
    let history = given.history();
    let mut builder = given.builder(&lab.cache(), &recipe);
    for commit in &history {
        get(&mut builder, commit);
    }
    fs::create_dir(lab.path("built.meet")).expect("ours");
    let all = builder.confirm_all(&history[1..], jobs(2), &mut |_| {}).expect("they build");
    assert!(all.iter().all(|one| one.agrees() == Some(true)));
    assert_eq!(given.worktrees(), 3);
}

#[test]
fn a_builder_keeps_its_worktrees_until_they_are_put_away() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(6);
    let history = given.history();
    let mut builder = given.builder(&lab.cache(), &lab.recipe());
    let ends = [history[0].clone(), history[5].clone()];
    let built = builder.build_range(&ends, jobs(2), &mut |_| {}).expect("they build");
    assert!(built.iter().all(|one| artifact(one).trees == Trees::Clean));
    assert_eq!(given.worktrees(), 3);
    let probe = get(&mut builder, &history[2]);
    assert_eq!(artifact(&probe).trees, Trees::Incremental);
    let both = [history[1].clone(), history[3].clone()];
    let built = builder.build_range(&both, jobs(2), &mut |_| {}).expect("they build");
    assert!(built.iter().all(|one| artifact(one).trees == Trees::Incremental));
    assert_eq!(given.worktrees(), 3);
    assert_eq!(confirm(&mut builder, &history[2]).agrees(), Some(true));
    builder.put_away();
    assert_eq!(given.worktrees(), 1);
    let last = get(&mut builder, &history[4]);
    assert_eq!(artifact(&last).trees, Trees::Clean);
}

#[test]
fn a_clean_build_finds_nothing_whatever_the_last_one_did() {
    let looks = "test -z \"$(git status --porcelain --ignored)\" && \
                 test \"$(cat plain)\" = plain && test -n \"$(find plain -perm -400)\" && \
                 test -n \"$(find . -maxdepth 0 -perm -200)\" && \
                 test -z \"$(git ls-files -v | grep -v '^H ')\" && \
                 test \"$(ls -A ..)\" = \"$(basename \"$PWD\")\" && \
                 test \"$(git rev-parse --abbrev-ref HEAD)\" = HEAD || exit 3";
    let spoils = [
        "touch -r plain ../time; echo other > plain; touch -r ../time plain; \
         git update-index --assume-unchanged plain",
        "rm plain; git update-index --skip-worktree plain",
        "git symbolic-ref HEAD refs/heads/main; git rm --quiet --cached plain",
        "rm -r .git plain",
        "echo 'gitdir: /nowhere' > .git; echo other > plain",
        "rm \"$(git rev-parse --git-dir)/commondir\"",
        "git worktree lock .; chmod 0 plain",
        "git init --quiet in/nested; echo x > kept.o; mkdir no; echo x > no/x; chmod 555 no .",
    ];
    for spoil in spoils {
        let lab = Lab::new();
        let given = lab.repository("r");
        given.commit(&[("plain", "plain\n"), (".gitignore", "*.o\n")], "plain");
        given.programs(3);
        let main = given.git(&["rev-parse", "main"]);
        let mut recipe = lab.recipe();
        let build = recipe.build.take().unwrap_or_default();
        recipe.build = Some(format!("test ! -e source || {{ {looks}; {build}; {spoil}; }}"));
        recipe.trees = Trees::Clean;
        let range = &given.history()[1..];
        let mut builder = given.builder(&lab.cache(), &recipe);
        let built = builder.build_range(range, jobs(1), &mut |_| {}).expect("nothing stops it");
        let outputs: Vec<String> = built.iter().map(output_of).collect();
        assert_eq!(outputs, ["0", "1", "2"], "{spoil}");
        assert_eq!(lab.builds(), 3, "{spoil}");
        drop(builder);
        assert_eq!(given.worktrees(), 1, "{spoil}");
        assert_eq!(given.git(&["rev-parse", "main"]), main, "{spoil}");
    }
}

#[test]
fn a_thrifty_builder_goes_on_from_scratch_where_incremental_builds_save_little() {
    let slow = "sleep 0.8";
    for (build, saves_little) in
        [(format!("test ! -e left || {slow}"), true), (format!("test -e left || {slow}"), false)]
    {
        let lab = Lab::new();
        let given = lab.repository("r");
        given.programs(6);
        let mut recipe = lab.recipe();
        recipe.build = recipe.build.map(|usual| format!("{{ {build}; }} && touch left && {usual}"));
        let mut builder = given.builder(&lab.cache(), &recipe).thrifty();
        let built = builder.build_range(&given.history(), jobs(1), &mut |_| {});
        let built = built.expect("they build");
        let clean = built.iter().map(|one| artifact(one).trees == Trees::Clean);
        // The first build of a walk is from scratch in any case, and the next two decide.
        let expected = [true, false, false, saves_little, saves_little, saves_little];
        assert_eq!(clean.collect::<Vec<_>>(), expected);
        let outputs: Vec<String> = built.iter().map(output_of).collect();
        assert_eq!(outputs, ["0", "1", "2", "3", "4", "5"]);
    }
}

/// True if a process may have private mounts, as root or in a user namespace.
fn may_mount() -> bool {
    let mounts = "mkdir -p \"$1/a\" \"$1/b\" && mount --bind \"$1/a\" \"$1/b\"";
    let folder = tempfile::tempdir().expect("a folder for tests");
    [&["--mount"][..], &["--user", "--map-root-user", "--mount"]].iter().any(|options| {
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let mut command = std::process::Command::new("unshare");
        command.args(*options).args(["--", "sh", "-c", mounts, "sh"]).arg(folder.path());
        command.output().is_ok_and(|output| output.status.success())
    })
}

#[test]
fn builders_at_once_make_the_same_program_of_the_same_sources() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.commit(&[("source", "x"), ("README", "0")], "program");
    for number in 1..6 {
        given.commit(&[("README", &number.to_string())], "words");
    }
    let mut recipe = lab.recipe();
    // An ELF file of unknown kind that contains its own path.
    recipe.build =
        Some("sleep 0.2; mkdir -p out; printf '\\177ELF ' > out/prog; pwd >> out/prog".to_owned());
    let built = given.build(&lab.cache(), &recipe, 2);
    let mut digests: Vec<&str> = built.iter().map(|one| artifact(one).digest.as_str()).collect();
    digests.sort_unstable();
    digests.dedup();
    assert!(digests.len() == 1 || !may_mount(), "{} programs", digests.len());
}

#[test]
fn a_change_within_the_second_of_the_commit_is_in_the_uncommitted_state() {
    let lab = Lab::new();
    let given = lab.repository("r");
    let (source, index) = (given.root.join("source"), given.root.join(".git/index"));
    let now = fs::metadata(&given.root).and_then(|root| root.modified()).expect("it has a time");
    let then = now - Duration::from_secs(10);
    let date = |path: &Path| {
        let file = fs::File::options().write(true).open(path).expect("it is there");
        file.set_modified(then).expect("the time can be set");
    };
    given.git(&["config", "core.trustctime", "false"]);
    given.write("source", "0\n");
    date(&source);
    given.git(&["add", "source"]);
    given.git(&["commit", "--quiet", "-m", "a file"]);
    // As if the commit and the change had been made in the same second.
    date(&index);
    given.write("source", "1\n");
    date(&source);
    let uncommitted = commit(&given.open(), WORKTREE).expect("git works").expect("it is one");
    assert_eq!(given.git(&["show", &format!("{}:source", uncommitted.hash)]), "1");
}

#[test]
fn what_the_last_build_of_an_uncommitted_state_left_is_there_for_the_next() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.commit(&[("still", "the same\n")], "still");
    given.programs(1);
    let mut recipe = lab.recipe();
    let looks = "if test -e stamp; then echo kept >> \"$TRACE\"; fi; \
                 if test still -nt stamp && test -e stamp; then echo rewritten >> \"$TRACE\"; fi; \
                 touch stamp";
    recipe.build = recipe.build.map(|usual| format!("{looks}; {usual}"));
    for number in ["7", "8", "9"] {
        given.write("source", &format!("#!/bin/sh\necho {number}\n"));
        let uncommitted = commit(&given.open(), WORKTREE).expect("git works").expect("it is one");
        let mut builder = given.builder(&lab.cache(), &recipe);
        let built = get(&mut builder, &uncommitted);
        drop(builder);
        assert_eq!(output_of(&built), number);
        assert_eq!(given.worktrees(), 1);
    }
    let trace = fs::read_to_string(lab.path("built")).expect("builds were noted");
    assert_eq!(trace.lines().collect::<Vec<_>>(), ["built", "kept", "built", "kept", "built"]);
}
