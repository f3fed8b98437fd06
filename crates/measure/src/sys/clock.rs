//! `clock_gettime`.
#![expect(unsafe_code, reason = "std's Instant cannot be turned into a number")]

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
