//! `brisk check`: a project's expectations of itself, and `brisk history` with the settings of the
//! project file.
//!
//! The programs are shell loops that differ by a large factor, or are compared in too few rounds
//! for any verdict: so each answer is certain. The metric is processor time, which does not include
//! waiting.

use std::os::unix::fs::PermissionsExt;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::lab::{Ended, Lab, run};

/// A program that counts to a number.
fn counting_to(number: u32) -> String {
    format!("#!/bin/sh\ni=0\nwhile [ $i -lt {number} ]; do i=$((i+1)); done\n")
}

pub(crate) fn program(lab: &Lab, name: &str, number: u32) {
    lab.write(name, &counting_to(number));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(lab.path(name), executable).expect("it was written just now");
}

/// A few iterations: mostly the start of the shell.
const FEW: u32 = 300;
/// At least ten times as long as `FEW`.
const MANY: u32 = 12_000;
/// Tens of times as long as `MANY`.
const MOST: u32 = 400_000;

const BENCHMARKS: &str = r#"
[[benchmark]]
name = "few"
command = "./few"
runs = 12

[[benchmark]]
name = "many"
command = "./many"
runs = 12
"#;

pub(crate) fn expecting(that: &[&str]) -> String {
    that.iter().map(|that| format!("\n[[expect]]\nthat = '{that}'\n")).collect()
}

/// A folder with two programs and these expectations.
pub(crate) fn project(that: &[&str]) -> Lab {
    let lab = Lab::new();
    program(&lab, "few", FEW);
    program(&lab, "many", MANY);
    lab.write("brisk.toml", &(BENCHMARKS.to_owned() + &expecting(that)));
    lab
}

pub(crate) fn check(lab: &Lab, arguments: &[&str]) -> Ended {
    lab.brisk(&[&["check", "--quiet"], arguments].concat())
}

pub(crate) fn git(lab: &Lab, arguments: &[&str]) {
    let folder = lab.path("").to_string_lossy().into_owned();
    let before = [
        "-C",
        &folder,
        "-c",
        "user.name=Tester",
        "-c",
        "user.email=t@example.org",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "commit.gpgSign=false",
    ];
    assert!(run("git", &[&before, arguments].concat()), "git {arguments:?}");
}

fn commit(lab: &Lab, number: u32) {
    program(lab, "work", number);
    git(lab, &["add", "work", "brisk.toml"]);
    git(lab, &["commit", "-q", "-m", &format!("count to {number}")]);
}

const WORK: &str = r#"
[project]
artifact = "work"

[[benchmark]]
name = "work"
command = "./work"
runs = 12
"#;

/// A repository whose first commit, tagged `first`, has a fast program.
fn repository(that: &[&str]) -> Lab {
    let lab = Lab::new();
    lab.write("brisk.toml", &(WORK.to_owned() + &expecting(that)));
    git(&lab, &["init", "-q"]);
    commit(&lab, FEW);
    git(&lab, &["tag", "first"]);
    lab
}

/// The name of the expectation with this standing, as printed in the report.
fn id_of(ended: &Ended, standing: &str) -> String {
    let row = ended.stdout.lines().find(|line| line.starts_with(&format!("{standing} ")));
    let row = row.unwrap_or_else(|| panic!("nothing {standing} in: {ended}"));
    row.split_whitespace().nth(1).expect("the second column").to_owned()
}

#[test]
fn what_holds_and_what_fails_is_told_by_the_exit_status() {
    let three = [
        "cpu_time(few) / cpu_time(many) < 0.5",
        "cpu_time(many) / cpu_time(few) > 2",
        "peak_rss(few) < 10 GB",
    ];
    check(&project(&three), &[]).succeeded().says("3 expectations: 3 hold");
    let lab = project(&["cpu_time(many) <= cpu_time(few)", "cpu_time(few) < 1 h"]);
    check(&lab, &[]).exited(1).says("1 fails, 1 holds").says("it should be <= 1");
}

#[test]
fn what_cannot_be_decided_is_no_failure_unless_a_verdict_is_demanded() {
    // Three rounds allow no interval at this confidence.
    let lab = project(&["cpu_time(few) / cpu_time(many) < 0.5"]);
    let three = ["--runs", "3"];
    check(&lab, &three).succeeded().says("1 expectation: 1 is undecided");
    let demanding = ["--runs", "3", "--require-verdict", "--export-junit", "junit.xml"];
    check(&lab, &demanding).exited(3);
    assert_eq!(elements(&lab.read("junit.xml"), "failure"), 1);
    check(&lab, &["--runs", "3", "--export-junit", "junit.xml"]).succeeded();
    assert_eq!(elements(&lab.read("junit.xml"), "skipped"), 1);
}

