//! The remaining time of a task: a range, estimated from its progress.
//!
//! Every bar and line of progress takes its figure from here. Nothing here reads a clock: the
//! elapsed time is an argument.

use model::design::stopping::StoppingRule;

/// The remaining time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Left {
    /// The lower bound.
    pub least: f64,
    /// The median estimate: as likely longer as shorter.
    pub likely: f64,
    /// The upper bound, if known.
    pub most: Option<f64>,
}

impl Left {
    /// No time is left.
    pub const NOTHING: Self = Self { least: 0.0, likely: 0.0, most: Some(0.0) };

    /// A single estimate without a range.
    pub fn about(seconds: f64) -> Self {
        Self { least: seconds, likely: seconds, most: Some(seconds) }
    }

    /// The time of this task followed by `next`.
    #[must_use]
    pub fn and(self, next: Self) -> Self {
        let most = self.most.zip(next.most).map(|(this, next)| this + next);
        Self { least: self.least + next.least, likely: self.likely + next.likely, most }
    }
}

/// The remaining time of a step, from its expected and its elapsed time. A step that takes longer
/// than expected is not about to end: the longer it took, the longer it may take.
pub fn of_step(expected: f64, passed: f64) -> f64 {
    (expected - passed).max(passed / OVERDUE)
}

/// An overdue step takes this part of its elapsed time once more. Arbitrary: small enough that a
/// step which is a little late counts as nearly done.
const OVERDUE: f64 = 4.0;

/// Steps of one kind that follow each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The number of finished steps, with fractions.
    pub done: f64,
    /// The time of one step, in seconds.
    pub seconds_each: f64,
    /// The piece in progress as a fraction of a step, such as one run of a round.
    pub piece: f64,
    /// The elapsed time of that piece, in seconds.
    pub passed: f64,
}

impl Pace {
    /// The time until `steps` steps are done, in seconds.
    pub fn until(&self, steps: f64) -> f64 {
        let left = steps - self.done;
        if left <= 0.0 {
            return 0.0;
        }
        let piece = self.piece.min(left);
        self.seconds_each * (left - piece) + of_step(self.seconds_each * piece, self.passed)
    }
}

/// The remaining time of an experiment's rounds. `settled` is the round at which everything is
/// expected to be settled; without it, rounds continue until the budget or the rounds are spent.
pub fn of_rounds(
    rule: &StoppingRule,
    pace: &Pace,
    elapsed_seconds: f64,
    settled: Option<u32>,
) -> Left {
    let (least, most) = (f64::from(rule.min_rounds), f64::from(rule.max_rounds));
    let affordable = rule.budget_seconds.map_or(f64::INFINITY, |budget| {
        pace.done + ((budget - elapsed_seconds) / pace.seconds_each).max(0.0)
    });
    let last = affordable.max(least).min(most);
    let first = if rule.is_fixed() { last } else { least.max(pace.done).min(last) };
    let likely = settled.map_or(last, |settled| f64::from(settled).clamp(first, last));
    Left {
        least: pace.until(first),
        likely: pace.until(likely),
        most: last.is_finite().then(|| pace.until(last)),
    }
}

/// The remaining time of equal pieces of work, estimated from those done; `None` before one is
/// done.
pub fn of_pieces(done: usize, all: usize, elapsed_seconds: f64) -> Option<Left> {
    let each = elapsed_seconds / (done > 0).then_some(done as f64)?;
    Some(Left::about(each * all.saturating_sub(done) as f64))
}

/// The remaining time of builds: `waiting` have not begun, `builders` build at once, those in
/// progress have taken `running`, and the latest finished ones took `each`.
pub fn of_builds(waiting: usize, running: &[f64], builders: usize, each: &[f64]) -> Option<Left> {
    let (shortest, longest) = ends(each)?;
    let middle = each.iter().sum::<f64>() / each.len() as f64;
    let builders = builders.max(1) as f64;
    let after = |expected: f64| {
        let begun: f64 = running.iter().map(|passed| of_step(expected, *passed)).sum();
        let slowest = running.iter().map(|passed| of_step(expected, *passed)).fold(0.0, f64::max);
        ((expected * waiting as f64 + begun) / builders).max(slowest)
    };
    Some(Left { least: after(shortest), likely: after(middle), most: Some(after(longest)) })
}

