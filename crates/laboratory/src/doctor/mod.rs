//! The current state of this machine: disturbances of measurements, and the changes that can still
//! be detected.
//!
//! [`facts`] is the machine's own description. [`trial`] runs each program of [`spin`] against itself:
//! any difference is noise, and shows how often a comparison finds a difference that does not exist.
//! [`advice`] follows from both. [`report`] shows the diagnosis.

pub mod advice;
pub mod facts;
pub mod spin;
pub mod trial;

use std::path::Path;
use std::time::Duration;

use findings::doctor::{
    BusyProcess, FalsePositiveRates, MachineDiagnosis, Reading, Recommendation, TriedProgram,
};
use measure::clock::Stopwatch;
use measure::machine::{Busy, Conditions, CpuQuota};
use model::metric::Missing;
use run::RunError;

use advice::TrialObservations;
use facts::Facts;
use spin::{FEWEST_ROUNDS, PROGRAMS, TrialProgram};
use trial::{Bench, MARGIN};

/// Other processes are watched for this time, or for this part of the available time if less.
const WATCH: Duration = Duration::from_secs(1);
const WATCHED_PART: u32 = 5;

/// The time to watch other processes, given the total budget.
pub fn watching_time(budget: Option<Duration>) -> Duration {
    budget.map_or(WATCH, |budget| WATCH.min(budget / WATCHED_PART))
}

/// The results of running programs against themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Trials {
    /// One for each of [`PROGRAMS`].
    pub tried: Vec<TriedProgram>,
    /// The rates of false positives, from the runs of the shortest program.
    pub false_positives: Reading<FalsePositiveRates>,
    /// The number of thermal throttling events meanwhile.
    pub throttled: u64,
}

/// Runs against itself every program that the time allows. None if interrupted.
pub fn try_programs(
    bench: &mut Bench<'_>,
    facts: &Facts,
    seconds: f64,
) -> Result<Option<Trials>, RunError> {
    let watch = Stopwatch::start();
    let iterations_a_second = spin::iterations_a_second();
    let left = seconds - watch.elapsed().as_secs_f64();
    let mut tried = Vec::new();
    let mut false_positives = None;
    for (program, share) in PROGRAMS.into_iter().zip(spin::divide(left)) {
        let trial = match share {
            None => Err(no_time(&program)),
            Some(share) => {
                let iterations = (program.seconds * iterations_a_second) as u64;
                let trial = trial::try_out(bench, program, iterations, share)?;
                let Some(trial) = trial else { return Ok(None) };
                Ok(trial)
            }
        };
        let times = trial.as_ref().map(|trial| &trial.times).map_err(Clone::clone);
        false_positives.get_or_insert_with(|| {
            let rates = times.and_then(|times| trial::false_positives(program.name, times));
            Reading::from_result(rates)
        });
        let trial = Reading::from_result(trial.map(|trial| trial.result));
        tried.push(TriedProgram { program: program.name.to_owned(), trial });
    }
    let false_positives = false_positives.expect("there are programs");
    Ok(Some(Trials { tried, false_positives, throttled: throttled_since(facts) }))
}

