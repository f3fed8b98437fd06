//! Experiments as git notes: published by several people, fetched by others, with arbitrary other
//! notes.

use std::process::{Command, Stdio};

use std::io::Write;

use crate::lab::{Lab, run};
use crate::merging::contents;
use crate::repository::{LONG, Repository, SHORT};

const NOTES: &str = "refs/notes/brisk";

/// A bare repository to publish to, as a path.
fn hub(lab: &Lab) -> String {
    let hub = lab.path("hub.git").display().to_string();
    assert!(run("git", &["init", "--quiet", "--bare", "--initial-branch=main", &hub]));
    hub
}

/// A clone of a repository, in its own lab.
fn clone<'a>(lab: &'a Lab, hub: &str) -> Repository<'a> {
    let repository = Repository::new(lab);
    repository.git(&["remote", "add", "origin", hub]);
    repository.git(&["pull", "--quiet", "origin", "main"]);
    repository
}

/// A repository with two measured commits, pushed to the hub.
fn measured<'a>(lab: &'a Lab, hub: &str) -> Repository<'a> {
    let repository = Repository::costing(lab, &[SHORT, LONG]);
    repository.git(&["remote", "add", "origin", hub]);
    repository.git(&["push", "--quiet", "origin", "main"]);
    repository.history(&["--runs", "8"]).judged();
    repository
}

const PUBLISH: [&str; 5] = ["export", "--git-notes", "--project", "repo", "--notes-remote"];
const FETCH: [&str; 5] = ["import", "--git-notes", "--project", "repo", "--notes-remote"];

fn with<'a>(words: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [words, more].concat()
}

/// The notes of a repository as read by git itself: each commit with its lines.
fn notes(git: &dyn Fn(&[&str]) -> String) -> Vec<(String, Vec<String>)> {
    let listed = git(&["notes", "--ref=brisk", "list"]);
    let commit = |line: &str| line.split_once(' ').expect("a note and a commit").1.to_owned();
    let lines = |commit: String| {
        let text = git(&["notes", "--ref=brisk", "show", &commit]);
        (commit, text.lines().map(str::to_owned).collect())
    };
    listed.lines().map(commit).map(lines).collect()
}

fn lines_in(hub: &str, lab: &Lab) -> usize {
    let mirror = Repository::named(lab, "mirror");
    mirror.git(&["fetch", "--quiet", hub, &format!("+{NOTES}:{NOTES}"), "main"]);
    notes(&|words| mirror.git(words)).iter().map(|(_, lines)| lines.len()).sum()
}

#[test]
fn what_is_published_is_fetched_elsewhere_and_is_the_same() {
    let (lab, other) = (Lab::new(), Lab::new());
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    let published = lab.brisk(&with(&PUBLISH, &["origin"])).succeeded().stdout;
    assert!(published.contains("noted at"), "{published}");
    let noted = notes(&|words| repository.git(words));
    assert_eq!(noted.len(), 1);
    assert_eq!(noted[0].0, repository.head(), "the newest of its commits has it");
    let clone = clone(&other, &hub);
    let fetched = other.brisk(&with(&FETCH, &["origin"])).succeeded().stdout;
    assert!(fetched.starts_with("experiment 1: history "), "{fetched}");
    assert_eq!(contents(&other), contents(&lab));
    let shown = |lab: &Lab| lab.brisk(&["show", "1"]).succeeded().stdout;
    assert_eq!(shown(&other), shown(&lab));
    // The second time, nothing is new anywhere.
    let tip = clone.git(&["rev-parse", NOTES]);
    lab.brisk(&with(&PUBLISH, &["origin"])).succeeded().says("noted already at");
    other.brisk(&with(&FETCH, &["origin"])).succeeded().says("which was there already");
    other.brisk(&with(&PUBLISH, &["origin"])).succeeded().says("noted already at");
    assert_eq!(clone.git(&["rev-parse", NOTES]), tip);
    assert_eq!(repository.git(&["rev-parse", NOTES]), tip);
    assert_eq!(contents(&other), contents(&lab));
}

#[test]
fn a_history_that_went_on_is_a_line_for_each_experiment() {
    let (lab, other) = (Lab::new(), Lab::new());
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    repository.commit_costing("more", SHORT);
    repository.history(&["--runs", "8"]).judged();
    repository.git(&["push", "--quiet", "origin", "main"]);
    lab.brisk(&with(&PUBLISH, &[&hub])).succeeded();
    let noted = notes(&|words| repository.git(words));
    assert_eq!(noted.iter().map(|(_, lines)| lines.len()).collect::<Vec<_>>(), [1, 1]);
    clone(&other, &hub);
    other.brisk(&with(&FETCH, &["origin"])).succeeded();
    assert_eq!(contents(&other), contents(&lab));
    // Their numbers follow the order of the notes.
    let newest = |lab: &Lab| {
        let listed = lab.brisk(&["list"]).succeeded().stdout;
        let shown = |line: &str| {
            let id = line.split_whitespace().next().expect("a number").to_owned();
            lab.brisk(&["show", &id]).succeeded().stdout
        };
        let mut shown: Vec<String> = listed.lines().skip(1).map(shown).collect();
        shown.sort();
        shown
    };
    assert_eq!(newest(&other), newest(&lab));
}

