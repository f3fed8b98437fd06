//! WebAssembly interpreters side by side: the last commit of the winter case, and common
//! alternatives.
//!
//! brisk measures all of them in the same rounds, as separate subjects. Each module repeats its
//! program often enough to make the interpreter's start negligible; starting is a separate row.

use std::path::Path;

use serde_json::Value;

use crate::Row;
use crate::peers::{Peers, comparisons, output};

/// The program, its description, and its goal.
const PROGRAMS: [(&str, &str, &str); 5] = [
    ("start", "starting, a module that does nothing", ""),
    ("loop", "the founding document's loop, 20,000,000 times", "wasm3 >= 0.2"),
    ("fib", "fib(30), 10 times", "wasm3 >= 0.1"),
    ("matmul", "a product of matrices of 128 doubles squared, 10 times", "wasm3 >= 0.1"),
    ("sieve", "a sieve over 1 MB, 10 times", "wasm3 >= 0.1"),
];

/// Rounds of each comparison.
const ROUNDS: usize = 15;

/// One interpreter: its name with its version, and its command without the module.
struct Interpreter {
    name: String,
    command: String,
}

/// One row for each program.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let folder = peers.file("interpreters");
    let interpreters = installed(&folder);
    for (program, what, goal) in PROGRAMS {
        let what = format!("{what}: time as a multiple of the winter case's");
        let (ours, theirs) = match compared(peers, &folder, &interpreters, program) {
            Ok(cells) => cells,
            Err(why) => (format!("not checked: {why}"), String::new()),
        };
        tell(Row::new(what, goal, ours, theirs));
    }
}

/// The interpreters that `interpreters/install` could install, the case's own first.
fn installed(folder: &Path) -> Vec<Interpreter> {
    let list = std::fs::read_to_string(folder.join("list")).unwrap_or_default();
    let lines = list.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(name, command)| Interpreter { name: name.into(), command: command.into() })
        .collect()
}

/// The case's time, and the others' as multiples of it.
fn compared(
    peers: &Peers,
    folder: &Path,
    interpreters: &[Interpreter],
    program: &str,
) -> Result<(String, String), String> {
    let [ours, others @ ..] = interpreters else {
        return Err("no interpreter is installed".to_owned());
    };
    if ours.name != "winter" {
        return Err("the winter case is not built".to_owned());
    }
    let module = folder.join(format!("{program}.wasm"));
    let command = |one: &Interpreter| format!("{} {}", one.command, module.display());
    let wanted = answer(folder, program);
    let (right, wrong): (Vec<_>, Vec<_>) =
        others.iter().partition(|one| is_right(&command(one), wanted));
    if !is_right(&command(ours), wanted) {
        return Err(format!("the winter case does not answer {wanted:?}"));
    }
    let mut commands = vec![command(ours)];
    commands.extend(right.iter().map(|one| command(one)));
    let rounds = comparisons(ROUNDS).to_string();
    let mut arguments = vec!["--runs", &rounds, "--metrics", "wall_time", "--runtime", "none"];
    arguments.extend(commands.iter().map(String::as_str));
    let (document, _) = peers.brisk(&arguments).ok_or("brisk failed")?;
    let mut cells: Vec<String> = (1..)
        .zip(&right)
        .map(|(variant, one)| format!("{} {}", one.name, multiple(&document, variant)))
        .collect();
    cells.extend(wrong.iter().map(|one| format!("{}: not checked, wrong answer", one.name)));
    Ok((seconds(&document), cells.join("; ")))
}

/// The expected answer of a program's last call; `None` for a program without a result.
fn answer(folder: &Path, program: &str) -> Option<f64> {
    let answers = std::fs::read_to_string(folder.join("answers")).unwrap_or_default();
    let mut lines = answers.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == program).and_then(|(_, number)| number.parse().ok())
}

/// True if an interpreter succeeds and its last output is the wanted number, optionally prefixed by
/// its type, or not a number if none is wanted.
fn is_right(command: &str, wanted: Option<f64>) -> bool {
    let number = |word: &str| word.rsplit(':').next().and_then(|number| number.parse().ok());
    let last = |stdout: String| stdout.split_whitespace().last().and_then(number);
    output(command).is_some_and(|stdout| last(stdout) == wanted)
}

fn seconds(document: &Value) -> String {
    let summaries = document["summaries"].as_array().expect("brisk/1 has summaries");
    let ours = summaries.iter().find(|s| s["variant"] == 0 && s["metric"] == "wall_time");
    let median = ours.and_then(|s| s["median"].as_f64()).expect("wall time is always read");
    format!("{median:.4} s")
}

fn multiple(document: &Value, variant: u64) -> String {
    let comparisons = document["comparisons"].as_array().expect("brisk/1 has comparisons");
    let one = comparisons
        .iter()
        .find(|c| c["candidate"] == variant && c["metric"] == "wall_time")
        .expect("each candidate is compared");
    let bound = |name: &str| match one[name].as_f64() {
        Some(value) => format!("{value:.2}"),
        None => "?".to_owned(),
    };
    format!("{} [{}, {}]", bound("ratio"), bound("low"), bound("high"))
}
