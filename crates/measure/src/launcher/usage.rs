//! Resource usage of processes, as reported by `wait4`, and its sums.

use crate::units::Microseconds;

/// The usage of two processes together; for the peaks of memory the larger.
pub(super) fn together(mut sum: libc::rusage, one: libc::rusage) -> libc::rusage {
    // musl has more fields, which are private.
    sum.ru_utime = added(sum.ru_utime, one.ru_utime);
    sum.ru_stime = added(sum.ru_stime, one.ru_stime);
    sum.ru_maxrss = sum.ru_maxrss.max(one.ru_maxrss);
    sum.ru_minflt += one.ru_minflt;
    sum.ru_majflt += one.ru_majflt;
    sum.ru_nvcsw += one.ru_nvcsw;
    sum.ru_nivcsw += one.ru_nivcsw;
    sum.ru_inblock += one.ru_inblock;
    sum.ru_oublock += one.ru_oublock;
    sum
}

/// User and system time.
pub(super) fn cpu_time(usage: &libc::rusage) -> Microseconds {
    Microseconds(microseconds(usage.ru_utime).0 + microseconds(usage.ru_stime).0)
}

pub(super) fn microseconds(time: libc::timeval) -> Microseconds {
    Microseconds(time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned())
}

/// The sum of two times; its microseconds may exceed a second.
fn added(one: libc::timeval, other: libc::timeval) -> libc::timeval {
    libc::timeval { tv_sec: one.tv_sec + other.tv_sec, tv_usec: one.tv_usec + other.tv_usec }
}
