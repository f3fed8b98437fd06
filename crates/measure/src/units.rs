//! Units as types, so that a number of bytes never meets a number of faults.

/// A duration or an instant, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanoseconds(pub u64);

/// A duration in microseconds, the resolution of `struct rusage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Microseconds(pub u64);

/// An amount of memory or storage, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// An amount of energy, in microjoules, the resolution of the kernel's powercap files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Microjoules(pub u64);

/// An address in the memory of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u64);

impl Nanoseconds {
    /// The same duration in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Microjoules {
    /// The same energy in joules.
    pub fn as_joules(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Microseconds {
    /// The same duration in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}
