//! How each comparison stands: settled at which look, or not yet; and who must still run for it.
//!
//! A comparison that is settled is left alone: its verdict was found at the level of that look and
//! with the rounds up to it. A variant that no open comparison needs runs no more, so the time goes
//! to what is undecided.

/// The comparisons of an experiment, in the order of its contrasts.
#[derive(Debug, Clone)]
pub(super) struct Standings {
    pairs: Vec<(u32, u32)>,
    settled_at: Vec<Option<usize>>,
    /// How many open comparisons need each variant.
    needs: Vec<u32>,
    /// How many variants take part in a round now.
    active: u32,
}

impl Standings {
    /// Every comparison open. Without any, every variant takes part.
    pub(super) fn new(pairs: Vec<(u32, u32)>, variants: u32) -> Self {
        let mut needs = vec![0; variants as usize];
        for &(baseline, candidate) in &pairs {
            needs[baseline as usize] += 1;
            needs[candidate as usize] += 1;
        }
        if pairs.is_empty() {
            needs.fill(1);
        }
        let active = count_active(&needs);
        Self { settled_at: vec![None; pairs.len()], pairs, needs, active }
    }

    /// Whether a variant takes part in the rounds from now on.
    pub(super) fn takes_part(&self, variant: u32) -> bool {
        self.needs[variant as usize] > 0
    }

    /// How many variants a round has from now on.
    pub(super) fn active(&self) -> u32 {
        self.active
    }

    /// The open comparisons: number, baseline and candidate.
    pub(super) fn open(&self) -> Vec<(usize, (u32, u32))> {
        let open = self.pairs.iter().zip(&self.settled_at).enumerate();
        open.filter(|(_, (_, at))| at.is_none()).map(|(index, (&pair, _))| (index, pair)).collect()
    }

    /// Closes comparisons at a look. The last ones are closed, too, but their variants go on taking
    /// part, so that a round never becomes empty.
    pub(super) fn settle(&mut self, numbers: &[usize], look: usize) {
        for &number in numbers {
            self.settled_at[number] = Some(look);
            let (baseline, candidate) = self.pairs[number];
            self.needs[baseline as usize] -= 1;
            self.needs[candidate as usize] -= 1;
        }
        if self.needs.iter().any(|&needs| needs > 0) {
            self.active = count_active(&self.needs);
        } else if !numbers.is_empty() {
            for &number in numbers {
                let (baseline, candidate) = self.pairs[number];
                self.needs[baseline as usize] = 1;
                self.needs[candidate as usize] = 1;
            }
            self.active = count_active(&self.needs);
        }
    }

    /// At which look each comparison was settled, in the order of the contrasts.
    pub(super) fn settled_at(&self) -> &[Option<usize>] {
        &self.settled_at
    }
}

fn count_active(needs: &[u32]) -> u32 {
    u32::try_from(needs.iter().filter(|&&needs| needs > 0).count()).expect("at most 2^20 variants")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_runs_as_long_as_an_open_comparison_needs_it() {
        let mut standings = Standings::new(vec![(0, 1), (1, 2), (2, 3)], 4);
        assert_eq!(standings.active(), 4);
        standings.settle(&[0], 2);
        assert!(!standings.takes_part(0));
        assert!(standings.takes_part(1));
        assert_eq!(standings.active(), 3);
        assert_eq!(standings.open(), [(1, (1, 2)), (2, (2, 3))]);
        standings.settle(&[2], 5);
        assert_eq!(standings.active(), 2);
        assert_eq!(standings.settled_at(), [Some(2), None, Some(5)]);
    }

    #[test]
    fn a_round_is_never_empty() {
        let mut standings = Standings::new(vec![(0, 1), (1, 2)], 3);
        standings.settle(&[0], 0);
        standings.settle(&[1], 1);
        assert_eq!(standings.open(), []);
        assert_eq!(standings.active(), 2);
        assert!(standings.takes_part(2));
    }

    #[test]
    fn without_comparisons_everyone_takes_part() {
        let standings = Standings::new(Vec::new(), 1);
        assert_eq!(standings.active(), 1);
        assert!(standings.takes_part(0));
    }
}
