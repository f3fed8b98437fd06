//! Commits that are built by jobs of a real Slurm: `scripts/engines/slurm`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cost::COST;
use crate::document::list;
use crate::engine_slurm::Slurm;
use crate::lab::{Running, eventually, run};
use crate::repository::{LONG, Repository, SHORT, commit, steps};

/// A Slurm with a partition `build` for builds.
fn start() -> Option<Slurm> {
    let slurm = Slurm::start()?;
    site(&slurm, "build_partition = 'build'");
    Some(slurm)
}

/// Writes the requests of jobs to the site file, independent of the project's place.
fn site(slurm: &Slurm, more: &str) {
    let table = "[engine.jobs]\nkind = 'slurm'\nfolder = 'shared'\npartition = 'bench'\n";
    slurm.lab.write("site.toml", &format!("{table}{more}\n"));
}

/// Runs `first`, then builds a program, in the lab's folder; each build is recorded with its
/// partition.
fn build(slurm: &Slurm, first: &str) -> String {
    let lab = slurm.lab.path("").display().to_string();
    format!(
        "(cd '{lab}' && echo \"$SLURM_JOB_PARTITION\" >> builds; {first}) && cp source prog && \
         chmod +x prog"
    )
}

/// The first build hangs; the others do not.
const FIRST_WAITS: &str =
    "[ -e waits ] || { echo $$ > waits.new; echo $PPID > job; mv waits.new waits; sleep 1000; }";

fn history(slurm: &Slurm, repository: &Repository<'_>, build: &str, more: &[&str]) -> Running {
    let range = repository.whole();
    let asked = ["history", &range, "--project", "repo", "--build", build, "--artifact", "prog"];
    let usual = ["--on", "jobs", "--counters", "none", "--metrics", "cost", "--runs", "12"];
    let written = ["--export-json", "history.json"];
    slurm.lab.start(&[&asked[..], &usual, &COST, &written, more].concat())
}

fn builds(slurm: &Slurm) -> Vec<String> {
    slurm.lab.lines("builds")
}

/// The build result of each commit, the oldest first.
fn built(document: &Value) -> Vec<&str> {
    list(document, "commits").iter().map(|one| one["build"].as_str().expect("a word")).collect()
}

/// True if a process is running, and not merely a zombie.
fn is_running(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("status"));
    status.is_ok_and(|status| !status.contains("\nState:\tZ"))
}

#[test]
fn commits_are_built_by_shared_jobs_of_a_partition() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT, SHORT, LONG, LONG]);
    // With two nodes of two processors, exclusive jobs could not all run at once.
    let all = "n=0; until [ $(wc -l < builds) -ge 4 ]; do \
               n=$((n + 1)); [ $n -lt 600 ] || exit 1; sleep 0.1; done";
    let ended = history(&slurm, &repository, &build(&slurm, all), &["--build-jobs", "4"]).wait();
    let document = slurm.lab.json("history.json");
    assert_eq!(builds(&slurm), ["build"; 4], "{ended}");
    assert_eq!(steps(&document), [("commit 2".to_owned(), "regressed".to_owned())], "{ended}");
    assert_eq!(built(&document), ["ok"; 4]);
}

#[test]
fn a_build_that_fails_in_a_job_is_a_failure_of_its_commit() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT, "-", LONG]);
    let build = build(&slurm, "echo it begins");
    history(&slurm, &repository, &build, &[]).wait().judged();
    let document = slurm.lab.json("history.json");
    let part = commit(&document, "commit 1");
    let reason = part["reason"].as_str().expect("it is told");
    assert!(reason.starts_with("the build exited with status 1\nit begins\n"), "{reason}");
    assert!(reason.contains("source"), "{reason}");
    let count = builds(&slurm).len();
    history(&slurm, &repository, &build, &[]).wait().judged();
    assert_eq!(builds(&slurm).len(), count, "what failed is not tried again");
}