fn ends(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().reduce(f64::min)?;
    Some((least, values.iter().copied().reduce(f64::max)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(min_rounds: u32, max_rounds: u32, budget_seconds: Option<f64>) -> StoppingRule {
        StoppingRule { min_rounds, max_rounds, budget_seconds, ..StoppingRule::of_a_test() }
    }

    fn pace(done: f64, seconds_each: f64) -> Pace {
        Pace { done, seconds_each, piece: 0.125, passed: 0.0 }
    }

    #[test]
    fn the_least_rounds_are_left_although_the_budget_is_spent() {
        // Eight commands of 2.5 s, at least ten rounds, and a budget of 50 s.
        let left = of_rounds(&rule(10, 1000, Some(50.0)), &pace(3.0, 20.0), 60.0, None);
        assert_eq!(left, Left::about(140.0));
    }

    #[test]
    fn between_the_least_rounds_and_the_budget_it_ends_where_all_is_settled() {
        let rule = rule(10, 1000, Some(50.0));
        let left = of_rounds(&rule, &pace(5.0, 1.0), 5.0, Some(20));
        assert_eq!(left, Left { least: 5.0, likely: 15.0, most: Some(45.0) });
        let never = of_rounds(&rule, &pace(5.0, 1.0), 5.0, None);
        assert!((never.likely - 45.0).abs() < 1e-9);
        let late = of_rounds(&rule, &pace(5.0, 1.0), 5.0, Some(1_000_000_000));
        assert!((late.likely - 45.0).abs() < 1e-9);
    }

    #[test]
    fn rounds_without_a_budget_are_counted() {
        let left = of_rounds(&rule(20, 20, None), &pace(4.0, 0.5), 2.0, Some(5));
        assert_eq!(left, Left::about(8.0));
    }

    #[test]
    fn a_step_that_is_overdue_is_never_about_to_end() {
        for passed in [1.0, 10.0, 100.0, 1000.0] {
            assert!(of_step(1.0, passed) >= passed / 4.0);
        }
        assert!((of_step(10.0, 4.0) - 6.0).abs() < 1e-12);
        // No jump at the moment a step becomes overdue.
        assert!((of_step(1.0, 0.8) - 0.2).abs() < 1e-12);
        let long = Pace { passed: 60.0, ..pace(9.9, 8.0) };
        assert!(long.until(10.0) >= 15.0);
        assert!(long.until(9.0).abs() < 1e-12, "what is done is done");
    }

    #[test]
    fn builds_that_wait_are_shared_among_the_builders() {
        assert_eq!(of_builds(10, &[0.0], 1, &[]), None);
        assert_eq!(of_builds(10, &[], 2, &[4.0]), Some(Left::about(20.0)));
        assert_eq!(of_builds(0, &[1.0, 3.0], 2, &[4.0]), Some(Left::about(3.0)));
        let left = of_builds(4, &[], 1, &[1.0, 3.0]).expect("two were built");
        assert_eq!(left, Left { least: 4.0, likely: 8.0, most: Some(12.0) });
        // A build that hangs is not considered nearly done.
        let hanging = of_builds(0, &[400.0], 2, &[4.0]).expect("one was built");
        assert!(hanging.likely >= 100.0);
    }

    #[test]
    fn what_follows_adds_up_and_what_nobody_knows_stays_so() {
        let open = Left { least: 1.0, likely: 2.0, most: None };
        let both = Left::about(3.0).and(open);
        assert_eq!(both, Left { least: 4.0, likely: 5.0, most: None });
        assert_eq!(Left::NOTHING.and(Left::about(3.0)), Left::about(3.0));
        assert_eq!(of_pieces(0, 8, 1.0), None);
        assert_eq!(of_pieces(2, 8, 1.0), Some(Left::about(3.0)));
    }
}
