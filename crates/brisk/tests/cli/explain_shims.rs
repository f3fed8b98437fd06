//! Commits that build only with a patch, an overlay, a preceding command, or variables.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::document::list;
use crate::lab::{Lab, has, not_checked};
use crate::repository::Repository;

const HASKELL: &str = "module Main (main) where
import Steps (steps)

double :: Int -> (Int, Int)
double n = (n * 2 + 1, n - 3)

walk :: Int -> Int -> Int
walk 0 t = t
walk n t = case double n of (a, b) -> walk (n - 1) (t + a - b)
{-# NOINLINE walk #-}

main :: IO ()
main = print (walk steps 0)
";

/// A repository of a Haskell program that lacks a module, or has one that does not compile.
fn haskell<'a>(lab: &'a Lab, steps: Option<&str>) -> Repository<'a> {
    let repository = Repository::new(lab);
    steps.iter().for_each(|text| repository.write("Steps.hs", text));
    repository.write("Main.hs", HASKELL);
    repository.commit("inlined");
    let forbidden = HASKELL.replace("double ::", "{-# NOINLINE double #-}\ndouble ::");
    repository.write("Main.hs", &forbidden);
    repository.commit("forbidden");
    repository
}

const WRONG: &str = "module Steps (steps) where\nsteps :: Int\nsteps = lost\n";
const RIGHT: &str = "module Steps (steps) where\nsteps :: Int\nsteps = 200000\n";
const PATCH: &str = "--- a/Steps.hs\n+++ b/Steps.hs\n@@ -1,3 +1,3 @@\n module Steps (steps) where\n \
                     steps :: Int\n-steps = lost\n+steps = 200000\n";

const AT: [&str; 4] = ["explain", "repo", "--at", "HEAD~1..HEAD"];
const SAYS: &str = "no longer inlines `Main.double`, because a pragma forbids it";

/// True if GHC is installed; otherwise prints a message.
fn has_ghc() -> bool {
    let is_there = has("ghc");
    if !is_there {
        not_checked("commits of Haskell that need a patch or an overlay: there is no ghc");
    }
    is_there
}

#[test]
fn commits_of_haskell_that_need_a_patch_are_explained() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    let repository = haskell(&lab, Some(WRONG));
    lab.write("fix.patch", PATCH);
    lab.brisk(&AT).refused("the program does not build").because("lost");
    lab.brisk(&[&AT[..], &["--patch", "fix.patch"]].concat()).succeeded().says(SAYS);
    let range = repository.whole();
    let build = "ghc -v0 -O1 -rtsopts -outputdir out -o main Main.hs";
    let history = ["history", &range, "--project", "repo", "--explain", "--patch", "fix.patch"];
    let built = ["--build", build, "--artifact", "main"];
    let measured = ["--metrics", "allocated", "--runs", "3", "--export-json", "h.json"];
    let ended = lab.brisk(&[&history[..], &built, &measured].concat()).says(SAYS);
    let steps = lab.json("h.json")["steps"].clone();
    let explained = |step: &serde_json::Value| step.get("core_difference").is_some();
    assert!(steps.as_array().is_some_and(|all| all.iter().any(explained)), "{ended}");
    // The checkout is unchanged, and no second worktree is left.
    assert_eq!(repository.git(&["status", "--porcelain", "--ignored"]), "");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn commits_of_haskell_that_need_an_overlay_or_a_command_are_explained() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    let repository = haskell(&lab, None);
    fs::create_dir_all(lab.path("over")).expect("writable");
    lab.write("over/Steps.hs", RIGHT);
    lab.brisk(&AT).refused("the program does not build");
    lab.brisk(&[&AT[..], &["--overlay", "over"]].concat()).succeeded().says(SAYS);
    let made =
        "printf 'module Steps (steps) where\\nsteps :: Int\\nsteps = %s\\n' \"$STEPS\" > Steps.hs";
    // The file's variables are set for the command; one more is passed to the program itself.
    let file = format!("[project]\nbuild = '''{made}'''\nenv = {{ STEPS = \"200000\" }}\n");
    repository.write("brisk.toml", &file);
    lab.brisk(&AT).succeeded().says(SAYS);
    lab.brisk(&[&AT[..], &["--build", "exit 3"]].concat())
        .refused("cannot build")
        .because("the build exited with status 3");
}

