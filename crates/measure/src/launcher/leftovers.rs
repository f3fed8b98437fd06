//! Processes that a command leaves behind when it ends.
//!
//! The launcher is the parent of orphans, so after a command that left nothing behind it has no
//! children, which one system call tells. Only the launcher knows the usage of orphans that were
//! not waited for by others.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::clock::monotonic_ns;
use crate::launcher::run::together;
use crate::proc::parent;
use crate::sys::process::{Pid, Reaped, is_inhabited, own_id, reap, signal_group, signal_process};

/// The time for killed processes to disappear. Only one that is stuck inside the kernel needs
/// longer, and waiting for that is pointless.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_micros(500);

/// The longest time for processes to end by themselves after their command. Arbitrary: helpers that
/// notice its end (python's resource tracker, a server whose pipe was closed) take milliseconds.
const MOST_GRACE: Duration = Duration::from_millis(200);

/// The processes left behind.
#[derive(Default)]
pub(super) struct Leftovers {
    /// The number of processes that did not end by themselves, and have been killed.
    pub(super) ended: u32,
    /// Set if some could not be killed and may still hold our pipes.
    pub(super) some_remain: bool,
    /// The usage of all orphans, including those that ended during the run; `None` if there were no
    /// orphans.
    pub(super) usage: Option<libc::rusage>,
    /// The moment at which the last of those that outlived the command had ended; `None` if there
    /// were none.
    pub(super) ended_ns: Option<u64>,
}

impl Leftovers {
    /// The number of unfinished processes, at least.
    pub(super) fn unfinished(&self) -> u32 {
        self.ended + u32::from(self.some_remain)
    }

    /// The sum of this usage and that of the orphans.
    pub(super) fn usage_with(&self, usage: libc::rusage) -> libc::rusage {
        self.usage.map_or(usage, |orphans| together(usage, orphans))
    }

    /// Reaps the orphans that have ended; returns their number, and true if others are alive.
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

    /// Kills and reaps child processes until none is left or [`PATIENCE`] is over.
    fn kill_children(&mut self) {
        let mut waited = Duration::ZERO;
        self.some_remain = true;
        while self.some_remain && waited < PATIENCE {
            // Those that left the group. Killing them may make their children ours.
            own_children().into_iter().for_each(|child| signal_process(child, libc::SIGKILL));
            let (reaped, some_remain) = self.reap_ended();
            self.ended += reaped;
            self.some_remain = some_remain;
            sleep(PAUSE);
            waited += PAUSE;
        }
    }
}

/// Kills and reaps the remaining processes of commands that led these groups and have been reaped.
/// Processes that end by themselves within `grace` are not killed.
pub(super) fn end(groups: &[Pid], grace: Duration) -> Leftovers {
    let mut left = Leftovers::default();
    let grace = grace.min(MOST_GRACE);
    let mut waited = Duration::ZERO;
    while left.reap_ended().1 {
        left.ended_ns = Some(monotonic_ns());
        if waited >= grace {
            groups.iter().for_each(|&group| signal_group(group, libc::SIGKILL));
            left.kill_children();
            left.ended_ns = Some(monotonic_ns());
            return left;
        }
        sleep(PAUSE);
        waited += PAUSE;
    }
    // The last look found them alive, this one does not.
    left.ended_ns = left.ended_ns.map(|_| monotonic_ns());
    left
}

/// Kills a command whose launcher has died: its group, and its descendants outside of that as far
/// as their parents are alive. It is not our child, so it cannot be waited for.
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

/// The children of this process. Unreaped children keep their ids, so an id cannot belong to
/// another process.
fn own_children() -> Vec<Pid> {
    let own = own_id();
    parents().into_iter().filter(|(_, parent)| *parent == own).map(|(pid, _)| pid).collect()
}

/// Every process with its parent, from `/proc`.
fn parents() -> Vec<(Pid, Pid)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<Pid>().ok())
        .filter_map(|pid| Some((pid, parent(pid)?)))
        .collect()
}
