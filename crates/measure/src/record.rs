//! A finished run as bytes, and many of them as a journal.
//!
//! A record is a length, a checksum and the run. The launcher appends each record with one `write`,
//! so if a process is killed, at most the last record is torn; [`read_journal`] then keeps the
//! records before it.

use crate::looks::MemorySample;
use crate::readings::{
    Address, Bytes, Copies, Count, Counters, FinishedRun, Kernel, Microjoules, Microseconds,
    Missing, Nanoseconds, PeakRss, RawReadings,
};
use crate::wire::{Item, Malformed, Reader, Wire, wire_struct};

/// The first byte of every run; identifies the format.
const VERSION: u8 = 1;

/// Bytes before the run itself: a length (4) and a checksum (8).
const HEADER_BYTES: usize = 12;

/// The end of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// The last record is complete.
    Clean,
    /// The last bytes are not a complete record.
    Torn {
        /// The number of bytes ignored at the end.
        ignored_bytes: usize,
    },
}

/// The runs of a journal up to the first record that is incomplete or damaged.
pub fn read_journal(bytes: &[u8]) -> (Vec<FinishedRun>, Tail) {
    let mut runs = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let Ok((run, after)) = decode_record(rest) else {
            return (runs, Tail::Torn { ignored_bytes: rest.len() });
        };
        runs.push(run);
        rest = after;
    }
    (runs, Tail::Clean)
}

/// Replaces the content of `out` by one record.
pub(crate) fn encode_record(run: &FinishedRun, out: &mut Vec<u8>) {
    out.clear();
    0_u32.encode(out);
    0_u64.encode(out);
    out.push(VERSION);
    run.encode(out);
    let (header, body) = out.as_mut_slice().split_at_mut(HEADER_BYTES);
    let length = u32::try_from(body.len()).expect("a run with its two tails is below 4 GiB");
    header[..4].copy_from_slice(&length.to_le_bytes());
    header[4..].copy_from_slice(&checksum(body).to_le_bytes());
}

fn decode_record(bytes: &[u8]) -> Result<(FinishedRun, &[u8]), Malformed> {
    let mut header = Reader::new(bytes);
    let length = usize::decode(&mut header)?;
    let expected = u64::decode(&mut header)?;
    let body = bytes[HEADER_BYTES..].get(..length).ok_or(Malformed)?;
    if checksum(body) != expected {
        return Err(Malformed);
    }
    let mut reader = Reader::new(body);
    if u8::decode(&mut reader)? != VERSION {
        return Err(Malformed);
    }
    let run = FinishedRun::decode(&mut reader)?;
    if !reader.is_empty() {
        return Err(Malformed);
    }
    Ok((run, &bytes[HEADER_BYTES + length..]))
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo): detects torn records. It does not protect against tampering.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

wire_struct!(FinishedRun {
    tag,
    started_unix_ns,
    outcome,
    raw,
    stderr_tail,
    stdout_tail,
    left_behind,
    discards_children,
    memory,
    stack_start,
});
wire_struct!(RawReadings {
    wall,
    user,
    system,
    cpu,
    cpu_wait,
    peak_rss,
    tree_peak,
    minor_faults,
    major_faults,
    voluntary_switches,
    involuntary_switches,
    block_reads_512_bytes,
    block_writes_512_bytes,
    counters,
    energy,
    copies,
});
wire_struct!(PeakRss { bytes, floor });
wire_struct!(Copies { count, latency, decisive });
wire_struct!(Count { value, running_permille });
wire_struct!(MemorySample { at, resident });
wire_struct!(Nanoseconds { 0 });
wire_struct!(Microseconds { 0 });
wire_struct!(Microjoules { 0 });
wire_struct!(Bytes { 0 });
wire_struct!(Address { 0 });

impl Item for MemorySample {}

