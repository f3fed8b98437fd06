//! Names reach their harness unchanged, with any characters.

use toolchains::harness::description::Selection;
use toolchains::harness::{self};

fn select(word: &str, names: &[&str]) -> Vec<String> {
    harness::find(word).expect("known").selecting(Selection::Only(names)).arguments
}

/// Tried with the real harnesses of the samples, each of which then ran only this benchmark.
#[test]
fn one_benchmark_is_selected_exactly() {
    let go = select("go", &["BenchmarkSub/pipe|or"]);
    assert_eq!(go, ["-test.bench=^BenchmarkSub$/^pipe\\|or$"]);
    let google = select("google-benchmark", &["odd name, \"q\" (x)|y [z] ü"]);
    assert_eq!(google, ["--benchmark_filter=^odd name, \"q\" \\(x\\)\\|y \\[z] ü$"]);
    let criterion = select("criterion", &["fib/it's, \"odd\" [x]*?<1-2> ü"]);
    let pattern = "fib/it's, \"odd\" [[]x][*][?][<]1-2> ü";
    assert_eq!(criterion, ["--match", "glob", "--", pattern]);
    let rust = select("criterion-rs", &["it's, \"odd\" (x)/y ü"]);
    assert_eq!(rust, ["^it's, \"odd\" \\(x\\)/y ü$"]);
    let divan = select("divan", &["dv::it's, \"odd\" │ ü"]);
    assert_eq!(divan, ["--exact", "--", "dv::it's, \"odd\" │ ü"]);
    assert_eq!(select("lines", &["--list", "a b"]), ["--run", "--list", "a b"]);
}

/// Tried with tasty 1.4.2.3, which then ran only these tests.
#[test]
fn tasty_is_told_names_in_signs_that_no_locale_changes() {
    let one = |name: &str| select("tasty-bench", &[name]).remove(1);
    let quoted = "$0 == \"All.fib.odd\\44\\& \\34\\&quoted\\34\\& \\252\\&1\"";
    assert_eq!(one("All.fib.odd, \"quoted\" ü1"), quoted);
    let signs = "$0 == \"All.fib.x\\92\\&y \\36\\&0 /z/ \\124\\& \\38\\&\\38\\&\"";
    assert_eq!(one("All.fib.x\\y $0 /z/ | &&"), signs);
}

#[test]
fn several_benchmarks_are_selected_together() {
    let names = ["a.b/c", "d"];
    assert_eq!(select("go", &names), ["-test.bench=^a\\.b$/^c$|^d$"]);
    assert_eq!(select("google-benchmark", &names), ["--benchmark_filter=^a\\.b/c$|^d$"]);
    assert_eq!(select("criterion-rs", &names), ["^a\\.b/c$|^d$"]);
    let tasty = select("tasty-bench", &names);
    assert_eq!(tasty, ["--pattern", "$0 == \"a.b/c\" || $0 == \"d\""]);
}

#[test]
fn everything_is_selected_without_a_word_on_names() {
    for harness in harness::all().iter().filter(|harness| harness.word != "go") {
        let request = harness.selecting(Selection::Everything);
        assert!(request.arguments.is_empty(), "{}", harness.word);
    }
}
