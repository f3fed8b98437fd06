//! `brisk history --bisect`: finding the commit with few builds.

use serde_json::Value;

use crate::cost::COST;
use crate::document::list;
use crate::lab::{Lab, eventually};
use crate::repository::{LONG, Repository, SHORT, has_no_worktrees, steps};

const BISECT: [&str; 4] = ["--bisect", "cost", COST[0], COST[1]];

/// A repository with this number of commits; from `culprit` on, the program takes longer.
fn changed_at(lab: &Lab, commits: usize, culprit: usize) -> Repository<'_> {
    let seconds: Vec<&str> =
        (0..commits).map(|number| if number < culprit { SHORT } else { LONG }).collect();
    Repository::costing(lab, &seconds)
}

fn bisected(repository: &Repository<'_>, options: &[&str]) -> Value {
    let usual = ["--quiet", "--export-json", "b.json"];
    repository.bisecting(&[&BISECT[..], options, &usual].concat()).exited(1);
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
    // Both ends, and at most three commits in each of three stages.
    let built = list(&document, "commits").iter().filter(|commit| commit["build"] == "ok").count();
    assert!((4..=12).contains(&built), "{built}");
    // The results of probes are not findings.
    assert_eq!(list(&document, "comparisons").len(), 1);
    assert_eq!(list(&document, "answers").len(), 1);
    let (builds, runs) = (repository.builds(), repository.runs());
    assert_eq!(bisected(&repository, &["-j", "2"])["steps"], document["steps"]);
    assert_eq!((repository.builds(), repository.runs()), (builds, runs), "all of it was known");
}

#[test]
fn a_history_after_a_search_uses_its_rounds() {
    // This few rounds allow no verdict by themselves.
    let short = ["--quiet", "-j", "1", "--min-runs", "3", "--budget", "1ms"];
    let alone = Lab::new();
    let ended = changed_at(&alone, 4, 2).history(&short).exited(0);
    assert!(!ended.stdout.contains("regressed"), "{ended}");
    let searched = Lab::new();
    let repository = changed_at(&searched, 4, 2);
    bisected(&repository, &["-j", "1"]);
    repository.history(&short).exited(1).says("regressed: cost").says("(commit 2)");
}

#[test]
fn each_probe_is_told_as_the_search_goes() {
    let lab = Lab::new();
    let repository = changed_at(&lab, 9, 1);
    let ended = repository.bisecting(&[&BISECT[..], &["-j", "1"]].concat()).exited(1);
    let lines: Vec<&str> = ended.stderr.lines().collect();
    let probes = lines.iter().filter(|line| line.starts_with("bisecting: ")).count();
    assert!(probes >= 2 && lines[0].contains(" times the cost of "), "{ended}");
    assert!(lines.last().is_some_and(|line| line.starts_with("confirming: ")), "{ended}");
}

#[test]
fn a_search_that_stayed_open_goes_on_with_all_of_its_rounds() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for number in 0..5 {
        // Up to nine tenths more, by chance: this few rounds allow no verdict.
        let cost = "echo x >> ran\necho cost 0.01$(($$ * 389 % 10))";
        repository.write("source", &format!("#!/bin/sh\n# commit {number}\n{cost}\n"));
        repository.commit(&format!("commit {number}"));
    }
    let of = |runs: &str| {
        let options = ["--quiet", "--confidence", "99.9", "--seed", "1", "--runs", runs];
        repository.bisecting(&[&BISECT[..], &options].concat()).failed("does not certainly change");
        repository.runs()
    };
    assert_eq!([of("8"), of("8"), of("12")], [16, 16, 24], "rounds of both ends, none twice");
}

#[test]
fn a_budget_that_is_spent_says_what_is_known_and_a_longer_one_goes_on() {
    let lab = Lab::new();
    let repository = changed_at(&lab, 12, 7);
    let short = ["--quiet", "-j", "1", "--budget", "1ms"];
    let open = repository.bisecting(&[&BISECT[..], &short].concat()).exited(2);
    assert!(open.stderr.contains("run the same command again to continue"), "{open}");
    assert!(open.stdout.contains("commit 0") && !open.stdout.contains("regressed"), "{open}");
    let demanding = [&BISECT[..], &short, &["--require-verdict"]].concat();
    repository.bisecting(&demanding).exited(3);
    let document = bisected(&repository, &["-j", "1"]);
    assert_eq!(steps(&document), [("commit 7".to_owned(), "regressed".to_owned())]);
    let experiments = list(&document["history"], "experiments");
    assert_eq!(experiments[0], 1, "the first rounds count: {experiments:?}");
}

