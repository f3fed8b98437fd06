//! The results of a benchmark's loops beyond its time: the spread between processes, whether it still
//! does its work, and whether the benchmarks that it is claimed to be made of add up to it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use stats::elision::{self, Evidence, Sized};
use stats::loops::{Intercept, Measurement, halves};
use stats::parts::{self, Finding, Part, Precision};
use stats::processes::{self, Components, RoundEffect};

use model::design::contrasts::Made;
use model::spec::suite::Seat;

/// The processes in which one benchmark was judged.
#[derive(Debug, Clone, Default)]
pub struct Processes {
    /// The time of an iteration in each round, in seconds.
    pub seconds: BTreeMap<u32, f64>,
    /// The measured loops of each process, if the harness reports them.
    pub loops: Vec<Vec<Measurement>>,
}

/// The time of a benchmark, with two intervals, in seconds per iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Level"))]
pub struct BenchmarkLevel {
    /// The program, by its index.
    pub program: usize,
    /// The benchmark, by its index in the suite.
    pub benchmark: usize,
    /// The pseudo-median of the processes.
    pub estimate: f64,
    /// The lower end of the interval that holds the limit for ever more processes.
    pub low: f64,
    /// The upper end of that interval.
    pub high: f64,
    /// The lower end of the interval that holds the estimate of another experiment of the same
    /// length.
    pub again_low: f64,
    /// The upper end of that interval.
    pub again_high: f64,
    /// The number of processes.
    pub processes: usize,
    /// The factor by which an interval is too narrow if it treats the measurements of one process
    /// as the sample; none if too few were reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrow_by: Option<f64>,
}

/// Evidence that a benchmark does not do its work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Idleness {
    /// An iteration takes very few processor cycles.
    FewCycles {
        /// The number of cycles.
        cycles: f64,
    },
    /// Long loops take no longer than short ones.
    IndependentOfIterations {
        /// The longest loop examined, in multiples of the shortest.
        times_longer: f64,
        /// The power of the number of iterations with which the time grows.
        power: f64,
    },
    /// It takes no longer than the same benchmark with a smaller input.
    IndependentOfSize {
        /// The benchmark with the smallest input, by its index in the suite.
        smallest: usize,
        /// The size of its own input, in multiples of the smallest.
        times_larger: f64,
        /// The power of the size with which the time grows.
        power: f64,
        /// The upper end of that power's interval.
        high: f64,
    },
}

/// A benchmark that may not do its work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Idle {
    /// The program, by its index.
    pub program: usize,
    /// The benchmark, by its index in the suite.
    pub benchmark: usize,
    /// The evidence.
    pub evidence: Idleness,
}

/// The common effect of each round on all benchmarks, from the rounds that all of them have.
pub fn round_effect<'a>(all: impl Iterator<Item = &'a Processes> + Clone) -> Option<RoundEffect> {
    let rounds = all.clone().map(|one| one.seconds.keys().copied().collect::<BTreeSet<u32>>());
    let shared = rounds.reduce(|shared, rounds| &shared & &rounds)?;
    let row = |one: &Processes| shared.iter().map(|round| one.seconds[round]).collect();
    RoundEffect::from_benchmarks(&all.map(row).collect::<Vec<Vec<f64>>>())
}

/// The time of the benchmark; `None` with fewer than two processes. `alpha` is the permitted error.
pub fn level(
    seat: Seat,
    processes: &Processes,
    effect: Option<&RoundEffect>,
    alpha: f64,
) -> Option<BenchmarkLevel> {
    let estimates: Vec<f64> = processes.seconds.values().copied().collect();
    let level = processes::level(&estimates, alpha).ok()?;
    let level = effect.map_or(level, |effect| level.with(effect, alpha));
    let of_halves: Option<Vec<(f64, f64)>> =
        processes.loops.iter().map(|loops| halves(loops, Intercept::suited_to(loops))).collect();
    let components = of_halves.and_then(|halves| Components::from_halves(&halves));
    Some(BenchmarkLevel {
        program: seat.program,
        benchmark: seat.benchmark,
        estimate: level.estimate,
        low: level.low,
        high: level.high,
        again_low: level.again_low,
        again_high: level.again_high,
        processes: level.processes,
        // If nothing varies within a process, the factor is meaningless.
        narrow_by: components.map(|parts| parts.narrow_by()).filter(|times| times.is_finite()),
    })
}

