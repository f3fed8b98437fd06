//! One execution of one variant: its place in the plan, whose order is drawn from a seed, and the
//! standard output.
//!
//! Each round visits every variant once, in an order drawn anew and uniformly: this draw makes the
//! verdict's test exact under any noise (`docs/method.md`). A plan is endless; the stopping rule
//! ends it between rounds, never inside one. Rounds are drawn when they are needed, each from the
//! seed and its own number, so ten thousand variants cost no memory and a resumed experiment draws
//! the same rounds again. The order is stored with the runs: the seed is provenance, not the
//! record.

use super::metric::{Missing, Readings, Source};
use measure::Outcome;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

/// One execution of one variant, with all its readings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its place in the plan.
    pub place: RunPlace,
    /// The start time, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The outcome.
    pub outcome: Outcome,
    /// The readings.
    pub readings: Readings,
    /// The number of processes it left behind; they were ended.
    pub left_behind: u32,
    /// The last lines of its standard error, if it failed.
    pub stderr_tail: Option<String>,
}

/// The place of a run in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunPlace {
    /// The source of its readings: timed or instrumented.
    pub source: Source,
    /// Set for a warm-up: stored, never judged.
    pub warmup: bool,
    /// The round, from 0, counted separately for warm-ups and for each source.
    pub round: u32,
    /// The position within the round, from 0.
    pub position: u32,
    /// The variant.
    pub variant: u32,
}

/// Largest padding of the environment, in bytes. One page covers every alignment of the stack.
/// (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong", 2009.)
const MOST_PADDING_BYTES: u64 = 4096;

/// Separates the stream of rounds from the seed itself; the golden ratio's fraction, as in
/// SplitMix64 (Steele, Lea and Flood, 2014), whose increments it spreads evenly.
const ROUND_STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Draws rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The seed of all draws.
    pub seed: u64,
    /// The number of variants that each round visits.
    pub variants: u32,
}

/// One visit of every variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The number of the round, from 0. Warm-up rounds are numbered separately.
    pub number: u32,
    /// Set if its runs are warm-ups: run, stored, never judged.
    pub warmup: bool,
    /// The variants in the order of their runs.
    pub order: Vec<u32>,
    /// The environment padding of each run in bytes, in the same order: it varies the start of the
    /// stack.
    pub padding: Vec<u16>,
}

impl Plan {
    /// Draws one round.
    pub fn round(&self, number: u32, warmup: bool) -> Round {
        let stream = u64::from(number) * 2 + u64::from(warmup) + 1;
        let mut random =
            Xoshiro256PlusPlus::seed_from_u64(self.seed ^ stream.wrapping_mul(ROUND_STRIDE));
        let mut order: Vec<u32> = (0..self.variants).collect();
        shuffle(&mut order, &mut random);
        let padding = order
            .iter()
            .map(|_| u16::try_from(below(MOST_PADDING_BYTES, &mut random)).expect("below 4096"))
            .collect();
        Round { number, warmup, order, padding }
    }
}

impl Round {
    /// Removes the variants that do not take part; the order of the others stays as drawn, and is
    /// still uniform.
    pub fn keep(&mut self, takes_part: impl Fn(u32) -> bool) {
        let kept =
            self.order.iter().zip(&self.padding).filter(|(variant, _)| takes_part(**variant));
        (self.order, self.padding) = kept.map(|(&variant, &padding)| (variant, padding)).unzip();
    }
}

/// Fisher and Yates' shuffle, in Durstenfeld's form.
fn shuffle(items: &mut [u32], random: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        let chosen = usize::try_from(below(last as u64 + 1, random)).expect("an index fits");
        items.swap(last, chosen);
    }
}

/// A uniformly distributed number below `bound` (Lemire's multiplication without the biased part,
/// 2019).
fn below(bound: u64, random: &mut impl Rng) -> u64 {
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(random.next_u64()) * u128::from(bound);
        #[expect(clippy::cast_possible_truncation, reason = "the low half is what is compared")]
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

// The standard output of a run: its length, its hash, and its beginning. Output is processed as it
// comes, and only its beginning is kept, so a program may print gigabytes.

/// The number of bytes kept from the beginning, in which the first difference is searched.
/// Arbitrary: if outputs differ, they mostly do so early.
pub const HEAD_BYTES: usize = 64 * 1024;

/// The result of a run of a variant for its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The variant.
    pub variant: u32,
    /// The output and the outcome, or the reason why they are unknown.
    #[serde(with = "crate::metric::known")]
    pub seen: Result<ObservedOutput, Missing>,
}

/// The output of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedOutput {
    /// The outcome of the run.
    pub outcome: Outcome,
    /// The output.
    pub output: Output,
}

/// A description of output bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The number of bytes.
    pub bytes: u64,
    /// The SHA-256 of the bytes (FIPS 180-4), as 64 hexadecimal digits.
    pub sha256: String,
    /// The first bytes, at most [`HEAD_BYTES`].
    #[serde(with = "crate::json::exact")]
    pub head: Vec<u8>,
}

