//! `brisk explain` on programs in source form, built here by GHC if it is installed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::lab::{Lab, eventually, has, not_checked};

const PROGRAM: &str = include_str!("../../../../fixtures/explain_dumps/Main.hs");

/// A program that echoes what it reads, and fails without an argument.
const NEEDY: &str = "import System.Environment\n\
                     main = do { [n] <- getArgs; text <- getContents; putStr (n ++ text) }\n";

/// A compiler that only prints this version.
fn compiler(lab: &Lab, version: &str) -> String {
    lab.write("ghc", &format!("#!/bin/sh\necho {version}\n"));
    let path = lab.path("ghc");
    let mut permissions = fs::metadata(&path).expect("it was written").permissions();
    permissions.set_mode(0o755);
    fs::set_permissions(&path, permissions).expect("it is ours");
    path.display().to_string()
}

#[test]
fn what_is_no_program_of_ghcs_is_refused() {
    let lab = Lab::new();
    let folder = |name: &str| fs::create_dir_all(lab.path(name)).expect("writable");
    ["plain", "several", "library"].into_iter().for_each(folder);
    lab.write("plain/main.c", "int main(void) { return 0; }\n");
    lab.write("several/p.cabal", "name: p\nexecutable a\nexecutable b\n");
    lab.write("library/p.cabal", "name: p\nlibrary\n");
    lab.write("Main.hs", PROGRAM);
    let refused = |arguments: &[&str], error: &str| {
        lab.brisk(&[&["explain"], arguments].concat()).refused(error)
    };
    refused(&["plain"], "`plain` is not a Haskell program").hinting("`brisk explain 'PROGRAM");
    refused(&["several"], "has several executables: `a`");
    refused(&["several", "--executable", "c"], "has no component `c`");
    refused(&["library"], "has no executable, test suite or benchmark, so there is nothing to run");
    refused(&["Main.hs", "--executable", "c"], "`Main.hs` is not one");
    refused(&["Main.hs", "--timeout", "soon"], "bad `--timeout`");
    refused(&["Main.hs", "--input", "nowhere"], "cannot read from `nowhere`");
    refused(&["Main.hs", "--env", "nothing"], "`nothing` is not an assignment");
}

#[test]
fn a_compiler_that_is_absent_or_unknown_is_refused() {
    let lab = Lab::new();
    lab.write("Main.hs", PROGRAM);
    let with = |ghc: &str| lab.brisk(&["explain", "Main.hs", "--ghc", ghc]);
    with("/nowhere/ghc").refused("there is no GHC to build with").because("cannot start");
    with("true").refused("`true` is not GHC");
    with(&compiler(&lab, "7.10.3"))
        .refused("brisk does not know the form in which GHC 7.10.3 writes Core");
}

#[test]
fn a_program_is_built_and_run_and_explained_and_nothing_of_the_users_is_touched() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("programs that GHC builds: there is no ghc");
    }
    lab.write("Main.hs", PROGRAM);
    let ended = lab.brisk(&["explain", "Main.hs", "--export-json", "why.json"]).succeeded();
    ended.says("1. Main.weigh Main.hs:10:15");
    let why = &lab.json("why.json")["explanation"];
    let all = why["coverage"]["allocated_bytes"].as_u64().expect("the runtime says it");
    let counted = why["coverage"]["instrumented_bytes"].as_u64().expect("it was counted");
    assert!(0 < counted && counted < all, "{counted} of {all}");
    assert_eq!(why["coverage"]["unplaced_rows"], 0);
    assert_eq!(why["run"]["command"][0], "Main.hs");
    let mut left: Vec<String> = fs::read_dir(lab.path("."))
        .expect("it is there")
        .map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, [".cache", "Main.hs", "runs.db", "why.json"]);
    let kept = fs::read_dir(lab.path(".cache/brisk/explain")).expect("brisk's own folder");
    let folders = kept.filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()));
    assert_eq!(folders.count(), 0, "what was built is removed");
}

