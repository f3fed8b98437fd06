//! The look at which a comparison is expected to be settled, estimated from its rounds so far.
//!
//! It serves only to estimate the remaining time: no verdict depends on it.

use stats::detect::Scatter;
use stats::sequential::foreseen_critical_z;

use super::comparison::foreseen;
use model::design::stopping::StoppingRule;
use model::metric::Direction;

/// A future look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookAhead {
    /// The number of rounds at the look.
    pub rounds: u32,
    /// The share of the error that may have been spent by then.
    pub clock: f64,
}

/// The first of the looks at which the comparison will be settled; `None` if none of them suffices.
pub fn settling_look(
    scatter: Scatter,
    direction: Direction,
    alpha: f64,
    (rule, limits): (&StoppingRule, &[f64]),
    looks: &[LookAhead],
) -> Option<u32> {
    let is_settled = |ahead: &&LookAhead| {
        let critical_z = foreseen_critical_z(alpha, ahead.clock);
        foreseen(scatter, ahead.rounds as usize, direction, rule.margin, critical_z)
            .is_settled(rule, limits)
    };
    looks.iter().find(is_settled).map(|ahead| ahead.rounds)
}

/// The first of the looks at which the median of a variant will be precise enough: half its
/// interval no wider than `log_half_width`, on the log scale.
pub fn precise_look(scatter: Scatter, log_half_width: f64, looks: &[LookAhead]) -> Option<u32> {
    let width = |rounds: u32| scatter.log_half_width_of_median(rounds as usize);
    looks.iter().map(|ahead| ahead.rounds).find(|rounds| width(*rounds) <= log_half_width)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks at a fifth more rounds each, up to the budget in rounds.
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
    fn what_differs_is_settled_when_its_interval_is_narrow_enough() {
        let rule = StoppingRule::of_a_test();
        let scatter = |log_ratio, of_one_round| Scatter { log_ratio, of_one_round };
        let at = |scatter| {
            settling_look(scatter, Direction::Lower, 0.05, (&rule, &[]), &looks(12, 1000))
        };
        // Half the time, to within a quarter of the change: at once. No change, with too much
        // noise: never.
        assert_eq!(at(scatter(-0.7, 0.05)), Some(12));
        assert_eq!(at(scatter(0.0, 0.1)), None);
        // 2 % has to be known to within 1 %: z is near 2.9 then, so (2.9 * 0.05 / 0.01)^2 = 210
        // rounds.
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