/// The number of elements with this name in a well-formed document.
fn elements(xml: &str, name: &str) -> usize {
    let mut reader = Reader::from_str(xml);
    let mut found = 0;
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return found,
            Event::Start(element) | Event::Empty(element) => {
                found += usize::from(element.name().as_ref() == name);
            }
            _ => {}
        }
    }
}

#[test]
fn a_check_is_written_as_junit_markdown_and_json() {
    let lab = project(&["cpu_time(many) / cpu_time(few) < 0.5", "cpu_time(few) < 1 h"]);
    check(
        &lab,
        &["--export-junit", "j.xml", "--export-markdown", "m.md", "--export-json", "j.json"],
    )
    .exited(1);
    let xml = lab.read("j.xml");
    assert_eq!((elements(&xml, "testcase"), elements(&xml, "failure")), (2, 1));
    assert!(lab.read("m.md").starts_with("**2 expectations: 1 fails, 1 holds**\n"));
    let json = lab.json("j.json");
    assert_eq!(json["check"]["expectations"][0]["standing"], "fails");
    assert_eq!(json["check"]["expectations"][1]["standing"], "holds");
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(24));
    lab.brisk(&["list"]).succeeded().says("1 fails, 1 holds");
    lab.brisk(&["export", "1", "--export-svg", "c.svg"]).succeeded();
    let picture = lab.read("c.svg");
    let place = |text: &str| picture.find(text).unwrap_or_else(|| panic!("no {text}: {picture}"));
    assert!(place(">fails: ") < place(">holds: "), "bad news first");
    assert!(place("limit &lt; 0.5") < place(">right of 1 the limit is missed"));
}

#[test]
fn an_expectation_that_cannot_be_read_is_refused_with_its_place() {
    let lab = project(&["wall_tim(few) < 2 s"]);
    check(&lab, &[])
        .refused("unknown metric `wall_tim`")
        .because("line 13, column 9 of `brisk.toml`")
        .because("^^^^^^^^")
        .hinting("did you mean `wall_time`?");
    let lab = project(&["cpu_time(few) < 2 MB"]);
    check(&lab, &[]).refused("cannot be compared");
}

#[test]
fn an_unknown_subject_is_refused_with_its_place() {
    let lab = project(&["cpu_time(fee) < 2 s"]);
    check(&lab, &[])
        .refused("`fee` is neither a benchmark nor a revision")
        .because("line 1, column 1")
        .hinting("did you mean `few`?");
    let lab = repository(&["cpu_time(work@nowhere) < 2 s"]);
    check(&lab, &[]).refused("unknown revision `nowhere`").because("^^^^");
    let lab = Lab::new();
    check(&lab, &[]).refused("there is no `brisk.toml`").hinting("--project");
    let lab = project(&[]);
    check(&lab, &[]).refused("has no expectations");
}

#[test]
fn revisions_need_something_that_is_built() {
    let lab = repository(&["cpu_time(work) / cpu_time(work@first) < 2"]);
    let without = WORK.replace("artifact = \"work\"", "");
    lab.write("brisk.toml", &(without + &expecting(&["cpu_time(work@first) < 1 h"])));
    check(&lab, &[]).refused("cannot build `work@first`").hinting("artifact");
}

#[test]
fn a_commit_that_does_not_build_is_trouble() {
    let lab = repository(&["cpu_time(work) < 1 h"]);
    let broken = lab.read("brisk.toml").replace("[project]", "[project]\nbuild = 'echo no; false'");
    lab.write("brisk.toml", &broken);
    check(&lab, &[]).refused("cannot build").because("no");
}

#[test]
fn states_with_the_same_bytes_are_equal_without_measuring() {
    let lab = repository(&["cpu_time(work) / cpu_time(work@first) <= 1"]);
    check(&lab, &[]).succeeded().says("exactly 1");
    let listed = lab.brisk(&["list"]).succeeded();
    assert_eq!(listed.stdout.lines().count(), 1, "{listed}");
}

#[test]
fn an_accepted_failure_is_one_again_when_it_gets_worse() {
    let lab = repository(&["cpu_time(work) / cpu_time(work@first) <= 2"]);
    commit(&lab, MANY);
    let nowhere = ["--accept", "000000000000", "--why", "x"];
    check(&lab, &nowhere).refused("no expectation is called").hinting("cpu_time(work)");
    let id = id_of(&check(&lab, &[]).exited(1), "fails");
    check(&lab, &["--accept", &id, "--why", " "]).refused("needs a reason");
    check(&lab, &["--accept", &id, "--why", "it counts farther"]).succeeded().says("accepted:");
    // Room for the difference between two measurements of the same program.
    let room = ["--margin", "200"];
    check(&lab, &room).succeeded().says("1 is accepted").says("it counts farther");
    commit(&lab, MOST);
    check(&lab, &room).exited(1).says("1 expectation: 1 fails");
    // An acceptance does not apply to a branch from an earlier commit.
    git(&lab, &["checkout", "-q", "first"]);
    program(&lab, "work", MANY);
    git(&lab, &["commit", "-q", "-a", "-m", "another line of history"]);
    check(&lab, &room).exited(1).says("1 expectation: 1 fails");
}

