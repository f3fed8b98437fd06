//! Progress of builds: the current ones, the number of finished ones, and the time left.

use std::collections::{BTreeMap, VecDeque};

use super::display::{self, Display};
use judge::forecast::{self, Left};
use laboratory::watcher::Builds;
use page::plain::plain;
use prepare::{BuildEvent, Commit};
use words::quantity::duration;

/// Shows the progress of builds.
pub(super) struct BuildBar {
    display: Display,
    tally: Tally,
}

/// The state of the builds.
#[derive(Debug, Default)]
struct Tally {
    what: &'static str,
    /// Each commit's short hash and subject.
    commits: Vec<String>,
    known: usize,
    finished: usize,
    failed: usize,
    /// The times at which the current builds began.
    running: BTreeMap<usize, f64>,
    /// The number of links in further orders of each current build, and the number wanted per
    /// program.
    links: BTreeMap<usize, (usize, u32)>,
    /// The durations of the last builds. Builds after the first may be incremental.
    took: VecDeque<f64>,
    /// The maximum number of simultaneous builds so far.
    builders: usize,
}

/// The number of recent builds that predict the duration of the next ones.
const LAST: usize = 8;

/// The displayed length of a commit's name, in characters.
const SHOWN: usize = 50;

impl BuildBar {
    /// Progress on standard error, if wanted.
    pub(super) fn new(how: Builds, commits: &[Commit], wanted: bool) -> Self {
        let what = match how {
            Builds::Usual => "building",
            Builds::FromScratch => "building from scratch",
            Builds::InLayouts => "linking in several orders",
        };
        let name = |commit: &Commit| {
            let hash: String = commit.hash.chars().take(7).collect();
            format!("{hash} {}", commit.subject).chars().take(SHOWN).collect()
        };
        let names = commits.iter().map(name).collect();
        let tally = Tally { what, commits: names, ..Tally::default() };
        Self { display: Display::new(commits.len() as u64, wanted), tally }
    }

    /// Handles a build event, or the passing of time.
    pub(super) fn on(&mut self, event: &BuildEvent) {
        if let BuildEvent::Note { text } = event {
            self.display.say(&plain(&format!("note: {text}")));
        }
        let now = self.display.elapsed_seconds();
        self.tally.on(event, now);
        let tally = &self.tally;
        self.display.show(tally.done() as u64, || tally.message(now));
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.display.clear();
    }
}

impl Tally {
    fn on(&mut self, event: &BuildEvent, now: f64) {
        match event {
            BuildEvent::Waiting | BuildEvent::Note { .. } => {}
            BuildEvent::Linked { commit, links, wanted } => {
                self.links.insert(*commit, (*links, *wanted));
            }
            BuildEvent::Found { .. } => self.known += 1,
            BuildEvent::Started { commit } => {
                self.running.insert(*commit, now);
                self.builders = self.builders.max(self.running.len());
            }
            BuildEvent::Finished { commit, .. } => {
                self.end(*commit, now);
                self.finished += 1;
            }
            BuildEvent::Failed { commit, .. } => {
                self.end(*commit, now);
                self.failed += 1;
            }
        }
    }

    fn end(&mut self, commit: usize, now: f64) {
        self.links.remove(&commit);
        if let Some(begun) = self.running.remove(&commit) {
            self.took.push_back(now - begun);
        }
        if self.took.len() > LAST {
            self.took.pop_front();
        }
    }

    fn done(&self) -> usize {
        self.known + self.finished + self.failed
    }

    fn left(&self, now: f64) -> Option<Left> {
        let running: Vec<f64> = self.running.values().map(|begun| now - begun).collect();
        let waiting = self.commits.len().saturating_sub(self.done() + running.len());
        let took: Vec<f64> = self.took.iter().copied().collect();
        forecast::of_builds(waiting, &running, self.builders, &took)
    }

    fn message(&self, now: f64) -> String {
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let current = match self.running.iter().min_by(|a, b| a.1.total_cmp(b.1)) {
            None => String::new(),
            Some((&commit, begun)) => {
                let more = match self.running.len() - 1 {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let name = self.commits.get(commit).map_or("", String::as_str);
                let links = match self.links.get(&commit) {
                    None | Some((0, _)) => String::new(),
                    // Its build links several programs.
                    Some((links, wanted)) if *links > *wanted as usize => {
                        format!(", {links} links")
                    }
                    Some((links, wanted)) => format!(", {links} of {wanted} links"),
                };
                format!(": {name}{more} ({}{links})", duration((now - begun).floor()))
            }
        };
        let (done, all) = (self.done(), self.commits.len());
        format!("{} {done} of {all}{failed}{}{current}", self.what, display::left(self.left(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally() -> Tally {
        let commits = (0..10).map(|number| format!("c0ffee{number} change {number}")).collect();
        Tally { what: "building", commits, ..Tally::default() }
    }

    #[test]
    fn the_time_left_is_told_from_the_builds_that_were_made() {
        let mut tally = tally();
        tally.on(&BuildEvent::Found { commit: 0 }, 0.0);
        tally.on(&BuildEvent::Started { commit: 1 }, 1.0);
        assert_eq!(tally.message(3.0), "building 1 of 10: c0ffee1 change 1 (2.0 s)");
        tally.on(&BuildEvent::Finished { commit: 1, build_seconds: 1.0 }, 3.0);
        assert_eq!(tally.message(3.0), "building 2 of 10, about 16.0 s left");
    }

    #[test]
    fn the_clock_ticks_while_one_build_goes_on_and_it_is_never_about_to_end() {
        let mut tally = tally();
        tally.on(&BuildEvent::Started { commit: 0 }, 0.0);
        tally.on(&BuildEvent::Finished { commit: 0, build_seconds: 1.0 }, 2.0);
        for commit in 1..9 {
            tally.on(&BuildEvent::Found { commit }, 2.0);
        }
        tally.on(&BuildEvent::Started { commit: 9 }, 2.0);
        tally.on(&BuildEvent::Waiting, 402.0);
        let left = tally.left(402.0).expect("one was built");
        assert!(left.likely >= 100.0, "{left:?}");
        let message = tally.message(402.0);
        assert!(message.contains("c0ffee9 change 9 (6 min 40 s)"), "{message}");
    }

    #[test]
    fn links_in_further_orders_are_counted_while_a_build_goes_on() {
        let mut tally = tally();
        tally.on(&BuildEvent::Started { commit: 3 }, 0.0);
        for (links, told) in
            [(0, "(5.0 s)"), (7, "(5.0 s, 7 of 16 links)"), (20, "(5.0 s, 20 links)")]
        {
            tally.on(&BuildEvent::Linked { commit: 3, links, wanted: 16 }, 5.0);
            assert_eq!(tally.message(5.0), format!("building 0 of 10: c0ffee3 change 3 {told}"));
        }
    }

    #[test]
    fn builds_that_go_on_at_once_are_told_together() {
        let mut tally = tally();
        tally.on(&BuildEvent::Started { commit: 3 }, 0.0);
        tally.on(&BuildEvent::Started { commit: 4 }, 1.0);
        let message = tally.message(5.0);
        assert_eq!(message, "building 0 of 10: c0ffee3 change 3 and 1 more (5.0 s)");
    }
}
