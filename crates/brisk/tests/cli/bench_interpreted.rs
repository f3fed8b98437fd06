//! Benchmarks of Python, JavaScript and Java, run by their real harnesses where they are installed:
//! pytest-benchmark and pyperf for `python3`; tinybench, mitata, benchmark.js and Vitest in
//! `node_modules`, and a jar `benchmarks.jar` with JMH, of the folder in `BRISK_TEST_HARNESSES`.

use std::path::PathBuf;

use crate::lab::{Ended, Lab, has, not_checked, run};
use crate::repository::Repository;

fn has_module(name: &str) -> bool {
    run("python3", &["-c", &format!("import {name}")])
}

/// The folder with what no test installs.
fn installed(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("BRISK_TEST_HARNESSES")?);
    Some(folder.join(name)).filter(|path| path.exists())
}

fn listed(lab: &Lab, command: &[&str]) -> Vec<String> {
    let ended = lab.brisk(&[&["bench", "--list"], command].concat()).exited(0);
    ended.stdout.lines().map(str::to_owned).collect()
}

/// Runs the benchmarks whose names contain `filter`, each twice alone.
fn benched(lab: &Lab, filter: &str, command: &[&str]) -> Ended {
    let own = ["bench", "-q", "--runs", "2", "--order", "alone", "--time-per-run", "5ms"];
    lab.brisk(&[&own[..], &["--filter", filter], command].concat())
}

