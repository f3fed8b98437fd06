//! Changes to a command that make its runtime report.

use std::ffi::OsString;
use std::path::Path;

use toolchains::runtime;
use toolchains::runtime::adapter::{Asking, Kept, Request};

fn request(word: &str, way: usize, argv: Option<&[&str]>) -> Option<Request> {
    request_at(word, way, argv, "/tmp/b/figures")
}

fn request_at(word: &str, way: usize, argv: Option<&[&str]>, mailbox: &str) -> Option<Request> {
    let argv: Option<Vec<OsString>> = argv.map(|words| words.iter().map(Into::into).collect());
    let mailbox = Path::new(mailbox);
    let folder = mailbox.parent().expect("not the root");
    let asking = Asking { argv: argv.as_deref(), mailbox, folder };
    let adapter = runtime::find(word).expect("known");
    (adapter.ways[way].request)(&asking)
}

fn variables(request: &Request) -> Vec<(&str, &str, Kept)> {
    request.variables.iter().map(|v| (v.name, v.value.as_str(), v.kept)).collect()
}

#[test]
fn variables_keep_what_the_user_said_and_ours_counts() {
    for (word, way, expected) in [
        ("ghc", 0, ("GHCRTS", "-t/tmp/b/figures --machine-readable", Kept::Before(" "))),
        ("ghc", 1, ("GHCRTS", "-t", Kept::Before(" "))),
        ("go", 0, ("GODEBUG", "gctrace=1,inittrace=1", Kept::Before(","))),
    ] {
        let request = request(word, way, None).expect("a variable reaches everything");
        assert_eq!(variables(&request), [expected]);
        assert!(request.arguments.is_empty() && request.files.is_empty());
    }
    let ocaml = request("ocaml", 0, None).expect("a variable reaches everything");
    let expected = [
        ("OCAMLRUNPARAM", "v=0x420,e=19", Kept::Before(",")),
        ("OCAML_RUNTIME_EVENTS_START", "1", Kept::No),
        ("OCAML_RUNTIME_EVENTS_PRESERVE", "1", Kept::No),
        ("OCAML_RUNTIME_EVENTS_DIR", "/tmp/b", Kept::No),
    ];
    assert_eq!(variables(&ocaml), expected);
    let jvm = request("jvm", 0, None).expect("a variable reaches everything");
    let [(name, value, kept)] = variables(&jvm)[..] else { panic!("{jvm:?}") };
    assert_eq!((name, kept), ("JDK_JAVA_OPTIONS", Kept::Before(" ")));
    assert!(value.contains(":file=/tmp/b/figures:pid,tags:"), "{value}");
}

#[test]
fn preludes_are_found_by_variables() {
    let node = request("node", 0, None).expect("a variable reaches everything");
    let option = ("NODE_OPTIONS", "--require \"/tmp/b/brisk-node.cjs\"", Kept::Before(" "));
    assert_eq!(variables(&node), [option, ("BRISK_NODE_REPORT", "/tmp/b/figures", Kept::No)]);
    assert_eq!(node.files[0].0, "brisk-node.cjs");
    let python = request("cpython", 0, None).expect("a variable reaches everything");
    let path = ("PYTHONPATH", "/tmp/b", Kept::After(":"));
    assert_eq!(variables(&python), [path, ("BRISK_CPYTHON_REPORT", "/tmp/b/figures", Kept::No)]);
    assert_eq!(python.files[0].0, "sitecustomize.py");
}

#[test]
fn a_folder_whose_name_an_option_would_misread_is_not_used() {
    for (word, folders) in [
        ("ghc", &["/tmp/a b/f", "/tmp/a\tb/f"][..]),
        ("jvm", &["/tmp/a b/f", "/tmp/a:b/f", "/tmp/%p/f", "/tmp/a,b/f"]),
        ("node", &["/tmp/a\"b/f", "/tmp/a\\b/f"]),
        ("cpython", &["/tmp/a:b/f"]),
    ] {
        for folder in folders {
            assert_eq!(request_at(word, 0, None, folder), None, "{word} at {folder}");
        }
    }
}

#[test]
fn arguments_reach_only_a_program_that_the_command_names() {
    for word in ["mlton", "polyml", "sbcl"] {
        for way in 0..runtime::find(word).expect("known").ways.len() {
            assert_eq!(request(word, way, None), None, "{word}");
        }
    }
    let file = request("mlton", 0, Some(&["./p", "7"])).expect("named");
    assert_eq!(file.arguments, ["@MLton", "gc-summary-file", "/tmp/b/figures", "--"]);
    let stderr = request("mlton", 1, Some(&["./p", "7"])).expect("named");
    assert_eq!(stderr.arguments, ["@MLton", "gc-summary", "--"]);
    let poly = request("polyml", 0, Some(&["poly", "--script", "x.sml"])).expect("named");
    assert_eq!(poly.arguments, ["--debug", "gc,heapsize", "--logfile", "/tmp/b/figures"]);
    for request in [file, stderr, poly] {
        assert_eq!(request.arguments_at, 1);
    }
}

#[test]
fn sbcl_is_told_between_its_two_kinds_of_options() {
    let load = ["--load", "/tmp/b/brisk-sbcl.lisp"];
    let script = ["--noinform", "--disable-ldb", "--lose-on-corruption", load[0], load[1]];
    for (argv, at, arguments) in [
        (&["sbcl"][..], 1, &load[..]),
        (&["/usr/bin/sbcl", "--noinform", "--load", "x"], 2, &load),
        (&["sbcl", "--dynamic-space-size", "1000", "--eval", "1"], 3, &load),
        (&["sbcl", "--noinform", "--end-runtime-options", "--quit"], 3, &load),
        (&["sbcl", "--script", "x.lisp", "--noinform"], 1, &script),
        (&["sbcl", "--core", "c", "--script", "x.lisp"], 3, &script),
        // A missing value.
        (&["sbcl", "--core"], 2, &load),
    ] {
        let request = request("sbcl", 0, Some(argv)).expect("sbcl itself");
        assert_eq!((request.arguments_at, &request.arguments[..]), (at, &own(arguments)[..]));
    }
    // A program with its own core may interpret these options in any way.
    assert_eq!(request("sbcl", 0, Some(&["./server", "--port", "80"])), None);
}

fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
