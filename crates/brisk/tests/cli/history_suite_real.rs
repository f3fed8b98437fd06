//! Histories of suites run by real harnesses: the change is in the allocations of an iteration,
//! which are the same on every machine, however busy.

use serde_json::Value;

use crate::document::list;
use crate::lab::{Ended, Lab, has, not_checked, run};
use crate::repository::Repository;

/// Runs the history of the whole repository, built by this command.
fn history(lab: &Lab, repository: &Repository<'_>, build: &str, more: &[&str]) -> Ended {
    let range = repository.whole();
    let own = ["history", &range, "--project", "repo", "--build", build, "--artifact", "prog"];
    let usual = ["--harness", "auto", "--export-json", "h.json"];
    lab.brisk(&[&own[..], &usual, more].concat())
}

/// The commits at which a benchmark's allocations grew by at least half. Times depend on the
/// machine, and a harness allocates a little, too.
fn grown(lab: &Lab) -> Vec<(String, String)> {
    let document = lab.json("h.json");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let subject = |hash: &Value| {
        let mut commits = list(&document, "commits").iter();
        let commit = commits.find(|commit| commit["hash"] == *hash).expect("it is there");
        text(&commit["subject"])
    };
    let is_growth = |step: &&Value| {
        let ratio = step["ratio"].as_f64().expect("a number");
        step["metric"] == "allocated_per_iteration" && ratio > 1.5
    };
    let steps = list(&document, "steps").iter().filter(is_growth);
    steps.map(|step| (subject(&step["commit"]), text(&step["benchmark"]))).collect()
}

#[test]
fn a_suite_of_go_has_a_history() {
    if !has("go") {
        return not_checked("no Go compiler");
    }
    let lab = Lab::new().with("GOFLAGS", "-mod=mod").with("GOTOOLCHAIN", "local");
    let repository = Repository::new(&lab);
    repository.write("go.mod", "module suite\n\ngo 1.20\n");
    let suite = |size: u32, more: &str| {
        format!(
            "package suite\nimport \"testing\"\nvar sink []byte\n\
             func BenchmarkMake(b *testing.B) {{\n\
             for i := 0; i < b.N; i++ {{ sink = make([]byte, {size}) }} }}\n\
             func BenchmarkSub(b *testing.B) {{ b.Run(\"one, größe\", func(b *testing.B) {{\n\
             for i := 0; i < b.N; i++ {{ sink = make([]byte, 64) }} }}) }}\n{more}"
        )
    };
    let late =
        "func BenchmarkLate(b *testing.B) { for i := 0; i < b.N; i++ { sink = sink[:0] } }\n";
    for (subject, size, more) in [("first", 1024, ""), ("larger", 2048, ""), ("late", 2048, late)] {
        repository.write("suite_test.go", &suite(size, more));
        repository.commit(subject);
    }
    let build = "go test -c -o prog .";
    if !run("sh", &["-c", &format!("cd '{}' && {build}", repository.path().display())]) {
        return not_checked("Go cannot compile here");
    }
    std::fs::remove_file(repository.path().join("prog")).expect("it was built");
    let ended =
        history(&lab, &repository, build, &["--time-per-run", "5ms", "--runs", "16"]).judged();
    ended.says("BenchmarkSub/one,_größe").says("BenchmarkLate");
    assert_eq!(grown(&lab), [("larger".to_owned(), "BenchmarkMake".to_owned())]);
    let document = lab.json("h.json");
    assert_eq!(list(&document, "histories").len(), 3);
}

#[test]
fn a_suite_of_criterion_has_a_history() {
    if !(has("ghc") && run("ghc-pkg", &["describe", "criterion"])) {
        return not_checked("no GHC with criterion");
    }
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    let suite = |size: u32, more: &str| {
        format!(
            "module Main (main) where\nimport Criterion.Main\n\
             list :: Int -> [Int]\nlist n = [1 .. n]\n{{-# NOINLINE list #-}}\n\
             main :: IO ()\nmain = defaultMain\n\
             \x20 [ bench \"list\" (nf list {size})\n\
             \x20 , bgroup \"odd\" [bench \"one, größe\" (nf list 100)]{more} ]\n"
        )
    };
    for (subject, size, more) in
        [("first", 1000, ""), ("larger", 2000, ""), ("late", 2000, ", bench \"late\" (nf list 10)")]
    {
        repository.write("Main.hs", &suite(size, more));
        repository.commit(subject);
    }
    let build = "LC_ALL=C.UTF-8 ghc -v0 -O1 -rtsopts Main.hs -o prog";
    // Eight rounds agree by accident in one of 128 cases; more take minutes.
    let sure = ["--runs", "8", "--confidence", "60", "--metrics", "allocated_per_iteration"];
    let asked = [&sure[..], &["--", "./prog", "+RTS", "-T"]].concat();
    let ended = history(&lab, &repository, build, &asked);
    let ended = ended.judged().says("odd/one, größe").says("late");
    assert!(!ended.stdout.contains("cannot measure"), "{ended}");
    assert_eq!(grown(&lab), [("larger".to_owned(), "list".to_owned())]);
}
