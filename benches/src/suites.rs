//! `brisk bench` on suites: effects of the order, real or absent, its duration against the harness
//! itself, and the agreement of a repeated run with the first one.

use serde_json::Value;

use crate::Row;
use crate::peers::{Peers, command, comparisons, run as finish};

/// The number of suites, unless `BENCH_COMPARISONS` is set.
const SUITES: usize = 20;

/// The number of repeated experiments, unless `BENCH_COMPARISONS` is set: with six benchmarks, 500
/// pairs.
const REPEATED: usize = 85;

/// The divisor of that number for criterion, which takes at least 1.4 s for each benchmark: it
/// continues until ten of its ever longer loops took more than 30 ms.
const CRITERION_COSTS: usize = 7;

/// The slowdown of benchmarks that run after others, in per cent.
const CARRIED_OVER: &str = "5";

/// The document that brisk exported for a suite.
fn bench(peers: &Peers, arguments: &[&str]) -> Option<Value> {
    let (json, store) = (peers.file("suite.json"), peers.file("suite.db"));
    let _ = std::fs::remove_file(&store);
    let mut brisk = peers.brisk_command(&["bench", "--quiet", "--export-json"]);
    brisk.arg(&json).arg("--store").arg(&store).args(arguments);
    if !finish(&mut brisk).ok {
        return None;
    }
    let text = std::fs::read_to_string(json).ok()?;
    serde_json::from_str(&text).ok()
}

/// Effects of the order: none, and 5 %.
pub fn orders(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let suite = peers.file("suites/suite").display().to_string();
    let count = comparisons(SUITES);
    let found = |percent: &str| {
        let dependent = (0..count).filter_map(|_| {
            let document = bench(peers, &[&suite, "--", "8", percent])?;
            let found = document["suite"]["dependences"].as_array().map_or(0, Vec::len);
            let regimes = document["suite"]["regimes"].as_array().map_or(0, Vec::len);
            Some((found, regimes))
        });
        dependent.collect::<Vec<_>>()
    };
    let none = found("0");
    let any = none.iter().filter(|(found, _)| *found > 0).count();
    let regimes = none.iter().filter(|(_, regimes)| *regimes > 0).count();
    tell(Row::new(
        "suites of 8 equal benchmarks in which an effect of the order is found",
        "<= 1 of 20",
        format!("{any} of {}; regimes in {regimes}", none.len()),
        "",
    ));
    let some = found(CARRIED_OVER);
    let all: usize = some.iter().map(|(found, _)| (*found).min(8)).sum();
    tell(Row::new(
        "benchmarks that are found to be slower by 5 % when they are not first",
        ">= 90 %",
        format!("{all} of {}", some.len() * 8),
        "",
    ));
}

/// A suite of 50 benchmarks, against the harness alone.
pub fn time(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let suite = peers.file("suites/fifty.test");
    let what = "a suite of 50 benchmarks of Go in all orders: time over the harness's own";
    if !suite.exists() {
        tell(Row::new(what, "<= 3", "not checked: no Go", ""));
        return;
    }
    let mut own = command(&suite);
    let own = finish(own.args(["-test.run=^$", "-test.bench=."])).wall.as_secs_f64();
    let (json, store) = (peers.file("suite.json"), peers.file("suite.db"));
    let _ = std::fs::remove_file(&store);
    let mut brisk = peers.brisk_command(&["bench", "--quiet", "--export-json"]);
    brisk.arg(&json).arg("--store").arg(&store).arg(&suite);
    let ours = finish(&mut brisk).wall.as_secs_f64();
    let shown = format!("{:.2}: {ours:.0} s", ours / own);
    tell(Row::new(what, "<= 3", shown, format!("Go's testing: {own:.0} s")));
}

/// The share of repeated runs within the interval of the run before.
pub fn again(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    for (how, cores) in [("idle", 0), ("both cores loaded", 2)] {
        let _load = (cores > 0).then(|| peers.load(cores));
        again_of(peers, "again.test", REPEATED, None, how, tell);
        again_of(peers, "again", REPEATED / CRITERION_COSTS, Some(criterion), how, tell);
    }
}

/// criterion's own intervals of a program's benchmarks.
type Peer = fn(&Peers, &str) -> Option<Levels>;

/// The same for one program, with this number of experiments.
fn again_of(
    peers: &Peers,
    file: &str,
    experiments: usize,
    peer: Option<Peer>,
    how: &str,
    tell: &mut dyn FnMut(Row),
) {
    let what = format!("another run's estimate within the interval, `{file}`, {how}");
    let goal = ">= 93 %";
    let program = peers.file(&format!("suites/{file}"));
    if !program.exists() {
        tell(Row::new(what, goal, "not checked: its compiler is not installed", ""));
        return;
    }
    let program = program.display().to_string();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..comparisons(experiments) {
        let arguments = ["--order", "alone", "--runs", "10", "--time-per-run", "50ms", &program];
        ours.extend(bench(peers, &arguments).map(|document| levels(&document)));
        theirs.extend(peer.and_then(|peer| peer(peers, &program)));
    }
    let theirs =
        if peer.is_some() { format!("criterion: {}", covered(&theirs)) } else { String::new() };
    tell(Row::new(what, goal, covered(&ours), theirs));
}

/// For each benchmark the estimate, and the interval for another one.
type Levels = Vec<[f64; 3]>;

fn levels(document: &Value) -> Levels {
    let levels = document["suite"]["levels"].as_array().into_iter().flatten();
    let numbers = |level: &Value| {
        ["estimate", "again_low", "again_high"].map(|key| level[key].as_f64().unwrap_or(f64::NAN))
    };
    levels.map(numbers).collect()
}

/// criterion's own analysis, with the same time for each benchmark: the slope and its interval.
fn criterion(peers: &Peers, program: &str) -> Option<Levels> {
    let json = peers.file("criterion.json");
    let _ = std::fs::remove_file(&json);
    let mut criterion = command(program.as_ref());
    if !finish(criterion.args(["--time-limit", "0.5", "--json"]).arg(&json)).ok {
        return None;
    }
    let document: Value = serde_json::from_str(&std::fs::read_to_string(json).ok()?).ok()?;
    let reports = document[2].as_array()?;
    let level = |report: &Value| {
        let slope = &report["reportAnalysis"]["anRegress"][0]["regCoeffs"]["iters"];
        let point = slope["estPoint"].as_f64()?;
        let [below, above] = ["confIntLDX", "confIntUDX"]
            .map(|key| slope["estError"][key].as_f64().unwrap_or(f64::NAN));
        Some([point, point - below, point + above])
    };
    reports.iter().map(level).collect()
}

/// The number of pairs of successive experiments in which the first one's interval contains the
/// second one's estimate.
fn covered(all: &[Levels]) -> String {
    let pairs = all.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]));
    let within: Vec<bool> =
        pairs.map(|([_, low, high], [estimate, ..])| (low..=high).contains(&estimate)).collect();
    let hits = within.iter().filter(|hit| **hit).count();
    format!(
        "{hits} of {} ({:.0} %)",
        within.len(),
        100.0 * hits as f64 / within.len().max(1) as f64
    )
}
