//! The benchmarks of a suite that depend on earlier ones in the same process.
//!
//! An earlier benchmark leaves a larger heap behind, a warmer cache, or an allocator that has
//! changed its source of large blocks; the next one pays for it, or profits. In the theory of
//! experiments this is carry-over (Jones and Kenward, *Design and Analysis of Cross-Over Trials*,
//! 2015). It is found by running the suite in several arrangements in every round: each benchmark
//! alone in a process, all together in the suite's order, reversed, and shuffled.
//!
//! For each benchmark a list of [`Cause`]s is tried. Each is a column of numbers, the amount of the
//! cause in every process, and the readings are tested for correlation with the column. The test
//! uses ranks, within rounds: a benchmark that is slow in one process of ten for other reasons
//! raises no alarm, even if that process was the only one with a certain predecessor. The effect of
//! a found cause is subtracted, and the rest is tested again, so that an effect of the place may
//! come to light beside one of a predecessor.
//!
//! The error is controlled over the suite: each benchmark's causes share its level by weight, and
//! the benchmarks' p-values are corrected by Holm's method. In at most `alpha` of suites without
//! any effect anything is found. This requires that processes start in an order drawn anew in each
//! round: without an effect, the arrangement of a process then does not matter.

use std::collections::BTreeMap;

use crate::order::{median, mid_ranks, sorted};
use crate::regimes::{self, Companion};
use crate::signed_rank::Shift;
use crate::{family, student};

/// One benchmark's result in one process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ran {
    /// The index of the benchmark in the suite, from 0.
    pub benchmark: usize,
    /// Its time per iteration in this process; any positive unit.
    pub per_iteration: f64,
}

/// One process, with its benchmarks in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// The round it belongs to.
    pub round: usize,
    /// The benchmarks in the order in which they ran; one for a benchmark that ran alone.
    pub ran: Vec<Ran>,
}

/// A benchmark that depends on what ran before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependence {
    /// The index of the benchmark.
    pub benchmark: usize,
    /// The likeliest cause: the one with the smallest p-value, corrected for the number of causes
    /// of its kind.
    pub cause: Cause,
    /// Causes that explain the readings nearly as well. Empty if the cause is clear.
    pub or_else: Vec<Cause>,
    /// The factor by which the cause changes the benchmark's time.
    pub ratio: f64,
    /// The lower end of the factor's interval, at the level at which the cause was found.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// For "depends on nothing", corrected for all causes and all benchmarks of the suite.
    pub p_value: f64,
    /// The number of processes it rests on.
    pub processes: usize,
}

/// The reason why a suite cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum CarryOverError {
    #[error("no benchmark ran in different company within a round")]
    OneArrangement,
    #[error("process {process} ran no benchmark")]
    Nothing { process: usize },
    #[error("process {process} ran benchmark {benchmark} twice")]
    Twice { process: usize, benchmark: usize },
    #[error("benchmark {benchmark} has {value} in process {process}, not a positive number")]
    NotPositive { process: usize, benchmark: usize, value: f64 },
    #[error("alpha is {0}, not between 0 and 1")]
    NoLevel(f64),
}

/// The maximum number of causes for one benchmark; the tests of further ones would rest on little
/// but the errors of the earlier ones.
const MOST_CAUSES: usize = 3;

/// The excess of twice the negative log-likelihood from which a cause is excluded; the border above
/// which Kass and Raftery (*JASA* 90, 1995) call evidence strong.
const STRONG: f64 = 6.0;

/// The benchmarks whose results depend on earlier ones, smallest p-value first. A benchmark with
/// several distinct causes appears once for each.
///
/// # Errors
///
/// When a process ran nothing or a benchmark twice, a time is not finite and positive, no benchmark
/// ran in different company within a round, or `alpha` is not in `[0, 1]`.
pub fn carry_over(processes: &[Process], alpha: f64) -> Result<Vec<Dependence>, CarryOverError> {
    check(processes, alpha)?;
    let suite = 1 + benchmarks(processes).max().unwrap_or(0);
    let subjects: Vec<Subject> = (0..suite)
        .filter_map(|benchmark| Subject::from_processes(processes, benchmark, suite))
        .collect();
    if subjects.is_empty() {
        return Err(CarryOverError::OneArrangement);
    }
    let first: Vec<f64> = subjects.iter().map(|subject| subject.fits(&[]).least_p()).collect();
    let adjusted = family::holm(&first);
    let mut found = Vec::new();
    for ((subject, own), suite_wide) in subjects.iter().zip(&first).zip(&adjusted) {
        if *suite_wide <= alpha {
            found.extend(subject.dependences(alpha, suite_wide / own));
        }
    }
    found.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
    Ok(found)
}

