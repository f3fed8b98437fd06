//! A repository with a made-up and thus known history, and the check of answers against it.

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::peers::{self, Finished, Peers};

/// The examined commits: all but the first.
pub const RANGE: &str = "begin..main";

/// The fraction from which readers of the founding scripts called two minima different.
const VISIBLE: f64 = 0.02;

/// A generated repository, with a separate store and artefact cache.
pub struct Repository<'a> {
    peers: &'a Peers,
    /// Its name in the work folder.
    name: String,
    folder: PathBuf,
    /// The commits of the range, the oldest first.
    commits: Vec<Commit>,
}

/// A commit, and the ratio of its work to that of its predecessor.
struct Commit {
    hash: String,
    effect: f64,
}

/// The direction in which a commit changed the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It takes less.
    Less,
    /// It takes more.
    More,
}

/// A program's answers about the commits, against the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdicts {
    /// Changes that were named, in the right direction.
    found: usize,
    /// The actual changes.
    changes: usize,
    /// Commits named without a change, or in the wrong direction.
    wrong: usize,
}

impl<'a> Repository<'a> {
    /// Creates a repository with `commits` commits of one of the kinds that the script knows, for a
    /// program of `steps` steps of about a nanosecond each; without artefacts and experiments.
    pub fn new(peers: &'a Peers, kind: &str, commits: usize, steps: u32) -> Self {
        let name = kind.split('-').next().unwrap_or(kind).to_owned();
        let folder = peers.file(&format!("history-{name}"));
        let mut repository = Self { peers, name, folder, commits: Vec::new() };
        repository.forget();
        repository.make("new", &[kind, &commits.to_string(), &steps.to_string()]);
        repository
    }

    /// Adds a commit with another compiled-in text that is never read.
    pub fn add_version(&mut self) {
        self.make("add", &["versions", "100"]);
    }

    /// Adds a commit with this percentage of its predecessor's work.
    pub fn add_change(&mut self, percent: u32) {
        self.make("add", &["changes", &percent.to_string()]);
    }

    fn make(&mut self, verb: &str, arguments: &[&str]) {
        let mut script = self.peers.script("make_history");
        script.arg(verb).arg(&self.folder).args(arguments);
        let made = peers::run(&mut script);
        assert!(made.ok, "the history cannot be made");
        self.commits.extend(
            lines(&made.stdout)
                .map(|(hash, percent)| Commit { hash: hash.to_owned(), effect: percent / 100.0 }),
        );
    }

    fn beside(&self, what: &str) -> PathBuf {
        self.peers.file(&format!("history-{}.{what}", self.name))
    }

    /// Removes the store and the artefacts.
    fn forget(&self) {
        self.forget_runs();
        // It may not exist yet.
        let _ = std::fs::remove_dir_all(self.beside("cache"));
    }

    /// Removes the store; built artefacts are kept.
    pub fn forget_runs(&self) {
        peers::remove_store(&self.beside("db"));
    }

    /// Runs `brisk history` on the range. Returns the exported document, and how it ran.
    pub fn brisk(&self, arguments: &[&str]) -> Option<(Value, Finished)> {
        let json = self.beside("json");
        // A file of an earlier run must not be mistaken for this one's.
        let _ = std::fs::remove_file(&json);
        let mut command = self.command();
        let finished = peers::run(command.arg("--export-json").arg(&json).args(arguments));
        finished.ok.then(|| (peers::read(&json), finished))
    }

    /// The hash of a commit of the range, the first being 1.
    pub fn hash(&self, number: usize) -> &str {
        &self.commits[number - 1].hash
    }

    /// The commit named by `git bisect run` with hyperfine, and how that ran; `None` if its script
    /// failed, or hyperfine is missing.
    pub fn git_bisect(&self) -> Option<(String, Finished)> {
        let mut script = self.peers.script("bisect_run");
        let finished = peers::run(script.arg(&self.folder).arg(self.peers.hyperfine_path()?));
        let named = finished.stdout.trim().to_owned();
        (finished.ok && !named.is_empty()).then_some((named, finished))
    }

