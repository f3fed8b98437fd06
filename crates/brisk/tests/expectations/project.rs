//! `brisk.toml`: valid keys, and the errors for invalid ones.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::expectation::{Expectation, UNITS, Vocabulary};
use model::spec::project::{ProjectFile, ProjectFileError};
use model::spec::suite::{Arrangement, HarnessOption};
use model::verdict::Margin;
use proptest::prelude::*;

use crate::support::vocabulary;

fn parse(text: &str) -> Result<ProjectFile, ProjectFileError> {
    ProjectFile::parse(text, &vocabulary())
}

/// Every key, at least once.
const WHOLE: &str = r#"
[project]
name = "zipper"
build = "cabal build exe:zipper"
artifact = "bin/zipper"
cwd = "lib"
patch = "../old.patch"
overlay = "bench"
env = { GHCRTS = "-A64m", EMPTY = "" }

[[benchmark]]
name = "fib"
command = "./zipper fib {n}"
metrics = ["wall_time", "allocated", "wall_time"]
runtime = "ghc"
warmup = 0
min_runs = 5
max_runs = 0x10
budget = "1m30s"
margin = 0.5
timeout = 2.5
setup = "make data"
prepare = "sync"
conclude = "true"
cleanup = "rm data"
shell = "none"
cwd = "data"
env.LANG = "C"
input = "words.txt"
output = "pipe"
ignore_failure = [1, 2]

[[benchmark]]
name = "the other one"
command = "./other"
runs = 20
margin = "2 %"
ignore_failure = true

[[benchmark]]
name = "inside"
command = "./suite +RTS -T"
harness = "tasty-bench"
filter = ["decode", "encode"]
order = "together"
time_per_run = "50ms"
renamed.code = "decode"

[[expect]]
that = "wall_time(fib) / wall_time(\"the other one\") < 0.8"
why = "that is what it is for"
"#;

#[test]
fn a_file_with_every_key_is_read() {
    let file = parse(WHOLE).expect("sound");
    let project = &file.project;
    assert_eq!(project.name.as_deref(), Some("zipper"));
    assert_eq!(project.build.as_deref(), Some("cabal build exe:zipper"));
    assert_eq!(project.artifact, Some(PathBuf::from("bin/zipper")));
    assert_eq!(project.cwd, Some(PathBuf::from("lib")));
    assert_eq!(project.patch, Some(PathBuf::from("../old.patch")));
    assert_eq!(project.overlay, Some(PathBuf::from("bench")));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(project.env, [pair("EMPTY", ""), pair("GHCRTS", "-A64m")]);
    let [fib, other, inside] = file.benchmarks.as_slice() else { panic!("{:?}", file.benchmarks) };
    let metrics: Vec<&str> = fib.metrics.iter().flatten().map(|id| id.as_str()).collect();
    assert_eq!(metrics, ["wall_time", "allocated"]);
    assert_eq!((fib.warmup, fib.min_runs, fib.max_runs), (Some(0), Some(5), Some(16)));
    assert_eq!(fib.budget, Some(Duration::from_secs(90)));
    assert_eq!(fib.timeout, Some(Duration::from_millis(2500)));
    assert_eq!(fib.margin, Margin::new(0.005));
    assert_eq!(fib.env, [pair("LANG", "C")]);
    assert_eq!(fib.ignore_failure, Some(measure::AllowedExits::Codes(vec![0, 1, 2])));
    assert_eq!((other.runs, other.margin), (Some(20), Margin::new(0.02)));
    assert_eq!(other.ignore_failure, Some(measure::AllowedExits::Any));
    assert!((fib.harness, fib.order) == (None, None) && fib.filter.is_empty());
    assert!(matches!(inside.harness, Some(HarnessOption::Named(one)) if one.word == "tasty-bench"));
    assert_eq!(inside.filter, ["decode", "encode"]);
    assert_eq!(inside.order, Some(Arrangement::Together));
    assert_eq!(inside.renamed.now("code"), "decode");
    assert_eq!(inside.time_per_run, Some(Duration::from_millis(50)));
    let [expected] = file.expectations.as_slice() else { panic!("{:?}", file.expectations) };
    assert_eq!(expected.why.as_deref(), Some("that is what it is for"));
    assert_eq!(expected.that.figures.len(), 2);
}

