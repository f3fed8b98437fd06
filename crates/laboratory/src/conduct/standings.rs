//! The state of each comparison: the look that settled it, or open; and the variants that must
//! still run.
//!
//! A settled comparison is final: its verdict was found at the level of that look and with the
//! rounds up to it. A variant that no open comparison needs does not run any more, so the time goes
//! to undecided ones. Company, which is not compared, runs in the first rounds.

use model::design::contrasts::{Company, Contrasts};

/// The comparisons of an experiment, in the order of its contrasts.
#[derive(Debug, Clone)]
pub(super) struct Standings {
    pairs: Vec<(u32, u32)>,
    settled_at: Vec<Option<usize>>,
    /// The comparisons abandoned because a run of one of their variants failed.
    given_up: Vec<bool>,
    /// The number of open comparisons that need each variant.
    needs: Vec<u32>,
    /// The number of variants that the open comparisons need.
    active: u32,
    company: Option<Company>,
    /// Set for variants that do not take part any more.
    gone: Vec<bool>,
}

impl Standings {
    /// Every comparison open. Without any, every variant takes part.
    pub(super) fn new(contrasts: &Contrasts, variants: u32) -> Self {
        let Contrasts { pairs, company, .. } = contrasts.clone();
        let mut needs = vec![0; variants as usize];
        for &(baseline, candidate) in &pairs {
            needs[baseline as usize] += 1;
            needs[candidate as usize] += 1;
        }
        if pairs.is_empty() {
            needs.fill(1);
        }
        let active = count_active(&needs);
        let count = pairs.len();
        let (settled_at, given_up) = (vec![None; count], vec![false; count]);
        let gone = vec![false; needs.len()];
        Self { pairs, settled_at, given_up, needs, active, company, gone }
    }

    /// True if a variant currently takes part in the round with this number, from 0.
    pub(super) fn takes_part(&self, variant: u32, round: u32) -> bool {
        let is_company = |company: Company| variant >= company.from && round < company.rounds;
        let is_wanted = self.needs[variant as usize] > 0 || self.company.is_some_and(is_company);
        is_wanted && !self.gone[variant as usize]
    }

    /// The number of variants that take part in it.
    pub(super) fn active(&self, round: u32) -> u32 {
        let company = self.company.filter(|company| round < company.rounds);
        let left = |company: Company| {
            let all = &self.gone[company.from as usize..];
            u32::try_from(all.iter().filter(|gone| !**gone).count()).expect("at most 2^20 variants")
        };
        self.active + company.map_or(0, left)
    }

    /// The open comparisons: number, baseline and candidate.
    pub(super) fn open(&self) -> Vec<(usize, (u32, u32))> {
        let is_open = |index: &usize| self.settled_at[*index].is_none() && !self.given_up[*index];
        (0..self.pairs.len()).filter(is_open).map(|index| (index, self.pairs[index])).collect()
    }

    /// Abandons the open comparisons of a variant that is withdrawn.
    pub(super) fn give_up(&mut self, variant: u32) {
        for (number, (baseline, candidate)) in self.open() {
            if baseline == variant || candidate == variant {
                self.given_up[number] = true;
                self.needs[baseline as usize] -= 1;
                self.needs[candidate as usize] -= 1;
            }
        }
        // Settled comparisons may have kept it active, so that a round does not become empty.
        self.needs[variant as usize] = 0;
        self.gone[variant as usize] = true;
        self.active = count_active(&self.needs);
    }

    /// Closes comparisons at a look. The variants of the last ones continue to take part, so that a
    /// round never becomes empty.
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

    /// The look at which each comparison was settled, in the order of the contrasts.
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

    fn contrasts_of(pairs: &[(u32, u32)]) -> Contrasts {
        Contrasts { pairs: pairs.to_vec(), ..Contrasts::default() }
    }

    #[test]
    fn company_takes_part_in_the_first_rounds_whatever_is_settled() {
        let company = Some(Company { from: 2, rounds: 3 });
        let contrasts = Contrasts { company, ..contrasts_of(&[(0, 0), (1, 1)]) };
        let mut standings = Standings::new(&contrasts, 5);
        assert_eq!([0, 2, 3].map(|round| standings.active(round)), [5, 5, 2]);
        standings.settle(&[0], 1);
        assert_eq!([2, 3].map(|round| standings.active(round)), [4, 1]);
        assert!(!standings.takes_part(0, 2) && standings.takes_part(4, 2));
        assert!(standings.takes_part(1, 3) && !standings.takes_part(4, 3));
    }

    #[test]
    fn a_variant_runs_as_long_as_an_open_comparison_needs_it() {
        let mut standings = Standings::new(&contrasts_of(&[(0, 1), (1, 2), (2, 3)]), 4);
        assert_eq!(standings.active(0), 4);
        standings.settle(&[0], 2);
        assert!(!standings.takes_part(0, 0));
        assert!(standings.takes_part(1, 0));
        assert_eq!(standings.active(0), 3);
        assert_eq!(standings.open(), [(1, (1, 2)), (2, (2, 3))]);
        standings.settle(&[2], 5);
        assert_eq!(standings.active(0), 2);
        assert_eq!(standings.settled_at(), [Some(2), None, Some(5)]);
    }

    #[test]
    fn a_round_is_never_empty() {
        let mut standings = Standings::new(&contrasts_of(&[(0, 1), (1, 2)]), 3);
        standings.settle(&[0], 0);
        standings.settle(&[1], 1);
        assert_eq!(standings.open(), []);
        assert_eq!(standings.active(0), 2);
        assert!(standings.takes_part(2, 0));
    }

    #[test]
    fn who_fails_takes_along_what_is_compared_with_it() {
        let mut standings = Standings::new(&contrasts_of(&[(0, 1), (1, 2), (3, 3)]), 4);
        standings.give_up(1);
        assert_eq!(standings.open(), [(2, (3, 3))]);
        assert_eq!(standings.settled_at(), [None, None, None]);
        assert_eq!([0, 1, 2, 3].map(|v| standings.takes_part(v, 0)), [false, false, false, true]);
        standings.give_up(3);
        assert_eq!((standings.open(), standings.active(0)), (Vec::new(), 0));
    }

    #[test]
    fn without_comparisons_everyone_takes_part() {
        let standings = Standings::new(&contrasts_of(&[]), 1);
        assert_eq!(standings.active(0), 1);
        assert!(standings.takes_part(0, 0));
    }
}
