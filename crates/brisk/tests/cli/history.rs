//! `brisk history`: the commit that changed the speed.

use serde_json::Value;

use crate::cost::COST;
use crate::document::{list, measured};
use crate::lab::Lab;
use crate::repository::{LONG, Repository, SHORT, commit, program, steps};

/// Enough rounds to be certain of a factor of seven, few enough to be quick; and a confidence at
/// which equal programs differ by chance less than once in a thousand tests.
const ROUNDS: [&str; 4] = ["--runs", "16", "--confidence", "99.9"];

#[test]
fn a_step_is_found_at_its_commit_and_confirmed() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[LONG, LONG, SHORT, LONG]);
    let ended = repository.history(&[&ROUNDS[..], &["--export-json", "h.json"]].concat());
    let ended = ended.exited(1).says("commit 2 ").says("▼ ").says("▲ +").says("16 rounds in ");
    let document = lab.json("h.json");
    let told = |subject: &str, verdict: &str| (subject.to_owned(), verdict.to_owned());
    assert_eq!(
        steps(&document),
        [told("commit 2", "improved"), told("commit 3", "regressed")],
        "{ended}"
    );
    for (step, from) in list(&document, "steps").iter().zip(["commit 1", "commit 2"]) {
        assert_eq!(step["from"], commit(&document, from)["hash"]);
        assert_eq!(step["metric"], "cost[seconds]");
        // A copied artefact is the same however it was built.
        assert_eq!(step["confirmed"], "clean-builds");
        let number = |name: &str| step[name].as_f64().expect("a number");
        assert!(number("low") <= number("ratio") && number("ratio") <= number("high"));
        assert_eq!(number("ratio") < 1.0, step["verdict"] == "improved");
    }
    assert_eq!(list(&document, "drifts").len(), 0);
}

#[test]
fn the_document_has_the_commits_in_gits_order() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, SHORT, LONG]);
    let document = repository.document(&ROUNDS);
    let hashes = repository.git(&["rev-list", "--reverse", "HEAD"]);
    let hashes: Vec<&str> = hashes.lines().collect();
    let commits = list(&document, "commits");
    assert_eq!(commits.iter().filter_map(|c| c["hash"].as_str()).collect::<Vec<_>>(), hashes);
    assert_eq!(commits[0]["parent"], Value::Null);
    assert_eq!(commits[2]["parent"], hashes[1]);
    for (number, commit) in commits.iter().enumerate() {
        assert_eq!(commit["subject"], format!("commit {number}"));
        assert_eq!((&commit["variant"], &commit["build"]), (&number.into(), &"ok".into()));
        let variant = &list(&document, "variants")[number];
        assert_eq!(variant["labels"]["commit"], hashes[number]);
        assert_eq!(variant["command"], "{artifact}");
    }
    assert_eq!(document["schema"], "brisk/1");
    assert_eq!(document["history"]["range"], repository.whole());
    assert_eq!(measured(&document).len(), 48);
    assert_eq!(repository.runs(), 48);
}

#[test]
fn equal_artefacts_are_measured_once_and_said_to_be_equal() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT]);
    repository.write("NOTES", "nothing the build looks at\n");
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.commit("notes");
    repository.commit("empty");
    repository.commit_costing("other", SHORT);
    let document = repository.document(&["--runs", "3", "--export-csv", "h.csv"]);
    for subject in ["notes", "empty"] {
        let part = commit(&document, subject);
        assert_eq!(part["build"], format!("same as {first}"));
        assert_eq!(part["variant"], 0);
    }
    assert_eq!(list(&document, "variants").len(), 2);
    assert_eq!(repository.runs(), 6);
    // The empty commit has the tree of the one before it, so it is not even built.
    assert_eq!(repository.builds(), 3);
    let shown = repository.history(&["--runs", "3"]).succeeded();
    let shown = shown.says(&format!("= {}", &first[..7]));
    shown.says("4 commits, 2 different artefacts, 2 identical to an earlier one");
    let csv = lab.lines("h.csv");
    let cells = |line: usize| csv[line].split_once(';').expect("cells").1;
    assert_eq!(cells(1), cells(2));
}

#[test]
fn a_commit_that_does_not_build_is_skipped_with_its_log() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[LONG, "-", "-", SHORT]);
    let document = repository.document(&ROUNDS);
    for subject in ["commit 1", "commit 2"] {
        let part = commit(&document, subject);
        assert_eq!((&part["build"], &part["variant"]), (&"failed".into(), &Value::Null));
        let reason = part["reason"].as_str().expect("it is told");
        assert!(reason.starts_with("the build exited with status 1\n"), "{reason}");
        assert!(reason.contains("source"), "{reason}");
    }
    // The next commit that builds is compared with the last one that did.
    assert_eq!(steps(&document), [("commit 3".to_owned(), "improved".to_owned())]);
    let step = &list(&document, "steps")[0];
    assert_eq!(step["from"], commit(&document, "commit 0")["hash"]);
    let builds = repository.builds();
    let shown = repository.history(&ROUNDS).succeeded();
    shown.says("no build").says("2 did not build").says(" do not build: ").says("No such file");
    assert_eq!(repository.builds(), builds, "what failed is not tried again");
    repository.history(&[&ROUNDS[..], &["--rebuild-failed"]].concat()).succeeded();
    assert!(repository.builds() > builds, "unless that is asked for");
}

