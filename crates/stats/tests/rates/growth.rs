//! The rates at which constant memory is called a leak, and a leak is found.

use std::collections::BTreeMap;
use std::sync::Mutex;

use stats::growth::{Reason, Verdict, growth};

use crate::noise::{Chance, rate, standard_error};

const RUNS: u64 = 600;

/// The movement of a program's memory without leaks. Levels are fractions of the memory that
/// remains.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Heap {
    /// Collected this number of times at equal distances, down to a bottom that varies by 1 %.
    Regular(usize),
    /// Collected at distances that vary threefold.
    Irregular(usize),
    /// Collected at any moment, however little there is: heights are exponential.
    AnyTime(usize),
    /// Small collections that leave some garbage, and a full one every sixth time.
    Generations(usize),
    /// Teeth of 5 % on a large constant level.
    Shallow(usize),
    /// No collections; blocks come and go and are remembered for ten samples.
    Manual,
    /// Child processes that come and go add half of the level at any moment.
    Children,
    /// Constant memory.
    Still,
}

const HEAPS: [Heap; 14] = [
    Heap::Regular(2),
    Heap::Regular(4),
    Heap::Regular(8),
    Heap::Regular(15),
    Heap::Regular(50),
    Heap::Irregular(10),
    Heap::Irregular(40),
    Heap::AnyTime(30),
    Heap::AnyTime(100),
    Heap::Generations(90),
    Heap::Shallow(20),
    Heap::Manual,
    Heap::Children,
    Heap::Still,
];

/// The garbage in memory over a run of 1, at most `samples` times, and the variation of the bottom.
fn garbage(heap: Heap, samples: usize, chance: &mut Chance) -> Vec<f64> {
    let mut values = Vec::with_capacity(samples);
    let step = |teeth: usize| teeth as f64 / samples as f64;
    let (mut amount, mut limit, mut bottom, mut count) = (0.0, 1.0, 0.0, 0_usize);
    let mut memory = 0.0;
    for _ in 0..samples {
        match heap {
            Heap::Still => {}
            Heap::Manual => memory = 0.9 * memory + 0.01 * chance.normal(),
            Heap::Children => memory = if chance.uniform() < 0.3 { 0.5 } else { 0.0 },
            Heap::Regular(teeth)
            | Heap::Irregular(teeth)
            | Heap::AnyTime(teeth)
            | Heap::Generations(teeth)
            | Heap::Shallow(teeth) => {
                amount += step(teeth);
                let is_due = match heap {
                    Heap::AnyTime(_) => chance.uniform() < step(teeth),
                    _ => amount >= limit,
                };
                if is_due {
                    count += 1;
                    let is_small = matches!(heap, Heap::Generations(_)) && count % 6 != 0;
                    let kept = if is_small { bottom + 0.15 } else { 0.0 };
                    (amount, bottom) = (0.0, kept + 0.01 * chance.normal());
                    if matches!(heap, Heap::Irregular(_)) {
                        limit = 0.5 + chance.uniform();
                    }
                }
                let height = if matches!(heap, Heap::Shallow(_)) { 0.05 } else { 0.8 };
                memory = bottom + height * amount;
            }
        }
        values.push(memory);
    }
    values
}

/// A run of 10 seconds: a start-up of up to a tenth of it, then the memory that remains, which
/// grows by the fraction `leak`, with the garbage on top, in bytes rounded to pages.
fn run(heap: Heap, leak: f64, samples: usize, chance: &mut Chance) -> (Vec<f64>, Vec<f64>) {
    let start = 0.02 + 0.08 * chance.uniform();
    let garbage = garbage(heap, samples, chance);
    let level = 1e7 * (1.0 + 9.0 * chance.uniform());
    let at = |index: usize| (index as f64 + 0.5) / samples as f64;
    let value = |index: usize| {
        let time = at(index);
        let part = if time < start { time / start } else { 1.0 + leak * (time - start) };
        (level * (part + garbage[index] * part.min(1.0)) / 4096.0).round().max(1.0) * 4096.0
    };
    ((0..samples).map(|i| 10.0 * at(i)).collect(), (0..samples).map(value).collect())
}

fn verdict(heap: Heap, leak: f64, samples: usize, chance: &mut Chance) -> Verdict {
    let (times, values) = run(heap, leak, samples, chance);
    growth(&times, &values).expect("a series").verdict
}

/// One word for each verdict, for counting.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Constant(_) => "constant",
        Verdict::Proportional(slope) if slope.estimate > 0.0 => "leak",
        Verdict::Proportional(_) => "falls",
        Verdict::Steps(_) => "steps",
        Verdict::Undecided(Reason::FewSamples { .. }) => "few samples",
        Verdict::Undecided(Reason::FewFalls { .. }) => "few falls",
        Verdict::Undecided(Reason::LateGrowth { .. }) => "late growth",
        Verdict::Undecided(Reason::Uneven(_)) => "uneven",
        Verdict::Undecided(Reason::Imprecise(_)) => "imprecise",
    }
}

