//! Errors of a history, and the problems it tolerates.

use std::fs;

use crate::document::list;
use crate::lab::Lab;
use crate::repository::{Repository, SHORT, commit, program};

/// Two commits that would build and run, with these arguments after `history`; nothing may run.
#[track_caller]
fn refused(arguments: &[&str], error: &str, cause: &str, hint: &str) {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, SHORT]);
    let build = repository.build();
    let usual: &[&str] = &["--project", "repo", "--build", &build];
    let ended = lab.brisk(&[&["history"], usual, arguments].concat()).refused(error);
    let ended = if cause.is_empty() { ended } else { ended.because(cause) };
    if !hint.is_empty() {
        ended.hinting(hint);
    }
    assert_eq!((repository.builds(), repository.runs()), (0, 0), "{arguments:?} ran something");
    assert!(!lab.store().exists(), "{arguments:?} began an experiment");
}

#[test]
fn a_range_that_is_none_is_refused() {
    for (range, error, cause, hint) in [
        ("gone..HEAD", "unknown revision `gone`", "bad revision", "`git log --oneline`"),
        ("HEAD..gone", "unknown revision `gone`", "bad revision", "`git log --oneline`"),
        ("HEAD..HEAD", "no commits in `HEAD..HEAD`", "", "the older end comes first"),
        ("HEAD..HEAD^", "no commits in `HEAD..HEAD^`", "", "`OLDER..NEWER`"),
        ("HEAD", "`HEAD` is the whole history up to there, 2 commits", "", "`HEAD^..HEAD` is"),
    ] {
        refused(&[range, "--artifact", "prog"], error, cause, hint);
    }
}

#[test]
fn a_folder_without_a_repository_is_refused() {
    let lab = Lab::new();
    let elsewhere = std::env::temp_dir();
    let elsewhere = elsewhere.to_str().expect("UTF-8");
    let usual = ["history", "A..B", "--build", "true", "--artifact", "prog", "--project"];
    let ended = lab.brisk(&[&usual[..], &[elsewhere]].concat());
    let ended = ended.refused("is not in a git repository").because("not a git repository");
    ended.hinting("`--project DIR`");
    lab.brisk(&[&usual[..], &["no/such/folder"]].concat()).exited(2);
}

#[test]
fn a_recipe_that_cannot_work_is_refused() {
    for (arguments, error, cause, hint) in [
        (&["HEAD^..HEAD"][..], "brisk does not know what the build makes", "", "`--artifact PATH`"),
        (&["HEAD^..HEAD", "--artifact", "/prog"], "is not a file or folder inside", "", ""),
        (&["HEAD^..HEAD", "--artifact", "../prog"], "is not a file or folder inside", "", ""),
        (
            &["HEAD^..HEAD", "--artifact", "prog", "--patch", "none"],
            "cannot read the patch `none`",
            "No such file",
            "`git diff > FILE`",
        ),
        (
            &["HEAD^..HEAD", "--artifact", "prog", "--overlay", "none"],
            "cannot read the overlay `none`",
            "No such file",
            "name a folder",
        ),
        (
            &["HEAD^..HEAD", "--artifact", "prog", "--build-timeout", "soon"],
            "bad `--build-timeout`",
            "`soon` is not a duration",
            "",
        ),
        (
            &["HEAD^..HEAD", "--artifact", "prog", "--", "sleep", "1"],
            "the command `sleep 1` does not say where the artefact goes",
            "",
            "write `{artifact}` in its place",
        ),
        (
            &["HEAD^..HEAD", "--artifact", "prog", "--", "no-such-program {artifact}"],
            "cannot start `no-such-program {artifact}`",
            "cannot find `no-such-program` in PATH",
            "",
        ),
        (
            &["HEAD^..HEAD", "--artifact", "prog", "--export-json", "no/such/folder/h.json"],
            "cannot write `no/such/folder/h.json`",
            "No such file",
            "",
        ),
    ] {
        refused(arguments, error, cause, hint);
    }
}

#[test]
fn the_users_checkout_is_not_touched() {
    let lab = Lab::new();
    let repository = Repository::costing(&lab, &[SHORT, SHORT]);
    repository.write("source", &program("9", "not yet committed"));
    repository.write("staged", "x\n");
    repository.git(&["add", "staged"]);
    repository.write("untracked", "x\n");
    let look = || {
        let status = repository.git(&["--no-optional-locks", "status", "--porcelain"]);
        (status, repository.head(), repository.git(&["stash", "list"]), repository.git(&["branch"]))
    };
    let before = (look(), repository.index());
    assert_eq!(before.0.0, " M source\nA  staged\n?? untracked".trim_start_matches('\n'));
    repository.history(&["--runs", "3"]).judged().says("2 commits");
    assert_eq!((look(), repository.index()), before);
    assert!(!repository.path().join("prog").exists());
}

