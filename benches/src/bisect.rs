//! The commit of a small change in processor time: `brisk history --bisect` beside `git bisect run` with
//! hyperfine, on an idle machine and on busy ones.

use crate::Row;
use crate::peers::{Finished, Peers, comparisons, median};
use crate::repository::Repository;

/// Commits, one of which changes the amount of computation; the others change irrelevant parts.
const COMMITS: usize = 30;

/// The number of searches for a commit.
const REPETITIONS: usize = 20;

/// A run of about 20 ms.
const STEPS: u32 = 20_000_000;

/// 1 % on an idle machine.
pub fn idle(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    tell(searches(peers, 101, 0, ">= 18 of 20 right"));
}

/// 3 % with as many busy processes as the reference machine has processors.
pub fn loaded(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    tell(searches(peers, 103, 2, ">= 18 of 20 right"));
}

/// 3 % with twelve busy processes.
pub fn crowded(peers: &Peers, tell: &mut dyn FnMut(Row)) {
    tell(searches(peers, 103, 12, "none wrong, >= 12 of 20 right"));
}

/// The answers of one program over all searches.
#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    open: usize,
    seconds: Vec<f64>,
}

impl Tally {
    fn count(&mut self, named: Option<&str>, culprit: &str, finished: &Finished) {
        match named {
            Some(named) if named == culprit => self.right += 1,
            Some(_) => self.wrong += 1,
            None => self.open += 1,
        }
        self.seconds.push(finished.wall.as_secs_f64());
    }

    fn shown(&self) -> String {
        let Self { right, wrong, open, seconds } = self;
        let most = seconds.iter().copied().fold(0.0, f64::max);
        let median = median(seconds.clone());
        format!(
            "{right} right, {wrong} wrong, {open} said to be open; {median:.0} s, at most {most:.0} s"
        )
    }
}

fn searches(peers: &Peers, percent: u32, busy: usize, goal: &'static str) -> Row {
    let repetitions = comparisons(REPETITIONS);
    let (mut brisk, mut git) = (Tally::default(), Tally::default());
    for repetition in 0..repetitions {
        // Places all over the range, in no particular order: multiples of the golden ratio.
        let place = 0.618_033_988_75 * (repetition + 1) as f64;
        // The first commit of the range is an end.
        let culprit = 2 + (place.fract() * (COMMITS - 1) as f64) as usize;
        let kind = format!("at-{culprit}-{percent}");
        let repository = Repository::new(peers, &kind, COMMITS, STEPS);
        let culprit = repository.hash(culprit);
        let _load = peers.load(busy);
        let (named, finished) = repository.bisect("cpu_time");
        brisk.count(named.as_deref(), culprit, &finished);
        // It takes an hour, so a user who stops it early gets the results so far.
        eprintln!("{} of {repetitions} searches: {}", repetition + 1, brisk.shown());
        if let Some((named, finished)) = repository.git_bisect() {
            git.count(Some(&named), culprit, &finished);
        }
    }
    let rest = percent - 100;
    let what = format!(
        "{COMMITS} commits, {rest} % more CPU time in one, {busy} busy processes, {repetitions} searches"
    );
    let theirs = match (git.seconds.len(), peers.hyperfine_path()) {
        (_, None) => "not checked: no hyperfine".to_owned(),
        (0, Some(_)) => "not checked: `git bisect run` failed each time".to_owned(),
        (searched, Some(_)) => {
            let failed = repetitions - searched;
            format!("git bisect run, 30 runs each: {}; {failed} not checked", git.shown())
        }
    };
    Row::new(what, goal, brisk.shown(), theirs)
}
