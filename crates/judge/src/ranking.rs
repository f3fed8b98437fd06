//! The ranking of several commands, the best first; those that the intervals do not separate are
//! tied.

/// The figures that decide the rank of a variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contestant {
    /// The index of the variant.
    pub variant: u32,
    /// The ratio to the common baseline; less is better.
    pub ratio: f64,
    /// The lower end of the ratio's interval.
    pub low: f64,
    /// The upper end; infinite if unbounded.
    pub high: f64,
}

/// The groups of tied variants, the best first; within a group, the smallest ratio is first. Every
/// member of a group is shown to be better than every member of the following ones. The intervals
/// hold together, so the ranking errs no more often than they do.
pub fn ranking(mut contestants: Vec<Contestant>) -> Vec<Vec<u32>> {
    contestants.sort_by(|a, b| a.ratio.total_cmp(&b.ratio).then(a.variant.cmp(&b.variant)));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut highest = f64::NEG_INFINITY;
    for (place, one) in contestants.iter().enumerate() {
        let least = contestants[place..].iter().map(|one| one.low).fold(f64::INFINITY, f64::min);
        match groups.last_mut().filter(|_| least <= highest) {
            Some(group) => group.push(one.variant),
            None => groups.push(vec![one.variant]),
        }
        highest = highest.max(one.high);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_shown_to_be_better_comes_first_and_the_others_are_tied() {
        let ranked = |intervals: &[(f64, f64)]| {
            let contestant = |(variant, &(low, high)): (u32, &(f64, f64))| Contestant {
                variant,
                ratio: f64::midpoint(low, high.min(9.0)),
                low,
                high,
            };
            ranking((0..).zip(intervals).map(contestant).collect())
        };
        type Ranks = [&'static [u32]];
        let cases: [(&[(f64, f64)], &Ranks); 7] = [
            (&[], &[]),
            (&[(1.0, 1.0)], &[&[0]]),
            (&[(1.0, 1.0), (0.5, 0.6), (2.0, 2.2), (0.7, 0.8)], &[&[1], &[3], &[0], &[2]]),
            (&[(1.0, 1.0), (0.5, 0.7), (0.6, 0.8)], &[&[1, 2], &[0]]),
            // Of three in a chain the first is shown to be better than the last, but no group ends.
            (&[(1.0, 1.0), (0.8, 0.9), (0.85, 1.1)], &[&[1, 2, 0]]),
            // An interval that touches another one decides nothing, and an unbounded one is tied
            // with all.
            (&[(1.0, 1.0), (1.0, 1.2)], &[&[0, 1]]),
            (&[(1.0, 1.0), (0.5, 0.6), (0.0, f64::INFINITY)], &[&[1, 0, 2]]),
        ];
        for (intervals, expected) in cases {
            assert_eq!(ranked(intervals), expected, "{intervals:?}");
        }
    }
}