#[test]
fn the_reference_is_sound_and_has_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/brisk-toml.md");
    let reference = fs::read_to_string(path).expect("the reference is there");
    let blocks: Vec<&str> = reference.split("```toml\n").skip(1).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let (block, _) = block.split_once("```").expect("the block ends");
        parse(block).unwrap_or_else(|error| panic!("{error}: {block}"));
    }
    let examples = reference.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    for example in examples.expect("there are examples").lines() {
        let known = Vocabulary::of_registry();
        Expectation::parse(example, &known).unwrap_or_else(|error| panic!("{example}: {error}"));
    }
    for table in ["[project]", "[[benchmark]]", "[[expect]]", "[engine.NAME]"] {
        let (_, part) = reference.split_once(&format!("## `{table}`")).expect("it has a part");
        let part = part.split("\n## ").next().expect("a part is never nothing");
        let hint = parse(&format!("{table}\n'no such key' = 1\n")).expect_err("unknown").hint();
        let hint = hint.expect("the keys are told");
        let (_, keys) = hint.split_once("knows ").expect("the keys are told");
        for key in keys.split(", ") {
            let documented = part.lines().any(|line| {
                line.strip_prefix("| ").is_some_and(|row| {
                    row.split(" | ")
                        .next()
                        .is_some_and(|first| first.split(", ").any(|documented| documented == key))
                })
            });
            assert!(documented, "{key} of {table} is not in docs/brisk-toml.md");
        }
    }
    for unit in &UNITS {
        assert!(reference.contains(&format!("`{}`", unit.symbol)), "{}", unit.symbol);
    }
}

#[test]
fn a_file_may_say_nothing() {
    assert_eq!(parse("").expect("sound"), ProjectFile::default());
    assert_eq!(parse("# nothing\n[project]\n").expect("sound"), ProjectFile::default());
    assert_eq!(parse("\u{feff}[project]\r\n").expect("sound"), ProjectFile::default());
}

/// Error, cause and hint as shown to users.
#[track_caller]
fn refusal(text: &str) -> String {
    let error = parse(text).expect_err(text);
    let cause = error.source().expect("a place").to_string();
    let hint = error.hint().map_or(String::new(), |hint| format!("\n{hint}"));
    format!("{error}\n{cause}{hint}")
}

#[test]
fn a_mistake_is_told_with_its_line_and_the_keys_there_are() {
    for (text, lines) in [
        (
            "[project]\nname = \"x\"\n  biuld = \"make\" # how\n",
            vec![
                "unknown key `biuld` in `[project]`",
                "line 3, column 3 of `brisk.toml`:",
                "  biuld = \"make\" # how",
                "  ^^^^^",
                "did you mean `build`? `[project]` knows `name`, `build`, `artifact`, `cwd`, \
                 `env`, `patch`, `overlay`",
            ],
        ),
        (
            "[benchmarks]\n",
            vec![
                "unknown key `benchmarks` in `brisk.toml`",
                "line 1, column 2 of `brisk.toml`:",
                "[benchmarks]",
                " ^^^^^^^^^^",
                "did you mean `benchmark`? `brisk.toml` knows `project`, `benchmark`, `expect`, \
                 `engine`, `harness`, `trial`",
            ],
        ),
        (
            "[benchmark]\nname = \"x\"\n",
            vec![
                "`benchmark` must be a list of tables, not a table",
                "line 1, column 1 of `brisk.toml`:",
                "[benchmark]",
                "^^^^^^^^^^^",
                "write `[[benchmark]]` for each one",
            ],
        ),
        (
            "[[benchmark]]\nname = \"x\"\ncommand = \"x\"\nruns = \"20\"\n",
            vec![
                "`runs` must be a whole number, not text",
                "line 4, column 8 of `brisk.toml`:",
                "runs = \"20\"",
                "       ^^^^",
            ],
        ),
    ] {
        assert_eq!(refusal(text), lines.join("\n"), "{text}");
    }
}

