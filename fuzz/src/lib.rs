//! What the fuzz targets share: how much work a parser may do for its text, and a mutation that finds
//! out where it does too much.

use libfuzzer_sys::fuzzer_mutate;

#[expect(unsafe_code, reason = "the counter must not be counted itself, so it is in C")]
mod counter {
    // SAFETY: it takes nothing, and reads a counter that one thread writes.
    unsafe extern "C" {
        #[link_name = "brisk_fuzz_reads"]
        pub(super) safe fn reads() -> u64;
    }
}

/// Reads of memory for each byte of a text. A sample takes some thirty; types may be nested 200 deep,
/// and a few tokens are looked at again at each level. What takes steps with the square of its length
/// is beyond this long before texts are as long as they may be here.
const MOST_READS_A_BYTE: u64 = 1000;

/// Reads that an empty text may take.
const MOST_READS_FOR_NOTHING: u64 = 100_000;

/// Does what is to be done with a text of `length` bytes.
///
/// # Panics
///
/// When that takes more work than in proportion to the text. (Where `run` did not compile this, no work
/// is counted.)
pub fn in_proportion<T>(what: &str, length: usize, work: impl FnOnce() -> T) -> T {
    let mut done = None;
    let reads = reads_of(|| done = Some(work()));
    let most = MOST_READS_FOR_NOTHING + MOST_READS_A_BYTE * length as u64;
    assert!(reads <= most, "{what}: {reads} reads of memory for {length} bytes, more than {most}");
    done.expect("it was just done")
}

/// The reads of memory that something takes.
pub fn reads_of(work: impl FnOnce()) -> u64 {
    let before = counter::reads();
    work();
    counter::reads() - before
}

/// Now and then repeats a piece of the text until there is no more room, so that what grows faster
/// than the text does so visibly; else does what libFuzzer does.
pub fn mutate(text: &mut [u8], length: usize, room: usize, seed: u32) -> usize {
    /// One of so many mutations repeats.
    const RARITY: u64 = 40;
    let mut draw = Draw(u64::from(seed) | 1 << 40);
    if length < 2 || draw.below(RARITY) != 0 {
        return fuzzer_mutate(text, length, room);
    }
    let begin = draw.below(length as u64 - 1) as usize;
    let longest = (length - begin).min(1 << (1 + draw.below(6)));
    let end = begin + 1 + draw.below(longest as u64) as usize;
    let piece = text[begin..end.min(length)].to_vec();
    let rest = text[end.min(length)..length].to_vec();
    let times = 1 + draw.below(((room - length) / piece.len()) as u64 + 1) as usize;
    let repeated = piece.repeat(times.min((room - begin - rest.len()) / piece.len()).max(1));
    let whole = begin + repeated.len();
    let after = rest.len().min(room - whole);
    text[begin..whole].copy_from_slice(&repeated);
    text[whole..whole + after].copy_from_slice(&rest[..after]);
    whole + after
}

/// Numbers that look random (Steele, Lea and Flood, *OOPSLA* 2014: SplitMix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}
