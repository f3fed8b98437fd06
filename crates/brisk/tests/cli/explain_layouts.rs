//! Programs with modules in adjacent folders, and the parts of a program that are not examined.

use std::fs;

use serde_json::{Value, json};

use crate::lab::{Lab, has, not_checked};

const MAIN: &str = "module Main (main) where
import Data.Thing
import Work
main :: IO ()
main = print (total 20000 0 + thing 20000)
";

const WORK: &str = "module Work (total, weigh) where
slow :: Int -> Int
slow n = if n > 100 then n - 100 else slow (n * 3 + 1)
{-# NOINLINE slow #-}
weigh :: Int -> Int -> Int
weigh n = let w = slow n in \\m -> w * m
{-# NOINLINE weigh #-}
total :: Int -> Int -> Int
total 0 acc = acc
total n acc = total (n - 1) (acc + weigh n (n + 1))
";

const THING: &str = "module Data.Thing (thing) where
thing :: Int -> Int
thing n = length (filter even [1 .. n])
{-# NOINLINE thing #-}
";

/// The usual layout: `app/Main.hs`, and the other modules in `src`.
fn usual(lab: &Lab) {
    fs::create_dir_all(lab.path("app")).expect("writable");
    fs::create_dir_all(lab.path("src/Data")).expect("writable");
    lab.write("app/Main.hs", MAIN);
    lab.write("src/Work.hs", WORK);
    lab.write("src/Data/Thing.hs", THING);
}

/// All files in the program's folders.
fn files(lab: &Lab) -> Vec<String> {
    let mut all: Vec<String> = ["app", "src", "src/Data"]
        .iter()
        .flat_map(|folder| fs::read_dir(lab.path(folder)).expect("it is there"))
        .map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned())
        .collect();
    all.sort();
    all
}

/// True if GHC is installed; otherwise prints a message.
fn has_ghc() -> bool {
    let is_there = has("ghc");
    if !is_there {
        not_checked("layouts of programs that GHC builds: there is no ghc");
    }
    is_there
}

#[track_caller]
fn all_is_looked_at(lab: &Lab, work: &str) -> Value {
    let why = lab.json("why.json")["explanation"].clone();
    let mut modules: Vec<&str> =
        why["modules"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    modules.sort_unstable();
    assert_eq!(modules, ["Data.Thing", "Main", "Work"]);
    assert_eq!(why["coverage"]["unplaced_rows"], 0, "{why}");
    assert_eq!(why["findings"][0]["binding"], "Work.weigh");
    assert_eq!(why["findings"][0]["location"]["file"], work);
    // Every analysis that needs a module's source has it.
    assert_eq!(why["not_looked"].to_string().matches("source").count(), 0, "{why}");
    why
}

#[test]
fn modules_beside_the_programs_own_folder_keep_their_dumps() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    usual(&lab);
    let before = files(&lab);
    let whole =
        format!("--ghc-options=-i{}", lab.path("src").canonicalize().expect("there").display());
    for option in ["--ghc-options=-i../src", &whole] {
        lab.brisk(&["explain", "app/Main.hs", option, "--export-json", "why.json"]).succeeded();
        let why = lab.json("why.json")["explanation"]["findings"][0]["location"]["file"].clone();
        let file = why.as_str().expect("a path").to_owned();
        assert!(file.starts_with("../") && file.ends_with("src/Work.hs"), "{file}");
        all_is_looked_at(&lab, &file);
        assert_eq!(files(&lab), before, "nothing is written beside the source");
    }
    // A remedy is tried in copies of both folders.
    let prove = ["--ghc-options=-i../src -O0", "--prove", "--budget=2s"];
    let ended = lab.brisk(&[&["explain", "app/Main.hs"], &prove[..]].concat()).succeeded();
    ended.says("tried: GHC's option `-O1`: helped: ");
    assert_eq!(files(&lab), before);
}

#[test]
fn folders_of_sources_in_a_cabal_file_keep_their_dumps() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    if !has("cabal") {
        return not_checked("layouts of cabal projects: there is no cabal");
    }
    usual(&lab);
    lab.write(
        "lay.cabal",
        "cabal-version: 2.4\nname: lay\nversion: 0.1\nexecutable lay\n  main-is: Main.hs\n  \
         hs-source-dirs: app, src\n  other-modules: Work, Data.Thing\n  build-depends: base\n  \
         default-language: Haskell2010\n",
    );
    lab.write("config", "");
    let lab = lab.with("CABAL_CONFIG", "config");
    lab.brisk(&["explain", ".", "--export-json", "why.json"]).succeeded();
    all_is_looked_at(&lab, "src/Work.hs");
}

#[test]
fn a_benchmark_of_a_project_with_several_packages_is_built_without_a_home() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    if !has("cabal") {
        return not_checked("projects of several packages: there is no cabal");
    }
    // As with stack: no cabal file lists the packages. One contains a nested library.
    usual(&lab);
    fs::create_dir_all(lab.path("pkgs/core/inner")).expect("writable");
    fs::create_dir_all(lab.path("pkgs/speed")).expect("writable");
    fs::rename(lab.path("src/Work.hs"), lab.path("pkgs/core/Work.hs")).expect("writable");
    fs::rename(lab.path("src/Data"), lab.path("pkgs/core/inner/Data")).expect("writable");
    fs::rename(lab.path("app/Main.hs"), lab.path("pkgs/speed/Main.hs")).expect("writable");
    lab.write("stack.yaml", "packages: [pkgs/core, pkgs/speed]\n");
    let head = "cabal-version: 3.0\nversion: 0.1\n";
    let all = "  build-depends: base\n  default-language: Haskell2010\n";
    lab.write(
        "pkgs/core/core.cabal",
        &format!(
            "{head}name: core\nlibrary inner\n  visibility: public\n  hs-source-dirs: inner\n  \
             exposed-modules: Data.Thing\n{all}library\n  exposed-modules: Work\n{all}"
        ),
    );
    lab.write(
        "pkgs/speed/speed.cabal",
        &format!(
            "{head}name: speed\nbenchmark weighing\n  type: exitcode-stdio-1.0\n  main-is: Main.hs\n  \
             build-depends: core, core:inner\n{all}"
        ),
    );
    lab.brisk(&["explain", "."]).refused("has no executables: `weighing`");
    fs::create_dir_all(lab.path("home")).expect("writable");
    let lab = lab.with("HOME", "home").with("XDG_CONFIG_HOME", "home/config");
    let explain = ["explain", ".", "--executable=weighing", "--export-json", "why.json"];
    lab.brisk(&explain).succeeded();
    all_is_looked_at(&lab, "pkgs/core/Work.hs");
    let in_home = fs::read_dir(lab.path("home")).expect("there");
    let in_home: Vec<_> = in_home.map(|it| it.expect("there").file_name()).collect();
    assert_eq!(in_home, [".cache"], "only the folder of brisk itself is in the home");
    assert!(!lab.path("dist-newstyle").exists());
}

