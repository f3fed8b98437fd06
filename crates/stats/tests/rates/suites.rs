//! Suites of benchmarks: the rates at which a missing effect is named, and a real one.
//!
//! `BRISK_SUITES=10` simulates ten times as many suites of each kind.

use std::sync::atomic::{AtomicU64, Ordering};

use stats::carry_over::{Cause, Dependence, Process, Ran, carry_over, goes_along};

use crate::noise::{Chance, rate, standard_error};

fn suites(usual: u64) -> u64 {
    let times = std::env::var("BRISK_SUITES").ok().and_then(|times| times.parse::<u64>().ok());
    usual * times.unwrap_or(1)
}

/// An effect on one benchmark of a suite.
#[derive(Debug, Clone, Copy)]
struct Effect {
    benchmark: usize,
    cause: Cause,
    factor: f64,
}

impl Effect {
    fn on(&self, ran: &[usize], place: usize, suite: usize) -> f64 {
        let present = match self.cause {
            Cause::NotFirst => place > 0,
            Cause::JustAfter(other) => place > 0 && ran[place - 1] == other,
            Cause::After(other) => ran[..place].contains(&other),
            Cause::Place => return self.factor.ln() * place as f64 / (suite - 1) as f64,
        };
        if ran[place] == self.benchmark && present { self.factor.ln() } else { 0.0 }
    }
}

/// A suite of benchmarks, alone, together, reversed and shuffled in each round. Processes differ by
/// 1 %, and a benchmark differs from process to process by another 1 %.
fn suite(size: usize, rounds: usize, noise: Noise, chance: &mut Chance) -> Vec<Vec<(usize, f64)>> {
    let mut processes = Vec::new();
    for _ in 0..rounds {
        let drift = 0.02 * chance.normal();
        let mut orders: Vec<Vec<usize>> = (0..size).map(|one| vec![one]).collect();
        orders.push((0..size).collect());
        orders.push((0..size).rev().collect());
        let mut shuffled: Vec<usize> = (0..size).collect();
        for last in (1..size).rev() {
            shuffled.swap(last, (chance.uniform() * (last + 1) as f64) as usize);
        }
        orders.push(shuffled);
        for order in orders {
            let process = drift + 0.01 * chance.normal();
            let one = |benchmark: usize| {
                (benchmark, process + 0.001 * benchmark as f64 + noise.draw(chance))
            };
            processes.push(order.into_iter().map(one).collect());
        }
    }
    processes
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
    Normal,
    HeavyTails,
    NoVariance,
    Regimes,
    Slower,
}

impl Noise {
    fn draw(self, chance: &mut Chance) -> f64 {
        match self {
            Self::Normal => 0.01 * chance.normal(),
            Self::HeavyTails => 0.01 * chance.student(3),
            Self::NoVariance => 0.01 * chance.student(2),
            Self::Regimes => {
                0.01 * chance.normal() + if chance.uniform() < 0.15 { 2.6_f64.ln() } else { 0.0 }
            }
            Self::Slower => -0.02 * chance.uniform().ln(),
        }
    }
}

/// The same as times, with an effect.
fn processes_of(
    logarithms: &[Vec<(usize, f64)>],
    rounds: usize,
    effect: Option<Effect>,
) -> Vec<Process> {
    let suite = logarithms.iter().map(Vec::len).max().expect("processes");
    let per_round = logarithms.len() / rounds;
    let process = |(index, one): (usize, &Vec<(usize, f64)>)| {
        let order: Vec<usize> = one.iter().map(|(benchmark, _)| *benchmark).collect();
        let ran = |(place, (benchmark, logarithm)): (usize, &(usize, f64))| {
            let added = effect.map_or(0.0, |effect| {
                if effect.benchmark == *benchmark { effect.on(&order, place, suite) } else { 0.0 }
            });
            Ran { benchmark: *benchmark, per_iteration: (logarithm + added).exp() }
        };
        Process { round: index / per_round, ran: one.iter().enumerate().map(ran).collect() }
    };
    logarithms.iter().enumerate().map(process).collect()
}