#[test]
fn an_expectation_is_refused_at_its_place_in_the_file() {
    for (text, lines) in [
        (
            "[[expect]]\nthat = \"wall_time(a) < 2 mb\"\n",
            vec![
                "unknown unit `mb`",
                "line 2, column 26 of `brisk.toml`:",
                "that = \"wall_time(a) < 2 mb\"",
                "                         ^^",
                "did you mean `MB`? units: `s`, `ms`, `us`, `ns`, `min`, `h`, `B`, `kB`, `MB`, \
                 `GB`, `TB`, `KiB`, `MiB`, `GiB`, `TiB`, `Hz`, `kHz`, `MHz`, `GHz`, `J`, \
                 `kJ`, `mJ`, `uJ`, `%`",
            ],
        ),
        (
            "[[expect]]\nthat = '''\nwall_time(a)\n  < peek_rss(b)'''\n",
            vec![
                "unknown metric `peek_rss`",
                "line 4, column 5 of `brisk.toml`:",
                "  < peek_rss(b)'''",
                "    ^^^^^^^^",
                "did you mean `peak_rss`? metrics: `wall_time`, `gc_time`, `allocated`, \
                 `peak_rss`, `instructions`, `clock_rate`",
            ],
        ),
        // Escapes shift the file's columns against the text's: the text is shown.
        (
            "[[expect]]\nthat = \"wall_time(\\\"a b\\\") < 2\"\n",
            vec![
                "seconds cannot be compared with a plain number",
                "line 1, column 1 of the expectation:",
                "wall_time(\"a b\") < 2",
                "^^^^^^^^^^^^^^^^^^^^",
                "give the number its unit: `s`, `ms`, `us`, `ns`, `min`, `h`",
            ],
        ),
    ] {
        assert_eq!(refusal(text), lines.join("\n"), "{text}");
    }
}

fn error_of(text: &str) -> String {
    parse(text).err().map_or(String::new(), |error| error.to_string())
}

#[test]
fn every_mistake_has_its_own_words() {
    let project = |line: &str| format!("[project]\n{line}\n");
    for (text, error) in [
        (project("name = 1"), "`name` must be text, not a whole number"),
        (project("name = ''"), "`name` is empty"),
        (project("build = '  '"), "`build` is empty"),
        (
            project("build = \"a\\u0000\""),
            "`build` holds a NUL character, which no command and no path can",
        ),
        (project("artifact = '/bin/x'"), "`artifact` is `/bin/x`, which is not within the project"),
        (
            project("artifact = 'a/../../x'"),
            "`artifact` is `a/../../x`, which is not within the project",
        ),
        (project("env = ['A=1']"), "`env` must be a table of variables, not a list"),
        (project("env = { A = 1 }"), "`A` must be text, not a whole number"),
        (project("env = { 'A=B' = 'x' }"), "`A=B` is not the name of a variable"),
        ("project = 1".into(), "`project` must be a table, not a whole number"),
        ("[[project]]".into(), "`project` must be a table, not a list"),
        ("benchmark = [1]".into(), "`benchmark` must be a list of tables, not a whole number"),
    ] {
        assert_eq!(error_of(&text), error, "{text}");
    }
}

/// A benchmark with an additional line.
fn benchmark(line: &str) -> String {
    format!("[[benchmark]]\nname = 'x'\ncommand = 'x'\n{line}\n")
}