/// The additional readings of the same processes that correlate with a dependence, strongest first.
///
/// `readings[k][p]` is reading `k` (page faults per iteration, heap size when the benchmark began)
/// of the benchmark in process `p`, None if missing. The groups are the processes without the
/// cause, and those with it; for a place in the suite, the earlier and the later half of the
/// places.
#[must_use]
pub fn goes_along(
    processes: &[Process],
    dependence: &Dependence,
    readings: &[Vec<Option<f64>>],
) -> Vec<Companion> {
    let suite = 1 + benchmarks(processes).max().unwrap_or(0);
    let of_subject: Vec<(usize, f64)> = processes
        .iter()
        .enumerate()
        .filter_map(|(index, process)| {
            let place = place_of(process, dependence.benchmark)?;
            Some((index, dependence.cause.presence(&process.ran, place, suite)))
        })
        .collect();
    let with_cause: Vec<bool> = of_subject.iter().map(|(_, presence)| *presence >= 0.5).collect();
    let values = |reading: &Vec<Option<f64>>| -> Vec<Option<f64>> {
        of_subject.iter().map(|(index, _)| reading.get(*index).copied().flatten()).collect()
    };
    regimes::companions(&with_cause, &readings.iter().map(values).collect::<Vec<_>>())
}

fn benchmarks(processes: &[Process]) -> impl Iterator<Item = usize> + '_ {
    processes.iter().flat_map(|process| process.ran.iter().map(|ran| ran.benchmark))
}

fn place_of(process: &Process, benchmark: usize) -> Option<usize> {
    process.ran.iter().position(|ran| ran.benchmark == benchmark)
}

fn check(processes: &[Process], alpha: f64) -> Result<(), CarryOverError> {
    if !(0.0..=1.0).contains(&alpha) {
        return Err(CarryOverError::NoLevel(alpha));
    }
    for (index, process) in processes.iter().enumerate() {
        if process.ran.is_empty() {
            return Err(CarryOverError::Nothing { process: index });
        }
        for (place, &Ran { benchmark, per_iteration: value }) in process.ran.iter().enumerate() {
            if !value.is_finite() || value <= 0.0 {
                return Err(CarryOverError::NotPositive { process: index, benchmark, value });
            }
            if process.ran[..place].iter().any(|ran| ran.benchmark == benchmark) {
                return Err(CarryOverError::Twice { process: index, benchmark });
            }
        }
    }
    Ok(())
}

/// One benchmark with its readings and their possible causes.
struct Subject {
    benchmark: usize,
    readings: Aligned,
    columns: Vec<Column>,
}

/// The fit of a column.
struct Fit {
    column: usize,
    /// Its part of the level, among the columns tested with it.
    share: f64,
    /// The p-value, corrected for the number of columns.
    p_value: f64,
    /// The same without the bound from the number of orders, which does not depend on the fit.
    evidence: f64,
    /// Minus twice the log-likelihood, up to a constant.
    misfit: f64,
}

struct Fits(Vec<Fit>);

impl Fits {
    fn least_p(&self) -> f64 {
        self.0.iter().map(|fit| fit.p_value).fold(1.0, f64::min)
    }

    /// The column with the most evidence among those significant at a level.
    fn best(&self, level: f64) -> Option<&Fit> {
        let certain = self.0.iter().filter(|fit| fit.p_value <= level);
        certain.min_by(|a, b| a.evidence.total_cmp(&b.evidence))
    }

    fn fit(&self, column: usize) -> Option<&Fit> {
        self.0.iter().find(|fit| fit.column == column)
    }

