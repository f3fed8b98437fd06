//! The history of a program with known changes: brisk against the loop that it grew out of.

use std::collections::HashMap;

use crate::Row;
use crate::peers::{Finished, Peers, comparisons};
use crate::repository::Repository;

/// The number of commits; every fifth one changes something.
const COMMITS: usize = 40;

/// A run of 5 ms, compared with a build of about two seconds.
const SHORT: u32 = 5_000_000;

/// A run of 0.2 s: five of them take half as long as a build.
const LONG: u32 = 200_000_000;

/// The first run, one more commit, and the search for a single change.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let commits = comparisons(COMMITS);
    let asks = [
        Asks { steps: SHORT, of: "builds of 2 s, runs of 5 ms", has_goal: true },
        Asks { steps: LONG, of: "runs of 0.2 s", has_goal: false },
    ];
    for ask in asks {
        let mut repository = Repository::new(peers, "changes", commits, ask.steps);
        let Some((minima, of_loop)) = repository.founding_loop() else {
            return tell(Row::new("history", "", "", "not checked: the loop failed"));
        };
        let theirs = of_the_loop(&repository, &minima, &of_loop);
        let mut row = |repository: &Repository<'_>, what: &str, goal| {
            let what = format!("{what}, share of the loop's time ({})", ask.of);
            let goal = if ask.has_goal { goal } else { "" };
            tell(Row::new(what, goal, asked(repository, &[], &of_loop), &theirs));
        };
        row(&repository, &format!("{commits} commits"), "<= 70 %, none missed");
        repository.add_version();
        row(&repository, "one more commit that changes nothing", "<= 10 %");
        repository.add_change(110);
        row(&repository, "one more commit that takes 10 % longer", "<= 10 %");
    }
    tell(bisect(peers, commits));
}

/// The parameters of one program.
struct Asks {
    steps: u32,
    of: &'static str,
    has_goal: bool,
}

/// One change in the middle, found by halving.
fn bisect(peers: &Peers, commits: usize) -> Row {
    let what = format!("{commits} commits with one change, `--bisect`, share of the loop's time");
    let goal = "<= 15 %, found";
    if !peers.offers("history", "--bisect") {
        return Row::new(what, goal, "not checked: no `--bisect`", "");
    }
    let repository = Repository::new(peers, "one", commits, SHORT);
    let Some((minima, of_loop)) = repository.founding_loop() else {
        return Row::new(what, goal, "", "not checked: the loop failed");
    };
    let brisk = asked(&repository, &["--bisect", "wall_time"], &of_loop);
    Row::new(what, goal, brisk, of_the_loop(&repository, &minima, &of_loop))
}

/// The cost and results of brisk.
fn asked(repository: &Repository<'_>, arguments: &[&str], of_loop: &Finished) -> String {
    let Some((document, finished)) = repository.brisk(arguments) else {
        return "not checked: brisk failed".to_owned();
    };
    let share = 100.0 * seconds(&finished) / seconds(of_loop);
    let measuring = document["experiment"]["elapsed_seconds"].as_f64().expect("brisk/1 has it");
    let rounds = &document["experiment"]["rounds"];
    let verdicts = repository.of_steps(&document).shown();
    format!("{share:.0} %; {verdicts}; {rounds} rounds in {measuring:.1} s")
}

/// The cost and results of the loop.
fn of_the_loop(
    repository: &Repository<'_>,
    minima: &HashMap<String, f64>,
    finished: &Finished,
) -> String {
    let verdicts = repository.of_minima(minima).shown();
    format!("founding loop: {:.1} s; {verdicts}", seconds(finished))
}

fn seconds(finished: &Finished) -> f64 {
    finished.wall.as_secs_f64()
}
