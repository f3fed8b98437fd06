//! Changes from commit to commit in programs of any language: instructions by function.

use serde_json::Value;

use crate::document::list;
use crate::lab::{Lab, has, not_checked};
use crate::repository::Repository;

const SOURCE: &str = "#include <stdio.h>
__attribute__((noinline)) static long square(long i) { return i * i + 1; }
__attribute__((noinline)) static long sum(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= square(sum + i);
    return sum;
}
int main(void) { printf(\"%ld\\n\", sum(COUNT)); return 0; }
";

/// True if valgrind and a C compiler are installed; otherwise prints a message.
fn can_count() -> bool {
    let can = has("valgrind") && has("cc");
    if !can {
        not_checked("instructions of commits: there is no valgrind, or no compiler of C");
    }
    can
}

/// A repository whose first commit does half the work of its second.
fn repository(lab: &Lab) -> Repository<'_> {
    let repository = Repository::new(lab);
    for count in ["5000", "10000"] {
        repository.write("sum.c", &SOURCE.replace("COUNT", count));
        repository.commit(&format!("sum up to {count}"));
    }
    repository
}

const BUILD: &str = "cc -O1 -g -o sum sum.c";

fn changed(part: &Value, name: &str) -> i64 {
    let found = list(part, "functions").iter().find(|function| function["name"] == name);
    let change = found.and_then(|function| function["change"].as_i64());
    change.unwrap_or_else(|| panic!("no change of `{name}`: {part}"))
}

#[test]
fn a_range_is_an_old_and_a_new_program() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let _repository = repository(&lab);
    let explain = ["explain", "-q", "--project", "repo", "--build", BUILD, "./sum"];
    let written = ["--export-json", "out.json"];
    let mut parts = Vec::new();
    for commits in [&["--at", "HEAD~1..HEAD"][..], &["--at", "HEAD~1", "--at", "HEAD"]] {
        let ended = lab.brisk(&[&explain[..], commits, &written].concat()).succeeded();
        ended.says("sum up to 5000").says("sum up to 10000");
        parts.push(lab.json("out.json")["instructions"].clone());
    }
    assert!(changed(&parts[0], "square") > 0);
    let change = |part: &Value| (changed(part, "square"), changed(part, "sum"));
    assert_eq!(change(&parts[0]), change(&parts[1]), "both say the same commits");
    let refused = |at: &str, error: &str| {
        lab.brisk(&[&explain[..], &["--at", at]].concat()).refused(error);
    };
    refused("HEAD~1..nowhere", "unknown revision `nowhere`");
    refused("HEAD~1...HEAD", "`--at HEAD~1...HEAD` does not name two commits");
}

#[test]
fn the_steps_of_a_history_are_explained_by_function() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let repository = repository(&lab);
    let range = repository.whole();
    let history = ["history", &range, "-q", "--project", "repo", "--build", BUILD];
    // Both are counted exactly, however busy the machine is.
    let measured = ["--counters", "valgrind", "--metrics", "instructions", "--runs", "2"];
    let more = ["--artifact", "sum", "--explain", "--export-json", "h.json"];
    let ended = lab.brisk(&[&history[..], &measured, &more].concat());
    let document = lab.json("h.json");
    let steps = list(&document, "steps");
    assert!(!steps.is_empty(), "{ended}");
    for step in steps {
        assert!(changed(&step["instructions"], "square") > 0, "{step}");
        assert!(step.get("core_difference").is_none(), "{step}");
    }
    ended.says("instructions by function").says("square");
}

#[test]
fn options_that_explain_no_step_are_refused_before_anything_is_built() {
    let lab = Lab::new();
    let repository = repository(&lab);
    let range = repository.whole();
    let history = ["history", &range, "--project", "repo", "--artifact", "sum", "--build"];
    let build = "echo built >> ../../built; false";
    let refused = |more: &[&str], error: &str| {
        lab.brisk(&[&history[..], &[build], more].concat()).refused(error);
        assert!(!lab.exists("built"));
    };
    refused(&["--ghc-options=-O2"], "GHC options are given, but nothing is explained");
}
