//! Tuning: recommended runtime settings, for programs that have some, and for others.
//!
//! Scripts that sleep for a time set by a runtime's variable replace programs in tests of brisk's
//! behaviour; they need no compiler, and their best setting is known.

use serde_json::Value;

use crate::lab::{Ended, Lab, eventually, has, not_checked, run};

/// Tunes, and reads the exported JSON.
fn tuned(lab: &Lab, arguments: &[&str]) -> (Ended, Value) {
    let export = ["sweep", "--tune", "--quiet", "--export-json", "tuned.json"];
    let ended = lab.brisk(&[&export, arguments].concat()).succeeded();
    (ended, lab.json("tuned.json"))
}

/// A script that sleeps briefly if the minor heap is set in megabytes, and records its settings.
fn napper(lab: &Lab, more: &str) {
    lab.write(
        "nap.sh",
        &format!(
            "#!/bin/sh\n# $1: how long to nap when nothing is said.\n\
             echo \"told $OCAMLRUNPARAM\" >> told\n\
             case \",$OCAMLRUNPARAM,\" in\n{more}\
             *,s=*M,*) sleep 0.01 ;;\n*) sleep \"$1\" ;;\nesac\n"
        ),
    );
    assert!(run("chmod", &["+x", &lab.path("nap.sh").display().to_string()]));
}

fn tuning(document: &Value) -> &Value {
    &document["sweep"]["tuning"]
}

/// The tried settings with this choice.
fn tried<'a>(document: &'a Value, choice: &str) -> Vec<&'a Value> {
    let tried = tuning(document)["tried"].as_array().expect("a list");
    let has_it = |one: &&Value| {
        let setting = one["setting"].as_str().expect("a text");
        setting.split(' ').any(|each| each == choice)
    };
    tried.iter().filter(has_it).collect()
}

/// A program that keeps a list of texts, of the length in its argument.
fn ocaml_program(lab: &Lab, options: &str) -> bool {
    if !has("ocamlopt") {
        not_checked("tuning an OCaml program: ocamlopt is not installed");
        return false;
    }
    lab.write(
        "grow.ml",
        "let rec grow n kept = if n = 0 then kept else grow (n - 1) (string_of_int n :: kept)\n\
         let () = print_int (List.length (grow (int_of_string Sys.argv.(1)) []))\n",
    );
    let folder = lab.path(".").display().to_string();
    let command = format!("cd '{folder}' && ocamlopt {options} grow.ml -o grow");
    if !run("sh", &["-c", &command]) {
        not_checked(&format!("tuning an OCaml program: `ocamlopt {options}` fails"));
        return false;
    }
    true
}

#[test]
fn a_setting_that_helps_is_found_and_can_be_pasted() {
    let lab = Lab::new();
    napper(&lab, "");
    let (ended, document) = tuned(&lab, &["--runtime", "ocaml", "./nap.sh 0.3"]);
    let line = tuning(&document)["line"].as_str().expect("a line to paste").to_owned();
    // With neighbours that noise leaves open, it is the best so far.
    ended.says(&line).says("times the wall time of the default").says(" settings");
    assert!(line.starts_with("export OCAMLRUNPARAM="), "{line}");
    // The recommended variant matches the printed line.
    let recommended = tuning(&document)["recommended"].as_u64().expect("a number");
    let variant = &document["variants"][usize::try_from(recommended).expect("small")];
    let size = variant["labels"]["s"].as_str().expect("a size");
    let comparisons = document["comparisons"].as_array().expect("a list");
    let ratio = comparisons.iter().find(|one| one["candidate"] == recommended).expect("one");
    assert!(ratio["ratio"].as_f64().expect("a number") < 0.5, "10 ms instead of 300: {ratio}");
    assert!(line.contains(&format!("s={size}")) && size.ends_with('M'), "{line} {variant}");
    // Pasting the line runs exactly the measured settings.
    let folder = lab.path(".").display().to_string();
    assert!(run("sh", &["-c", &format!("cd '{folder}' && {line} && ./nap.sh 0.3")]));
    let pasted = line.trim_start_matches("export OCAMLRUNPARAM=").trim_matches('\'');
    assert_eq!(lab.lines("told").last(), Some(&format!("told {pasted}")));
    // No more runs than requested, plus warm-ups and ours.
    assert!(lab.lines("told").len() <= 60 + 8 + 1, "{}", lab.lines("told").len());
    // The results are in the store, too.
    lab.brisk(&["list"]).succeeded().says("tuned: ./nap.sh 0.3");
}

#[test]
fn a_setting_at_which_the_program_dies_is_recorded_and_the_search_goes_on() {
    let lab = Lab::new();
    napper(&lab, "*,s=256M,* | *,s=512M,* | *,s=1G,*) exit 2 ;;\n*,s=128M,*) kill -9 $$ ;;\n");
    let (ended, document) = tuned(&lab, &["--runtime", "ocaml", "./nap.sh 0.3"]);
    let died = ["s=128M", "s=256M", "s=512M", "s=1G"].map(|size| tried(&document, size));
    let died: Vec<&Value> = died.into_iter().flatten().collect();
    assert!(!died.is_empty(), "{}", tuning(&document)["tried"]);
    for one in &died {
        assert!(one["seconds"].is_null() && one["peak_bytes"].is_null(), "{one}");
    }
    ended.says("the program failed or took too long");
    assert!(tuning(&document)["recommended"].is_u64(), "{}", tuning(&document));
}

