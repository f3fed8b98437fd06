//! Builds and the cache, without trouble.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use prepare::{BuildEvent, BuiltCommit, Cache, Digest, Shape, Trees, When};

use crate::given::{Lab, artifact, get, jobs, output_of};

#[test]
fn a_second_run_builds_nothing_and_a_new_commit_is_built_alone() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(4);
    let first = given.build(&lab.cache(), &lab.recipe(), 2);
    assert_eq!(lab.builds(), 4);
    assert!(first.iter().all(|built| artifact(built).when == When::Now));
    assert_eq!(given.worktrees(), 1);
    let second = given.build(&lab.cache(), &lab.recipe(), 2);
    assert_eq!(lab.builds(), 4);
    for (place, (first, second)) in first.iter().zip(&second).enumerate() {
        assert_eq!(output_of(second), place.to_string());
        assert_eq!(artifact(second).when, When::Before);
        assert_eq!(artifact(second).digest, artifact(first).digest);
        assert_eq!(artifact(second).path, artifact(first).path);
    }
    given.commit(&[("source", "#!/bin/sh\necho new\n")], "new");
    let third = given.build(&lab.cache(), &lab.recipe(), 2);
    assert_eq!(lab.builds(), 5);
    assert_eq!(output_of(&third[4]), "new");
}

#[test]
fn what_happens_is_told_commit_by_commit() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    given.commit(&[], "empty");
    given.commit(&[("source", "#!/bin/sh\necho new\n")], "new");
    let mut builder = given.builder(&lab.cache(), &lab.recipe());
    let history = given.history();
    get(&mut builder, &history[3]);
    let mut told = Vec::new();
    builder.build_range(&history, jobs(1), &mut |event| told.push(event)).expect("they build");
    let kinds: Vec<String> = told
        .iter()
        .filter(|event| **event != BuildEvent::Waiting)
        .map(|event| match event {
            BuildEvent::Waiting => unreachable!("they were left out"),
            BuildEvent::Linked { commit, .. } => format!("linked {commit}"),
            BuildEvent::Note { text } => format!("note {text}"),
            BuildEvent::Found { commit } => format!("found {commit}"),
            BuildEvent::Started { commit } => format!("started {commit}"),
            BuildEvent::Finished { commit, build_seconds } => {
                assert!(*build_seconds > 0.0);
                format!("finished {commit}")
            }
            BuildEvent::Failed { commit, .. } => format!("failed {commit}"),
        })
        .collect();
    let expected = ["found 2", "found 3", "started 0", "finished 0", "started 1", "finished 1"];
    assert_eq!(kinds, expected);
}

fn digest(built: &BuiltCommit) -> &Digest {
    &built.outcome.as_ref().expect("it builds").digest
}

#[test]
fn commits_with_the_same_tree_are_built_once() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    given.commit(&[], "empty");
    given.git(&["revert", "--no-edit", "HEAD~1"]);
    let built = given.build(&lab.cache(), &lab.recipe(), 3);
    assert_eq!(lab.builds(), 2);
    assert_eq!(built[1].key, built[2].key);
    assert_eq!(built[0].key, built[3].key, "the revert has the first tree");
    let digests: Vec<&Digest> = built.iter().map(digest).collect();
    assert_ne!(digests[0], digests[1]);
    assert_eq!(digests[2..], [digests[1], digests[0]]);
}

#[test]
fn equal_artefacts_of_different_trees_are_recognised() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    given.commit(&[("README", "words")], "words");
    let built = given.build(&lab.cache(), &lab.recipe(), 1);
    assert_eq!(lab.builds(), 2);
    assert_ne!(built[0].key, built[1].key);
    assert_eq!(digest(&built[0]), digest(&built[1]));
}

#[test]
fn history_rewritten_between_two_runs_costs_only_what_it_changed() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(4);
    given.build(&lab.cache(), &lab.recipe(), 1);
    given.git(&["branch", "--move", "main", "renamed"]);
    // The last two commits again, with another message and one changed content.
    given.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    given.commit(&[("source", "#!/bin/sh\necho 2\n")], "reworded");
    given.commit(&[("source", "#!/bin/sh\necho other\n")], "redone");
    let built = given.build(&lab.cache(), &lab.recipe(), 1);
    let outputs: Vec<String> = built.iter().map(output_of).collect();
    assert_eq!(outputs, ["0", "1", "2", "other"]);
    assert_eq!(lab.builds(), 5);
}

#[test]
fn builders_walk_so_that_builds_are_incremental_unless_clean_ones_are_asked_for() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(6);
    let mut recipe = lab.recipe();
    // The artefact contains the number of builds that left something in this worktree.
    recipe.build = Some(
        "echo x >> left; mkdir -p out; wc -l < left > out/prog; echo built >> \"$TRACE\""
            .to_owned(),
    );
    let left = |built: &[prepare::BuiltCommit]| -> Vec<String> {
        let read = |path| fs::read_to_string(path).expect("an artefact");
        built.iter().map(|one| read(&artifact(one).path).trim().to_owned()).collect()
    };
    let built = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(left(&built), ["1", "2", "3", "4", "5", "6"]);
    let trees: Vec<Trees> = built.iter().map(|one| artifact(one).trees).collect();
    assert_eq!(trees[0], Trees::Clean, "the first of a stretch finds nothing");
    assert!(trees[1..].iter().all(|trees| *trees == Trees::Incremental));
    recipe.trees = Trees::Clean;
    let clean = given.build(&lab.cache(), &recipe, 2);
    assert_eq!(left(&clean), ["1"; 6]);
    assert_eq!(lab.builds(), 11, "the first one was clean already");
    recipe.trees = Trees::Incremental;
    let again = given.build(&lab.cache(), &recipe, 2);
    assert_eq!(left(&again), ["1"; 6], "a clean build is better than an incremental one");
    assert_eq!(lab.builds(), 11);
}

