//! Whether an executable file holds GHC's runtime system.
//!
//! The runtime reads the variable `GHCRTS` and the options between `+RTS` and `-RTS`, so it has
//! these three names as C strings, each ended by a zero byte; removing the symbols (`strip`) leaves
//! them. Where the runtime is a shared library (`ghc -dynamic`), its name, `libHSrts...so`, is among
//! the names that the executable asks the linker for. Checked with GHC 9.0.2.
//!
//! A file may hold such strings and be no Haskell program; it is then asked for figures that it
//! does not give.

use memchr::memmem::Finder;

/// What every ELF file begins with.
const ELF: &[u8] = b"\x7fELF";

/// The names the runtime reads, as the C strings it has of them.
const NAMES: [&[u8]; 3] = [b"GHCRTS\0", b"+RTS\0", b"-RTS\0"];

/// The runtime as a shared library.
const LIBRARY: &[u8] = b"libHSrts";

/// As many bytes as a name may have had of itself in the piece before, and one.
const LONGEST: usize = 8;

/// Looks at a file piece by piece.
#[derive(Debug, Clone)]
pub struct Search {
    names: [(Finder<'static>, bool); 3],
    library: (Finder<'static>, bool),
    is_elf: Option<bool>,
    /// The end of what was seen, where a name may have begun.
    overlap: Vec<u8>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            names: NAMES.map(|name| (Finder::new(name), false)),
            library: (Finder::new(LIBRARY), false),
            is_elf: None,
            overlap: Vec::new(),
        }
    }
}

impl Search {
    /// Takes the next piece of the file, of any length; whether more may still change the answer.
    pub fn take(&mut self, piece: &[u8]) -> bool {
        let seam = [self.overlap.as_slice(), &piece[..piece.len().min(LONGEST)]].concat();
        if self.is_elf.is_none() && seam.len() >= ELF.len() {
            self.is_elf = Some(seam.starts_with(ELF));
        }
        if self.is_elf == Some(false) {
            return false;
        }
        for (name, found) in self.names.iter_mut().chain([&mut self.library]) {
            *found = *found || name.find(&seam).is_some() || name.find(piece).is_some();
        }
        self.overlap.extend_from_slice(&piece[piece.len().saturating_sub(LONGEST)..]);
        self.overlap.drain(..self.overlap.len().saturating_sub(LONGEST));
        !self.has_runtime()
    }

    /// Whether the file is a compiled program at all.
    pub fn is_elf(&self) -> bool {
        self.is_elf == Some(true)
    }

    /// Whether the file, as far as it was seen, is a program with GHC's runtime.
    pub fn has_runtime(&self) -> bool {
        let linked_in = self.names.iter().all(|(_, found)| *found);
        self.is_elf() && (linked_in || self.library.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pieces(file: &[u8], length: usize) -> bool {
        let mut search = Search::default();
        for piece in file.chunks(length) {
            search.take(piece);
        }
        search.has_runtime()
    }

    const LINKED_IN: &[u8] = b"\x7fELF code GHCRTS\0 more\0--RTS\0-RTS\0+RTS\0end";
    const SHARED: &[u8] = b"\x7fELF\0libHSrts-ghc9.0.2.so\0libc.so.6\0";

    #[test]
    fn the_runtime_is_found_however_the_file_is_cut() {
        for length in 1..LINKED_IN.len() + 1 {
            assert!(in_pieces(LINKED_IN, length), "in pieces of {length}");
            assert!(in_pieces(SHARED, length), "in pieces of {length}");
        }
    }

    #[test]
    fn what_only_talks_of_the_runtime_has_none() {
        let script = [b"#!/bin/sh\n", &LINKED_IN[4..]].concat();
        // Not C strings, as in a Rust program that names them.
        let talk = b"\x7fELF GHCRTS+RTS-RTS\0".as_slice();
        let two_of_three = b"\x7fELF GHCRTS\0+RTS\0".as_slice();
        for file in [script.as_slice(), talk, two_of_three, b"\x7fEL", b""] {
            for length in [1, 3, 1000] {
                assert!(!in_pieces(file, length), "{}", String::from_utf8_lossy(file));
            }
        }
    }

    #[test]
    fn nothing_more_is_wanted_once_the_answer_is_known() {
        assert!(!Search::default().take(b"#!/bin/sh\n"));
        assert!(!Search::default().take(LINKED_IN));
        assert!(Search::default().take(b"\x7fELF"));
    }
}
