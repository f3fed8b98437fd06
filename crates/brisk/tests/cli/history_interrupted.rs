//! A history that was stopped or killed resumes.

use std::collections::BTreeSet;

use crate::document::{list, measured};
use crate::lab::{Lab, eventually};
use crate::repository::{Repository, SHORT, has_no_worktrees, program};

/// More rounds than run before the history is stopped.
const ROUNDS: usize = 20;

/// A script line that waits once a file has this number of lines, until the file `go` exists.
fn gate(lab: &Lab, lines: usize, file: &str) -> String {
    let (file, go) = (lab.path(file), lab.path("go"));
    let (file, go) = (file.display(), go.display());
    format!("[ $(cat '{file}' | wc -l) -le {lines} ] || while [ ! -e '{go}' ]; do sleep 0.01; done")
}

/// Stops a history while it measures, and resumes it.
fn stopped_while_measuring(signal: &str) {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for number in ["1", "2"] {
        repository.write("source", &(program(SHORT, number) + &gate(&lab, 20, "ran")));
        repository.commit(number);
    }
    let rounds = ROUNDS.to_string();
    let running = repository.start(&["--runs", &rounds]);
    // The last run does not end.
    eventually("measuring", || repository.runs() == 21);
    running.signal(signal);
    let ended = running.wait();
    match signal {
        "KILL" => assert_eq!(ended.code, None),
        _ => drop(
            ended.failed("interrupted after ").hinting("run the same command again to continue"),
        ),
    }
    lab.nothing_is_left();
    let (done, builds) = (repository.runs(), repository.builds());
    assert_eq!(done, 21);
    lab.write("go", "");
    let before = lab.exported("1");
    let document = repository.document(&["--runs", &rounds]);
    // One run was in flight, and one round may have been cut short.
    let again = repository.runs() - 2 * ROUNDS;
    assert!(again <= 2, "{again} runs were repeated");
    assert!(repository.builds() <= builds + 2, "no more than confirming them takes");
    assert_eq!(document["history"]["experiments"], serde_json::json!([1]));
    // The stored runs are still there, unchanged, and every run of every round exists once.
    let (old, new) = (measured(&before), measured(&document));
    assert!(old.len() + 2 >= done, "{} stored of {done}", old.len());
    assert_eq!(old, new[..old.len()]);
    // A cut-off round stays as it is, and another round replaces it.
    let places: BTreeSet<(u64, u64)> = new
        .iter()
        .filter_map(|run| Some((run["round"].as_u64()?, run["variant"].as_u64()?)))
        .collect();
    assert_eq!(places.len(), new.len(), "a run of a round was repeated");
    let is_whole = |round: &u64| places.contains(&(*round, 0)) && places.contains(&(*round, 1));
    let rounds: BTreeSet<u64> = places.iter().map(|(round, _)| *round).collect();
    let whole = rounds.iter().filter(|round| is_whole(round)).count();
    assert_eq!(whole, ROUNDS);
    assert!(rounds.len() - whole <= 1, "{rounds:?}");
    assert_eq!(document["experiment"]["rounds"], rounds.len());
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
}

#[test]
fn ctrl_c_while_measuring_keeps_the_runs() {
    stopped_while_measuring("INT");
}

#[test]
fn kill_9_while_measuring_keeps_the_runs() {
    stopped_while_measuring("KILL");
}

/// Stops a history while it builds, and resumes it.
fn stopped_while_building(signal: &str) {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &["0.001", "0.001", "0.001", "0.001"]);
    let (range, builds) = (repository.whole(), lab.path("builds"));
    // Recorded at the end of a build, which the third one does not reach.
    lab.write("builds", "");
    let made = format!("cp source prog && chmod +x prog && echo x >> '{}'", builds.display());
    let build = format!("{{ {}; }}; {made}", gate(&lab, 1, "builds"));
    let arguments = ["history", &range, "--project", "repo", "--build", &build, "--artifact"];
    let arguments = [&arguments[..], &["prog", "-j", "1", "--runs", "2"]].concat();
    let running = lab.start(&arguments);
    eventually("building", || repository.builds() == 2);
    running.signal(signal);
    let ended = running.wait();
    match signal {
        "KILL" => assert_eq!(ended.code, None),
        _ => drop(
            ended
                .refused("interrupted while building")
                .hinting("run the same command again to continue"),
        ),
    }
    lab.nothing_is_left();
    assert_eq!((repository.runs(), repository.builds()), (0, 2));
    lab.write("go", "");
    let ended = lab.brisk(&arguments).judged();
    ended.says("4 commits, 4 different artefacts");
    // The second may not have been kept yet; two rounds find no step that needs confirmation.
    let again = repository.builds() - 4;
    assert!(again <= 1, "{again} builds were repeated");
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn ctrl_c_while_building_keeps_what_was_built() {
    stopped_while_building("INT");
}

