//! A setting of a runtime, and the values worth trying.

/// A setting of a runtime.
#[derive(Debug)]
pub struct Knob {
    /// The runtime's name for it: `s`, `-A`, `GOGC`.
    pub name: &'static str,
    /// Its description, for people.
    pub about: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    /// The runtime's default, for people.
    pub default: &'static str,
    /// The values worth trying besides the default, in their order.
    pub levels: &'static [Level],
    /// The position of the default among them.
    pub untouched: Untouched,
    /// The effect of a later level, as far as it is known in advance.
    pub effect: Effect,
    /// Its requirements.
    pub needs: &'static [Need],
}

impl PartialEq for Knob {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Knob {}

/// A value of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// The text for the runtime.
    pub text: &'static str,
    /// The memory that it may claim by itself, in bytes; 0 if none.
    pub claims_bytes: u64,
}

/// The unit of a knob's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Words of 8 bytes.
    Words,
    /// Bytes.
    Bytes,
    /// Mebibytes, written without a unit.
    Mebibytes,
    /// Percent.
    Percent,
    /// A quotient.
    Quotient,
    /// A count.
    Count,
    /// None: the values are names.
    Name,
}

/// The position of the default among the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untouched {
    /// After this number of levels.
    After(usize),
    /// At the position of a claim of this part of the machine's memory: 64 for a sixty-fourth.
    PartOfMemory(u64),
}

/// The effect of a later level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It trades memory for time.
    CostsMemory,
    /// It trades time for memory.
    SavesMemory,
    /// Unknown, but the levels are ordered.
    Unknown,
    /// Unknown, and the levels are not ordered.
    Unordered,
}

/// A requirement of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// This major version of the runtime or a later one.
    SinceMajor(u32),
    /// A major version of the runtime before this one.
    BeforeMajor(u32),
    /// A program linked with `-rtsopts` (GHC).
    RtsOpts,
    /// A program linked with `-threaded` (GHC).
    Threaded,
    /// Two processors or more.
    Processors,
}

/// A value that claims no memory by itself.
pub(super) const fn plain(text: &'static str) -> Level {
    Level { text, claims_bytes: 0 }
}

/// A value that may claim this number of kibibytes.
pub(super) const fn kib(text: &'static str, kibibytes: u64) -> Level {
    Level { text, claims_bytes: kibibytes << 10 }
}

/// A value that may claim this number of mebibytes.
pub(super) const fn mib(text: &'static str, mebibytes: u64) -> Level {
    Level { text, claims_bytes: mebibytes << 20 }
}
