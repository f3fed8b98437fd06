//! The pauses of a program of OCaml 5, from the file of events that its runtime leaves.
//!
//! The file (`PID.events`, version 1 of the format; `caml/runtime_events.h` of OCaml 5.4) has a
//! header of eight 64-bit words, then for each domain the beginning and end of its events, then for
//! each domain a ring of events. An event is a word with its length in words (10 bits), a flag for
//! the program's own events (1), its type (4), its subject (13), and 36 unused bits, followed by a
//! time in nanoseconds.
//!
//! A pause lasts from the begin to the end of an outermost phase. The numbers of phases differ
//! between versions, so they are only compared with each other. A ring that has wrapped has lost
//! its beginning, and with several domains pauses overlap; both give no result. The file is mostly
//! holes, so it is read in pieces.

/// A file with random access.
pub trait Pieces: std::fmt::Debug {
    /// The bytes at this offset; `None` if some are missing.
    fn at(&self, offset: u64, length: usize) -> Option<Vec<u8>>;
}

impl Pieces for [u8] {
    fn at(&self, offset: u64, length: usize) -> Option<Vec<u8>> {
        let begin = usize::try_from(offset).ok()?;
        self.get(begin..begin.checked_add(length)?).map(<[u8]>::to_vec)
    }
}

impl Pieces for Vec<u8> {
    fn at(&self, offset: u64, length: usize) -> Option<Vec<u8>> {
        self.as_slice().at(offset, length)
    }
}

/// The pauses of one process, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pauses {
    /// Their sum.
    pub total_ns: u64,
    /// The longest.
    pub longest_ns: u64,
}

/// The supported version of the format.
const VERSION: u64 = 1;

/// An upper limit of domains (`Max_domains_max` is 4096); a file with more is invalid.
const MOST_DOMAINS: u64 = 4096;

/// The longest supported ring, in words: half a gigabyte.
const LONGEST_RING: u64 = 1 << 26;

const WORD: usize = 8;
const BEGIN: u64 = 2;
const END: u64 = 3;

/// The pauses in the file; `None` if it does not have all of them, or is another file.
pub fn pauses(file: &dyn Pieces) -> Option<Pauses> {
    let header = words(&file.at(0, 8 * WORD)?);
    let &[version, domains, about_bytes, ring_bytes, ring_words, about_at, rings_at, _] =
        &header[..]
    else {
        return None;
    };
    if version != VERSION || domains > MOST_DOMAINS || ring_words > LONGEST_RING {
        return None;
    }
    let mut found = None;
    for domain in 0..domains {
        let about = about_at.checked_add(domain.checked_mul(about_bytes)?)?;
        let (head, tail) = match words(&file.at(about, 2 * WORD)?)[..] {
            [head, tail] => (head, tail),
            _ => return None,
        };
        if tail == 0 {
            continue;
        }
        if found.is_some() || head > 0 || tail > ring_words {
            return None;
        }
        let ring = rings_at.checked_add(domain.checked_mul(ring_bytes)?)?;
        let events = file.at(ring, usize::try_from(tail).ok()?.checked_mul(WORD)?)?;
        found = Some(of_events(&words(&events))?);
    }
    found
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("pieces of eight"));
    bytes.chunks_exact(WORD).map(word).collect()
}

fn of_events(ring: &[u64]) -> Option<Pauses> {
    let mut pauses = Pauses::default();
    let mut open: Vec<(u64, u64)> = Vec::new();
    let mut at = 0;
    while let Some(&event) = ring.get(at) {
        let length = usize::try_from(event >> 54).ok().filter(|&length| length > 0)?;
        let (is_programs, kind, about) = (event >> 53 & 1, event >> 49 & 15, event >> 36 & 0x1fff);
        let time = ring.get(at + 1).copied();
        match kind {
            BEGIN if is_programs == 0 => open.push((about, time?)),
            END if is_programs == 0 && open.last().is_some_and(|(opened, _)| *opened == about) => {
                let (_, begun) = open.pop()?;
                if open.is_empty() {
                    let pause = time?.checked_sub(begun)?;
                    pauses.total_ns = pauses.total_ns.checked_add(pause)?;
                    pauses.longest_ns = pauses.longest_ns.max(pause);
                }
            }
            _ => {}
        }
        at += length;
    }
    Some(pauses)
}
