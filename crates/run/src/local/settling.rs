//! Settling of the compared programs' files, so that they lie alike in the page cache.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use measure::{CommandLine, page_cache};

/// Settles the programs in which the commands differ; a program that all commands run is the same
/// for each of them. A program that cannot be settled is measured as it is.
pub(super) fn settle<'a>(commands: impl Iterator<Item = &'a CommandLine>) {
    for program in differing(commands.map(programs)) {
        let _ = page_cache::settle(&program);
    }
}

/// The programs that some commands have and others do not.
fn differing(all: impl Iterator<Item = BTreeSet<PathBuf>>) -> BTreeSet<PathBuf> {
    let all: Vec<BTreeSet<PathBuf>> = all.collect();
    let every = all.iter().flatten().cloned().collect::<BTreeSet<_>>();
    every.into_iter().filter(|one| !all.iter().all(|own| own.contains(one))).collect()
}

/// The program that a command starts, and those named in its words, which a shell or an interpreter
/// starts.
fn programs(command: &CommandLine) -> BTreeSet<PathBuf> {
    let folder = command.cwd.as_deref().unwrap_or(Path::new("."));
    let words = command.argv.iter().skip(1).filter_map(|argument| argument.to_str());
    let is_between = |letter: char| letter.is_whitespace() || "'\"`=;&|()<>".contains(letter);
    let words = words.flat_map(|argument| argument.split(is_between));
    let named = words.filter(|word| word.contains('/')).map(|word| folder.join(word));
    let all = std::iter::once(command.program.clone()).chain(named);
    all.filter(|path| page_cache::is_program(path)).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use measure::{Stdin, Stdout};

    use super::*;

    fn command(program: &Path, arguments: &[&str]) -> CommandLine {
        CommandLine {
            argv: std::iter::once("x")
                .chain(arguments.iter().copied())
                .map(OsString::from)
                .collect(),
            program: program.to_owned(),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        }
    }

    #[test]
    fn programs_are_found_behind_shells_and_those_of_all_commands_left_alone() {
        let own = std::env::current_exe().expect("this test is a program");
        let path = own.to_str().expect("UTF-8");
        let shell = Path::new("/bin/sh").canonicalize().expect("there is one");
        let behind = [format!("'{path}' --list >/dev/null"), "true".to_owned()];
        let [with, without] = behind.map(|text| command(&shell, &["-c", &text]));
        assert!(programs(&with).contains(&own) && programs(&with).contains(&shell));
        let found = differing([&with, &without].into_iter().map(programs));
        assert_eq!(found, BTreeSet::from([own]));
        assert!(differing([&with, &with].into_iter().map(programs)).is_empty());
    }
}
