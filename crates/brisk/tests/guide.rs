//! Runs every console block of the guide and of the README: the output must be as printed there.
//!
//! `[..]` stands for text that differs from run to run, a line `...` for omitted lines, and `? 1`
//! for an exit status other than 0. `BRISK_RECORD=1 cargo test -p brisk --test guide` also keeps what
//! each command printed, as transcripts in `docs/recorded`, which the site shows.

use std::os::unix::fs::PermissionsExt as _;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("we are in it")
}

/// The text of the first `toml` block of a document: the `brisk.toml` of its examples.
fn project_file(document: &str) -> Option<String> {
    let text = std::fs::read_to_string(root().join(document)).expect("the document is there");
    let (_, block) = text.split_once("\n```toml\n")?;
    block.split_once("```").map(|(block, _)| block.to_owned())
}

/// Runs the blocks of one document, in a separate folder and store.
fn run(document: &str) {
    let name = document.replace('/', "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Left over from an earlier run; it may not exist.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
    if let Some(text) = project_file(document) {
        std::fs::write(folder.join("brisk.toml"), text).expect("the folder is writable");
    }
    std::env::set_current_dir(&folder).expect("it was made just now");
    prepare(document);
    let cases = trycmd::TestCases::new();
    let recorder = std::env::var_os("BRISK_RECORD").map(|_| Recorder::new(&folder));
    if let Some(recorder) = &recorder {
        cases.register_bin("brisk", recorder.program());
    }
    cases
        .env("XDG_DATA_HOME", folder.join("data").to_string_lossy())
        .env("BRISK_CACHE", folder.join("cache").to_string_lossy())
        .env("BRISK_LOCK", folder.join("lock").to_string_lossy())
        .env("COLUMNS", "120")
        .env("NO_COLOR", "1")
        .env("GITHUB_ACTIONS", "")
        .env("GITLAB_CI", "")
        // On a busy machine, progress would appear in the middle of the output.
        .env("BRISK_PROGRESS", "never")
        .env("LC_ALL", "C")
        .case(root().join(document))
        .run();
    if let Some(recorder) = recorder {
        recorder.keep(document);
    }
}

/// A program in place of brisk that keeps what brisk prints.
struct Recorder {
    /// The folder in which the document's commands run.
    commands: PathBuf,
    /// The folder of the program and of the output.
    folder: PathBuf,
}

impl Recorder {
    fn new(commands: &Path) -> Self {
        let folder = commands.with_extension("recorder");
        // Left over from an earlier run; it may not exist.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
        let recorder = Self { commands: commands.to_owned(), folder };
        let (brisk, place) = (env!("CARGO_BIN_EXE_brisk"), recorder.folder.display());
        let script = format!(
            "#!/bin/sh\n'{brisk}' \"$@\" > '{place}/last' 2>&1\nstatus=$?\ncat '{place}/last'\n\
             {{ cat '{place}/last'; printf '\\0'; }} >> '{place}/all'\nexit $status\n"
        );
        std::fs::write(recorder.program(), script).expect("the folder was made just now");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(recorder.program(), executable).expect("it was written just now");
        recorder
    }

    fn program(&self) -> PathBuf {
        self.folder.join("brisk")
    }

    /// Writes the transcript of a document, without what only this machine has.
    fn keep(&self, document: &str) {
        let text = std::fs::read_to_string(root().join(document)).expect("the document is there");
        let all = std::fs::read_to_string(self.folder.join("all")).expect("brisk ran");
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("Linux has it");
        let all = all.replace(&*self.commands.to_string_lossy(), "/home/you/example");
        let all = all.replace(host.trim(), "box");
        let outputs: Vec<&str> = all.split_terminator('\0').collect();
        let commands = commands(&text);
        assert_eq!(outputs.len(), commands.len(), "{document}: an output for each command");
        let steps = commands.iter().zip(outputs);
        let steps = steps.map(|(command, output)| format!("{command}{}\n", output.trim_end()));
        let transcript = steps.collect::<Vec<_>>().join("\n");
        let repository = root();
        assert!(!transcript.contains(&*repository.to_string_lossy()), "{document}: a path of here");
        let name = Path::new(document).file_stem().unwrap_or_default().to_string_lossy();
        let file = root().join("docs/recorded").join(format!("{name}.txt"));
        std::fs::write(file, transcript).expect("docs/recorded is writable");
    }
}

/// The commands of the console blocks, each with the lines that continue it and with its status.
fn commands(document: &str) -> Vec<String> {
    let blocks = document.split("\n```console\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("\n```").next());
    let mut commands: Vec<String> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        if line.starts_with("$ ") {
            commands.push(format!("{line}\n"));
        } else if let (Some(last), true) = (commands.last_mut(), line.starts_with("? ")) {
            *last += &format!("{line}\n");
        }
    }
    commands
}

/// Documents whose shell blocks prepare the files for their console blocks.
const PREPARED: [&str; 8] = [
    "docs/guide/13-ci.md",
    "docs/guide/5-history.md",
    "docs/guide/7-sweep.md",
    "docs/guide/8-bench.md",
    "docs/guide/9-explain.md",
    "docs/guide/10-instructions.md",
    "docs/guide/14-accidents.md",
    "docs/guide/15-try.md",
];

/// Runs the shell blocks of a prepared document here, one after the other.
fn prepare(document: &str) {
    if !PREPARED.contains(&document) {
        return;
    }
    let text = std::fs::read_to_string(root().join(document)).expect("it is in the repository");
    let blocks = text.split("\n```sh\n").skip(1);
    let scripts: Vec<&str> = blocks.filter_map(|block| block.split("```").next()).collect();
    assert!(!scripts.is_empty(), "{document} has no shell block");
    for script in scripts {
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let mut shell = Command::new("sh");
        let who = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "Reader"));
        let where_to =
            ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "r@example.org"));
        let nobodys = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].map(|name| (name, "/dev/null"));
        let shell = shell.args(["-e", "-c", script]).envs(who).envs(where_to).envs(nobodys);
        assert!(shell.status().is_ok_and(|status| status.success()), "{document}: {script}");
    }
}

/// One test for all documents, because they change this process's folder.
#[test]
fn what_the_guide_shows_is_what_happens() {
    let mut documents = vec![
        "README.md",
        "docs/guide/1-first-comparison.md",
        "docs/guide/2-trust.md",
        "docs/guide/3-recipes.md",
        "docs/guide/5-history.md",
        "docs/guide/6-check.md",
        "docs/guide/7-sweep.md",
        "docs/guide/8-bench.md",
        "docs/guide/11-pages.md",
        "docs/guide/12-engines.md",
        "docs/guide/13-ci.md",
        "docs/guide/15-try.md",
    ];
    for (document, program) in [
        ("docs/guide/4-counting.md", "valgrind"),
        ("docs/guide/9-explain.md", "ghc"),
        ("docs/guide/10-instructions.md", "valgrind"),
        ("docs/guide/14-accidents.md", "ld.lld"),
    ] {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
            documents.push(document);
        } else {
            println!("not checked: {document} needs {program}");
        }
    }
    // A failure does not hide others.
    documents.retain(|document| catch_unwind(|| run(document)).is_err());
    assert!(documents.is_empty(), "what happens is something else: {documents:?}");
}
