//! Any file is read as a profile of callgrind or refused, in steps in proportion to its length, and
//! the same in however many pieces it comes.
#![no_main]

use fuzz::{in_proportion, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use toolchains::callgrind::{CallgrindError, Profile, Reader, inclusive};

fuzz_target!(|text: &[u8]| {
    let whole = in_proportion("reading", text.len(), || read(&[text]));
    let (front, back) = text.split_at(text.len() / 2);
    assert_eq!(whole, read(&[front, back]));
    if let Ok(profile) = whole {
        let own: u64 = profile.functions.iter().map(|function| function.self_cost).sum();
        assert_eq!(own, profile.total());
        let _ = (inclusive(&profile), profile.agreement());
        for function in &profile.functions {
            let name = profile.name(function.name);
            let _ = in_proportion("naming", name.len(), || toolchains::symbol::context(name));
        }
    }
});

fuzz_mutator!(|text: &mut [u8], length: usize, room: usize, seed: u32| {
    mutate(text, length, room, seed)
});

fn read(pieces: &[&[u8]]) -> Result<Profile, CallgrindError> {
    let mut reader = Reader::new(None);
    pieces.iter().for_each(|piece| reader.take(piece));
    reader.finish()
}
