//! The programs that are measured, and how they are run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use measure::clock::unix_time_ns;
use serde_json::Value;

/// Where the programs are.
pub struct Peers {
    work: PathBuf,
    brisk: PathBuf,
    hyperfine: Option<PathBuf>,
}

/// A finished program.
pub struct Finished {
    /// Whether it exited with 0 or 1, as `diff` does.
    pub ok: bool,
    /// Its standard output.
    pub stdout: String,
    /// From its start to its end.
    pub wall: Duration,
    /// When it was started.
    pub started_unix_ns: u64,
}

impl Peers {
    /// Looks beside this program and in the work folder.
    pub fn find(work: &Path) -> Self {
        let here = std::env::current_exe().expect("a program knows where it is");
        let hyperfine = work.join("hyperfine/bin/hyperfine");
        Self {
            work: work.to_owned(),
            brisk: here.with_file_name("brisk"),
            hyperfine: hyperfine.exists().then_some(hyperfine),
        }
    }

    /// A path in the work folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    /// A fresh store in the work folder.
    fn store(&self) -> PathBuf {
        self.file("runs.db")
    }

    /// brisk compares; the document it exported, and how it ran.
    pub fn brisk(&self, arguments: &[&str]) -> Option<(Value, Finished)> {
        let json = self.file("brisk.json");
        let store = self.store();
        remove_store(&store);
        let mut command = self.brisk_command(&["compare", "-N", "--quiet", "--export-json"]);
        command.arg(&json).args(arguments).arg("--store").arg(&store);
        let finished = run(&mut command);
        finished.ok.then(|| (read(&json), finished))
    }

    /// brisk, about to be run.
    pub fn brisk_command(&self, arguments: &[&str]) -> Command {
        let mut command = command(&self.brisk);
        command.args(arguments);
        command
    }

    /// The median of the wall times in milliseconds of a verb that measures nothing, of 11 calls.
    pub fn answer_ms(&self, arguments: &[&str]) -> f64 {
        let walls = (0..11).map(|_| {
            let finished = run(&mut self.brisk_command(arguments));
            assert!(finished.ok, "{arguments:?}");
            finished.wall.as_secs_f64() * 1000.0
        });
        median(walls.collect())
    }

    /// A program that fills a store with what is made up, about to be run.
    pub fn example(&self, name: &str) -> Command {
        command(&self.brisk.with_file_name("examples").join(name))
    }

    /// A script of this folder, about to be run.
    pub fn script(&self, name: &str) -> Command {
        command(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
    }

    /// Whether the help of a verb names an option.
    pub fn offers(&self, verb: &str, option: &str) -> bool {
        let help = run(&mut self.brisk_command(&[verb, "--help"])).stdout;
        help.split_whitespace().any(|word| word.trim_end_matches(',') == option)
    }

    /// Where brisk is.
    pub fn brisk_path(&self) -> &Path {
        &self.brisk
    }

    /// Where hyperfine is, if it is there.
    pub fn hyperfine_path(&self) -> Option<&Path> {
        self.hyperfine.as_deref()
    }

    /// hyperfine measures, without a shell and without progress.
    pub fn hyperfine(&self, arguments: &[&str]) -> Option<(Value, Finished)> {
        let json = self.file("hyperfine.json");
        let mut command = command(self.hyperfine.as_ref()?);
        command.args(["-N", "--style", "none", "--export-json"]).arg(&json).args(arguments);
        let finished = run(&mut command);
        finished.ok.then(|| (read(&json), finished))
    }

    /// What Otava's script answers, where Otava is installed; `None` where it is not or fails.
    pub fn otava(&self, arguments: &[&str]) -> Option<Value> {
        let folder = self.file("otava");
        if !folder.join("ready").exists() {
            return None;
        }
        let mut command = command(&folder.join("bin/python"));
        command.arg("benches/run_otava.py").args(arguments);
        let finished = run(&mut command);
        finished.ok.then(|| serde_json::from_str(&finished.stdout).expect("the script prints JSON"))
    }

    /// The bare loop: median wall time of a run in seconds, and runs per second.
    pub fn bare_loop(&self, runs: usize, program: &str) -> (f64, f64) {
        let finished = run(command(&self.file("bare_loop")).arg(runs.to_string()).arg(program));
        let mut numbers = finished.stdout.split_whitespace().map(|n| n.parse::<f64>());
        match (numbers.next(), numbers.next()) {
            (Some(Ok(nanoseconds)), Some(Ok(rate))) => (nanoseconds / 1e9, rate),
            _ => panic!("the bare loop printed `{}`", finished.stdout),
        }
    }

    /// Whether the processor's counters can be read here.
    pub fn has_counters(&self) -> bool {
        measure::available_counters().counters.iter().all(|(_, there)| there.is_ok())
    }

    /// Keeps so many cores busy until it is dropped.
    pub fn load(&self, cores: usize) -> Load {
        let spin = self.file("spin");
        let endless = || command(&spin).arg(u64::MAX.to_string()).spawn().expect("spin starts");
        Load((0..cores).map(|_| endless()).collect())
    }
}

/// Busy processes.
pub struct Load(Vec<Child>);

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It is ours and endless; it cannot have ended otherwise.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the peers are run as their users run them")]
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::null());
    command
}

/// Runs to the end.
#[expect(clippy::disallowed_methods, reason = "whole programs are timed from outside")]
pub fn run(command: &mut Command) -> Finished {
    command.stdout(Stdio::piped());
    let started_unix_ns = unix_time_ns();
    let start = Instant::now();
    let output = command.output().expect("the program starts");
    Finished {
        wall: start.elapsed(),
        ok: matches!(output.status.code(), Some(0 | 1)),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        started_unix_ns,
    }
}

/// What a command of words without quotes prints; nothing where it fails.
pub fn output(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let mut command = command(Path::new(words.next()?));
    let finished = run(command.args(words));
    finished.ok.then_some(finished.stdout)
}

/// Removes a store, if there is one.
pub fn remove_store(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut path = path.as_os_str().to_owned();
        path.push(suffix);
        // There may be none yet.
        let _ = std::fs::remove_file(path);
    }
}

/// A JSON file that a program wrote.
pub fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("it was just written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// How many comparisons each figure rests on.
pub fn comparisons(usual: usize) -> usize {
    let given = std::env::var("BENCH_COMPARISONS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The middle value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
