//! One blow at one moment, and the conditions that must hold after it.

use std::process::Command;
use std::time::Duration;

use crate::place::{EXPERIMENTS, Ended, Place, Started};
use crate::verb::Verb;

/// The process that is hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Brisk,
    Launcher,
    Everybody,
}

/// The disturbance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blow {
    Signal(&'static str, Target),
    FullDisk,
}

/// One attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) verb: Verb,
    pub(crate) blow: Blow,
    pub(crate) after: Duration,
}

/// The result of an attempt.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// All conditions hold: the number of lost runs, and `struck` if it was hit before its end.
    Held { lost: usize, struck: bool },
    /// A condition does not hold.
    Fault(String),
    /// Impossible on this machine.
    NotChecked,
}

/// The room for a store that is filled up at some moment.
const DISK: &str = "8m";

impl Blow {
    /// All blows except the full disk.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let targets = [Target::Brisk, Target::Launcher, Target::Everybody];
        let each = move |signal| targets.map(|target| Self::Signal(signal, target));
        let stopped = Self::Signal("STOP", Target::Launcher);
        ["KILL", "TERM", "INT", "HUP"].into_iter().flat_map(each).chain([stopped])
    }

    fn strike(self, place: &Place, brisk: &Started) {
        let (signal, struck) = match self {
            Self::FullDisk => return place.fill_disk(true),
            Self::Signal(signal, Target::Brisk) => (signal, vec![brisk.id()]),
            Self::Signal(signal, Target::Launcher) => {
                (signal, brisk.launcher().into_iter().collect())
            }
            Self::Signal(signal, Target::Everybody) => (signal, place.processes()),
        };
        if struck.is_empty() {
            return;
        }
        let ids = struck.iter().map(u32::to_string);
        let words: Vec<String> = [format!("-{signal}")].into_iter().chain(ids).collect();
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let sent =
            Command::new("sh").args(["-c", "kill \"$@\" 2> /dev/null", "sh"]).args(words).status();
        // Some may have ended meanwhile, in which case `kill` fails.
        sent.expect("every system has a shell");
    }

    /// True if brisk may end like this: with a status from 0 to 2, or, if it was hit itself, by
    /// SIGKILL or by a signal that arrived before brisk handles signals.
    fn explains(self, ended: &Ended) -> bool {
        let done = matches!(ended.code(), Some(0..=2));
        match self {
            Self::Signal("KILL", Target::Brisk | Target::Everybody) => {
                done || ended.signal() == Some(9)
            }
            Self::Signal(_, Target::Brisk | Target::Everybody) => {
                done || matches!(ended.signal(), Some(1 | 2 | 15))
            }
            Self::Signal(..) | Self::FullDisk => done,
        }
    }
}

impl Moment {
    pub(crate) fn try_out(&self, number: usize) -> Outcome {
        let disk = (self.blow == Blow::FullDisk).then_some(DISK);
        let place = Place::new(self.verb, &number.to_string(), disk);
        if disk.is_some() && !place.has_disk() {
            return Outcome::NotChecked;
        }
        match self.checked(&place) {
            Ok((lost, struck)) => Outcome::Held { lost, struck },
            Err(fault) => Outcome::Fault(fault),
        }
    }

    fn checked(&self, place: &Place) -> Result<(usize, bool), String> {
        let mut brisk = place.start();
        std::thread::sleep(self.after);
        let struck = !brisk.has_ended();
        self.blow.strike(place, &brisk);
        let ended = brisk.wait().ok_or("brisk does not end")?;
        demand(self.blow.explains(&ended), || format!("brisk ended with {ended}"))?;
        demand(place.becomes_empty(), || format!("{:?} run on", place.processes()))?;
        if self.blow == Blow::FullDisk {
            place.fill_disk(false);
        }
        let lost = as_after_a_kill(place, self.verb.runs_in_flight())?;
        self.goes_on(place, lost)?;
        Ok((lost, struck))
    }

    /// Checks that the same command succeeds, and resumes interrupted work if the verb does so.
    fn goes_on(&self, place: &Place, lost: usize) -> Result<(), String> {
        // Without a finished round there is nothing to resume.
        let interrupted =
            "SELECT count(*) FROM experiment WHERE state = 'interrupted' AND rounds > 0";
        let (before, stopped) = (place.asked(EXPERIMENTS), place.asked(interrupted));
        let (finished, stored) = (place.finished(), place.asked_of_both(RUNS));
        let ended = place.start().wait().ok_or("going on does not end")?;
        demand(matches!(ended.code(), Some(0 | 1)), || format!("going on ended with {ended}"))?;
        let (fresh, kept) = (place.finished() - finished, place.asked_of_both(RUNS) - stored);
        demand(fresh == kept, || format!("{fresh} runs later, {kept} more are stored"))?;
        if self.verb.goes_on() && stopped == 1 {
            let after = place.asked(EXPERIMENTS);
            demand(after == before, || format!("{after} experiments, not {before}"))?;
        }
        let left = place.journals();
        demand(left == 0, || format!("{left} journals are left at the end"))?;
        // The next process that needs one collects those left behind.
        let left = if self.verb == Verb::Bench { place.temporary() } else { 0 };
        demand(left == 0, || format!("{left} temporary folders are left, {lost} lost"))
    }
}

const RUNS: &str = "SELECT count(*) FROM run";

/// Checks the store after brisk has recovered it, and returns the number of lost runs.
fn as_after_a_kill(place: &Place, in_flight: usize) -> Result<usize, String> {
    place.list().map_err(|ended| format!("listing ended with {ended}"))?;
    let (finished, stored) = (place.finished(), place.asked_of_both(RUNS));
    demand(stored <= finished, || format!("{stored} runs stored of {finished}"))?;
    let lost = finished - stored;
    demand(lost <= in_flight, || format!("{lost} of {finished} runs lost"))?;
    let failed = "SELECT count(*) FROM run WHERE exit_status IS NOT 0";
    demand(place.asked_of_both(failed) == 0, || "a run is said to have failed".to_owned())?;
    let alive = "SELECT count(*) FROM experiment WHERE state NOT IN ('complete', 'interrupted')";
    demand(place.asked_of_both(alive) == 0, || "an experiment runs on, or failed".to_owned())?;
    let left = place.journals();
    demand(left == 0, || format!("{left} journals are left"))?;
    Ok(lost)
}

fn demand(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