#[test]
fn variables_of_the_file_are_set_for_builds_and_runs_of_haskell() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    lab.write("brisk.toml", "[project]\nenv = { A = \"of file\", B = \"of file\" }\n");
    lab.write(
        "Main.hs",
        "{-# OPTIONS_GHC -F -pgmF ./fill #-}\nimport System.Environment\n\
         main = do { a <- getEnv \"A\"; b <- getEnv \"B\"; if (BUILT, a, b) == \
         (\"of file\", \"of file\", \"typed\") then print a else error (show (a, b)) }\n",
    );
    lab.write("fill", "#!/bin/sh\nsed \"s/BUILT/\\\"$B\\\"/\" \"$2\" > \"$3\"\n");
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(lab.path("fill"), all).expect("it is ours");
    lab.brisk(&["explain", "Main.hs", "--env", "B=typed"]).succeeded();
}

#[test]
fn commits_of_c_that_need_a_patch_or_an_overlay_are_explained() {
    let lab = Lab::new();
    if !(has("valgrind") && has("cc")) {
        return not_checked("commits of C that need a patch: no valgrind, or no compiler of C");
    }
    let repository = Repository::new(&lab);
    repository.write("steps.h", "#define STEPS LOST\n");
    for rounds in ["2", "5"] {
        repository.write("sum.c", &format!(
            "#include \"steps.h\"\nlong total;\n__attribute__((noinline)) static void sum(long n) \
             {{ for (long i = 0; i < n; i++) total ^= i * total + 1; }}\nint main(void) {{ \
             for (int i = 0; i < {rounds}; i++) sum(STEPS); return total == 3; }}\n"
        ));
        repository.commit(&format!("{rounds} rounds"));
    }
    lab.write(
        "fix.patch",
        "--- a/steps.h\n+++ b/steps.h\n@@ -1 +1 @@\n-#define STEPS LOST\n+#define STEPS 5000\n",
    );
    fs::create_dir_all(lab.path("over")).expect("writable");
    lab.write("over/steps.h", "#define STEPS 5000\n");
    let build = ["-q", "--project", "repo", "--build", "cc -O1 -g -o sum sum.c"];
    let explain = [&["explain", "./sum", "--at", "HEAD~1..HEAD"], &build[..]].concat();
    lab.brisk(&explain).refused("cannot build").because("LOST");
    let range = repository.whole();
    let measured = ["--counters", "valgrind", "--metrics", "instructions", "--runs", "2"];
    for shim in [["--patch", "fix.patch"], ["--overlay", "over"]] {
        lab.brisk(&[&explain[..], &shim].concat()).succeeded().says("sum");
        let more = ["--artifact", "sum", "--explain", "--export-json", "h.json", "--remeasure"];
        let history = [&["history", &range][..], &build, &measured, &more, &shim].concat();
        let ended = lab.brisk(&history);
        let document = lab.json("h.json");
        let steps = list(&document, "steps");
        assert!(!steps.is_empty(), "{ended}");
        assert!(steps.iter().all(|step| step.get("instructions").is_some()), "{ended}");
    }
}

#[test]
fn what_commits_cannot_be_prepared_with_is_refused_before_anything_runs() {
    let lab = Lab::new();
    if !has_ghc() {
        return;
    }
    let repository = haskell(&lab, Some(RIGHT));
    let ran = format!("touch '{}'; false", lab.path("ran").display());
    let refused = |arguments: &[&str], error: &str| {
        lab.brisk(arguments).refused(error);
        assert!(!lab.exists("ran"));
    };
    let patch = [&AT[..], &["--build", &ran, "--patch", "gone.patch"]].concat();
    refused(&patch, "cannot read the patch `gone.patch`");
    let overlay = [&AT[..], &["--build", &ran, "--overlay", "gone"]].concat();
    refused(&overlay, "cannot read the overlay `gone`");
    let command = ["explain", "./main", "--at", "HEAD", "--project", "repo", "--build", &ran];
    refused(&[&command[..], &["--patch", "gone"]].concat(), "cannot read the patch `gone`");
    let range = repository.whole();
    let history = ["history", &range, "--project", "repo", "--explain", "--build", &ran];
    let history = [&history[..], &["--artifact", "main", "--patch", "gone"]].concat();
    refused(&history, "cannot read the patch `gone`");
    let none = "`--patch` is for commits, and none is named";
    refused(&["explain", "repo", "--patch", "gone"], none);
}