#[test]
fn of_many_writers_at_once_nobody_loses_anything() {
    const WRITERS: usize = 4;
    let lab = Lab::new();
    let hub = hub(&lab);
    measured(&lab, &hub);
    let labs: Vec<Lab> = (0..WRITERS).map(|_| Lab::new()).collect();
    for other in &labs {
        clone(other, &hub).history(&["--runs", "4"]).judged();
    }
    let writers: Vec<_> =
        labs.iter().chain([&lab]).map(|lab| lab.start(&with(&PUBLISH, &["origin"]))).collect();
    for writer in writers {
        writer.wait().succeeded().says("noted at");
    }
    assert_eq!(lines_in(&hub, &lab), WRITERS + 1);
    for lab in labs.iter().chain([&lab]) {
        lab.brisk(&with(&FETCH, &["origin"])).succeeded();
        lab.brisk(&with(&FETCH, &["origin"])).succeeded();
        assert_eq!(contents(lab).len(), WRITERS + 1);
    }
    assert_eq!(lines_in(&hub, &lab), WRITERS + 1);
}

#[test]
fn several_that_write_into_one_repository_do_not_disturb_each_other() {
    let lab = Lab::new();
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    let again = || lab.start(&with(&PUBLISH, &["origin"]));
    let writers = [again(), again(), again()];
    for writer in writers {
        writer.wait().succeeded().says("noted");
    }
    assert_eq!(lines_in(&hub, &lab), 1);
    let ours = repository.git(&["for-each-ref", "--format=%(refname)", "refs/brisk"]);
    assert_eq!(ours, "", "nothing is left of what was fetched");
}

#[test]
fn two_that_wrote_apart_are_merged() {
    let (lab, other) = (Lab::new(), Lab::new());
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    let clone = clone(&other, &hub);
    clone.history(&["--runs", "4"]).judged();
    // Both first write their notes locally, without a remote.
    lab.brisk(&["export", "1", "--git-notes", "--project", "repo"]).succeeded();
    other.brisk(&["export", "1", "--git-notes", "--project", "repo"]).succeeded();
    // Notes of other people are kept, too.
    repository.git(&["notes", "--ref=brisk", "append", "-m", "a word of mine"]);
    lab.brisk(&with(&PUBLISH, &["origin"])).succeeded();
    other.brisk(&with(&PUBLISH, &["origin"])).succeeded().says("noted already");
    let fetched = lab.brisk(&with(&FETCH, &["origin"])).exited(0);
    let told = "note: left out: 1 lines of `refs/notes/brisk` are not experiments\n";
    assert_eq!(fetched.stderr, told);
    assert_eq!(contents(&lab).len(), 2);
    let noted = notes(&|words| repository.git(words));
    assert!(noted[0].1.contains(&"a word of mine".to_owned()));
    assert_eq!(noted[0].1.len(), 3);
}

#[test]
fn commits_that_were_rewritten_are_told_and_their_results_stay() {
    let (lab, other) = (Lab::new(), Lab::new());
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    lab.brisk(&with(&PUBLISH, &["origin"])).succeeded();
    repository.git(&["commit", "--quiet", "--amend", "--message", "another word"]);
    repository.git(&["push", "--quiet", "--force", "origin", "main"]);
    let again = lab.brisk(&with(&PUBLISH, &["origin"])).exited(0);
    assert_eq!(again.stderr, "", "the older one of its commits is there: {again}");
    let fetched = lab.brisk(&with(&FETCH, &["origin"])).exited(0);
    assert!(fetched.stderr.contains("is on no branch (rewritten or squashed)"), "{fetched}");
    clone(&other, &hub);
    let fetched = other.brisk(&with(&FETCH, &["origin"])).exited(0);
    assert!(fetched.stderr.contains("not in this repository"), "{fetched}");
    assert_eq!(contents(&other), contents(&lab));
}

