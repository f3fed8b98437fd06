//! `brisk doctor` as users see it: structure, not times, since those depend on the machine.

use std::process::{Command, Output};

use serde_json::Value;

/// `brisk doctor`, without waiting for a quiet machine or for other measurements.
#[expect(clippy::disallowed_methods, reason = "the program under test is started, not measured")]
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brisk"));
    command
        .arg("doctor")
        .args(arguments)
        .env("COLUMNS", "80")
        .env("BRISK_LOCK", "off")
        .env("XDG_DATA_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/doctor"));
    command
}

fn doctor(arguments: &[&str]) -> Output {
    command(arguments).output().expect("brisk was built")
}

/// A file that is removed when the test ends.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("brisk-doctor-{name}-{}", std::process::id())))
    }

    fn text(&self) -> &str {
        self.0.to_str().expect("a plain name")
    }

    fn read(&self) -> String {
        std::fs::read_to_string(&self.0).expect("it was written")
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.read()).expect("it is JSON")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

/// True for a value of the right kind, or a reason why it is missing.
fn is_number_or_reason(value: &Value) -> bool {
    value.is_number() || value["missing"].as_str().is_some_and(|reason| !reason.is_empty())
}

#[test]
fn quick_tells_the_facts_and_runs_nothing() {
    let file = Scratch::new("quick");
    let output = doctor(&["--quick", "--export-json", file.text()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for name in ["cpu", "other users", "load", "steal", "governor", "turbo", "SMT", "ASLR"] {
        let is_listed = |line: &str| {
            let fact = line.trim_start().trim_start_matches("good ").trim_start_matches("bad ");
            fact.trim_start().starts_with(name)
        };
        assert!(text.lines().any(is_listed), "{name}: {text}");
    }
    assert!(text.contains("What to do, most effective first"), "{text}");
    assert!(!text.contains("against itself"), "{text}");
    assert_eq!(stderr(&output), "");

    let document = file.json();
    assert_eq!(document["schema"], "brisk/1");
    assert!(document["machine"]["cpus_online"].is_number());
    assert!(document["conditions"].is_object());
    assert!(document["doctor"]["trials"].is_null());
    let facts = document["doctor"]["facts"].as_array().expect("a list");
    for fact in facts {
        let value = &fact["value"];
        assert!(value.is_string() || value["missing"].is_string(), "{fact}");
        assert!(["good", "bad", "neutral"].contains(&fact["mark"].as_str().unwrap_or_default()));
    }
}

#[test]
fn a_short_budget_runs_the_short_program_and_says_why_not_the_long_ones() {
    let [file, page, markdown] = ["short", "page", "markdown"].map(Scratch::new);
    let files = ["--export-json", file.text(), "--export-html", page.text()];
    let markdown_too = ["--export-markdown", markdown.text()];
    let output = doctor(&[&["--budget", "2s"], &files[..], &markdown_too].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("A program against itself"), "{text}");
    assert!(text.contains("1 s: not run: no time for 3 rounds"), "{text}");
    let (page, markdown) = (page.read(), markdown.read());
    for said in ["A program against itself", "1 s: not run: no time for 3 rounds"] {
        assert!(page.contains(said) && markdown.contains(said), "no `{said}`: {markdown}");
    }

    let document = file.json();
    let doctor = &document["doctor"];
    let trials = doctor["trials"].as_array().expect("a list");
    let names: Vec<&str> = trials.iter().filter_map(|trial| trial["program"].as_str()).collect();
    assert_eq!(names, ["10 ms", "100 ms", "1 s"]);
    let shortest = &trials[0];
    assert!(shortest["rounds"].as_u64().is_some_and(|rounds| rounds > 0), "{shortest}");
    for key in ["wait_share", "detectable"] {
        assert!(is_number_or_reason(&shortest[key]), "{shortest}");
    }
    assert!(trials[2]["missing"].is_string(), "{}", trials[2]);
    let is_seen = trials.iter().any(|trial| trial["detectable"].is_number());
    assert_eq!(page.contains("<svg") && page.contains("What can be seen on this machine"), is_seen);

    let rates = &doctor["false_positives"];
    for way in ["sequential_welch", "sequential_means_apart", "brisk"] {
        let rate = &rates[way];
        let number = |key: &str| rate[key].as_f64().unwrap_or(f64::NAN);
        let share = number("found") / number("of");
        let is_sound = number("low") <= share && share <= number("high");
        assert!(is_sound || rates["missing"].is_string(), "{rates}");
    }
    let effects: Vec<f64> = (doctor["advice"].as_array().expect("a list").iter())
        .filter_map(|advice| advice["effect"].as_f64())
        .collect();
    assert!(effects.windows(2).all(|pair| pair[0] >= pair[1]), "{effects:?}");
}

#[test]
fn what_it_finds_is_stored_and_its_runs_are_not() {
    let data = Scratch::new("store");
    let output = command(&["--budget", "300ms", "--quiet"])
        .env("XDG_DATA_HOME", &data.0)
        .output()
        .expect("brisk was built");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let store = rusqlite::Connection::open(data.0.join("brisk/runs.db")).expect("it is there");
    let select = "SELECT group_concat(kind), (SELECT count(*) FROM run) FROM experiment";
    let stored = store.query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?)));
    assert_eq!(stored, Ok(("doctor".to_owned(), 0)));
    drop(store);
    std::fs::remove_dir_all(&data.0).expect("it is ours");
}

#[test]
fn bad_input_is_refused_before_anything_is_watched() {
    for (arguments, expected) in [
        (&["--budget", "soon"][..], "error: bad `--budget`"),
        (&["--budget", "-3s"], "error: bad `--budget`"),
        (&["--quick", "--budget", "3s"], "cannot be used with"),
        (&["--export-json", "/nonexistent/x.json"], "error: cannot write `/nonexistent/x.json`"),
        (&["--export-html", "/nonexistent/x.html"], "error: cannot write `/nonexistent/x.html`"),
    ] {
        let output = doctor(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}

/// One Ctrl-C ends it soon, with the facts shown so far, and leaves no process behind.
#[test]
fn an_interruption_ends_it() {
    let child = command(&["--budget", "10min"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("brisk was built");
    let pid = child.id();
    std::thread::sleep(std::time::Duration::from_secs(2));
    #[expect(clippy::disallowed_methods, reason = "a signal is sent, nothing is measured")]
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -INT {pid}")])
        .status()
        .expect("every Linux has a shell");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("error: interrupted"), "{}", stderr(&output));
    assert!(stdout(&output).contains("This machine, now"));
    assert!(!stdout(&output).contains("against itself"));
}