/// The benchmarks that may not do their work. `suite` has each with its name; `hertz` is the
/// nominal clock rate of the processor, if known.
pub fn idle(suite: &[(Seat, &str, &Processes)], hertz: Option<f64>) -> Vec<Idle> {
    let mut found = Vec::new();
    for (seat, _, processes) in suite {
        let seconds: Vec<f64> = processes.seconds.values().copied().collect();
        let middle = stats::describe::summarise(&seconds).map(|summary| summary.median);
        let few =
            middle.zip(hertz).and_then(|(seconds, hertz)| elision::few_cycles(seconds, hertz));
        let mut flat: Vec<Evidence> = processes
            .loops
            .iter()
            .filter_map(|loops| elision::independent_of_iterations(loops))
            .collect();
        // A single process may have been disturbed.
        let in_most = 2 * flat.len() > processes.loops.len();
        let evidence = few.or(flat.pop().filter(|_| in_most));
        found.extend(evidence.and_then(|evidence| Some(idle_of(*seat, idleness(evidence, None)?))));
    }
    found.extend(families(suite).into_iter().filter_map(|family| of_family(&family)));
    found
}

fn idle_of(seat: Seat, evidence: Idleness) -> Idle {
    Idle { program: seat.program, benchmark: seat.benchmark, evidence }
}

fn idleness(evidence: Evidence, smallest: Option<usize>) -> Option<Idleness> {
    Some(match evidence {
        Evidence::FewCycles { cycles } => Idleness::FewCycles { cycles },
        Evidence::IndependentOfIterations { times_longer, power } => {
            Idleness::IndependentOfIterations { times_longer, power }
        }
        Evidence::IndependentOfSize { times_larger, power, high } => {
            Idleness::IndependentOfSize { smallest: smallest?, times_larger, power, high }
        }
    })
}

/// Benchmarks of one program whose names differ only in the last number, such as `sort/100` and
/// `sort/10000`.
type Family<'a> = Vec<(f64, Seat, &'a Processes)>;

fn families<'a>(suite: &[(Seat, &str, &'a Processes)]) -> Vec<Family<'a>> {
    let mut by_name: BTreeMap<(usize, String, String), Family<'a>> = BTreeMap::new();
    for (seat, name, processes) in suite {
        let Some((before, size, behind)) = last_number(name) else { continue };
        let key = (seat.program, before.to_owned(), behind.to_owned());
        by_name.entry(key).or_default().push((size, *seat, processes));
    }
    by_name.into_values().filter(|family| family.len() > 1 && !are_numbered(family)).collect()
}

/// True if the numbers only count the benchmarks: 1, 2, 3 and so on.
fn are_numbered(family: &Family<'_>) -> bool {
    let mut numbers: Vec<f64> = family.iter().map(|(number, ..)| *number).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.windows(2).all(|pair| (pair[1] - pair[0] - 1.0).abs() < 0.5)
}

/// The last whole number in a name, above 0, with the text before and after it.
fn last_number(name: &str) -> Option<(&str, f64, &str)> {
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit());
    let start = start.map_or(0, |at| at + name[at..].chars().next().map_or(1, char::len_utf8));
    let size: f64 = name[start..end].parse().ok()?;
    (size > 0.0).then_some((&name[..start], size, &name[end..]))
}

