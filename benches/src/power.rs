//! A real change: the rate at which it is found, and the time that takes.

use crate::Row;
use crate::agreement::{PEER_EVERY, is_different};
use crate::overhead::hyperfine_walls;
use crate::peers::{Peers, comparisons, median};
use crate::subject::Subject;

/// A change to find: the command's duration, the change, and the time limit.
struct Task {
    seconds: f64,
    change: f64,
    within: f64,
    goal: &'static str,
    loaded: bool,
    comparisons: usize,
}

const TASKS: [Task; 4] = [
    Task {
        seconds: 0.004,
        change: 0.01,
        within: 2.0,
        goal: ">= 95 %",
        loaded: false,
        comparisons: 40,
    },
    Task {
        seconds: 0.004,
        change: 0.003,
        within: 15.0,
        goal: ">= 90 %",
        loaded: false,
        comparisons: 20,
    },
    Task {
        seconds: 0.1,
        change: 0.01,
        within: 20.0,
        goal: ">= 95 %",
        loaded: false,
        comparisons: 20,
    },
    Task {
        seconds: 0.004,
        change: 0.05,
        within: 30.0,
        goal: ">= 90 %",
        loaded: true,
        comparisons: 20,
    },
];

/// Every task, and instructions under valgrind.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    for task in &TASKS {
        tell(find(peers, task));
    }
    tell(exactly(peers));
}

fn find(peers: &Peers, task: &Task) -> Row {
    let subject = Subject::new(peers, task.seconds, task.change);
    let _load = task.loaded.then(|| peers.load(2));
    let count = comparisons(task.comparisons);
    let (mut found, mut wrong, mut done, mut theirs, mut their_found) = (0, 0, 0, 0, 0);
    let mut times = Vec::new();
    for number in 0..count {
        let Some((document, finished)) = peers.brisk(&[&subject.before, &subject.after]) else {
            continue;
        };
        done += 1;
        let seconds = finished.wall.as_secs_f64();
        let verdict = document["answers"][0]["verdict"].as_str().unwrap_or_default().to_owned();
        found += usize::from(verdict == "regressed" && seconds <= task.within);
        wrong += usize::from(verdict == "improved");
        times.push(seconds);
        if number % PEER_EVERY != 0 {
            continue;
        }
        // As many runs as hyperfine makes in the time that brisk took.
        let runs = document["experiment"]["rounds"].as_u64().unwrap_or(10).max(2).to_string();
        if let Some((document, _)) =
            peers.hyperfine(&["--runs", &runs, &subject.before, &subject.after])
        {
            let (a, b) = (hyperfine_walls(&document, 0), hyperfine_walls(&document, 1));
            theirs += 1;
            their_found += usize::from(is_different(&a, &b) && median(b) > median(a));
        }
    }
    let what = format!(
        "+{} % of {} ms found within {} s{}",
        task.change * 100.0,
        task.seconds * 1000.0,
        task.within,
        if task.loaded { ", both cores loaded" } else { ", idle" }
    );
    let brisk = format!(
        "{found}/{done}, median {:.1} s{}",
        median(times),
        if wrong > 0 { format!(", {wrong} the wrong way") } else { String::new() }
    );
    let peer = if theirs == 0 {
        "not checked".to_owned()
    } else {
        format!("{their_found}/{theirs} by Welch on as many runs")
    };
    Row::new(what, task.goal, brisk, peer)
}

/// A tenth of a percent more instructions, by valgrind.
fn exactly(peers: &Peers) -> Row {
    let spin = peers.file("spin").display().to_string();
    let (before, after) = (format!("{spin} 10000000"), format!("{spin} 10010000"));
    let count = comparisons(20);
    let mut found = 0;
    for _ in 0..count {
        let arguments = ["--counters", "valgrind", "--metrics", "instructions", "-r", "1"];
        let commands = [before.as_str(), after.as_str()];
        if let Some((document, _)) = peers.brisk(&[&arguments[..], &commands[..]].concat()) {
            let part = &document["comparisons"][0];
            let exact = part["basis"] == "exact" && part["verdict"] == "regressed";
            found += usize::from(exact && part["low"] == part["high"]);
        }
    }
    Row::new(
        "+0.1 % instructions found exactly, `--counters valgrind`",
        "always",
        format!("{found}/{count}"),
        "no such reading",
    )
}
