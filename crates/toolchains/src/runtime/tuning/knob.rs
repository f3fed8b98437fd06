//! One thing that a runtime can be told, and the values worth trying.

/// One thing that a runtime can be told.
#[derive(Debug)]
pub struct Knob {
    /// As the runtime calls it: `s`, `-A`, `GOGC`.
    pub name: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// What its values count.
    pub unit: Unit,
    /// What holds where nobody says anything, for people.
    pub default: &'static str,
    /// The values worth trying besides that, in their order.
    pub levels: &'static [Level],
    /// Where in their order the default stands.
    pub untouched: Untouched,
    /// What a later level does, as far as is known beforehand.
    pub effect: Effect,
    /// What there must be for it to work.
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
    /// As it is written for the runtime.
    pub text: &'static str,
    /// How much memory it may claim by itself, in bytes; 0 where it claims none.
    pub claims_bytes: u64,
}

/// What the values of a knob count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Words of 8 bytes.
    Words,
    /// Bytes.
    Bytes,
    /// Mebibytes, written without a unit.
    Mebibytes,
    /// Hundredths.
    Percent,
    /// A quotient.
    Quotient,
    /// Things.
    Count,
    /// Nothing: they are names.
    Name,
}

/// Where the default stands among the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untouched {
    /// Behind so many of them.
    After(usize),
    /// Where a claim of this part of the machine's memory belongs: 64 for a sixty-fourth.
    PartOfMemory(u64),
}

/// What a later level does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It buys time with memory.
    CostsMemory,
    /// It buys memory with time.
    SavesMemory,
    /// Something, with an order.
    Unknown,
    /// Something: the levels have no order.
    Unordered,
}

/// What there must be for a knob to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A major version of the runtime from this one on.
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

/// A value that may claim so many kibibytes.
pub(super) const fn kib(text: &'static str, kibibytes: u64) -> Level {
    Level { text, claims_bytes: kibibytes << 10 }
}

/// A value that may claim so many mebibytes.
pub(super) const fn mib(text: &'static str, mebibytes: u64) -> Level {
    Level { text, claims_bytes: mebibytes << 20 }
}
