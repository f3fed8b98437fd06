//! The runtime of a file: the one inside an executable, or the interpreter that a script's first
//! line names.
//!
//! A runtime that can be configured from outside has the names of its variables and options as
//! strings, which survive the removal of symbols (`strip`), or needs a library of its own. A file
//! in which the marks of exactly one runtime are complete is a program of that runtime. With two,
//! it may be anything (a program that knows about runtimes, such as this one), and no runtime is
//! assumed.
//!
//! A file may hold such strings without being a program of that runtime; it is then queried for
//! figures that it does not give.
//!
//! Linux reads the line `#!` as a path and at most one argument (execve(2)). The argument of
//! `/usr/bin/env` is looked up in `PATH`; its option `-S` splits the argument into words, of which
//! the first is the program.

use super::adapter::Adapter;
use memchr::memmem::Finder;

/// The beginning of every ELF file.
const ELF: &[u8] = b"\x7fELF";

/// A search through a file, piece by piece.
#[derive(Debug, Clone)]
pub struct Search {
    alternatives: Vec<Alternative>,
    is_elf: Option<bool>,
    /// The end of the text so far, in which a mark may have begun.
    overlap: Vec<u8>,
    longest: usize,
}

/// Marks that together identify a runtime.
#[derive(Debug, Clone)]
struct Alternative {
    adapter: &'static Adapter,
    marks: Vec<Mark>,
}

#[derive(Debug, Clone)]
struct Mark {
    finder: Finder<'static>,
    is_found: bool,
}

impl Default for Search {
    fn default() -> Self {
        let mark = |text: &&'static [u8]| Mark { finder: Finder::new(*text), is_found: false };
        let mut alternatives = Vec::new();
        for adapter in super::ALL {
            let all = adapter.marks.iter().map(|marks| marks.iter().map(mark).collect());
            alternatives.extend(all.map(|marks| Alternative { adapter, marks }));
        }
        let marks = super::ALL.iter().flat_map(|adapter| adapter.marks.concat());
        let longest = marks.map(<[u8]>::len).max().unwrap_or(0);
        Self { alternatives, is_elf: None, overlap: Vec::new(), longest }
    }
}

impl Search {
    /// Takes the next piece of the file, of any length; returns true if further pieces may still
    /// change the answer.
    pub fn take(&mut self, piece: &[u8]) -> bool {
        let seam = [self.overlap.as_slice(), &piece[..piece.len().min(self.longest)]].concat();
        if self.is_elf.is_none() && seam.len() >= ELF.len() {
            self.is_elf = Some(seam.starts_with(ELF));
        }
        if self.is_elf == Some(false) {
            return false;
        }
        let marks = self.alternatives.iter_mut().flat_map(|one| &mut one.marks);
        for mark in marks.filter(|mark| !mark.is_found) {
            mark.is_found = mark.finder.find(&seam).is_some() || mark.finder.find(piece).is_some();
        }
        self.overlap.extend_from_slice(&piece[piece.len().saturating_sub(self.longest)..]);
        self.overlap.drain(..self.overlap.len().saturating_sub(self.longest));
        true
    }

    /// True if the file is a compiled program.
    pub fn is_elf(&self) -> bool {
        self.is_elf == Some(true)
    }

    /// The runtime of the file, as far as read, if it has the marks of only one.
    pub fn runtime(&self) -> Option<&'static Adapter> {
        let is_complete = |one: &&Alternative| one.marks.iter().all(|mark| mark.is_found);
        let complete = self.alternatives.iter().filter(is_complete);
        let mut adapters: Vec<&'static Adapter> = complete.map(|one| one.adapter).collect();
        adapters.dedup();
        match adapters[..] {
            [adapter] if self.is_elf() => Some(adapter),
            _ => None,
        }
    }
}

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