fn words(ended: &Ended) -> String {
    ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

const TESTS: &str = r#"
import pytest

def test_plain(benchmark):
    benchmark(sum, range(100))

@pytest.mark.parametrize("text", ["a/b", "a,b", "[x]", "über", "x::y"])
def test_odd(benchmark, text):
    benchmark(lambda: text * 20)

@pytest.mark.skip(reason="not today")
def test_skipped(benchmark):
    benchmark(sum, [1])

def test_fails(benchmark):
    benchmark(sum, range(10))
    assert False, "no map"

def test_prints(benchmark):
    benchmark(print, "brisk-bench 1")

def test_unused(benchmark):
    pass

def test_other():
    pass
"#;

#[test]
fn tests_of_python_are_benchmarks() {
    if !has_module("pytest_benchmark") {
        return not_checked("no pytest-benchmark");
    }
    let lab = Lab::new();
    std::fs::create_dir(lab.path("tests")).expect("a new name");
    lab.write("tests/test_a.py", TESTS);
    lab.write("tests/test_b.py", "def test_plain(benchmark):\n    benchmark(sum, range(9))\n");
    lab.write("pytest.ini", "[pytest]\naddopts = --benchmark-disable -q\n");
    let command = ["python3", "-m", "pytest", "-p", "no:cacheprovider", "tests"];
    let names = listed(&lab, &command);
    let of_a = |name: &str| format!("tests/test_a.py::{name}");
    let odd =
        ["a/b", "a,b", "[x]", "\\xfcber", "x::y"].map(|text| of_a(&format!("test_odd[{text}]")));
    let rest = ["test_fails", "test_prints", "test_unused"].map(of_a);
    let expected =
        [&[of_a("test_plain")][..], &odd, &rest, &["tests/test_b.py::test_plain".into()]];
    assert_eq!(names, expected.concat());
    let ended = benched(&lab, "test_plain", &command).exited(0);
    assert!(words(&ended).starts_with("2 benchmarks: time per iteration"), "{ended}");
    let ended = benched(&lab, "test_", &command).exited(2);
    let said = words(&ended);
    assert!(
        said.contains("`tests/test_a.py::test_fails`: it failed: AssertionError: no map"),
        "{ended}"
    );
    assert!(said.contains("`tests/test_a.py::test_unused`"), "{ended}");
    assert!(said.contains("8 benchmarks: time per iteration"), "{ended}");
}

#[test]
fn tests_of_two_commits_are_compared_in_their_checkouts() {
    if !has_module("pytest_benchmark") {
        return not_checked("no pytest-benchmark");
    }
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    std::fs::create_dir(repository.path().join("tests")).expect("a new name");
    repository.write(
        "tests/test_a.py",
        "import work\n\ndef test_work(benchmark):\n    benchmark(work.work)\n",
    );
    repository.write("conftest.py", "");
    for (subject, count) in [("first", 1000), ("five times the work", 5000)] {
        repository.write("work.py", &format!("def work():\n    return sum(range({count}))\n"));
        repository.commit(subject);
    }
    let own = ["bench", "-q", "--at", "HEAD~1..HEAD", "--project", "repo", "--order", "alone"];
    let more = ["--cwd", "repo", "--runs", "7", "python3", "-m", "pytest", "tests"];
    let ended = lab.brisk(&[&own[..], &more].concat());
    assert!(words(&ended).contains("1 regressed"), "{ended}");
}

#[test]
fn scripts_of_pyperf_are_benchmarks() {
    if !has_module("pyperf") {
        return not_checked("no pyperf");
    }
    let lab = Lab::new();
    lab.write(
        "bench.py",
        "import pyperf\nrunner = pyperf.Runner()\nprint('begins')\n\
         runner.bench_func('sum/9, [x] ü', sum, range(9))\n\
         runner.bench_func('sorted', sorted, [3, 1, 2])\n",
    );
    assert_eq!(listed(&lab, &["python3", "bench.py"]), ["sum/9, [x] ü", "sorted"]);
    let ended = benched(&lab, "[x] ü", &["python3", "bench.py"]).exited(0);
    assert!(words(&ended).starts_with("`sum/9, [x] ü`: "), "{ended}");
    let together = ["bench", "--order", "together", "python3", "bench.py"];
    lab.brisk(&together).refused("pyperf cannot run its benchmarks in that order");
}

#[test]
fn scripts_of_javascript_are_benchmarks() {
    let Some(modules) = installed("node_modules").filter(|_| has("node")) else {
        return not_checked("no packages of Node in BRISK_TEST_HARNESSES");
    };
    let lab = Lab::new();
    std::os::unix::fs::symlink(modules, lab.path("node_modules")).expect("a new name");
    lab.write(
        "tiny.mjs",
        "import { Bench } from 'tinybench'\nconst bench = new Bench({ name: 's' })\n\
         bench.add('a/b, [c] ü', () => 'x'.repeat(9)).add('fails', () => { throw new Error('no map') })\n\
         console.log('begins')\nawait bench.run()\n",
    );
    lab.write(
        "mitata.mjs",
        "import { run, bench } from 'mitata'\nbench('a/b, [c] ü', () => 'x'.repeat(9))\n\
         bench('fails', () => { throw new Error('no map') })\n\
         bench('n $n', function* (state) { yield () => 'x'.repeat(state.get('n')) }).args('n', [1, 9])\n\
         await run()\n",
    );
    lab.write(
        "benchmark.cjs",
        "const { Suite } = require('benchmark')\nnew Suite('s').add('a/b, [c] ü', () => 'x'.repeat(9))\n\
         .add('fails', () => { throw new Error('no map') }).run()\n",
    );
    for (script, above, more) in [
        ("tiny.mjs", "s > ", &[][..]),
        ("mitata.mjs", "", &["n 1", "n 9"]),
        ("benchmark.cjs", "s > ", &[]),
    ] {
        let names = listed(&lab, &["node", script]);
        let own = ["a/b, [c] ü", "fails"].map(|name| format!("{above}{name}"));
        assert_eq!(names[..2], own, "{script}");
        assert_eq!(names[2..], *more, "{script}");
        let ended = benched(&lab, "a", &["node", script]).exited(2);
        let said = words(&ended);
        assert!(said.contains("fails`: it failed: no map"), "{ended}");
        assert!(said.contains(&format!("`{above}a/b, [c] ü`: ")), "{ended}");
    }
    lab.write("package.json", "{\"type\": \"module\"}\n");
    let bench = "import { bench, describe } from 'vitest'\n\
                 describe('d', () => { bench('a/b, (c)|ü', () => { 'x'.repeat(9) }) })\n";
    lab.write("one.bench.js", bench);
    lab.write("two.bench.js", bench);
    let command = ["node", "node_modules/vitest/vitest.mjs", "bench"];
    let names = listed(&lab, &command);
    assert_eq!(names, ["one", "two"].map(|file| format!("{file}.bench.js > d > a/b, (c)|ü")));
    let ended = benched(&lab, "two", &command).exited(0);
    assert!(words(&ended).starts_with("`two.bench.js > d > a/b, (c)|ü`: "), "{ended}");
}

#[test]
fn jars_of_jmh_are_benchmarks() {
    let Some(jar) = installed("benchmarks.jar").filter(|_| has("java")) else {
        return not_checked("no jar with JMH in BRISK_TEST_HARNESSES");
    };
    let lab = Lab::new();
    let jar = jar.to_string_lossy();
    let command = ["java", "-jar", &*jar];
    let names = listed(&lab, &command);
    let ended = benched(&lab, &names[0], &command).exited(0);
    assert!(ended.stdout.contains(&names[0]), "{ended}");
}
