//! A suite of benchmarks as a finding: its variants as benchmarks, and what their processes show
//! beyond the comparisons, once all runs are in the store.

use std::collections::BTreeMap;

use stats::loops::Measurement;

use findings::{Document, GivenUp, OtherArrangement, SuiteBenchmark, SuiteFinding, SuiteProgram};
use judge::loops::{self, Processes};
use judge::orders::{Findings, Orders};
use model::design::contrasts::Made;
use model::metric::{Source, TIME_PER_ITERATION};
use model::run::Run;
use model::spec::suite::{Seat, Seats};
use model::sweep::Withdrawal;
use run::suite::listing::{Lists, PlacedLists};

/// The variants of a document as benchmarks; `None` if it is not a suite.
fn benchmarks(document: &Document) -> Option<SuiteFinding> {
    let metrics = document.experiment.metrics.as_deref()?;
    if !metrics.contains(&TIME_PER_ITERATION) {
        return None;
    }
    let seats = seats(document)?;
    let order = *seats.arrangements.first()?;
    let programs = seats.programs.iter();
    let programs = programs
        .map(|(name, harness)| SuiteProgram { name: name.clone(), harness: harness.clone() });
    let programs: Vec<SuiteProgram> = programs.collect();
    let benchmark = |(benchmark, name): (usize, &String)| SuiteBenchmark {
        name: name.clone(),
        variants: (0..programs.len())
            .map(|program| seats.variant(Seat { program, benchmark }, order))
            .collect(),
    };
    let benchmarks = seats.benchmarks.iter().enumerate().map(benchmark).collect();
    let all = (0_u32..).zip(&seats.seats).zip(&seats.arrangements);
    let company = all.filter(|(_, other)| **other != order).map(|((variant, seat), other)| {
        OtherArrangement {
            variant,
            program: seat.program,
            benchmark: seat.benchmark,
            order: *other,
        }
    });
    let company = company.collect();
    Some(SuiteFinding { order, programs, benchmarks, company, ..SuiteFinding::default() })
}

/// The benchmarks according to the variants' labels.
fn seats(document: &Document) -> Option<Seats> {
    Seats::from_labels(document.variants.iter().map(|variant| &variant.labels))
}

/// Gathers the processes of a suite.
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

    /// Takes the measurements of the harnesses.
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
