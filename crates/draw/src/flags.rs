//! The positions of the labels of changes: like flags on poles above the panel.
//!
//! Each flag is to the right of its pole. Taken from right to left, a flag goes to the lowest lane
//! above all flags that begin below it; so no flag covers another, and no pole runs through a flag.

/// A flag that needs a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wanted {
    /// The x of its pole.
    pub(crate) x: f64,
    /// Its width to the right of the pole.
    pub(crate) width: f64,
    /// Its importance.
    pub(crate) weight: f64,
}

/// The maximum number of lanes: more would take more room than the curve.
pub(crate) const MOST_LANES: usize = 5;

/// The lane of each flag, 0 the lowest; `None` for flags that are left out because too many more
/// important ones are close. The flags are in the order of their poles.
pub(crate) fn lanes(flags: &[Wanted]) -> Vec<Option<usize>> {
    debug_assert!(flags.is_sorted_by(|a, b| a.x <= b.x), "poles are given from left to right");
    let mut kept = most_important(flags);
    loop {
        match raise(flags, &kept) {
            Ok(lanes) => return lanes,
            Err(least) => kept.retain(|index| *index != least),
        }
    }
}

/// The most important flags, no more than there are places, so that thousands of changes take no
/// time.
fn most_important(flags: &[Wanted]) -> Vec<usize> {
    let narrowest = flags.iter().map(|flag| flag.width).fold(f64::INFINITY, f64::min).max(1.0);
    let span = flags.last().map_or(0.0, |last| last.x) - flags.first().map_or(0.0, |first| first.x);
    let places = (MOST_LANES as f64 * (span / narrowest + 1.0)).ceil() as usize;
    let mut kept: Vec<usize> = (0..flags.len()).collect();
    kept.sort_by(|a, b| flags[*b].weight.total_cmp(&flags[*a].weight).then(a.cmp(b)));
    kept.truncate(places);
    kept.sort_unstable();
    kept
}

/// The lanes of the kept flags, or the least important of those in each other's way.
fn raise(flags: &[Wanted], kept: &[usize]) -> Result<Vec<Option<usize>>, usize> {
    let mut lanes = vec![None; flags.len()];
    for (place, &index) in kept.iter().enumerate().rev() {
        let end = flags[index].x + flags[index].width;
        let covered = || kept[place + 1..].iter().take_while(|other| flags[**other].x < end);
        let lane =
            covered().filter_map(|other| lanes[*other]).max().map_or(0, |lane: usize| lane + 1);
        if lane == MOST_LANES {
            let rivals = covered().chain(std::iter::once(&index));
            let least = rivals.min_by(|a, b| flags[**a].weight.total_cmp(&flags[**b].weight));
            return Err(*least.unwrap_or(&index));
        }
        lanes[index] = Some(lane);
    }
    Ok(lanes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn flags(xs: &[f64]) -> Vec<Wanted> {
        let flag = |(index, x): (usize, &f64)| Wanted { x: *x, width: 10.0, weight: index as f64 };
        xs.iter().enumerate().map(flag).collect()
    }

    #[test]
    fn flags_that_are_close_form_a_staircase() {
        assert_eq!(lanes(&flags(&[0.0, 10.0, 20.0])), [Some(0); 3]);
        assert_eq!(lanes(&flags(&[0.0, 4.0, 8.0, 40.0])), [Some(2), Some(1), Some(0), Some(0)]);
        assert_eq!(lanes(&flags(&[3.0, 3.0])), [Some(1), Some(0)]);
        assert_eq!(lanes(&[]), []);
    }

    #[test]
    fn where_too_many_are_close_the_least_important_go_without() {
        let lanes = lanes(&flags(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(lanes, [None, None, Some(4), Some(3), Some(2), Some(1), Some(0)]);
    }

    proptest! {
        #[test]
        fn no_flag_covers_another_or_a_pole(
            mut given in prop::collection::vec((0.0..200.0_f64, 5.0..40.0_f64, 0.0..1.0_f64), 0..60),
        ) {
            given.sort_by(|a, b| a.0.total_cmp(&b.0));
            let flags: Vec<Wanted> =
                given.iter().map(|(x, width, weight)| Wanted { x: *x, width: *width, weight: *weight }).collect();
            let lanes = lanes(&flags);
            prop_assert!(flags.is_empty() || lanes.iter().any(Option::is_some));
            for (a, lane_a) in flags.iter().zip(&lanes) {
                for (b, lane_b) in flags.iter().zip(&lanes) {
                    let (Some(lane_a), Some(lane_b)) = (lane_a, lane_b) else { continue };
                    let b_begins_below_a = b.x > a.x && b.x < a.x + a.width;
                    prop_assert!(!b_begins_below_a || lane_b < lane_a, "{a:?} {b:?}");
                }
            }
        }
    }
}
