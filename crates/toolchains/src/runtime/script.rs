//! The program that runs a script, according to its first line.
//!
//! Linux reads the line `#!` as a path and at most one argument (execve(2)). The argument of
//! `/usr/bin/env` is looked up in `PATH`; its option `-S` splits the argument into words, of which
//! the first is the program.

/// The program that a first line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interpreter {
    /// This file.
    Path(String),
    /// The file that this name resolves to in `PATH`.
    Name(String),
}

/// The longest first line that Linux reads (BINPRM_BUF_SIZE, since version 5.1).
const LONGEST_LINE: usize = 256;

/// The interpreter of a file with this beginning; `None` if it is not a script, or the line is not
/// understood.
pub fn interpreter(beginning: &[u8]) -> Option<Interpreter> {
    let line = beginning.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(LONGEST_LINE)];
    let end = line.iter().position(|&byte| byte == b'\n')?;
    let mut words = std::str::from_utf8(&line[..end]).ok()?.split_ascii_whitespace();
    let path = words.next().filter(|path| path.starts_with('/'))?;
    if !path.ends_with("/env") {
        return Some(Interpreter::Path(path.to_owned()));
    }
    let name = words.find(|word| *word != "-S")?;
    // Other options and variables of `env` are not interpreted.
    let is_name = !name.starts_with('-') && !name.contains(['=', '/']);
    is_name.then(|| Interpreter::Name(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_a_file_or_something_in_path() {
        let path = |text: &str| Some(Interpreter::Path(text.to_owned()));
        let name = |text: &str| Some(Interpreter::Name(text.to_owned()));
        for (line, expected) in [
            ("#!/usr/bin/python3\nimport sys", path("/usr/bin/python3")),
            ("#! /usr/bin/sbcl --script\n", path("/usr/bin/sbcl")),
            ("#!/usr/bin/env node\n", name("node")),
            ("#!/usr/bin/env -S node --no-warnings\n", name("node")),
            ("#!/usr/bin/env -i node\n", None),
            ("#!/usr/bin/env A=1 node\n", None),
            ("#!/usr/bin/env\n", None),
            ("#!python3\n", None),
            ("#!/usr/bin/python3", None),
            ("#!\n", None),
            ("# !/bin/sh\n", None),
            ("", None),
        ] {
            assert_eq!(interpreter(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(interpreter(b"#!/bin/\xff\n"), None);
        assert_eq!(interpreter(format!("#!/{}\n", "x".repeat(300)).as_bytes()), None);
    }
}
