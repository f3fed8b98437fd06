//! At which look a comparison will be settled, as far as its rounds so far tell.
//!
//! It is for the time left alone: no verdict rests on it.

use stats::detect::Scatter;
use stats::sequential::Look;

use super::comparison::foreseen;
use super::stopping::StoppingRule;
use crate::metric::Direction;

/// A look to come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookAhead {
    /// After how many rounds it is taken.
    pub rounds: u32,
    /// The share of the error that may be spent by then.
    pub clock: f64,
}

/// What a look may use of the error that may be spent by then. The looks before have used some, and
/// are correlated with it: where each comes a fifth later than the one before, about half is left
/// (a test compares it with the boundary).
const SHARE_LEFT: f64 = 0.5;

/// The two-sided critical value of a look to come, where `alpha` is the error permitted in all.
fn critical_z(alpha: f64, clock: f64) -> f64 {
    stats::normal::two_sided(alpha * clock * SHARE_LEFT)
}

/// The first of the looks at which the comparison will be settled; none where none of them will do.
pub fn settling_look(
    scatter: Scatter,
    direction: Direction,
    alpha: f64,
    rule: &StoppingRule,
    looks: &[LookAhead],
) -> Option<u32> {
    let is_settled = |ahead: &&LookAhead| {
        let critical_z = critical_z(alpha, ahead.clock);
        let nominal_alpha = alpha * ahead.clock * SHARE_LEFT;
        let look = Look { nominal_alpha, critical_z, spent: 0.0, increment: 0.0 };
        foreseen(scatter, ahead.rounds as usize, direction, rule.margin, look)
            .is_settled(rule.margin, rule.resolution)
    };
    looks.iter().find(is_settled).map(|ahead| ahead.rounds)
}

/// How many standard errors of a mean half the interval of a median has at 95 %: 1.96, and the
/// root of pi / 2, by which a median of normal values is less sure than their mean.
const MEDIAN_ERRORS: f64 = 1.96 * 1.253_314_137_315_5;

/// The first of the looks at which the median of a variant will be as precise as is wanted: half its
/// interval no wider than this, on the log scale.
pub fn precise_look(scatter: Scatter, log_half_width: f64, looks: &[LookAhead]) -> Option<u32> {
    let width = |rounds: u32| scatter.log_half_width(rounds as usize, MEDIAN_ERRORS);
    looks.iter().map(|ahead| ahead.rounds).find(|rounds| width(*rounds) <= log_half_width)
}

#[cfg(test)]
mod tests {
    use stats::Estimator;

    use super::*;
    use crate::judge::family;
    use crate::judge::sequence::Sequence;
    use crate::metric::WALL_TIME;

    /// Looks at a fifth more rounds each, the budget being so many.
    fn looks(first: u32, budget: u32) -> Vec<LookAhead> {
        let mut looks = Vec::new();
        let mut rounds = first;
        while rounds < budget {
            looks.push(LookAhead { rounds, clock: f64::from(rounds) / f64::from(budget) });
            let next = stats::sequential::next_look(rounds as usize, first as usize);
            rounds = u32::try_from(next).expect("few");
        }
        looks.push(LookAhead { rounds: budget, clock: 1.0 });
        looks
    }

    #[test]
    fn the_share_that_is_left_is_about_what_the_boundary_leaves() {
        for budget in [100, 1000, 10_000] {
            let members = family::members(Some(&[WALL_TIME]), 1, 0.95);
            let mut sequence = Sequence::new(members, Estimator::RankScores);
            for (number, ahead) in looks(12, budget).into_iter().enumerate() {
                sequence.look(ahead.rounds, ahead.clock);
                let level = sequence.level(&WALL_TIME).expect("judged");
                let ratio = critical_z(0.05, ahead.clock) / level.critical_z;
                let is_near = (ratio - 1.0).abs() < 0.15;
                // The first look can have more, for nothing was spent.
                assert!(is_near || number == 0, "{budget} {ahead:?}: {ratio}");
            }
        }
    }

    #[test]
    fn what_differs_is_settled_when_its_interval_is_narrow_enough() {
        let rule = StoppingRule::of_a_test();
        let scatter = |log_ratio, of_one_round| Scatter { log_ratio, of_one_round };
        let at = |scatter| settling_look(scatter, Direction::Lower, 0.05, &rule, &looks(12, 1000));
        // Half, within a quarter of that: at once. Nothing, with too much noise: never.
        assert_eq!(at(scatter(-0.7, 0.05)), Some(12));
        assert_eq!(at(scatter(0.0, 0.1)), None);
        // 2 % has to be known to within 1 %: z is near 2.9 then, so (2.9 * 0.05 / 0.01)^2 = 210 rounds.
        let rounds = at(scatter(0.02, 0.05)).expect("settled");
        assert!((170..=260).contains(&rounds), "{rounds}");
    }

    #[test]
    fn a_level_is_precise_when_its_interval_is_no_wider_than_wanted() {
        let scatter = Scatter { log_ratio: 0.0, of_one_round: 0.1 };
        // (2.456 * 0.1 / 0.01)^2 = 603 rounds, and the next look.
        let rounds = precise_look(scatter, 0.01, &looks(12, 10_000)).expect("precise");
        assert!((603..=724).contains(&rounds), "{rounds}");
        assert_eq!(precise_look(scatter, 0.01, &looks(12, 500)), None);
    }
}
