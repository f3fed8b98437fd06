//! Processes that a command leaves behind when it ends.
//!
//! The launcher is the parent of orphans, so after a command that left nothing
//! behind it has no children, and one system call says so.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::sys::process::{Pid, Reaped, is_inhabited, own_id, reap, signal_group, signal_process};

/// How long killed processes get to disappear. Only one stuck inside the
/// kernel needs longer, and there is no use in waiting for that.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_micros(500);

/// What was left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leftovers {
    /// Processes that were alive after the command's end, and have been killed.
    pub(super) ended: u32,
    /// Whether some could not be killed and may still hold our pipes.
    pub(super) some_remain: bool,
}

/// Kills and reaps everything that remains of the commands which led these groups
/// and have themselves been reaped already.
pub(super) fn end(groups: &[Pid]) -> Leftovers {
    // Orphans that ended by themselves during the run were not left behind.
    loop {
        match reap(None) {
            Reaped::One(..) => {}
            Reaped::NoChildren => return Leftovers { ended: 0, some_remain: false },
            Reaped::AllAlive => break,
        }
    }
    groups.iter().for_each(|&group| signal_group(group, libc::SIGKILL));
    let mut ended = 0;
    let mut waited = Duration::ZERO;
    while waited < PATIENCE {
        // Those that left the group. Killing them may give us their children.
        own_children().into_iter().for_each(|child| signal_process(child, libc::SIGKILL));
        loop {
            match reap(None) {
                Reaped::One(..) => ended += 1,
                Reaped::AllAlive => break,
                Reaped::NoChildren => return Leftovers { ended, some_remain: false },
            }
        }
        sleep(PAUSE);
        waited += PAUSE;
    }
    Leftovers { ended, some_remain: true }
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
