//! Allocations by function: of commands whose bytes are known from their source, and of DHAT's
//! files.

use serde_json::{Value, json};

use crate::document::{has_all_of, list};
use crate::explain_instructions::{explained, named};
use crate::lab::{Lab, has, not_checked, run};

/// A program that allocates `count` blocks of 100 bytes in `make`, and 15 bytes in `main`.
fn source(count: u32) -> String {
    format!(
        "#include <stdlib.h>\n\
         static void *make(size_t bytes) {{\n\
         \x20   return malloc(bytes);\n\
         }}\n\
         static void fill(int count) {{\n\
         \x20   for (int i = 0; i < count; i++) free(make(100));\n\
         }}\n\
         int main(void) {{\n\
         \x20   fill({count});\n\
         \x20   free(calloc(3, 5));\n\
         \x20   return 0;\n\
         }}\n"
    )
}

/// Compiles a program without optimisation, so that no allocation is removed.
fn compiled(lab: &Lab, name: &str, source: &str, options: &[&str]) -> bool {
    let file = format!("{name}.c");
    lab.write(&file, source);
    let path = |name: &str| lab.path(name).display().to_string();
    run("cc", &[options, &["-O0", "-o", &path(name), &path(&file)]].concat())
}

/// True if programs can be counted here; otherwise prints a message.
fn can_count(lab: &Lab) -> bool {
    let can = has("valgrind")
        && compiled(lab, "old", &source(10), &["-g"])
        && compiled(lab, "new", &source(30), &["-g"]);
    if !can {
        not_checked("allocations by function: there is no valgrind, or no compiler of C");
    }
    can
}

fn exactly(count: u64) -> Value {
    json!({"low": count, "high": count})
}

#[test]
fn a_difference_is_told_in_bytes_and_blocks() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    let part = explained(&lab, &["--allocations", "./old", "./new", "--export-markdown", "out.md"]);
    assert_eq!(part["event"], "allocated bytes");
    for (variant, (bytes, blocks)) in list(&part, "variants").iter().zip([(1015, 11), (3015, 31)]) {
        assert_eq!((&variant["total"], &variant["blocks"]), (&exactly(bytes), &exactly(blocks)));
        assert_eq!(variant["exact"], true);
    }
    let make = named(&part, "make");
    assert_eq!(make["counts"], json!([exactly(1000), exactly(3000)]));
    assert_eq!(make["blocks"], json!([exactly(10), exactly(30)]));
    assert_eq!((&make["change"], &make["certain"]), (&json!(2000), &json!(true)));
    let line = &list(make, "lines")[0];
    assert_eq!((&line["line"], &line["text"]), (&json!(3), &json!("return malloc(bytes);")));
    assert_eq!(named(&part, "main")["change"], 0);
    let ended = lab.brisk(&["explain", "-q", "--allocations", "./old", "./new"]).succeeded();
    has_all_of(&lab.read("out.md"), &ended.stdout);
    ended
        .says("allocated bytes by function, from A to B, counted by DHAT")
        .says(
            "`./new` (B) allocates 2.000 kB more than `./old` (A) (+197.04 %), in 20 more blocks, \
             mostly in `make`.",
        )
        .says("+2.000 kB 100.0 % 1.000 kB 3.000 kB +20 make")
        .says("2 runs of `./old` agree in every function.");
}

#[test]
fn one_program_shows_what_allocates_and_for_whom() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    let part = explained(&lab, &["--allocations", "./old", "--flame", "flame.svg"]);
    assert_eq!(named(&part, "make")["inclusive"], 1000);
    assert_eq!(named(&part, "main")["inclusive"], 1015);
    assert_eq!(named(&part, "main")["counts"], json!([exactly(15)]));
    let stacks = list(&part["stacks"], "stacks");
    let expected = json!({"frames": ["main", "fill", "make"], "counts": [1000]});
    assert!(stacks.contains(&expected), "{stacks:#?}");
    let picture = lab.read("flame.svg");
    assert!(picture.contains("stacks as DHAT counted them; widths: bytes allocated"));
    lab.brisk(&["explain", "-q", "--allocations", "./old"])
        .succeeded()
        .says("`make` allocates most bytes itself: 1.000 kB in 10 blocks, 98.5 % of all.");
}

#[test]
fn blocks_of_other_sizes_are_a_change_where_their_bytes_are_equal() {
    let lab = Lab::new();
    let halves = source(10).replace("< count", "< 2 * count").replace("100", "50");
    if !can_count(&lab) || !compiled(&lab, "halves", &halves, &["-g"]) {
        return;
    }
    lab.brisk(&["explain", "-q", "--allocations", "./old", "./halves"])
        .succeeded()
        .says("`./halves` (B) allocates as many bytes as `./old` (A), in 10 more blocks.")
        .says("+10 make");
}

#[test]
fn allocations_that_valgrind_cannot_see_are_not_called_none() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    assert!(compiled(&lab, "idle", "int main(void) { return 0; }\n", &[]));
    lab.brisk(&["explain", "-q", "--allocations", "./idle"])
        .succeeded()
        .says("Valgrind saw no allocations.")
        .says("which does not mean that it has none");
    if !compiled(&lab, "static", &source(10), &["-static"]) {
        return not_checked("a program that is linked statically: there is no static C library");
    }
    lab.brisk(&["explain", "-q", "--allocations", "./old", "./static"])
        .succeeded()
        .says("`./static` (B) is seen to allocate 1.015 kB less")
        .says("a program that is linked statically, or has its own allocator or heap, hides them");
}