fn judged(
    logarithms: &[Vec<(usize, f64)>],
    rounds: usize,
    effect: Option<Effect>,
    alpha: f64,
) -> Vec<Dependence> {
    let processes = processes_of(logarithms, rounds, effect);
    carry_over(&processes, alpha).expect("a valid suite")
}

#[test]
fn in_five_of_a_hundred_suites_without_effects_at_most_something_is_found() {
    let all = [Noise::Normal, Noise::HeavyTails, Noise::NoVariance, Noise::Regimes, Noise::Slower];
    let sizes: [(usize, usize, u64, &[Noise]); 5] = [
        (10, 10, 600, &all),
        (10, 4, 400, &[Noise::Normal, Noise::Regimes]),
        (10, 30, 100, &[Noise::Normal, Noise::Regimes]),
        (2, 10, 400, &[Noise::Normal]),
        (50, 10, 40, &[Noise::Normal, Noise::Regimes]),
    ];
    for (size, rounds, usual, noises) in sizes {
        let suites = suites(usual);
        for noise in noises {
            let wrong = rate(suites, 21, |chance| {
                !judged(&suite(size, rounds, *noise, chance), rounds, None, 0.05).is_empty()
            });
            println!(
                "carry-over named without any, {size} benchmarks, {rounds} rounds, {noise:?}: \
                 {:.1} %",
                100.0 * wrong
            );
            let bound = 0.05 + 3.0 * standard_error(0.05, suites);
            assert!(wrong <= bound, "{noise:?} {size} {rounds}: {wrong}");
        }
    }
}

/// The results of suites with one effect; counts.
#[derive(Default)]
struct Outcomes {
    named: AtomicU64,
    listed: AtomicU64,
    covered: AtomicU64,
    more: AtomicU64,
    others: AtomicU64,
}

impl Outcomes {
    /// True if the effect was found.
    fn count(&self, found: &[Dependence], effect: &Effect) -> bool {
        let add = |to: &AtomicU64, hit: bool| to.fetch_add(u64::from(hit), Ordering::Relaxed);
        add(&self.others, found.iter().any(|one| one.benchmark != effect.benchmark));
        let own: Vec<&Dependence> =
            found.iter().filter(|one| one.benchmark == effect.benchmark).collect();
        let Some(first) = own.first() else { return false };
        let named = first.cause == effect.cause;
        add(&self.named, named);
        add(&self.listed, named || first.or_else.contains(&effect.cause));
        add(&self.covered, named && first.low <= effect.factor && effect.factor <= first.high);
        add(&self.more, own.len() > 1);
        true
    }
}

#[test]
fn a_carry_over_of_five_per_cent_is_found_and_named() {
    let causes = [Cause::NotFirst, Cause::Place, Cause::JustAfter(3), Cause::After(3)];
    for (size, rounds, usual) in [(10, 10, 300), (10, 6, 100), (50, 10, 10)] {
        let suites = suites(usual);
        for (cause, alpha) in causes.iter().flat_map(|cause| [(*cause, 0.05), (*cause, 0.01)]) {
            let effect = Effect { benchmark: 4, cause, factor: 1.05 };
            let outcomes = Outcomes::default();
            let found = rate(suites, 22, |chance| {
                let suite = suite(size, rounds, Noise::Normal, chance);
                outcomes.count(&judged(&suite, rounds, Some(effect), alpha), &effect)
            });
            let part = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / suites as f64;
            let [named, listed, covered, more, others] = [
                part(&outcomes.named),
                part(&outcomes.listed),
                part(&outcomes.covered),
                part(&outcomes.more),
                part(&outcomes.others),
            ];
            println!(
                "5 % by {cause:?}, at {alpha}, {size} benchmarks, {rounds} rounds: found {:.1} %, named \
                 {:.1} %, named or listed {:.1} %, 5 % in the interval of {:.1} % of the named, \
                 a second cause {:.1} %, another benchmark {:.1} %",
                100.0 * found,
                100.0 * named,
                100.0 * listed,
                100.0 * covered / named,
                100.0 * more,
                100.0 * others
            );
            if rounds == 10 && alpha == 0.05 {
                // The few large suites only show that most are found.
                let allowed = if size > 10 { 3.0 * standard_error(0.9, suites) } else { 0.0 };
                assert!(found >= 0.9 - allowed, "{cause:?} {size}: {found}");
                assert!(listed >= 0.85 - allowed, "{cause:?} {size}: {listed}");
                assert!(covered / named >= 0.95, "{cause:?} {size}: {covered} of {named}");
            }
            assert!(others <= alpha + 3.0 * standard_error(alpha, suites), "{cause:?}: {others}");
        }
    }
}