#[test]
fn a_module_without_a_dump_is_named_and_what_it_costs() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    usual(&lab);
    let elsewhere = lab.path("elsewhere").display().to_string();
    fs::create_dir_all(&elsewhere).expect("writable");
    let options = format!("{{-# OPTIONS_GHC -dumpdir {elsewhere}/ #-}}\n");
    lab.write("src/Work.hs", &format!("{options}{WORK}"));
    lab.write("src/Data/Thing.hs", &THING.replace("filter even [1 .. n]", "[n]"));
    let explain = ["explain", "app/Main.hs", "--ghc-options=-i../src", "--export-json", "why.json"];
    let ended = lab.brisk(&explain).succeeded();
    let ended = ended.says("Most of the cost was not looked at: ");
    let ended = ended.says("in modules without a dump of their Core");
    let ended = ended.says("Nothing was looked at of modules without a dump: `Work` (");
    assert!(!ended.stdout.contains("doubt"), "{ended}");
    let why = lab.json("why.json")["explanation"].clone();
    let undumped = &why["coverage"]["undumped"];
    assert_eq!(undumped[0]["module"], "Work");
    assert!(undumped[0]["allocated_bytes"].as_u64() > Some(100_000), "{undumped}");
    assert_eq!(why["doubts"], json!([]));
}

#[test]
fn where_most_of_the_cost_is_in_libraries_it_is_said() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    // It runs too briefly for its stack to be examined.
    lab.write("Main.hs", "main :: IO ()\nmain = interact (unwords . map reverse . words)\n");
    lab.write("numbers", &"12345\n".repeat(30));
    let ended = lab.brisk(&["explain", "Main.hs", "--input", "numbers"]).succeeded();
    let ended = ended.says("Most of the cost was not looked at: ");
    let ended = ended.says("in code without counters (libraries that were compiled before");
    assert!(!ended.stdout.contains("No known cause"), "{ended}");
}
