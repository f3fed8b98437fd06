//! Project kinds are recognised: the build command and the artefact need not be given.
//!
//! The build tools are scripts that behave like the real ones as far as brisk can see: they build
//! the program from `source`, at the path where the real one would leave it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::cost::COST;
use crate::lab::{Ended, Lab};
use crate::repository::{LONG, Repository, SHORT, program};

/// A lab whose `PATH` begins with a folder of these tools.
fn lab(tools: &[(&str, &str)]) -> Lab {
    let lab = Lab::new();
    let bin = lab.path("bin");
    fs::create_dir_all(&bin).expect("ours");
    for (name, script) in tools {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
    }
    let path = std::env::var("PATH").expect("there is one");
    let path = format!("{}:{path}", bin.display());
    lab.with("PATH", path)
}

/// Makes the program at the path in the script's `$to`.
const INSTALL: &str = "mkdir -p \"$(dirname \"$to\")\" && cp source \"$to\" && chmod +x \"$to\"";

/// Two commits with these files and a program each.
fn project<'a>(lab: &'a Lab, files: &[(&str, &str)]) -> Repository<'a> {
    let repository = Repository::new(lab);
    for (name, text) in files {
        let path = repository.path().join(name);
        fs::create_dir_all(path.parent().expect("a file")).expect("ours");
        fs::write(path, text).expect("ours");
    }
    for (subject, seconds) in [("old", SHORT), ("new", LONG)] {
        repository.write("source", &program(seconds, subject));
        repository.commit(subject);
    }
    repository
}

const USUAL: [&str; 8] =
    ["--counters", "none", "--metrics", "cost", "--runs", "12", COST[0], COST[1]];

fn history(lab: &Lab, options: &[&str]) -> Ended {
    lab.brisk(&[&["history", "HEAD~1..HEAD", "--project", "repo"][..], &USUAL, options].concat())
}

/// Asserts that this was announced on standard error.
#[track_caller]
fn announced(ended: &Ended, text: &str) {
    let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(text), "no `{text}` in {ended}");
}

#[test]
fn every_build_system_has_a_command_and_an_artefact_of_its_own() {
    let cargo = format!(
        "case \"$*\" in *'--bin words'*) to=target/release/words; {INSTALL};; *) exit 9;; esac"
    );
    let go = format!("[ \"$1\" = build ] || exit 0; to=bin/words; {INSTALL}");
    let cabal = format!(
        "case $1 in build) to=dist-newstyle/build/x/words; {INSTALL};; \
         list-bin) echo dist-newstyle/build/x/words;; esac"
    );
    let stack = format!("to=.stack-work/bin/words; {INSTALL}");
    let dune = format!("to=_build/default/bin/words.exe; {INSTALL}");
    let cmake = format!("case $1 in --build) to=build/words; {INSTALL};; esac");
    let package = "name: words\nexecutable words\n  main-is: Main.hs\n";
    for (tool, script, files, makes) in [
        (
            "cargo",
            &cargo,
            &[("Cargo.toml", "[package]\nname = 'words'"), ("src/main.rs", "")][..],
            "a Cargo project: `cargo build --release --bin words` makes `target/release/words`",
        ),
        ("go", &go, &[("go.mod", "module x/words"), ("main.go", "package main")], "a Go project"),
        ("cabal", &cabal, &[("words.cabal", package)], "makes `dist-newstyle/bin/words`"),
        ("stack", &stack, &[("words.cabal", package), ("stack.yaml", "")], "a stack project"),
        (
            "dune",
            &dune,
            &[("dune-project", ""), ("bin/dune", "(executable (name words))")],
            "a dune project",
        ),
        (
            "cmake",
            &cmake,
            &[("CMakeLists.txt", "add_executable(words w.c)")],
            "makes `build/words`",
        ),
    ] {
        let lab = lab(&[(tool, script)]);
        project(&lab, files);
        let ended = history(&lab, &[]);
        announced(&ended, makes);
        assert_eq!(ended.code, Some(0), "{tool}: {ended}");
        assert!(ended.stdout.contains("new") && !ended.stdout.contains("no build"), "{ended}");
    }
}