/// Describes bytes that come in pieces.
#[derive(Debug, Clone, Default)]
pub struct Intake {
    hash: Sha256,
    bytes: u64,
    head: Vec<u8>,
}

impl Intake {
    /// The description of all bytes up to now.
    pub fn finish(self) -> Output {
        let hash = self.hash.finalize();
        Output {
            bytes: self.bytes,
            sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            head: self.head,
        }
    }
}

impl Write for Intake {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.hash.update(piece);
        self.bytes += piece.len() as u64;
        let room = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&piece[..piece.len().min(room)]);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The contents of a file that a run wrote; `None` if it is not a regular file, so that the output
/// is lost.
///
/// # Errors
///
/// When the file cannot be read.
pub fn output_of_file(path: &Path) -> io::Result<Option<Output>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    let mut intake = Intake::default();
    let mut chunk = vec![0; HEAD_BYTES];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(Some(intake.finish())),
            Ok(length) => intake.write_all(&chunk[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_visits_every_variant_once() {
        let plan = Plan { seed: 7, variants: 5 };
        for number in 0..200 {
            let mut order = plan.round(number, false).order;
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_rounds_and_another_seed_others() {
        let orders = |seed| -> Vec<_> {
            (0..40).map(|number| Plan { seed, variants: 3 }.round(number, false)).collect()
        };
        assert_eq!(orders(1), orders(1));
        assert_ne!(orders(1), orders(2));
    }

    /// 24 orders of 4 variants in 24,000 rounds: Pearson's statistic has 23 degrees of freedom,
    /// and exceeds 49.7 once in a thousand seeds (chi-squared table).
    #[test]
    fn every_order_is_equally_likely() {
        let plan = Plan { seed: 3, variants: 4 };
        let mut counts = std::collections::HashMap::new();
        for number in 0..24_000 {
            *counts.entry(plan.round(number, false).order).or_insert(0_i32) += 1;
        }
        let chi_squared: f64 =
            counts.values().map(|&count| f64::from(count - 1000).powi(2) / 1000.0).sum();
        assert_eq!(counts.len(), 24);
        assert!(chi_squared < 49.7, "{chi_squared}");
    }

    /// The verdict's test needs the order of one round to say nothing about the next.
    #[test]
    fn successive_rounds_are_independent() {
        let plan = Plan { seed: 11, variants: 2 };
        let firsts: Vec<u32> = (0..10_000).map(|n| plan.round(n, false).order[0]).collect();
        let repeats = firsts.windows(2).filter(|pair| pair[0] == pair[1]).count();
        // Binomial(9999, 1/2): sd 50, five of them.
        assert!((4750..5250).contains(&repeats), "{repeats}");
    }

    #[test]
    fn a_round_without_some_keeps_the_order_of_the_others() {
        let plan = Plan { seed: 5, variants: 6 };
        let whole = plan.round(3, false);
        let mut part = whole.clone();
        part.keep(|variant| variant % 2 == 0);
        let expected: Vec<u32> = whole.order.iter().copied().filter(|v| v % 2 == 0).collect();
        assert_eq!(part.order, expected);
        for (variant, padding) in part.order.iter().zip(&part.padding) {
            let place = whole.order.iter().position(|v| v == variant).expect("it was there");
            assert_eq!(*padding, whole.padding[place]);
        }
    }

    #[test]
    fn warm_up_rounds_are_drawn_apart() {
        let plan = Plan { seed: 5, variants: 20 };
        assert_ne!(plan.round(0, true).order, plan.round(0, false).order);
    }

    #[test]
    fn padding_stays_within_a_page() {
        let plan = Plan { seed: 5, variants: 2 };
        let paddings: Vec<u16> = (0..500).flat_map(|n| plan.round(n, false).padding).collect();
        assert!(paddings.iter().all(|&bytes| bytes < 4096));
        assert!(paddings.iter().any(|&bytes| bytes > 3500));
    }

    fn taken_in(pieces: &[&[u8]]) -> Output {
        let mut intake = Intake::default();
        pieces.iter().for_each(|piece| intake.write_all(piece).expect("nothing can fail"));
        intake.finish()
    }

    #[test]
    fn the_hash_is_sha_256() {
        // FIPS 180-4's examples of no message and of one block.
        let known = [
            (&[][..], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                &[&b"a"[..], b"bc"],
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
        ];
        for (pieces, expected) in known {
            assert_eq!(taken_in(pieces).sha256, expected);
        }
        assert_eq!(taken_in(&[b"abc"]), taken_in(&[b"", b"ab", b"c"]));
    }

    #[test]
    fn of_a_long_output_the_beginning_is_kept() {
        let text: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
        for piece in [1000, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 200_000] {
            let pieces: Vec<&[u8]> = text.chunks(piece).collect();
            let output = taken_in(&pieces);
            assert_eq!(output.bytes, 200_000);
            assert!(output.head == text[..HEAD_BYTES], "in pieces of {piece}");
        }
    }

    #[test]
    fn only_an_ordinary_file_has_contents() {
        assert_eq!(output_of_file(Path::new("/dev/null")).ok(), Some(None));
        assert!(output_of_file(Path::new("/no/such/file")).is_err());
    }
}