    /// The other columns that explain nearly as much as this one, or more.
    fn as_good_as(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        let most = self.fit(column).map_or(f64::NEG_INFINITY, |fit| fit.misfit + STRONG);
        let near = move |fit: &&Fit| fit.column != column && fit.misfit <= most;
        self.0.iter().filter(near).map(|fit| fit.column)
    }
}

impl Subject {
    /// None if its readings cannot depend on anything that differed within a round.
    fn from_processes(processes: &[Process], benchmark: usize, suite: usize) -> Option<Self> {
        let with_it: Vec<(&Process, usize)> = processes
            .iter()
            .filter_map(|process| Some((process, place_of(process, benchmark)?)))
            .collect();
        let rounds: Vec<usize> = with_it.iter().map(|(process, _)| process.round).collect();
        let readings =
            with_it.iter().map(|(process, place)| process.ran[*place].per_iteration.ln()).collect();
        let readings = Aligned::new(readings, &rounds);
        let columns = columns(&with_it, suite, &readings);
        (!columns.is_empty()).then_some(Self { benchmark, readings, columns })
    }

    /// The fit of each column to the readings without the effects of the `known` causes, given with
    /// their columns.
    fn fits(&self, known: &[(usize, f64)]) -> Fits {
        let scores = self.readings.scores(&self.without(known));
        let correlations: Vec<(usize, f64)> = (0..self.columns.len())
            .filter(|column| known.iter().all(|(other, _)| other != column))
            .filter_map(|column| {
                let apart = self.apart(column, known)?;
                Some((column, Aligned::correlation(&apart, &scores)))
            })
            .collect();
        let df = self.readings.df() - known.len() as f64;
        let total: f64 = correlations.iter().map(|(column, _)| self.columns[*column].weight).sum();
        let fit = |&(column, r): &(usize, f64)| {
            let share = self.columns[column].weight / total;
            let evidence = p_value(r, df) / share;
            Fit {
                column,
                share,
                evidence,
                p_value: evidence.max(self.columns[column].least_p / share),
                misfit: self.readings.len() as f64 * (1.0 - r * r).max(f64::MIN_POSITIVE).ln(),
            }
        };
        Fits(correlations.iter().map(fit).collect())
    }

    /// The columns of all causes found at a level. The strongest joins first; one that becomes
    /// redundant beside later ones is removed for good. Each that remains is found given the
    /// others.
    fn causes(&self, level: f64) -> Vec<(usize, f64)> {
        let mut known: Vec<(usize, f64)> = Vec::new();
        let mut gone: Vec<usize> = Vec::new();
        while known.len() < MOST_CAUSES {
            let fits = self.fits(&known);
            let Some(next) = fits.best(level) else { break };
            if gone.contains(&next.column) {
                break;
            }
            known.push((next.column, 0.0));
            self.refit(&mut known);
            while let Some(place) = self.idle(&known, level) {
                gone.push(known.remove(place).0);
                self.refit(&mut known);
            }
        }
        if known.is_empty() {
            known.extend(self.fits(&[]).best(level).map(|fit| (fit.column, 0.0)));
        }
        known
    }

    /// The index of a known cause of which the others leave too little; the one with the least
    /// left.
    fn idle(&self, known: &[(usize, f64)], level: f64) -> Option<usize> {
        let p_value = |place: usize| {
            self.fits(&others(known, place)).fit(known[place].0).map_or(1.0, |fit| fit.p_value)
        };
        let all = (0..known.len()).map(|place| (p_value(place), place));
        let (most, place) = all.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (most > level).then_some(place)
    }