#[test]
fn where_no_setting_helps_none_is_recommended() {
    let lab = Lab::new();
    lab.write("nap.sh", "#!/bin/sh\nsleep 0.02\n");
    assert!(run("chmod", &["+x", &lab.path("nap.sh").display().to_string()]));
    let (ended, document) = tuned(&lab, &["--runtime", "ocaml", "--margin", "50%", "./nap.sh"]);
    ended.says("nothing is certainly better than the default in wall time by 50");
    assert!(tuning(&document)["line"].is_null() && tuning(&document)["recommended"].is_null());
    let search = ["sweep", "--tune", "--tune-runs", "24", "--quiet", "--runtime", "ocaml"];
    let asked = ["--margin", "50%", "--require-verdict", "./nap.sh"];
    lab.brisk(&[&search[..], &asked].concat()).exited(3);
}

#[test]
fn what_is_found_is_checked_on_another_command() {
    let lab = Lab::new();
    napper(&lab, "");
    let arguments = ["--runtime", "ocaml", "--check-with", "./nap.sh 0.25", "./nap.sh 0.3"];
    let (ended, document) = tuned(&lab, &arguments);
    ended.says("with `./nap.sh 0.25` it takes 0.");
    let check = &tuning(&document)["check"];
    assert_eq!(check["command"], "./nap.sh 0.25");
    assert_eq!(check["verdict"], "improved");
    assert!(check["ratio"].as_f64().is_some_and(|ratio| ratio < 1.0), "{check}");
    // If the setting does not help, the report says so.
    let arguments = ["--runtime", "ocaml", "--check-with", "./nap.sh 0.01", "./nap.sh 0.3"];
    let (ended, document) = tuned(&lab, &arguments);
    if tuning(&document)["check"]["verdict"] != "improved" {
        ended.says("but with `./nap.sh 0.01` it takes ");
    }
}

#[test]
fn a_limit_of_memory_is_kept() {
    let lab = Lab::new();
    // The fastest setting holds 40 MB in the shell; less is nearly as fast.
    napper(
        &lab,
        "*,s=[1-9][0-9]M,* | *,s=[1-9][0-9][0-9]M,*) held=$(head -c 40000000 /dev/zero | tr '\\0' x); sleep 0.001 ;;\n",
    );
    let arguments = ["--runtime", "ocaml", "--limit", "peak_rss < 30 MB", "./nap.sh 0.3"];
    let (_, document) = tuned(&lab, &arguments);
    let all = tuning(&document)["tried"].as_array().expect("a list");
    let peak = |one: &&Value| one["peak_bytes"].as_f64().is_some_and(|bytes| bytes >= 30e6);
    assert!(all.iter().any(|one| peak(&one)), "nothing exceeded the limit: {all:?}");
    let variants = document["variants"].as_array().expect("a list");
    for variant in variants {
        let size = variant["labels"]["s"].as_str().unwrap_or_default();
        let is_over = size.len() > 2 && size.ends_with('M');
        assert!(!is_over, "{size} is above the limit");
    }
}

#[test]
fn a_tuning_that_makes_no_sense_is_refused_before_anything_runs() {
    let lab = Lab::new();
    lab.write("ran.sh", "#!/bin/sh\ntouch ran\n");
    assert!(run("chmod", &["+x", &lab.path("ran.sh").display().to_string()]));
    let ocaml = ["--runtime", "ocaml"];
    let cases: [(&[&str], &str); 7] = [
        (&["touch ran"], "cannot tell which runtime system `touch ran` has"),
        (
            &["--runtime", "ocaml", "sh ran.sh"],
            "brisk does not recognise `sh ran.sh` as a program of OCaml",
        ),
        (&["--runtime", "none", "touch ran"], "cannot tell which runtime system"),
        (&["--tune-runs", "5", "--runtime", "ocaml", "./ran.sh"], "5 runs are too few"),
        (
            &["--limit", "wall_time < 1 s", "--runtime", "ocaml", "./ran.sh"],
            "does not support the limit",
        ),
        (&["--minimize", "peak_rss", "--runtime", "ocaml", "./ran.sh"], "cannot minimise"),
        (&["--runtime", "ocaml", "no-such-program"], ""),
    ];
    for (arguments, error) in cases {
        lab.brisk(&[&["sweep", "--tune", "--quiet"], arguments].concat()).refused(error);
        assert!(!lab.exists("ran") && !lab.store().exists(), "{arguments:?} ran something");
    }
    let unknown = ["sweep", "--tune", "--quiet", "touch ran"];
    lab.brisk(&unknown).hinting("name it, for example `--runtime ghc`");
    let without = [&["sweep", "--check-with", "sh ran.sh"], &ocaml[..], &["sh ran.sh"]].concat();
    let swept = ["sweep", "--tune", "--param", "n=1,2", "./ran.sh {n}"];
    let all = ["sweep", "--tune", "--exhaustive", "./ran.sh"];
    for (arguments, told) in
        [(&without[..], "--tune"), (&swept, "cannot be used with"), (&all, "cannot be used with")]
    {
        let ended = lab.brisk(arguments).exited(2);
        assert!(ended.stderr.contains(told) && ended.stdout.is_empty(), "{ended}");
    }
    assert!(!lab.exists("ran"));
}

