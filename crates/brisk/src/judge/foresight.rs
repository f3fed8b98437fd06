//! At which look a comparison will be settled, as far as its rounds so far tell.
//!
//! It is for the time left alone: no verdict rests on it.

use stats::detect::Scatter;
use stats::sequential::foreseen_critical_z;

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

/// The first of the looks at which the comparison will be settled; none where none of them will do.
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

/// The first of the looks at which the median of a variant will be as precise as is wanted: half its
/// interval no wider than this, on the log scale.
pub fn precise_look(scatter: Scatter, log_half_width: f64, looks: &[LookAhead]) -> Option<u32> {
    let width = |rounds: u32| scatter.log_half_width_of_median(rounds as usize);
    looks.iter().map(|ahead| ahead.rounds).find(|rounds| width(*rounds) <= log_half_width)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_differs_is_settled_when_its_interval_is_narrow_enough() {
        let rule = StoppingRule::of_a_test();
        let scatter = |log_ratio, of_one_round| Scatter { log_ratio, of_one_round };
        let at = |scatter| {
            settling_look(scatter, Direction::Lower, 0.05, (&rule, &[]), &looks(12, 1000))
        };
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
