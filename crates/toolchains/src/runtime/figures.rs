//! The figures that a runtime reports for a process, in one vocabulary for all runtimes.
//!
//! Each figure has the meaning documented here; a similarly named figure of a runtime with another
//! meaning is not used. `docs/runtimes.md` lists the source of each figure for each runtime. Words
//! have been converted to bytes, and times to seconds.

/// The figures of one process. Figures that were not reported are absent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// Bytes allocated on the heap over the whole run.
    pub allocated_bytes: Option<u64>,
    /// Bytes moved from the young generation to the old one.
    pub promoted_bytes: Option<u64>,
    /// The most bytes that were live at a major collection; absent if there was none.
    pub max_live_bytes: Option<u64>,
    /// The most bytes that the runtime held of the operating system's memory, for its heap.
    pub max_in_use_bytes: Option<u64>,
    /// Bytes copied by collections.
    pub copied_bytes: Option<u64>,
    /// Collections, of all generations.
    pub collections: Option<u64>,
    /// Collections of the young generation alone.
    pub minor_collections: Option<u64>,
    /// Collections of the whole heap.
    pub major_collections: Option<u64>,
    /// Processor time of the collections, over all threads, in seconds.
    pub gc_cpu_seconds: Option<f64>,
    /// Processor time of the program itself, without collections, start and end, in seconds.
    pub mutator_cpu_seconds: Option<f64>,
    /// The total pause for collections, in seconds.
    pub pause_seconds: Option<f64>,
    /// The longest pause, in seconds.
    pub max_pause_seconds: Option<f64>,
}

/// A figure by name, for iterating over all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a field of `Figures`, described there")]
pub enum Quantity {
    Allocated,
    Promoted,
    MaxLive,
    MaxInUse,
    Copied,
    Collections,
    MinorCollections,
    MajorCollections,
    GcTime,
    MutatorTime,
    PauseTime,
    MaxPause,
}

impl Quantity {
    /// Every figure.
    pub const ALL: [Self; 12] = [
        Self::Allocated,
        Self::Promoted,
        Self::MaxLive,
        Self::MaxInUse,
        Self::Copied,
        Self::Collections,
        Self::MinorCollections,
        Self::MajorCollections,
        Self::GcTime,
        Self::MutatorTime,
        Self::PauseTime,
        Self::MaxPause,
    ];
}

impl Figures {
    /// One figure, in bytes, seconds, or as a count.
    pub fn get(&self, quantity: Quantity) -> Option<f64> {
        let count = |value: Option<u64>| value.map(|value| value as f64);
        match quantity {
            Quantity::Allocated => count(self.allocated_bytes),
            Quantity::Promoted => count(self.promoted_bytes),
            Quantity::MaxLive => count(self.max_live_bytes),
            Quantity::MaxInUse => count(self.max_in_use_bytes),
            Quantity::Copied => count(self.copied_bytes),
            Quantity::Collections => count(self.collections),
            Quantity::MinorCollections => count(self.minor_collections),
            Quantity::MajorCollections => count(self.major_collections),
            Quantity::GcTime => self.gc_cpu_seconds,
            Quantity::MutatorTime => self.mutator_cpu_seconds,
            Quantity::PauseTime => self.pause_seconds,
            Quantity::MaxPause => self.max_pause_seconds,
        }
    }

    /// The figures of two processes together: sums, but the larger of two peaks, because it is
    /// unknown if they coincided. A figure that either lacks is absent.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let add = |a: Option<u64>, b: Option<u64>| a?.checked_add(b?);
        let larger = |a: Option<u64>, b: Option<u64>| Some(a?.max(b?));
        let add_times = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        Self {
            allocated_bytes: add(self.allocated_bytes, other.allocated_bytes),
            promoted_bytes: add(self.promoted_bytes, other.promoted_bytes),
            max_live_bytes: larger(self.max_live_bytes, other.max_live_bytes),
            max_in_use_bytes: larger(self.max_in_use_bytes, other.max_in_use_bytes),
            copied_bytes: add(self.copied_bytes, other.copied_bytes),
            collections: add(self.collections, other.collections),
            minor_collections: add(self.minor_collections, other.minor_collections),
            major_collections: add(self.major_collections, other.major_collections),
            gc_cpu_seconds: add_times(self.gc_cpu_seconds, other.gc_cpu_seconds),
            mutator_cpu_seconds: add_times(self.mutator_cpu_seconds, other.mutator_cpu_seconds),
            pause_seconds: add_times(self.pause_seconds, other.pause_seconds),
            max_pause_seconds: match (self.max_pause_seconds, other.max_pause_seconds) {
                (Some(one), Some(two)) => Some(one.max(two)),
                _ => None,
            },
        }
    }
}

/// The reason that figures could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FiguresError {
    /// Their end or their beginning is missing.
    #[error("the figures of {runtime} are cut off")]
    CutOff {
        /// The name of the runtime.
        runtime: &'static str,
    },
    /// Their form is unknown.
    #[error("the figures of {runtime} are not in a form that is known")]
    Malformed {
        /// The name of the runtime.
        runtime: &'static str,
    },
}