/// The largest of a family, if its members take no longer for being larger.
fn of_family(family: &Family<'_>) -> Option<Idle> {
    let has_all = |round: &u32| family.iter().all(|(.., one)| one.seconds.contains_key(round));
    let rounds: Vec<u32> = family[0].2.seconds.keys().copied().filter(has_all).collect();
    let sized = |(size, _, one): &(f64, Seat, &Processes)| Sized {
        size: *size,
        per_iteration: rounds.iter().map(|round| one.seconds[round]).collect(),
    };
    let sizes: Vec<Sized> = family.iter().map(sized).collect();
    let evidence = elision::independent_of_size(&sizes)?;
    let by_size = |a: &&(f64, Seat, &Processes), b: &&(f64, Seat, &Processes)| a.0.total_cmp(&b.0);
    let (smallest, largest) = (family.iter().min_by(by_size)?, family.iter().max_by(by_size)?);
    Some(idle_of(largest.1, idleness(evidence, Some(smallest.1.benchmark))?))
}

// Benchmarks claimed to be made of others, judged against these.

/// The relative difference from the whole up to which a sum does not contradict it: calls and loops
/// cost something, and a part by itself finds its data elsewhere.
pub const PARTS_MARGIN: f64 = 0.05;

/// The outcome of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Outcome"))]
#[serde(rename_all = "lowercase")]
pub enum PartsOutcome {
    /// The parts contradict the whole.
    Contradiction,
    /// The parts agree with the whole.
    Agreement,
    /// The interval leaves both open.
    Undecided,
}

/// The sum of the parts against the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct PartsAgainstWhole {
    /// The program, by its index.
    pub program: usize,
    /// The claim, as typed.
    pub claim: String,
    /// The whole, by its index in the suite.
    pub whole: usize,
    /// The time of the parts together, in multiples of the whole.
    pub ratio: f64,
    /// The lower end of the ratio's interval.
    pub low: f64,
    /// The upper end of the ratio's interval.
    pub high: f64,
    /// The number of rounds it is based on.
    pub rounds: usize,
    /// The outcome.
    pub outcome: PartsOutcome,
}

/// Judges a claim; `seconds` are the times of each benchmark of the program in each round, by its
/// index in the suite. `None` with fewer than two rounds with the whole and all parts. `alpha` is
/// the permitted error.
pub fn judge_parts(
    program: usize,
    made: &Made,
    seconds: &BTreeMap<usize, BTreeMap<u32, f64>>,
    alpha: f64,
) -> Option<PartsAgainstWhole> {
    let whole = seconds.get(&made.whole)?;
    let of_parts: Vec<(f64, &BTreeMap<u32, f64>)> = made
        .parts
        .iter()
        .map(|(times, part)| Some((*times, seconds.get(part)?)))
        .collect::<Option<_>>()?;
    let has_all = |round: &&u32| of_parts.iter().all(|(_, part)| part.contains_key(round));
    let rounds: Vec<u32> = whole.keys().filter(has_all).copied().collect();
    let in_rounds = |of: &BTreeMap<u32, f64>| rounds.iter().map(|round| of[round]).collect();
    let parts: Vec<Part> = of_parts
        .into_iter()
        .map(|(times, part)| Part { times, estimates: in_rounds(part) })
        .collect();
    let whole: Vec<f64> = in_rounds(whole);
    let precision = Precision { alpha, margin: PARTS_MARGIN };
    let found = parts::parts_against_whole(&whole, &parts, made.claim, precision).ok()?;
    Some(PartsAgainstWhole {
        program,
        claim: made.text.clone(),
        whole: made.whole,
        ratio: found.ratio,
        low: found.low,
        high: found.high,
        rounds: found.rounds,
        outcome: match found.finding {
            Finding::Contradiction => PartsOutcome::Contradiction,
            Finding::Agreement => PartsOutcome::Agreement,
            Finding::Undecided => PartsOutcome::Undecided,
        },
    })
}

#[cfg(test)]
mod tests {
    use stats::parts::Claim;

    use super::*;

    fn seat(benchmark: usize) -> Seat {
        Seat { program: 0, benchmark }
    }

