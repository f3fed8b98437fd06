//! The share of a process's usage that is due to its last benchmark.
//!
//! The system counts page faults and time in the kernel per process. If a benchmark is alone in its
//! process, they belong to it, less the start-up usage of the program: that is measured in
//! processes that only list the benchmarks. If others ran before it, their usage when alone is
//! subtracted as well, scaled to the number of their iterations.

use std::collections::BTreeMap;

use stats::describe::summarise;

use super::Turn;
use super::readings::Report;
use model::metric::{
    FAULTS_PER_ITERATION, MINOR_FAULTS, MetricId, Missing, Readings, SYSTEM_TIME,
    SYSTEM_TIME_PER_ITERATION, Value,
};
use model::spec::suite::Member;

/// The number of readings that are attributed.
const AMOUNTS: usize = 2;

/// The metrics: of a process, and of an iteration.
const SHARED: [(MetricId, MetricId); AMOUNTS] =
    [(MINOR_FAULTS, FAULTS_PER_ITERATION), (SYSTEM_TIME, SYSTEM_TIME_PER_ITERATION)];

type Amounts = [f64; AMOUNTS];

/// The known usage of the programs and their benchmarks.
pub(super) struct Shares {
    /// The usage of processes of each program that ran no benchmark.
    starts: Vec<Vec<Amounts>>,
    /// The usage of an iteration of each benchmark of a program when it was alone, by its place
    /// among namesakes.
    alone: BTreeMap<(usize, String, usize), Vec<Amounts>>,
}

impl Shares {
    pub(super) fn new(programs: usize) -> Self {
        Self { starts: vec![Vec::new(); programs], alone: BTreeMap::new() }
    }

    /// Adds the usage of a process that ran no benchmark.
    pub(super) fn take_start(&mut self, program: usize, used: &Readings) {
        self.starts[program].extend(amounts(used));
    }

    /// The usage of an iteration of a turn's last benchmark, from the usage of the process, `used`.
    pub(super) fn of_last<'a>(
        &mut self,
        turn: &Turn<'_>,
        used: &Readings,
        report: &Report,
        member: impl Fn(u32) -> &'a Member,
    ) -> Readings {
        let found = self.last(turn, used, report, &member);
        if let ([only], Ok(amounts)) = (turn.running.as_slice(), &found) {
            self.alone.entry(key(member(*only))).or_default().push(*amounts);
        }
        let reading = |(index, (_, id)): (usize, &(MetricId, MetricId))| -> (MetricId, Value) {
            (id.clone(), found.clone().map(|amounts| amounts[index]))
        };
        SHARED.iter().enumerate().map(reading).collect()
    }

    fn last<'a>(
        &self,
        turn: &Turn<'_>,
        used: &Readings,
        report: &Report,
        member: &impl Fn(u32) -> &'a Member,
    ) -> Result<Amounts, Missing> {
        let missing = |reason: &'static str| Missing(reason.into());
        let (last, before) = turn.running.split_last().ok_or_else(|| missing("nothing ran"))?;
        if !before.is_empty() && !turn.follows_up() {
            return Err(missing("others ran in the same process"));
        }
        let iterations = |variant: u32| {
            let of = member(variant);
            let count = report.iterations(&of.benchmark, of.namesakes_before);
            count.ok_or_else(|| missing("the harness does not say how often it iterated"))
        };
        let mut left = amounts(used).ok_or_else(|| missing("not read"))?;
        let start = middle(&self.starts[turn.program])
            .ok_or_else(|| missing("no process that ran none could be read"))?;
        take_off(&mut left, &start, 1.0);
        for &variant in before {
            let alone = self.alone.get(&key(member(variant))).and_then(|all| middle(all));
            let alone = alone.ok_or_else(|| missing("what ran before it was not seen alone"))?;
            take_off(&mut left, &alone, iterations(variant)?);
        }
        let count = iterations(*last)?;
        Ok(left.map(|amount| amount.max(0.0) / count))
    }
}

fn key(member: &Member) -> (usize, String, usize) {
    (member.program, member.benchmark.clone(), member.namesakes_before)
}