#[test]
fn make_is_recognised_and_its_steps_are_found() {
    let lab = Lab::new();
    let makefile = "all: prog\nprog: source\n\tcp source prog && chmod +x prog\n";
    let repository = project(&lab, &[("Makefile", makefile)]);
    let range = repository.whole();
    let own = ["history", &range, "--project", "repo"];
    let ended = lab.brisk(&[&own[..], &USUAL].concat()).exited(1).says("regressed");
    announced(&ended, "note: a make project: `make prog` makes `prog`; `--build` and `--artifact`");
    let ended = lab.brisk(&[&own[..], &USUAL, &["--quiet"]].concat()).exited(1);
    assert_eq!(ended.stderr, "", "nothing is announced quietly");
    // Either option may be given alone, and overrides the recognised value.
    let ended = history(&lab, &["--build", "make all"]).exited(0);
    announced(&ended, "a make project makes `prog`; `--artifact` overrides that");
    let ended = history(&lab, &["--artifact", "./prog"]).exited(0);
    announced(&ended, "`make prog` makes `prog`; `--build` overrides that");
    let both = ["--build", "cp source p && chmod +x p", "--artifact", "p"];
    let ended = history(&lab, &both).exited(0);
    assert!(!ended.stderr.contains("project"), "{ended}");
}

#[test]
fn an_artefact_may_be_a_pattern_of_names_with_hashes() {
    // Like cargo: each state of the sources has a separate hash, and older files stay.
    let cargo = "case \"$*\" in *'--bench big'*) ;; *) exit 9;; esac\n\
                 hash=$(cksum source | cut -d' ' -f1); mkdir -p target/release/deps\n\
                 cp source target/release/deps/big-$hash; chmod +x target/release/deps/big-$hash\n\
                 echo > target/release/deps/big-$hash.d";
    let lab = lab(&[("cargo", cargo)]);
    let manifest = "[package]\nname = 'words'\n[[bench]]\nname = 'big'\nharness = false\n";
    let files = [("Cargo.toml", manifest), ("benches/big.rs", ""), ("src/lib.rs", "")];
    let repository = project(&lab, &files);
    let range = repository.whole();
    let own = ["history", &range, "--project", "repo", "--artifact", "target/release/deps/big-*"];
    let ended = lab.brisk(&[&own[..], &USUAL].concat()).exited(1).says("2 different artefacts");
    announced(&ended, "`cargo bench --no-run --bench big` makes");
    let several = "mkdir -p o && for n in 1 2; do cp source o/p-$n; chmod +x o/p-$n; done";
    let own = ["history", "HEAD^..HEAD", "--project", "repo", "--build", several];
    let ended = lab.brisk(&[&own[..], &["--artifact", "o/p-*"], &USUAL].concat());
    ended.failed("no commit of the range builds").because("stands for: o/p-1, o/p-2");
}

#[test]
fn of_several_programs_none_is_guessed() {
    let makefile = "all: one two\none: source\n\tcp source one && chmod +x one\ntwo: source\n\tcp source two\n";
    let lab = Lab::new();
    project(&lab, &[("Makefile", makefile)]);
    let ended = history(&lab, &[]).refused("makes 2 programs: `one`, `two`");
    ended.hinting("`--artifact`");
    let ended = history(&lab, &["--artifact", "one"]).exited(0);
    announced(&ended, "`make one` makes `one`");
}

#[test]
fn what_is_missing_is_told_at_once() {
    let lab = Lab::new();
    let benchmarks =
        "[[benchmark]]\nname = 'a'\ncommand = 'x'\n[[benchmark]]\nname = 'b'\ncommand = 'y'\n";
    project(&lab, &[("brisk.toml", benchmarks)]);
    let ended = history(&lab, &[]).refused("2 things are missing");
    let ended = ended.because(
        "brisk does not know how to build the commits, nor what the build \
        makes",
    );
    let ended = ended.because("brisk.toml has 2 benchmarks").hinting("`brisk init`");
    ended.hinting("`--benchmark NAME`: `a`, `b`");
}

#[test]
fn a_range_in_which_the_build_system_changes_says_so() {
    let lab = Lab::new();
    let repository = project(&lab, &[]);
    repository.write("Makefile", "prog: source\n\tcp source prog && chmod +x prog\n");
    repository.commit("build by make");
    repository.commit("more");
    let range = repository.whole();
    let own = ["history", &range, "--project", "repo"];
    let ended = lab.brisk(&[&own[..], &USUAL].concat());
    announced(
        &ended,
        "has no build system that is recognised: those that do not build this way are left out",
    );
    ended.exited(0).says("no build").says("more");
}

