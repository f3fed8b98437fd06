//! Commits that change nothing, on a busy machine: the rate of false steps.

use std::collections::HashMap;

use serde_json::Value;

use crate::Row;
use crate::peers::{Peers, comparisons};
use crate::repository::Repository;

const COMMITS: usize = 40;
const REPETITIONS: usize = 20;

/// Short runs, for many rounds: few rounds would find nothing anyway.
const STEPS: u32 = 4_000_000;

/// A history's default budget would be minutes each time; the duration does not change the error
/// rate.
const BUDGET: &str = "30s";

/// The number of runs used by the rule that brisk is compared with.
const OF_MINIMUM: u64 = 5;

/// Builds once, then measures again and again.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let repository = Repository::new(peers, "versions", COMMITS, STEPS);
    // Nothing may be built during the measurements under load.
    let built = repository.brisk(&["--runs", "1"]);
    let count = if built.is_some() { comparisons(REPETITIONS) } else { 0 };
    let _load = peers.load(2);
    let (mut done, mut any, mut steps) = (0, 0, 0);
    let (mut any_minimum, mut minimum_steps) = (0, 0);
    for _ in 0..count {
        repository.forget_runs();
        let Some((document, _)) = repository.brisk(&["--remeasure", "--budget", BUDGET]) else {
            continue;
        };
        let ours = repository.of_steps(&document);
        let theirs = repository.of_minima(&minima(&document));
        done += 1;
        any += usize::from(ours.wrong() > 0);
        steps += ours.wrong();
        any_minimum += usize::from(theirs.wrong() > 0);
        minimum_steps += theirs.wrong();
    }
    let what = format!("{COMMITS} commits that change nothing, both cores loaded: any step");
    let said = |any: usize, steps: usize| match done {
        0 => "not checked".to_owned(),
        _ => format!("{any}/{done} repetitions, {steps} steps"),
    };
    let theirs = format!("minimum of {OF_MINIMUM}: {}", said(any_minimum, minimum_steps));
    tell(Row::new(what, "<= 5 %", said(any, steps), theirs));
}

/// The minimum wall time in the first rounds, by commit.
fn minima(document: &Value) -> HashMap<String, f64> {
    let mut of_variant: HashMap<u64, f64> = HashMap::new();
    for run in document["runs"].as_array().expect("brisk/1 has runs") {
        let is_early = run["round"].as_u64().is_some_and(|round| round < OF_MINIMUM);
        let variant = run["variant"].as_u64();
        if let (true, Some(variant), Some(wall)) =
            (is_early, variant, run["readings"]["wall_time"].as_f64())
        {
            let least = of_variant.entry(variant).or_insert(wall);
            *least = wall.min(*least);
        }
    }
    let commits = document["commits"].as_array().expect("a history has commits");
    let of_commit = commits.iter().filter_map(|commit| {
        let least = of_variant.get(&commit["variant"].as_u64()?)?;
        Some((commit["hash"].as_str()?.to_owned(), *least))
    });
    of_commit.collect()
}
