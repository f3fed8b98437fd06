//! The benchmarks of a program as built from commits of its project.

use serde_json::{Value, json};

use crate::document::list;
use crate::lab::{Ended, Lab};
use crate::repository::Repository;

/// A suite whose benchmark `a` takes about `tenths` tenths of a second for 1000 iterations, varying
/// a little by process, and whose `b` is constant.
fn suite(tenths: u32) -> String {
    format!(
        "#!/bin/sh\necho 'brisk-bench 1'\n[ $1 = --list ] && printf 'a\\nb\\n' && exit\nshift\n\
         for name; do\n\
           case $name in a) t={tenths}0$(($$ % 90 + 10));; *) t=1;; esac\n\
           printf '%s\\t1000\\t0.%s\\n' \"$name\" $t\n\
         done\n"
    )
}

/// A project of three commits: `a` slows down in the second one; the third changes nothing.
fn project(lab: &Lab) -> Repository<'_> {
    let repository = Repository::new(lab);
    for (tenths, subject) in [(1, "begin"), (4, "slow down"), (4, "write about it")] {
        repository.write("source", &suite(tenths));
        repository.write("readme", subject);
        repository.commit(subject);
    }
    repository
}

/// Runs in the project; `build` makes the program `suite`.
fn bench(lab: &Lab, arguments: &[&str]) -> Ended {
    let build = ["--project", "repo", "--build", "cp source suite && chmod +x suite"];
    lab.brisk(&[&["bench", "suite"][..], &build, arguments].concat())
}

fn verdicts(document: &Value) -> Vec<&Value> {
    list(document, "comparisons").iter().map(|part| &part["verdict"]).collect()
}

#[test]
fn two_commits_are_compared_benchmark_by_benchmark() {
    let lab = Lab::new();
    project(&lab);
    let commits = ["--at", "HEAD^^", "--at", "HEAD", "--runs", "12", "--export-json", "bench.json"];
    let ended = bench(&lab, &commits).exited(1);
    ended.says("2 benchmarks compared in time per iteration: 1 regressed").says("write about it");
}

#[test]
fn a_commit_is_compared_with_what_lies_there() {
    let lab = Lab::new();
    let repository = project(&lab);
    repository.write("suite", &suite(1));
    crate::lab::run("chmod", &["+x", repository.path().join("suite").to_str().expect("text")]);
    let there = "repo/suite";
    let arguments = [
        "bench",
        there,
        "--project",
        "repo",
        "--build",
        "cp source suite && chmod +x suite",
        "--artifact",
        "suite",
        "--at",
        "HEAD",
        "--runs",
        "12",
        "--export-json",
        "bench.json",
    ];
    lab.brisk(&arguments).refused("the build makes `suite`, and `repo/suite` is not in it");
    let brisk = env!("CARGO_BIN_EXE_brisk");
    let store = lab.store().to_str().expect("text").to_owned();
    let command = format!(
        "cd '{}' && '{brisk}' bench --store '{store}' ./suite --build 'cp source suite && chmod +x \
         suite' --at HEAD --runs 12 --export-json ../bench.json",
        repository.path().display()
    );
    assert!(crate::lab::run("sh", &["-c", &command]), "faster is no failure");
    let document = lab.json("bench.json");
    assert_eq!(verdicts(&document)[0], "improved");
    let programs = list(&document["suite"], "programs");
    assert!(programs[0]["name"].as_str().is_some_and(|name| name.ends_with(" write about it")));
    assert_eq!(programs[1]["name"], json!("./suite"));
}

#[test]
fn commits_that_make_the_same_program_are_not_measured() {
    let lab = Lab::new();
    project(&lab);
    let ended = bench(&lab, &["--at", "HEAD^", "--at", "HEAD"]).succeeded();
    ended.says("make the same program, byte for byte").says("write about it");
    assert!(!lab.store().exists(), "nothing was measured");
}

#[test]
fn what_cannot_be_built_is_refused_with_its_reason() {
    let lab = Lab::new();
    project(&lab);
    for (arguments, error) in [
        (&["--at", "nowhere"][..], "unknown revision `nowhere`"),
        (&["--at", "HEAD", "--at", "HEAD^", "--at", "HEAD"], "`--at` names 3 commits"),
        (&["other", "--at", "HEAD"], "`--at` takes one program, and two are given"),
        (&["--at", "HEAD", "--artifact", "dist"], "the build makes `dist`, and `suite`"),
        (&["--at", "HEAD", "--patch", "no-such"], "no-such"),
    ] {
        bench(&lab, arguments).refused(error);
    }
    let fails = ["bench", "suite", "--project", "repo", "--build", "echo no luck; false"];
    let ended = lab.brisk(&[&fails[..], &["--at", "HEAD"]].concat());
    let ended = ended.refused("cannot build ");
    assert!(ended.stderr.contains("no luck"), "{ended}");
    lab.brisk(&["bench", "suite", "--project", "repo"]).exited(2);
    assert!(!lab.store().exists(), "nothing was measured");
}

/// The project file says how to build it, and the artefact may be a folder.
#[test]
fn the_project_file_says_how_commits_are_built() {
    let lab = Lab::new();
    let repository = project(&lab);
    let build = "mkdir -p dist/bin && cp source dist/bin/suite && chmod +x dist/bin/suite";
    repository
        .write("brisk.toml", &format!("[project]\nbuild = \"{build}\"\nartifact = \"dist\"\n"));
    let arguments = ["bench", "dist/bin/suite", "--project", "repo", "--runs", "12"];
    let commits = ["--at", "HEAD^^", "--at", "HEAD^"];
    lab.brisk(&[&arguments[..], &commits].concat()).exited(1).says("1 regressed");
}
