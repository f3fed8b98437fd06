//! The words of a command line before they are parsed.

use std::ffi::OsString;

use clap::{Arg, Command};
use toolchains::harness::is_launcher;

/// The words, with `--` before the command that `brisk bench` is to run: the options after a program
/// such as `java` are that program's.
pub(super) fn set_apart(command: &mut Command, mut words: Vec<OsString>) -> Vec<OsString> {
    command.build();
    let verb = first_positional(command, &words, 1);
    let Some(verb) = verb.filter(|at| words[*at] == "bench") else { return words };
    let bench = command.find_subcommand("bench").expect("it is a verb");
    let program = first_positional(bench, &words, verb + 1);
    if let Some(at) = program.filter(|at| is_launcher(&words[*at].to_string_lossy())) {
        words.insert(at, "--".into());
    }
    words
}

/// The place of the first word from `at` on that is neither an option nor the value of one; `None` if
/// there is none before `--`.
fn first_positional(command: &Command, words: &[OsString], mut at: usize) -> Option<usize> {
    loop {
        let word = words.get(at)?.to_string_lossy();
        if word == "--" {
            return None;
        }
        if !word.starts_with('-') {
            return Some(at);
        }
        let takes_next = |arg: &Arg| arg.get_action().takes_values() && is_called(arg, &word);
        at += if command.get_arguments().any(takes_next) { 2 } else { 1 };
    }
}

/// True if the word is an option's whole name, so that its value is the next word.
fn is_called(arg: &Arg, word: &str) -> bool {
    let long = word.strip_prefix("--");
    let longs = arg.get_long_and_visible_aliases().unwrap_or_default();
    let shorts = arg.get_short_and_visible_aliases().unwrap_or_default();
    long.is_some_and(|name| longs.contains(&name))
        || shorts.iter().any(|short| word == format!("-{short}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let words = set_apart(&mut super::super::command(), words);
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_options_after_a_launcher_are_its_own() {
        assert_eq!(
            apart("brisk --color never bench --runs 3 java -jar x.jar"),
            "brisk --color never bench --runs 3 -- java -jar x.jar"
        );
        assert_eq!(
            apart("brisk bench -q x/bin/pytest tests"),
            "brisk bench -q -- x/bin/pytest tests"
        );
        assert_eq!(apart("brisk bench --env java=1 ./a"), "brisk bench --env java=1 ./a");
        for unchanged in
            ["brisk bench old new --runs 3", "brisk bench ./a -- java", "brisk list java"]
        {
            assert_eq!(apart(unchanged), unchanged);
        }
    }
}