#[test]
fn what_was_done_is_not_done_again() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[LONG, SHORT, SHORT]);
    let options = [&ROUNDS[..], &["--export-markdown", "h.md"]].concat();
    let first = repository.document(&options);
    let sentences = lab.read("h.md");
    let (builds, runs) = (repository.builds(), repository.runs());
    assert_eq!(runs, 48);
    let second = repository.document(&options);
    assert_eq!((repository.builds(), repository.runs()), (builds, runs));
    assert_eq!(first, second);
    assert_eq!(lab.read("h.md"), sentences);
    assert_eq!(lab.brisk(&["list"]).succeeded().stdout.lines().count(), 2);
    // Unless requested.
    repository.document(&[&options[..], &["--remeasure"]].concat());
    assert_eq!((repository.builds(), repository.runs()), (builds, 2 * runs));
}

#[test]
fn a_new_commit_is_measured_with_its_neighbour_alone() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, SHORT, LONG]);
    repository.document(&ROUNDS);
    let builds = repository.builds();
    repository.commit_costing("new", SHORT);
    let document = repository.document(&ROUNDS);
    assert_eq!(repository.runs(), 48 + 32);
    // Once, plus once more from scratch if the first build was incremental.
    assert!((1..=2).contains(&(repository.builds() - builds)));
    let told = |subject: &str, verdict: &str| (subject.to_owned(), verdict.to_owned());
    assert_eq!(steps(&document), [told("commit 2", "regressed"), told("new", "improved")]);
    assert_eq!(document["history"]["experiments"], serde_json::json!([1, 2]));
    let of_variant =
        |variant: u64| measured(&document).iter().filter(|run| run["variant"] == variant).count();
    assert_eq!([0, 1, 2, 3].map(of_variant), [16, 16, 32, 16]);
}

#[test]
fn a_patch_and_an_overlay_are_laid_over_every_commit() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for (number, seconds) in [SHORT, LONG].iter().enumerate() {
        repository.write("compiler", "old\n");
        repository.write("source", &program(seconds, &number.to_string()));
        repository.commit(&format!("commit {number}"));
    }
    let build = "grep -q new compiler && grep -q newest bench && cp source prog && chmod +x prog";
    lab.write("fix.patch", "--- a/compiler\n+++ b/compiler\n@@ -1 +1 @@\n-old\n+new\n");
    std::fs::create_dir(lab.path("over")).expect("writable");
    lab.write("over/bench", "newest\n");
    let (range, name) = (repository.whole(), "repo");
    let usual = ["history", &range, "--project", name, "--build", build, "--artifact", "prog"];
    let measure = |options: &[&str]| lab.brisk(&[&usual[..], &["--runs", "3"], options].concat());
    measure(&[]).refused("no commit of the range builds").because("status 1");
    let ended = measure(&["--patch", "fix.patch", "--overlay", "over"]);
    ended.judged().says("2 commits, 2 different artefacts");
    // A patch that does not apply is reported as a failure of the commits.
    lab.write("bad.patch", "--- a/other\n+++ b/other\n@@ -1 +1 @@\n-old\n+new\n");
    let ended = measure(&["--patch", "bad.patch", "--overlay", "over"]);
    ended.refused("no commit of the range builds").because("the patch does not apply");
    // The user's files are unchanged.
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_single_artefact_has_figures_and_no_verdict() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT]);
    let ended = repository.history(&["--runs", "3"]).succeeded().says("1 commit, 1 artefact");
    assert!(!ended.stdout.contains("no commit changed"), "{ended}");
    let markdown = lab.brisk(&["export", "1", "--export-markdown", "h.md"]).succeeded();
    assert!(lab.read("h.md").starts_with("| commit | subject | cost |"), "{markdown}");
}

#[test]
fn a_program_that_fails_is_named_by_its_commit() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT]);
    repository.write("source", "#!/bin/sh\necho sorry >&2\nexit 3\n");
    let failing = repository.commit("failing");
    let name = format!("{} failing", &failing[..7]);
    repository.history(&["--runs", "4"]).failed(&format!("`{name}` exited with status 3"));
    let ended = repository.history(&["--runs", "4", "--ignore-failure"]).exited(0);
    // A history has no variants A and B.
    ended.says(&format!("note: 4 runs of {} failed", &failing[..7]));
}

