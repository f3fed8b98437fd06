//! What `doctor` found, as JSON of schema `brisk/1`.

use measure::machine::CpuQuota;
use serde::Serialize;
use serde_json::{Value, json};

use super::advice::Advice;
use super::facts::{Fact, Facts, list};
use super::rates::{APART, LEVEL, ROUNDS_A_BLOCK, Rate};
use super::trial::MARGIN;
use super::{Trials, Tried};
use crate::host;
use crate::report::document::SCHEMA;

/// Everything. Times are in seconds, shares and changes are fractions.
pub fn document(facts: &Facts, trials: Option<&Trials>, advice: &[Advice]) -> Value {
    json!({
        "schema": SCHEMA,
        "machine": host::machine(),
        "conditions": host::conditions(),
        "doctor": {
            "facts": list(facts).iter().map(fact).collect::<Vec<_>>(),
            "watched_seconds": facts.watched_seconds,
            "other_users": reading(facts.conditions.busiest.as_ref().map(|busiest| {
                let user = |busy: &measure::machine::Busy| {
                    json!({ "pid": busy.pid, "name": busy.name, "cpus": busy.share })
                };
                busiest.iter().map(user).collect::<Vec<_>>()
            })),
            "steal_share": reading(facts.conditions.steal.as_ref().map(|steal| steal.sampled)),
            "cpu_limit": reading(facts.conditions.cpu_quota.as_ref().map(|quota| match quota {
                CpuQuota::Unlimited => None,
                CpuQuota::Limited { cpus } => Some(*cpus),
            })),
            "margin": MARGIN,
            "trials": trials.map(|trials| trials.tried.iter().map(tried).collect::<Vec<_>>()),
            "false_positives": trials.map(false_positives),
            "advice": advice.iter().map(advice_part).collect::<Vec<_>>(),
        },
    })
}

/// A value, or `{"missing": reason}`.
fn reading<T: Serialize, E: std::fmt::Display>(value: Result<T, E>) -> Value {
    match value {
        Ok(value) => json!(value),
        Err(reason) => json!({ "missing": reason.to_string() }),
    }
}

fn fact(fact: &Fact) -> Value {
    let value = reading(fact.value.as_ref());
    json!({ "name": fact.name, "value": value, "mark": fact.mark.word() })
}

fn tried(tried: &Tried) -> Value {
    let trial = match &tried.trial {
        Ok(trial) => trial,
        Err(reason) => {
            return json!({ "program": tried.program.name, "missing": reason.to_string() });
        }
    };
    json!({
        "program": tried.program.name,
        "iterations": trial.iterations,
        "rounds": trial.rounds,
        "elapsed_seconds": trial.elapsed_seconds,
        "median_seconds": trial.summary.median,
        "mean_seconds": trial.summary.mean,
        "robust_spread": trial.robust_spread(),
        "spread": trial.spread(),
        "wait_share": reading(trial.wait_share.as_ref()),
        "drift": trial.drift.map(|drift| {
            json!({ "change": drift.change, "p_value": drift.p_value })
        }),
        "detectable": reading(trial.detectable.as_ref()),
        "rounds_for_margin": trial.rounds_for_margin,
        "seconds_for_margin": trial.seconds_for_margin(),
    })
}

fn false_positives(trials: &Trials) -> Value {
    let rate = |rate: &Rate| json!({ "found": rate.found, "of": rate.of, "low": rate.low, "high": rate.high });
    reading(trials.false_positives.as_ref().map(|found| {
        json!({
            "program": trials.tried[0].program.name,
            "rounds_a_block": ROUNDS_A_BLOCK,
            "level": LEVEL,
            "apart_by": APART,
            "sequential_welch": rate(&found.welch),
            "sequential_means_apart": rate(&found.apart),
            "brisk": rate(&found.paired),
        })
    }))
}

fn advice_part(advice: &Advice) -> Value {
    json!({
        "about": advice.about,
        "effect": advice.effect,
        "measured": advice.measured,
        "action": advice.action,
        "evidence": advice.evidence,
    })
}
