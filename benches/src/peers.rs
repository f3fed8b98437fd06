//! The measured programs, and how to run them.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use measure::clock::unix_time_ns;
use serde_json::Value;

/// The paths of the programs.
pub struct Peers {
    work: PathBuf,
    brisk: PathBuf,
    hyperfine: Option<PathBuf>,
}

/// A finished program.
pub struct Finished {
    /// True if it exited with 0 or 1, like `diff`.
    pub ok: bool,
    /// Its standard output.
    pub stdout: String,
    /// From its start to its end.
    pub wall: Duration,
    /// The time of its start.
    pub started_unix_ns: u64,
}

impl Peers {
    /// Searches beside this program and in the work folder.
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

    /// The path of the store in the work folder.
    fn store(&self) -> PathBuf {
        self.file("runs.db")
    }

    /// Runs `brisk compare`. Returns the exported document, and how it ran.
    pub fn brisk(&self, arguments: &[&str]) -> Option<(Value, Finished)> {
        let json = self.file("brisk.json");
        let store = self.store();
        remove_store(&store);
        let mut command = self.brisk_command(&["compare", "-N", "--quiet", "--export-json"]);
        command.arg(&json).args(arguments).arg("--store").arg(&store);
        let finished = run(&mut command);
        finished.ok.then(|| (read(&json), finished))
    }

    /// A brisk command to be run.
    pub fn brisk_command(&self, arguments: &[&str]) -> Command {
        let mut command = command(&self.brisk);
        command.args(arguments);
        command
    }

    /// The median wall time in milliseconds of a verb that measures nothing, over 11 calls.
    pub fn answer_ms(&self, arguments: &[&str]) -> f64 {
        let walls = (0..11).map(|_| {
            let finished = run(&mut self.brisk_command(arguments));
            assert!(finished.ok, "{arguments:?}");
            finished.wall.as_secs_f64() * 1000.0
        });
        median(walls.collect())
    }

    /// A command of an example program that fills a store with made-up data.
    pub fn example(&self, name: &str) -> Command {
        command(&self.brisk.with_file_name("examples").join(name))
    }

    /// A command of a script in this folder.
    pub fn script(&self, name: &str) -> Command {
        command(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
    }

    /// True if the help of a verb names an option.
    pub fn offers(&self, verb: &str, option: &str) -> bool {
        let help = run(&mut self.brisk_command(&[verb, "--help"])).stdout;
        help.split_whitespace().any(|word| word.trim_end_matches(',') == option)
    }

    /// The path of brisk.
    pub fn brisk_path(&self) -> &Path {
        &self.brisk
    }

    /// The path of hyperfine, if it is installed.
    pub fn hyperfine_path(&self) -> Option<&Path> {
        self.hyperfine.as_deref()
    }

    /// Runs hyperfine, without a shell and without progress.
    pub fn hyperfine(&self, arguments: &[&str]) -> Option<(Value, Finished)> {
        let json = self.file("hyperfine.json");
        let mut command = command(self.hyperfine.as_ref()?);
        command.args(["-N", "--style", "none", "--export-json"]).arg(&json).args(arguments);
        let finished = run(&mut command);
        finished.ok.then(|| (read(&json), finished))
    }

    /// The answer of Otava's script; `None` if Otava is missing or fails.
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

    /// True if the processor's counters are readable here.
    pub fn has_counters(&self) -> bool {
        measure::available_counters().counters.iter().all(|(_, there)| there.is_ok())
    }

    /// Keeps this number of cores busy until dropped.
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
            // It is our endless process; it cannot have ended otherwise.
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

/// Runs a command to its end.
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

/// The output of a command line without quotes; `None` if it fails.
pub fn output(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let mut command = command(Path::new(words.next()?));
    let finished = run(command.args(words));
    finished.ok.then_some(finished.stdout)
}

/// Removes a store, if it exists.
pub fn remove_store(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut path = path.as_os_str().to_owned();
        path.push(suffix);
        // It may not exist yet.
        let _ = std::fs::remove_file(path);
    }
}

/// Reads a JSON file written by a program.
pub fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("it was just written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The number of comparisons behind each figure.
pub fn comparisons(usual: usize) -> usize {
    let given = std::env::var("BENCH_COMPARISONS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The middle value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
