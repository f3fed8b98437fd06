//! The count of a run from a counter's values before and after it, or a refusal.

use crate::missing::Missing;
use crate::readings::Count;

/// A counter that ran for less than this share of the run is not scaled: programs have phases, so
/// at least half of the run has to be seen (arbitrary).
const LEAST_PERMILLE: u64 = 500;

/// The state of a counter: its value, its enabled time, its running time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Standing {
    pub(super) value: u64,
    pub(super) enabled_ns: u64,
    pub(super) running_ns: u64,
}

/// The events between two states, scaled to the whole time if the counter had to share its register
/// with others.
pub(super) fn count_between(before: Standing, after: Standing) -> Result<Count, Missing> {
    let value = after.value.saturating_sub(before.value);
    let enabled = after.enabled_ns.saturating_sub(before.enabled_ns);
    let running = after.running_ns.saturating_sub(before.running_ns).min(enabled);
    if enabled == 0 {
        return Err(Missing::NeverCounted);
    }
    let permille = share(running, enabled, 1000);
    if permille < LEAST_PERMILLE {
        let percent = share(running, enabled, 100);
        let running_percent = u8::try_from(percent).expect("a part is at most 100 % of its whole");
        return Err(Missing::Multiplexed { running_percent });
    }
    let scaled = u128::from(value) * u128::from(enabled) / u128::from(running);
    Ok(Count {
        value: u64::try_from(scaled).unwrap_or(u64::MAX),
        running_permille: u16::try_from(permille).expect("a part is at most 1000 ‰ of its whole"),
    })
}

/// `part` of `whole`, rounded down, in units of one `parts`-th.
fn share(part: u64, whole: u64, parts: u64) -> u64 {
    let share = u128::from(part) * u128::from(parts) / u128::from(whole);
    u64::try_from(share).unwrap_or(parts).min(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(value: u64, enabled_ns: u64, running_ns: u64) -> Result<Count, Missing> {
        let before = Standing { value: 70, enabled_ns: 500, running_ns: 300 };
        let after = Standing {
            value: 70 + value,
            enabled_ns: 500 + enabled_ns,
            running_ns: 300 + running_ns,
        };
        count_between(before, after)
    }

    #[test]
    fn a_counter_that_ran_all_the_time_is_taken_as_it_is() {
        assert_eq!(between(1234, 900, 900), Ok(Count { value: 1234, running_permille: 1000 }));
    }

    #[test]
    fn a_counter_that_ran_most_of_the_time_is_scaled_and_says_so() {
        assert_eq!(between(600, 1000, 600), Ok(Count { value: 1000, running_permille: 600 }));
        assert_eq!(between(500, 1000, 500), Ok(Count { value: 1000, running_permille: 500 }));
    }

    #[test]
    fn a_counter_that_ran_too_little_is_refused() {
        assert_eq!(between(60, 1000, 120), Err(Missing::Multiplexed { running_percent: 12 }));
        assert_eq!(between(0, 1000, 0), Err(Missing::Multiplexed { running_percent: 0 }));
    }

    #[test]
    fn a_counter_that_was_never_enabled_is_not_a_count_of_zero() {
        assert_eq!(between(0, 0, 0), Err(Missing::NeverCounted));
    }

    #[test]
    fn large_counts_do_not_overflow_when_scaled() {
        let run = 3_600_000_000_000;
        let count = between(1 << 60, run, run / 10 * 9).expect("90 % is enough");
        assert_eq!(count.value, 1_281_023_894_007_607_751);
    }
}
