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
//! * `executable`: the file behind a program's name, and the cause if the kernel refuses it.
//! * `task`: a command line, and the readings to take of a run.
//! * `launcher`: a small process that starts programs and reads their usage.
//! * `counters`, `energy`, `cgroup`, `looks`, `proc`: the sources of readings beside the kernel's
//!   account of a process.
//! * `readings`: the readings of a run, each with its unit or the reason that it is missing.
//! * `record`, `wire`: a finished run as bytes, in the journal and between the processes.
//!
//! Beside it, the public modules describe the machine, lock it, read its clocks, run programs for
//! other ends than measuring, and prepare files and pipes for runs. `sys` has the system calls that
//! std does not offer, each made safe to call.

mod cgroup;
pub mod clock;
mod counters;
mod energy;
mod executable;
pub mod hold;
pub mod interrupt;
mod launcher;
mod looks;
pub mod machine;
pub mod named_pipe;
pub mod page_cache;
pub mod parallel;
pub mod plain_file;
mod proc;
pub mod profiler;
mod readings;
mod record;
pub mod sampling;
mod sys;
mod task;
pub mod tool;
mod wire;

pub use counters::{Available, available as available_counters};
pub use executable::{StartError, own_program, refusal, resolve_program};
pub use launcher::{Launcher, LauncherError, Obstacle, Slice, StopReason, Wake};
pub use looks::MemorySample;
pub use readings::{
    Address, Bytes, Copies, Count, Counter, Counters, FinishedRun, Kernel, Microjoules,
    Microseconds, Missing, Nanoseconds, PeakRss, RawReadings,
};
pub use record::{Tail, read_journal};
pub use task::{
    AllowedExits, Awaits, CommandLine, MOST_COPIES, Outcome, PADDING_VARIABLE, Reads,
    STDERR_KEPT_BYTES, Stdin, Stdout, Task,
};

#[cfg(test)]
mod made_up {
    use std::ops::Deref;
    use std::path::{Path, PathBuf};
    use std::{env, fs, process};

    /// A folder with made-up files for one test, removed on drop.
    pub(crate) struct Folder(PathBuf);

    impl Folder {
        pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let path = env::temp_dir().join(format!("brisk-{name}-{}", process::id()));
            fs::create_dir_all(&path).expect("writable");
            let made = Self(path);
            files.iter().for_each(|(path, text)| made.write(path, text));
            made
        }

        pub(crate) fn write(&self, path: &str, text: &str) {
            let path = self.join(path);
            fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
            fs::write(path, text).expect("writable");
        }
    }

    impl Deref for Folder {
        type Target = Path;

        fn deref(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
