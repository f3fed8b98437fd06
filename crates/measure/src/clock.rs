//! The clocks. No other part of the program may read the time.
#![expect(unsafe_code, reason = "std's Instant cannot be turned into a number")]

use std::time::Duration;

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

/// Nanoseconds of a clock that never goes back, since an arbitrary start.
pub(crate) fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970-01-01 UTC.
pub(crate) fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime(2) writes one timespec, to which the pointer is valid.
    let answer = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(answer, 0, "clock_gettime(2) fails only for unknown clocks");
    // Both clocks are after their start, so neither part is negative.
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
