//! The growth of a cost with the work.

use findings::explanation::CostGrowth;

/// `2 times the work, 3.9 times the time: it grows with the square of the work`
#[must_use]
pub fn in_words(growth: &CostGrowth) -> String {
    let (work, cost) =
        (growth.works[1] as f64 / growth.works[0] as f64, growth.costs[1] / growth.costs[0]);
    let how = match growth.exponent {
        it if it < 0.25 => "it hardly grows with the work".to_owned(),
        it if it < 0.75 => "it grows more slowly than the work".to_owned(),
        it if it < 1.25 => "it grows as the work does".to_owned(),
        it if it < 1.75 => "it grows faster than the work".to_owned(),
        it if it < 2.25 => "it grows with the square of the work".to_owned(),
        it if (2.75..3.25).contains(&it) => "it grows with the cube of the work".to_owned(),
        it => format!("it grows with the power {it:.1} of the work"),
    };
    let (work, cost) = (rounded(work), rounded(cost));
    format!("{work} times the work, {cost} times the {}: {how}", growth.of)
}

/// The number with one decimal place, unless that is 0.
fn rounded(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_is_that_of_the_work() {
        let said = |costs: [f64; 2]| {
            let growth = CostGrowth::from_costs("entries", [100, 200], costs.map(Some));
            in_words(&growth.expect("both are known"))
        };
        let begin = "2 times the work, ";
        assert_eq!(
            said([10.0, 40.0]),
            format!("{begin}4 times the entries: it grows with the square of the work")
        );
        assert_eq!(
            said([7.0, 14.0]),
            format!("{begin}2 times the entries: it grows as the work does")
        );
        assert_eq!(
            said([1.0, 8.0]),
            format!("{begin}8 times the entries: it grows with the cube of the work")
        );
        assert!(said([5.0, 5.0]).ends_with("it hardly grows with the work"));
    }

    #[test]
    fn what_is_not_known_or_nothing_has_no_growth() {
        assert_eq!(CostGrowth::from_costs("time", [1, 2], [None, Some(1.0)]), None);
        assert_eq!(CostGrowth::from_costs("time", [1, 2], [Some(0.0), Some(1.0)]), None);
    }
}