#[test]
fn a_stripped_program_is_one_row_without_a_symbol() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    assert!(compiled(&lab, "stripped", &source(10), &["-s"]));
    let part = explained(&lab, &["--allocations", "./stripped"]);
    assert_eq!(named(&part, "(no symbol)")["counts"], json!([exactly(1015)]));
    assert_eq!(named(&part, "(no symbol)")["blocks"], json!([exactly(11)]));
    lab.brisk(&["explain", "-q", "--allocations", "./stripped"])
        .succeeded()
        .says("100 % of the bytes of `./stripped` were allocated in code without a symbol");
}

#[test]
fn processes_are_added_up_with_a_note_on_forks() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    let part = explained(&lab, &["--allocations", "sh -c './old; ./new'"]);
    assert_eq!(named(&part, "make")["counts"], json!([exactly(4000)]));
    let fork = "#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\n\
                int main(void) {\n\
                free(malloc(1000));\n\
                if (fork() == 0) { free(malloc(7)); return 0; }\n\
                wait(NULL);\nreturn 0;\n}\n";
    assert!(compiled(&lab, "forks", fork, &["-g"]));
    lab.brisk(&["explain", "-q", "--allocations", "./forks"])
        .succeeded()
        .says("allocations from before the fork count in both");
}

#[test]
fn a_program_that_crashes_is_refused() {
    let lab = Lab::new();
    if !can_count(&lab) {
        return;
    }
    let crash = "#include <stdlib.h>\nint main(void) { free(malloc(9)); abort(); }\n";
    assert!(compiled(&lab, "crash", crash, &[]));
    lab.brisk(&["explain", "-q", "--allocations", "./crash"]).refused("in a run under DHAT");
}

/// A file of DHAT with one stack: `make`, called by `main`.
fn file(bytes: u64, blocks: u64) -> String {
    format!(
        "{{\"dhatFileVersion\":2,\"mode\":\"heap\",\"cmd\":\"./p\",\"pid\":7,\"pps\":\n\
         [{{\"tb\":{bytes},\"tbk\":{blocks},\"fs\":[1,2,3]}}],\n\"ftbl\":[\"[root]\",\
         \"0x1: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)\",\
         \"0x2: make (make.c:3)\",\"0x3: main (make.c:9)\"]}}\n"
    )
}

#[test]
fn files_of_dhat_are_explained_without_valgrind() {
    let lab = Lab::new().with("PATH", "/nowhere");
    lab.write("old.out", &file(300, 3));
    lab.write("new.out", &file(240, 2));
    let part = explained(&lab, &["--dhat", "old.out", "new.out"]);
    assert_eq!(named(&part, "make")["change"], -60);
    lab.brisk(&["explain", "--dhat", "old.out", "new.out"]).succeeded().says(
        "`new.out` (B) allocates 60 B less than `old.out` (A) (−20.00 %), in 1 fewer block, \
         mostly in `make`.",
    );
    lab.brisk(&["explain", "--dhat", "old.out"])
        .succeeded()
        .says("`make` allocates most bytes itself: 300 B in 3 blocks, 100.0 % of all.")
        .says("300 B make.c:3");
}

#[test]
fn what_cannot_be_explained_is_refused_with_its_reason() {
    let lab = Lab::new();
    let whole = file(300, 3);
    lab.write("old.out", &whole);
    lab.write("text", "hello\n");
    lab.write("cut.out", &whole[..whole.len() / 2]);
    lab.write("copy.out", &whole.replace("heap", "copy"));
    lab.write("later.out", &whole.replace("Version\":2", "Version\":3"));
    lab.write("Main.hs", "main = pure ()\n");
    let refused = |arguments: &[&str], error: &str| {
        lab.brisk(&[&["explain"], arguments].concat()).refused(error)
    };
    let as_profile = |name| refused(&["--dhat", name], "as a profile of DHAT");
    as_profile("text").because("it is not output of DHAT").hinting("--tool=dhat");
    as_profile("cut.out").because("it is cut off");
    as_profile("copy.out").because("mode `copy`, which does not count allocations");
    as_profile("later.out").because("version 3; this brisk reads version 2");
    refused(&["--dhat", "missing.out"], "cannot read `missing.out`");
    refused(&["--dhat", "old.out", "--core", "x"], "`--dhat` and `--core` cannot both be given");
    refused(&["--allocations", "Main.hs"], "`--allocations` is for commands").hinting("Haskell");
    // The argument parser reports these in its own words.
    for arguments in [
        ["--allocations", "./p", "--sample"],
        ["--allocations", "./p", "--count"],
        ["--allocations", "--dhat", "old.out"],
        ["--dhat", "old.out", "--event=Ir"],
        ["--allocations", "./p", "--event=Ir"],
    ] {
        lab.brisk(&[&["explain"], &arguments[..]].concat()).exited(2);
    }
    lab.write("p", "#!/bin/sh\n");
    assert!(run("chmod", &["+x", &lab.path("p").display().to_string()]));
    let lab = lab.with("PATH", "/nowhere");
    lab.brisk(&["explain", "--allocations", "./p"])
        .refused("cannot find valgrind")
        .hinting("`--dhat`");
}