/// Commits that build by their own `build.sh`: the first and the last correctly, the one between
/// them by this script.
fn with_odd_build(script: &str, options: &[&str]) -> (String, String) {
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    let good = "cp source prog && chmod +x prog";
    for (number, build) in [good, script, good].iter().enumerate() {
        repository.write("build.sh", &format!("{build}\n"));
        repository.write("source", &program("0.002", &number.to_string()));
        repository.commit(&format!("commit {number}"));
    }
    let range = repository.whole();
    let usual =
        ["history", &range, "--project", "repo", "--build", "sh build.sh", "--clean-builds"];
    let more = ["--artifact", "prog", "--runs", "2", "--export-json", "h.json"];
    let ended = lab.brisk(&[&usual[..], &more, options].concat()).judged();
    ended.says("3 commits");
    let document = lab.json("h.json");
    for subject in ["commit 0", "commit 2"] {
        assert_eq!(commit(&document, subject)["build"], "ok");
    }
    let odd = commit(&document, "commit 1");
    let word = |name: &str| odd[name].as_str().unwrap_or_default().to_owned();
    assert_eq!(odd["build"] == "ok", odd["reason"].is_null());
    (word("build"), word("reason"))
}

#[test]
fn a_build_that_prints_very_much_is_kept_with_its_end_alone() {
    let shout = "head -c 20000000 /dev/zero | tr '\\0' x; echo the end; exit 7";
    let (build, reason) = with_odd_build(shout, &[]);
    assert_eq!(build, "failed");
    assert!(reason.starts_with("the build exited with status 7"), "{:.99}", reason);
    assert!(reason.ends_with("the end") && reason.len() < 100_000, "{}", reason.len());
}

#[test]
fn a_build_that_hangs_is_ended() {
    let (build, reason) = with_odd_build("echo waiting; sleep 1000", &["--build-timeout", "1s"]);
    assert_eq!(build, "failed");
    assert_eq!(reason, "the build did not finish within 1 s\nwaiting");
}

#[test]
fn a_build_that_makes_nothing_or_something_else_is_named() {
    for (script, expected) in [
        ("true", "the build succeeded, but made no `prog`"),
        ("ln -s /nowhere prog", "the build succeeded, but made no `prog`"),
        ("mkfifo prog", "the artefact `prog` cannot be copied: "),
        ("mkdir prog", "the artefact `prog` is a folder, so it cannot be run"),
        ("cp source prog; chmod -x prog", "the artefact `prog` is not executable"),
    ] {
        let (build, reason) = with_odd_build(script, &[]);
        assert_eq!(build, "failed", "{script}");
        assert!(reason.starts_with(expected), "{script}: {reason}");
    }
}

#[test]
fn an_artefact_may_be_a_link_or_a_folder() {
    let link = "cp source real && chmod +x real && ln -s real prog";
    assert_eq!(with_odd_build(link, &[]), ("ok".to_owned(), String::new()));
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    for number in 0..2 {
        repository.write("source", &program("0.002", &number.to_string()));
        repository.commit(&format!("commit {number}"));
    }
    let range = repository.whole();
    let build = "mkdir -p dist/bin && cp source dist/bin/prog && chmod +x dist/bin/prog";
    let usual = ["history", &range, "--project", "repo", "--build", build, "--artifact", "dist"];
    let command = ["--runs", "2", "--", "{artifact}/bin/prog with 'an argument'"];
    let ended = lab.brisk(&[&usual[..], &command].concat()).judged();
    ended.says("2 commits, 2 different artefacts");
}

#[test]
fn names_may_have_spaces_and_letters_of_any_script() {
    let lab = Lab::new();
    let repository = Repository::named(&lab, "ein Ort für größere Dinge");
    fs::create_dir(repository.path().join("その他")).expect("writable");
    for number in 0..2 {
        repository.write("その他/it's a source", &program("0.002", &number.to_string()));
        repository.commit(&format!("Änderung № {number}"));
    }
    let range = repository.whole();
    let project = repository.path();
    let build =
        "cp \"その他/it's a source\" 'das größte Programm' && chmod +x 'das größte Programm'";
    let usual =
        ["history", &range, "--project", project.to_str().expect("UTF-8"), "--build", build];
    let more = ["--artifact", "das größte Programm", "--runs", "2", "--export-json", "h.json"];
    lab.brisk(&[&usual[..], &more].concat()).judged().says("Änderung № 1");
    let document = lab.json("h.json");
    assert!(list(&document, "commits").iter().all(|part| part["build"] == "ok"));
}
