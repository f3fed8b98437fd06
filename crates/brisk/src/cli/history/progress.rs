//! Progress of the builds: how many are done, and how long the rest takes.

use std::collections::HashSet;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use measure::clock::Stopwatch;

use crate::prepare::BuildEvent;
use crate::report::quantity::duration;

/// Draws how far the builds have come, where there is a terminal to draw on.
pub(in crate::cli) struct BuildBar {
    bar: ProgressBar,
    tally: Tally,
    watch: Stopwatch,
}

/// What is counted of the builds.
#[derive(Debug, Default)]
struct Tally {
    what: &'static str,
    commits: usize,
    known: usize,
    finished: usize,
    failed: usize,
    running: HashSet<usize>,
}

impl BuildBar {
    /// A bar on standard error; nothing where that is no terminal.
    pub(in crate::cli) fn new(commits: usize, wanted: bool) -> Self {
        Self::doing("building", commits, wanted)
    }

    /// The same for builds that are to confirm others.
    pub(in crate::cli) fn from_scratch(commits: usize, wanted: bool) -> Self {
        Self::doing("building from scratch", commits, wanted)
    }

    fn doing(what: &'static str, commits: usize, wanted: bool) -> Self {
        let target =
            if wanted { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(commits as u64), target);
        let style = ProgressStyle::with_template("{bar:10} {wide_msg}");
        bar.set_style(style.expect("the template is sound").progress_chars("=> "));
        Self { bar, tally: Tally { what, commits, ..Tally::default() }, watch: Stopwatch::start() }
    }

    /// Takes note of a build.
    pub(in crate::cli) fn on(&mut self, event: &BuildEvent) {
        self.tally.on(event);
        self.bar.set_position(self.tally.done() as u64);
        self.bar.set_message(self.tally.message(self.watch.elapsed().as_secs_f64()));
        self.bar.tick();
    }

    /// Takes the bar away.
    pub(in crate::cli) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Tally {
    fn on(&mut self, event: &BuildEvent) {
        match event {
            BuildEvent::Found { .. } => self.known += 1,
            BuildEvent::Started { commit } => {
                self.running.insert(*commit);
            }
            BuildEvent::Finished { commit, .. } => {
                self.running.remove(commit);
                self.finished += 1;
            }
            BuildEvent::Failed { commit, .. } => {
                self.running.remove(commit);
                self.failed += 1;
            }
        }
    }

    fn done(&self) -> usize {
        self.known + self.finished + self.failed
    }

    fn message(&self, elapsed_seconds: f64) -> String {
        let made = self.finished + self.failed;
        let left = match made {
            0 => String::new(),
            _ => {
                let rest = self.commits.saturating_sub(self.done()) as f64;
                format!(", {} left", duration(elapsed_seconds / made as f64 * rest))
            }
        };
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        format!("{}: {} of {}{failed}{left}", self.what, self.done(), self.commits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_from_the_builds_that_were_made() {
        let mut tally = Tally { what: "building", commits: 10, ..Tally::default() };
        tally.on(&BuildEvent::Found { commit: 0 });
        tally.on(&BuildEvent::Started { commit: 1 });
        assert_eq!(tally.message(1.0), "building: 1 of 10");
        tally.on(&BuildEvent::Finished { commit: 1, build_seconds: 1.0 });
        assert_eq!(tally.message(2.0), "building: 2 of 10, 16.0 s left");
        assert!(tally.running.is_empty());
        let confirming = BuildBar::from_scratch(16, false);
        assert_eq!(confirming.tally.message(0.0), "building from scratch: 0 of 16");
    }
}
