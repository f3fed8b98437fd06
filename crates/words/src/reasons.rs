//! Items that share a reason, reported in one sentence with only some of them named.

use page::{Line, line};

/// The largest number of items named; others are counted.
const MOST_NAMED: usize = 3;

/// The items grouped by reason, in the order of each reason's first item.
pub fn together<R: PartialEq, T>(all: impl IntoIterator<Item = (R, T)>) -> Vec<(R, Vec<T>)> {
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
pub fn named(names: Vec<Line>) -> Line {
    let more = names.len().saturating_sub(MOST_NAMED);
    let named = Line::join(names.into_iter().take(MOST_NAMED), ", ");
    if more > 0 { line![named, format!(" and {more} more")] } else { named }
}

/// A reason of several lines, in one.
pub fn in_one_line(reason: &str) -> String {
    reason.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(": ")
}

/// The first and the last line of a reason, the most telling ones of a failed process.
pub fn first_and_last_line(reason: &str) -> String {
    let mut lines = reason.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    lines.next_back().map_or_else(|| first.to_owned(), |last| format!("{first}: {last}"))
}

/// The most telling line of a build's log: the first one that mentions an error, as compilers do,
/// or the last one.
pub fn telling_line(log: &str) -> Option<&str> {
    let mut lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| {
        let line = line.to_lowercase();
        line.contains("error:") || line.starts_with("error[")
    };
    lines.clone().find(is_error).or_else(|| lines.next_back())
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

    #[test]
    fn the_line_of_an_error_says_more_than_what_stands_below_it() {
        let gcc = "exited with status 1\na.c: In function `f':\na.c:3:7: error: `MAX' undeclared\n  3 | MAX\n    | ^~~\n";
        assert_eq!(telling_line(gcc), Some("a.c:3:7: error: `MAX' undeclared"));
        let rust = "warning: unused\nerror[E0425]: cannot find `x`\n --> a.rs:1\n";
        assert_eq!(telling_line(rust), Some("error[E0425]: cannot find `x`"));
        assert_eq!(
            telling_line("one\nno errors\nmake: *** [all] Error 2\n\n"),
            Some("make: *** [all] Error 2")
        );
        assert_eq!(telling_line("\n"), None);
    }
}
