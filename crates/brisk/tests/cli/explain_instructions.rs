//! Instructions by function: of commands, of callgrind's files, of commits; and the output of SBCL.

use std::fs;

use serde_json::Value;

use crate::document::{has_all_of, list};
use crate::lab::{Lab, Running, has, not_checked, run};

/// A program with a small function, inlined or not.
fn program(lab: &Lab, name: &str, attribute: &str) -> bool {
    let source = format!(
        "#include <stdio.h>\n\
         {attribute} static long square(long i) {{\n\
         \x20   return i * i + 1;\n\
         }}\n\
         __attribute__((noinline)) static long sum(int n) {{\n\
         \x20   long sum = 0;\n\
         \x20   for (int i = 0; i < n; i++)\n\
         \x20       sum ^= square(sum + i);\n\
         \x20   return sum;\n\
         }}\n\
         int main(void) {{ printf(\"%ld\\n\", sum(5000)); return 0; }}\n"
    );
    fs::create_dir_all(lab.path(name)).expect("the folder for tests is writable");
    lab.write(&format!("{name}/sum.c"), &source);
    let (source, to) = (lab.path(&format!("{name}/sum.c")), lab.path(&format!("{name}/sum")));
    let path = |path: &std::path::Path| path.display().to_string();
    run("cc", &["-O1", "-g", "-o", &path(&to), &path(&source)])
}

/// True if such programs can be counted here; otherwise prints a message.
fn can_count(lab: &Lab) -> bool {
    let can = has("valgrind")
        && program(lab, "old", "__attribute__((noinline))")
        && program(lab, "new", "inline");
    if !can {
        not_checked("instructions by function: there is no valgrind, or no compiler of C");
    }
    can
}

/// The counts that an explanation exports.
pub(crate) fn explained(lab: &Lab, arguments: &[&str]) -> Value {
    let export = ["explain", "-q", "--export-json", "out.json"];
    lab.brisk(&[&export, arguments].concat()).succeeded();
    lab.json("out.json")["instructions"].clone()
}

/// The function of this name.
pub(crate) fn named<'a>(part: &'a Value, name: &str) -> &'a Value {
    let found = list(part, "functions").iter().find(|function| function["name"] == name);
    found.unwrap_or_else(|| panic!("no `{name}`"))
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn what_changed_is_named_to_the_instruction() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    let part = explained(&lab, &["old/sum", "new/sum"]);
    let variants = list(&part, "variants");
    assert!(variants.iter().all(|variant| variant["exact"] == true), "{variants:#?}");
    for (place, variant) in variants.iter().enumerate() {
        let functions = list(&part, "functions").iter();
        let sum: i64 = functions.map(|f| number(&f["counts"][place]["low"])).sum();
        assert_eq!(sum, number(&variant["total"]["low"]), "functions add up to the whole");
    }
    let square = named(&part, "square");
    assert_eq!(square["fate"]["what"], "vanished");
    assert_eq!(square["fate"]["elsewhere"], "sum");
    assert_eq!(square["fate"]["evidence"], "lines");
    assert_eq!(number(&square["counts"][1]["high"]), 0);
    assert!(number(&square["change"]) <= -2 * 5000, "{square}");
    let lines = list(named(&part, "sum"), "lines");
    let text = |line: &Value| line["text"].as_str().unwrap_or_default().to_owned();
    let inlined = lines.iter().find(|line| text(line) == "return i * i + 1;");
    assert!(inlined.is_some_and(|line| line["counts"][0] == 0 && number(&line["counts"][1]) > 0));
    lab.brisk(&["explain", "-q", "old/sum", "new/sum"])
        .succeeded()
        .says("`square` no longer runs by itself")
        .says("source lines run in `sum` now, where it is inlined")
        .says("2 runs of `old/sum` agree in every function");
}

#[test]
fn a_program_and_itself_have_no_change() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    lab.brisk(&["explain", "-q", "old/sum", "old/sum"]).succeeded().says("No function changed.");
}

