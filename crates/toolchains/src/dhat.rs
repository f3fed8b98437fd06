//! DHAT's counts: the bytes and blocks that a program allocated, by stack.
//!
//! Format: the JSON of version 2 that DHAT writes since Valgrind 3.15 (`dh_main.c`), and the crate
//! `dhat` for Rust, too. A reallocation counts as another block of the new size, at the place that
//! allocated the block first. A forked process begins with the counts of its parent.

use serde_json::Value;

use crate::symbol::{Program, readable};

/// The version of the format that is read.
const VERSION: u64 = 2;

/// The allocations of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocations {
    /// The command; empty if the file does not give it.
    pub command: String,
    /// The allocations, by stack.
    pub stacks: Vec<AllocatingStack>,
    entries: Vec<Entry>,
}

/// The allocations of one stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocatingStack {
    /// The bytes of all blocks together.
    pub bytes: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The functions on the stack, innermost first.
    frames: Vec<Frame>,
    /// The number of calls that valgrind saw, with those of one function to itself.
    depth: usize,
}

/// A function on a stack: its entry, and that of the line that was running, which may be in code
/// inlined into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame {
    function: usize,
    line: usize,
}

/// A function or a line, as the file names it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    address: String,
    name: String,
    object: String,
    file: String,
    line: u64,
    is_plumbing: bool,
}

/// A place in a program: `???` stands for an unknown name, file or object, and 0 for an unknown
/// line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The symbol of the function.
    pub symbol: &'a str,
    /// The executable or library; DHAT does not name it where it knows the line.
    pub object: &'a str,
    /// The source file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u64,
}

/// The reason that the file has no allocations to read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum DhatError {
    #[error("it is not output of DHAT")]
    NotDhat,
    #[error("it is cut off: the program was ended before DHAT had written it")]
    CutOff,
    #[error("its format is of version {found}; this brisk reads version {VERSION}")]
    Version { found: String },
    #[error("it was written in mode `{mode}`, which does not count allocations")]
    Mode { mode: String },
    #[error("entry {number} of its list `{list}` cannot be read")]
    Entry { list: &'static str, number: usize },
    #[error("the allocations need more than 64 bits")]
    Overflow,
}

/// Reads a file.
pub fn read(text: &[u8]) -> Result<Allocations, DhatError> {
    let is_begun = text.trim_ascii_start().starts_with(b"{\"dhatFileVersion\"");
    let file: Value = serde_json::from_slice(text).map_err(|error| match error.is_eof() {
        true if is_begun => DhatError::CutOff,
        _ => DhatError::NotDhat,
    })?;
    let version = file.get("dhatFileVersion").ok_or(DhatError::NotDhat)?;
    if version.as_u64() != Some(VERSION) {
        return Err(DhatError::Version { found: version.to_string() });
    }
    let mode = file["mode"].as_str().unwrap_or_default();
    if !matches!(mode, "heap" | "rust-heap") {
        return Err(DhatError::Mode { mode: mode.to_owned() });
    }
    let entries: Vec<Entry> = list(&file, "ftbl", |entry| entry.as_str().map(Entry::read))?;
    let stacks = list(&file, "pps", |point| AllocatingStack::read(point, &entries))?;
    // Sums of parts of them need no further checks.
    for count in [|stack: &AllocatingStack| stack.bytes, |stack: &AllocatingStack| stack.blocks] {
        let sum = stacks.iter().map(count).try_fold(0, u64::checked_add);
        sum.ok_or(DhatError::Overflow)?;
    }
    let command = file["cmd"].as_str().unwrap_or_default().trim_end().to_owned();
    Ok(Allocations { command, stacks, entries })
}

fn list<T>(
    file: &Value,
    name: &'static str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, DhatError> {
    let values = file[name].as_array().ok_or(DhatError::Entry { list: name, number: 0 })?;
    let read = |(number, value)| read(value).ok_or(DhatError::Entry { list: name, number });
    values.iter().enumerate().map(read).collect()
}

impl AllocatingStack {
    fn read(point: &Value, entries: &[Entry]) -> Option<Self> {
        let indices: Option<Vec<usize>> = point["fs"].as_array()?.iter().map(index).collect();
        let indices = indices?;
        let (mut frames, mut depth) = (Vec::new(), 0);
        // Code that is inlined into a function has the function's address, and comes before it.
        for run in indices.chunk_by(|a, b| address(entries, *a) == address(entries, *b)) {
            let function = *run.last()?;
            entries.get(function)?;
            let is_own = |&&index: &&usize| entries[index].is_own_source();
            let line = run.iter().find(is_own).copied().unwrap_or(function);
            frames.push(Frame { function, line });
            depth += run.iter().filter(|index| **index == function).count();
        }
        Some(Self { bytes: point["tb"].as_u64()?, blocks: point["tbk"].as_u64()?, frames, depth })
    }

    /// The number of calls that valgrind saw on the stack.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn address(entries: &[Entry], index: usize) -> Option<&str> {
    entries.get(index).map(|entry| entry.address.as_str())
}

/// Folders of the sources of C++'s and Rust's standard libraries.
const STANDARD_SOURCES: [&str; 3] = ["/include/c++/", "/rustc/", "/rust/library/"];