/// Writes a note by git itself.
fn note(repository: &Repository<'_>, commit: &str, bytes: &[u8]) {
    #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
    let mut git = Command::new("git")
        .args(["-C", &repository.path().display().to_string(), "hash-object", "-w", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git is installed");
    git.stdin.take().expect("a pipe").write_all(bytes).expect("git reads");
    let blob = git.wait_with_output().expect("it ends").stdout;
    let blob = String::from_utf8(blob).expect("a hash");
    repository.git(&["notes", "--ref=brisk", "add", "-f", "-C", blob.trim(), commit]);
}

#[test]
fn hostile_notes_do_no_harm() {
    let (lab, other) = (Lab::new(), Lab::new());
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    lab.brisk(&with(&PUBLISH, &["origin"])).succeeded();
    let good = notes(&|words| repository.git(words))[0].1[0].clone();
    let (root, head) = (repository.git(&["rev-parse", "HEAD^"]), repository.head());
    let bad = [
        good.replace(r#""variant":1"#, r#""variant":7"#),
        good.replace(r#"{"brisk_record":1"#, r#"{"brisk_record":99"#),
        good.replacen(r#""seed":"#, r#""seed":-1e999"#, 1),
        good[..good.len() / 2].to_owned(),
        r#"{"brisk_record":1,"events":[{"event":"named","started_unix_ns":5,"kind":"compare","title":"\u001b[2Jx"}]}"#.to_owned(),
        format!(r#"{{"brisk_record":1,"events":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000)),
    ];
    let mut hostile = bad.join("\n").into_bytes();
    hostile.extend(b"\n\x1b]0;owned\x07\0\xff\xfe\n");
    hostile.extend(vec![b'x'; 3 << 20]);
    note(&repository, &root, &hostile);
    note(&repository, &head, format!("\0\x1b[31m\n{good}\n").as_bytes());
    repository.git(&["push", "--quiet", "--force", "origin", NOTES]);
    clone(&other, &hub);
    let told = other.brisk(&with(&FETCH, &["origin"])).exited(2);
    assert_eq!(contents(&other), contents(&lab), "{told}");
    assert!(!told.stdout.contains('\x1b') && !told.stderr.contains('\x1b'), "{told}");
    let left_out = told.stderr.lines().filter(|line| line.contains("left out: line ")).count();
    assert_eq!(left_out, bad.len(), "{told}");
    for why in
        ["a variant or a round that there is not", "written by version 99", "which is not here"]
    {
        assert!(told.stderr.contains(why), "no {why} in {told}");
    }
    assert!(told.stderr.contains("left out: 3 lines of `refs/notes/brisk`"), "{told}");
}

#[test]
fn a_reference_that_is_missing_or_no_note_is_told() {
    let (lab, other) = (Lab::new(), Lab::new());
    // The labs may be in the repository of brisk.
    let nowhere = Lab::new().with("GIT_CEILING_DIRECTORIES", env!("CARGO_TARGET_TMPDIR"));
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    lab.brisk(&with(&FETCH, &["origin"])).refused("there is no `refs/notes/brisk`");
    lab.brisk(&["import", "--git-notes=own", "--project", "repo"])
        .refused("there is no `refs/notes/own`")
        .hinting("--notes-remote");
    lab.brisk(&with(&FETCH, &["/nowhere"])).refused("`git ls-remote` failed");
    lab.brisk(&with(&FETCH, &["--upload-pack=touch x"])).exited(2);
    lab.brisk(&["import", "--git-notes=a b", "--project", "repo"]).refused("`git notes` failed");
    nowhere.brisk(&["import", "--git-notes"]).refused("is not in a git repository");
    lab.brisk(&["import", "--git-notes", "file"]).exited(2);
    lab.brisk(&["export", "1", "--git-notes", "--export-json", "x"]).refused("notes and files");
    other.brisk(&["compare", "--runs", "2", "true"]).succeeded();
    clone(&other, &hub);
    other
        .brisk(&["export", "1", "--git-notes", "--project", "repo"])
        .refused("experiment 1 measured no commit");
    other
        .brisk(&["export", "--git-notes", "--project", "repo"])
        .refused("there is nothing to note");
    // A rejected push is not retried forever.
    std::fs::write(format!("{hub}/hooks/pre-receive"), "#!/bin/sh\nexit 1\n").expect("writable");
    assert!(run("chmod", &["+x", &format!("{hub}/hooks/pre-receive")]));
    lab.brisk(&with(&PUBLISH, &["origin"])).refused("`git push` failed");
    assert!(repository.git(&["rev-parse", NOTES]).len() == 40, "the note is here");
}

#[test]
fn a_bare_repository_has_notes_too() {
    let lab = Lab::new();
    let hub = hub(&lab);
    measured(&lab, &hub);
    lab.brisk(&["export", "--git-notes=own", "--project", "hub.git"]).succeeded();
    let shown = lab.brisk(&["import", "--git-notes=own", "--project", "hub.git"]).succeeded();
    shown.says("which was there already");
}

const VALUES: [&str; 5] = ["--git-notes", "--notes-format", "ghc", "--project", "repo"];

/// Notes of GHC's test suite: a step in one metric, none in the other.
#[test]
fn performance_notes_of_ghc_are_read_as_a_series_of_values() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    let mut commits = Vec::new();
    for number in 0..20 {
        commits.push(repository.commit(&format!("commit {number}")));
        let bytes = if number < 12 { 1000 } else { 1300 };
        let lines = format!(
            "x86_64-linux\tT1969\tnormal\tbytes allocated\t{bytes}\n\
             x86_64-linux\tT1969\tnormal\tmax_bytes_used\t77\n"
        );
        repository.git(&["notes", "--ref=perf", "add", "-m", &lines]);
    }
    // A second value for the same metric, and invalid values.
    repository.git(&[
        "notes",
        "--ref=perf",
        "append",
        "-m",
        "x86_64-linux\tT1969\tnormal\tbytes allocated\t1302",
    ]);
    repository.git(&["notes", "--ref=perf", "append", "-m", "a\tb\tc\td\tmany\n\x1b[2Jno value"]);
    let import = [&["import"], &VALUES[..]].concat();
    let told = lab.brisk(&with(&import, &["--export-json", "values.json"])).exited(1);
    assert!(
        told.stderr.contains("note: left out: lines of `refs/notes/perf` that are not values: 2"),
        "{told}"
    );
    assert!(told.stderr.contains("values noted again for the same: 1; the mean is taken"));
    assert!(!told.stderr.contains('\x1b') && !told.stdout.contains('\x1b'), "{told}");
    told.says("stand alone, without runs, intervals or machines");
    let document = lab.json("values.json");
    let steps = document["steps"].as_array().expect("steps");
    let of = |step: &serde_json::Value| (step["commit"].clone(), step["metric"].clone());
    let metric = "x86_64-linux T1969 normal: bytes allocated";
    assert_eq!(
        steps.iter().map(of).collect::<Vec<_>>(),
        [(commits[12].clone().into(), metric.into())]
    );
    assert_eq!(document["runs"], serde_json::json!([]));
    assert!(!lab.store().exists(), "nothing is stored");
    let elsewhere = Lab::new();
    Repository::costing(&elsewhere, &[SHORT]);
    elsewhere.brisk(&import).refused("there is no `refs/notes/perf`");
}

#[test]
fn figures_are_written_as_ghc_writes_them_once() {
    let lab = Lab::new();
    let hub = hub(&lab);
    let repository = measured(&lab, &hub);
    let export = [&["export"], &VALUES[..], &["--notes-remote", "origin"]].concat();
    let told = lab.brisk(&export).exited(0);
    assert!(told.stdout.starts_with("experiment 1: "), "{told}");
    let noted = repository.git(&["notes", "--ref=perf", "show", "HEAD"]);
    let cells: Vec<Vec<&str>> = noted.lines().map(|line| line.split('\t').collect()).collect();
    assert!(cells.iter().all(|cells| cells.len() == 5 && cells[1] == "repo"), "{noted}");
    let cost = cells.iter().find(|cells| cells[3] == "cost[seconds]").expect("its own metric");
    assert!(cost[4].parse::<f64>().is_ok_and(|cost| (cost - 0.07).abs() < 0.001), "{noted}");
    let tip = repository.git(&["rev-parse", "refs/notes/perf"]);
    lab.brisk(&export).exited(0).says(", 0 of them new");
    assert_eq!(repository.git(&["rev-parse", "refs/notes/perf"]), tip);
    assert_eq!(
        repository.git(&["ls-remote", &hub, "refs/notes/perf"]).split('\t').next(),
        Some(&*tip)
    );
}

#[test]
fn many_metrics_of_notes_are_few_rows_with_subjects() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for number in 0..30 {
        repository.commit(&format!("commit {number}"));
        let value = |metric: u32| if metric == 17 && number >= 20 { 1300 } else { 1000 };
        let line = |metric: u32| format!("linux\tT{metric}\tnormal\tbytes\t{}\n", value(metric));
        let lines: String = (0..22).map(line).collect();
        repository.git(&["notes", "--ref=perf", "add", "-m", &lines]);
    }
    let told = lab.brisk(&[&["import"], &VALUES[..]].concat()).exited(1);
    let told = told.says("commit 20").says("T17").says("21 more metrics not in the table");
    let rows = told.stdout.lines().count();
    assert!(rows < 150, "{rows} lines: {told}");
    assert!(!told.stdout.contains("commit 7"), "nothing happened there: {told}");
}
