//! The reasons that a number was not read.
//!
//! A number that was not read is never 0: it is one of these reasons, and its `Display` is the text
//! that a report shows in place of the number.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::wire::{Malformed, Reader, Writer};

/// The reason that a reading is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The task did not ask for it.
    NotRequested,
    /// The processor, or the hypervisor, has no such counter.
    NoHardwareCounters,
    /// The kernel refuses counters to this user.
    CountersForbidden {
        /// The error number from `perf_event_open`.
        errno: i32,
        /// The value of `kernel.perf_event_paranoid`, if it can be read.
        paranoid: Option<i32>,
    },
    /// `perf_event_open`, or reading the counter, failed in another way.
    CounterFailed {
        /// The error number from the kernel.
        errno: i32,
    },
    /// The counter shared its hardware register and ran too little to be scaled.
    Multiplexed {
        /// Share of the run's time during which it counted, in percent.
        running_percent: u8,
    },
    /// The run ended before the counter was ever enabled.
    NeverCounted,
    /// The run ended before its memory was ever sampled.
    NeverSampled,
    /// The run ended before its stack was looked at, or belongs to another user.
    StackUnseen,
    /// Several copies ran at once, but this is read for a single process only.
    SeveralCopies,
    /// `schedstat` covers one thread only, and that thread did not do the work.
    CpuTimeElsewhere,
    /// The kernel keeps no scheduler statistics.
    NoSchedstat,
    /// No usable cgroup v2 memory controller.
    NoMemoryController,
    /// A cgroup for the run could not be set up or read.
    CgroupFailed {
        /// The error number from the kernel.
        errno: i32,
    },
    /// No energy counters.
    NoEnergyCounters,
    /// The energy counters exist, but this user may not read them.
    EnergyForbidden,
    /// The run ended before the energy counters moved.
    ShorterThanEnergyCounts,
    /// The run took so long that an energy counter may have wrapped more than once.
    EnergyWrapped {
        /// The shortest such run, in seconds.
        after_seconds: u64,
    },
    /// The file with the fact does not exist on this machine.
    NoFile {
        /// The file.
        path: PathBuf,
    },
    /// The file with the fact cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error number from the kernel.
        errno: i32,
    },
    /// The content of the file with the fact is not understood.
    NotUnderstood {
        /// The file.
        path: PathBuf,
    },
}

impl Missing {
    /// The reason behind a failure to read `path`.
    pub(crate) fn from_read(path: &Path, error: &io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR) => Self::NoFile { path: path.into() },
            Some(errno) => Self::Unreadable { path: path.into(), errno },
            None => Self::NotUnderstood { path: path.into() },
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRequested => write!(f, "not requested"),
            Self::NoHardwareCounters => write!(f, "no hardware counters in this machine"),
            Self::CountersForbidden { errno, paranoid } => {
                write!(f, "perf_event_open: {}", errno_text(*errno))?;
                match paranoid {
                    Some(level) => write!(f, "; kernel.perf_event_paranoid is {level}"),
                    None => Ok(()),
                }
            }
            Self::CounterFailed { errno } => write!(f, "perf_event_open: {}", errno_text(*errno)),
            Self::Multiplexed { running_percent } => {
                write!(f, "multiplexed: the counter ran {running_percent} % of the time")
            }
            Self::NeverCounted => write!(f, "the run ended before the counter was enabled"),
            Self::NeverSampled => write!(f, "the run ended before its memory was sampled"),
            Self::StackUnseen => write!(f, "nobody saw where its stack began"),
            Self::SeveralCopies => write!(f, "not read of several copies at once"),
            Self::CpuTimeElsewhere => write!(
                f,
                "most of its CPU time was spent in other threads or child processes, \
                 whose waiting Linux does not report"
            ),
            Self::NoSchedstat => write!(f, "this kernel keeps no scheduler statistics"),
            Self::NoMemoryController => write!(f, "no cgroup v2 memory controller here"),
            Self::CgroupFailed { errno } => write!(f, "cgroup v2: {}", errno_text(*errno)),
            Self::NoEnergyCounters => write!(f, "no powercap energy counters here"),
            Self::EnergyForbidden => {
                write!(f, "only root may read the powercap energy counters, since CVE-2020-8694")
            }
            Self::ShorterThanEnergyCounts => {
                write!(f, "the run ended before the energy counters moved, about every millisecond")
            }
            Self::EnergyWrapped { after_seconds } => write!(
                f,
                "in a run of more than {after_seconds} s the energy counters may begin anew more \
                 than once"
            ),
            Self::NoFile { path } => write!(f, "no `{}` here", path.display()),
            Self::Unreadable { path, errno } => {
                write!(f, "cannot read `{}`: {}", path.display(), errno_text(*errno))
            }
            Self::NotUnderstood { path } => write!(f, "cannot make sense of `{}`", path.display()),
        }
    }
}

