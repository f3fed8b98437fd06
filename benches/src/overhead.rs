//! The cost of measuring: time around each run, time between runs, memory.

use serde_json::Value;

use crate::Row;
use crate::peers::{self, Peers, median};

/// Blocks of each program in turn, so that drift affects all of them.
const BLOCKS: usize = 7;
const RUNS_A_BLOCK: usize = 3000;

const SUBJECT: &str = "/bin/true";

/// Wall time and rate against the bare loop.
fn run_blocks(peers: &Peers) -> ([Vec<(f64, f64)>; 3], Vec<f64>) {
    let mut whole = Vec::new();
    let mut blocks: [Vec<(f64, f64)>; 3] = Default::default();
    let half = (RUNS_A_BLOCK / 2).to_string();
    for _ in 0..BLOCKS {
        blocks[0].push(peers.bare_loop(RUNS_A_BLOCK, SUBJECT));
        if let Some((document, finished)) = peers.brisk(&["--runs", &half, SUBJECT, SUBJECT]) {
            let walls = runs(&document, |run| run["readings"]["wall_time"].as_f64());
            let measuring = document["experiment"]["elapsed_seconds"].as_f64();
            let rate = RUNS_A_BLOCK as f64 / measuring.expect("brisk/1 has it");
            whole.push(RUNS_A_BLOCK as f64 / finished.wall.as_secs_f64());
            blocks[1].push((median(walls), rate));
        }
        let all = RUNS_A_BLOCK.to_string();
        if let Some((document, finished)) = peers.hyperfine(&["--runs", &all, SUBJECT]) {
            let walls = hyperfine_walls(&document, 0);
            blocks[2].push((median(walls), RUNS_A_BLOCK as f64 / finished.wall.as_secs_f64()));
        }
    }
    (blocks, whole)
}

/// Everything about time.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let ([bare, brisk, hyperfine], whole) = run_blocks(peers);
    let whole: Vec<f64> = whole.iter().zip(&bare).map(|(rate, bare)| rate / bare.1).collect();
    let ratio = |of: &[(f64, f64)], part: fn(&(f64, f64)) -> f64| {
        if of.len() < bare.len() {
            return "not checked".to_owned();
        }
        let ratios: Vec<f64> = of.iter().zip(&bare).map(|(a, b)| part(a) / part(b)).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        format!("{:.3} ({least:.3} … {most:.3})", median(ratios))
    };
    for row in [
        Row::new(
            "median wall time of `true` over a bare spawn loop's",
            "0.97 … 1.03",
            ratio(&brisk, |block| block.0),
            ratio(&hyperfine, |block| block.0),
        ),
        Row::new(
            "runs per second over the loop's, while measuring (whole program, with JSON export)",
            ">= 0.93",
            format!("{} ({:.3})", ratio(&brisk, |block| block.1), median(whole)),
            format!("({})", ratio(&hyperfine, |block| block.1)),
        ),
        first_run(peers),
    ] {
        tell(row);
    }
}

/// From the start of brisk to the start of its first run.
fn first_run(peers: &Peers) -> Row {
    let waits: Vec<f64> = (0..15)
        .filter_map(|_| {
            let (document, finished) = peers.brisk(&["--runs", "1", SUBJECT, SUBJECT])?;
            let first = document["runs"][0]["started_unix_ns"].as_u64()?;
            Some((first - finished.started_unix_ns) as f64 / 1e6)
        })
        .collect();
    Row::new("start to first run", "< 10 ms", format!("{:.1} ms", median(waits)), "")
}

/// brisk's peak memory, after few runs and after many.
pub fn memory(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let peak = |rounds: &str| -> f64 {
        // GNU time is not available everywhere; brisk's measurement of brisk is.
        let inner = peers.file("inner.db");
        let mut command = peers.brisk_command(&["compare", "-N", "--quiet", "-r", "1"]);
        let brisk = peers.brisk_command(&[]).get_program().to_string_lossy().into_owned();
        let subject = format!(
            "'{brisk}' compare -N --quiet --store '{}' -r {rounds} {SUBJECT} {SUBJECT}",
            inner.display()
        );
        let json = peers.file("memory.json");
        command.arg("--export-json").arg(&json).arg("--store").arg(peers.file("outer.db"));
        command.arg("--ignore-failure").arg(subject);
        peers::run(&mut command);
        let text = std::fs::read_to_string(&json).expect("it was just written");
        let document: Value = serde_json::from_str(&text).expect("it is JSON");
        document["runs"][0]["readings"]["peak_rss"].as_f64().expect("peak rss is always read")
    };
    let (few, many) = (peak("500"), peak("50000"));
    tell(Row::new(
        "own peak memory after 1,000 and 100,000 runs",
        "< 20 MB, flat",
        format!("{:.1} MB, {:.1} MB", few / 1e6, many / 1e6),
        "",
    ));
}

/// One value of every timed run.
pub fn runs(document: &Value, value: fn(&Value) -> Option<f64>) -> Vec<f64> {
    let runs = document["runs"].as_array().expect("brisk/1 has runs");
    runs.iter().filter_map(value).collect()
}

/// The wall times of one of hyperfine's commands, in seconds.
pub fn hyperfine_walls(document: &Value, command: usize) -> Vec<f64> {
    let measurements = document["results"][command]["measurements"].as_array();
    let measurements = measurements.expect("hyperfine 2 writes measurements");
    measurements.iter().filter_map(|m| m["time_wall_clock"]["value"].as_f64()).collect()
}