    /// All dependences, if the p-values of this subject count `factor`-fold for the suite.
    fn dependences(&self, alpha: f64, factor: f64) -> Vec<Dependence> {
        let known = self.causes(alpha / factor);
        let one = |place: usize| {
            let (column, others) = (known[place].0, others(&known, place));
            let fits = self.fits(&others);
            let fit = fits.fit(column)?;
            let apart = self.apart(column, &others)?;
            let left = self.without(&others);
            let df = self.readings.df() - others.len() as f64;
            let effect = self.readings.effect(&left, &apart, alpha * fit.share / factor, df);
            Some(Dependence {
                benchmark: self.benchmark,
                cause: self.columns[column].cause,
                or_else: fits.as_good_as(column).map(|other| self.columns[other].cause).collect(),
                ratio: effect.estimate.exp(),
                low: effect.low.exp(),
                high: effect.high.exp(),
                p_value: (fit.p_value * factor).min(1.0),
                processes: self.readings.len(),
            })
        };
        (0..known.len()).filter_map(one).collect()
    }

    /// Estimates the effects of the known causes anew, each given the others. Two passes are enough
    /// for the few causes.
    fn refit(&self, known: &mut [(usize, f64)]) {
        for _ in 0..2 {
            for place in 0..known.len() {
                let others = others(known, place);
                if let Some(apart) = self.apart(known[place].0, &others) {
                    known[place].1 = self.readings.estimate(&self.without(&others), &apart);
                }
            }
        }
    }

    /// The readings without the effects of the known causes.
    fn without(&self, known: &[(usize, f64)]) -> Vec<f64> {
        let mut left = self.readings.logarithms().to_vec();
        for (column, effect) in known {
            for (value, presence) in left.iter_mut().zip(&self.columns[*column].presence) {
                *value -= effect * presence;
            }
        }
        left
    }

    /// A column within rounds, without its overlap with those of the known causes. None if nothing
    /// is left.
    fn apart(&self, column: usize, known: &[(usize, f64)]) -> Option<Vec<f64>> {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for (other, _) in known {
            let centred = self.columns[*other].centred.clone();
            basis.extend(orthogonal(centred, &basis));
        }
        orthogonal(self.columns[column].centred.clone(), &basis)
    }
}

fn others(known: &[(usize, f64)], without: usize) -> Vec<(usize, f64)> {
    let other = |(place, _): &(usize, &(usize, f64))| *place != without;
    known.iter().enumerate().filter(other).map(|(_, known)| *known).collect()
}

// The time of each benchmark after a certain other one.

/// The time of a benchmark in processes where another one ran at any time before it, over its time
/// in processes where it was the first.
///
/// This describes and judges nothing: a benchmark that runs after one mostly runs after others as
/// well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct After {
    /// The index of the benchmark in the suite, from 0.
    pub benchmark: usize,
    /// The index of the earlier one.
    pub other: usize,
    /// The median over the rounds of the ratio within a round: the geometric mean of its times
    /// after the other over that of its times as the first.
    pub ratio: f64,
    /// The number of rounds in which it ran both ways.
    pub rounds: usize,
}

/// The number of logarithms of times, and their sum.
type Sum = (f64, f64);

/// Each pair of benchmarks of which the one ran both after the other and as the first, in at least
/// one round; by their index in the suite.
#[must_use]
pub fn after(processes: &[Process]) -> Vec<After> {
    let mut first: BTreeMap<(usize, usize), Sum> = BTreeMap::new();
    let mut behind: BTreeMap<(usize, usize, usize), Sum> = BTreeMap::new();
    let add = |(count, sum): &mut Sum, time: f64| (*count, *sum) = (*count + 1.0, *sum + time.ln());
    for Process { round, ran } in processes {
        for (place, one) in ran.iter().enumerate() {
            if place == 0 {
                add(first.entry((*round, one.benchmark)).or_default(), one.per_iteration);
            }
            for other in &ran[..place] {
                let key = (one.benchmark, other.benchmark, *round);
                add(behind.entry(key).or_default(), one.per_iteration);
            }
        }
    }
    let mut pairs: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for ((benchmark, other, round), (count, sum)) in behind {
        if let Some((of_first, first)) = first.get(&(round, benchmark)) {
            let ratio = sum / count - first / of_first;
            pairs.entry((benchmark, other)).or_default().push(ratio);
        }
    }
    let pair = |((benchmark, other), ratios): ((usize, usize), Vec<f64>)| After {
        benchmark,
        other,
        ratio: median(&sorted(&ratios)).exp(),
        rounds: ratios.len(),
    };
    pairs.into_iter().map(pair).collect()
}