#[test]
fn a_job_that_is_ended_is_no_failure_of_the_commit() {
    let Some(slurm) = start() else { return };
    for (number, end) in ["scancel $(squeue -h -o %i)", "kill -9 $(cat job)"].iter().enumerate() {
        // The cache has nothing from the first time.
        let costs = ["0.01", "0.5"].map(|cost| format!("{cost}{number}"));
        let repository = Repository::costing(&slurm.lab, &[&costs[0], &costs[1]]);
        let build = build(&slurm, FIRST_WAITS);
        let waiting = history(&slurm, &repository, &build, &["--build-jobs", "1"]);
        eventually("a build waits", || slurm.lab.exists("waits"));
        slurm.command(&format!("cd '{}' && {end}", slurm.lab.path("").display()));
        let ended = waiting.wait().exited(1);
        let told = "job 1 of a build vanished without a result: submitting again";
        assert!(ended.stderr.contains(told), "{ended}");
        assert_eq!(built(&slurm.lab.json("history.json")), ["ok", "ok"], "{ended}");
        assert!(builds(&slurm).len() >= 3, "one of two twice, and again where a step is confirmed");
        assert!(!is_running(&slurm.lab.read("waits")), "what it began has ended");
        for name in ["waits", "builds", "repo"] {
            assert!(run("rm", &["-r", &slurm.lab.path(name).to_string_lossy()]));
        }
    }
}

#[test]
fn ctrl_c_leaves_no_build() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT]);
    let waiting = history(&slurm, &repository, &build(&slurm, FIRST_WAITS), &[]);
    eventually("a build waits", || slurm.lab.exists("waits"));
    waiting.signal("INT");
    waiting.wait().failed("interrupted while building");
    eventually("no job is left", || slurm.command("squeue -h").is_empty());
    eventually("no build is left", || !is_running(&slurm.lab.read("waits")));
}

#[test]
fn what_a_killed_brisk_left_building_ends_when_the_next_one_comes() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT]);
    let build = build(&slurm, FIRST_WAITS);
    let killed = history(&slurm, &repository, &build, &[]);
    eventually("a build waits", || slurm.lab.exists("waits"));
    killed.signal("KILL");
    killed.wait();
    assert!(is_running(&slurm.lab.read("waits")), "nobody has told it yet");
    history(&slurm, &repository, &build, &[]).wait().succeeded();
    eventually("no build is left", || !is_running(&slurm.lab.read("waits")));
    eventually("no job is left", || slurm.command("squeue -h").is_empty());
}

#[test]
fn a_build_that_takes_too_long_is_ended() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT]);
    let build = build(&slurm, FIRST_WAITS);
    let ended = history(&slurm, &repository, &build, &["--build-timeout", "1s"]).wait();
    ended.failed("no commit of the range builds").because("did not finish within 1 s");
    eventually("no build is left", || !is_running(&slurm.lab.read("waits")));
}

#[test]
fn a_controller_that_is_away_is_waited_for_by_builds() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT, LONG]);
    let until = "touch waits; until [ -e go ]; do sleep 0.05; done";
    let mut waiting =
        history(&slurm, &repository, &build(&slurm, until), &["--build-jobs", "1", "--quiet"]);
    eventually("a build waits", || slurm.lab.exists("waits"));
    let controller = slurm.lab.read("slurm/controller.pid");
    run("kill", &["-9", controller.trim()]);
    // The job can end without a controller, but the next one needs it.
    slurm.lab.write("go", "");
    let told = waiting.next_line();
    assert!(told.contains("Slurm does not answer, and is waited for"), "{told}");
    slurm.script(&["controller"]);
    let ended = waiting.wait();
    assert!(ended.stderr.contains("Slurm answers again"), "{ended}");
    assert_eq!(built(&slurm.lab.json("history.json")), ["ok", "ok"], "{ended}");
}

#[test]
fn programs_of_two_commits_are_built_by_jobs() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT, LONG]);
    let (build, old) = (build(&slurm, "true"), repository.git(&["rev-parse", "HEAD~1"]));
    let at = ["compare", "--at", &old, "--at", "HEAD", "--project", "repo", "--on", "jobs"];
    let how = ["--build", &build, "--artifact", "prog", "--runs", "2", "./prog"];
    let ended = slurm.lab.brisk(&[&at[..], &how].concat());
    assert_eq!(builds(&slurm), ["build"; 2], "{ended}");
}

#[test]
fn what_slurm_refuses_of_builds_is_refused_before_anything_is_built() {
    let Some(slurm) = start() else { return };
    let repository = Repository::costing(&slurm.lab, &[SHORT]);
    for (more, why) in [
        ("build_partition = 'nowhere'", "Invalid partition"),
        ("build_options = ['--no-such-option']", "unrecognized option"),
    ] {
        site(&slurm, more);
        let ended = history(&slurm, &repository, &build(&slurm, "true"), &[]).wait();
        let ended = ended.refused("cannot use `jobs`").because("builds cannot be jobs");
        ended.because(why).hinting("line 1 of `site.toml`");
    }
    assert!(!slurm.lab.exists("builds"));
}
