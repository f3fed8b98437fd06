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
use crate::task::Outcome;
use crate::wire::{Malformed, Reader, Writer};

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
pub(crate) fn encode_record(run: &FinishedRun, out: &mut Writer) {
    out.clear();
    out.u32(0);
    out.u64(0);
    encode_run(run, out);
    let (header, body) = out.as_mut_slice().split_at_mut(HEADER_BYTES);
    let length = u32::try_from(body.len()).expect("a run with its two tails is below 4 GiB");
    header[..4].copy_from_slice(&length.to_le_bytes());
    header[4..].copy_from_slice(&checksum(body).to_le_bytes());
}

fn decode_record(bytes: &[u8]) -> Result<(FinishedRun, &[u8]), Malformed> {
    let mut header = Reader::new(bytes);
    let length = header.u32()? as usize;
    let expected = header.u64()?;
    let body = bytes[HEADER_BYTES..].get(..length).ok_or(Malformed)?;
    if checksum(body) != expected {
        return Err(Malformed);
    }
    let mut reader = Reader::new(body);
    let run = decode_run(&mut reader)?;
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

fn encode_run(run: &FinishedRun, out: &mut Writer) {
    out.u8(VERSION);
    out.u64(run.tag);
    out.u64(run.started_unix_ns);
    run.outcome.encode(out);
    encode_readings(&run.raw, out);
    out.bytes(&run.stderr_tail);
    out.bytes(&run.stdout_tail);
    out.u32(run.left_behind);
    out.bool(run.discards_children);
    encode_result(&run.memory, out, |samples, out| {
        out.count(samples.len());
        for sample in samples {
            out.u64(sample.at.0);
            out.u64(sample.resident.0);
        }
    });
    encode_result(&run.stack_start, out, |start, out| out.u64(start.0));
}

fn decode_run(from: &mut Reader<'_>) -> Result<FinishedRun, Malformed> {
    if from.u8()? != VERSION {
        return Err(Malformed);
    }
    Ok(FinishedRun {
        tag: from.u64()?,
        started_unix_ns: from.u64()?,
        outcome: Outcome::decode(from)?,
        raw: decode_readings(from)?,
        stderr_tail: from.bytes()?.to_vec(),
        stdout_tail: from.bytes()?.to_vec(),
        left_behind: from.u32()?,
        discards_children: from.bool()?,
        memory: decode_result(from, decode_memory)?,
        stack_start: decode_result(from, |from| from.u64().map(Address))?,
    })
}

fn decode_copies(from: &mut Reader<'_>) -> Result<Copies, Malformed> {
    Ok(Copies { count: from.u32()?, latency: Nanoseconds(from.u64()?), decisive: from.u32()? })
}

fn decode_memory(from: &mut Reader<'_>) -> Result<Vec<MemorySample>, Malformed> {
    let count = from.count()?;
    let sample = |from: &mut Reader<'_>| {
        Ok(MemorySample { at: Nanoseconds(from.u64()?), resident: Bytes(from.u64()?) })
    };
    (0..count).map(|_| sample(from)).collect()
}

fn encode_readings(raw: &RawReadings, out: &mut Writer) {
    out.u64(raw.wall.0);
    out.u64(raw.user.0);
    out.u64(raw.system.0);
    out.u64(raw.cpu.0);
    encode_result(&raw.cpu_wait, out, |wait, out| out.u64(wait.0));
    out.u64(raw.peak_rss.bytes.0);
    out.u64(raw.peak_rss.floor.0);
    encode_result(&raw.tree_peak, out, |peak, out| out.u64(peak.0));
    out.u64(raw.minor_faults);
    out.u64(raw.major_faults);
    out.u64(raw.voluntary_switches);
    out.u64(raw.involuntary_switches);
    out.u64(raw.block_reads_512_bytes);
    out.u64(raw.block_writes_512_bytes);
    out.u8(match raw.counters.kernel {
        None => 0,
        Some(Kernel::Included) => 1,
        Some(Kernel::Excluded) => 2,
    });
    for count in &raw.counters.counts {
        encode_result(count, out, |count, out| {
            out.u64(count.value);
            out.u16(count.running_permille);
        });
    }
    encode_result(&raw.energy, out, |energy, out| out.u64(energy.0));
    out.bool(raw.copies.is_some());
    if let Some(copies) = raw.copies {
        out.u32(copies.count);
        out.u64(copies.latency.0);
        out.u32(copies.decisive);
    }
}

fn decode_readings(from: &mut Reader<'_>) -> Result<RawReadings, Malformed> {
    Ok(RawReadings {
        wall: Nanoseconds(from.u64()?),
        user: Microseconds(from.u64()?),
        system: Microseconds(from.u64()?),
        cpu: Microseconds(from.u64()?),
        cpu_wait: decode_result(from, |from| from.u64().map(Nanoseconds))?,
        peak_rss: PeakRss { bytes: Bytes(from.u64()?), floor: Bytes(from.u64()?) },
        tree_peak: decode_result(from, |from| from.u64().map(Bytes))?,
        minor_faults: from.u64()?,
        major_faults: from.u64()?,
        voluntary_switches: from.u64()?,
        involuntary_switches: from.u64()?,
        block_reads_512_bytes: from.u64()?,
        block_writes_512_bytes: from.u64()?,
        counters: decode_counters(from)?,
        energy: decode_result(from, |from| from.u64().map(Microjoules))?,
        copies: from.bool()?.then(|| decode_copies(from)).transpose()?,
    })
}

fn decode_counters(from: &mut Reader<'_>) -> Result<Counters, Malformed> {
    let kernel = match from.u8()? {
        0 => None,
        1 => Some(Kernel::Included),
        2 => Some(Kernel::Excluded),
        _ => return Err(Malformed),
    };
    let mut counters = Counters::none(&Missing::NotRequested);
    counters.kernel = kernel;
    for count in &mut counters.counts {
        *count = decode_result(from, |from| {
            Ok(Count { value: from.u64()?, running_permille: from.u16()? })
        })?;
    }
    Ok(counters)
}

fn encode_result<T>(
    reading: &Result<T, Missing>,
    out: &mut Writer,
    encode: impl FnOnce(&T, &mut Writer),
) {
    match reading {
        Ok(value) => {
            out.bool(true);
            encode(value, out);
        }
        Err(missing) => {
            out.bool(false);
            missing.encode(out);
        }
    }
}

fn decode_result<'a, T>(
    from: &mut Reader<'a>,
    decode: impl FnOnce(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Result<T, Missing>, Malformed> {
    if from.bool()? { decode(from).map(Ok) } else { Missing::decode(from).map(Err) }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let mut record = Writer::default();
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
