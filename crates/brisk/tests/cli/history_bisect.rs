//! `brisk history --bisect`: which commit was it, with few builds?

use serde_json::Value;

use crate::document::list;
use crate::lab::{Lab, eventually};
use crate::repository::{LONG, Repository, SHORT, has_no_worktrees, steps};

const BISECT: [&str; 2] = ["--bisect", "wall_time"];

/// A repository of so many commits, from one of which on the program takes longer.
fn changed_at(lab: &Lab, commits: usize, culprit: usize) -> Repository<'_> {
    let seconds: Vec<&str> =
        (0..commits).map(|number| if number < culprit { SHORT } else { LONG }).collect();
    Repository::sleeping(lab, &seconds)
}

fn bisected(repository: &Repository<'_>, options: &[&str]) -> Value {
    repository.bisecting(&[&BISECT[..], options, &["--export-json", "b.json"]].concat()).exited(1);
    repository.json("b.json")
}

#[test]
fn the_commit_is_found_with_few_builds_and_confirmed() {
    let lab = Lab::new();
    let repository = changed_at(&lab, 20, 13);
    let document = bisected(&repository, &["-j", "2"]);
    assert_eq!(steps(&document), [("commit 13".to_owned(), "regressed".to_owned())]);
    let step = &list(&document, "steps")[0];
    assert_eq!(step["confirmed"], "clean-builds");
    // Both ends, and two commits for each of the three digits to the base of three.
    let built = list(&document, "commits").iter().filter(|commit| commit["build"] == "ok").count();
    assert!((4..=8).contains(&built), "{built}");
    // What the probes said is no finding.
    assert_eq!(list(&document, "comparisons").len(), 1);
    assert_eq!(list(&document, "answers").len(), 1);
    let (builds, runs) = (repository.builds(), repository.runs());
    assert_eq!(bisected(&repository, &["-j", "2"])["steps"], document["steps"]);
    assert_eq!((repository.builds(), repository.runs()), (builds, runs), "all of it was known");
}

#[test]
fn one_build_at_a_time_halves_the_range() {
    let lab = Lab::new();
    let repository = changed_at(&lab, 9, 1);
    let document = bisected(&repository, &["-j", "1"]);
    assert_eq!(steps(&document), [("commit 1".to_owned(), "regressed".to_owned())]);
    let built = list(&document, "commits").iter().filter(|commit| commit["build"] == "ok").count();
    assert_eq!(built, 2 + 3);
}

#[test]
fn commits_that_do_not_build_are_stepped_around() {
    let lab = Lab::new();
    let all = [SHORT, SHORT, "-", "-", LONG, "-", LONG, LONG];
    let repository = Repository::sleeping(&lab, &all);
    let document = bisected(&repository, &[]);
    assert_eq!(steps(&document), [("commit 4".to_owned(), "regressed".to_owned())]);
    let step = &list(&document, "steps")[0];
    let from = list(&document, "commits").iter().find(|commit| commit["hash"] == step["from"]);
    assert_eq!(from.expect("it is there")["subject"], "commit 1");
}

#[test]
fn without_a_change_there_is_nothing_to_find() {
    let lab = Lab::new();
    let repository = Repository::sleeping(&lab, &[SHORT; 5]);
    let options = [&BISECT[..], &["--runs", "16", "--confidence", "99.9"]].concat();
    repository.bisecting(&options).refused("wall time does not certainly change between");
    assert_eq!(repository.builds(), 2, "the ends");
}

#[test]
fn ends_of_the_same_bytes_and_ends_that_do_not_build_are_told() {
    let lab = Lab::new();
    let repository = Repository::sleeping(&lab, &[SHORT]);
    repository.write("NOTES", "nothing the build looks at\n");
    repository.commit("notes");
    repository.bisecting(&BISECT).refused("are the same bytes");
    repository.commit_sleep("broken", "-");
    repository.bisecting(&BISECT).refused("an end of the range, does not build");
}

/// A search in which each build notes in `on_top` when it found what another left, and takes
/// longer when it did not.
fn search(repository: &Repository<'_>, lab: &Lab, options: &[&str]) -> Vec<String> {
    let on_top = lab.path("on_top");
    let build = format!(
        "if test -e left; then echo x >> '{}'; else sleep 0.5; touch left; fi; {}",
        on_top.display(),
        repository.build()
    );
    let (range, own) = (repository.whole(), ["--artifact", "prog", "--bisect", "wall_time"]);
    let arguments = ["history", &range, "--project", "repo", "--build", &build];
    let usual = ["--counters", "none"];
    let all = arguments.iter().chain(&own).chain(&usual).chain(options);
    all.map(|&word| word.to_owned()).collect()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn the_commit_is_found_with_few_builds_most_of_them_on_top_of_the_last() {
    let lab = Lab::new();
    let sleeps = [SHORT, SHORT, SHORT, LONG, LONG, LONG, LONG, LONG, LONG];
    let repository = Repository::sleeping(&lab, &sleeps);
    let arguments = search(&repository, &lab, &["-j", "1"]);
    lab.brisk(&words(&arguments)).exited(1).says("commit 3").says("regressed");
    // The beginning is built from scratch, the end and three probes on top of it, and the sides of
    // the step which were built so are built from scratch in the end.
    let on_top = lab.lines("on_top").len();
    assert_eq!(on_top, 4, "builds that found what another left");
    assert!(repository.builds() <= 7, "{} builds", repository.builds());
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
}

#[test]
fn ctrl_c_while_measuring_leaves_no_worktree() {
    let lab = Lab::new();
    let repository = Repository::sleeping(&lab, &[SHORT, SHORT, LONG]);
    let arguments = search(&repository, &lab, &["--runs", "5000"]);
    let running = lab.start(&words(&arguments));
    eventually("measuring", || repository.runs() > 2);
    assert!(!has_no_worktrees(&repository, &lab.path(".cache/brisk")), "kept for the next build");
    running.signal("INT");
    running.wait();
    lab.nothing_is_left();
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
}