#[test]
fn a_direct_predecessor_that_is_no_neighbour_in_the_suite_is_mostly_missed() {
    // It is a predecessor only in the shuffled arrangements: in about one round of ten.
    let effect = Effect { benchmark: 4, cause: Cause::JustAfter(7), factor: 1.05 };
    let found = |rounds: usize| {
        rate(200, 23, |chance| {
            let suite = suite(10, rounds, Noise::Normal, chance);
            !judged(&suite, rounds, Some(effect), 0.05).is_empty()
        })
    };
    let (ten, forty) = (found(10), found(60));
    println!(
        "5 % just after no neighbour: found {:.1} % with 10 rounds, {:.1} % with 60",
        100.0 * ten,
        100.0 * forty
    );
    assert!(ten < 0.5 && forty > ten, "{ten} {forty}");
}

#[test]
fn the_nine_copies_are_slow_after_anything_and_their_page_faults_tell() {
    // The founding case: 17 µs for the first of its process, 45 µs later; in one process of seven
    // 45 µs throughout.
    let (named, told) = (AtomicU64::new(0), AtomicU64::new(0));
    let found = rate(20, 24, |chance| {
        let mut processes = suite(9, 10, Noise::Normal, chance);
        let mut faults: Vec<Vec<Option<f64>>> = vec![Vec::new(); 9];
        let mut heap: Vec<Vec<Option<f64>>> = vec![Vec::new(); 9];
        for process in &mut processes {
            let throughout = chance.uniform() < 1.0 / 7.0;
            let mut of_process: Vec<(f64, f64)> = vec![(0.0, 0.0); 9];
            let mut ran = [false; 9];
            for (place, (benchmark, logarithm)) in process.iter_mut().enumerate() {
                let slow = throughout || place > 0;
                *logarithm += if slow { 45e-6_f64.ln() } else { 17e-6_f64.ln() };
                let own = if slow { 32.0 } else { 0.0 };
                of_process[*benchmark] = (own, 1e6 * (1.0 + 0.1 * chance.normal()));
                ran[*benchmark] = true;
            }
            for benchmark in 0..9 {
                let (fault, size) = of_process[benchmark];
                faults[benchmark].push(ran[benchmark].then_some(fault));
                heap[benchmark].push(ran[benchmark].then_some(size));
            }
        }
        let processes = processes_of(&processes, 10, None);
        let found = carry_over(&processes, 0.05).expect("a valid suite");
        let told_of = |benchmark: usize| {
            let own = found.iter().filter(|one| one.benchmark == benchmark);
            let Some(first) = own.min_by(|a, b| a.p_value.total_cmp(&b.p_value)) else {
                return false;
            };
            named.fetch_add(1, Ordering::Relaxed);
            let readings = [heap[benchmark].clone(), faults[benchmark].clone()];
            let best = goes_along(&processes, first, &readings)[0];
            let factor = (first.low..=first.high).contains(&(45.0 / 17.0));
            let right = first.cause == Cause::NotFirst && factor && best.reading == 1;
            told.fetch_add(u64::from(right), Ordering::Relaxed);
            right
        };
        (0..9).filter(|benchmark| told_of(*benchmark)).count() >= 6
    });
    let of_all = |count: AtomicU64| count.into_inner() as f64 / 180.0;
    let (named, told) = (of_all(named), of_all(told));
    println!(
        "nine copies of which the later ones are slow: found in {:.1} % of the copies, as not being \
         first, with the right factor and page faults in {:.1} %; six of nine in {:.0} % of runs",
        100.0 * named,
        100.0 * told,
        100.0 * found
    );
    // A copy whose separate processes were mostly slow throughout, by chance, shows nothing.
    assert!(found == 1.0 && named >= 0.9 && told >= 0.9, "{found} {named} {told}");
}