#[test]
fn there_is_nothing_to_accept_before_a_check_and_in_what_holds() {
    let lab = project(&["cpu_time(few) < 1 h"]);
    let bad = check(&lab, &["--accept", "x", "--why", "y"]).refused("is not the name");
    let id = bad.stderr.split("there are: ").nth(1).expect("a list").get(..12).expect("a name");
    let accept = ["--accept", id, "--why", "y"];
    check(&lab, &accept).refused("was not checked yet");
    check(&lab, &[]).succeeded();
    check(&lab, &accept).refused("holds, so there is nothing to accept");
}

#[test]
fn the_baseline_is_a_commit_that_was_saved() {
    let lab = repository(&["cpu_time(work) / cpu_time(work@baseline) > 2"]);
    check(&lab, &[]).succeeded().says("1 is undecided").says("no baseline is stored");
    check(&lab, &["--save-baseline"]).succeeded().says("count to 300");
    commit(&lab, MANY);
    check(&lab, &[]).succeeded().says("1 holds");
}

#[test]
fn changes_that_are_not_committed_are_not_checked_and_that_is_said() {
    let lab = repository(&["cpu_time(work) / cpu_time(work@first) <= 1"]);
    program(&lab, "work", MANY);
    let ended = check(&lab, &[]).exited(0).says("exactly 1");
    assert!(ended.stderr.contains("without uncommitted changes"), "{ended}");
}

/// A project that uses every setting: the build takes a number from the environment and a patched
/// and overlaid folder.
fn complete() -> Lab {
    let lab = Lab::new();
    git(&lab, &["init", "-q"]);
    std::fs::create_dir_all(lab.path("sub")).expect("writable");
    std::fs::create_dir_all(lab.path("over/sub")).expect("writable");
    lab.write("over/sub/head", "#!/bin/sh\n");
    lab.write(
        "brisk.toml",
        r#"
[project]
build = "sed \"s/NUMBER/$FACTOR/\" body | cat head - > prog; chmod +x prog"
artifact = "sub/prog"
cwd = "sub"
overlay = "over"
env = { FACTOR = "10" }

[[benchmark]]
name = "short"
command = "./prog 3"
runs = 12

[[benchmark]]
name = "long"
command = "./prog 9"
runs = 7
env = { MORE = "1" }
"#,
    );
    for factor in [1, 90] {
        let body = format!(
            "i=0; test \"$MORE\" || exit 1\nwhile [ $i -lt $(($1 * NUMBER * {factor})) ]; do \
             i=$((i+1)); done\n"
        );
        lab.write("sub/body", &body);
        git(&lab, &["add", "sub", "brisk.toml"]);
        git(&lab, &["commit", "-q", "-m", &format!("factor {factor}")]);
    }
    lab
}

#[test]
fn a_history_takes_what_the_project_says() {
    let lab = complete();
    let range = "HEAD~1^..HEAD";
    lab.brisk(&["history", "--quiet", range])
        .refused("brisk.toml has 2 benchmarks")
        .hinting("--benchmark NAME");
    lab.brisk(&["history", "--quiet", "--benchmark", "lang", range])
        .refused("unknown benchmark `lang`")
        .hinting("did you mean `long`?");
    // Deleting the file in a commit does not matter: the file in the checkout counts.
    git(&lab, &["rm", "-q", "--cached", "brisk.toml"]);
    git(&lab, &["commit", "-q", "-m", "without the file"]);
    let ended = lab.brisk(&[
        "history",
        "--quiet",
        "--benchmark",
        "long",
        "--export-json",
        "h.json",
        "HEAD~2^..HEAD",
    ]);
    assert!(matches!(ended.code, Some(0 | 1)), "{ended}");
    let json = lab.json("h.json");
    let builds: Vec<&str> = (json["commits"].as_array().expect("commits").iter())
        .map(|commit| commit["build"].as_str().expect("a word"))
        .collect();
    assert_eq!(builds[..2], ["ok", "ok"]);
    assert!(builds[2].starts_with("same as"), "{builds:?}");
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(14));
    assert_eq!(json["variants"][0]["command"], "{artifact} 9");
    // The other benchmark lacks a variable, and fails.
    lab.brisk(&["history", "--quiet", "--benchmark", "short", range]).failed("exited with");
}
