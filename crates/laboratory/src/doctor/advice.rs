//! Advice on the machine, most effective first.
//!
//! Each piece of advice states the share of a run's time by which its cause affects results. For
//! causes measured here (waiting for a CPU, stolen time) this is the measurement; for others it is
//! the typical size, our estimate that only serves to order the list.

use measure::Missing;

use super::Trials;
use super::facts::{Facts, MUCH_STOLEN};
use super::trial::MARGIN;
use findings::doctor::Recommendation;
use words::quantity::{duration, percent};

/// The observations from running one program against itself, in addition to the facts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrialObservations {
    /// The largest share of their time that runs waited for a CPU.
    pub wait_share: Option<f64>,
    /// The number of thermal throttling events meanwhile.
    pub throttled: u64,
    /// The smallest spread of any program's runs.
    pub spread: Option<f64>,
    /// The programs for which `compare` needs more than its default budget, with the seconds.
    pub slow: Vec<(String, f64)>,
}

impl TrialObservations {
    /// The observations from the trials.
    pub fn from_trials(trials: &Trials) -> Self {
        let tried = || trials.tried.iter().filter_map(|one| Some((one, one.trial.get().ok()?)));
        let shares = tried().filter_map(|(_, trial)| trial.wait_share.get().ok().copied());
        let slow = tried().filter_map(|(one, trial)| {
            let seconds = trial.seconds_for_margin.filter(|each| *each > USUAL_BUDGET_SECONDS)?;
            Some((one.program.clone(), seconds))
        });
        Self {
            wait_share: shares.max_by(f64::total_cmp),
            throttled: trials.throttled,
            spread: tried().map(|(_, trial)| trial.robust_spread).min_by(f64::total_cmp),
            slow: slow.collect(),
        }
    }
}

/// The default budget of `compare` for two commands, in seconds.
const USUAL_BUDGET_SECONDS: f64 = 15.0;

/// A spread of a program's runs above this needs an explanation. Arbitrary.
const MUCH_SPREAD: f64 = 0.02;

/// A share of waiting below this comes from brisk itself and the kernel's own work.
const UNUSUAL_WAIT: f64 = 0.01;

// Typical sizes of effects, as shares of a run's time.
const OF_GOVERNOR: f64 = 0.05;
const OF_TURBO: f64 = 0.03;
const OF_SMT: f64 = 0.025;
const OF_ASLR_OFF: f64 = 0.02;
const OF_HEAT: f64 = 0.015;
const OF_HEAT_NOW: f64 = 0.1;
const OF_LIMIT: f64 = 0.012;
const OF_NO_COUNTERS: f64 = 0.01;
const OF_USER_COUNTERS: f64 = 0.002;
const OF_SLOW_CLOCK: f64 = 0.005;
const OF_MORE_ROUNDS: f64 = 0.001;

/// All useful advice, most effective first. Empty for a machine without faults.
pub fn advise(facts: &Facts, seen: &TrialObservations) -> Vec<Recommendation> {
    let causes = [
        others,
        unseen_others,
        neighbours,
        steal,
        limit,
        governor,
        turbo,
        smt,
        heat,
        layout,
        counters,
        clock,
        more_rounds,
    ];
    let mut advice: Vec<Recommendation> = causes
        .iter()
        .filter_map(|cause: &fn(&Facts, &TrialObservations) -> _| cause(facts, seen))
        .collect();
    advice.sort_by(|a, b| b.effect.total_cmp(&a.effect));
    advice
}

fn usual(about: &'static str, effect: f64, action: &str, evidence: String) -> Recommendation {
    Recommendation {
        about: about.to_owned(),
        effect,
        measured: false,
        action: action.to_owned(),
        evidence,
    }
}

fn waited(seen: &TrialObservations) -> String {
    match seen.wait_share {
        Some(share) => {
            format!("; up to {} of a run's time passed waiting for a CPU", percent(share))
        }
        None => String::new(),
    }
}

