//! Processes that a command leaves behind when it ends.
//!
//! The launcher is the parent of orphans, so after a command that left nothing
//! behind it has no children, and one system call says so. What those used that
//! nobody else waited for is known to it alone.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use super::usage::together;
use crate::sys::process::{Pid, Reaped, is_inhabited, own_id, reap, signal_group, signal_process};

/// How long killed processes get to disappear. Only one stuck inside the
/// kernel needs longer, and there is no use in waiting for that.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_micros(500);

/// The longest that processes may take to end by themselves after their command. Arbitrary: helpers
/// that notice its end (python's resource tracker, a server whose pipe was closed) take milliseconds.
const MOST_GRACE: Duration = Duration::from_millis(200);

/// What was left behind.
#[derive(Default)]
pub(super) struct Leftovers {
    /// Processes that did not end by themselves, and have been killed.
    pub(super) ended: u32,
    /// Whether some could not be killed and may still hold our pipes.
    pub(super) some_remain: bool,
    /// The usage of all orphans, those that ended during the run among them; none where there were
    /// no orphans.
    pub(super) usage: Option<libc::rusage>,
}

impl Leftovers {
    /// How many processes had not finished, at least.
    pub(super) fn unfinished(&self) -> u32 {
        self.ended + u32::from(self.some_remain)
    }

    /// This usage and that of the orphans.
    pub(super) fn usage_with(&self, usage: libc::rusage) -> libc::rusage {
        self.usage.map_or(usage, |orphans| together(usage, orphans))
    }

    /// Takes away the orphans that have ended; how many, and whether others are alive.
    fn reap_ended(&mut self) -> (u32, bool) {
        let mut reaped = 0;
        loop {
            match reap() {
                Reaped::One(usage) => {
                    self.usage = Some(self.usage_with(usage));
                    reaped += 1;
                }
                Reaped::AllAlive => return (reaped, true),
                Reaped::NoChildren => return (reaped, false),
            }
        }
    }

    /// Kills and reaps our children until none is left, but not for ever.
    fn kill_children(&mut self) {
        let mut waited = Duration::ZERO;
        self.some_remain = true;
        while self.some_remain && waited < PATIENCE {
            // Those that left the group. Killing them may give us their children.
            own_children().into_iter().for_each(|child| signal_process(child, libc::SIGKILL));
            let (reaped, some_remain) = self.reap_ended();
            self.ended += reaped;
            self.some_remain = some_remain;
            sleep(PAUSE);
            waited += PAUSE;
        }
    }
}

/// Kills and reaps everything that remains of the commands which led these groups
/// and have themselves been reaped already. What ends by itself within `grace` is not killed.
pub(super) fn end(groups: &[Pid], grace: Duration) -> Leftovers {
    let mut left = Leftovers::default();
    let grace = grace.min(MOST_GRACE);
    let mut waited = Duration::ZERO;
    while left.reap_ended().1 {
        if waited >= grace {
            groups.iter().for_each(|&group| signal_group(group, libc::SIGKILL));
            left.kill_children();
            return left;
        }
        sleep(PAUSE);
        waited += PAUSE;
    }
    left
}

/// Kills a command that runs although its launcher has died: its group, and its descendants
/// outside of that as far as their parents live. It is nobody's child that we could wait for.
pub(super) fn end_with_descendants(group: Pid) {
    let parents = parents();
    let mut descendants = vec![group];
    let mut known = 0;
    while known < descendants.len() {
        let parent = descendants[known];
        descendants.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        known += 1;
    }
    signal_group(group, libc::SIGKILL);
    descendants[1..].iter().for_each(|pid| signal_process(*pid, libc::SIGKILL));
    let mut waited = Duration::ZERO;
    while is_inhabited(group) && waited < PATIENCE {
        sleep(PAUSE);
        waited += PAUSE;
    }
}

/// The children of this process. Unreaped children keep their ids, so none of
/// these can have become somebody else.
fn own_children() -> Vec<Pid> {
    let own = own_id();
    parents().into_iter().filter(|(_, parent)| *parent == own).map(|(pid, _)| pid).collect()
}

/// Every process with its parent, from `/proc`.
fn parents() -> Vec<(Pid, Pid)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<Pid>().ok())
        .filter_map(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            Some((pid, parent_in(&stat)?))
        })
        .collect()
}

/// The parent's id in the text of `/proc/PID/stat`.
fn parent_in(stat: &str) -> Option<Pid> {
    // The name stands in parentheses and may itself contain some, or blanks.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_a_name_with_parentheses() {
        assert_eq!(parent_in("42 (a) S (b)) S 7 42 42 0"), Some(7));
        assert_eq!(parent_in("42 (sh) Z 1 42"), Some(1));
        assert_eq!(parent_in("nonsense"), None);
    }
}
