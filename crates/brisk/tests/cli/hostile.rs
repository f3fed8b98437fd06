//! Untrusted text that could control the terminal: from every source of such text, through every
//! verb, to every output that people read.

use rusqlite::Connection;

use crate::bench::script;
use crate::check::program;
use crate::cost::{self, COST};
use crate::lab::{Ended, Lab};
use crate::repository::{LONG, Repository, SHORT};

/// Text that would colour, clear, ring, return, hide and reverse: a style that brisk does not use,
/// C0, DEL, C1 and direction marks.
const HOSTILE: &str =
    "evil\u{1b}[35;44m\u{1b}[2J\u{7}\r\u{8}\u{7f}\u{9b}31m\u{85}\u{202e}\u{2066}\u{200f}";

/// The beginning of `HOSTILE` as displayed.
const SHOWN: &str = "evil\\u{1b}[35;44m\\u{1b}[2J";

/// Asserts that the text has only printable characters, line breaks and the styles that brisk uses.
#[track_caller]
fn harmless(text: &str, what: &str) {
    let mut pieces = text.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    let others = pieces.map(|piece| {
        let styles = ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[34m", "[35m", "[36m"];
        let rest = styles.iter().find_map(|style| piece.strip_prefix(style));
        rest.unwrap_or_else(|| panic!("a sequence of others in {what}: {text:?}")).to_owned()
    });
    let rest: String = std::iter::once(first).chain(others).collect();
    let hidden = |c: char| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c != '\n' && (c.is_control() || turns)
    };
    assert!(!rest.contains(hidden), "hidden characters in {what}: {text:?}");
}

/// Runs brisk with and without colours. No untrusted text may come out raw; `shows` is set if it
/// must come out at all.
#[track_caller]
fn run(lab: &Lab, arguments: &[&str], shows: bool) -> Ended {
    let (verb, rest) = arguments.split_first().expect("a verb");
    let with = |color: &str| {
        let all = [&[verb, "--color", color][..], rest].concat();
        let ended = lab.brisk(&all);
        harmless(&ended.stdout, &format!("the output of {all:?}"));
        harmless(&ended.stderr, &format!("the errors of {all:?}"));
        ended
    };
    with("always");
    let ended = with("never");
    let words: String = (ended.stdout.clone() + &ended.stderr).split_whitespace().collect();
    let shown: String = SHOWN.split_whitespace().collect();
    assert_eq!(words.contains(&shown), shows, "{ended}");
    ended
}

/// Shows the newest experiment again, and writes it as Markdown.
#[track_caller]
fn shown_again(lab: &Lab, id: &str) {
    run(lab, &["show", id], true);
    lab.brisk(&["export", id, "--export-markdown", "out.md"]).succeeded();
    let text = lab.read("out.md");
    harmless(&text, "Markdown");
    assert!(text.contains("evil\\u{1b}[35;44m"), "{text}");
}

#[test]
fn names_commands_and_what_programs_say() {
    let lab = Lab::new();
    let named = ["compare", "-r", "2", "-n", HOSTILE, "-n", "b", "true", "true"];
    run(&lab, &named, true);
    run(&lab, &["list"], true);
    shown_again(&lab, "1");
    let commanded = format!("true '{HOSTILE}'");
    run(&lab, &["compare", "-r", "2", &commanded], true);
    shown_again(&lab, "3");
    run(&lab, &["list"], true);
    lab.write("die.sh", &format!("printf '%s' '{HOSTILE}' >&2; exit 3\n"));
    run(&lab, &["compare", "-r", "2", "sh die.sh"], true);
    run(&lab, &["compare", "-r", "2", "--setup", "sh die.sh", "true"], true);
    run(&lab, &["compare", "-r", "2", &format!("./{HOSTILE}")], true);
    // clap escapes its messages about options itself.
    for wrong in
        [&["compare", &format!("--{HOSTILE}"), "true"][..], &["compare", "--runs", HOSTILE, "x"]]
    {
        let ended = lab.brisk(&[&["--color", "always"], wrong].concat()).exited(2);
        harmless(&ended.stderr, "a mistake in the options");
    }
    run(&lab, &["compare", "-r", "2", "--export-json", &format!("no/{HOSTILE}"), "true"], true);
    let points = format!("x={HOSTILE},b");
    let files = ["--export-svg", "out.svg", "--export-markdown", "out.md"];
    let swept = ["sweep", "--runs", "12", "--param", &points, "echo '{x}'"];
    run(&lab, &[&swept[..], &files].concat(), true);
    harmless(&lab.read("out.md"), "Markdown of a sweep");
    harmless(&lab.read("out.svg"), "a picture of a sweep");
    // Data is exported unchanged.
    lab.brisk(&["export", "1", "--export-json", "out.json", "--export-csv", "out.csv"]).succeeded();
    assert_eq!(lab.json("out.json")["variants"][0]["name"], HOSTILE);
    assert!(lab.read("out.csv").contains("\u{1b}[2J"));
}

#[test]
fn columns_align_where_text_was_escaped() {
    let lab = cost::lab();
    let commands: Vec<String> = (0..8).map(|number| format!("sh cost.sh 0.01{number}")).collect();
    let mut arguments = vec!["compare", "-r", "2", "--metrics", "cost", COST[0], COST[1]];
    arguments.extend(["-n", "evil\u{1b}[1m\u{7}"]);
    arguments.extend(commands.iter().map(String::as_str));
    let ended = lab.brisk(&arguments);
    let at = |line: &str| line.find(" ms  ").map(|at| line[..at].chars().count());
    let columns: Vec<usize> = ended.stdout.lines().filter_map(at).collect();
    assert!(columns.len() == 8 && columns.iter().all(|one| *one == columns[0]), "{ended}");
}

#[test]
fn subjects_build_logs_and_references() {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    repository.commit_costing("first", SHORT);
    repository.commit_costing(HOSTILE, LONG);
    repository.commit_costing("third", "-");
    let build = format!("printf '%s\\n' '{HOSTILE}' >&2; cp source prog && chmod +x prog");
    let range = repository.whole();
    let own = ["history", &range, "--project", "repo", "--build", &build, "--artifact", "prog"];
    let more = ["--runs", "12", "--metrics", "cost", COST[0], COST[1], "--export-markdown", "h.md"];
    run(&lab, &[&own[..], &more].concat(), true);
    harmless(&lab.read("h.md"), "Markdown of a history");
    run(&lab, &["show", "1"], true);
    lab.brisk(&["export", "1", "--export-svg", "h.svg"]).exited(0);
    harmless(&lab.read("h.svg"), "a picture of a history");
    let fails = format!("printf '%s\\n' '{HOSTILE}' >&2; exit 1");
    let none = ["history", &range, "--project", "repo", "--build", &fails, "--artifact", "prog"];
    run(&lab, &none, true);
    run(&lab, &["history", HOSTILE, "--project", "repo"], true);
}

#[test]
fn benchmarks_and_what_their_programs_say() {
    let lab = Lab::new();
    // The names in a suite's list may contain anything except line breaks.
    let name = HOSTILE.replace(['\r', '\u{85}'], "");
    let body = |more: &str| {
        format!(
            "echo 'brisk-bench 1'\n[ \"$1\" = --list ] && printf '%s\\n' '{name}' b && exit\nshift\n\
             {more}\nfor name; do printf '%s\\t1000\\t0.1%s\\n' \"$name\" $(($$ % 90 + 10)); done\n"
        )
    };
    script(&lab, "suite", &body(""));
    let listed = lab.brisk(&["bench", "--list", "./suite"]).exited(0);
    harmless(&listed.stdout, "a list");
    let ended = lab.brisk(&["bench", "--color", "always", "--runs", "6", "./suite"]);
    harmless(&(ended.stdout + &ended.stderr), "a suite");
    lab.brisk(&["export", "1", "--export-markdown", "out.md"]).succeeded();
    harmless(&lab.read("out.md"), "Markdown of a suite");
    script(&lab, "dying", &body(&format!("printf '%s' '{HOSTILE}' >&2; exit 4")));
    let ended = lab.brisk(&["bench", "--color", "always", "--runs", "6", "./dying"]);
    harmless(&(ended.stdout + &ended.stderr), "a suite that dies");
    script(&lab, "unlisted", &format!("printf '%s' '{HOSTILE}' >&2; exit 4\n"));
    let ended = lab.brisk(&["bench", "--color", "always", "--harness", "lines", "./unlisted"]);
    harmless(&(ended.stdout + &ended.stderr), "a suite that does not list");
}

#[test]
fn what_a_project_expects_and_why() {
    let lab = Lab::new();
    program(&lab, "few", 10);
    let quoted = HOSTILE.chars().fold(String::new(), |text, c| {
        text + &(if c.is_control() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
    });
    lab.write(
        "brisk.toml",
        &format!(
            "[[benchmark]]\nname = \"few\"\ncommand = \"./few '{quoted}'\"\nruns = 6\n\
             [[expect]]\nthat = 'wall_time(few) < 1 ns'\nwhy = \"{quoted}\"\n"
        ),
    );
    run(&lab, &["check", "--export-markdown", "out.md", "--export-junit", "out.xml"], true)
        .exited(1);
    harmless(&lab.read("out.md"), "Markdown of a check");
    let accept = ["check", "--accept", "E1", "--why", HOSTILE];
    run(&lab, &accept, false);
    lab.write("brisk.toml", &format!("[project]\nname = 3 # {HOSTILE}\n"));
    let ended = lab.brisk(&["check", "--color", "always"]);
    harmless(&(ended.stdout + &ended.stderr), "a file that is wrong");
}

#[test]
fn imports_and_foreign_stores() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "--export-hyperfine", "theirs.json", "true"]).succeeded();
    let theirs = lab.json("theirs.json");
    let mut changed = theirs.clone();
    changed["results"][0]["command"] = HOSTILE.into();
    lab.write("theirs.json", &changed.to_string());
    run(&lab, &["import", "theirs.json", "--export-markdown", "out.md"], true);
    harmless(&lab.read("out.md"), "Markdown of an import");
    let cell = HOSTILE.replace(['\r', '\u{85}'], "");
    let rows: String = (0..30).map(|row| format!("{cell}{row};{}\n", 1 + row % 2)).collect();
    lab.write("series.csv", &format!("commit;{cell}\n{rows}"));
    let ended = lab.brisk(&["import", "--color", "always", "series.csv"]);
    harmless(&(ended.stdout + &ended.stderr), "a series");
    lab.write("broken.json", &format!("{{\"results\": \"{cell}\"}}"));
    let ended = lab.brisk(&["import", "--color", "always", "broken.json"]);
    harmless(&(ended.stdout + &ended.stderr), "a broken import");
    let store = Connection::open(lab.store()).expect("it opens");
    let quoted = serde_json::to_string(HOSTILE).expect("a text");
    for change in [
        format!("UPDATE experiment SET title = '{HOSTILE}', answer = '{HOSTILE}'"),
        format!("UPDATE experiment_detail SET summary = replace(summary, '\"true\"', '{quoted}')"),
    ] {
        store.execute_batch(&change).expect("it is writable");
    }
    run(&lab, &["list"], true);
    run(&lab, &["show", "1"], true);
    let broken = format!(
        "UPDATE experiment_detail SET summary = replace(summary, 'brisk/1', '{}')",
        quoted.trim_matches('"')
    );
    store.execute_batch(&broken).expect("it is writable");
    run(&lab, &["show", "1"], true);
}

#[test]
fn explanations_of_programs_with_hostile_names() {
    let lab = Lab::new();
    run(&lab, &["explain", &format!("./{HOSTILE}")], true);
    lab.write("profile", &format!("events: Ir\nfl={HOSTILE}\nfn={HOSTILE}\n1 100\n"));
    let ended = lab.brisk(&[
        "explain",
        "--color",
        "always",
        "--callgrind",
        "profile",
        "--export-markdown",
        "out.md",
    ]);
    harmless(&(ended.stdout + &ended.stderr), "a profile");
    if lab.exists("out.md") {
        harmless(&lab.read("out.md"), "Markdown of a profile");
    }
}