fn others(facts: &Facts, seen: &TrialObservations) -> Option<Recommendation> {
    if !facts.is_busy() {
        return None;
    }
    let busiest = facts.conditions.busiest.as_deref().unwrap_or_default();
    let names: Vec<String> =
        busiest.iter().map(|busy| format!("{} ({})", busy.name, busy.pid)).collect();
    let used = facts.used_by_others();
    let cpus = facts.cpus().unwrap_or(1) as f64;
    Some(Recommendation {
        about: "other-users".to_owned(),
        effect: seen.wait_share.unwrap_or(0.0).max(used / cpus),
        measured: true,
        action: format!("stop other programs: {}", names.join(", ")),
        evidence: format!("they used {used:.2} of {cpus:.0} CPUs{}", waited(seen)),
    })
}

fn unseen_others(facts: &Facts, seen: &TrialObservations) -> Option<Recommendation> {
    let share = seen.wait_share.filter(|&share| share >= UNUSUAL_WAIT && !facts.is_busy())?;
    Some(Recommendation {
        about: "unseen-users".to_owned(),
        effect: share,
        measured: true,
        action: "look for programs that run now and then, or outside this container".to_owned(),
        evidence: format!(
            "runs waited for a CPU for up to {} of their time, but no visible process used one \
             before them",
            percent(share)
        ),
    })
}

/// A guest whose runs vary although they never waited.
fn neighbours(facts: &Facts, seen: &TrialObservations) -> Option<Recommendation> {
    let spread = seen.spread.filter(|&spread| spread > MUCH_SPREAD)?;
    let is_explained = facts.is_busy()
        || facts.stolen() > MUCH_STOLEN
        || seen.wait_share.is_some_and(|share| share >= UNUSUAL_WAIT);
    (facts.is_guest() && !is_explained).then(|| Recommendation {
        about: "neighbours".to_owned(),
        effect: spread,
        measured: true,
        action: "measure on a machine of its own".to_owned(),
        evidence: format!(
            "runs of one program spread by {} without waiting for a CPU: other guests of this \
             hardware share its caches, memory and clock",
            percent(spread)
        ),
    })
}

fn steal(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    let stolen = facts.stolen();
    (stolen > MUCH_STOLEN).then(|| Recommendation {
        about: "steal".to_owned(),
        effect: stolen,
        measured: true,
        action: "measure on a host of its own, or give it more rounds (`--budget 60s`)".to_owned(),
        evidence: format!("the hypervisor gave {} of the CPUs' time to others", percent(stolen)),
    })
}

fn limit(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    let limit = facts.limit()?;
    let effect = if limit < 1.0 { 1.0 - limit } else { OF_LIMIT };
    let whom = if limit < 1.0 { "every program" } else { "a program with more threads than that" };
    Some(usual(
        "cpu-limit",
        effect,
        "lift the limit of the control group (`cpu.max`, or `docker run --cpus`)",
        format!("{whom} stands still when it has used {limit:.2} CPUs"),
    ))
}

fn governor(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    let slow = facts.slow_governors();
    (!slow.is_empty()).then(|| {
        usual(
            "governor",
            OF_GOVERNOR,
            "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
            format!("the governor `{}` lets the clock follow the load", slow.join("`, `")),
        )
    })
}

fn turbo(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    let command = if facts.has_intel_pstate {
        "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
    } else {
        "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
    };
    let is_on = facts.conditions.boost == Ok(true);
    is_on.then(|| {
        let evidence = "turbo is on: the clock depends on heat and on what other cores do";
        usual("turbo", OF_TURBO, command, evidence.to_owned())
    })
}

fn smt(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    let action = if facts.is_guest() {
        "ask for whole cores, or keep the other CPU of each core idle"
    } else {
        "echo off | sudo tee /sys/devices/system/cpu/smt/control"
    };
    let is_on = facts.conditions.smt == Ok(true);
    is_on.then(|| {
        let evidence = "SMT is on: a program on the other CPU of a core takes part of it";
        usual("smt", OF_SMT, action, evidence.to_owned())
    })
}

fn heat(facts: &Facts, seen: &TrialObservations) -> Option<Recommendation> {
    let action = "cool it, or lower the clock (turbo off), until it is never slowed down";
    if seen.throttled > 0 {
        let evidence = format!("slowed down for its heat {} times just now", seen.throttled);
        return Some(Recommendation {
            measured: true,
            ..usual("heat", OF_HEAT_NOW, action, evidence)
        });
    }
    let events = *facts.conditions.throttle_events.as_ref().ok()?;
    (events > 0).then(|| {
        let evidence = format!("slowed down for its heat {events} times since boot");
        usual("heat", OF_HEAT, action, evidence)
    })
}

