//! Benchmark harnesses: how to recognise them, list and select benchmarks, and read their reports.
//!
//! A harness is a library inside a program: it runs parts of the program repeatedly, and reports
//! their times. Each is described by a file of `descriptions`; the command line, the recognition and
//! the readers follow from it. Reports in a form that is common (JSON, CSV, lines) are read as the
//! description maps them ([`mapping`]); the others have a reader of their own. To add a harness,
//! write its description and name it in [`all`].

mod criterion;
mod criterion_rs;
pub mod description;
mod divan;
mod escape;
mod go;
mod jmh;
mod lines;
pub mod mapping;
pub mod measurement;
pub mod saved;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::LazyLock;

use description::Harness;
use measurement::HarnessError;
use memchr::memmem;
use serde_json::Value;

/// The descriptions by their words.
macro_rules! described {
    ($($word:literal)*) => {
        [$(($word, include_str!(concat!("descriptions/", $word, ".toml")))),*]
    };
}

/// Every supported harness, in the order of help texts.
pub fn all() -> &'static [Harness] {
    static ALL: LazyLock<Vec<Harness>> = LazyLock::new(|| {
        let described = described![
            "criterion" "tasty-bench" "google-benchmark" "criterion-rs" "criterion-rs-0.3" "divan" "libtest"
            "go" "pytest-benchmark" "pyperf" "vitest" "tinybench" "mitata" "benchmark-js" "jmh" "lines"
        ];
        let parse = |(word, text)| Harness::parse(word, text).expect("tested");
        described.into_iter().map(parse).collect()
    });
    &ALL
}

/// The harness with this name.
pub fn find(word: &str) -> Option<&'static Harness> {
    all().iter().find(|harness| harness.word == word)
}

/// The harnesses whose marks are complete in the contents of an executable file; a harness whose
/// marks are all included in another's is dropped in favour of that. Several may be found in a
/// program that knows about harnesses, such as this one.
pub fn recognised(contents: &[u8]) -> Vec<&'static Harness> {
    let has = |mark: &String| memmem::find(contents, mark.as_bytes()).is_some();
    let complete = |harness: &'static Harness| harness.marks.iter().find(|all| all.iter().all(has));
    let marked: Vec<_> = all().iter().filter_map(|one| Some((one, complete(one)?))).collect();
    let is_of_another = |marks: &[String]| {
        let mut others = marked.iter().filter(|(_, other)| other.len() > marks.len());
        others.any(|(_, other)| marks.iter().all(|mark| other.contains(mark)))
    };
    marked.iter().filter(|(_, marks)| !is_of_another(marks)).map(|(one, _)| *one).collect()
}

/// The harnesses that a command starts, by its words and the files that they name.
pub fn of_command(
    words: &[OsString],
    contents: &dyn Fn(&OsStr) -> Option<Vec<u8>>,
) -> Vec<&'static Harness> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let program = Path::new(program).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(arguments.iter().map(OsString::as_os_str));
    let command: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    let command = command.join(" ");
    let starts = |harness: &&Harness| harness.commands.iter().any(|one| one.is_match(&command));
    let meant: Vec<&Harness> = all().iter().filter(starts).collect();
    let asks = meant.iter().any(|harness| !harness.script.is_empty());
    let files = arguments.iter().filter(|_| asks).filter_map(|word| contents(word));
    let files: Vec<Vec<u8>> = files.collect();
    let has =
        |text: &String| files.iter().any(|file| memmem::find(file, text.as_bytes()).is_some());
    let uses = |harness: &&Harness| harness.script.is_empty() || harness.script.iter().any(has);
    meant.into_iter().filter(uses).collect()
}

/// True if a command that begins with this word may start a harness that no executable file has.
pub fn is_launcher(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    let version = |c: char| c.is_ascii_digit() || c == '.';
    LAUNCHERS.contains(&name.trim_end_matches(version))
}

/// The programs that run scripts, tests and jars.
const LAUNCHERS: [&str; 16] = [
    "pytest", "py.test", "python", "uv", "poetry", "hatch", "pdm", "node", "tsx", "npx", "npm",
    "pnpm", "yarn", "bunx", "vitest", "java",
];

// Reading JSON that is only partly known: unknown parts are ignored, missing required ones are
// errors.

fn parse(file: &str, text: &str) -> Result<Value, HarnessError> {
    serde_json::from_str(text)
        .map_err(|source| HarnessError::Json { file: file.to_owned(), source })
}

fn lacking(file: &str, what: impl Into<String>) -> HarnessError {
    HarnessError::Lacking { what: what.into(), file: file.to_owned() }
}

/// A list of a JSON object.
fn list<'a>(value: &'a Value, key: &str, file: &str) -> Result<&'a Vec<Value>, HarnessError> {
    value[key].as_array().ok_or_else(|| lacking(file, format!("list `{key}`")))
}

/// A text of a JSON object.
fn text<'a>(value: &'a Value, key: &str, file: &str) -> Result<&'a str, HarnessError> {
    value[key].as_str().ok_or_else(|| lacking(file, format!("text `{key}`")))
}

/// A whole number, even if written with a decimal point.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn whole(value: &Value) -> Option<u64> {
    let of_float = |value: f64| {
        let fits = value.fract() == 0.0 && (0.0..9.0e15).contains(&value);
        fits.then_some(value as u64)
    };
    value.as_u64().or_else(|| value.as_f64().and_then(of_float))
}
