//! The beginning of a program's stack: it depends on the environment, the arguments and chance, and
//! may affect the speed of a loop (Mytkowicz et al., "Producing wrong data without doing anything
//! obviously wrong", 2009).
//!
//! Linux reports it in `/proc/PID/stat` (proc_pid_stat(5), `startstack`) while the program runs. It
//! is read from outside, so the program is not disturbed, and after a delay: the parent sees the
//! new image before its stack is complete.

use std::fs;

use crate::missing::Missing;
use crate::sys::process::Pid;
use crate::units::Address;

/// The time of the first look: a kernel needs some tens of microseconds to complete a stack. A
/// program that ends sooner is missed. Arbitrary.
const FIRST_NS: u64 = 2_000_000;

/// The factor between the times of two looks: a script may become another program meanwhile.
const TIMES_LATER: u64 = 8;

/// The index of the field after the name in brackets, from 0: the 28th of all.
const FIELD: usize = 25;

/// Reads the beginning of a program's stack a few times while it runs; the last look counts.
#[derive(Debug)]
pub(crate) struct StackLooks {
    pid: Pid,
    started_ns: u64,
    after_ns: u64,
    seen: Option<Address>,
}

impl StackLooks {
    /// The looks at a program with this start on the monotonic clock.
    pub(crate) fn new(pid: Pid, started_ns: u64) -> Self {
        Self { pid, started_ns, after_ns: FIRST_NS, seen: None }
    }

    /// The time of the next call, on the monotonic clock.
    pub(crate) fn due_ns(&self) -> u64 {
        self.started_ns.saturating_add(self.after_ns)
    }

    /// Looks, if it is time.
    pub(crate) fn look(&mut self, now_ns: u64) {
        if now_ns < self.due_ns() {
            return;
        }
        self.after_ns = self.after_ns.saturating_mul(TIMES_LATER);
        let text = fs::read_to_string(format!("/proc/{}/stat", self.pid));
        if let Some(address) = text.ok().as_deref().and_then(stack_start) {
            self.seen = Some(address);
        }
    }

    /// The last address seen.
    pub(crate) fn finish(self) -> Result<Address, Missing> {
        self.seen.ok_or(Missing::StackUnseen)
    }
}

/// The field of a `stat` file; `None` if it is 0, as for other users' programs and for those that
/// have ended.
fn stack_start(text: &str) -> Option<Address> {
    // The name may contain brackets and blanks.
    let behind_name = &text[text.rfind(')')? + 1..];
    let start = behind_name.split_ascii_whitespace().nth(FIELD)?.parse().ok()?;
    (start != 0).then_some(Address(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_found_behind_any_name() {
        let fields: Vec<String> = (3..=52).map(|number| (number * 1000).to_string()).collect();
        let text = format!("17 (a) b (c) {}\n", fields.join(" "));
        assert_eq!(stack_start(&text), Some(Address(28_000)));
        assert_eq!(stack_start(&text.replace("28000", "0")), None);
        assert_eq!(stack_start("17 (a) R 1 2"), None);
        assert_eq!(stack_start(""), None);
    }

    #[test]
    fn looks_are_taken_when_they_are_due_and_the_last_one_counts() {
        let own = Pid::try_from(std::process::id()).expect("a process");
        let mut looks = StackLooks::new(own, 1_000);
        looks.look(1_000);
        assert_eq!(looks.seen, None);
        looks.look(1_000 + FIRST_NS);
        let first = looks.seen.expect("this program has a stack");
        assert_eq!(first.0 % 16, 0, "the ABI has it aligned");
        assert_eq!(looks.due_ns(), 1_000 + FIRST_NS * TIMES_LATER);
        looks.look(looks.due_ns());
        assert_eq!(looks.finish(), Ok(first));
        assert_eq!(StackLooks::new(own, 0).finish(), Err(Missing::StackUnseen));
    }
}
