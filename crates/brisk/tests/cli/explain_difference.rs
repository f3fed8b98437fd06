//! `brisk explain OLD NEW`: changes in Core. The dumps are those of
//! `fixtures/ghc_difference`.

use std::fs;

use fixtures::GHC_DIFFERENCE;

use crate::document::has_all_of;
use crate::lab::{Lab, has, not_checked};
use crate::repository::Repository;

/// Puts the dumps and counters of one version of a pair into the lab.
fn version(lab: &Lab, pair: &str, side: &str) {
    fs::create_dir_all(lab.path(side)).expect("the folder for tests is writable");
    for (kind, name) in [
        ("simpl", format!("{side}/Main.dump-simpl")),
        ("prep", format!("{side}/Main.dump-prep")),
        ("ticky", format!("{side}.ticky")),
    ] {
        let sample = GHC_DIFFERENCE.bytes(&format!("{pair}-{side}-{kind}.txt"));
        fs::write(lab.path(&name), sample).expect("the folder for tests is writable");
    }
}

fn pair(name: &str) -> Lab {
    let lab = Lab::new().with("COLUMNS", "80");
    version(&lab, name, "before");
    version(&lab, name, "after");
    lab
}

const MEASURED: [&str; 7] =
    ["explain", "--core", "before", "after", "--ticky", "before.ticky", "after.ticky"];

#[test]
fn what_changed_is_named_beside_what_it_cost() {
    let lab = pair("export");
    let export = ["--export-json", "why.json", "--export-markdown", "why.md"];
    let ended = lab.brisk(&[&MEASURED[..], &export].concat()).succeeded();
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{ended}");
    let ended = ended.says("before → after").says("`Main.run` no longer inlines `Main.execute`");
    let ended = ended.says("1. Main.run Main.$wrun").says("new: `Main.execute`");
    let document = lab.json("why.json");
    assert_eq!(document["schema"], "brisk/1");
    let part = &document["core_difference"];
    let first = &part["changes"][0];
    assert_eq!(first["binding"], "Main.run");
    assert_eq!(part["explained_share"], 1.0);
    let moved = |key: &str| part["total"][key].as_u64().expect("it was counted");
    assert!(moved("bytes_after") > moved("bytes_before"));
    for side in ["before", "after"] {
        let core = first[side]["core"].as_str().expect("lines of Core");
        let marks = first[side]["marks"].as_array().expect("a list");
        assert!(!marks.is_empty(), "{side}: what differs is marked");
        for mark in marks {
            let place = |end: usize| mark[end].as_u64().expect("a place") as usize;
            assert!(core.get(place(0)..place(1)).is_some(), "{side}: {mark}");
        }
    }
    let markdown = lab.read("why.md");
    assert!(markdown.contains("## 1. `Main.run`") && markdown.contains("after:\n\n```haskell\n"));
    // Cheap changes are folded: the terminal shows them only with `--all`. `main` only passes `run`
    // a boxed number, and belongs to it.
    let ended = ended.says("`-v` shows 1 more change (");
    assert!(!ended.stdout.contains("2. Main."), "{ended}");
    let all = lab.with("COLUMNS", "120").brisk(&[&MEASURED[..], &["--all"]].concat()).succeeded();
    has_all_of(&markdown, &all.stdout);
    let all = all.says("2. Main.");
    assert!(!all.stdout.contains("`-v` shows"), "{all}");
}

#[test]
fn without_counters_it_is_said_that_nothing_was_measured() {
    let lab = pair("arity");
    let ended = lab.brisk(&["explain", "--core", "before", "after"]).succeeded();
    let ended = ended.says("Nothing was measured");
    ended.says("no longer makes a function for its result");
}

#[test]
fn a_build_differs_in_nothing_from_itself() {
    let lab = pair("boxing");
    let read = ["explain", "--core", "before", "before", "--ticky", "before.ticky", "before.ticky"];
    let ended = lab.brisk(&read).succeeded();
    ended.says("bindings of the top level are the same").says("did not change");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let lab = pair("arity");
    let refused = |arguments: &[&str], error: &str| {
        lab.brisk(&[&["explain"], arguments].concat()).refused(error)
    };
    let both = ["--core", "before", "after"];
    refused(
        &[&both[..], &["--ticky", "before.ticky"]].concat(),
        "2 of `--core` and 1 of `--ticky`",
    );
    refused(&[&both[..], &["--at", "HEAD"]].concat(), "`--core` and `--at` cannot both be given");
    refused(&["--core", "before", "nothing"], "cannot read `nothing`");
    refused(&["before", "Gone.hs"], "there is no `Gone.hs`");
    // A file without any counters.
    lab.write("bad.ticky", "Main.run\n");
    let counters = ["--ticky", "before.ticky", "bad.ticky"];
    refused(&[&both[..], &counters].concat(), "cannot read the ticky counters in `bad.ticky`");
}

