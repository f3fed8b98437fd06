//! The current state of this machine: disturbances of measurements, and the changes that can still
//! be detected.
//!
//! [`facts`] is the machine's own description. [`trial`] runs a program against itself, once for
//! each length of [`schedule`]: any difference is noise. [`rates`] uses those runs to see how often
//! a comparison finds a difference that does not exist, and [`advice`] derives advice from all of
//! that. [`document`] is the result, as it is stored and exported, and [`report`] shows it.

pub mod advice;
pub mod document;
pub mod facts;
pub mod rates;
pub mod schedule;
pub mod spin;
pub mod trial;

use std::path::Path;
use std::time::Duration;

use measure::clock::Stopwatch;
use measure::machine::Conditions;

use advice::{Advice, TrialObservations};
use facts::Facts;
use model::metric::Missing;
use rates::FalsePositives;
use run::RunError;
use schedule::{FEWEST_ROUNDS, PROGRAMS, TrialProgram};
use trial::{Bench, Trial};

/// Other processes are watched for this time, or for this part of the available time if less.
const WATCH: Duration = Duration::from_secs(1);
const WATCHED_PART: u32 = 5;

/// The time to watch other processes, given the total budget.
pub fn watching_time(budget: Option<Duration>) -> Duration {
    budget.map_or(WATCH, |budget| WATCH.min(budget / WATCHED_PART))
}

/// A program, and the result of its trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The program.
    pub program: TrialProgram,
    /// The result, or the reason that it was not run.
    pub trial: Result<Trial, Missing>,
}

/// The results of running programs against themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Trials {
    /// One for each of [`PROGRAMS`].
    pub tried: Vec<Tried>,
    /// The rates of false positives, from the runs of the shortest program.
    pub false_positives: Result<FalsePositives, Missing>,
    /// The number of thermal throttling events meanwhile.
    pub throttled: u64,
}

impl Trials {
    /// The trials that were run.
    pub fn finished(&self) -> Vec<Trial> {
        self.tried.iter().filter_map(|tried| tried.trial.clone().ok()).collect()
    }
}

/// Runs against itself every program that the time allows. None if interrupted.
///
/// # Errors
///
/// When a program cannot be run.
pub fn try_programs(
    bench: &mut Bench<'_>,
    facts: &Facts,
    seconds: f64,
) -> Result<Option<Trials>, RunError> {
    let watch = Stopwatch::start();
    let iterations_a_second = spin::iterations_a_second();
    let left = seconds - watch.elapsed().as_secs_f64();
    let mut tried = Vec::new();
    for (program, share) in PROGRAMS.into_iter().zip(schedule::divide(left)) {
        let Some(share) = share else {
            tried.push(Tried { program, trial: Err(no_time(&program)) });
            continue;
        };
        let iterations = (program.seconds * iterations_a_second) as u64;
        let Some(trial) = trial::try_out(bench, program, iterations, share)? else {
            return Ok(None);
        };
        tried.push(Tried { program, trial: Ok(trial) });
    }
    let shortest = tried[0].trial.as_ref().map_err(Clone::clone);
    Ok(Some(Trials {
        false_positives: shortest.and_then(|trial| rates::false_positives(&trial.times)),
        throttled: throttled_since(facts),
        tried,
    }))
}

fn no_time(program: &TrialProgram) -> Missing {
    let least = schedule::least(program);
    let text = format!("no time for {FEWEST_ROUNDS} rounds of it, {least} s; give a `--budget`");
    Missing(text.into())
}

fn throttled_since(facts: &Facts) -> u64 {
    let now = Conditions::read(Path::new("/"), Duration::ZERO).throttle_events;
    match (&facts.conditions.throttle_events, now) {
        (Ok(before), Ok(now)) => now.saturating_sub(*before),
        _ => 0,
    }
}

/// The advice, most effective first. Without trials, it rests on the facts alone.
pub fn advise(facts: &Facts, trials: Option<&Trials>) -> Vec<Advice> {
    let seen =
        trials.map(|trials| TrialObservations::from_trials(&trials.finished(), trials.throttled));
    advice::advise(facts, &seen.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watching_takes_a_second_or_a_fifth_of_the_time() {
        assert_eq!(watching_time(None), Duration::from_secs(1));
        assert_eq!(watching_time(Some(Duration::from_secs(25))), Duration::from_secs(1));
        assert_eq!(watching_time(Some(Duration::from_secs(2))), Duration::from_millis(400));
    }
}
