//! The clocks. No other part of the program may read the time.

use std::time::Duration;

use crate::sys::clock::{monotonic_ns, realtime_ns};

/// Nanoseconds since 1970-01-01 UTC. May jump when the system's clock is set.
pub fn unix_time_ns() -> u64 {
    realtime_ns()
}

/// Measures durations; not affected by changes of the system's clock.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    started_ns: u64,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { started_ns: monotonic_ns() }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(monotonic_ns() - self.started_ns)
    }
}