/// Each run prints a random cost, and counts to a number that depends on the commit: costs show
/// nothing, but instruction counts do.
#[test]
fn what_only_counts_show_is_never_called_a_change_in_cost() {
    if !crate::lab::has("valgrind") {
        return crate::lab::not_checked("valgrind is not installed");
    }
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for number in 0..5 {
        let turns = if number < 3 { 200 } else { 260 };
        let loops = format!("i=0; while [ $i -lt {turns} ]; do i=$((i+1)); done");
        let script = format!(
            "#!/bin/sh\n# commit {number}\n{loops}\necho cost 0.0$((10 + $$ * 389 % 80))\nexit\n"
        );
        repository.write("source", &script);
        repository.commit(&format!("commit {number}"));
    }
    let (range, build) = (repository.whole(), repository.build());
    let arguments = ["history", &range, "--project", "repo", "--build", &build];
    let own = ["--artifact", "prog", "--bisect", "cost", "--budget", "15s"];
    // At the usual confidence, one in twenty such experiments would show a spurious change in cost.
    let own = [&own[..], &COST, &["--confidence", "99.9"]].concat();
    let ended = lab.brisk(&[&arguments[..], &own].concat()).exited(2);
    assert!(ended.stderr.contains("counting instructions: "), "{ended}");
    assert!(ended.stderr.contains("that cost changes with it is not confirmed"), "{ended}");
    assert!(!ended.stdout.contains("regressed"), "{ended}");
}

#[test]
fn commits_that_do_not_build_are_stepped_around() {
    let lab = Lab::new();
    let all = [SHORT, SHORT, "-", "-", LONG, "-", LONG, LONG];
    let repository = Repository::costing(&lab, &all);
    let ended = repository.bisecting(&[&BISECT[..], &["--export-json", "b.json"]].concat());
    let ended = ended.exited(1);
    assert!(ended.stderr.contains("or in one of the commits before it, after "), "{ended}");
    let document = repository.json("b.json");
    assert_eq!(steps(&document), [("commit 4".to_owned(), "regressed".to_owned())]);
    let step = &list(&document, "steps")[0];
    let from = list(&document, "commits").iter().find(|commit| commit["hash"] == step["from"]);
    assert_eq!(from.expect("it is there")["subject"], "commit 1");
}

#[test]
fn without_a_change_there_is_nothing_to_find() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT; 5]);
    let options = ["--quiet", "--runs", "16", "--confidence", "99.9", "--seed", "1"];
    repository
        .bisecting(&[&BISECT[..], &options].concat())
        .failed("cost does not certainly change between");
    assert_eq!(repository.builds(), 2, "the ends");
}

#[test]
fn ends_of_the_same_bytes_and_ends_that_do_not_build_are_told() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT]);
    repository.write("NOTES", "nothing the build looks at\n");
    repository.commit("notes");
    repository.bisecting(&BISECT).refused("are the same bytes");
    repository.commit_costing("broken", "-");
    repository.bisecting(&BISECT).refused("an end of the range, does not build");
}

/// A search in which each build records in `on_top` that it found another build's files, and takes
/// longer if it did not.
fn search(repository: &Repository<'_>, lab: &Lab, options: &[&str]) -> Vec<String> {
    let on_top = lab.path("on_top");
    let build = format!(
        "if test -e left; then echo x >> '{}'; else sleep 0.5; touch left; fi; {}",
        on_top.display(),
        repository.build()
    );
    let (range, own) = (repository.whole(), ["--artifact", "prog", "--bisect", "cost"]);
    let arguments = ["history", &range, "--project", "repo", "--build", &build];
    let usual = ["--counters", "none"];
    let all = arguments.iter().chain(&own).chain(&usual).chain(&COST).chain(options);
    all.map(|&word| word.to_owned()).collect()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn the_commit_is_found_with_few_builds_most_of_them_on_top_of_the_last() {
    let lab = Lab::new();
    let sleeps = [SHORT, SHORT, SHORT, LONG, LONG, LONG, LONG, LONG, LONG];
    let repository = Repository::costing(&lab, &sleeps);
    let arguments = search(&repository, &lab, &["-j", "1"]);
    lab.brisk(&words(&arguments)).exited(1).says("commit 3").says("regressed");
    // The first commit is built from scratch; the last and the probes are built on top of it. The
    // sides of the step that were built this way are finally built from scratch.
    let on_top = lab.lines("on_top").len();
    assert!((3..=6).contains(&on_top), "{on_top} builds that found what another left");
    assert!(repository.builds() <= on_top + 3, "{} builds", repository.builds());
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
}

#[test]
fn ctrl_c_while_measuring_leaves_no_worktree() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, SHORT, LONG]);
    let arguments = search(&repository, &lab, &["--runs", "5000"]);
    let running = lab.start(&words(&arguments));
    eventually("measuring", || repository.runs() > 2);
    assert!(!has_no_worktrees(&repository, &lab.path(".cache/brisk")), "kept for the next build");
    running.signal("INT");
    running.wait();
    lab.nothing_is_left();
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
}