#[test]
fn a_suite_that_makes_no_sense_is_refused() {
    for (text, error) in [
        (benchmark("harness = 'gauge'"), "unknown harness `gauge`"),
        (benchmark("harness = 'auto'\norder = 'sideways'"), "unknown order `sideways`"),
        (
            benchmark("harness = 'auto'\nfilter = 1"),
            "`filter` must be a list of texts, not a whole number",
        ),
        (
            benchmark("filter = ['x']"),
            "`filter` applies to the benchmarks inside a program, and there is no `harness`",
        ),
        (
            benchmark("harness = 'go'\nrenamed = { a = 'b', b = 'a' }"),
            "bad `renamed`: the renames lead in a circle: `a` to `b` to `a`",
        ),
        (
            benchmark("harness = 'go'\nrenamed = { a = 'a' }"),
            "bad `renamed`: `a` is renamed to itself",
        ),
        (
            benchmark("renamed = { a = 'b' }"),
            "`renamed` applies to the benchmarks inside a program, and there is no `harness`",
        ),
        (
            benchmark("harness = 'go'\nrenamed = 'a'"),
            "`renamed` must be a table of names, not text",
        ),
        (
            benchmark("harness = 'go'\nprepare = 'sync'"),
            "`harness` and `prepare` cannot both be given",
        ),
    ] {
        assert_eq!(error_of(&text), error, "{text}");
    }
}

#[test]
fn a_benchmark_that_makes_no_sense_is_refused() {
    for (text, error) in [
        ("[[benchmark]]\ncommand = 'x'".into(), "`[[benchmark]]` lacks `name`"),
        ("[[benchmark]]\nname = 'x'".into(), "`[[benchmark]]` lacks `command`"),
        ("[[benchmark]]\nname = 'x'\ncommand = ''".into(), "`command` is empty"),
        (
            "[[benchmark]]\nname = 'baseline'\ncommand = 'x'".into(),
            "a benchmark cannot be called `baseline`: expectations mean the stored baseline by it",
        ),
        (benchmark("runs = 0"), "`runs` is 0; it must be from 1 to 8388608"),
        (benchmark("runs = -1"), "`runs` is -1; it must be from 1 to 8388608"),
        (
            benchmark("runs = 99999999999999999999999999"),
            "`runs` is 99999999999999999999999999; it must be from 1 to 8388608",
        ),
        (benchmark("runs = 2.5"), "`runs` must be a whole number, not a number"),
        (benchmark("runs = 5\nbudget = 2"), "`runs` and `budget` cannot both be given"),
        (benchmark("min_runs = 5\nmax_runs = 4"), "at least 5 runs and at most 4 cannot both be"),
        (
            benchmark("budget = '2 weeks'"),
            "bad `budget`: `2 weeks` is not a duration; write for example `500ms`, `2s`, `1m30s` \
             or `2.5` (seconds)",
        ),
        (benchmark("timeout = -1"), "bad `timeout`: `-1` is not a positive duration below a year"),
        (
            benchmark("timeout = inf"),
            "bad `timeout`: `inf` is not a positive duration below a year",
        ),
        (
            benchmark("timeout = true"),
            "`timeout` must be a duration such as `\"10s\"`, not true or false",
        ),
        (benchmark("margin = 0"), "`margin` is 0, not a positive number of percent"),
        (benchmark("margin = nan"), "`margin` is NaN, not a positive number of percent"),
        (benchmark("margin = 'much'"), "`margin` is `much`, not a positive number of percent"),
        (benchmark("metrics = []"), "`metrics` is empty"),
        (benchmark("metrics = ['wall_tim']"), "unknown metric `wall_tim`"),
        (benchmark("metrics = [1]"), "`metrics` must be text, not a whole number"),
        (benchmark("runtime = 'smalltalk'"), "unknown runtime `smalltalk`"),
        (benchmark("ignore_failure = [256]"), "`ignore_failure` is 256; it must be from 0 to 255"),
        (
            benchmark("ignore_failure = 'yes'"),
            "`ignore_failure` must be `true` or a list of exit codes, not text",
        ),
        (benchmark("[[benchmark]]\nname = 'x'\ncommand = 'y'"), "two benchmarks are called `x`"),
        ("[[expect]]\nwhy = 'x'".into(), "`[[expect]]` lacks `that`"),
        ("[[expect]]\nthat = ' '".into(), "`that` is empty"),
        (
            "[[expect]]\nthat = 'wall_time(a)<1s'\n[[expect]]\nthat = 'wall_time(a) < 1 s'".into(),
            "`wall_time(a) < 1 s` is expected twice",
        ),
    ] {
        assert_eq!(error_of(&text), error, "{text}");
    }
}