impl Entry {
    /// An entry: `0x10916E: main (/code/sum.c:12)`, `0x10916E: main (in /code/sum)`, or
    /// `0x10916E: ???`. The crate `dhat` adds a column.
    fn read(text: &str) -> Self {
        let (address, rest) = text.split_once(": ").unwrap_or(("", text));
        let place = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
        let (name, place) = place.unwrap_or((rest, "???"));
        let unknown = || "???".to_owned();
        let [mut object, mut file, mut line] = [unknown(), unknown(), String::new()];
        if let Some(path) = place.strip_prefix("in ") {
            path.clone_into(&mut object);
        } else if let Some((path, number)) = place.rsplit_once(':') {
            let column = path.rsplit_once(':').filter(|(_, number)| is_number(number));
            let (path, number) = column.unwrap_or((path, number));
            path.clone_into(&mut file);
            number.clone_into(&mut line);
        }
        // An allocator, or a container of a standard library, is not a call site.
        let is_plumbing =
            object.contains("/vgpreload_") || is_of_allocation(&readable(name, Program::default()));
        let (address, name, line) = (address.to_owned(), name.to_owned(), line.parse());
        Self { address, name, object, file, line: line.unwrap_or(0), is_plumbing }
    }

    /// True if its source is known to belong to none of the standard libraries.
    fn is_own_source(&self) -> bool {
        self.file.contains('/') && !STANDARD_SOURCES.iter().any(|it| self.file.contains(it))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Functions that programs call to allocate, where they have their own.
const ALLOCATORS: [&str; 9] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "operator new",
    "operator new[]",
];

/// True for allocators, and for functions of the standard libraries of C++ and Rust, by readable
/// name.
fn is_of_allocation(name: &str) -> bool {
    let path = path_of(name);
    ALLOCATORS.contains(&path.as_str())
        || ["std::", "core::", "alloc::", "__gnu_cxx::", "__rustc::", "__rust_", "__rdl_", "__rg_"]
            .iter()
            .any(|start| path.starts_with(start))
}

/// The path of a function without its return type, parameters and arguments of templates:
/// `void std::vector<int>::push<int>(int const&)` is `std::vector::push`. A method of Rust is that
/// of its type or, for types without a path, of its trait.
fn path_of(name: &str) -> String {
    if let Some(inner) = name.strip_prefix('<') {
        let (this, trait_path) = inner.split_once(" as ").unwrap_or((inner, "core::"));
        let this = this.trim_start_matches(['&', '*', '[', '(']).trim_start_matches("mut ");
        let is_path = this.split(['>', ']']).next().is_some_and(|this| this.contains("::"));
        return if is_path { this } else { trait_path }.to_owned();
    }
    let (mut outside, mut depth) = (String::new(), 0_usize);
    for letter in name.chars() {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            letter if depth == 0 => outside.push(letter),
            _ => {}
        }
    }
    let outside = outside.trim_end_matches(" const");
    let is_operator = ALLOCATORS.contains(&outside);
    let last = outside.rsplit(' ').next().filter(|_| !is_operator);
    last.unwrap_or(outside).to_owned()
}

impl Allocations {
    /// The symbols of all functions that the file names.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The functions of a stack from its call site outwards: the call site is the innermost
    /// function that is neither an allocator nor of the standard library of C++ or Rust. If there
    /// is none, the stack begins with its innermost function.
    pub fn places<'a>(&'a self, stack: &AllocatingStack) -> Vec<Place<'a>> {
        let is_site = |frame: &Frame| !self.entries[frame.function].is_plumbing;
        let site = stack.frames.iter().position(is_site).unwrap_or(0);
        let place = |frame: &Frame| {
            let (function, line) = (&self.entries[frame.function], &self.entries[frame.line]);
            Place {
                symbol: &function.name,
                object: &function.object,
                file: &line.file,
                line: line.line,
            }
        };
        stack.frames[site..].iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocators_and_standard_libraries_are_no_call_sites() {
        for name in [
            "malloc",
            "operator new(unsigned long)",
            "operator new[](unsigned long, std::nothrow_t const&)",
            "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const&)",
            "std::__cxx11::basic_string<char>::_M_create(unsigned long&, unsigned long)",
            "std::operator<< <char>(std::ostream&, char)",
            "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)",
            "alloc::raw_vec::RawVec<T,A>::grow_one",
            "<alloc::vec::Vec<T> as core::clone::Clone>::clone",
            "<&T as core::fmt::Debug>::fmt",
            "<[u8]>::to_vec",
            "__rust_alloc",
            "__rustc::__rust_alloc",
            "__rdl_alloc",
        ] {
            assert!(is_of_allocation(name), "{name}");
        }
        for name in [
            "main",
            "mallocate",
            "std_parse",
            "std::vector<int, std::allocator<int> > make<int>(int)",
            "Pool::reserve(std::size_t) const",
            "(anonymous namespace)::pool::pool()",
            "main::{lambda(int)#1}::operator()(int) const",
            "parser::parse",
            "parser::main::{{closure}}",
            "<parser::Node as core::clone::Clone>::clone",
            "<&parser::Node as core::fmt::Debug>::fmt",
        ] {
            assert!(!is_of_allocation(name), "{name}");
        }
    }

    #[test]
    fn entries_are_read_with_and_without_places() {
        let read = |text: &str| {
            let Entry { address, name, object, file, line, .. } = Entry::read(text);
            [address, name, object, file, line.to_string()].join(" ")
        };
        for (text, parts) in [
            ("0x1: main (/a/b.c:12)", "0x1 main ??? /a/b.c 12"),
            ("0x1: main (in /a/b)", "0x1 main /a/b ??? 0"),
            ("0x1: ???", "0x1 ??? ??? ??? 0"),
            ("0x1: ??? (in /a/b)", "0x1 ??? /a/b ??? 0"),
            ("0x1: (below main) (start.c:58)", "0x1 (below main) ??? start.c 58"),
            ("0x1: f(int, char (*)[2]) (a.cc:3)", "0x1 f(int, char (*)[2]) ??? a.cc 3"),
            ("0x1: app::f (src/app.rs:98:5)", "0x1 app::f ??? src/app.rs 98"),
            ("[root]", " [root] ??? ??? 0"),
        ] {
            assert_eq!(read(text), parts, "{text}");
        }
    }
}
