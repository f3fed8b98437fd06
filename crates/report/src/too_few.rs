//! The remark before the first run if the requested rounds cannot decide everything.

use model::design::stopping::StoppingRule;
use model::design::{self, Member};

/// The largest number of metrics with equal needs that are named one by one.
const MOST_NAMED: usize = 3;

/// The metrics that the maximum number of rounds, or the minimum before a budget may end it, cannot
/// decide; empty if all can be decided.
pub fn remark(rule: &StoppingRule, members: &[Member]) -> String {
    let of = |rounds| design::undecidable(members, rule.estimator.into(), rounds);
    let (never, perhaps) = (of(rule.max_rounds), of(rule.min_rounds));
    if !never.is_empty() {
        let most = if rule.is_fixed() { "" } else { "at most " };
        let rounds = words::counted(rule.max_rounds, "round");
        format!("note: {most}{rounds} cannot decide {}\n", told(&never, members.len()))
    } else if !perhaps.is_empty() {
        let rounds = words::counted(rule.min_rounds, "round");
        let told = told(&perhaps, members.len());
        format!("note: if the time is up after {rounds}, they cannot decide {told}\n")
    } else {
        String::new()
    }
}

/// `wall time (7 rounds can), cpu time (8) and the other metrics (11)`.
fn told(undecidable: &[(&Member, u32)], of: usize) -> String {
    let groups = undecidable.chunk_by(|(_, one), (_, other)| one == other);
    let parts: Vec<String> = groups
        .enumerate()
        .map(|(number, group)| {
            let least = group[0].1;
            let names: Vec<String> =
                group.iter().map(|(member, _)| words::label(&member.metric)).collect();
            let names = match names.len() {
                all if all == of => "anything".to_owned(),
                1..=MOST_NAMED => and(&names),
                _ if of > undecidable.len() || number > 0 => "the other metrics".to_owned(),
                _ => and(&names),
            };
            let can = if number == 0 { " rounds can" } else { "" };
            match least {
                u32::MAX => format!("{names} (no number of rounds can)"),
                _ => format!("{names} ({least}{can})"),
            }
        })
        .collect();
    and(&parts)
}

/// `a, b and c`.
pub(super) fn and<S: AsRef<str>>(parts: &[S]) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match parts.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::design::stopping::EstimatorOption;
    use model::metric::WALL_TIME;

    fn rounds(min_rounds: u32, max_rounds: u32) -> StoppingRule {
        StoppingRule { min_rounds, max_rounds, ..StoppingRule::of_a_test() }
    }

    fn said(rule: &StoppingRule) -> String {
        remark(rule, &design::members(None, 1, 0.95))
    }

    #[test]
    fn too_few_rounds_are_told_with_how_many_would_do() {
        // 0.05 * 0.5 >= 2^-6, 0.05 * 0.3 >= 2^-7, and 0.05 * 0.2 / 8 >= 2^-10.
        let all = "wall time (7 rounds can), cpu time (8) and the other metrics (11)\n";
        assert_eq!(said(&rounds(5, 5)), format!("note: 5 rounds cannot decide {all}"));
        assert_eq!(said(&rounds(1, 1)), format!("note: 1 round cannot decide {all}"));
        let memory = "the other metrics (11 rounds can)\n";
        assert_eq!(said(&rounds(4, 9)), format!("note: at most 9 rounds cannot decide {memory}"));
        assert_eq!(
            said(&rounds(8, 300)),
            format!("note: if the time is up after 8 rounds, they cannot decide {memory}")
        );
        assert_eq!(said(&rounds(11, 11)), "");
        let members = design::members(None, 1, 0.95);
        assert_eq!(said(&rounds(10, 300).with_enough_rounds(&members)), "");
    }

    #[test]
    fn of_named_metrics_each_needs_as_many() {
        let members = design::members(Some(&[WALL_TIME]), 1, 0.95);
        let rule = StoppingRule { estimator: EstimatorOption::Median, ..rounds(1, 1) };
        let said = remark(&rule, &members);
        assert_eq!(said, "note: 1 round cannot decide anything (6 rounds can)\n");
    }
}