#[test]
fn merges_count_as_one_change_unless_all_parents_are_followed() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT]);
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.commit_costing("side", LONG);
    repository.git(&["checkout", "--quiet", "main"]);
    repository.write("NOTES", "x\n");
    repository.commit("main");
    repository.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    let subjects = |document: &Value| -> Vec<String> {
        let subjects = list(document, "commits").iter().filter_map(|part| part["subject"].as_str());
        subjects.map(str::to_owned).collect()
    };
    let told = |subject: &str| (subject.to_owned(), "regressed".to_owned());
    let document = repository.document(&ROUNDS);
    assert_eq!(subjects(&document), ["commit 0", "main", "merge"]);
    assert_eq!(steps(&document), [told("merge")]);
    let runs = repository.runs();
    let document = repository.document(&[&ROUNDS[..], &["--all-parents"]].concat());
    let mut all = subjects(&document);
    all.sort_unstable();
    assert_eq!(all, ["commit 0", "main", "merge", "side"]);
    let mut found = steps(&document);
    found.sort_unstable();
    assert_eq!(found, [told("merge"), told("side")]);
    // The merge has the bytes of the side branch, so everything is known.
    assert_eq!(repository.runs(), runs);
}

#[test]
fn a_history_is_exported_for_people_and_programs() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[LONG, SHORT]);
    repository.git(&["remote", "add", "origin", "git@github.com:example/winter.git"]);
    let (csv, markdown) = (["--export-csv", "h.csv"], ["--export-markdown", "h.md"]);
    repository.history(&[&ROUNDS[..], &csv, &markdown].concat()).succeeded();
    let hashes = repository.git(&["rev-list", "--reverse", "HEAD"]);
    let (first, last) = hashes.split_once('\n').expect("two commits");
    let table = lab.lines("h.csv");
    // The chosen metric is the column.
    assert_eq!(table[0], "commit;cost[seconds]");
    assert!(table[1].starts_with(&first[..7]) && table[2].starts_with(&last[..7]), "{table:?}");
    let text = lab.read("h.md");
    let line = text.lines().find(|line| line.starts_with("**Improvement**: "));
    let link = format!(
        "(Commit [{}...{}](https://github.com/example/winter/compare/{first}...{last}))",
        &first[..7],
        &last[..7]
    );
    assert!(line.is_some_and(|line| line.ends_with(&link)), "{text}");
    assert!(text.contains("| commit | subject | cost |"), "{text}");
}

#[test]
fn the_table_for_programs_has_the_columns_of_the_first_series() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, "-", SHORT]);
    let (range, build) = (repository.whole(), repository.build());
    let own = ["history", &range, "--project", "repo", "--build", &build, "--artifact", "prog"];
    lab.brisk(&[&own[..], &["--runs", "3", "--export-csv", "h.csv"]].concat()).judged();
    let table = lab.lines("h.csv");
    assert_eq!(table[0], "commit;allocations;memory;time");
    // A shell is smaller than the process that starts it, so the report calls its memory a bound.
    let shown = lab.brisk(&["export", "1", "--export-markdown", "h.md"]).succeeded();
    assert!(lab.read("h.md").contains("| <= "), "{shown}");
    let cells: Vec<Vec<&str>> = table[1..].iter().map(|line| line.split(';').collect()).collect();
    assert_eq!(cells.len(), 3);
    assert_eq!(cells[1][1..], ["", "", ""]);
    for line in [&cells[0], &cells[2]] {
        assert_eq!(line[1], "", "a shell counts no allocations");
        assert!(line[2].parse::<f64>().is_ok_and(|bytes| bytes > 0.0), "{line:?}");
        assert!(line[3].parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{line:?}");
    }
}

#[test]
fn a_stored_history_is_listed_shown_and_exported() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    let told = repository.history(&[&ROUNDS[..], &["--export-json", "told.json"]].concat());
    let told = told.exited(1);
    let listed = lab.brisk(&["list"]).succeeded().says("history of repo, ");
    listed.says(&format!("1 step: {} cost +", &repository.head()[..7]));
    assert_eq!(lab.brisk(&["show", "1"]).succeeded().stdout, told.stdout);
    assert_eq!(lab.exported("1"), lab.json("told.json"));
    lab.brisk(&["export", "1", "--export-csv", "h.csv"]).succeeded();
    assert_eq!(lab.lines("h.csv").len(), 3);
}

#[test]
fn the_exit_status_tells_regressions_and_what_stays_open() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[LONG, SHORT]);
    repository.history(&ROUNDS).succeeded();
    repository.commit_costing("slow again", LONG);
    repository.history(&ROUNDS).exited(1).says("slow again");
    // Two rounds allow no verdict.
    let repository = Repository::named(&lab, "other");
    repository.commit_costing("one", SHORT);
    repository.commit_costing("two", SHORT);
    let open = ["--runs", "2"];
    repository.history(&open).succeeded().says("1 pair of neighbouring commits is inconclusive");
    repository.history(&[&open[..], &["--require-verdict"]].concat()).exited(3);
}

#[test]
fn what_took_longer_than_its_budget_is_not_taken_up_by_the_same_request() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, LONG]);
    let options = ["--budget", "10ms", "--metrics", "cost,wall_time"];
    // The rounds that two metrics need take longer. Whether the wall time changed stays open.
    let ask = || repository.start_with(&[&options[..], &COST].concat()).wait().exited(1);
    let first = ask().says("regressed: cost");
    let again = ask();
    assert!(!again.remarks.contains("continues"), "{again}");
    assert_eq!(again.stdout, first.stdout);
}
