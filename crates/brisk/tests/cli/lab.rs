//! A folder with a store, in which tests start brisk and inspect the results.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::schema::follows_the_schema;

/// Set for brisk and thus for all its children, to find those that are left behind.
const MARK: &str = "BRISK_TEST_LAB";

/// Longer than anything here takes; if brisk hangs, its test fails instead of blocking.
const PATIENCE: Duration = Duration::from_secs(300);

/// The verbs that store or read results.
const STORING: [&str; 13] = [
    "compare", "bench", "history", "sweep", "check", "explain", "doctor", "list", "show", "export",
    "import", "report", "serve",
];

/// An empty folder with room for a store, removed with the test.
pub(crate) struct Lab {
    folder: PathBuf,
    store: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Lab {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cli-{}-{number}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("the folder for tests is writable");
        let store = folder.join("runs.db");
        Self { folder, store, variables: Vec::new() }
    }

    /// The same lab with its store elsewhere.
    pub(crate) fn storing_at(mut self, store: PathBuf) -> Self {
        self.store = store;
        self
    }

    /// The same lab with a variable set for brisk.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(crate) fn store(&self) -> &Path {
        &self.store
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the folder for tests is writable");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The lines of a file; empty if the file does not exist.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The content of a JSON file; a brisk document must follow the published schema.
    pub(crate) fn json(&self, name: &str) -> Value {
        let value: Value = serde_json::from_str(&self.read(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if value.get("schema").is_some() {
            follows_the_schema(&value);
        }
        value
    }

    /// A brisk command to run here, without the user's settings.
    fn command(&self, arguments: &[&str]) -> Command {
        #[expect(clippy::disallowed_methods, reason = "brisk is tested here, not measured")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_brisk"));
        let (verb, rest) = arguments.split_first().expect("a verb");
        command.arg(verb);
        if STORING.contains(verb) {
            command.arg("--store").arg(&self.store);
        }
        command
            .args(rest)
            .current_dir(&self.folder)
            .env(MARK, &self.folder)
            .env("HOME", &self.folder)
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("BRISK_CACHE")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_BUILD_TARGET_DIR")
            .env_remove("COLUMNS")
            .env_remove("GITHUB_ACTIONS")
            .env_remove("GITLAB_CI")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            // Progress lines appear if the machine is busy, and would be in the way here.
            .env("BRISK_PROGRESS", "never")
            // Tests running in parallel would wait for each other.
            .env("BRISK_LOCK", "off")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Starts brisk, and leaves it running.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let child = self.command(arguments).spawn().expect("the binary was built");
        Running { child: Some(child), told: format!("brisk {}", arguments.join(" ")) }
    }

    /// Starts brisk with its standard output redirected.
    pub(crate) fn start_into(&self, stdout: impl Into<Stdio>, arguments: &[&str]) -> Running {
        let child = self.command(arguments).stdout(stdout).spawn().expect("the binary was built");
        Running { child: Some(child), told: format!("brisk {}", arguments.join(" ")) }
    }

    /// Runs brisk to its end.
    pub(crate) fn brisk(&self, arguments: &[&str]) -> Ended {
        self.start(arguments).wait()
    }

    /// Compares, accepting any verdict, and reads the exported JSON.
    pub(crate) fn compared(&self, arguments: &[&str]) -> Value {
        let export = ["compare", "--export-json", "results.json"];
        self.brisk(&[&export, arguments].concat()).judged();
        self.json("results.json")
    }

    /// The experiment with this number, exported.
    pub(crate) fn exported(&self, id: &str) -> Value {
        self.brisk(&["export", id, "--export-json", "exported.json"]).succeeded();
        self.json("exported.json")
    }

    /// The command lines of all living processes that were started by a brisk of this lab, and of
    /// the brisk processes themselves.
    pub(crate) fn processes(&self) -> Vec<String> {
        self.living().into_iter().map(|(_, words)| words).collect()
    }

    /// Signals all of them, like a CI runner that cancels its job.
    pub(crate) fn signal_all(&self, name: &str) {
        let ids: Vec<String> = self.living().into_iter().map(|(id, _)| id).collect();
        let option = format!("-{name}");
        let arguments: Vec<&str> = [&option].into_iter().chain(&ids).map(String::as_str).collect();
        // Some may have ended meanwhile, in which case `kill` fails.
        run("kill", &arguments);
    }

    fn living(&self) -> Vec<(String, String)> {
        let mark = format!("{MARK}={}", self.folder.display());
        let is_marked = |environment: &[u8]| {
            environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
        };
        let processes = fs::read_dir("/proc").expect("this is Linux").flatten();
        processes
            .map(|process| process.path())
            .filter(|path| fs::read(path.join("environ")).is_ok_and(|bytes| is_marked(&bytes)))
            // A zombie has no memory any more, and no command line.
            .filter_map(|path| {
                Some((path.file_name()?.to_owned(), fs::read(path.join("cmdline")).ok()?))
            })
            .filter(|(_, words)| !words.is_empty())
            .map(|(id, words)| {
                let words = String::from_utf8_lossy(&words).replace('\0', " ");
                (id.to_string_lossy().into_owned(), words)
            })
            .collect()
    }

    /// Waits until nothing runs any more.
    pub(crate) fn nothing_is_left(&self) {
        eventually("nothing left running", || self.processes().is_empty());
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // Leftovers are below the build folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A running brisk, killed at the end of the test in any case.
pub(crate) struct Running {
    child: Option<Child>,
    told: String,
}

impl Running {
    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().expect("it was not waited for").id()
    }

    /// The next line of its standard error, as soon as it is printed; later lines come at its end.
    pub(crate) fn next_line(&mut self) -> String {
        let child = self.child.as_mut().expect("it was not waited for");
        let stderr = child.stderr.as_mut().expect("it is a pipe");
        let (mut line, mut byte) = (Vec::new(), [0]);
        // Only the line is read: the rest is for `wait`.
        while stderr.read(&mut byte).expect("readable") == 1 && byte != *b"\n" {
            line.extend(byte);
        }
        String::from_utf8(line).expect("brisk writes UTF-8")
    }

    /// Returns once it has printed a line with this text.
    #[track_caller]
    pub(crate) fn says_before_its_end(&mut self, text: &str) {
        loop {
            let line = self.next_line();
            assert!(!line.is_empty(), "it ended, and never said `{text}`");
            if line.contains(text) {
                return;
            }
        }
    }

    /// Sends it a signal, by name.
    pub(crate) fn signal(&self, name: &str) {
        let child = self.child.as_ref().expect("it was not waited for");
        signal(child.id(), name);
    }

    /// Sends a signal to its launcher.
    pub(crate) fn signal_launcher(&self, name: &str) {
        let own = self.child.as_ref().expect("it was not waited for").id();
        let processes = fs::read_dir("/proc").expect("this is Linux").flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let launcher = numbers.into_iter().find(|id: &u32| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            stat.contains("(brisk-launcher)")
                && stat.split_whitespace().nth(3) == Some(&own.to_string())
        });
        signal(launcher.expect("it has one"), name);
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Ended {
        let child = self.child.take().expect("it was not waited for");
        let id = child.id();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(PATIENCE) else {
            signal(id, "KILL");
            panic!("`{}` does not end", self.told);
        };
        let Output { status, stdout, stderr } = output.expect("it is ours");
        let stderr = String::from_utf8(stderr).expect("brisk writes UTF-8");
        // Most tests run few rounds, and know that these rarely suffice for a verdict.
        let is_remark = |line: &&str| {
            line.starts_with("continues experiment ")
                || line.starts_with("note: ") && line.contains("cannot decide")
        };
        let (remarks, stderr): (Vec<&str>, Vec<&str>) =
            stderr.split_inclusive('\n').partition(is_remark);
        let stdout = String::from_utf8(stdout).expect("brisk writes UTF-8");
        for text in stderr.iter().chain(&remarks).copied().chain([&*stdout]) {
            assert_eq!(one_of_many(text), None, "`{}` cannot count: {text}", self.told);
        }
        Ended {
            told: std::mem::take(&mut self.told),
            code: status.code(),
            stdout,
            stderr: stderr.concat(),
            remarks: remarks.concat(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn signal(id: u32, name: &str) {
    run("kill", &[&format!("-{name}"), &id.to_string()]);
}

/// Runs a program of the system. Returns true if it succeeded.
pub(crate) fn run(program: &str, arguments: &[&str]) -> bool {
    // `kill` is a shell builtin everywhere, and a program almost everywhere.
    #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
    let mut command = Command::new("sh");
    let command = command.args(["-c", "\"$@\"", "sh", program]).args(arguments);
    // It may be a script that starts brisk.
    let output = command.env("BRISK_LOCK", "off").output();
    output.is_ok_and(|output| output.status.success())
}

/// True if the system has this program.
pub(crate) fn has(program: &str) -> bool {
    run("command", &["-v", program])
}

/// Reports a check that is impossible on this machine.
#[expect(clippy::print_stderr, reason = "what was not checked must not look like a pass")]
pub(crate) fn not_checked(what: &str) {
    eprintln!("not checked: {what}");
}

/// Waits until a condition becomes true; panics if it does not.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..12_000 {
        if condition() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("still not: {what}");
}

/// The plural nouns that brisk counts in its sentences.
const COUNTED: [&str; 18] = [
    "rounds",
    "runs",
    "commits",
    "points",
    "benchmarks",
    "commands",
    "experiments",
    "artefacts",
    "copies",
    "steps",
    "changes",
    "samples",
    "layouts",
    "pairs",
    "settings",
    "expectations",
    "processes",
    "functions",
];

/// The words of a text that pair 1 with a plural: `1 rounds`, `1 more rounds`.
fn one_of_many(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_many =
        |word: &&str| COUNTED.contains(&word.trim_end_matches(|c: char| !c.is_alphabetic()));
    let at_one = |words: &&[&str]| words[0].trim_start_matches('(') == "1";
    let mut windows = words.windows(3).filter(at_one);
    let wrong = windows.find(|next| is_many(&next[1]) || (next[1] == "more" && is_many(&next[2])));
    wrong.map(|words| words.join(" "))
}

#[test]
fn one_of_something_is_not_many() {
    assert_eq!(one_of_many("about 1 more rounds (2 s)").as_deref(), Some("1 more rounds"));
    assert_eq!(one_of_many("after 1 rounds, ended").as_deref(), Some("1 rounds, ended"));
    assert_eq!(one_of_many("1 round of 12 rounds, 1 more run"), None);
}

/// The end of a brisk process, with all its output.
#[derive(Debug)]
pub(crate) struct Ended {
    told: String,
    /// `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    /// Its standard error, without the remarks.
    pub(crate) stderr: String,
    /// The remarks that its rounds allow no verdict, and that an experiment is continued.
    pub(crate) remarks: String,
}

impl Ended {
    /// Asserts that it ended with this status.
    #[track_caller]
    pub(crate) fn exited(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Asserts that it succeeded, without complaints.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        let ended = self.exited(0);
        assert_eq!(ended.stderr, "", "{ended}");
        ended
    }

    /// Asserts that it reached some verdict: equal commands differ now and then by chance.
    #[track_caller]
    pub(crate) fn judged(self) -> Self {
        assert!(matches!(self.code, Some(0 | 1)) && self.stderr.is_empty(), "{self}");
        self
    }

    /// Asserts that standard output has this text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.words().contains(text), "no `{text}` in: {self}");
        self
    }

    /// Standard output with normalised white space: line breaks do not matter.
    fn words(&self) -> String {
        self.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Asserts that it failed, with an error in the common format on standard error.
    #[track_caller]
    pub(crate) fn failed(self, error: &str) -> Self {
        self.exited(2).complains(error)
    }

    /// Asserts that it printed an error in that format.
    #[track_caller]
    pub(crate) fn complains(self, error: &str) -> Self {
        let ended = self;
        let first = ended.stderr.lines().next().unwrap_or_default();
        let told = first.strip_prefix("error: ").unwrap_or_else(|| panic!("no error: {ended}"));
        assert!(told.contains(error), "no `{error}` in: {ended}");
        assert!(!told.ends_with('.'), "{ended}");
        let (body, hint) = match ended.stderr.split_once("\n\n") {
            Some((body, hint)) => (body, Some(hint)),
            None => (ended.stderr.trim_end(), None),
        };
        for line in body.lines().skip(1) {
            assert!(line.starts_with("  cause: ") || line.starts_with("         "), "{ended}");
        }
        if let Some(hint) = hint {
            assert!(hint.starts_with("hint: ") && hint.trim_end().lines().count() == 1, "{ended}");
        }
        ended
    }

    /// Asserts that it failed before it had anything to show.
    #[track_caller]
    pub(crate) fn refused(self, error: &str) -> Self {
        let ended = self.failed(error);
        assert_eq!(ended.stdout, "", "{ended}");
        ended
    }

    /// Asserts that it named this cause.
    #[track_caller]
    pub(crate) fn because(self, cause: &str) -> Self {
        let causes: Vec<&str> = self.stderr.lines().skip(1).collect();
        assert!(causes.iter().any(|line| line.contains(cause)), "no cause `{cause}` in: {self}");
        self
    }

    /// Asserts that it gave this hint.
    #[track_caller]
    pub(crate) fn hinting(self, hint: &str) -> Self {
        let hints = self.stderr.split_once("\nhint: ").map(|(_, hints)| hints);
        assert!(hints.is_some_and(|hints| hints.contains(hint)), "no hint `{hint}` in: {self}");
        self
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { told, code, stdout, stderr, .. } = self;
        let told: String = told.chars().take(300).collect();
        write!(out, "`{told}` ended with {code:?}\n--- stdout\n{stdout}--- stderr\n{stderr}---")
    }
}

/// The tables of a Markdown text, each with its rows; all rows of a table must have as many cells
/// as its heading.
pub(crate) fn sound_tables(markdown: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = markdown.lines().collect();
    let is_row = |line: &&str| line.starts_with('|');
    let parts = lines.chunk_by(|one, next| is_row(one) == is_row(next));
    let tables: Vec<Vec<&str>> =
        parts.filter(|part| is_row(&part[0])).map(<[&str]>::to_vec).collect();
    // A bar within a cell is escaped.
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    for table in &tables {
        assert!(table[1].starts_with("|---"), "{markdown}");
        assert!(table.iter().all(|line| cells(line) == cells(table[1])), "{markdown}");
    }
    tables
}
