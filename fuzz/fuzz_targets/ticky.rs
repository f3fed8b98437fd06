//! Any file is read as ticky counters or refused, in steps in proportion to its length.
#![no_main]

use fuzz::{in_proportion, mutate};
use ghc::{heap_profile, ticky};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use toolchains::runtime;

fuzz_target!(|text: &[u8]| {
    let _ = in_proportion("ticky", text.len(), || ticky::read(text));
    let text = String::from_utf8_lossy(text);
    let _ = in_proportion("statistics", text.len(), || runtime::ghc::figures(&text));
    let _ = in_proportion("heap", text.len(), || heap_profile::read(&text));
});

fuzz_mutator!(|text: &mut [u8], length: usize, room: usize, seed: u32| {
    mutate(text, length, room, seed)
});
