//! The totals of a cachegrind output file.
//!
//! Format: the manual of Valgrind 3.19, "Cachegrind File Format": an `events:` line names the
//! columns, a `summary:` line (or `totals:` in later versions) gives their sums over the program.

/// The sums over one process, in cachegrind's own terms. Events that were not simulated are
/// `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// `Ir`: instructions executed.
    pub instructions: Option<u64>,
    /// `I1mr + D1mr + D1mw`: first-level misses, which are references to the last level.
    pub last_level_references: Option<u64>,
    /// `ILmr + DLmr + DLmw`: misses of the simulated last-level cache.
    pub last_level_misses: Option<u64>,
    /// `Bcm + Bim`: mispredicted conditional and indirect branches of the simulated predictor.
    pub branch_misses: Option<u64>,
}

/// The reason that a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CachegrindError {
    /// The `events:` line is missing.
    #[error("cachegrind's output names no events")]
    NoEvents,
    /// The line of sums is missing: cachegrind was stopped before it could write it.
    #[error("cachegrind's output has no summary")]
    NoSummary,
    /// A sum is not a number, or the number of sums differs from the number of events.
    #[error("cachegrind's summary does not fit its events")]
    BadSummary,
}

/// Reads the sums from the text of an output file.
pub fn totals(text: &str) -> Result<Totals, CachegrindError> {
    let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
    let events: Vec<&str> =
        line("events:").ok_or(CachegrindError::NoEvents)?.split_whitespace().collect();
    let sums: Vec<u64> = line("summary:")
        .or_else(|| line("totals:"))
        .ok_or(CachegrindError::NoSummary)?
        .split_whitespace()
        .map(|sum| sum.replace(',', "").parse().map_err(|_| CachegrindError::BadSummary))
        .collect::<Result<_, _>>()?;
    if sums.len() != events.len() {
        return Err(CachegrindError::BadSummary);
    }
    let sum_of = |names: &[&str]| -> Option<u64> {
        names
            .iter()
            .map(|name| events.iter().position(|event| event == name).map(|column| sums[column]))
            .try_fold(0_u64, |total, sum| total.checked_add(sum?))
    };
    Ok(Totals {
        instructions: sum_of(&["Ir"]),
        last_level_references: sum_of(&["I1mr", "D1mr", "D1mw"]),
        last_level_misses: sum_of(&["ILmr", "DLmr", "DLmw"]),
        branch_misses: sum_of(&["Bcm", "Bim"]),
    })
}

impl Totals {
    /// The sums over both; an event that either lacks is `None`.
    pub fn plus(self, other: Self) -> Self {
        let add = |a: Option<u64>, b: Option<u64>| a?.checked_add(b?);
        Self {
            instructions: add(self.instructions, other.instructions),
            last_level_references: add(self.last_level_references, other.last_level_references),
            last_level_misses: add(self.last_level_misses, other.last_level_misses),
            branch_misses: add(self.branch_misses, other.branch_misses),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes true`, Valgrind 3.19.0, Debian
    /// 12, x86-64, cut down to one line of one function.
    const TRUE: &str = "\
desc: I1 cache:         32768 B, 64 B, 8-way associative
cmd: true
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim
fl=???
fn=???
0 10 1 1 2 1 1 0 0 0 0 0 0 0
summary: 126521 1192 1166 30713 1871 1520 13102 580 558 23407 2921 278 111
";

    #[test]
    fn the_columns_are_found_by_name() {
        let totals = totals(TRUE).expect("a sound file");
        assert_eq!(totals.instructions, Some(126_521));
        assert_eq!(totals.last_level_references, Some(1192 + 1871 + 580));
        assert_eq!(totals.last_level_misses, Some(1166 + 1520 + 558));
        assert_eq!(totals.branch_misses, Some(2921 + 111));
    }

    #[test]
    fn what_was_not_simulated_is_absent() {
        let totals = totals("events: Ir\nsummary: 7\n").expect("a sound file");
        assert_eq!(totals, Totals { instructions: Some(7), ..Totals::default() });
    }

    #[test]
    fn unsound_files_are_refused() {
        assert_eq!(totals(""), Err(CachegrindError::NoEvents));
        assert_eq!(totals("events: Ir\n"), Err(CachegrindError::NoSummary));
        assert_eq!(totals("events: Ir\nsummary: 1 2\n"), Err(CachegrindError::BadSummary));
        assert_eq!(totals("events: Ir\nsummary: x\n"), Err(CachegrindError::BadSummary));
        assert_eq!(totals("events: Ir\nsummary: -1\n"), Err(CachegrindError::BadSummary));
    }

    #[test]
    fn processes_add_up_and_overflow_is_absent_rather_than_wrong() {
        let one = totals(TRUE).expect("a sound file");
        assert_eq!(one.plus(one).instructions, Some(253_042));
        let most = Totals { instructions: Some(u64::MAX), ..one };
        assert_eq!(most.plus(one).instructions, None);
    }
}
