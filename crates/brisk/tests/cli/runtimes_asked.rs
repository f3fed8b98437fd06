//! Queries to runtimes, with programs that imitate them: scripts run by a shell that looks as if
//! another compiler had built it.

use std::fs;

use serde_json::Value;

use crate::document::list;
use crate::lab::{Lab, run};
use crate::runtimes::said;

/// A compiled program that runs a script and contains these strings.
fn make(lab: &Lab, name: &str, marks: &[u8]) {
    let shell = fs::canonicalize("/bin/sh").expect("every Linux has one");
    let mut program = fs::read(shell).expect("readable");
    // Bytes after the end of an ELF file change nothing.
    program.extend_from_slice(marks);
    fs::write(lab.path(name), program).expect("writable");
    assert!(run("chmod", &["+x", &lab.path(name).display().to_string()]));
}

/// Prints the output of OCaml 4, if requested.
const OCAML: &str = r#"
echo "${OCAMLRUNPARAM-unset}" >> log
case $OCAMLRUNPARAM in *v=0x420,e=19)
    printf 'Initial minor heap size: %sk words\nInitial major heap size: 992k bytes\n' ${1-256} >&2
    printf 'Initial space overhead: 120%%\nwords of the program' >&2
    printf 'allocated_words: 1000\nminor_words: 1000\npromoted_words: 10\nmajor_words: 10\n' >&2
    printf 'minor_collections: 4\nmajor_collections: 1\nheap_words: 100\nheap_chunks: 1\n' >&2
    printf 'top_heap_words: 200\ncompactions: 0\nforced_major_collections: 0\n' >&2
    sleep ${2-0}
esac
"#;

fn ocaml() -> Lab {
    let lab = Lab::new();
    make(&lab, "ocaml", b"OCAMLRUNPARAM\0minor_collections: %ld\n\0");
    lab.write("program", OCAML);
    lab
}

fn notes<'a>(document: &'a Value, kind: &str) -> Vec<&'a Value> {
    list(document, "notes").iter().filter(|note| note["kind"] == kind).collect()
}

fn compared(lab: &Lab, arguments: &[&str]) -> Value {
    lab.compared(&[&["-r", "2"], arguments].concat())
}

#[test]
fn words_become_bytes_and_what_is_not_said_has_its_reason() {
    let lab = ocaml();
    let document = compared(&lab, &["./ocaml program"]);
    for (metric, value) in [
        ("allocated", 8000.0),
        ("promoted", 80.0),
        ("memory_in_use", 1600.0),
        ("gc_count", 5.0),
        ("minor_gc_count", 4.0),
        ("major_gc_count", 1.0),
    ] {
        assert_eq!(said(&document, 0, metric), [value, value], "{metric}");
    }
    let reason = said(&document, 0, "max_live")[0]["missing"].clone();
    assert!(reason.as_str().is_some_and(|reason| reason.contains("`Gc.stat`")), "{reason}");
    assert!(said(&document, 0, "asked_wall_time")[0].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert!(said(&document, 0, "wall_time")[0].is_null());
    assert_eq!(lab.lines("log"), ["unset", "unset", "v=0x420,e=19", "v=0x420,e=19"]);
}

#[test]
fn settings_that_are_not_in_effect_are_told() {
    let lab = ocaml();
    let command = "./ocaml program 262144";
    let document = compared(&lab, &["--env", "OCAMLRUNPARAM=s=300M,o=120", command]);
    let [note] = notes(&document, "runtime-setting")[..] else { panic!("one setting") };
    assert_eq!((&note["asked"], &note["variant"]), (&"s=300M".into(), &0.into()));
    lab.brisk(&["show", "1"]).says(" was given `s=300M`, but OCaml runs with 262144k words");
    assert_eq!(lab.lines("log")[2..], ["s=300M,o=120,v=0x420,e=19", "s=300M,o=120,v=0x420,e=19"]);
    let document = compared(&lab, &["--env", "OCAMLRUNPARAM=s=256k", "./ocaml program"]);
    assert_eq!(notes(&document, "runtime-setting"), Vec::<&Value>::new());
}

#[test]
fn a_variable_that_stands_in_for_another_is_not_hidden_by_it() {
    let lab = ocaml().with("CAMLRUNPARAM", "s=4k");
    compared(&lab, &["./ocaml program 4"]);
    assert_eq!(lab.lines("log")[1..3], ["unset", "s=4k,v=0x420,e=19"]);
    let lab = ocaml().with("CAMLRUNPARAM", "s=4k").with("OCAMLRUNPARAM", "");
    compared(&lab, &["./ocaml program"]);
    assert_eq!(lab.lines("log")[2], "v=0x420,e=19");
}

#[test]
fn what_asking_costs_is_told_where_it_is_seen() {
    let lab = ocaml();
    let document = compared(&lab, &["./ocaml program 256 0.5"]);
    let [note] = notes(&document, "asking-cost")[..] else { panic!("half a second is seen") };
    assert!(note["seconds"].as_f64().is_some_and(|seconds| seconds > 0.4), "{note}");
    lab.brisk(&["show", "1"]).says("asking its runtime costs ");
    let document = compared(&lab, &["./ocaml program"]);
    for note in notes(&document, "asking-cost") {
        assert!(note["seconds"].as_f64().is_some_and(|seconds| seconds < 0.4), "{note}");
    }
}

/// The shell takes the first of these arguments as the name of its script.
const MLTON: &str = r#"
echo "$*" >> log
summary() {
    printf 'GC type\t\ttime ms\t number\t\t  bytes\t      bytes/sec\n-------------\t-------\n'
    printf 'copying\t\t     12\t      4\t     15,593,856\t  1,299,488,000\t\n'
    printf 'mark-compact\t      0\t      0\t              0\t              -\t\n'
    printf 'minor\t\t      0\t      0\t              0\t              -\t\n'
    printf 'total time: 186 ms\ntotal GC time: 76 ms (40.9%%)\nmax pause time: 29 ms\n'
    printf 'total bytes allocated: 338,112,408 bytes\nmax bytes live: 13,636,192 bytes\n'
    printf 'max heap size: 327,278,592 bytes\nmax stack size: 109,051,904 bytes\n'
}
case $1 in
    gc-summary-file)
        [ -e old ] && { echo 'Strange @MLton arg: gc-summary-file' >&2; exit 1; }
        summary > "$2";;
    gc-summary) summary >&2;;
