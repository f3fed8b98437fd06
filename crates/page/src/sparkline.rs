//! A series in one line of block characters, for tables on a terminal.
//!
//! A series that is longer than the available width is cut into as many bins as fit, each with as
//! equal a number of consecutive values as possible. A bin shows the median of its values, so that
//! a step stays a step and a single wild value does not look like one; a bin without values is a
//! gap. A shorter series takes one character per value.

/// The bars, from lowest to highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The mark for a missing value. Not a space: a gap at the end would be invisible.
const GAP: char = '·';
/// The ratio of the largest to the smallest value from which bars are logarithmic if the range
/// decides: as in the graph.
const LOGARITHMIC_FROM: f64 = 30.0;

/// The height of bars that are all equal.
const MIDDLE: f64 = 0.4;

/// The mapping from values to bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heights {
    /// Equal differences are equal heights.
    Linear,
    /// Equal ratios are equal heights. Linear if a value is not positive.
    Logarithmic,
    /// Logarithmic if the largest shown value is more than thirty times the smallest.
    ByRange,
}

/// `values` in at most `width` characters, `·` for gaps.
///
/// The lowest bar is the smallest shown value and the highest the largest, not zero: the bars show
/// where a series changed, not by how much. If all are equal, all bars have middle height. Values
/// that are not finite count as missing.
pub fn sparkline(values: &[Option<f64>], width: usize, heights: Heights) -> String {
    // A computed 5.999999 eighths is meant to be 6.
    let bar = |share: f64| BARS[((share * 8.0 + 1e-9) as usize).min(7)];
    shares(values, width, heights).into_iter().map(|share| share.map_or(GAP, bar)).collect()
}

/// The heights of at most `width` bars, from 0 for the least to 1 for the largest.
pub(crate) fn shares(values: &[Option<f64>], width: usize, heights: Heights) -> Vec<Option<f64>> {
    let bins = bins(values, width);
    let given = || bins.iter().flatten().copied();
    let least = given().fold(f64::INFINITY, f64::min);
    let most = given().fold(f64::NEG_INFINITY, f64::max);
    let is_logarithmic = least > 0.0
        && match heights {
            Heights::Linear => false,
            Heights::Logarithmic => true,
            Heights::ByRange => most / least > LOGARITHMIC_FROM,
        };
    let height = |value: f64| if is_logarithmic { value.ln() } else { value };
    let (bottom, top) = (height(least), height(most));
    let share = |value: f64| {
        // Halves, because the difference of the largest numbers could overflow.
        let share = (height(value) / 2.0 - bottom / 2.0) / (top / 2.0 - bottom / 2.0);
        if share.is_nan() { MIDDLE } else { share }
    };
    bins.into_iter().map(|bin| bin.map(share)).collect()
}

/// The median of each bin.
fn bins(values: &[Option<f64>], width: usize) -> Vec<Option<f64>> {
    let count = values.len().min(width);
    let bin = |index: usize| {
        let bounds = index * values.len() / count..(index + 1) * values.len() / count;
        let given = values[bounds].iter().flatten().copied();
        median(given.filter(|value| value.is_finite()).collect())
    };
    (0..count).map(bin).collect()
}

/// The lower median, which is always one of the values, never one between two levels.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(values: &[f64], width: usize, heights: Heights) -> String {
        sparkline(&values.iter().copied().map(Some).collect::<Vec<_>>(), width, heights)
    }

    #[test]
    fn a_bar_is_as_high_as_its_value() {
        let eight = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        assert_eq!(line(&eight, 20, Heights::Linear), "▁▂▃▄▅▆▇█");
        assert_eq!(line(&[5.0, 5.0], 20, Heights::Linear), "▄▄");
        assert_eq!(line(&[-1.0, 1.0], 20, Heights::Logarithmic), "▁█");
        assert_eq!(line(&[f64::MAX, -f64::MAX], 20, Heights::Linear), "█▁");
        assert_eq!(line(&[], 20, Heights::Linear), "");
        assert_eq!(line(&[1.0], 0, Heights::Linear), "");
    }

    #[test]
    fn equal_ratios_are_equal_heights_when_asked_or_when_the_range_asks() {
        let decades = [1.0, 10.0, 100.0, 1000.0, 10_000.0];
        assert_eq!(line(&decades, 20, Heights::Linear), "▁▁▁▁█");
        assert_eq!(line(&decades, 20, Heights::Logarithmic), "▁▃▅▇█");
        assert_eq!(line(&decades, 20, Heights::ByRange), "▁▃▅▇█");
        assert_eq!(line(&[1.0, 8.0, 29.0], 20, Heights::ByRange), "▁▃█");
    }

    #[test]
    fn missing_values_are_gaps() {
        let values = [Some(1.0), None, Some(f64::NAN), Some(2.0), None];
        assert_eq!(sparkline(&values, 20, Heights::Linear), "▁··█·");
        assert_eq!(sparkline(&[None, None], 20, Heights::ByRange), "··");
    }

    #[test]
    fn a_bin_shows_its_median() {
        let mut values = vec![1.0; 500];
        values.extend([2.0; 500]);
        values[100] = 900.0;
        assert_eq!(line(&values, 10, Heights::Linear), "▁▁▁▁▁█████");
        let mut values: Vec<Option<f64>> = values.into_iter().map(Some).collect();
        values[300..400].fill(None);
        assert_eq!(sparkline(&values, 10, Heights::Linear), "▁▁▁·▁█████");
    }

    proptest! {
        #[test]
        fn the_line_is_as_long_as_it_may_be_and_rises_with_the_values(
            mut values in prop::collection::vec(-1e300..1e300_f64, 0..300), width in 0..50_usize,
        ) {
            values.sort_by(f64::total_cmp);
            for heights in [Heights::Linear, Heights::Logarithmic, Heights::ByRange] {
                let line: Vec<char> = line(&values, width, heights).chars().collect();
                prop_assert_eq!(line.len(), width.min(values.len()));
                prop_assert!(line.is_sorted());
                prop_assert!(line.iter().all(|bar| BARS.contains(bar)));
            }
        }
    }
}