#[test]
fn an_interrupted_tuning_says_so_and_leaves_nothing_running() {
    let lab = Lab::new();
    napper(&lab, "");
    let arguments = ["sweep", "--tune", "--quiet", "--runtime", "ocaml", "./nap.sh 0.2"];
    let running = lab.start(&arguments);
    eventually("some runs", || lab.lines("told").len() > 4);
    running.signal("INT");
    running
        .wait()
        .failed("interrupted before anything was recommended")
        .hinting("what ran is kept: `brisk list`");
    lab.nothing_is_left();
    lab.brisk(&["list"]).succeeded().says("tune 1: ./nap.sh 0.2");
}

#[test]
fn an_ocaml_program_is_recognised_and_what_is_found_works() {
    let lab = Lab::new();
    if !ocaml_program(&lab, "") {
        return;
    }
    let (ended, document) = tuned(&lab, &["--minimize", "cpu_time", "./grow 300000"]);
    assert_eq!(tuning(&document)["runtime"], "ocaml");
    assert!(!tried(&document, "default").is_empty());
    let Some(line) = tuning(&document)["line"].as_str() else {
        ended.says("nothing is certainly better than the default in cpu time");
        return;
    };
    ended.says(line);
    let folder = lab.path(".").display().to_string();
    assert!(run("sh", &["-c", &format!("cd '{folder}' && {line} && ./grow 300000")]), "{line}");
}

#[test]
fn a_statically_linked_and_stripped_ocaml_program_is_recognised() {
    let lab = Lab::new();
    if !ocaml_program(&lab, "-ccopt '-static -s'") {
        return;
    }
    let (_, document) = tuned(&lab, &["./grow 100000"]);
    assert_eq!(tuning(&document)["runtime"], "ocaml");
    let varied = |knob: &Value| knob["name"] == "s";
    assert!(tuning(&document)["knobs"].as_array().expect("a list").iter().any(varied));
    assert!(tuning(&document)["tried"].as_array().is_some_and(|tried| tried.len() > 3));
}

#[test]
fn an_ocaml_program_without_address_space_dies_at_some_settings_only() {
    let lab = Lab::new();
    if !ocaml_program(&lab, "") {
        return;
    }
    // OCaml 5 reserves address space for all domains at the start, and does not start with this
    // little.
    lab.write("small.sh", "#!/bin/sh\nulimit -v 400000\nexec ./grow 50000\n");
    let folder = lab.path(".").display().to_string();
    assert!(run("chmod", &["+x", &lab.path("small.sh").display().to_string()]));
    if !run("sh", &["-c", &format!("cd '{folder}' && ./small.sh")]) {
        return not_checked("tuning under `ulimit -v`: this OCaml needs more address space");
    }
    let (_, document) = tuned(&lab, &["--runtime", "ocaml", "./small.sh"]);
    let died = tuning(&document)["tried"].as_array().expect("a list").iter();
    assert!(died.clone().any(|one| one["seconds"].is_null()), "256M words do not fit");
    assert!(died.clone().any(|one| one["seconds"].is_f64()));
}

#[test]
fn a_haskell_program_that_does_not_let_itself_be_told_is_refused_with_the_way_out() {
    if !has("ghc") {
        return not_checked("tuning a Haskell program: ghc is not installed");
    }
    let lab = Lab::new();
    lab.write("total.hs", "main :: IO ()\nmain = print (sum [1 .. 100000 :: Integer])\n");
    let folder = lab.path(".").display().to_string();
    assert!(run("sh", &["-c", &format!("cd '{folder}' && ghc -O total.hs -o total")]));
    lab.brisk(&["sweep", "--tune", "--quiet", "./total"])
        .failed("the program does not accept settings")
        .because("rtsopts")
        .hinting("link it with `-rtsopts`");
}

#[test]
fn a_program_that_fails_when_nothing_is_said_cannot_be_tuned() {
    let lab = Lab::new();
    lab.write("dies.sh", "#!/bin/sh\necho sorry >&2\nexit 3\n");
    assert!(run("chmod", &["+x", &lab.path("dies.sh").display().to_string()]));
    let tune = ["sweep", "--tune", "--quiet", "--runtime", "ocaml", "./dies.sh"];
    let ended = lab.brisk(&tune).refused("`./dies.sh` exited with status 3");
    ended.because("sorry").hinting("--ignore-failure=3");
}
