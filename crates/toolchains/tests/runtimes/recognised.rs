//! Recognising an executable's runtime.

use std::fs;

use toolchains::runtime;
use toolchains::runtime::adapter::Adapter;
use toolchains::runtime::executable::Search;

fn in_pieces(file: &[u8], length: usize) -> Option<&'static str> {
    let mut search = Search::default();
    for piece in file.chunks(length) {
        search.take(piece);
    }
    search.runtime().map(|adapter| adapter.word)
}

/// A file with all the marks of one alternative.
fn program(marks: &[&[u8]]) -> Vec<u8> {
    let mut file = b"\x7fELF code ".to_vec();
    for mark in marks.iter().rev() {
        file.extend_from_slice(b"more\0");
        file.extend_from_slice(mark);
        file.extend_from_slice(b" other");
    }
    file
}

fn alternatives() -> impl Iterator<Item = (&'static Adapter, &'static [&'static [u8]])> {
    runtime::ALL
        .into_iter()
        .flat_map(|adapter| adapter.marks.iter().map(move |all| (adapter, *all)))
}

#[test]
fn the_runtime_is_found_however_the_file_is_cut() {
    for (adapter, marks) in alternatives() {
        let file = program(marks);
        for length in 1..file.len() + 1 {
            assert_eq!(in_pieces(&file, length), Some(adapter.word), "in pieces of {length}");
        }
    }
}

#[test]
fn what_has_a_part_of_the_marks_or_is_no_program_has_none() {
    for (_, marks) in alternatives() {
        let file = program(marks);
        let script = [b"#!/bin/sh\n", &file[4..]].concat();
        assert_eq!(in_pieces(&script, 1000), None);
        if marks.len() > 1 {
            assert_eq!(in_pieces(&program(&marks[1..]), 1000), None);
        }
    }
    // Not C strings, as in a program that mentions them.
    let talk = b"\x7fELF GHCRTS+RTS-RTS\0 OCAMLRUNPARAM is minor_collections: ".as_slice();
    for file in [talk, b"\x7fEL", b""] {
        assert_eq!(in_pieces(file, 3), None);
    }
}

#[test]
fn what_has_the_marks_of_two_is_neither() {
    let all: Vec<_> = alternatives().collect();
    for (one, marks) in &all {
        for (other, more) in &all {
            if one != other {
                assert_eq!(in_pieces(&program(&[*marks, *more].concat()), 1000), None);
            }
        }
    }
}

#[test]
fn nothing_more_is_wanted_of_what_is_no_program() {
    assert!(!Search::default().take(b"#!/bin/sh\n"));
    assert!(Search::default().take(b"\x7fELF"));
}

/// The real programs of this machine, as far as they are installed.
#[test]
fn real_interpreters_and_compilers_are_recognised() {
    let folders: Vec<_> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let in_path = |name: &str| {
        let mut files = folders.iter().filter_map(|folder| fs::read(folder.join(name)).ok());
        files.next().filter(|file| file.starts_with(b"\x7fELF"))
    };
    for (name, word) in [
        ("java", Some("jvm")),
        ("node", Some("node")),
        ("go", Some("go")),
        ("gofmt", Some("go")),
        ("python3", Some("cpython")),
        ("ocamlrun", Some("ocaml")),
        ("ocamlopt.opt", Some("ocaml")),
        ("sbcl", Some("sbcl")),
        ("poly", Some("polyml")),
        ("sh", None),
        ("git", None),
        ("gcc", None),
    ] {
        match in_path(name) {
            Some(file) => assert_eq!(in_pieces(&file, 1 << 18), word, "{name}"),
            None => println!("whose runtime {name} has: not checked (there is none here)"),
        }
    }
}
