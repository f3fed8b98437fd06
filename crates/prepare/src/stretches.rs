//! Dividing a row of builds among builders, so that each walks along neighbours.
//!
//! Each builder has its own stretch and takes builds from its beginning. A builder that has
//! finished takes over the later half of the longest remaining stretch: no builder idles while
//! others have much to do, and each stretch stays contiguous.

use std::ops::Range;

/// The remaining builds of each builder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretches(Vec<Range<usize>>);

impl Stretches {
    /// A number of builds, divided as evenly as possible among `builders`, at least one.
    pub(super) fn new(length: usize, builders: usize) -> Self {
        let builders = builders.max(1);
        let at = |builder| length * builder / builders;
        Self((0..builders).map(|builder| at(builder)..at(builder + 1)).collect())
    }

    /// The next build for this builder; `None` if nothing is left.
    pub(super) fn next(&mut self, builder: usize) -> Option<usize> {
        if self.0[builder].is_empty() {
            let longest = self.0.iter_mut().max_by_key(|stretch| stretch.len())?;
            let middle = longest.start + longest.len() / 2;
            let taken = middle..longest.end;
            longest.end = middle;
            self.0[builder] = taken;
        }
        self.0[builder].next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn who_has_finished_takes_the_later_half_of_what_another_has_left() {
        let mut stretches = Stretches::new(10, 2);
        let first: Vec<_> = (0..5).map(|_| stretches.next(0)).collect();
        assert_eq!(first, [Some(0), Some(1), Some(2), Some(3), Some(4)]);
        // 5..10 is left for the other.
        assert_eq!(stretches.next(0), Some(7));
        assert_eq!(stretches.next(1), Some(5));
        assert_eq!(stretches.next(0), Some(8));
    }

    proptest! {
        #[test]
        fn everything_is_built_once(
            length in 0_usize..50,
            builders in 1_usize..6,
            turns in proptest::collection::vec(0_usize..6, 0..200),
        ) {
            let mut stretches = Stretches::new(length, builders);
            let mut taken: Vec<usize> =
                turns.iter().filter_map(|turn| stretches.next(turn % builders)).collect();
            while let Some(next) = stretches.next(0) {
                taken.push(next);
            }
            taken.sort_unstable();
            prop_assert_eq!(taken, (0..length).collect::<Vec<_>>());
        }
    }
}