#[test]
fn kill_9_while_building_keeps_what_was_built() {
    stopped_while_building("KILL");
}

#[test]
fn two_histories_of_one_repository_share_what_they_build() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &["0.002", "0.002", "0.002"]);
    // Otherwise the later one could answer from the results of the other.
    let arguments = ["--runs", "6", "--remeasure"];
    let both = [repository.start(&arguments), repository.start(&arguments)];
    for running in both {
        running.wait().judged().says("3 commits, 3 different artefacts");
    }
    for id in ["1", "2"] {
        let document = lab.exported(id);
        assert_eq!(measured(&document).len(), 18);
        assert_eq!(list(&document, "commits").len(), 3);
    }
    assert!(has_no_worktrees(&repository, &lab.path(".cache/brisk")));
}

#[test]
fn a_history_with_a_runtime_that_is_named_is_answered_from_the_store() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &["0.002", "0.002"]);
    let arguments = ["--runs", "2", "--runtime", "ghc"];
    let before = repository.document(&arguments);
    let runs = repository.runs();
    let after = repository.document(&arguments);
    assert_eq!(repository.runs(), runs, "it was measured again");
    assert_eq!(before["history"]["experiments"], after["history"]["experiments"]);
}

#[test]
fn a_history_that_stayed_open_goes_on_with_more_rounds() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &["0.002", "0.002"]);
    repository.history(&["--runs", "3"]).judged();
    let (runs, before) = (repository.runs(), lab.exported("1"));
    // The same number of rounds, fewer, or the default: the store has the answer.
    for arguments in [&["--runs", "3"][..], &["--runs", "2"], &[]] {
        let remarks = repository.history(arguments).judged().remarks;
        assert!(!remarks.contains("goes on"), "{remarks}");
    }
    assert_eq!(repository.runs(), runs);
    let ended = repository.history(&["--runs", "8"]).exited(0);
    let said = ended.remarks.lines().last();
    assert_eq!(said, Some("continues experiment 1: 3 rounds so far"));
    assert_eq!(repository.runs(), runs + 2 * 5);
    let after = lab.exported("1");
    assert_eq!(measured(&before), measured(&after)[..6]);
    assert_eq!(after["experiment"]["rounds"], 8);
    assert_eq!(after["history"]["experiments"], serde_json::json!([1]));
}

#[test]
fn a_history_that_was_rewritten_keeps_what_is_still_true() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &["0.002", "0.002", "0.002"]);
    let before = repository.document(&["--runs", "4"]);
    let (builds, runs) = (repository.builds(), repository.runs());
    // Another message for the same files.
    repository.git(&["commit", "--quiet", "--amend", "--message", "in other words"]);
    let after = repository.document(&["--runs", "4"]);
    assert_eq!((repository.builds(), repository.runs()), (builds, runs));
    let last = list(&after, "commits").last().expect("three");
    assert_eq!(
        (&last["hash"], &last["subject"]),
        (&repository.head().into(), &"in other words".into())
    );
    assert_eq!(before["comparisons"], after["comparisons"]);
    // Other files: the dropped commit is no longer part of the range.
    repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    repository.commit_costing("another", "0.003");
    let after = repository.document(&["--runs", "4"]);
    let subjects: Vec<_> = list(&after, "commits").iter().map(|part| &part["subject"]).collect();
    assert_eq!(subjects, ["commit 0", "commit 1", "another"]);
    assert_eq!(repository.runs(), runs + 8);
}