fn layout(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    (facts.conditions.address_randomisation == Ok(0)).then(|| {
        let evidence = "ASLR is off: every run has the same memory layout, and a lucky one looks \
                        like a faster program; on, the rounds average over layouts";
        let action = "sudo sysctl kernel.randomize_va_space=2";
        usual("aslr", OF_ASLR_OFF, action, evidence.to_owned())
    })
}

fn counters(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    let conditions = &facts.conditions;
    let valgrind = "count instructions in separate runs: `--counters valgrind`";
    let Some(reason) = facts.counters_missing() else {
        let excluded = conditions.counters.kernel == Some(measure::Kernel::Excluded);
        return excluded.then(|| {
            let evidence = "the counters leave out the kernel's work";
            let action = "sudo sysctl kernel.perf_event_paranoid=1";
            usual("counters", OF_USER_COUNTERS, action, evidence.to_owned())
        });
    };
    let action = match reason {
        // 2 permits counting a program's own work, 1 the kernel's too (perf_event_open(2)).
        Missing::CountersForbidden { paranoid: Some(3..), .. } => {
            "sudo sysctl kernel.perf_event_paranoid=1"
        }
        Missing::CountersForbidden { .. } => {
            "permit perf_event_open to the container, or use `--counters valgrind`"
        }
        _ => valgrind,
    };
    let evidence =
        format!("instructions vary far less than time and cannot be counted here: {reason}");
    Some(usual("counters", OF_NO_COUNTERS, action, evidence))
}

fn clock(facts: &Facts, _: &TrialObservations) -> Option<Recommendation> {
    facts.slow_clock().map(|clock| {
        usual(
            "clock",
            OF_SLOW_CLOCK,
            "see /sys/devices/system/clocksource/clocksource0/available_clocksource for a faster one",
            format!("programs that ask for the time often pay for the clock source `{clock}`"),
        )
    })
}

