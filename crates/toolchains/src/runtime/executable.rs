//! The runtime in an executable file.
//!
//! A runtime that can be configured from outside has the names of its variables and options as
//! strings, which survive the removal of symbols (`strip`), or needs a library of its own. A file
//! in which the marks of exactly one runtime are complete is a program of that runtime. With two,
//! it may be anything (a program that knows about runtimes, such as this one), and no runtime is
//! assumed.
//!
//! A file may hold such strings without being a program of that runtime; it is then queried for
//! figures that it does not give.

use memchr::memmem::Finder;

use super::adapter::Adapter;

/// The beginning of every ELF file.
const ELF: &[u8] = b"\x7fELF";

/// A search through a file, piece by piece.
#[derive(Debug, Clone)]
pub struct Search {
    marks: Vec<Mark>,
    is_elf: Option<bool>,
    /// The end of the text so far, in which a mark may have begun.
    overlap: Vec<u8>,
    longest: usize,
}

/// One string of one alternative of one runtime.
#[derive(Debug, Clone)]
struct Mark {
    adapter: &'static Adapter,
    alternative: usize,
    finder: Finder<'static>,
    is_found: bool,
}

impl Default for Search {
    fn default() -> Self {
        Self::new(&super::ALL)
    }
}

impl Search {
    /// A search for these runtimes.
    pub fn new(adapters: &[&'static Adapter]) -> Self {
        let mut marks = Vec::new();
        for &adapter in adapters {
            for (alternative, all) in adapter.marks.iter().enumerate() {
                let mark = |text: &&'static [u8]| {
                    let finder = Finder::new(*text);
                    Mark { adapter, alternative, finder, is_found: false }
                };
                marks.extend(all.iter().map(mark));
            }
        }
        let longest = marks.iter().map(|mark| mark.finder.needle().len()).max().unwrap_or(0);
        Self { marks, is_elf: None, overlap: Vec::new(), longest }
    }

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
        for mark in self.marks.iter_mut().filter(|mark| !mark.is_found) {
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

    /// True if the file, as far as read, has the marks of this runtime, possibly along with those
    /// of others.
    pub fn has(&self, adapter: &Adapter) -> bool {
        let of = |alternative| {
            let is_its =
                move |mark: &&Mark| mark.adapter == adapter && mark.alternative == alternative;
            self.marks.iter().filter(is_its)
        };
        let complete = |alternative| {
            of(alternative).next().is_some() && of(alternative).all(|mark| mark.is_found)
        };
        self.is_elf() && (0..adapter.marks.len()).any(complete)
    }

    /// The runtime of the file, as far as read, if it has the marks of only one.
    pub fn runtime(&self) -> Option<&'static Adapter> {
        let mut found = super::ALL.into_iter().filter(|adapter| self.has(adapter));
        found.next().filter(|_| found.next().is_none())
    }
}
