//! What is read of Core is printed as text that reads as the same.
#![no_main]

use fuzz::mutate;
use ghc::core::Dump;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|text: &[u8]| {
    let dump = Dump::read(text);
    let printed = dump.print();
    let again = Dump::read(printed.as_bytes());
    assert_eq!(again.problems, [], "{printed}");
    assert!(dump.is_same(&again), "{printed}\n--- reads as ---\n{}", again.print());
});

fuzz_mutator!(|text: &mut [u8], length: usize, room: usize, seed: u32| {
    mutate(text, length, room, seed)
});
