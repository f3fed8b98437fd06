//! Resolution of the names in an expectation.

use model::expectation::Subject;
use model::expectation::subject::{SubjectError, Target, Version};

fn resolved(text: &str, benchmarks: &[&str]) -> Result<Target, SubjectError> {
    let (name, revision) = match text.split_once('@') {
        Some((name, revision)) => (name, Some(revision.to_owned())),
        None => (text, None),
    };
    let benchmarks: Vec<String> = benchmarks.iter().map(|&name| name.to_owned()).collect();
    let is_revision = |name: &str| ["main", "HEAD", "v1"].contains(&name);
    Subject { name: name.to_owned(), revision }.resolve(&benchmarks, &is_revision)
}

#[test]
fn a_name_stands_for_one_thing_or_is_refused() {
    let target = |benchmark: &str, version| {
        let (benchmark, inner) = match benchmark.split_once(" > ") {
            Some((benchmark, inner)) => (benchmark, Some(inner.to_owned())),
            None => (benchmark, None),
        };
        Ok(Target { benchmark: benchmark.into(), inner, version })
    };
    let revision = |name: &str| Version::Revision(name.into());
    for (text, benchmarks, expected) in [
        ("fib", &["fib", "sort"][..], target("fib", Version::Checked)),
        ("fib@main", &["fib", "sort"], target("fib", revision("main"))),
        ("fib@baseline", &["fib", "sort"], target("fib", Version::Baseline)),
        ("main", &["fib"], target("fib", revision("main"))),
        ("baseline", &["fib"], target("fib", Version::Baseline)),
        ("main@v1", &["main"], target("main", revision("v1"))),
        ("s:fib/1", &["s", "fib"], target("s > fib/1", Version::Checked)),
        ("s:a:b@v1", &["s", "s:a", "a"], target("s:a > b", revision("v1"))),
        ("s:a", &["s", "s:a"], target("s:a", Version::Checked)),
    ] {
        assert_eq!(resolved(text, benchmarks), expected, "{text}");
    }
    for (text, benchmarks, error, hint) in [
        (
            "fob",
            &["fib"][..],
            "`fob` is neither a benchmark nor a revision",
            "did you mean `fib`? benchmarks: `fib`",
        ),
        ("fob@main", &["fib"], "unknown benchmark `fob`", "did you mean `fib`? benchmarks: `fib`"),
        (
            "fib@v9",
            &["fib"],
            "unknown revision `v9`",
            "a shallow clone lacks older commits: `git fetch --unshallow`",
        ),
        (
            "main",
            &["main"],
            "`main` is a benchmark and a revision",
            "write `main@HEAD` for the benchmark, `refs/heads/main` for the branch",
        ),
        (
            "main",
            &["a b", "c"],
            "`main` does not say which benchmark",
            "write `\"a b\"@main`; benchmarks: `a b`, `c`",
        ),
        ("main", &[], "there is no benchmark to take `main` of", "define one as `[[benchmark]]`"),
        (
            "x",
            &[],
            "`x` is neither a benchmark nor a revision",
            "there are no benchmarks; define one as `[[benchmark]]`",
        ),
    ] {
        let refused = resolved(text, benchmarks).expect_err(text);
        assert_eq!((refused.to_string().as_str(), refused.hint().as_deref()), (error, Some(hint)));
    }
}