// The possible causes of a benchmark's result, as columns of numbers.

/// A cause of a benchmark's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Not being the first of its process, after any predecessors.
    NotFirst,
    /// The number of benchmarks before it: the effect is that of the whole suite.
    Place,
    /// A certain benchmark having run just before.
    JustAfter(usize),
    /// A certain benchmark having run at any time before.
    After(usize),
}

impl Cause {
    /// The amount of the cause, from 0 to 1, for the benchmark at `place` of those that a process
    /// `ran`; `suite` is the number of benchmarks.
    fn presence(self, ran: &[Ran], place: usize, suite: usize) -> f64 {
        let is = |ran: &Ran, benchmark: usize| ran.benchmark == benchmark;
        let present = match self {
            Self::NotFirst => place > 0,
            Self::Place => return place as f64 / (suite.max(2) - 1) as f64,
            Self::JustAfter(other) => place > 0 && is(&ran[place - 1], other),
            Self::After(other) => ran[..place].iter().any(|ran| is(ran, other)),
        };
        f64::from(u8::from(present))
    }

    /// The kind of cause. The causes of one kind share its part of the level evenly, so that the
    /// many pairs of benchmarks do not cost the two single causes their power.
    fn kind(self) -> usize {
        match self {
            Self::NotFirst => 0,
            Self::Place => 1,
            Self::JustAfter(_) => 2,
            Self::After(_) => 3,
        }
    }
}

/// The presence of a cause in the processes of one benchmark.
struct Column {
    cause: Cause,
    /// By process.
    presence: Vec<f64>,
    /// The same about its means within rounds.
    centred: Vec<f64>,
    /// The lower bound of its p-values.
    least_p: f64,
    /// Its part of the benchmark's level, up to a common factor.
    weight: f64,
}

/// The minimum number of processes with, and without, a cause for it to be judged.
const FEWEST: usize = 3;

/// The columns of all causes that can be judged for a benchmark, given the processes that ran it
/// and its place in each.
fn columns(with_it: &[(&Process, usize)], suite: usize, readings: &Aligned) -> Vec<Column> {
    let pairs = (0..suite).flat_map(|other| [Cause::JustAfter(other), Cause::After(other)]);
    let mut columns: Vec<Column> = [Cause::NotFirst, Cause::Place]
        .into_iter()
        .chain(pairs)
        .map(|cause| {
            let one =
                |(process, place): &(&Process, usize)| cause.presence(&process.ran, *place, suite);
            let presence: Vec<f64> = with_it.iter().map(one).collect();
            let (centred, least_p) = (readings.centred(&presence), readings.least_p(&presence));
            Column { cause, presence, centred, least_p, weight: 1.0 }
        })
        .filter(|column| can_be_judged(&column.centred))
        .collect();
    let mut of_kind = [0.0; 4];
    for column in &columns {
        of_kind[column.cause.kind()] += 1.0;
    }
    for column in &mut columns {
        column.weight = 1.0 / of_kind[column.cause.kind()];
    }
    columns
}

/// True if a cause differs within rounds, and enough processes have more of it than average and
/// enough have less.
fn can_be_judged(centred: &[f64]) -> bool {
    let beyond = |sign: f64| centred.iter().filter(|value| sign * **value > 1e-9).count();
    beyond(1.0) >= FEWEST && beyond(-1.0) >= FEWEST
}

// The correlation of readings with a column of numbers, by ranks and within rounds.
//
// Each round's median is subtracted from its readings, all are ranked together, and the ranks are
// correlated with the column, both about their means within rounds (aligned ranks: Hodges and
// Lehmann, *Annals of Mathematical Statistics* 33, 1962). Student's t stands for the permutation
// distribution of the correlation (Conover and Iman, *The American Statistician* 35, 1981). Far
// out it is too optimistic for few rounds, so p-values are limited to the least one that
// exchanging readings within rounds can give: with six rounds of four readings, one of them
// marked, that is 2 / 4^6.
//
// An effect's interval holds the effects which, subtracted from the readings, leave nothing to
// find.