esac
"#;

fn mlton() -> Lab {
    let lab = Lab::new();
    make(&lab, "mlton", b"@MLton\0gc-summary\0gc-summary-file\0");
    lab.write("@MLton", MLTON);
    lab.write("program", "echo \"$*\" >> log\n");
    lab
}

#[test]
fn a_runtime_that_is_asked_by_arguments_gets_them_before_the_program_does() {
    let lab = mlton();
    let document = compared(&lab, &["./mlton program 7"]);
    assert_eq!(said(&document, 0, "allocated"), [338_112_408.0, 338_112_408.0]);
    assert_eq!(said(&document, 0, "gc_time"), [0.076, 0.076]);
    let told = lab.lines("log");
    assert_eq!(told[..2], ["7", "7"]);
    assert!(told[2].starts_with("gc-summary-file /") && told[2].ends_with(" -- program 7"));
}

#[test]
fn an_older_runtime_is_asked_in_an_older_way() {
    let lab = mlton();
    lab.write("old", "");
    let document = compared(&lab, &["./mlton program 7"]);
    assert_eq!(said(&document, 0, "max_live"), [13_636_192.0, 13_636_192.0]);
    let told = lab.lines("log");
    assert!(told[2].starts_with("gc-summary-file"), "{told:?}");
    assert_eq!(told[3..], ["gc-summary -- program 7", "gc-summary -- program 7"]);
}

#[test]
fn arguments_are_not_given_to_a_shell() {
    let lab = mlton();
    let document = compared(&lab, &["./mlton program 7 > out"]);
    assert_eq!(said(&document, 0, "allocated"), Vec::<Value>::new());
    assert_eq!(lab.lines("log"), ["7", "7"]);
    let [note] = notes(&document, "no-runtime-figures")[..] else { panic!("it is told") };
    assert!(note["reason"].as_str().is_some_and(|reason| reason.contains("without a shell")));
    let arguments = ["compare", "-r", "2", "--runtime", "mlton", "./mlton program 7 > out"];
    lab.brisk(&arguments).refused("MLton's runtime is asked by arguments");
    let arguments = ["compare", "-r", "2", "--metrics", "allocated", "./mlton program 7 > out"];
    lab.brisk(&arguments).refused("MLton's runtime is asked by arguments");
    assert_eq!(lab.lines("log").len(), 2);
}

#[test]
fn a_program_with_the_marks_of_two_runtimes_is_not_asked_unless_somebody_says_so() {
    let lab = ocaml();
    make(&lab, "both", b"OCAMLRUNPARAM\0minor_collections: \0@MLton\0gc-summary\0");
    let document = compared(&lab, &["./both program"]);
    assert_eq!(said(&document, 0, "allocated").len(), 0);
    lab.brisk(&["compare", "-r", "2", "--runtime", "ocaml", "./both program"])
        .refused("no command is a program with OCaml's runtime");
    let document = compared(&lab, &["--runtime", "ocaml", "sh -c './both program'; true"]);
    assert_eq!(said(&document, 0, "allocated"), [8000.0, 8000.0]);
}

#[test]
fn a_long_trace_is_not_cut_to_the_end_of_standard_error() {
    let lab = Lab::new();
    make(&lab, "go", b"\xff Go buildinf:");
    let line = "gc $n @0.015s 3%: 0.25+32+0.5 ms clock, 0.5+1/1/1+0.5 ms cpu, 3->7->6 MB, 4 MB goal, \
                0 MB stacks, 0 MB globals, 2 P";
    lab.write(
        "program",
        &format!(
            "case $GODEBUG in *gctrace=1*)\necho 'init runtime @0.04 ms, 0.03 ms clock' >&2\nn=0\n\
             while [ $n -lt $1 ]; do n=$((n + 1)); echo \"{line}\"; done >&2;;\nesac\n"
        ),
    );
    let document = compared(&lab, &["./go program 2000", "./go program 0"]);
    assert_eq!(said(&document, 0, "gc_count"), [2000.0, 2000.0]);
    let pauses = said(&document, 0, "pause_time")[0].as_f64().expect("said");
    assert!((pauses - 1.5).abs() < 1e-9, "{pauses}");
    assert_eq!(said(&document, 0, "max_live"), [6.0 * 1024.0 * 1024.0; 2]);
    assert_eq!(said(&document, 1, "gc_count"), [0.0, 0.0]);
    assert!(said(&document, 1, "max_live")[0]["missing"].is_string());
    // Longer than the part that is kept.
    let document = compared(&lab, &["./go program 10000"]);
    let reason = said(&document, 0, "gc_count")[0]["missing"].clone();
    assert_eq!(reason, "the figures of Go's runtime are cut off");
}
