//! Real runtimes accept every level of every knob, and mixtures of them.
//!
//! If a compiler or runtime is missing, this reports "not checked".

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use toolchains::runtime::tuning::{self, Facts, Host, Menu, Setting, Start};

/// A folder for compiled programs, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("brisk-tuning-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the programs");
        let programs = fixtures::folder("tuning").join("programs");
        for entry in std::fs::read_dir(programs).expect("the programs are here") {
            let file = entry.expect("readable").path();
            std::fs::copy(&file, path.join(file.file_name().expect("a file"))).expect("copied");
        }
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a command in the folder. Returns `None` if the program is missing.
#[expect(clippy::disallowed_methods, reason = "a test runs real runtimes")]
fn run(folder: &Folder, argv: &[OsString], variables: &[(&str, String)]) -> Option<Output> {
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).current_dir(&folder.0).stdin(Stdio::null());
    // A build cache, which this machine's user may lack.
    command.env("GOCACHE", folder.0.join("cache"));
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.output().ok()
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(Into::into).collect()
}

/// The machine of the test; a small one if its size is unknown.
fn here() -> Host {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    Host { memory_bytes: kib.map_or(1 << 30, |kib| kib << 10), processors: 2 }
}

/// Each knob at each of its levels, and mixtures by a fixed rule.
fn settings(menu: &Menu) -> Vec<Setting> {
    let untouched: Vec<usize> = menu.items.iter().map(|item| item.default_place).collect();
    let mut all = vec![untouched.clone()];
    for (at, item) in menu.items.iter().enumerate() {
        for place in 0..item.places() {
            let mut places = untouched.clone();
            places[at] = place;
            all.push(places);
        }
    }
    // Steps of primes visit the levels of all knobs in ever-changing combinations.
    let mixture = |number: usize| {
        let place = |(at, item): (usize, &tuning::Item)| {
            number * [7, 11, 13, 17, 19, 23, 29][at] % item.places()
        };
        menu.items.iter().enumerate().map(place).collect::<Vec<usize>>()
    };
    all.extend((1..60).map(mixture).filter(|places| menu.permits(places)).take(8));
    all.retain(|places| menu.permits(places));
    all.sort_unstable();
    all.dedup();
    all.iter().map(|places| menu.setting(places)).collect()
}

/// Builds a program if needed, and runs it with every setting.
fn check(word: &str, build: Option<&[&str]>, argv: &[&str]) {
    check_named(word, word, build, argv);
}

fn check_named(name: &str, word: &str, build: Option<&[&str]>, argv: &[&str]) {
    let folder = Folder::new(name);
    let is_built = build.is_none_or(|build| {
        run(&folder, &words(build), &[]).is_some_and(|output| output.status.success())
    });
    let mut argv = words(argv);
    if argv[0].to_string_lossy().starts_with("./") {
        argv[0] = folder.0.join(&argv[0]).into();
    }
    let plain = if is_built { run(&folder, &argv, &[]) } else { None };
    let Some(plain) = plain.filter(|output| output.status.success()) else {
        not_checked(&format!("the knobs of {name}: it cannot be run here"));
        return;
    };
    let tuning = tuning::find(word).expect("known");
    let executable = std::fs::read(&argv[0]).unwrap_or_default();
    let menu = tuning.menu(here(), (tuning.facts)(&executable));
    let settings = settings(&menu);
    assert!(settings.len() > 1, "{name} offers nothing");
    for setting in &settings {
        let start = Start { argv: Some(&argv), variable: &|_| None };
        let change = setting.apply(&start).expect("applies");
        let changed = change.argv.as_ref().unwrap_or(&argv);
        let output = run(&folder, changed, &change.variables).expect("it ran before");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{name} with {}: {}: {said}",
            setting.label(),
            output.status
        );
        assert_eq!(output.stdout, plain.stdout, "{name} with {}", setting.label());
    }
}

#[test]
fn ghc_takes_them() {
    let build = ["ghc", "-O", "-rtsopts", "-outputdir", "out", "-o", "cells", "Cells.hs"];
    check("ghc", Some(&build), &["./cells"]);
}

#[test]
fn ghc_with_threads_takes_them() {
    let build =
        ["ghc", "-O", "-rtsopts", "-threaded", "-outputdir", "out", "-o", "cells", "Cells.hs"];
    check_named("ghc with threads", "ghc", Some(&build), &["./cells"]);
}

#[test]
fn ocaml_takes_them() {
    check("ocaml", Some(&["ocamlopt", "-o", "cells", "cells.ml"]), &["./cells"]);
}

#[test]
fn sbcl_takes_them() {
    check("sbcl", None, &["sbcl", "--script", "cells.lisp"]);
}

#[test]
fn mlton_takes_them() {
    check("mlton", Some(&["mlton", "-output", "cells", "cells.sml"]), &["./cells"]);
}

#[test]
fn polyml_takes_them() {
    check("polyml", None, &["poly", "--script", "cells.sml"]);
}

#[test]
fn java_takes_them() {
    check("jvm", Some(&["javac", "Cells.java"]), &["java", "Cells"]);
}

#[test]
fn go_takes_them() {
    check("go", Some(&["go", "build", "-o", "cells", "cells.go"]), &["./cells"]);
}

#[test]
fn node_takes_them() {
    check("node", None, &["node", "cells.js"]);
}

#[test]
fn cpython_takes_them() {
    check("cpython", None, &["python3", "cells.py"]);
}

/// The facts that decide the menu are those of the built programs.
#[test]
fn a_ghc_program_without_rtsopts_refuses_what_would_be_on_offer() {
    let folder = Folder::new("refused");
    let build = ["ghc", "-O", "-outputdir", "out", "-o", "cells", "Cells.hs"];
    let built = run(&folder, &words(&build), &[]).filter(|output| output.status.success());
    if built.is_none() {
        println!("what GHC refuses: not checked (it cannot be run here)");
        return;
    }
    let argv = vec![folder.0.join("cells").into_os_string()];
    let output = run(&folder, &argv, &[("GHCRTS", "-A64m".to_owned())]).expect("built");
    assert!(!output.status.success());
    let adapter = toolchains::runtime::find("ghc").expect("known");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!((adapter.refusal)(&said).is_some(), "{said}");
    let tuning = tuning::find("ghc").expect("known");
    let facts = (tuning.facts)(&std::fs::read(&argv[0]).expect("built"));
    assert_eq!(facts, Facts { threaded: Some(false), ..Facts::default() });
}

/// Reports a check that is impossible on this machine.
#[expect(clippy::print_stderr, reason = "what was not checked must not look like a pass")]
fn not_checked(what: &str) {
    eprintln!("not checked: {what}");
}
