//! Git repositories for tests, whose commits do a known amount of work.
//!
//! A program is a shell script that records each of its runs and prints its cost, a custom metric:
//! a factor of seven is certain to be found, however busy the machine is. The build records itself,
//! too, so that a test can count both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cost::{COST, costing};
use crate::document::list;
use crate::lab::{Ended, Lab, Running};

/// Costs that differ beyond doubt, in seconds.
pub(crate) const SHORT: &str = "0.01";
pub(crate) const LONG: &str = "0.07";

/// A repository in a lab's folder.
pub(crate) struct Repository<'a> {
    lab: &'a Lab,
    name: String,
}

impl<'a> Repository<'a> {
    /// An empty repository in the folder `repo`.
    pub(crate) fn new(lab: &'a Lab) -> Self {
        Self::named(lab, "repo")
    }

    /// An empty repository in a folder of this name.
    pub(crate) fn named(lab: &'a Lab, name: &str) -> Self {
        fs::create_dir_all(lab.path(name)).expect("the folder for tests is writable");
        let repository = Self { lab, name: name.to_owned() };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    /// An existing repository in the folder of this name.
    pub(crate) fn at(lab: &'a Lab, name: &str) -> Self {
        Self { lab, name: name.to_owned() }
    }

    /// Commits programs with these costs, in this order; a `-` is a commit that does not build.
    pub(crate) fn costing(lab: &'a Lab, seconds: &[&str]) -> Self {
        let repository = Self::new(lab);
        for (number, seconds) in seconds.iter().enumerate() {
            repository.commit_costing(&format!("commit {number}"), seconds);
        }
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.lab.path(&self.name)
    }

    /// The output of git.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        let output = command
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git is installed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("the folder for tests is writable");
    }

    /// Commits everything as it is, and returns the commit's hash.
    pub(crate) fn commit(&self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", subject]);
        self.head()
    }

    /// Commits a program with this cost, or no program for `-`, and returns the commit's hash.
    pub(crate) fn commit_costing(&self, subject: &str, seconds: &str) -> String {
        match seconds {
            // The commit before may have lacked one, too.
            "-" => drop(fs::remove_file(self.path().join("source"))),
            seconds => self.write("source", &program(seconds, subject)),
        }
        self.commit(subject)
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// All commits, as a range.
    pub(crate) fn whole(&self) -> String {
        let root = self.git(&["rev-list", "--max-parents=0", "HEAD"]);
        format!("{root}^..HEAD")
    }

    /// Git's index, which read-only commands must not change.
    pub(crate) fn index(&self) -> Vec<u8> {
        fs::read(self.path().join(".git/index")).expect("there is an index")
    }

    /// The command that builds a program, and records the build in `builds`.
    pub(crate) fn build(&self) -> String {
        let builds = self.lab.path("builds");
        format!("echo x >> '{}' && cp source prog && chmod +x prog", builds.display())
    }

    /// The arguments of a history of all commits, without options about how long to measure.
    fn arguments(&self, options: &[&str]) -> Vec<String> {
        let (range, build) = (self.whole(), self.build());
        let own = ["history", &range, "--project", &self.name, "--build", &build];
        let usual = ["--artifact", "prog", "--counters", "none"];
        let all = own.iter().chain(&usual).chain(options);
        all.map(|&word| word.to_owned()).collect()
    }

    pub(crate) fn start(&self, options: &[&str]) -> Running {
        self.start_with(&[options, &COST, &["--metrics", "cost"]].concat())
    }

    /// The same without a chosen metric.
    pub(crate) fn start_with(&self, options: &[&str]) -> Running {
        let arguments = self.arguments(options);
        self.lab.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// A search in all commits, with the metric in the options.
    pub(crate) fn bisecting(&self, options: &[&str]) -> Ended {
        self.start_with(options).wait()
    }

    /// The JSON of a file in the lab.
    pub(crate) fn json(&self, name: &str) -> Value {
        self.lab.json(name)
    }

    /// A history of all commits.
    pub(crate) fn history(&self, options: &[&str]) -> Ended {
        self.start(options).wait()
    }

    /// A history of all commits that must reach a verdict, and its JSON.
    #[track_caller]
    pub(crate) fn document(&self, options: &[&str]) -> Value {
        self.history(&[options, &["--export-json", "history.json"]].concat()).judged();
        self.lab.json("history.json")
    }

    /// The number of builds so far.
    pub(crate) fn builds(&self) -> usize {
        self.lab.lines("builds").len()
    }

    /// The number of runs so far.
    pub(crate) fn runs(&self) -> usize {
        self.lab.lines("ran").len()
    }
}

/// A program that costs this number of seconds, plus less than a ten-thousandth of a second.
pub(crate) fn program(seconds: &str, comment: &str) -> String {
    costing(&format!("{seconds}00"), comment)
}

/// The commit with this subject.
#[track_caller]
pub(crate) fn commit<'a>(document: &'a Value, subject: &str) -> &'a Value {
    let found = list(document, "commits").iter().find(|commit| commit["subject"] == subject);
    found.unwrap_or_else(|| panic!("no commit `{subject}`"))
}

/// The subjects and verdicts of the steps.
pub(crate) fn steps(document: &Value) -> Vec<(String, String)> {
    let subject = |hash: &Value| {
        let mut commits = list(document, "commits").iter();
        let commit = commits.find(|commit| commit["hash"] == *hash);
        commit.and_then(|commit| commit["subject"].as_str()).expect("a commit of the range")
    };
    let step = |step: &Value| {
        let verdict = step["verdict"].as_str().expect("a word");
        (subject(&step["commit"]).to_owned(), verdict.to_owned())
    };
    list(document, "steps").iter().map(step).collect()
}

/// True if git knows only the user's checkout, and no worktree folder is left.
pub(crate) fn has_no_worktrees(repository: &Repository<'_>, cache: &Path) -> bool {
    let known = repository.git(&["worktree", "list", "--porcelain"]);
    let is_alone = known.lines().filter(|line| line.starts_with("worktree ")).count() == 1;
    let left = walk(&cache.join("worktrees")).into_iter().any(|path| path.join(".git").exists());
    is_alone && !left
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = entries.filter(|path| path.is_dir());
    folders.flat_map(|path| std::iter::once(path.clone()).chain(walk(&path))).collect()
}