impl Wire for Counters {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(match self.kernel {
            None => 0,
            Some(Kernel::Included) => 1,
            Some(Kernel::Excluded) => 2,
        });
        self.counts.iter().for_each(|count| count.encode(out));
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let kernel = match u8::decode(from)? {
            0 => None,
            1 => Some(Kernel::Included),
            2 => Some(Kernel::Excluded),
            _ => return Err(Malformed),
        };
        let mut counters = Self { kernel, ..Self::none(&Missing::NotRequested) };
        for count in &mut counters.counts {
            *count = Wire::decode(from)?;
        }
        Ok(counters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Outcome;
    use proptest::prelude::*;

    fn missing() -> impl Strategy<Value = Missing> {
        prop_oneof![
            Just(Missing::NotRequested),
            Just(Missing::NoHardwareCounters),
            (any::<i32>(), any::<Option<i32>>())
                .prop_map(|(errno, paranoid)| Missing::CountersForbidden { errno, paranoid }),
            any::<i32>().prop_map(|errno| Missing::CounterFailed { errno }),
            any::<u8>().prop_map(|running_percent| Missing::Multiplexed { running_percent }),
            Just(Missing::NeverCounted),
            Just(Missing::NeverSampled),
            Just(Missing::StackUnseen),
            Just(Missing::SeveralCopies),
            Just(Missing::CpuTimeElsewhere),
            Just(Missing::NoSchedstat),
            Just(Missing::NoMemoryController),
            Just(Missing::NoEnergyCounters),
            Just(Missing::EnergyForbidden),
            Just(Missing::ShorterThanEnergyCounts),
            any::<u64>().prop_map(|after_seconds| Missing::EnergyWrapped { after_seconds }),
            any::<i32>().prop_map(|errno| Missing::CgroupFailed { errno }),
            ".*".prop_map(|path| Missing::NoFile { path: path.into() }),
            (".*", any::<i32>())
                .prop_map(|(path, errno)| Missing::Unreadable { path: path.into(), errno }),
            ".*".prop_map(|path| Missing::NotUnderstood { path: path.into() }),
        ]
    }

    fn reading<T: std::fmt::Debug>(
        value: impl Strategy<Value = T>,
    ) -> impl Strategy<Value = Result<T, Missing>> {
        prop_oneof![value.prop_map(Ok), missing().prop_map(Err)]
    }

    fn counters() -> impl Strategy<Value = Counters> {
        let count = || {
            reading(
                (any::<u64>(), 0..=1000_u16)
                    .prop_map(|(value, running_permille)| Count { value, running_permille }),
            )
        };
        let kernel =
            prop_oneof![Just(None), Just(Some(Kernel::Included)), Just(Some(Kernel::Excluded))];
        ([count(), count(), count(), count(), count()], kernel)
            .prop_map(|(counts, kernel)| Counters { counts, kernel })
    }

    fn readings() -> impl Strategy<Value = RawReadings> {
        (
            any::<[u64; 12]>(),
            reading(any::<u64>().prop_map(Nanoseconds)),
            reading(any::<u64>().prop_map(Bytes)),
            counters(),
            reading(any::<u64>().prop_map(Microjoules)),
            any::<Option<(u32, u64, u32)>>(),
        )
            .prop_map(|(numbers, cpu_wait, tree_peak, counters, energy, copies)| {
                RawReadings {
                    wall: Nanoseconds(numbers[0]),
                    user: Microseconds(numbers[1]),
                    system: Microseconds(numbers[2]),
                    cpu: Microseconds(numbers[3]),
                    cpu_wait,
                    peak_rss: PeakRss { bytes: Bytes(numbers[4]), floor: Bytes(numbers[5]) },
                    tree_peak,
                    minor_faults: numbers[6],
                    major_faults: numbers[7],
                    voluntary_switches: numbers[8],
                    involuntary_switches: numbers[9],
                    block_reads_512_bytes: numbers[10],
                    block_writes_512_bytes: numbers[11],
                    counters,
                    energy,
                    copies: copies.map(|(count, latency, decisive)| Copies {
                        count,
                        latency: Nanoseconds(latency),
                        decisive,
                    }),
                }
            })
    }

    fn run() -> impl Strategy<Value = FinishedRun> {
        let outcome = prop_oneof![
            any::<i32>().prop_map(Outcome::Exited),
            any::<i32>().prop_map(Outcome::Signalled),
            Just(Outcome::TimedOut)
        ];
        let text = || prop::collection::vec(any::<u8>(), 0..200);
        let sample = any::<(u64, u64)>().prop_map(|(at, resident)| MemorySample {
            at: Nanoseconds(at),
            resident: Bytes(resident),
        });
        let memory = reading(prop::collection::vec(sample, 0..20));
        let stack_start = reading(any::<u64>().prop_map(Address));
        let late = (memory, stack_start);
        (any::<(u64, u64, u32, bool)>(), outcome, readings(), text(), text(), late).prop_map(
            |(
                (tag, started_unix_ns, left_behind, discards_children),
                outcome,
                raw,
                stderr_tail,
                stdout_tail,
                (memory, stack_start),
            )| {
                FinishedRun {
                    tag,
                    started_unix_ns,
                    outcome,
                    raw,
                    stderr_tail,
                    stdout_tail,
                    left_behind,
                    discards_children,
                    memory,
                    stack_start,
                }
            },
        )
    }

    /// The journal of these runs, and the end of each record in it.
    fn journal(runs: &[FinishedRun]) -> (Vec<u8>, Vec<usize>) {
        let mut record = Vec::new();
        let mut bytes = Vec::new();
        let ends = runs.iter().map(|run| {
            encode_record(run, &mut record);
            bytes.extend_from_slice(record.as_slice());
            bytes.len()
        });
        let ends = ends.collect();
        (bytes, ends)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(runs in prop::collection::vec(run(), 0..5)) {
            let (bytes, _) = journal(&runs);
            prop_assert_eq!(read_journal(&bytes), (runs, Tail::Clean));
        }

        #[test]
        fn wherever_a_journal_is_torn_the_runs_before_it_are_read(
            runs in prop::collection::vec(run(), 1..4),
            cut in any::<prop::sample::Index>(),
        ) {
            let (bytes, ends) = journal(&runs);
            let cut = cut.index(bytes.len());
            let (read, tail) = read_journal(&bytes[..cut]);
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            prop_assert_eq!(&read, &runs[..whole]);
            let ignored_bytes = cut - whole.checked_sub(1).map_or(0, |last| ends[last]);
            let expected =
                if ignored_bytes == 0 { Tail::Clean } else { Tail::Torn { ignored_bytes } };
            prop_assert_eq!(tail, expected);
        }

        #[test]
        fn a_flipped_bit_is_noticed(run in run(), place in any::<prop::sample::Index>(), bit in 0..8_u32) {
            let (mut bytes, _) = journal(std::slice::from_ref(&run));
            let place = place.index(bytes.len());
            bytes[place] ^= 1_u8 << bit;
            let (runs, tail) = read_journal(&bytes);
            prop_assert!(runs.is_empty());
            prop_assert_eq!(tail, Tail::Torn { ignored_bytes: bytes.len() });
        }

        #[test]
        fn arbitrary_bytes_are_no_journal_and_do_no_harm(
            bytes in prop::collection::vec(any::<u8>(), 1..300),
        ) {
            prop_assert_eq!(read_journal(&bytes).0, vec![]);
        }
    }
}
