//! The findings of the kinds of experiments that need more than comparisons: the points of a sweep
//! that are worth choosing, and what the processes of a suite show.

use std::collections::BTreeMap;

use findings::{
    Document, GivenUp, OtherArrangement, PointState, SuiteBenchmark, SuiteFinding, SuiteProgram,
    SweepFinding, SweepPoint,
};
use judge::loops::{self, Processes};
use judge::orders::{Findings, Orders};
use model::design::contrasts::Made;
use model::metric::{MetricId, Source, TIME_PER_ITERATION};
use model::run::Run;
use model::spec::suite::{Seat, Seats};
use model::sweep::{Reason, SweepRule, Withdrawal};
use run::suite::listing::{Lists, PlacedLists};
use stats::dominance::Standing;
use stats::front::{knee, thrifty};
use stats::loops::Measurement;
use stats::signed_rank::Shift;

/// The result of a sweep. `withdrawn` are the points that left it, `standings` those of all points,
/// `None` for points that left or were not read.
pub(crate) fn landscape(
    document: &Document,
    rule: &SweepRule,
    withdrawn: &[Withdrawal],
    standings: &[Option<Standing>],
) -> SweepFinding {
    let point = |(variant, contender): (u32, &Option<Standing>)| {
        let withdrawal = withdrawn.iter().find(|withdrawal| withdrawal.variant == variant);
        let state = match withdrawal {
            Some(withdrawal) => state_of(rule, &withdrawal.reason),
            None => state_among(*contender),
        };
        let rounds = withdrawal.map_or(document.experiment.rounds, |gone| gone.rounds);
        SweepPoint { variant, rounds, state }
    };
    let points: Vec<SweepPoint> = (0..).zip(standings).map(point).collect();
    let mut members: Vec<(u32, [f64; 2])> = points
        .iter()
        .filter(|point| point.state.is_on_front())
        .filter_map(|point| Some((point.variant, costs(document, rule, point.variant)?)))
        .collect();
    members.sort_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let (front, on_front): (Vec<u32>, Vec<[f64; 2]>) = members.into_iter().unzip();
    let member = |index: Option<usize>| index.map(|index| front[index]);
    let default = rule.has_default.then_some(0);
    let from = default.and_then(|default| costs(document, rule, default));
    SweepFinding {
        command: rule.command.clone(),
        parameters: rule.parameters.clone(),
        minimized: rule.minimized.clone(),
        beside: rule.beside.clone(),
        default,
        limits: rule.limits.iter().map(|limit| limit.text.clone()).collect(),
        knee: member(knee(&on_front)),
        thrifty: member(from.and_then(|from| thrifty(&on_front, from))),
        points,
        front,
        tuning: None,
    }
}

fn state_among(standing: Option<Standing>) -> PointState {
    let number = |variant: usize| u32::try_from(variant).expect("at most 2^20 variants");
    match standing {
        Some(Standing::Member) => PointState::Front,
        Some(Standing::EqualTo(other)) => PointState::Equal { to: number(other) },
        Some(Standing::DominatedBy(other)) => PointState::Dominated { by: number(other) },
        Some(Standing::Open(other)) => PointState::Undecided { with: Some(number(other)) },
        None => PointState::Undecided { with: None },
    }
}

fn state_of(rule: &SweepRule, reason: &Reason) -> PointState {
    match reason {
        Reason::Dominated { by } => PointState::Dropped { by: *by },
        Reason::OverLimit { limit } => {
            PointState::OverLimit { limit: rule.limits[*limit].text.clone() }
        }
        Reason::Failed { outcome, stderr, .. } => {
            PointState::Failed { how: (*outcome).to_string(), stderr: stderr.clone() }
        }
    }
}

/// The logarithms of the minimised metric and the second objective; `None` if one was not read.
fn costs(document: &Document, rule: &SweepRule, variant: u32) -> Option<[f64; 2]> {
    let of = |id: &MetricId| estimate(document, variant, id).map(|shift| shift.estimate);
    Some([of(&rule.minimized)?, of(&rule.beside)?])
}

/// The logarithm of the median, with the interval of its ratio to the first variant's: the points
/// ran in the same rounds, so ratios say more than the medians' own intervals. The first variant's
/// value has no uncertainty.
fn estimate(document: &Document, variant: u32, id: &MetricId) -> Option<Shift> {
    let own = document.any_summary(variant, id)?;
    let reference = document.any_summary(0, id).filter(|_| variant != 0);
    let part = document.comparison_of(0, variant, id, own.source);
    let part = part.filter(|part| part.difference.is_none());
    match reference.zip(part) {
        Some((reference, part)) => Shift::of_ratio(
            reference.median,
            part.ratio,
            part.low,
            part.high.unwrap_or(f64::INFINITY),
        ),
        None if variant == 0 => Shift::of_ratio(own.median, 1.0, 1.0, 1.0),
        None => Shift::of_ratio(
            1.0,
            own.median,
            own.low.unwrap_or(0.0),
            own.high.unwrap_or(f64::INFINITY),
        ),
    }
}

/// The variants of a document as benchmarks; `None` if it is not a suite.
fn benchmarks(document: &Document) -> Option<SuiteFinding> {
    let metrics = document.experiment.metrics.as_deref()?;
    if !metrics.contains(&TIME_PER_ITERATION) {
        return None;
    }
    let seats = seats(document)?;
    let order = *seats.arrangements.first()?;
    let program = |(name, harness): &(String, String)| SuiteProgram {
        name: name.clone(),
        harness: harness.clone(),
    };
    let programs: Vec<SuiteProgram> = seats.programs.iter().map(program).collect();
    let benchmark = |(benchmark, name): (usize, &String)| SuiteBenchmark {
        name: name.clone(),
        variants: (0..programs.len())
            .map(|program| seats.variant(Seat { program, benchmark }, order))
            .collect(),
    };
    let benchmarks = seats.benchmarks.iter().enumerate().map(benchmark).collect();
    let mut company = Vec::new();
    for ((variant, seat), &other) in (0..).zip(&seats.seats).zip(&seats.arrangements) {
        let Seat { program, benchmark } = *seat;
        if other != order {
            company.push(OtherArrangement { variant, program, benchmark, order: other });
        }
    }
    Some(SuiteFinding { order, programs, benchmarks, company, ..SuiteFinding::default() })
}

