//! A piece of text that stands in a dump eight times as often takes eight times as many steps to
//! read, and not more.
//!
//! The first two bytes of an input say where the piece begins and ends.
#![no_main]

use fuzz::reads_of;
use ghc::core::Dump;
use libfuzzer_sys::fuzz_target;

/// Bytes of the smaller of the two texts, of which the repeated pieces are nearly all.
const FEW: usize = 16 << 10;

/// Where every list that grows has doubled three times, and every table has.
const TIMES: usize = 8;

/// Reads of memory that need not be in proportion.
const FIXED: u64 = 50_000;

fuzz_target!(|input: &[u8]| {
    let [first, last, text @ ..] = input else { return };
    let place = |byte: &u8| usize::from(*byte) * text.len() / 256;
    let (begin, end) = (place(first).min(place(last)), place(first).max(place(last)) + 1);
    let Some(piece) = text.get(begin..end) else { return };
    let (before, behind) = (&text[..begin], &text[end..]);
    let count = FEW / piece.len();
    // What stands around the pieces is there once, and must not matter.
    if count * TIMES < 64 || before.len() + behind.len() > FEW / 32 {
        return;
    }
    let of = |count: usize| [before, &piece.repeat(count), behind].concat();
    let (few, many) = (of(count), of(count * TIMES));
    let reads = |text: &[u8]| reads_of(|| _ = Dump::read(text));
    let (small, large) = (reads(&few), reads(&many));
    let most = FIXED + small * TIMES as u64 * 9 / 8;
    assert!(large <= most, "{small} reads of memory, and {large} for {TIMES} times as much");
});