#[test]
fn one_command_shows_where_the_instructions_go() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    let part = explained(&lab, &["old/sum", "--profile-runs", "1", "--flame", "flame.svg"]);
    let sum = named(&part, "sum");
    let square = number(&named(&part, "square")["counts"][0]["low"]);
    let itself = number(&sum["counts"][0]["low"]);
    assert_eq!(number(&sum["inclusive"]), itself + square);
    assert_eq!(part["variants"][0]["exact"], Value::Null, "one run says nothing about it");
    let picture = lab.read("flame.svg");
    assert!(picture.contains("stacks as callgrind counted them"));
    assert!(picture.contains("<title>square ("), "the stack of `square` is drawn");
}

/// A profile in callgrind's format.
pub(crate) fn profile(square: u64, sum: u64) -> String {
    let total = square + sum;
    let called = if square > 0 {
        format!("cfn=square\ncalls=10 1\n6 {square}\nfn=square\n2 {square}\n")
    } else {
        String::new()
    };
    format!(
        "version: 1\ncmd: ./sum\npositions: line\nevents: Ir\nob=/code/sum\nfl=sum.c\nfn=sum\n6 \
         {sum}\n{called}totals: {total}\n"
    )
}

#[test]
fn files_of_callgrind_are_explained_without_valgrind() {
    let lab = Lab::new().with("PATH", "/nowhere");
    lab.write("old.out", &profile(300, 100));
    lab.write("new.out", &profile(0, 250));
    let flame = ["--flame", "flame.svg", "--export-markdown", "out.md"];
    let arguments = [&["--callgrind", "old.out", "new.out"], &flame[..]].concat();
    let part = explained(&lab, &arguments);
    assert_eq!(number(&named(&part, "square")["change"]), -300);
    assert_eq!(named(&part, "square")["share"], 2.0);
    assert_eq!(named(&part, "square")["relative"], -0.75);
    assert_eq!(named(&part, "square")["fate"]["evidence"], "caller");
    assert!(lab.read("flame.svg").contains("no stacks: programs and libraries"));
    assert!(lab.read("out.md").contains("| −300 | −75.0 % | 300 | 0 | `square` |"));
    let ended = lab.brisk(&["explain", "--callgrind", "old.out", "new.out"]).succeeded();
    has_all_of(&lab.read("out.md"), &ended.stdout);
    ended.says("`new.out` (B) executes 150 fewer instructions than `old.out` (A) (−37.50 %), mostly in `square`.");
    let ended = lab.brisk(&["explain", "--callgrind", "old.out"]).succeeded();
    ended.says("`square` executes most instructions itself: 300, 75.0 % of all.");
    lab.brisk(&["explain", "--callgrind", "old.out"]).succeeded().says("300 75.0 % 300 square");
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    let lab = Lab::new();
    let whole = profile(300, 100);
    lab.write("cut.out", &whole[..whole.len() - 20]);
    lab.brisk(&["explain", "--callgrind", "cut.out"])
        .succeeded()
        .says("note: the profile of `./sum` does not say what it adds up to; it may be cut off")
        .says("could not be read");
}

#[test]
fn files_that_cannot_be_explained_are_refused() {
    let lab = Lab::new();
    lab.write("old.out", &profile(300, 100));
    lab.write("text", "hello\n");
    lab.write("empty.out", "events: Ir\n");
    lab.write("misses.out", &profile(3, 1).replace("Ir", "DLmr"));
    let refused = |arguments: &[&str], error: &str| {
        lab.brisk(&[&["explain"], arguments].concat()).refused(error)
    };
    refused(&["--callgrind", "text"], "as a profile of callgrind").because("names no events");
    refused(&["--callgrind", "empty.out"], "as a profile of callgrind").because("no costs");
    refused(&["--callgrind", "missing.out"], "cannot read `missing.out`");
    refused(&["--callgrind", "old.out", "--event", "DLmr"], "as a profile")
        .because("does not count `DLmr`, only Ir");
    refused(&["--callgrind", "old.out", "misses.out"], "do not count the same")
        .hinting("`--event`");
    // The argument parser reports this one in its own words.
    let alone = lab.brisk(&["explain", "true", "--event", "Ir"]).exited(2);
    assert!(alone.stderr.contains("--callgrind"), "{alone}");
    refused(
        &["--callgrind", "old.out", "--core", "x"],
        "`--callgrind` and `--core` cannot both be given",
    )
    .hinting("leave one of them out");
    refused(&["--callgrind", "old.out", "--flame", "no/such/folder.svg"], "cannot write");
}