/// The system's message for an error number, without the number.
pub fn errno_text(errno: i32) -> String {
    let text = io::Error::from_raw_os_error(errno).to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Marks an absent optional number in the encoding.
const ABSENT: i64 = i64::MIN;

impl Missing {
    /// Appends the reason: a code, and the number and text that it uses.
    pub(crate) fn encode(&self, out: &mut Writer) {
        let (code, number, text): (u8, i64, Option<&Path>) = match self {
            Self::NotRequested => (0, 0, None),
            Self::NoHardwareCounters => (1, 0, None),
            Self::CountersForbidden { errno, paranoid } => {
                out.u8(2);
                out.i64(i64::from(*errno));
                out.i64(paranoid.map_or(ABSENT, i64::from));
                return;
            }
            Self::CounterFailed { errno } => (3, i64::from(*errno), None),
            Self::Multiplexed { running_percent } => (4, i64::from(*running_percent), None),
            Self::NeverCounted => (5, 0, None),
            Self::CpuTimeElsewhere => (6, 0, None),
            Self::NoSchedstat => (7, 0, None),
            Self::NoMemoryController => (8, 0, None),
            Self::CgroupFailed { errno } => (9, i64::from(*errno), None),
            Self::NoFile { path } => (10, 0, Some(path)),
            Self::Unreadable { path, errno } => (11, i64::from(*errno), Some(path)),
            Self::NotUnderstood { path } => (12, 0, Some(path)),
            Self::NeverSampled => (13, 0, None),
            Self::StackUnseen => (14, 0, None),
            Self::NoEnergyCounters => (15, 0, None),
            Self::EnergyForbidden => (16, 0, None),
            Self::ShorterThanEnergyCounts => (17, 0, None),
            Self::EnergyWrapped { after_seconds } => (18, after_seconds.cast_signed(), None),
            Self::SeveralCopies => (19, 0, None),
        };
        out.u8(code);
        match code {
            3 | 4 | 9 | 11 | 18 => out.i64(number),
            _ => {}
        }
        if let Some(path) = text {
            out.os_str(path.as_os_str());
        }
    }

    /// Decodes the output of [`Missing::encode`].
    pub(crate) fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let errno = |from: &mut Reader<'_>| i32::try_from(from.i64()?).map_err(|_| Malformed);
        Ok(match from.u8()? {
            0 => Self::NotRequested,
            1 => Self::NoHardwareCounters,
            2 => Self::CountersForbidden {
                errno: errno(from)?,
                paranoid: match from.i64()? {
                    ABSENT => None,
                    level => Some(i32::try_from(level).map_err(|_| Malformed)?),
                },
            },
            3 => Self::CounterFailed { errno: errno(from)? },
            4 => Self::Multiplexed {
                running_percent: u8::try_from(from.i64()?).map_err(|_| Malformed)?,
            },
            5 => Self::NeverCounted,
            6 => Self::CpuTimeElsewhere,
            7 => Self::NoSchedstat,
            8 => Self::NoMemoryController,
            9 => Self::CgroupFailed { errno: errno(from)? },
            10 => Self::NoFile { path: from.os_string()?.into() },
            11 => {
                let errno = errno(from)?;
                Self::Unreadable { path: from.os_string()?.into(), errno }
            }
            12 => Self::NotUnderstood { path: from.os_string()?.into() },
            13 => Self::NeverSampled,
            14 => Self::StackUnseen,
            15 => Self::NoEnergyCounters,
            16 => Self::EnergyForbidden,
            17 => Self::ShorterThanEnergyCounts,
            18 => Self::EnergyWrapped { after_seconds: from.i64()?.cast_unsigned() },
            19 => Self::SeveralCopies,
            _ => return Err(Malformed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_setting_that_caused_it() {
        let missing = Missing::CountersForbidden { errno: libc::EACCES, paranoid: Some(3) };
        assert_eq!(
            missing.to_string(),
            "perf_event_open: Permission denied; kernel.perf_event_paranoid is 3"
        );
    }

    #[test]
    fn a_counter_that_hardly_ran_says_how_little() {
        assert_eq!(
            Missing::Multiplexed { running_percent: 12 }.to_string(),
            "multiplexed: the counter ran 12 % of the time"
        );
    }
}