fn no_time(program: &TrialProgram) -> Missing {
    let least = spin::least(program);
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
pub fn advise(facts: &Facts, trials: Option<&Trials>) -> Vec<Recommendation> {
    let seen = trials.map(TrialObservations::from_trials);
    advice::advise(facts, &seen.unwrap_or_default())
}

/// The findings about the machine; without trials if nothing was run.
pub fn diagnosis(
    facts: &Facts,
    trials: Option<&Trials>,
    advice: Vec<Recommendation>,
) -> MachineDiagnosis {
    let conditions = &facts.conditions;
    let user =
        |busy: &Busy| BusyProcess { pid: busy.pid, name: busy.name.clone(), cpus: busy.share };
    let users = conditions.busiest.as_ref().map(|all| all.iter().map(user).collect());
    let limit = conditions.cpu_quota.as_ref().map(|quota| match quota {
        CpuQuota::Unlimited => None,
        CpuQuota::Limited { cpus } => Some(*cpus),
    });
    MachineDiagnosis {
        facts: facts::list(facts),
        watched_seconds: facts.watched_seconds,
        other_users: Reading::from_result(users),
        steal_share: Reading::from_result(conditions.steal.as_ref().map(|steal| steal.sampled)),
        cpu_limit: Reading::from_result(limit),
        margin: MARGIN,
        trials: trials.map(|trials| trials.tried.clone()),
        false_positives: trials.map(|trials| trials.false_positives.clone()),
        advice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::tests::{busy, quiet};
    use findings::doctor::{FalsePositiveRate, TrialResult};
    use page::Page;
    use page::terminal::Folds;
    use report::doctor::page;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn watching_takes_a_second_or_a_fifth_of_the_time() {
        assert_eq!(watching_time(None), Duration::from_secs(1));
        assert_eq!(watching_time(Some(Duration::from_secs(25))), Duration::from_secs(1));
        assert_eq!(watching_time(Some(Duration::from_secs(2))), Duration::from_millis(400));
    }

    /// The page as shown on a terminal, without styles.
    fn shown(page: &Page, columns: usize) -> String {
        let styled = page::terminal::render(page, columns, Folds::Closed);
        anstream::adapter::strip_str(&styled).to_string()
    }

    fn example() -> Trials {
        let rate = |found, low, high| FalsePositiveRate { found, of: 27, low, high };
        let values: Vec<f64> = (0..41).map(|n| 0.01 + f64::from(n * 7 % 41) * 1e-5).collect();
        let summary = stats::describe::summarise(&values).expect("some values");
        let trial = TrialResult {
            iterations: 1,
            rounds: 20,
            elapsed_seconds: 0.42,
            median_seconds: summary.median,
            mean_seconds: summary.mean,
            robust_spread: summary.robust_spread(),
            spread: summary.spread(),
            wait_share: Reading::Value(0.0123),
            drift: None,
            detectable: Reading::Value(0.0345),
            rounds_for_margin: Some(240),
            seconds_for_margin: Some(5.04),
        };
        let missing = |reason: &str| Reading::Missing { missing: reason.to_owned() };
        let long = TrialResult {
            rounds: 1234,
            elapsed_seconds: 250.0,
            wait_share: missing("this kernel keeps no scheduler statistics"),
            detectable: missing("nothing: there were few rounds"),
            rounds_for_margin: Some(12345),
            seconds_for_margin: Some(2501.0),
            ..trial.clone()
        };
        let results = [Reading::Value(trial), Reading::Value(long)];
        let results = results.into_iter().chain([Reading::Missing { missing: "no time".into() }]);
        let tried = PROGRAMS.into_iter().zip(results);
        Trials {
            tried: tried
                .map(|(one, trial)| TriedProgram { program: one.name.to_owned(), trial })
                .collect(),
            false_positives: Reading::Value(FalsePositiveRates {
                program: PROGRAMS[0].name.to_owned(),
                rounds_a_block: 10,
                level: 0.05,
                apart_by: 0.01,
                sequential_welch: rate(7, 0.111, 0.463),
                sequential_means_apart: rate(9, 0.165, 0.54),
                brisk: rate(1, 0.0009, 0.19),
            }),
            throttled: 0,
        }
    }

    #[test]
    fn nothing_is_wider_than_eighty_columns() {
        let mut given = quiet();
        given.conditions.busiest = Ok((0..5).map(|_| busy("fifteen-letters", 0.5)).collect());
        given.conditions.governors = Ok(vec!["powersave".to_owned()]);
        let trials = example();
        let advice = advise(&given, Some(&trials));
        for line in shown(&page(&diagnosis(&given, Some(&trials), advice)), 80).lines() {
            // A command is not wrapped, since it is copied.
            assert!(line.width() <= 80 || line.contains("sudo"), "{line}");
        }
    }

    /// By hand: the values are 10.00, 10.01, ... 10.40 ms; their quartiles lie 0.2 ms apart, which
    /// is 1.349 standard deviations, and their variance is 41 * 42 / 12 hundredths squared.
    #[test]
    fn the_table_of_trials_gives_numbers_or_reasons() {
        let text = shown(&page(&diagnosis(&quiet(), Some(&example()), Vec::new())), 100);
        let answer =
            "The smallest changes that can be seen here, now: 3.5 % in 10 ms. No fault was found.";
        assert_eq!(text.lines().next(), Some(answer));
        let row = text.lines().find(|line| line.starts_with("10 ms")).expect("a row");
        let cells: Vec<&str> =
            row.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect();
        assert_eq!(
            cells,
            ["10 ms", "20", "10.20 ms", "1.5 %", "1.2 %", "1.2 %", "3.5 %", "240 (5.0 s)"]
        );
        assert!(text.contains("1 s: not run: no time\n"));
        assert!(text.contains("1 of 27   4 %  [0, 19]\n"), "{text}");
    }

    #[test]
    fn a_machine_without_a_fault_is_told_so() {
        assert!(
            shown(&page(&diagnosis(&quiet(), None, Vec::new())), 80)
                .starts_with("No fault was found.\n")
        );
    }
}