/// Readings on the log scale, with the rounds they belong to.
struct Aligned {
    logarithms: Vec<f64>,
    /// The indices of the readings of each round.
    rounds: Vec<Vec<usize>>,
}

/// The fraction of its size below which the remainder of a column is rounding.
const ROUNDING: f64 = 1e-9;

/// The precision of an effect at which the bisection stops; 1e-7 of the reading.
const PRECISION: f64 = 1e-7;

impl Aligned {
    fn new(logarithms: Vec<f64>, round_of: &[usize]) -> Self {
        let mut numbers = round_of.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let of = |round: usize| (0..round_of.len()).filter(|&i| round_of[i] == round).collect();
        Self { logarithms, rounds: numbers.into_iter().map(of).collect() }
    }

    fn logarithms(&self) -> &[f64] {
        &self.logarithms
    }

    fn len(&self) -> usize {
        self.logarithms.len()
    }

    /// The degrees of freedom of one column's correlation.
    fn df(&self) -> f64 {
        self.len() as f64 - self.rounds.len() as f64 - 1.0
    }

    /// `values` about their means within rounds.
    fn centred(&self, values: &[f64]) -> Vec<f64> {
        let mut centred = values.to_vec();
        for round in &self.rounds {
            let mean = round.iter().map(|&i| values[i]).sum::<f64>() / round.len() as f64;
            round.iter().for_each(|&i| centred[i] -= mean);
        }
        centred
    }

    /// The ranks of readings, aligned before and centred after.
    fn scores(&self, readings: &[f64]) -> Vec<f64> {
        let mut aligned = readings.to_vec();
        for round in &self.rounds {
            let all: Vec<f64> = round.iter().map(|&i| readings[i]).collect();
            let level = median(&sorted(&all));
            round.iter().for_each(|&i| aligned[i] -= level);
        }
        self.centred(&mid_ranks(&aligned))
    }

    /// The correlation of scores with a column; 0 if either does not vary.
    fn correlation(column: &[f64], scores: &[f64]) -> f64 {
        let squares = product(column, column) * product(scores, scores);
        if squares > 0.0 { product(column, scores) / squares.sqrt() } else { 0.0 }
    }

    /// The least p-value that exchanging readings within rounds can give: twice the probability of
    /// the one order in which the column's numbers and the readings agree in every round.
    fn least_p(&self, column: &[f64]) -> f64 {
        let log_factorial = |count: usize| libm::lgamma(count as f64 + 1.0);
        let log_orders = |round: &Vec<usize>| -> f64 {
            let numbers = sorted(&round.iter().map(|&i| column[i]).collect::<Vec<f64>>());
            let alike = numbers.chunk_by(|a, b| a == b).map(|run| log_factorial(run.len()));
            log_factorial(round.len()) - alike.sum::<f64>()
        };
        (2.0 * (-self.rounds.iter().map(log_orders).sum::<f64>()).exp()).min(1.0)
    }

    /// The effect of a centred column on readings: subtracting it leaves no correlation.
    fn estimate(&self, readings: &[f64], column: &[f64]) -> f64 {
        self.crossing(readings, column, 0.0)
    }

