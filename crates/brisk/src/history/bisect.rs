//! Finding the one commit that changed a metric, with as few builds as can be.
//!
//! The ends of the range differ by a known ratio. A commit in between is on the near side of the
//! change if its ratio to the beginning is certainly less than half of it (on the log scale), and
//! on the far side if it is certainly more. So each answer leaves a part of the range, as with
//! `git bisect`; as many commits are probed at once as can be built at once, evenly spread. Commits
//! that do not build are stepped around.

use std::collections::BTreeSet;

/// Where the change is, as far as known: after `near`, and not after `far`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bisection {
    near: usize,
    far: usize,
    unbuilt: BTreeSet<usize>,
}

/// On which side of the change a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The change comes later.
    Near,
    /// It has the change.
    Far,
    /// The interval does not tell.
    Open,
}

impl Bisection {
    /// Nothing is known but that the first and the last of so many commits differ.
    pub fn new(commits: usize) -> Self {
        Self { near: 0, far: commits.saturating_sub(1), unbuilt: BTreeSet::new() }
    }

    /// The commits to look at next, at most so many, in their order: of those that may build the
    /// ones that divide the rest most evenly. Empty when the search is over.
    pub fn next(&self, most: usize) -> Vec<usize> {
        let mut candidates: Vec<usize> =
            (self.near + 1..self.far).filter(|at| !self.unbuilt.contains(at)).collect();
        let parts = most.min(candidates.len()) + 1;
        let mut probes: Vec<usize> = (1..parts)
            .map(|part| {
                // Rounded to the nearest, so that no part is longer than need be.
                let ideal = self.near + ((self.far - self.near) * part * 2 + parts) / (2 * parts);
                let nearest = (0..candidates.len()).min_by_key(|&i| candidates[i].abs_diff(ideal));
                candidates.remove(nearest.expect("there are as many as parts"))
            })
            .collect();
        probes.sort_unstable();
        probes
    }

    /// Notes that a commit does not build.
    pub fn does_not_build(&mut self, commit: usize) {
        self.unbuilt.insert(commit);
    }

    /// Notes on which sides commits are, given in their order. Where several commits changed the
    /// metric, a later one may be on the near side again: the first change is kept.
    pub fn found(&mut self, sides: &[(usize, Side)]) {
        for &(commit, side) in sides {
            match side {
                Side::Near => self.near = self.near.max(commit),
                Side::Far => {
                    self.far = self.far.min(commit);
                    return;
                }
                Side::Open => {}
            }
        }
    }

    /// The last commit without the change, and the first that is known to have it.
    pub fn ends(&self) -> (usize, usize) {
        (self.near, self.far)
    }

    /// How many more times commits are looked at, at most so many at once, if all of them build.
    pub fn stages_left(&self, most: usize) -> u32 {
        let (gap, parts) = (self.far - self.near, most + 1);
        (0..).find(|&stages| parts.saturating_pow(stages) >= gap).expect("powers grow")
    }
}

/// On which side of the change a commit is whose ratio to the beginning lies in `[low, high]`;
/// `change` is the ratio of the end to the beginning.
pub fn side(low: f64, high: f64, change: f64) -> Side {
    let half = change.sqrt();
    let (near, far) =
        if change > 1.0 { (high < half, low > half) } else { (low > half, high < half) };
    match (near, far) {
        (true, _) => Side::Near,
        (_, true) => Side::Far,
        _ => Side::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(probes: &[usize], culprit: usize) -> Vec<(usize, Side)> {
        let side = |at| if at < culprit { Side::Near } else { Side::Far };
        probes.iter().map(|&at| (at, side(at))).collect()
    }

    #[test]
    fn any_commit_is_found_in_as_many_stages_as_the_range_has_digits() {
        for (commits, at_once) in [(2, 1), (3, 1), (40, 1), (41, 2), (1000, 1), (1000, 2), (300, 7)]
        {
            for culprit in 1..commits {
                let mut bisection = Bisection::new(commits);
                let most = bisection.stages_left(at_once);
                let mut stages = 0;
                loop {
                    let probes = bisection.next(at_once);
                    if probes.is_empty() {
                        break;
                    }
                    assert!(probes.len() <= at_once && probes.is_sorted());
                    bisection.found(&sides(&probes, culprit));
                    stages += 1;
                }
                assert_eq!(bisection.ends(), (culprit - 1, culprit));
                assert!(stages <= most, "{stages} of {most} for {culprit} of {commits}");
            }
        }
    }

    #[test]
    fn the_stages_are_the_digits_of_the_range() {
        // Thirty-nine commits may be the culprit: 3^3 < 39 <= 3^4, and 2^5 < 39 <= 2^6.
        assert_eq!(Bisection::new(40).stages_left(2), 4);
        assert_eq!(Bisection::new(40).stages_left(1), 6);
        assert_eq!(Bisection::new(2).stages_left(1), 0);
    }

    #[test]
    fn what_does_not_build_is_stepped_around() {
        let mut bisection = Bisection::new(9);
        assert_eq!(bisection.next(1), [4]);
        bisection.does_not_build(4);
        assert_eq!(bisection.next(1), [3]);
        bisection.found(&[(3, Side::Near)]);
        for at in [5, 6] {
            bisection.does_not_build(at);
        }
        assert_eq!(bisection.next(3), [7]);
        bisection.found(&[(7, Side::Far)]);
        assert!(bisection.next(3).is_empty());
        assert_eq!(bisection.ends(), (3, 7));
    }

    #[test]
    fn of_several_changes_the_first_is_kept() {
        let mut bisection = Bisection::new(10);
        assert_eq!(bisection.next(2), [3, 6]);
        bisection.found(&[(3, Side::Far), (6, Side::Near)]);
        assert_eq!(bisection.ends(), (0, 3));
    }

    #[test]
    fn a_side_is_told_only_by_the_whole_interval() {
        assert_eq!(side(0.99, 1.01, 1.1), Side::Near);
        assert_eq!(side(1.08, 1.12, 1.1), Side::Far);
        assert_eq!(side(1.00, 1.10, 1.1), Side::Open);
        assert_eq!(side(0.98, 1.02, 0.5), Side::Near);
        assert_eq!(side(0.45, 0.55, 0.5), Side::Far);
        assert_eq!(side(0.60, 0.80, 0.5), Side::Open);
    }
}