#[test]
fn without_valgrind_a_command_is_refused_before_it_runs() {
    let lab = Lab::new().with("PATH", "/nowhere");
    lab.write("program", "#!/bin/sh\necho x > ran\n");
    assert!(run("chmod", &["+x", &lab.path("program").display().to_string()]));
    lab.brisk(&["explain", "--count", "./program"])
        .refused("cannot find valgrind")
        .hinting("`apt-get install valgrind`");
    assert!(!lab.exists("ran"));
}

#[test]
fn commands_that_fail_or_never_end_are_told() {
    let lab = Lab::new();
    if !has("valgrind") {
        return not_checked("commands that fail under callgrind: there is no valgrind");
    }
    lab.brisk(&["explain", "-q", "sh -c 'echo why >&2; exit 3'"])
        .refused("exited with status 3 in a plain run")
        .because("why")
        .hinting("--ignore-failure=3");
    lab.brisk(&["explain", "-q", "--count", "sh -c 'exit 3'"])
        .refused("exited with status 3 in a run under callgrind");
    lab.brisk(&["explain", "-q", "--timeout", "1s", "sleep 600"])
        .refused("ran longer than its time limit")
        .hinting("--timeout");
    lab.brisk(&["explain", "-q", "./missing"]).refused("cannot start `./missing`");
    lab.nothing_is_left();
}

#[test]
fn ctrl_c_ends_the_run_and_leaves_nothing() {
    let lab = Lab::new();
    if !has("valgrind") {
        return not_checked("Ctrl-C under callgrind: there is no valgrind");
    }
    let running: Running = lab.start(&["explain", "-q", "sh -c 'echo x > started; sleep 600'"]);
    crate::lab::eventually("the command runs", || lab.exists("started"));
    running.signal("INT");
    running.wait().refused("interrupted");
    lab.nothing_is_left();
}

#[test]
fn sbcl_tells_what_it_could_not_make_fast() {
    let lab = Lab::new();
    lab.write(
        "squares.lisp",
        "(defun squares (numbers)\n  (let ((sum 0))\n    (dolist (number numbers sum)\n      (setf \
         sum (+ sum (* number number))))))\n(print (loop repeat 2000 sum (squares (loop for i below \
         500 collect (* 1.5d0 i)))))\n(sb-ext:exit)\n",
    );
    if !has("sbcl") {
        lab.brisk(&["explain", "squares.lisp"]).refused("cannot find SBCL");
        return not_checked("efficiency notes: there is no sbcl");
    }
    lab.brisk(&["explain", "squares.lisp", "--export-json", "out.json"])
        .succeeded()
        .says("DEFUN SQUARES")
        .says("(* NUMBER NUMBER)");
    let part = lab.json("out.json")["lisp"].clone();
    let forms = list(&part, "forms");
    assert!(forms.iter().any(|form| form["form"] == "(* NUMBER NUMBER)"), "{forms:#?}");
    let functions = list(&part, "functions");
    let itself: u64 = functions.iter().filter_map(|f| f["itself"].as_u64()).sum();
    assert!(itself <= part["samples"].as_u64().expect("a number"));
    lab.write("broken.lisp", "(defun f (\n");
    lab.brisk(&["explain", "broken.lisp"]).refused("SBCL").hinting("sbcl --script");
}

#[test]
fn without_sbcl_a_file_of_lisp_is_refused() {
    let lab = Lab::new().with("PATH", "/nowhere");
    lab.write("a.lisp", "(print 1)\n");
    lab.brisk(&["explain", "a.lisp"]).refused("cannot find SBCL").hinting("apt-get install sbcl");
    lab.brisk(&["explain", "missing.lisp"]).refused("there is no `missing.lisp`");
}