    /// The same with its interval at level `1 - alpha`.
    fn effect(&self, readings: &[f64], column: &[f64], alpha: f64, df: f64) -> Shift {
        let estimate = self.estimate(readings, column);
        if df < 1.0 {
            return Shift { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let t = student::two_sided(alpha, df);
        let critical = if t.is_infinite() { 1.0 } else { t / (df + t * t).sqrt() };
        let low = self.crossing(readings, column, critical);
        let high = self.crossing(readings, column, -critical);
        // Where readings change their order within a round, the correlation may rise a little, so
        // that a crossing lies just beyond no effect, which is known to be excluded.
        let without = Self::correlation(column, &self.scores(readings));
        Shift {
            estimate,
            low: if without >= critical { low.max(0.0) } else { low },
            high: if without <= -critical { high.min(0.0) } else { high },
        }
    }

    /// The effect at which the correlation of the remainder falls through `level`: it falls, from
    /// about 1 to about -1, as more is subtracted. Infinite if it never reaches the level.
    fn crossing(&self, readings: &[f64], column: &[f64], level: f64) -> f64 {
        let left_at = |effect: f64| {
            let left: Vec<f64> =
                readings.iter().zip(column).map(|(value, c)| value - effect * c).collect();
            Self::correlation(column, &self.scores(&left))
        };
        let widest = |values: &[f64]| {
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most - values.iter().copied().fold(f64::INFINITY, f64::min)
        };
        // Beyond this, the column alone decides the order.
        let gaps = sorted(column);
        let least_gap = gaps
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .filter(|gap| *gap > ROUNDING)
            .fold(f64::INFINITY, f64::min);
        let bound = 2.0 * widest(readings).max(PRECISION) / least_gap.min(1.0);
        let (mut low, mut high) = (-bound, bound);
        if left_at(low) < level {
            return f64::NEG_INFINITY;
        }
        if left_at(high) > level {
            return f64::INFINITY;
        }
        while high - low > PRECISION {
            let middle = 0.5 * (low + high);
            if left_at(middle) > level { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

/// Two-sided, for a correlation with `df` degrees of freedom; 1 if there are none.
fn p_value(correlation: f64, df: f64) -> f64 {
    if df < 1.0 {
        return 1.0;
    }
    let rest = (1.0 - correlation * correlation).max(f64::MIN_POSITIVE);
    (2.0 * student::upper_tail(correlation.abs() * (df / rest).sqrt(), df)).min(1.0)
}

/// `values` without their projection on orthogonal columns. None if only rounding is left.
fn orthogonal(values: Vec<f64>, basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let before = product(&values, &values);
    let mut left = values;
    for column in basis {
        let factor = product(&left, column) / product(column, column);
        left.iter_mut().zip(column).for_each(|(value, c)| *value -= factor * c);
    }
    (product(&left, &left) > ROUNDING * before && before > 0.0).then_some(left)
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

// The part of a difference between times that waiting for a processor explains: a process that waits
// for a share `w` of its time takes `1 / (1 - w)` times as long as without waiting.

/// The largest share a process is assumed to wait, in multiples of the mean share: a mean says
/// little about the processes that waited most.
const ABOVE_MEAN: f64 = 2.0;

/// The largest share of its time that a process is assumed to wait.
const LARGEST_SHARE: f64 = 0.95;

/// True if a factor between the times of two groups of processes may only be due to some waiting
/// for a processor and others not.
///
/// `mean_share` is the mean share of their time, in [0, 1], for which those that waited more did
/// so; `low` and `high` are the ends of the factor's interval. It may be if the interval reaches a
/// factor between that of a process that waited for twice the mean share over one that did not
/// wait, and its inverse.
#[must_use]
pub fn waiting_explains(mean_share: f64, low: f64, high: f64) -> bool {
    let largest = 1.0 / (1.0 - (ABOVE_MEAN * mean_share).min(LARGEST_SHARE));
    low <= largest && high >= 1.0 / largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_waiting_only_no_effect_is_explained() {
        assert!(waiting_explains(0.0, 0.98, 1.03));
        assert!(!waiting_explains(0.0, 1.01, 1.03));
        assert!(!waiting_explains(0.0, 0.90, 0.99));
    }

    /// At 10 %: up to 1 / (1 - 0.2) = 1.25 and down to 0.8.
    #[test]
    fn twice_the_mean_share_is_explained_in_both_directions() {
        assert!(waiting_explains(0.1, 1.249, 1.4));
        assert!(!waiting_explains(0.1, 1.251, 1.4));
        assert!(waiting_explains(0.1, 0.5, 0.801));
        assert!(!waiting_explains(0.1, 0.5, 0.799));
    }

    /// Processes that wait for nearly all of the time are assumed to wait for 95 %: up to
    /// twentyfold.
    #[test]
    fn a_factor_beyond_all_waiting_stays_unexplained() {
        for share in [0.5, 0.9, 1.0] {
            assert!(waiting_explains(share, 19.9, 30.0));
            assert!(!waiting_explains(share, 20.1, 30.0));
        }
    }
}
