//! What is read of Core is printed, by the printer of the tests, as text that reads as the same.
#![no_main]

#[path = "../../crates/ghc/tests/ghc_core/printer.rs"]
mod printer;

use fuzz::mutate;
use ghc::core::Dump;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|text: &[u8]| {
    let dump = Dump::read(text);
    let printed = printer::dump(&dump);
    let again = Dump::read(printed.as_bytes());
    assert_eq!(again.problems, [], "{printed}");
    assert_eq!(printer::dump(&again), printed);
});

fuzz_mutator!(|text: &mut [u8], length: usize, room: usize, seed: u32| {
    mutate(text, length, room, seed)
});
