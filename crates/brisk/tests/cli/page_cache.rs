//! Copies of one program, written in different ways, so that they lie differently in the page
//! cache.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::document::list;
use crate::lab::Lab;

/// Copies a program by writes of this size, which determines the kernel's choice of folios.
fn copy(from: &Path, to: &Path, bytes: usize) {
    let (mut from, mut to) = (File::open(from).expect("git"), File::create(to).expect("writable"));
    let mut chunk = vec![0; bytes];
    loop {
        match from.read(&mut chunk).expect("readable") {
            0 => break,
            read => to.write_all(&chunk[..read]).expect("writable"),
        }
    }
    to.set_permissions(fs::Permissions::from_mode(0o755)).expect("ours");
}

#[test]
fn twenty_copies_of_one_program_never_differ_in_memory_and_faults() {
    let lab = Lab::new();
    let git = std::env::split_paths(&std::env::var_os("PATH").expect("a path"))
        .map(|folder| folder.join("git"))
        .find(|path| path.is_file())
        .expect("git is installed");
    let names: Vec<String> = (0..20).map(|number| format!("./copy{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        let bytes = [4096, 3 * 4096, 1 << 16, 1 << 23][number % 4];
        copy(&git, &lab.path(name), bytes);
    }
    let commands: Vec<String> = names.iter().map(|name| format!("{name} version")).collect();
    let options = ["compare", "--runs", "24", "--confidence", "99", "--counters", "none"];
    let more = ["--metrics", "minor_faults,peak_rss", "--export-json", "c.json"];
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    lab.brisk(&[&options[..], &more, &commands].concat()).exited(0);
    let document = lab.json("c.json");
    let verdicts: Vec<&Value> =
        list(&document, "comparisons").iter().map(|part| &part["verdict"]).collect();
    assert!(verdicts.len() >= 19);
    assert!(verdicts.iter().all(|it| *it != "improved" && *it != "regressed"), "{verdicts:?}");
}