fn take_off(from: &mut Amounts, amounts: &Amounts, times: f64) {
    for (left, amount) in from.iter_mut().zip(amounts) {
        *left -= amount * times;
    }
}

fn amounts(used: &Readings) -> Option<Amounts> {
    let value = |id: &MetricId| used.get(id)?.as_ref().ok().copied();
    let [(faults, _), (system, _)] = &SHARED;
    Some([value(faults)?, value(system)?])
}

fn middle(all: &[Amounts]) -> Option<Amounts> {
    let of = |index: usize| {
        let values: Vec<f64> = all.iter().map(|amounts| amounts[index]).collect();
        summarise(&values).map(|summary| summary.median)
    };
    Some([of(0)?, of(1)?])
}

#[cfg(test)]
mod tests {
    use toolchains::harness::measurement::{Measured, Measurement};

    use super::*;
    use model::metric::Source;
    use model::plan::{Plan, Round};
    use model::spec::suite::Arrangement;

    fn members() -> [Member; 2] {
        ["a", "b"].map(|name| Member {
            program: 0,
            benchmark: name.to_owned(),
            namesakes_before: 0,
            arrangement: Arrangement::Alone,
        })
    }

    fn used(faults: f64) -> Readings {
        [(MINOR_FAULTS, Ok(faults)), (SYSTEM_TIME, Ok(faults * 1e-6))].into_iter().collect()
    }

    /// The usage of the last of these, which are variants with their numbers of iterations.
    fn of_last(
        shares: &mut Shares,
        running: &[(u32, u64)],
        follows_up: bool,
        faults: f64,
    ) -> Value {
        let round: Round = Plan { seed: 1, variants: 2 }.round(0, false);
        let variants: Vec<u32> = running.iter().map(|(variant, _)| *variant).collect();
        let turn = Turn {
            program: 0,
            arrangement: Arrangement::Shuffled,
            running: variants.clone(),
            taking_part: variants,
            padding: 0,
            round: &round,
            position: 0,
            source: if follows_up { Source::FollowUp } else { Source::Run },
        };
        let measured = running.iter().map(|&(variant, iterations)| {
            let name = members()[variant as usize].benchmark.clone();
            Measured::new(name, vec![Measurement::of_time(Some(iterations), 1.0)])
        });
        let report = Report::new(measured.collect());
        let members = members();
        let found =
            shares.of_last(&turn, &used(faults), &report, |variant| &members[variant as usize]);
        found.get(&FAULTS_PER_ITERATION).cloned().expect("always said")
    }

    #[test]
    fn what_starting_takes_and_what_others_use_alone_is_not_of_the_last() {
        let mut shares = Shares::new(1);
        assert!(of_last(&mut shares, &[(0, 10)], false, 600.0).is_err(), "no start was seen");
        for faults in [90.0, 100.0, 500.0] {
            shares.take_start(0, &used(faults));
        }
        // (600 - 100) / 10, where the median start takes 100.
        assert_eq!(of_last(&mut shares, &[(0, 10)], false, 600.0), Ok(50.0));
        // 3300 - 100 - 20 * 50 are 2200 for 100 iterations.
        assert_eq!(of_last(&mut shares, &[(0, 20), (1, 100)], true, 3300.0), Ok(22.0));
        // Never negative.
        assert_eq!(of_last(&mut shares, &[(1, 10)], false, 60.0), Ok(0.0));
    }

    #[test]
    fn what_cannot_be_shared_out_is_missing_with_its_reason() {
        let mut shares = Shares::new(1);
        shares.take_start(0, &used(100.0));
        let reason = |found: Value| found.expect_err("missing").to_string();
        let company = of_last(&mut shares, &[(0, 1), (1, 1)], false, 900.0);
        assert_eq!(reason(company), "others ran in the same process");
        let unseen = of_last(&mut shares, &[(0, 1), (1, 1)], true, 900.0);
        assert_eq!(reason(unseen), "what ran before it was not seen alone");
    }
}
