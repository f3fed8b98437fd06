//! Draws made-up histories of 3, 40, 1,000 and 5,000 commits and says how long that took and how
//! large the files are:
//!
//!     graph_samples FOLDER
#![expect(clippy::print_stdout, reason = "a program of its own")]

use std::error::Error;
use std::fs;
use std::path::Path;

use brisk::metric::Unit;
use brisk::report::graph::{self, Change, Commit, Drift, Graph, Panel, Point, State, Step};
use measure::clock::Stopwatch;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    for (name, graph) in [
        ("3", history(3, &FOUNDING[2..], &[(2, 0.6)], 0)),
        ("40", history(40, &FOUNDING, &FOUNDING_STEPS, 0)),
        ("40-steady", history(40, &STEADY, &[(17, 1.031)], 0)),
        ("200", history(200, &FOUNDING, &[(31, 0.5), (60, 0.05), (61, 1.4), (150, 0.7)], 10)),
        ("1000", history(1000, &FOUNDING, &many_steps(1000, 30), 25)),
        ("5000", history(5000, &[FOUNDING, STEADY, FOUNDING].concat(), &many_steps(5000, 60), 300)),
        ("5000-ten", history(5000, &ten(), &many_steps(5000, 60), 300)),
    ] {
        draw(folder, name, &graph)?;
    }
    Ok(())
}

fn draw(folder: &Path, name: &str, graph: &Graph) -> Result<(), Box<dyn Error>> {
    let watch = Stopwatch::start();
    let svg = graph::svg(graph)?;
    let svg_seconds = watch.elapsed().as_secs_f64();
    let png = graph::png(graph)?;
    let seconds = watch.elapsed().as_secs_f64();
    fs::write(folder.join(format!("{name}.svg")), &svg)?;
    fs::write(folder.join(format!("{name}.png")), &png)?;
    println!(
        "{name:>10}: {} panels, SVG {svg_seconds:.3} s {:.2} MB, both {seconds:.3} s, PNG {:.2} MB",
        graph.panels.len(),
        svg.len() as f64 / 1e6,
        png.len() as f64 / 1e6,
    );
    Ok(())
}

/// A metric: name, unit, first value, how strongly the steps act, and relative noise.
type Metric = (&'static str, Unit, f64, f64, f64);

const FOUNDING: [Metric; 3] = [
    ("Allocations", Unit::Bytes, 60e9, 1.0, 0.0),
    ("Memory", Unit::Bytes, 6.7e9, 1.5, 0.0),
    ("Time", Unit::Seconds, 2640.0, 1.2, 0.02),
];
const STEADY: [Metric; 3] = [
    ("Instructions", Unit::Count, 4.2e9, 0.2, 0.0002),
    ("Wall time", Unit::Seconds, 0.347, 1.0, 0.006),
    ("Peak rss", Unit::Bytes, 48e6, 3.0, 0.01),
];
const FOUNDING_STEPS: [(usize, f64); 9] = [
    (2, 0.82),
    (6, 0.35),
    (9, 0.904),
    (10, 0.65),
    (15, 1.12),
    (21, 0.3),
    (26, 0.21),
    (33, 0.904),
    (36, 0.538),
];

fn ten() -> Vec<Metric> {
    let more =
        [("Cpu time", Unit::Seconds, 0.3, 1.0, 0.01), ("Faults", Unit::Count, 900.0, 0.5, 0.0)];
    let last =
        [("Cycles", Unit::Hertz, 3e9, 0.3, 0.01), ("Gc time", Unit::Seconds, 0.02, 1.0, 0.2)];
    [&FOUNDING[..], &STEADY[..], &more[..], &last[..]].concat()
}

fn many_steps(commits: usize, count: usize) -> Vec<(usize, f64)> {
    let mut random = Random(7);
    let mut at: Vec<usize> =
        (0..count).map(|_| 1 + (random.next() * (commits - 1) as f64) as usize).collect();
    at.sort_unstable();
    at.dedup();
    at.into_iter().map(|commit| (commit, (0.25 * random.normal() - 0.05).exp())).collect()
}

/// Random numbers that are the same every time (Knuth's linear congruential generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normally distributed.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

const SUBJECTS: [&str; 8] = [
    "Use a zipper for the control stack",
    "Eta-expand the ReaderT so that GHC sees the arity",
    "Fix typo",
    "Merge branch 'faster' into <main> & \"friends\"",
    "Größere Blöcke beim Lesen",
    "Replace Data.Map by IntMap in the module instance's table of functions and globals",
    "Übersetze αβγ nach λ",
    "Inline step",
];

fn history(commits: usize, metrics: &[Metric], steps: &[(usize, f64)], drift: usize) -> Graph {
    let mut random = Random(commits as u64);
    let list: Vec<Commit> = (0..commits)
        .map(|index| Commit {
            hash: format!("{:07x}", (random.next() * f64::from(1 << 28)) as u32),
            subject: SUBJECTS[index % SUBJECTS.len()].to_owned(),
            state: state(index, commits, &mut random),
        })
        .collect();
    let panels =
        metrics.iter().map(|metric| panel(metric, &list, steps, drift, &mut random)).collect();
    Graph {
        title: format!("wasm-invoke: {commits} commits of the faster winter"),
        subtitle: "1cea765^..5406efd along first parents, minimum of 5 runs of `wasm-invoke -w \
                   loop.wasm`, Intel Xeon 2.80 GHz, 2 processors, 2026-11-21"
            .to_owned(),
        commits: list,
        panels,
    }
}

fn state(index: usize, commits: usize, random: &mut Random) -> State {
    match random.next() {
        _ if index == 0 || commits < 10 => State::Measured,
        draw if draw < 0.04 => State::DidNotBuild,
        draw if draw < 0.06 => State::NotMeasured,
        draw if draw < 0.12 => State::SameAs { hash: "57f3e9d".to_owned() },
        _ => State::Measured,
    }
}

fn panel(
    &(name, unit, first, strength, noise): &Metric,
    commits: &[Commit],
    steps: &[(usize, f64)],
    drift: usize,
    random: &mut Random,
) -> Panel {
    let mut level = first;
    let drifting = commits.len() / 2..commits.len() / 2 + drift;
    let mut points = Vec::new();
    for (index, commit) in commits.iter().enumerate() {
        for (_, ratio) in steps.iter().filter(|(at, _)| *at == index) {
            level *= ratio.powf(strength);
        }
        if drifting.contains(&index) {
            level *= 1.08_f64.powf(1.0 / drift as f64);
        }
        let value = level * (1.0 + noise * 0.5 * random.normal());
        let point = Point { value, low: value * (1.0 - noise), high: value * (1.0 + noise) };
        let is_known = matches!(commit.state, State::Measured | State::SameAs { .. });
        points.push(is_known.then_some(point));
    }
    let change = |ratio| if ratio < 1.0 { Change::Improved } else { Change::Regressed };
    let step = |&(commit, ratio): &(usize, f64)| {
        let ratio = ratio.powf(strength);
        let (low, high) = (ratio * (1.0 - noise), ratio * (1.0 + noise));
        Step { commit, ratio, low, high, change: change(ratio) }
    };
    let (first, last) = (drifting.start, drifting.end.max(1) - 1);
    let drift = Drift { first, last, ratio: 1.08, change: Change::Regressed };
    Panel {
        name: name.to_owned(),
        unit,
        points,
        steps: steps.iter().map(step).collect(),
        drifts: if drifting.is_empty() { Vec::new() } else { vec![drift] },
    }
}