/// The benchmarks according to the variants' labels.
fn seats(document: &Document) -> Option<Seats> {
    Seats::from_labels(document.variants.iter().map(|variant| &variant.labels))
}

pub(crate) struct Gathering {
    suite: SuiteFinding,
    seats: Seats,
    rounds: u32,
    orders: Orders,
    judged: BTreeMap<Seat, Processes>,
}

impl Gathering {
    /// An empty collection; `None` if the document is not about a suite.
    pub(crate) fn new(document: &Document) -> Option<Self> {
        let suite = benchmarks(document)?;
        let seats = seats(document)?;
        let orders = Orders::new(seats.seats.clone());
        let rounds = document.experiment.rounds;
        Some(Self { suite, seats, rounds, orders, judged: BTreeMap::new() })
    }

    /// Takes a run. Runs of an incomplete round are kept but not judged.
    pub(crate) fn take(&mut self, run: &Run) {
        if run.place.source == Source::Run && run.place.round >= self.rounds {
            return;
        }
        self.orders.take(run);
        let seconds = run.readings.get(&TIME_PER_ITERATION).and_then(|value| value.as_ref().ok());
        let is_judged = !run.place.warmup && run.place.source == Source::Run;
        if let (Some(seat), Some(&seconds)) = (self.judged_seat(run.place.variant), seconds)
            && is_judged
            && seconds > 0.0
        {
            self.judged.entry(seat).or_default().seconds.insert(run.place.round, seconds);
        }
    }

    pub(crate) fn take_measurements(&mut self, all: &[PlacedLists]) {
        for PlacedLists { variant, round, lists } in all {
            let Some(seat) = self.judged_seat(*variant).filter(|_| *round < self.rounds) else {
                continue;
            };
            let of_process = measurements(lists);
            if !of_process.is_empty() {
                self.judged.entry(seat).or_default().loops.push(of_process);
            }
        }
    }

    /// The benchmark of a variant in the judged arrangement; `None` in others.
    fn judged_seat(&self, variant: u32) -> Option<Seat> {
        let place = variant as usize;
        let order = self.seats.arrangements.get(place)?;
        (Some(order) == self.seats.arrangements.first()).then(|| self.seats.seats[place])
    }

    /// The finding; `withdrawn` are the benchmarks that were dropped.
    pub(crate) fn finish(self, document: &Document, withdrawn: &[Withdrawal]) -> SuiteFinding {
        let confidence = document.experiment.confidence;
        let hertz = document.machine["cpu_hz"].as_f64();
        let made_of = self.made_of(document);
        let effect = loops::round_effect(self.judged.values());
        let level = |(seat, one): (&Seat, &Processes)| {
            loops::level(*seat, one, effect.as_ref(), 1.0 - confidence)
        };
        let levels = self.judged.iter().filter_map(level).collect();
        let name = |seat: &Seat| self.seats.benchmarks[seat.benchmark].as_str();
        let named: Vec<(Seat, &str, &Processes)> =
            self.judged.iter().map(|(seat, one)| (*seat, name(seat), one)).collect();
        let idle = loops::idle(&named, hertz);
        let Findings { dependences, regimes, waits } = self.orders.findings(confidence);
        let after = self.orders.pairs(&dependences);
        let part = |gone: &Withdrawal| GivenUp { variant: gone.variant, rounds: gone.rounds + 1 };
        let mut given_up: Vec<GivenUp> = withdrawn.iter().map(part).collect();
        given_up.sort_by_key(|part| part.variant);
        SuiteFinding {
            levels,
            idle,
            made_of,
            after,
            dependences,
            regimes,
            waits,
            given_up,
            ..self.suite
        }
    }

    /// Judges the claims that the variants carry; they share the permitted error.
    fn made_of(&self, document: &Document) -> Vec<loops::PartsAgainstWhole> {
        let mut claims: Vec<(usize, Made)> = Vec::new();
        for (seat, variant) in self.seats.seats.iter().zip(&document.variants) {
            let texts = variant.labels.benchmark.iter().flat_map(|benchmark| &benchmark.made_of);
            // Stored claims were valid when they were made.
            let read = texts.filter_map(|text| Made::parse(text, &self.seats.benchmarks).ok());
            claims.extend(read.map(|made| (seat.program, made)));
        }
        let alpha = (1.0 - document.experiment.confidence) / claims.len().max(1) as f64;
        let judge = |(program, made): &(usize, Made)| {
            let of_program = self.judged.iter().filter(|(seat, _)| seat.program == *program);
            let seconds =
                of_program.map(|(seat, one)| (seat.benchmark, one.seconds.clone())).collect();
            loops::judge_parts(*program, made, &seconds, alpha)
        };
        claims.iter().filter_map(judge).collect()
    }
}

/// The loops of a process for which the harness gives the number of iterations.
fn measurements(lists: &Lists) -> Vec<Measurement> {
    let all = lists.iterations.iter().zip(&lists.seconds);
    all.filter_map(|(iterations, &total)| {
        Some(Measurement { iterations: iterations.filter(|count| *count > 0)?, total })
    })
    .collect()
}
