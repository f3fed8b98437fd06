//! Finding the one commit that changed a metric, with as few builds as can be.
//!
//! The ends of the range differ by a known ratio. A commit in between is on the near side of the
//! change if its ratio to the beginning is certainly less than half of it (on the log scale), and
//! on the far side if it is certainly more. So each answer halves what is left, as `git bisect`
//! does, but an answer is only given where the interval is; commits that do not build are stepped
//! around.

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

    /// The commit to look at next: of those that may build the nearest to the middle.
    pub fn next(&self) -> Option<usize> {
        let middle = usize::midpoint(self.near, self.far);
        let candidates = (self.near + 1..self.far).filter(|at| !self.unbuilt.contains(at));
        candidates.min_by_key(|at| at.abs_diff(middle))
    }

    /// Notes that a commit does not build.
    pub fn does_not_build(&mut self, commit: usize) {
        self.unbuilt.insert(commit);
    }

    /// Notes on which side a commit is; [`Side::Open`] says nothing.
    pub fn found(&mut self, commit: usize, side: Side) {
        match side {
            Side::Near => self.near = self.near.max(commit),
            Side::Far => self.far = self.far.min(commit),
            Side::Open => {}
        }
    }

    /// The last commit without the change, and the first that is known to have it.
    pub fn ends(&self) -> (usize, usize) {
        (self.near, self.far)
    }

    /// How many more commits are looked at, at most, if all of them build.
    pub fn steps_left(&self) -> u32 {
        (self.far - self.near).next_power_of_two().ilog2()
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

/// The margin with which a ratio is known well enough to tell the side: a third of the change on
/// the log scale, less than half of it.
pub fn margin(change: f64) -> f64 {
    (change.ln().abs() / 3.0).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_commit_is_found_in_as_many_steps_as_the_range_has_digits() {
        for commits in [2, 3, 40, 41, 1000] {
            for culprit in 1..commits {
                let mut bisection = Bisection::new(commits);
                let most = bisection.steps_left();
                let mut steps = 0;
                while let Some(at) = bisection.next() {
                    bisection.found(at, if at < culprit { Side::Near } else { Side::Far });
                    steps += 1;
                }
                assert_eq!(bisection.ends(), (culprit - 1, culprit));
                assert!(steps <= most, "{steps} of {most} for {culprit} of {commits}");
            }
        }
    }

    #[test]
    fn what_does_not_build_is_stepped_around() {
        let mut bisection = Bisection::new(9);
        assert_eq!(bisection.next(), Some(4));
        bisection.does_not_build(4);
        assert_eq!(bisection.next(), Some(3));
        bisection.found(3, Side::Near);
        for at in [5, 6] {
            bisection.does_not_build(at);
        }
        assert_eq!(bisection.next(), Some(7));
        bisection.found(7, Side::Far);
        assert_eq!(bisection.next(), None);
        assert_eq!(bisection.ends(), (3, 7));
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

    #[test]
    fn an_interval_as_narrow_as_the_margin_tells_the_side() {
        for change in [0.2, 0.97, 1.01, 3.0] {
            let margin = 1.0 + margin(change);
            assert_eq!(side(1.0 / margin, margin, change), Side::Near, "{change}");
            assert_eq!(side(change / margin, change * margin, change), Side::Far, "{change}");
        }
    }
}