#[test]
fn what_does_not_build_or_run_is_told_with_its_last_words() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("programs that do not build or run: there is no ghc");
    }
    lab.write("Wrong.hs", "main = putStrLn (1 :: Int)\n");
    lab.brisk(&["explain", "Wrong.hs"])
        .refused("the program does not build: `ghc` exited with status 1")
        .because("Couldn't match");
    lab.write("Needy.hs", NEEDY);
    lab.brisk(&["explain", "Needy.hs"])
        .refused("the program exited with status 1")
        .because("last lines of its standard error:");
    lab.write("words", "hello\n");
    lab.brisk(&["explain", "Needy.hs", "--input", "words", "--", "3"])
        .succeeded()
        .says("`Needy.hs 3` ran once plain");
    lab.write("Endless.hs", "main = let f n = if n < 0 then n else f (n + 1) in print (f 0)\n");
    lab.brisk(&["explain", "Endless.hs", "--timeout", "1"])
        .refused("the program did not end within 1.0 s");
    lab.nothing_is_left();
}

#[test]
fn a_remedy_is_tried_and_its_verdict_stands_beside_the_finding() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("remedies that are tried: there is no ghc");
    }
    lab.write("Main.hs", PROGRAM);
    let options = ["--ghc-options=-O0", "--prove", "--budget=2s", "--export-json", "why.json"];
    let ended = lab.brisk(&[&["explain", "Main.hs"], &options[..]].concat()).succeeded();
    ended.says("tried: GHC's option `-O1`: helped: ");
    let why = &lab.json("why.json")["explanation"];
    assert_eq!(why["doubts"], serde_json::json!([]));
    assert_eq!(why["coverage"]["unplaced_rows"], 0, "parts of `main` are its own");
    let first = &why["findings"][0];
    assert_eq!(first["cause"], "missing-optimisation");
    assert_eq!(first["change"]["kind"], "compiler_option");
    // Without optimisation, it allocates mostly boxes and thunks of `total`.
    let ratio = first["proof"]["allocation_ratio"].as_f64().expect("it was compared");
    assert!(ratio < 0.95, "{ratio}");
    assert_eq!(lab.read("Main.hs"), PROGRAM, "the user's own text is as it was");
}

#[test]
fn an_interruption_ends_what_runs_and_removes_what_was_built() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("interruptions of explanations: there is no ghc");
    }
    // It reports that it runs, and then never ends.
    lab.write(
        "Endless.hs",
        "main = writeFile \"running\" \"\" >> let f n = if n < 0 then n else f (n + 1) in print (f 0)\n",
    );
    let running = lab.start(&["explain", "Endless.hs"]);
    eventually("running", || lab.exists("running"));
    running.signal("INT");
    running.wait().failed("interrupted while the program ran");
    lab.nothing_is_left();
    let left = fs::read_dir(lab.path(".cache/brisk/explain")).expect("brisk's own folder");
    assert!(left.flatten().all(|entry| entry.path().is_file()), "what was built is removed");
}

#[test]
fn a_cabal_project_is_built_as_it_says() {
    let lab = Lab::new();
    if !has("ghc") || !has("cabal") {
        return not_checked("cabal projects that are explained: there is no ghc, or no cabal");
    }
    // Without repositories, nothing is downloaded.
    let home = lab.path("cabal");
    fs::create_dir_all(&home).expect("the folder for tests is writable");
    lab.write("cabal/config", "\n");
    let config = home.join("config").display().to_string();
    let lab = lab.with("CABAL_DIR", home.display().to_string()).with("CABAL_CONFIG", config);
    fs::create_dir_all(lab.path("tool/app")).expect("the folder for tests is writable");
    lab.write("tool/app/Main.hs", PROGRAM);
    lab.write(
        "tool/tool.cabal",
        "cabal-version: 2.4\nname: tool\nversion: 0.1\n\nexecutable weigh\n  main-is: Main.hs\n  \
         hs-source-dirs: app\n  build-depends: base\n  default-language: Haskell2010\n",
    );
    let ended = lab.brisk(&["explain", "tool"]).succeeded();
    ended.says("1. Main.weigh app/Main.hs:10:15").says("`weigh` ran once plain");
    assert!(!lab.exists("tool/dist-newstyle"), "nothing is built in the project's own folder");
}
