//! The history of a program with known changes: brisk beside the loop that it grew out of.

use crate::Row;
use crate::peers::{Finished, Peers, comparisons};
use crate::repository::Repository;

/// Commits, of which every fifth changes something.
const COMMITS: usize = 40;

/// The settings that are tried: those by default, and those that ask what the loop answers.
const SETTINGS: [(&str, &[&str]); 2] =
    [("by default", &[]), ("with `--margin 2`", &["--margin", "2"])];

/// The first run, one more commit, and the search for a single change.
pub fn run(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    let commits = comparisons(COMMITS);
    for (how, arguments) in SETTINGS {
        let mut repository = Repository::new(peers, "changes", commits);
        let Some((minima, of_loop)) = repository.founding_loop() else {
            return tell(Row::new("history", "", "", "not checked: the loop failed"));
        };
        let theirs =
            format!("{:.1} s; {}", seconds(&of_loop), repository.of_minima(&minima).shown());
        let share = |finished: &Finished| 100.0 * seconds(finished) / seconds(&of_loop);
        let row = |what: &str, goal, brisk| {
            Row::new(format!("{what}, {how}"), goal, brisk, format!("founding loop: {theirs}"))
        };
        let first = repository.brisk(arguments).map(|(document, finished)| {
            let verdicts = repository.of_steps(&document).shown();
            format!("{:.0} %; {verdicts}", share(&finished))
        });
        let what = format!("{commits} commits, share of the loop's time");
        tell(row(&what, "<= 70 %, none missed", first.unwrap_or_else(failed)));
        for (what, percent) in [("that changes nothing", "100"), ("that takes 10 % longer", "110")]
        {
            repository.add(percent);
            let again = repository.brisk(arguments).map(|(document, finished)| {
                let verdicts = repository.of_steps(&document).shown();
                format!("{:.0} %; {verdicts}", share(&finished))
            });
            let what = format!("one more commit {what}, share of the loop's time");
            tell(row(&what, "<= 10 %", again.unwrap_or_else(failed)));
        }
    }
    tell(bisect(peers, commits));
}

/// One change in the middle, found by halving.
fn bisect(peers: &Peers, commits: usize) -> Row {
    let what = format!("{commits} commits with one change, `--bisect`, share of the loop's time");
    let goal = "<= 15 %, found";
    if !peers.offers("history", "--bisect") {
        return Row::new(what, goal, "not checked: no `--bisect`", "");
    }
    let repository = Repository::new(peers, "one", commits);
    let Some((minima, of_loop)) = repository.founding_loop() else {
        return Row::new(what, goal, "", "not checked: the loop failed");
    };
    let brisk = repository.brisk(&["--bisect", "wall_time"]).map(|(document, finished)| {
        let share = 100.0 * seconds(&finished) / seconds(&of_loop);
        format!("{share:.0} %; {}", repository.of_steps(&document).shown())
    });
    let verdicts = repository.of_minima(&minima).shown();
    let theirs = format!("founding loop: {:.1} s; {verdicts}", seconds(&of_loop));
    Row::new(what, goal, brisk.unwrap_or_else(failed), theirs)
}

fn seconds(finished: &Finished) -> f64 {
    finished.wall.as_secs_f64()
}

fn failed() -> String {
    "not checked: brisk failed".to_owned()
}