    /// Runs `brisk history --bisect` on the range. Returns the named commit, if any, and how it
    /// ran.
    pub fn bisect(&self, metric: &str) -> (Option<String>, Finished) {
        let mut command = self.command();
        let json = self.beside("json");
        // A file of an earlier run must not be mistaken for this one's.
        let _ = std::fs::remove_file(&json);
        let finished = peers::run(command.args(["--bisect", metric, "--export-json"]).arg(&json));
        let named = finished.ok.then(|| {
            let document = peers::read(&json);
            document["steps"][0]["commit"].as_str().map(str::to_owned)
        });
        (named.flatten(), finished)
    }

    /// A `brisk history` command on the range.
    fn command(&self) -> std::process::Command {
        let mut command = self.peers.brisk_command(&["history", RANGE, "--quiet"]);
        command.args(["--build", "make -s", "--artifact", "prog"]);
        command.env("BRISK_CACHE", self.beside("cache"));
        command.arg("--project").arg(&self.folder).arg("--store").arg(self.beside("db"));
        command
    }

    /// The founding loop over the range: the minimum wall time of each commit, and how it ran.
    pub fn founding_loop(&self) -> Option<(HashMap<String, f64>, Finished)> {
        let mut script = self.peers.script("founding_loop");
        let finished = peers::run(script.arg(&self.folder).arg(RANGE));
        let minima: HashMap<String, f64> =
            lines(&finished.stdout).map(|(hash, value)| (hash.to_owned(), value)).collect();
        finished.ok.then_some((minima, finished))
    }

    /// brisk's steps against the truth. At an unchanged commit, a step in any metric counts; a
    /// change is found by a step in time.
    pub fn of_steps(&self, document: &Value) -> Verdicts {
        let steps = document["steps"].as_array().expect("a history has steps");
        let said = |commit: &Commit| {
            let truth = direction(commit.effect);
            let counts = |step: &&Value| {
                let is_time = matches!(step["metric"].as_str(), Some("wall_time" | "cpu_time"));
                step["commit"] == *commit.hash && (is_time || truth.is_none())
            };
            let mut here = steps.iter().filter(counts).map(|step| match step["verdict"].as_str() {
                Some("improved") => Direction::Less,
                _ => Direction::More,
            });
            let first = here.next();
            // Among several, one wrong step makes all of them wrong.
            here.find(|said| Some(*said) != truth).or(first)
        };
        self.verdicts(said)
    }

    /// The answers of a reader of minima against the truth.
    pub fn of_minima(&self, minima: &HashMap<String, f64>) -> Verdicts {
        let directions: HashMap<&str, Direction> = self
            .commits
            .windows(2)
            .filter_map(|two| {
                let ratio = minima.get(&two[1].hash)? / minima.get(&two[0].hash)?;
                Some((two[1].hash.as_str(), visible(ratio)?))
            })
            .collect();
        self.verdicts(|commit| directions.get(commit.hash.as_str()).copied())
    }

    fn verdicts(&self, said: impl Fn(&Commit) -> Option<Direction>) -> Verdicts {
        let mut verdicts = Verdicts { found: 0, changes: 0, wrong: 0 };
        // The first commit has no predecessor in the range.
        for commit in self.commits.iter().skip(1) {
            let truth = direction(commit.effect);
            let said = said(commit);
            verdicts.changes += usize::from(truth.is_some());
            verdicts.found += usize::from(truth.is_some() && said == truth);
            verdicts.wrong += usize::from(said.is_some() && said != truth);
        }
        verdicts
    }
}

impl Verdicts {
    /// The number of false changes.
    pub fn wrong(self) -> usize {
        self.wrong
    }

    /// `8/8 found, 0 wrong`.
    pub fn shown(self) -> String {
        format!("{}/{} found, {} wrong", self.found, self.changes, self.wrong)
    }
}

fn direction(ratio: f64) -> Option<Direction> {
    if ratio > 1.0 {
        return Some(Direction::More);
    }
    (ratio < 1.0).then_some(Direction::Less)
}

fn visible(ratio: f64) -> Option<Direction> {
    direction(ratio).filter(|_| (ratio - 1.0).abs() > VISIBLE)
}

/// Lines of a hash and a number.
fn lines(text: &str) -> impl Iterator<Item = (&str, f64)> {
    text.lines().filter_map(|line| {
        let (hash, number) = line.split_once(' ')?;
        Some((hash, number.parse().ok()?))
    })
}