#[test]
fn a_compiler_that_the_build_uses_builds_again_and_another_does_not() {
    let lab = lab(&[("gcc", "echo gcc 1.0")]);
    let makefile = "prog: source\n\tcp source prog && chmod +x prog\n";
    project(&lab, &[("Makefile", makefile), ("main.c", "")]);
    let first = history(&lab, &[]).exited(0);
    assert!(!first.stderr.contains("again"), "{first}");
    let tool = |name: &str, script: &str| {
        let path = lab.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
    };
    tool("ocamlopt", "echo 5.1");
    let unrelated = history(&lab, &[]).exited(0);
    assert!(!unrelated.stderr.contains("again"), "{unrelated}");
    tool("gcc", "echo gcc 1.1");
    let ended = history(&lab, &[]).exited(0);
    announced(&ended, "note: 1 commit is built again: `gcc` changed: 1.0 -> 1.1");
    // The same project under another PATH gives the same artefact.
    let elsewhere = lab.path("empty");
    fs::create_dir_all(&elsewhere).expect("ours");
    let path = std::env::var("PATH").expect("there is one");
    let path = format!("{}:{}:{path}", elsewhere.display(), lab.path("bin").display());
    let lab = lab.with("PATH", path);
    let ended = history(&lab, &[]).exited(0);
    assert!(!ended.stderr.contains("again"), "{ended}");
}

#[test]
fn init_writes_a_file_that_is_read_and_never_another_over_it() {
    let lab = Lab::new();
    let makefile = "prog: source\n\tcp source prog && chmod +x prog\n";
    let repository = project(&lab, &[("Makefile", makefile)]);
    let init = ["init", "--project", "repo"];
    let ended = lab.brisk(&init).succeeded().says("wrote `repo/brisk.toml`: a make project");
    ended.says("`brisk history HEAD~5..HEAD`");
    let text = fs::read_to_string(repository.path().join("brisk.toml")).expect("it is there");
    assert!(text.contains("build = 'make prog'\nartifact = 'prog'\n"), "{text}");
    lab.brisk(&init).refused("already exists, and is not changed");
    let again = fs::read_to_string(repository.path().join("brisk.toml")).expect("it is there");
    assert_eq!(text, again);
    let ended = history(&lab, &[]).exited(0);
    assert!(!ended.stderr.contains("note"), "all is said: {ended}");
    fs::create_dir_all(repository.path().join("sub")).expect("ours");
    let part = lab.brisk(&["init", "--project", "repo/sub"]).refused("is a part of a make project");
    part.hinting("brisk init --project");
}

/// The strings by which brisk recognises criterion.rs.
const CRITERION: &str = "# CRITERION_HOME CRITERION_DEBUG\n";

#[test]
fn the_time_of_a_harness_is_no_answer() {
    let lab = Lab::new();
    let makefile = "prog: source\n\tcp source prog && chmod +x prog\n";
    let repository = project(&lab, &[("Makefile", makefile)]);
    for (subject, seconds) in [("old", SHORT), ("new", LONG)] {
        repository.write("source", &(program(seconds, subject) + "\n" + CRITERION));
        repository.commit(subject);
    }
    let refused = |ended: Ended, name: &str| {
        let ended = ended.failed(&format!("`{name}` runs benchmarks with criterion.rs"));
        ended.because("decides itself how long it measures").hinting("history --harness auto`");
    };
    lab.write("suite", &format!("#!/bin/sh\necho ran >> ran\n{CRITERION}"));
    let path = lab.path("suite");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
    refused(lab.brisk(&["compare", "true", "./suite --bench"]), "suite");
    refused(lab.brisk(&["compare", "--shell=sh", "./suite"]), "suite");
    refused(lab.brisk(&["sweep", "./suite {n}", "--param", "n=1,2"]), "suite");
    assert!(!lab.exists("ran"));
    refused(history(&lab, &["--quiet"]), "prog");
    // Trying out all benchmarks is work of an amount that does not depend on its speed.
    lab.brisk(&["compare", "-r", "2", "./suite --test"]).succeeded();
    // A program that matches several harnesses is not a suite.
    lab.write("knows", &format!("#!/bin/sh\n{CRITERION}# libbenchmark.so\n"));
    fs::set_permissions(lab.path("knows"), fs::Permissions::from_mode(0o755)).expect("ours");
    lab.brisk(&["compare", "-r", "2", "./knows"]).succeeded();
}