fn more_rounds(_: &Facts, seen: &TrialObservations) -> Option<Recommendation> {
    let each = |(program, seconds): &(String, f64)| {
        format!("about {} for the {program} program", duration(*seconds))
    };
    let times: Vec<String> = seen.slow.iter().map(each).collect();
    (!times.is_empty()).then(|| {
        usual(
            "budget",
            OF_MORE_ROUNDS,
            "give `compare` more time with `--budget`",
            format!("to see {} takes {}", percent(MARGIN), times.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use measure::machine::{CpuQuota, Steal, Virtualisation};

    use super::super::facts::tests::{busy, quiet};
    use super::*;

    fn about(facts: &Facts, seen: &TrialObservations) -> Vec<String> {
        advise(facts, seen).into_iter().map(|advice| advice.about).collect()
    }

    #[test]
    fn a_machine_without_a_fault_needs_no_advice() {
        assert_eq!(about(&quiet(), &TrialObservations::default()), Vec::<&str>::new());
    }

    #[test]
    fn what_was_measured_outranks_what_is_usual_when_it_is_larger() {
        let mut facts = quiet();
        facts.conditions.governors = Ok(vec!["powersave".to_owned()]);
        facts.conditions.boost = Ok(true);
        facts.conditions.smt = Ok(true);
        facts.conditions.busiest = Ok(vec![busy("rustc", 0.16)]);
        // 0.16 of 4 CPUs is 4 %: below the governor's 5 %, above turbo's 3 %.
        let seen = TrialObservations { wait_share: Some(0.002), ..TrialObservations::default() };
        assert_eq!(about(&facts, &seen), ["governor", "other-users", "turbo", "smt"]);
        // Runs that waited 20 % of their time put it first.
        let seen = TrialObservations { wait_share: Some(0.2), ..TrialObservations::default() };
        assert_eq!(about(&facts, &seen), ["other-users", "governor", "turbo", "smt"]);
    }

    #[test]
    fn the_others_are_named_with_their_numbers() {
        let mut facts = quiet();
        facts.conditions.busiest = Ok(vec![busy("rustc", 1.5), busy("cc1", 0.5)]);
        let seen = TrialObservations { wait_share: Some(0.12), ..TrialObservations::default() };
        let advice = &advise(&facts, &seen)[0];
        assert_eq!(advice.action, "stop other programs: rustc (4242), cc1 (4242)");
        let expected = "they used 2.00 of 4 CPUs; up to 12 % of a run's time passed waiting for a \
                        CPU";
        assert_eq!(advice.evidence, expected);
    }

    #[test]
    fn waiting_without_anyone_to_be_seen_is_told_apart() {
        let seen = TrialObservations { wait_share: Some(0.03), ..TrialObservations::default() };
        assert_eq!(about(&quiet(), &seen), ["unseen-users"]);
        let seen = TrialObservations { wait_share: Some(0.005), ..TrialObservations::default() };
        assert_eq!(about(&quiet(), &seen), Vec::<&str>::new());
    }

    #[test]
    fn neighbours_are_blamed_only_for_what_nothing_else_explains() {
        let mut facts = quiet();
        let seen = TrialObservations {
            spread: Some(0.04),
            wait_share: Some(0.001),
            ..TrialObservations::default()
        };
        assert_eq!(about(&facts, &seen), Vec::<&str>::new());
        facts.machine.virtualisation = Ok(Virtualisation::Guest { product: None });
        assert_eq!(about(&facts, &seen), ["neighbours"]);
        let waiting = TrialObservations { wait_share: Some(0.2), ..seen };
        assert_eq!(about(&facts, &waiting), ["unseen-users"]);
    }

    #[test]
    fn steal_and_limits_rank_by_their_size() {
        let mut facts = quiet();
        facts.conditions.steal = Ok(Steal { since_boot: 0.06, sampled: 0.0 });
        facts.conditions.cpu_quota = Ok(CpuQuota::Limited { cpus: 0.5 });
        assert_eq!(about(&facts, &TrialObservations::default()), ["cpu-limit", "steal"]);
        facts.conditions.cpu_quota = Ok(CpuQuota::Limited { cpus: 2.0 });
        assert_eq!(about(&facts, &TrialObservations::default()), ["steal", "cpu-limit"]);
    }

    #[test]
    fn missing_counters_have_the_way_out_that_fits() {
        let action = |reason: Missing| {
            let mut facts = quiet();
            for (_, there) in &mut facts.conditions.counters.counters {
                *there = Err(reason.clone());
            }
            facts.conditions.counters.kernel = None;
            advise(&facts, &TrialObservations::default())[0].action.clone()
        };
        let forbidden = |paranoid| Missing::CountersForbidden { errno: 13, paranoid };
        assert!(action(forbidden(Some(4))).starts_with("sudo sysctl"));
        assert!(action(forbidden(Some(2))).starts_with("permit"));
        assert!(action(Missing::NoHardwareCounters).contains("--counters valgrind"));
    }

    #[test]
    fn switches_are_those_of_the_machine() {
        let mut facts = quiet();
        facts.conditions.boost = Ok(true);
        facts.conditions.smt = Ok(true);
        facts.has_intel_pstate = true;
        facts.machine.virtualisation = Ok(Virtualisation::Guest { product: None });
        let advice = advise(&facts, &TrialObservations::default());
        assert!(advice[0].action.contains("no_turbo"), "{advice:?}");
        assert!(advice[1].action.contains("whole cores"), "{advice:?}");
    }

    #[test]
    fn heat_right_now_is_worse_than_heat_of_the_past() {
        let mut facts = quiet();
        facts.conditions.throttle_events = Ok(7);
        facts.conditions.boost = Ok(true);
        assert_eq!(about(&facts, &TrialObservations::default()), ["turbo", "heat"]);
        let seen = TrialObservations { throttled: 2, ..TrialObservations::default() };
        assert_eq!(about(&facts, &seen), ["heat", "turbo"]);
    }

    #[test]
    fn more_time_is_the_last_resort() {
        let mut facts = quiet();
        facts.conditions.clocksource = Ok("hpet".to_owned());
        let seen = TrialObservations {
            slow: vec![("1 s".to_owned(), 125.0)],
            ..TrialObservations::default()
        };
        let advice = advise(&facts, &seen);
        assert_eq!(advice.last().map(|last| last.about.as_str()), Some("budget"));
        assert!(advice[1].evidence.ends_with("about 2 min 05 s for the 1 s program"), "{advice:?}");
    }
}
