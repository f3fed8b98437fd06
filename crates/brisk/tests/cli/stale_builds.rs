//! Incremental builds that miss a change: an equal artefact is confirmed from scratch.

use crate::cost::COST;
use crate::document::list;
use crate::lab::Lab;
use crate::repository::{LONG, Repository, SHORT, commit, steps};

/// Compiles if `source` changed, unaware that it includes `cost`. The one-time part of the build is
/// slow.
const BUILD: &str = "echo x >> \"$BUILDS\"; test -e done || sleep 1; \
                     cmp -s source done || cc -x c -c -o object source; \
                     cp source done; cc -o prog object";

/// A repository whose commits have these costs, and change another file as well; by default the
/// README.
fn repository<'a>(lab: &'a Lab, commits: &[(&str, &str)]) -> Repository<'a> {
    let repository = Repository::new(lab);
    for (number, (cost, other)) in commits.iter().enumerate() {
        repository.write(
            "source",
            "#include <stdio.h>\n#include <unistd.h>\n#include \"cost\"\n\
             int main(void) { printf(\"cost %s00%d\\n\", COST, (int)(getpid() % 10)); }\n",
        );
        repository.write("cost", &format!("#define COST \"{cost}\"\n"));
        let name = if other.is_empty() { "README" } else { other };
        repository.write(name, &format!("{number}\n"));
        repository.commit(&format!("commit {number}"));
    }
    repository
}

fn history(lab: &Lab, repository: &Repository<'_>, options: &[&str]) -> crate::lab::Ended {
    let range = repository.whole();
    let own = ["history", &range, "--project", "repo", "--build", BUILD, "--artifact", "prog"];
    let usual = ["--counters", "none", "-j", "1", "--confidence", "99.9", "--layouts", "0"];
    lab.brisk(&[&own[..], &usual, &COST, options].concat())
}

#[test]
fn a_step_that_a_stale_build_hides_is_found() {
    let lab = Lab::new().with("BUILDS", "/dev/null");
    let commits = [(SHORT, ""), (SHORT, ""), (LONG, ""), (LONG, "")];
    let repository = repository(&lab, &commits);
    let options = ["--metrics", "cost", "--runs", "12", "--export-json", "h.json"];
    let ended = history(&lab, &repository, &options).exited(1);
    assert!(ended.stderr.contains("all commits are built from scratch"), "{ended}");
    let ended = ended.says("4 commits, 2 different artefacts, 2 identical to an earlier one");
    let document = lab.json("h.json");
    let expected = [("commit 2".to_owned(), "regressed".to_owned())];
    assert_eq!(steps(&document), expected, "{ended}");
    // The search does not take the ends for the same program either.
    let ended = history(&lab, &repository, &["--bisect", "cost", "--remeasure"]);
    ended.exited(1).says("commit 2");
}

#[test]
fn equal_artefacts_are_confirmed_where_something_changed_that_could_matter() {
    let lab = Lab::new();
    let builds = lab.path("builds").to_string_lossy().into_owned();
    let lab = lab.with("BUILDS", builds);
    let words_only = [(SHORT, ""), (SHORT, ""), (SHORT, "")];
    let repository = repository(&lab, &words_only);
    let options = ["--metrics", "cost", "--runs", "3", "--export-json", "h.json"];
    let ended = history(&lab, &repository, &options).exited(0);
    let ended = ended.says("2 identical to an earlier one");
    assert!(!ended.stdout.contains("from scratch"), "{ended}");
    assert_eq!(lab.lines("builds").len(), 3, "nothing is built twice");
    for number in [3, 4] {
        repository.write("tests.c", &format!("{number}\n"));
        repository.commit(&format!("commit {number}"));
    }
    let ended = history(&lab, &repository, &options).exited(0);
    let ended = ended.says("4 identical to an earlier one, ");
    let document = lab.json("h.json");
    let confirmed = |subject: &str| commit(&document, subject)["equality_confirmed"].clone();
    assert_eq!(confirmed("commit 4"), true, "{ended}");
    assert_eq!(confirmed("commit 1"), serde_json::Value::Null);
    assert_eq!(list(&document, "steps").len(), 0);
}
