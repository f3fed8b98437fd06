//! The facts and trials as findings.

use measure::machine::CpuQuota;

use super::advice::Advice;
use super::facts::{Fact, Facts, list};
use super::rates::{APART, FalsePositives, LEVEL, ROUNDS_A_BLOCK, Rate};
use super::trial::{MARGIN, Trial};
use super::{Trials, Tried};
use findings::doctor::{
    BusyProcess, FalsePositiveRate, FalsePositiveRates, MachineDiagnosis, MachineFact, Reading,
    Recommendation, TrialDrift, TrialResult, TriedProgram,
};

/// The complete part; without trials if nothing was run.
pub fn part(facts: &Facts, trials: Option<&Trials>, advice: &[Advice]) -> MachineDiagnosis {
    let conditions = &facts.conditions;
    let user = |busy: &measure::machine::Busy| BusyProcess {
        pid: busy.pid,
        name: busy.name.clone(),
        cpus: busy.share,
    };
    let users = conditions.busiest.as_ref().map(|all| all.iter().map(user).collect());
    let limit = conditions.cpu_quota.as_ref().map(|quota| match quota {
        CpuQuota::Unlimited => None,
        CpuQuota::Limited { cpus } => Some(*cpus),
    });
    MachineDiagnosis {
        facts: list(facts).into_iter().map(fact).collect(),
        watched_seconds: facts.watched_seconds,
        other_users: Reading::from_result(users),
        steal_share: Reading::from_result(conditions.steal.as_ref().map(|steal| steal.sampled)),
        cpu_limit: Reading::from_result(limit),
        margin: MARGIN,
        trials: trials.map(|trials| trials.tried.iter().map(tried).collect()),
        false_positives: trials.map(false_positives),
        advice: advice.iter().map(advice_part).collect(),
    }
}

fn fact(fact: Fact) -> MachineFact {
    MachineFact {
        name: fact.name.to_owned(),
        value: Reading::from_result(fact.value),
        mark: fact.mark,
    }
}

fn tried(tried: &Tried) -> TriedProgram {
    let trial = Reading::from_result(tried.trial.as_ref().map(trial));
    TriedProgram { program: tried.program.name.to_owned(), trial }
}

fn trial(trial: &Trial) -> TrialResult {
    TrialResult {
        iterations: trial.iterations,
        rounds: trial.rounds,
        elapsed_seconds: trial.elapsed_seconds,
        median_seconds: trial.summary.median,
        mean_seconds: trial.summary.mean,
        robust_spread: trial.summary.robust_spread(),
        spread: trial.summary.spread(),
        wait_share: Reading::from_result(trial.wait_share.as_ref().copied()),
        drift: (trial.drift)
            .map(|drift| TrialDrift { change: drift.change, p_value: drift.p_value }),
        detectable: Reading::from_result(trial.detectable.as_ref().copied()),
        rounds_for_margin: trial.rounds_for_margin,
        seconds_for_margin: trial.seconds_for_margin(),
    }
}

fn false_positives(trials: &Trials) -> Reading<FalsePositiveRates> {
    let rate = |rate: &Rate| FalsePositiveRate {
        found: rate.found,
        of: rate.of,
        low: rate.low,
        high: rate.high,
    };
    let part = |found: &FalsePositives| FalsePositiveRates {
        program: trials.tried[0].program.name.to_owned(),
        rounds_a_block: ROUNDS_A_BLOCK,
        level: LEVEL,
        apart_by: APART,
        sequential_welch: rate(&found.welch),
        sequential_means_apart: rate(&found.apart),
        brisk: rate(&found.paired),
    };
    Reading::from_result(trials.false_positives.as_ref().map(part))
}

fn advice_part(advice: &Advice) -> Recommendation {
    Recommendation {
        about: advice.about.to_owned(),
        effect: advice.effect,
        measured: advice.measured,
        action: advice.action.clone(),
        evidence: advice.evidence.clone(),
    }
}

#[cfg(test)]
mod tests {
    use page::terminal::Folds;
    use unicode_width::UnicodeWidthStr;

    use super::super::rates::{FalsePositives, Rate};
    use super::super::schedule::PROGRAMS;
    use super::super::trial::Trial;
    use super::super::{Trials, Tried};
    use super::*;
    use crate::doctor::facts::tests::{busy, quiet};
    use model::metric::Missing;
    use page::Page;
    use report::doctor::page;

    /// The page as shown on a terminal, without styles.
    fn shown(page: &Page, columns: usize) -> String {
        let styled = page::terminal::render(page, columns, Folds::Closed);
        anstream::adapter::strip_str(&styled).to_string()
    }

    fn example() -> Trials {
        let rate = |found, low, high| Rate { found, of: 27, low, high };
        let values: Vec<f64> = (0..41).map(|n| 0.01 + f64::from(n * 7 % 41) * 1e-5).collect();
        let trial = Trial {
            program: PROGRAMS[0],
            iterations: 1,
            rounds: 20,
            elapsed_seconds: 0.42,
            summary: stats::describe::summarise(&values).expect("some values"),
            drift: None,
            wait_share: Ok(0.0123),
            detectable: Ok(0.0345),
            rounds_for_margin: Some(240),
            times: Vec::new(),
        };
        let long = Trial {
            program: PROGRAMS[1],
            rounds: 1234,
            elapsed_seconds: 250.0,
            wait_share: Err(Missing("this kernel keeps no scheduler statistics".into())),
            detectable: Err(Missing("nothing: there were few rounds".into())),
            rounds_for_margin: Some(12345),
            ..trial.clone()
        };
        let reason = Missing("no time".into());
        Trials {
            tried: vec![
                Tried { program: PROGRAMS[0], trial: Ok(trial) },
                Tried { program: PROGRAMS[1], trial: Ok(long) },
                Tried { program: PROGRAMS[2], trial: Err(reason) },
            ],
            false_positives: Ok(FalsePositives {
                welch: rate(7, 0.111, 0.463),
                apart: rate(9, 0.165, 0.54),
                paired: rate(1, 0.0009, 0.19),
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
        let advice = super::super::advise(&given, Some(&trials));
        for line in shown(&page(&part(&given, Some(&trials), &advice)), 80).lines() {
            // A command is not wrapped, since it is copied.
            assert!(line.width() <= 80 || line.contains("sudo"), "{line}");
        }
    }

    /// By hand: the values are 10.00, 10.01, ... 10.40 ms; their quartiles lie 0.2 ms apart, which
    /// is 1.349 standard deviations, and their variance is 41 * 42 / 12 hundredths squared.
    #[test]
    fn the_table_of_trials_gives_numbers_or_reasons() {
        let text = shown(&page(&part(&quiet(), Some(&example()), &[])), 100);
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
        assert!(shown(&page(&part(&quiet(), None, &[])), 80).starts_with("No fault was found.\n"));
    }
}