#[test]
fn what_is_not_toml_is_told_with_its_place() {
    for text in ["[project", "a = ", "= 1", "a = 1\na = 2", "[a]\n[a]", "a = 'x\n'", "\0"] {
        let error = parse(text).expect_err(text);
        assert!(error.to_string().starts_with("`brisk.toml` is not TOML: "), "{error}");
        assert!(error.source().expect("a place").to_string().contains("column"), "{text:?}");
    }
}

#[test]
fn the_first_unknown_key_in_the_file_is_told() {
    let error = parse("[project]\nzebra = 1\napple = 2\n").expect_err("unknown");
    assert_eq!(error.to_string(), "unknown key `zebra` in `[project]`");
}

#[test]
fn hostile_files_are_refused_and_not_suffered() {
    for text in [
        format!("a = {}", "[".repeat(100_000)),
        format!("a = {}1{}", "{ a = ".repeat(50_000), "}".repeat(50_000)),
        format!("[{}]", "a.".repeat(100_000) + "a"),
        "[[benchmark]]\n".repeat(50_000),
    ] {
        assert!(parse(&text).is_err(), "{}", &text[..20]);
    }
}

#[test]
fn the_file_is_looked_for_in_its_folder() {
    let folder = std::env::temp_dir().join(format!("brisk-project-{}", std::process::id()));
    let path = folder.join("brisk.toml");
    fs::create_dir_all(&folder).expect("a folder of its own");
    let read = || ProjectFile::read(&folder, &Vocabulary::of_registry());
    assert!(read().expect("absence is no error").is_none());
    fs::write(&path, "[project]\nname = 'größe'\n").expect("writable");
    assert_eq!(read().expect("sound").expect("there").project.name.as_deref(), Some("größe"));
    fs::write(&path, b"# \xc3\xb6\nname = '\xff'").expect("writable");
    let Err(ProjectFileError::NotText { place, .. }) = read() else { panic!("it is not text") };
    assert_eq!((place.line, place.column), (2, 9));
    fs::write(&path, " ".repeat((1 << 20) + 1)).expect("writable");
    assert!(matches!(read(), Err(ProjectFileError::TooLong { .. })));
    fs::remove_file(&path).expect("it is there");
    fs::create_dir(&path).expect("a folder in its place");
    assert!(matches!(read(), Err(ProjectFileError::Unreadable { .. })));
    fs::remove_dir_all(&folder).expect("nobody else uses it");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|\n){0,80}") {
        if let Err(error) = parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_lines_are_read_or_refused(
        lines in proptest::collection::vec(
            prop_oneof![
                Just("[project]"), Just("[[benchmark]]"), Just("[[expect]]"), Just("name = 'x'"),
                Just("command = 'y'"), Just("that = 'wall_time(a) < 1 s'"), Just("env.A = 'b'"),
                Just("runs = 3"), Just("margin = '1'"), Just("name = \"\"\"\nx\"\"\""), Just("["),
            ],
            0..10,
        )
    ) {
        if let Err(error) = parse(&lines.join("\n")) {
            prop_assert!(error.source().is_some(), "{}", error);
        }
    }
}
