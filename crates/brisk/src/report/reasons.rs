//! What shares a reason is told in one sentence, and of much only a part is named.

use page::{Line, line};

/// Of more, the first so many are named and the others counted.
const MOST_NAMED: usize = 3;

/// What has the same reason together, in the order of the first of each.
pub(super) fn together<R: PartialEq, T>(all: impl IntoIterator<Item = (R, T)>) -> Vec<(R, Vec<T>)> {
    let mut groups: Vec<(R, Vec<T>)> = Vec::new();
    for (reason, one) in all {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, group)) => group.push(one),
            None => groups.push((reason, vec![one])),
        }
    }
    groups
}

/// `a, b, c and 4 more`.
pub(super) fn named(names: Vec<Line>) -> Line {
    let more = names.len().saturating_sub(MOST_NAMED);
    let named = Line::join(names.into_iter().take(MOST_NAMED), ", ");
    if more > 0 { line![named, format!(" and {more} more")] } else { named }
}

/// A reason of several lines in one.
pub(super) fn in_one_line(reason: &str) -> String {
    reason.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_a_reason_comes_together_and_of_much_a_part() {
        let all = [("late", 1), ("ill", 2), ("late", 3)];
        assert_eq!(together(all), [("late", vec![1, 3]), ("ill", vec![2])]);
        let names = |count: usize| named(vec![Line::from("a"); count]).text();
        assert_eq!([names(1), names(3), names(5)], ["a", "a, a, a", "a, a, a and 2 more"]);
        assert_eq!(in_one_line("it ended\n\n  badly \n"), "it ended: badly");
    }
}
