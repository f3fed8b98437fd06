//! The check that variants claimed to do the same work print the same, and the choice of those to
//! run once more.

use model::metric::Missing;
use model::run::ObservedOutput;

/// The output of one run of a variant, or the reason that it was not observed.
pub type Sight = Result<ObservedOutput, Missing>;

/// The variants to run once more, because their output differs from that of one they are compared
/// with, and it is not yet known whether it is always the same. `sights` has the runs of each
/// variant so far; before the first run, all variants are returned.
pub fn wanted(pairs: &[(u32, u32)], sights: &[Vec<Sight>]) -> Vec<u32> {
    let all = 0..u32::try_from(sights.len()).expect("at most 2^20 variants");
    if sights.iter().all(Vec::is_empty) {
        return all.collect();
    }
    let first = |variant: u32| sights[variant as usize].first()?.as_ref().ok();
    let differs = |variant: &u32| {
        pairs.iter().any(|&(a, b)| {
            let is_its = a == *variant || b == *variant;
            is_its && matches!((first(a), first(b)), (Some(a), Some(b)) if !is_same(a, b))
        })
    };
    all.filter(|variant| sights[*variant as usize].len() == 1).filter(differs).collect()
}

/// True if two runs print the same, and end in the same way.
pub fn is_same(a: &ObservedOutput, b: &ObservedOutput) -> bool {
    prints_same(a, b) && a.outcome == b.outcome
}

/// True if two runs print the same.
pub fn prints_same(a: &ObservedOutput, b: &ObservedOutput) -> bool {
    a.output.bytes == b.output.bytes && a.output.sha256 == b.output.sha256
}

/// Outputs for tests.
#[cfg(any(test, feature = "testing"))]
pub mod examples {
    use std::io::Write as _;

    use measure::Outcome;
    use model::run::Intake;

    use super::{Missing, ObservedOutput, Sight};

    /// The output `text` of a run that ended like this.
    pub fn sight(text: &[u8], outcome: Outcome) -> Sight {
        let mut intake = Intake::default();
        intake.write_all(text).expect("nothing can fail");
        Ok(ObservedOutput { outcome, output: intake.finish() })
    }

    /// The output `text` of a run that succeeded.
    pub fn printed(text: &str) -> Sight {
        sight(text.as_bytes(), Outcome::Exited(0))
    }

    /// An output that could not be read.
    pub fn unread() -> Sight {
        Err(Missing("hidden".into()))
    }
}

#[cfg(test)]
mod tests {
    use measure::Outcome;

    use super::examples::{printed, sight, unread};
    use super::*;

    #[test]
    fn all_are_run_once_and_those_that_differ_once_more() {
        let pairs = [(0, 1), (0, 2), (0, 3)];
        let none = vec![Vec::new(); 4];
        assert_eq!(wanted(&pairs, &none), [0, 1, 2, 3]);
        let of = |texts: [&str; 4]| texts.map(|text| vec![printed(text)]).to_vec();
        assert_eq!(wanted(&pairs, &of(["a", "a", "a", "a"])), [] as [u32; 0]);
        let mut sights = of(["a", "a", "b", "a"]);
        sights[3] = vec![unread()];
        assert_eq!(wanted(&pairs, &sights), [0, 2]);
        sights[0].push(printed("a"));
        sights[2].push(printed("b"));
        assert_eq!(wanted(&pairs, &sights), [] as [u32; 0]);
        let ends = vec![vec![printed("a")], vec![sight(b"a", Outcome::Exited(1))]];
        assert_eq!(wanted(&[(0, 1)], &ends), [0, 1]);
    }
}
