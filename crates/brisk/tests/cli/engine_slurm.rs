//! Measuring on a real Slurm with two nodes on this machine: `scripts/engines/slurm`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::document::list;
use crate::lab::{Lab, Running, eventually, has, not_checked, run};

/// A separate Slurm for one test, which ends with it.
pub(crate) struct Slurm {
    pub(crate) lab: Lab,
}

impl Slurm {
    /// Returns `None`, with a message, if Slurm is not installed.
    pub(crate) fn start() -> Option<Self> {
        let programs = ["munged", "slurmctld", "slurmd", "sbatch"];
        let is_there =
            |program: &str| has(program) || Path::new("/usr/sbin").join(program).exists();
        if !programs.into_iter().all(is_there) {
            not_checked("what a real Slurm does: there is none (scripts/engines/install)");
            return None;
        }
        let lab = Lab::new();
        let configuration = lab.path("slurm/slurm.conf").to_string_lossy().into_owned();
        let site = lab.path("site.toml").to_string_lossy().into_owned();
        let slurm = Self { lab: lab.with("SLURM_CONF", configuration).with("BRISK_SITE", site) };
        slurm.lab.write("site.toml", "");
        slurm.script(&["up"]);
        slurm.table("");
        Some(slurm)
    }

    pub(crate) fn script(&self, words: &[&str]) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let mut script = Command::new(root.join("scripts/engines/slurm"));
        // Otherwise its daemons would keep our streams open.
        let log = fs::File::create(self.lab.path("slurm.log")).expect("writable");
        let started = script.args(words).arg(self.lab.path("slurm")).stdin(Stdio::null());
        let status = started.stdout(Stdio::null()).stderr(log).status().expect("it is there");
        assert!(status.success(), "{words:?}: {}", self.lab.read("slurm.log"));
    }

    /// Writes the table with the requests of jobs.
    fn table(&self, more: &str) {
        let table = "[engine.quiet]\nkind = 'slurm'\nfolder = 'shared'\n";
        self.lab.write("brisk.toml", &format!("{table}{more}\n"));
    }

    fn on(&self, words: &[&str]) -> Running {
        self.lab.start(&[&["compare", "--on", "quiet", "--runs", "2"], words].concat())
    }

    /// A client waiting for a job that runs until the file `go` exists.
    fn waiter(&self) -> Running {
        let waiter = self.on(&["-S", "touch began; until [ -e go ]; do sleep 0.01; done"]);
        eventually("the job runs", || self.lab.exists("began"));
        waiter
    }

    pub(crate) fn command(&self, words: &str) -> String {
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", words]).env("SLURM_CONF", self.lab.path("slurm/slurm.conf"));
        let output = shell.output().expect("there is a shell");
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    }

    /// The folder of the only task, which may be finished.
    fn task(&self) -> PathBuf {
        let folders = ["shared/tasks", "shared/taken"].map(|name| self.lab.path(name));
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("it is there"));
        let [task] = entries
            .map(|entry| entry.expect("it can be read").path())
            .collect::<Vec<_>>()
            .try_into()
            .expect("there is one");
        task
    }

    fn log(&self) -> String {
        fs::read_to_string(self.task().join("log")).expect("it has a log")
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        self.script(&["down"]);
    }
}

#[test]
fn a_node_with_the_feature_that_is_asked_for_measures() {
    let Some(slurm) = Slurm::start() else { return };
    slurm.table("features = 'new'\npartition = 'bench'\noptions = ['--comment=ours']");
    let lab = &slurm.lab;
    let ended = slurm.on(&["-S", "printenv SLURMD_NODENAME > node", "true"]).wait();
    assert!(matches!(ended.code, Some(0 | 1)), "{ended}");
    assert_eq!(list(&lab.exported("1"), "runs").len(), 4);
    assert_eq!(lab.read("node"), "node2\n");
}

#[test]
fn what_slurm_refuses_is_refused_before_anything_runs() {
    let Some(slurm) = Slurm::start() else { return };
    for (more, why) in [
        ("partition = 'nowhere'", "Invalid partition"),
        ("features = 'golden'", "Invalid feature"),
        ("reservation = 'never'", "reservation is invalid"),
        ("options = ['--no-such-option']", "unrecognized option"),
    ] {
        slurm.table(more);
        let ended = slurm.on(&["touch ran"]).wait();
        ended.refused("cannot use `quiet`").because(why).hinting("line 1 of `brisk.toml`");
    }
    assert!(!slurm.lab.exists("ran"));
    assert_eq!(slurm.command("squeue -h"), "");
}

#[test]
fn without_sbatch_there_is_no_slurm() {
    let lab = Lab::new();
    let nowhere = lab.path("bin").to_string_lossy().into_owned();
    let lab = lab.with("PATH", nowhere);
    let ended = lab.brisk(&["compare", "--on", "slurm", "touch ran"]);
    ended.refused("cannot use `slurm`").because("cannot find `sbatch` in PATH");
}

#[test]
fn a_controller_that_is_killed_loses_no_task() {
    let Some(slurm) = Slurm::start() else { return };
    let waiting = slurm.on(&["true"]);
    // Slurm has accepted the job, and may or may not forget it.
    eventually("a job is submitted", || {
        let tasks = fs::read_dir(slurm.lab.path("shared/tasks")).into_iter().flatten().flatten();
        tasks.into_iter().any(|task| {
            fs::read_to_string(task.path().join("submitted.1")).is_ok_and(|id| !id.is_empty())
        })
    });
    let controller = slurm.lab.read("slurm/controller.pid");
    run("kill", &["-9", controller.trim()]);
    slurm.script(&["controller"]);
    waiting.wait().exited(0);
    assert_eq!(list(&slurm.lab.exported("1"), "runs").len(), 2);
}

#[test]
fn a_requeued_job_starts_again_at_once() {
    let Some(slurm) = Slurm::start() else { return };
    let waiting = slurm.waiter();
    fs::remove_file(slurm.lab.path("began")).expect("it is there");
    slurm.command("scontrol requeue $(squeue -h -o %i)");
    // Slurm would wait for two minutes, but the test waits for one.
    eventually("it runs again", || slurm.lab.exists("began"));
    slurm.lab.write("go", "");
    waiting.wait().exited(0);
    assert!(slurm.log().contains("starts again now"), "{}", slurm.log());
}

#[test]
fn a_killed_job_is_submitted_again() {
    let Some(slurm) = Slurm::start() else { return };
    let waiting = slurm.waiter();
    let task = slurm.task().to_string_lossy().into_owned();
    let killed = slurm.command(&format!(
        "for p in /proc/[0-9]*; do tr '\\0' ' ' 2>/dev/null < $p/cmdline | \
         grep -q 'brisk task {task} $' && kill -9 ${{p#/proc/}} && echo $p; done"
    ));
    assert!(!killed.is_empty(), "there is a job");
    slurm.lab.write("go", "");
    let ended = waiting.wait().exited(0);
    assert!(ended.stderr.contains("job 1 vanished without a result"), "{ended}");
    assert_eq!(list(&slurm.lab.exported("1"), "runs").len(), 2);
}

#[test]
fn ctrl_c_ends_the_job_of_slurm() {
    let Some(slurm) = Slurm::start() else { return };
    let waiting = slurm.waiter();
    waiting.signal("INT");
    waiting.wait().failed("interrupted; the job is ended");
    eventually("no job is left", || slurm.command("squeue -h").is_empty());
    slurm.lab.write("go", "");
}