    fn processes(seconds: impl Fn(u32) -> f64, loops: Vec<Vec<Measurement>>) -> Processes {
        Processes { seconds: (0..10).map(|round| (round, seconds(round))).collect(), loops }
    }

    fn of_length(iterations: u64, total: f64) -> Measurement {
        Measurement { iterations, total }
    }

    #[test]
    fn processes_that_differ_more_than_their_loops_make_one_of_them_too_narrow() {
        // 0.1 % within a process, 5 % between processes.
        let loops = |round: u32| {
            let one = |n: u32| {
                of_length(100, (1.0 + f64::from(round) * 0.01) * (1.0 + f64::from(n % 2) * 1e-3))
            };
            (0..20).map(one).collect()
        };
        let of =
            processes(|round| 0.01 * (1.0 + f64::from(round) * 0.01), (0..10).map(loops).collect());
        let level = level(seat(0), &of, None, 0.05).expect("ten processes");
        assert!(level.low < level.estimate && level.estimate < level.high);
        assert!(level.again_low < level.low && level.high < level.again_high);
        assert!(level.narrow_by.is_some_and(|times| times > 10.0), "{level:?}");
        assert_eq!(super::level(seat(0), &Processes::default(), None, 0.05), None);
    }

    /// Both benchmarks are slower in the later rounds; the second one ended after eight.
    #[test]
    fn what_all_benchmarks_do_in_a_round_widens_the_interval_for_another_experiment() {
        let state = |round: u32| 1.0 + 0.05 * f64::from(round / 4);
        let one = processes(|round| 1e-3 * state(round), Vec::new());
        let mut other = processes(
            |round| 2e-6 * state(round) * (1.0 + 0.01 * f64::from(round % 2)),
            Vec::new(),
        );
        other.seconds.retain(|round, _| *round < 8);
        let effect = round_effect([&one, &other].into_iter()).expect("eight rounds");
        assert_eq!(effect.rounds, 8);
        assert!(effect.variance > 0.0);
        let [alone, with] = [None, Some(&effect)]
            .map(|effect| level(seat(0), &one, effect, 0.05).expect("ten processes"));
        assert!(with.again_high > alone.again_high && with.again_low < alone.again_low);
        assert_eq!((with.low, with.high), (alone.low, alone.high));
        assert_eq!(
            round_effect([&one].into_iter()),
            None,
            "one has nothing in common with another"
        );
        assert_eq!(round_effect(std::iter::empty()), None);
    }

    #[test]
    fn an_iteration_of_few_cycles_and_loops_that_all_take_the_same_are_suspicious() {
        let quick = processes(|_| 0.5e-9, Vec::new());
        let found = idle(&[(seat(0), "a", &quick)], Some(2e9));
        assert_eq!(found[0].evidence, Idleness::FewCycles { cycles: 1.0 });
        assert_eq!(idle(&[(seat(0), "a", &quick)], None), [], "how fast it is nobody knows");
        let flat = || (0..10).map(|n| of_length(1 << n, 1e-6)).collect::<Vec<_>>();
        let honest = || (0..10).map(|n| of_length(1 << n, 1e-6 * f64::from(1 << n))).collect();
        let suspicious = processes(|_| 1e-8, vec![flat(), flat(), honest()]);
        let found = idle(&[(seat(0), "a", &suspicious)], Some(2e9));
        assert!(matches!(found[0].evidence, Idleness::IndependentOfIterations { .. }), "{found:?}");
        let disturbed = processes(|_| 1e-8, vec![flat(), honest(), honest()]);
        assert_eq!(idle(&[(seat(0), "a", &disturbed)], Some(2e9)), []);
    }

