//! One process, run once: its resource usage, each number with its unit, or the reason that it is
//! missing.
//!
//! This crate holds the program's only `unsafe`, its only clocks, and the only places where it
//! starts other programs. It knows runs; comparisons, their order, and conclusions from the numbers
//! are elsewhere. Linux only.
//!
//! A measurement arrives as [`Task`]s, goes through the [`Launcher`], and leaves as
//! [`FinishedRun`]s, both returned to the caller and in a journal that [`read_journal`] reads. On
//! that path:
//!
//! * `resolve`, `executable`: the file behind a program's name, and the cause if the kernel refuses
//!   it.
//! * `task`: a command line, and the readings to take of a run.
//! * `launcher`: a small process that starts programs and reads their usage.
//! * `counters`, `energy`, `cgroup`, `schedstat`, `memory_over_time`, `stack_start`: the sources of
//!   readings beside the kernel's account of a process.
//! * `readings`, `missing`, `units`: the readings of a run, each with its unit or the reason that
//!   it is missing.
//! * `record`, `wire`: a finished run as bytes, in the journal and between the processes.
//!
//! Beside it:
//!
//! * [`machine`]: the machine's hardware and system, and its other load.
//! * [`hold`]: one lock for a quiet machine.
//! * [`clock`]: the clocks.
//! * [`interrupt`]: requests to stop by SIGINT, SIGTERM and SIGHUP.
//! * [`tool`]: programs run for their output, not for their speed.
//! * [`attended`]: programs run in brisk's place, with its streams and environment.
//! * [`sampling`]: programs stopped at intervals and inspected.
//! * [`mailbox`], [`outlet`]: files and pipes for the reports and the output of programs.
//! * [`plain_file`]: files opened safely in folders that others can write to.
//! * [`page_cache`]: a program's file in the page cache, the same for every copy.
//! * `own_program`: the file of the running program.
//! * `sys`: system calls that std does not offer, each made safe to call.

pub mod parallel;
mod resolve;
mod task;

mod launcher;

mod cgroup;
mod counters;
mod energy;
mod executable;
mod memory_over_time;
mod own_program;
mod schedstat;
mod stack_start;

mod missing;
mod readings;
mod record;
mod units;
mod wire;

pub mod attended;
pub mod clock;
pub mod hold;
pub mod interrupt;
pub mod machine;
pub mod mailbox;
pub mod outlet;
pub mod page_cache;
pub mod plain_file;
pub mod sampling;
pub mod tool;

mod sys;

pub use counters::{Available, available as available_counters};
pub use executable::refusal;
pub use launcher::{Launcher, LauncherError, Obstacle, Slice, StopReason, Wake};
pub use memory_over_time::MemorySample;
pub use missing::{Missing, errno_text};
pub use own_program::own_program;
pub use readings::{Copies, Count, Counter, Counters, FinishedRun, Kernel, PeakRss, RawReadings};
pub use record::{Tail, read_journal};
pub use resolve::{StartError, resolve_program};
pub use task::{
    AllowedExits, CommandLine, MOST_COPIES, Outcome, PADDING_VARIABLE, Reads, STDERR_KEPT_BYTES,
    Stdin, Stdout, Task,
};
pub use units::{Address, Bytes, Microjoules, Microseconds, Nanoseconds};