#[test]
fn an_artefact_may_be_a_file_a_folder_or_a_link() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let commit = &given.history()[0];
    let get = |build: &str, name: &str| {
        let mut recipe = lab.recipe();
        recipe.build = Some(build.to_owned());
        recipe.artifact = name.into();
        get(&mut given.builder(&lab.cache(), &recipe), commit)
    };
    let data = get("echo x > größe.txt", "größe.txt");
    assert_eq!(artifact(&data).shape, Shape::File);
    assert!(artifact(&data).path.ends_with("größe.txt"), "it keeps its name");
    let linked =
        get("mkdir -p real; cp source real/p; chmod 750 real/p; ln -s real/p prog", "prog");
    assert_eq!(artifact(&linked).shape, Shape::Executable);
    // It is a script, which is kept with its checkout.
    let facts = fs::metadata(&artifact(&linked).path).expect("it is there");
    assert!(facts.is_file(), "the link leads to it");
    assert_eq!(facts.permissions().mode() & 0o777, 0o750);
    let build = "mkdir -p dist/bin; cp source dist/bin/p; chmod +x dist/bin/p; \
                 ln -s bin/p dist/link; ln -s nowhere dist/dangling; chmod 555 dist/bin";
    let folder = get(build, "dist/");
    let path = &artifact(&folder).path;
    assert_eq!(artifact(&folder).shape, Shape::Folder);
    assert_eq!(
        fs::read_link(path.join("link")).expect("a link"),
        "bin/p".as_ref() as &std::path::Path
    );
    assert!(fs::symlink_metadata(path.join("dangling")).is_ok());
    let mode = fs::metadata(path.join("bin/p")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    assert_eq!(given.worktrees(), 1, "what was read-only is removed too");
}

#[test]
fn digests_tell_contents_names_and_executability_apart_but_not_times() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let commit = &given.history()[0];
    let digest = |build: &str| {
        let mut recipe = lab.recipe();
        recipe.build = Some(format!("mkdir d; cd d; {build}"));
        recipe.artifact = "d".into();
        let built = get(&mut given.builder(&lab.cache(), &recipe), commit);
        artifact(&built).digest.clone()
    };
    let plain = digest("echo x > a; echo y > b");
    assert_eq!(plain, digest("echo y > b; echo x > a; touch -d 2001-01-01 a; chmod 600 b"));
    let others = [
        digest("echo x > a; echo z > b"),
        digest("echo x > a; echo y > c"),
        digest("echo x > a; echo y > b; chmod +x b"),
        digest("echo x > a; echo y > b; mkdir c"),
        digest("echo x > a; ln -s a b"),
        digest("echo x > a; ln -s b b"),
        digest("mkdir a; echo x > a/a; echo y > b"),
    ];
    for (place, other) in others.iter().enumerate() {
        assert_ne!(*other, plain);
        assert_eq!(others.iter().position(|one| one == other), Some(place));
    }
}

#[test]
fn a_commit_may_need_no_build_and_a_build_may_run_in_a_folder_of_its_own() {
    let lab = Lab::new();
    let given = lab.repository("r");
    for number in 0..2 {
        let text = format!("#!/bin/sh\necho {number}\n");
        given.commit(&[("tools/run me", &text)], "script");
    }
    let mut recipe = lab.recipe();
    recipe.build = None;
    recipe.artifact = "tools/run me".into();
    let built = given.build(&lab.cache(), &recipe, 1);
    let text = fs::read_to_string(&artifact(&built[1]).path).expect("the script");
    assert!(text.ends_with("echo 1\n"));
    recipe.build = Some("cp 'run me' made; chmod +x made".to_owned());
    recipe.cwd = "tools".into();
    recipe.artifact = "made".into();
    let built = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(output_of(&built[1]), "1");
}

#[test]
fn builds_see_the_recipes_variables_and_no_outer_repository() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let mut recipe = lab.recipe();
    recipe.env.push(("SIZE".into(), "drei 3".into()));
    recipe.build = Some(
        "mkdir out; echo \"$SIZE,${GIT_DIR-none},$SOURCE_DATE_EPOCH,$(cat)\" > out/prog".to_owned(),
    );
    let built = given.build(&lab.cache(), &recipe, 1);
    let text = fs::read_to_string(&artifact(&built[0]).path).expect("an artefact");
    let fields: Vec<&str> = text.trim_end().split(',').collect();
    assert_eq!((fields[0], fields[1], fields[3]), ("drei 3", "none", ""));
    assert!(fields[2].parse::<u64>().is_ok());
}

#[test]
fn a_cache_behind_a_link_is_the_same_cache() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    fs::create_dir(lab.path("cache")).expect("ours");
    symlink(lab.path("cache"), lab.path("other name")).expect("ours");
    given.build(&lab.cache(), &lab.recipe(), 1);
    given.build(&Cache::at(lab.path("other name")), &lab.recipe(), 1);
    assert_eq!((lab.builds(), given.worktrees()), (2, 1));
}