/// The fraction of the runs with each verdict; the runs are the same each time.
fn verdicts(
    samples: usize,
    verdict: impl Fn(&mut Chance) -> Verdict + Sync,
) -> BTreeMap<&'static str, f64> {
    let words = Mutex::new(BTreeMap::new());
    rate(RUNS, samples as u64, |chance| {
        let word = word(&verdict(chance));
        *words.lock().expect("nobody panics with it").entry(word).or_insert(0.0) +=
            1.0 / RUNS as f64;
        false
    });
    words.into_inner().expect("nobody panics with it")
}

fn show(about: &str, heap: Heap, samples: usize, verdicts: &BTreeMap<&str, f64>) {
    let share = |(word, share): (&&str, &f64)| format!("{word} {:.1} %", 100.0 * share);
    let shares: Vec<String> = verdicts.iter().map(share).collect();
    println!("{about}, {heap:?}, n={samples}: {}", shares.join(", "));
}

/// At most 5 % is promised.
#[test]
fn memory_that_stays_is_seldom_called_a_leak() {
    for heap in HEAPS {
        for samples in [200, 1000] {
            let found = verdicts(samples, |chance| verdict(heap, 0.0, samples, chance));
            show("stays", heap, samples, &found);
            let wrong = found.get("leak").copied().unwrap_or(0.0);
            assert!(
                wrong <= 0.05 + 3.0 * standard_error(0.05, RUNS),
                "{heap:?} {samples}: {wrong}"
            );
        }
    }
}

/// The minimum rate at which a leak of a fifth of the level is found: 95 % for heaps that are
/// collected eight times or more and whose bottoms are visible.
fn promised(heap: Heap) -> f64 {
    match heap {
        // The floor was hardly ever visible, and the verdict says so.
        Heap::Regular(2 | 4) => 0.0,
        // Twenty collections, most of them of next to nothing.
        Heap::AnyTime(30) => 0.9,
        // Amounts that wander by a tenth of the level, with a long memory.
        Heap::Manual => 0.6,
        _ => 0.95,
    }
}

#[test]
fn a_leak_of_a_fifth_of_the_level_is_found() {
    for heap in HEAPS {
        for samples in [200, 1000] {
            let found = verdicts(samples, |chance| verdict(heap, 0.2, samples, chance));
            show("leaks", heap, samples, &found);
            let right = found.get("leak").copied().unwrap_or(0.0);
            let least = promised(heap);
            let bound = least - 3.0 * standard_error(least, RUNS);
            assert!(right >= bound, "{heap:?} {samples}: {right}");
        }
    }
}

/// A level that doubles at once at a moment between a third and two thirds of the run.
fn stepped(heap: Heap, samples: usize, chance: &mut Chance) -> (f64, Verdict) {
    let (times, mut values) = run(heap, 0.0, samples, chance);
    let from = (samples as f64 * (0.33 + 0.33 * chance.uniform())) as usize;
    let level = values[samples / 5..].iter().copied().fold(f64::INFINITY, f64::min);
    values[from..].iter_mut().for_each(|value| *value += level);
    (times[from], growth(&times, &values).expect("a series").verdict)
}

#[test]
fn a_single_step_is_found_with_its_moment() {
    for heap in
        [Heap::Regular(50), Heap::Irregular(40), Heap::Shallow(20), Heap::Children, Heap::Still]
    {
        for samples in [200, 1000] {
            let found = rate(RUNS, samples as u64, |chance| {
                let (moment, verdict) = stepped(heap, samples, chance);
                // Within a tooth; there are at least twenty of them in ten seconds.
                let is_near = |begin: f64| (begin - moment).abs() <= 0.75;
                matches!(verdict, Verdict::Steps(steps) if steps.len() == 1 && is_near(steps[0].begin))
            });
            println!("steps, {heap:?}, n={samples}: {:.1} % found", 100.0 * found);
            assert!(found >= 0.9, "{heap:?} {samples}: {found}");
        }
    }
}

/// A run that grows by half of the remaining memory in its last fifth, and not before.
fn late(heap: Heap, samples: usize, chance: &mut Chance) -> Verdict {
    let (times, mut values) = run(heap, 0.0, samples, chance);
    let from = samples - samples / 5;
    let level = values[samples / 5..].iter().copied().fold(f64::INFINITY, f64::min);
    for (index, value) in values.iter_mut().enumerate().skip(from) {
        *value += 0.5 * level * (index - from + 1) as f64 / (samples - from) as f64;
    }
    growth(&times, &values).expect("a series").verdict
}

#[test]
fn growth_in_the_last_part_only_is_never_constant() {
    for heap in HEAPS {
        for samples in [200, 1000] {
            let found = verdicts(samples, |chance| late(heap, samples, chance));
            show("late", heap, samples, &found);
            // If collections come at any moment, a handful of them may be all that differs from
            // noise.
            let most = if matches!(heap, Heap::AnyTime(_)) { 0.05 } else { 0.0 };
            assert!(found.get("constant").is_none_or(|share| *share <= most), "{heap:?} {samples}");
        }
    }
}
