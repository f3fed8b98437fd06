//! Against the valgrind of this machine, if it is installed.

use std::path::Path;
use std::process::Command;

use toolchains::callgrind::Agreement;

use crate::annotated::{annotated, by_file};
use crate::read;

#[expect(clippy::disallowed_methods, reason = "a test of what another program prints")]
fn run(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_program_of_this_machine_costs_what_callgrind_annotate_says() {
    let folder = std::env::temp_dir().join(format!("brisk-callgrind-live-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let out = "--callgrind-out-file=true.out";
    let profiled = run("valgrind", &["-q", "--tool=callgrind", out, "true"], &folder);
    let annotate = ["--threshold=100", "--show-percs=no", "--auto=no", "true.out"];
    let theirs = profiled.and_then(|_| run("callgrind_annotate", &annotate, &folder));
    match theirs {
        None => eprintln!("not checked: there is no valgrind, or it does not work here"),
        Some(theirs) => {
            let text = std::fs::read(folder.join("true.out")).expect("what valgrind wrote");
            let profile = read(&text, None).expect("a sound file");
            assert_eq!(by_file(&profile), annotated(&theirs, 0));
            assert_eq!(profile.agreement(), Agreement::Exact);
        }
    }
    std::fs::remove_dir_all(&folder).expect("it was there");
}