#[test]
fn counters_of_another_build_are_doubted() {
    let lab = pair("export");
    let read = ["explain", "--core", "before", "after", "--ticky", "after.ticky", "before.ticky"];
    let ended = lab.brisk(&[&read[..], &["--export-json", "why.json"]].concat()).succeeded();
    let doubts = lab.json("why.json")["core_difference"]["doubts"].clone();
    let doubts: Vec<String> = serde_json::from_value(doubts).expect("sentences");
    assert!(doubts.iter().any(|doubt| doubt.starts_with("before: ")), "{doubts:?} {ended}");
}

#[test]
fn what_allocated_nothing_before_is_told_too() {
    let lab = pair("inlining");
    // Before, only the runtime's closures allocate.
    let counters = lab.read("before.ticky");
    let quiet = counters.replace("         24 ", "          0 ");
    assert_ne!(counters, quiet, "the sample is as it was");
    lab.write("before.ticky", &quiet);
    let ended = lab.brisk(&MEASURED).succeeded();
    ended.says("Allocations 0 B → ").says("`Main.walk` no longer inlines `Main.scale`");
}

const OLD: &str = "module Main (main) where

double :: Int -> (Int, Int)
double n = (n * 2 + 1, n - 3)

walk :: Int -> Int -> Int
walk 0 t = t
walk n t = case double n of (a, b) -> walk (n - 1) (t + a - b)
{-# NOINLINE walk #-}

main :: IO ()
main = print (walk 300000 0)
";

/// The same program with inlining of `double` forbidden.
fn forbidden() -> String {
    OLD.replace("double ::", "{-# NOINLINE double #-}\ndouble ::")
}

/// A repository with both versions as commits, and the program in the folder `src`.
fn repository(lab: &Lab) -> Repository<'_> {
    let repository = Repository::new(lab);
    fs::create_dir_all(repository.path().join("src")).expect("writable");
    repository.write("src/Main.hs", OLD);
    repository.commit("inlined");
    repository.write("src/Main.hs", &forbidden());
    repository.commit("forbidden");
    repository
}

#[test]
fn commits_and_programs_are_built_and_compared() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("differences between programs that GHC builds: there is no ghc");
    }
    let repository = repository(&lab);
    let says = "no longer inlines `Main.double`, because a pragma forbids it";
    let at = ["explain", "repo/src/Main.hs", "--at", "HEAD~1..HEAD", "--export-json", "why.json"];
    let ended = lab.brisk(&at).succeeded();
    ended.says("inlined → ").says("forbidden · GHC");
    let part = lab.json("why.json")["core_difference"].clone();
    let what = part["changes"][0]["what"].as_str().expect("a sentence");
    assert!(what.starts_with(says), "{what}");
    assert!(part["before"]["run"]["allocated_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    let instructions = &part["instructions"];
    if has("valgrind") {
        let of = |side: &str, what: &str| instructions[side][what].as_u64().expect("a count");
        for side in ["before", "after"] {
            assert!(of(side, "bindings") > 0 && of(side, "total") > of(side, "bindings"));
        }
        // The loop calls a function that used to be inlined in it.
        let moved = |key: &str| part["changes"][0]["moved"][key].as_u64().expect("a count");
        assert!(moved("instructions_after") > moved("instructions_before"), "{part}");
    } else {
        assert_eq!(instructions["missing"], "there is no valgrind");
    }
    // The checkout is unchanged, and no second worktree is left.
    assert_eq!(repository.git(&["status", "--porcelain", "--ignored"]), "");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
    repository.write("src/Main.hs", OLD);
    lab.brisk(&["explain", "repo/src", "--at", "HEAD"]).succeeded().says("(inlined)");
    lab.brisk(&["explain", "repo/src", "--at", "nowhere"]).refused("unknown revision `nowhere`");
}

#[test]
fn the_steps_of_a_history_are_explained() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("explained steps of programs that GHC builds: there is no ghc");
    }
    let repository = repository(&lab);
    let range = repository.whole();
    let build = "ghc -v0 -O1 -rtsopts -outputdir out -o main src/Main.hs";
    let history = ["history", &range, "--project", "repo", "--explain=src", "--build", build];
    let told = |more: &[&str]| lab.brisk(&[&history[..], &["--artifact", "main"], more].concat());
    // Allocations are compared exactly, however busy the machine is.
    let measured = ["--metrics", "allocated", "--runs", "3", "--export-json", "h.json"];
    let ended = told(&measured);
    let document = lab.json("h.json");
    let steps = document["steps"].as_array().expect("a list");
    assert!(!steps.is_empty(), "{ended}");
    for step in steps {
        let what = &step["core_difference"]["changes"][0]["what"];
        assert!(what.as_str().is_some_and(|it| it.contains("`Main.double`")), "{step}");
    }
    ended.says("no longer inlines `Main.double`");
    told(&["--", "env {artifact}"]).refused("`--explain` cannot run `env {artifact}`");
}
