//! The events of OCaml 5 are read as by another decoder.
//!
//! The sample is the beginning of the file that `trees 16`, built by OCaml 5.4.1, left with
//! `OCAMLRUNPARAM=e=12`: the header and the events of the only domain. A Python decoder with the
//! names of the phases from the headers of that version found 15 pauses of 18.526767 ms in total,
//! the longest of 8042.789 us.

use proptest::prelude::*;
use toolchains::runtime::adapter::Pieces;
use toolchains::runtime::ocaml;
use toolchains::runtime::ocaml::{Pauses, pauses};

use super::said;

const TREES: &[u8] =
    include_bytes!("../../../../fixtures/runtimes/events/ocaml-5.4.1-trees16.events");
const COUNTERS: &str = include_str!("../../../../fixtures/runtimes/samples/ocaml-5.4.1.txt");

/// The sample with one word replaced.
fn with(word: usize, value: u64) -> Vec<u8> {
    let mut file = TREES.to_vec();
    file[8 * word..8 * (word + 1)].copy_from_slice(&value.to_le_bytes());
    file
}

/// The first words of domain 0's metadata, and its ring, by the header.
const HEAD: usize = 64 / 8;
const RING: usize = 10_304 / 8;

#[test]
fn pauses_are_found() {
    let expected = Pauses { total_ns: 18_526_767, longest_ns: 8_042_789 };
    assert_eq!(pauses(&TREES.to_vec()), Some(expected));
}

#[test]
fn what_does_not_tell_all_tells_nothing() {
    for (what, file) in [
        ("another version", with(0, 2)),
        ("a ring that wrapped", with(HEAD, 7)),
        ("a ring that is longer than itself", with(HEAD + 1, 1 << 40)),
        ("an event without length", with(RING, 0)),
        ("more than there is", TREES[..TREES.len() - 8].to_vec()),
        ("a second domain", with(HEAD + 80 / 8 + 1, 8)),
        ("too many domains", with(1, u64::MAX)),
        ("no file at all", Vec::new()),
    ] {
        assert_eq!(pauses(&file), None, "{what}");
    }
}

#[test]
fn pauses_join_the_counters_of_as_many_processes() {
    let one = || Box::new(TREES.to_vec()) as Box<dyn Pieces>;
    let read = |text: &str, files: &[Box<dyn Pieces>]| {
        let said = toolchains::runtime::adapter::Said { files, ..said(text) };
        (ocaml::ADAPTER.ways[0].read)(&said).expect("sound")
    };
    let found = read(COUNTERS, &[one()]);
    assert_eq!(found[0].pause_seconds, Some(0.018_526_767));
    assert_eq!(found[0].max_pause_seconds, Some(0.008_042_789));
    let two = format!("{COUNTERS}{COUNTERS}");
    assert_eq!(read(&two, &[one(), one()])[1].pause_seconds, Some(0.018_526_767));
    // One of them has an older runtime, but it is unknown which.
    assert_eq!(read(&two, &[one()])[0].pause_seconds, None);
    assert_eq!(read(COUNTERS, &[Box::new(Vec::new())])[0].pause_seconds, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_damaged_file_is_read_or_not(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 1..4),
        in_header in any::<bool>(),
        end in any::<prop::sample::Index>(),
    ) {
        let mut file = TREES.to_vec();
        for (index, value) in changes {
            let words = if in_header { 20 } else { file.len() / 8 };
            let word = index.index(words);
            file[8 * word..8 * (word + 1)].copy_from_slice(&value.to_le_bytes());
        }
        if in_header {
            file.truncate(end.index(file.len() + 1));
        }
        if let Some(found) = pauses(&file) {
            prop_assert!(found.longest_ns <= found.total_ns);
        }
    }
}