    #[test]
    fn a_larger_input_that_takes_no_longer_is_suspicious() {
        let noise = |round: u32| 1.0 + f64::from(round % 3) * 1e-3;
        let same = processes(|round| 1e-6 * noise(round), Vec::new());
        let larger = processes(|round| 1e-4 * noise(round), Vec::new());
        let of = |names: [&'static str; 2], second| {
            let [small, large] = names;
            idle(&[(seat(0), small, &same), (seat(1), large, second)], None)
        };
        let found = of(["copy/100 x", "copy/10000 x"], &same);
        let [Idle { benchmark: 1, evidence, .. }] = found.as_slice() else { panic!("{found:?}") };
        let Idleness::IndependentOfSize { smallest: 0, times_larger, .. } = evidence else {
            panic!("{evidence:?}")
        };
        assert!((times_larger - 100.0).abs() < 1e-9);
        assert_eq!(of(["copy/100", "copy/10000"], &larger), []);
        assert_eq!(of(["copy/100", "read/10000"], &same), [], "these are no family");
        assert_eq!(of(["copy/100", "copy/200"], &same), [], "twice is not enough to tell");
    }

    #[test]
    fn benchmarks_that_are_only_counted_have_no_sizes() {
        let same = processes(|round| 1e-6 * (1.0 + f64::from(round % 3) * 1e-3), Vec::new());
        let of = |names: &[&'static str]| {
            let suite: Vec<_> =
                names.iter().enumerate().map(|(at, name)| (seat(at), *name, &same)).collect();
            idle(&suite, None).len()
        };
        let counted =
            ["copy 1", "copy 2", "copy 3", "copy 4", "copy 5", "copy 6", "copy 7", "copy 8"];
        assert_eq!(of(&counted), 0);
        assert_eq!(of(&["copy 1", "copy 8"]), 1, "these are not counted");
    }

    #[test]
    fn the_last_number_of_a_name_is_its_size() {
        assert_eq!(last_number("fib/30"), Some(("fib/", 30.0, "")));
        assert_eq!(last_number("2d/grün8192 ü"), Some(("2d/grün", 8192.0, " ü")));
        assert_eq!(last_number("7"), Some(("", 7.0, "")));
        assert_eq!(last_number("zero/0"), None);
        assert_eq!(last_number("none"), None);
    }

    fn made(claim: Claim) -> Made {
        Made { text: "whole = 6 * step".to_owned(), whole: 0, claim, parts: vec![(6.0, 1)] }
    }

    fn seconds_of_parts(whole: f64, step: f64) -> BTreeMap<usize, BTreeMap<u32, f64>> {
        let of =
            |base: f64| (0..10).map(move |round| (round, base * (1.0 + f64::from(round) * 1e-4)));
        [(0, of(whole).collect()), (1, of(step).collect())].into()
    }

    #[test]
    fn six_steps_that_take_longer_than_the_whole_contradict_it() {
        let outcome = |claim, whole, step| {
            let judged = judge_parts(0, &made(claim), &seconds_of_parts(whole, step), 0.05)
                .expect("ten rounds");
            (judged.outcome, (judged.ratio * 100.0).round() / 100.0)
        };
        assert_eq!(outcome(Claim::Sum, 6.0, 1.0), (PartsOutcome::Agreement, 1.0));
        assert_eq!(outcome(Claim::Sum, 6.0, 2.6), (PartsOutcome::Contradiction, 2.6));
        assert_eq!(outcome(Claim::Sum, 12.0, 1.0), (PartsOutcome::Contradiction, 0.5));
        assert_eq!(outcome(Claim::AtLeastSum, 12.0, 1.0), (PartsOutcome::Agreement, 0.5));
    }

    #[test]
    fn only_rounds_with_all_of_them_count() {
        let mut some = seconds_of_parts(6.0, 1.0);
        some.get_mut(&1).expect("the step").retain(|round, _| *round < 3);
        assert_eq!(judge_parts(0, &made(Claim::Sum), &some, 0.05).map(|one| one.rounds), Some(3));
        some.remove(&1);
        assert_eq!(judge_parts(0, &made(Claim::Sum), &some, 0.05), None);
    }
}
