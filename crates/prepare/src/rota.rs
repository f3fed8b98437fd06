//! Dividing builds among builders.
//!
//! Along a row of commits, each builder has its own stretch and takes builds from its beginning, so
//! that it walks along neighbours. A builder that has finished takes over the later half of the
//! longest remaining stretch: no builder idles while others have much to do, and each stretch stays
//! contiguous.
//!
//! Programs may contain the path of their build, so a repeated build should use the same numbered
//! worktree. Each builder owns such a place and takes the builds that belong there; when none are
//! left, it moves to a place without owner. If all have owners, it helps a builder with much left
//! to do, in the wrong place.

use std::collections::VecDeque;
use std::ops::Range;

/// The order of builds, and their builders.
#[derive(Debug)]
pub(super) enum Rota {
    /// Along neighbours, as in the recipe.
    Along {
        /// The stretches, as indices into `commits`.
        stretches: Stretches,
        /// The commits to build.
        commits: Vec<usize>,
    },
    /// From scratch, each in its earlier worktree.
    Again(Places),
}

impl Rota {
    pub(super) fn next(&mut self, builder: usize) -> Option<Waiting> {
        match self {
            Self::Along { stretches, commits } => {
                let commit = commits[stretches.next(builder)?];
                Some(Waiting { commit, place: None })
            }
            Self::Again(places) => places.next(builder),
        }
    }

    /// True if the worktree of this number is reserved for a commit.
    pub(super) fn wants(&self, number: u32) -> bool {
        match self {
            Self::Along { .. } => false,
            Self::Again(places) => places.wants(number),
        }
    }
}

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

/// A build that waits for a builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The commit.
    pub(super) commit: usize,
    /// The number of the worktree of its earlier build; `None` without one.
    pub(super) place: Option<u32>,
}

/// The remaining builds of each place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places(Vec<Place>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    number: Option<u32>,
    commits: VecDeque<usize>,
    owner: Option<usize>,
}

impl Places {
    /// All of these builds, in the order given for each place.
    pub(super) fn new(all: impl IntoIterator<Item = Waiting>) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for Waiting { commit, place } in all {
            match places.iter_mut().find(|one| one.number == place) {
                Some(there) => there.commits.push_back(commit),
                None => {
                    places.push(Place { number: place, commits: [commit].into(), owner: None });
                }
            }
        }
        Self(places)
    }

    /// True if a builder is or will be in this place: helpers keep out of it.
    pub(super) fn wants(&self, number: u32) -> bool {
        let wanted = |place: &Place| place.owner.is_some() || !place.commits.is_empty();
        self.0.iter().any(|place| place.number == Some(number) && wanted(place))
    }

    /// The next build for this builder, and its place; `None` if nothing is left. Without a place,
    /// the builder stays where it is.
    pub(super) fn next(&mut self, builder: usize) -> Option<Waiting> {
        let own = self.0.iter().position(|place| place.owner == Some(builder));
        if let Some(own) = own {
            if let Some(commit) = self.0[own].commits.pop_front() {
                return Some(Waiting { commit, place: self.0[own].number });
            }
            self.0[own].owner = None;
        }
        let free = self.0.iter_mut().filter(|place| place.owner.is_none());
        // The first of several: `max_by_key` would take the last.
        if let Some(place) = free.rev().max_by_key(|place| place.commits.len())
            && let Some(commit) = place.commits.pop_front()
        {
            place.owner = Some(builder);
            return Some(Waiting { commit, place: place.number });
        }
        let longest = self.0.iter_mut().rev().max_by_key(|place| place.commits.len())?;
        // The last build is left to its owner, who will do it in the right place.
        if longest.commits.len() < 2 {
            return None;
        }
        longest.commits.pop_back().map(|commit| Waiting { commit, place: None })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    fn waiting(all: &[(usize, Option<u32>)]) -> Vec<Waiting> {
        all.iter().map(|&(commit, place)| Waiting { commit, place }).collect()
    }

    #[test]
    fn each_builder_keeps_to_a_place_as_long_as_there_is_something_to_do() {
        let all = waiting(&[(0, Some(4)), (1, Some(7)), (2, Some(7)), (3, Some(4)), (4, Some(7))]);
        let mut places = Places::new(all);
        let taken = [0, 1, 0, 1, 0].map(|builder| places.next(builder).expect("there is one"));
        let expected = [(1, Some(7)), (0, Some(4)), (2, Some(7)), (3, Some(4)), (4, Some(7))];
        assert_eq!(taken.to_vec(), waiting(&expected));
        assert_eq!((places.next(0), places.next(1)), (None, None));
    }

    #[test]
    fn who_has_nothing_left_helps_where_much_is_left_and_leaves_the_last_one() {
        let mut places = Places::new((0..4).map(|commit| Waiting { commit, place: Some(0) }));
        assert_eq!(places.next(0), Some(Waiting { commit: 0, place: Some(0) }));
        assert_eq!(places.next(1), Some(Waiting { commit: 3, place: None }));
        assert_eq!(places.next(1), Some(Waiting { commit: 2, place: None }));
        assert_eq!(places.next(1), None);
        assert_eq!(places.next(0), Some(Waiting { commit: 1, place: Some(0) }));
    }

    #[test]
    fn a_place_is_wanted_until_its_owner_finds_nothing_left() {
        let mut places = Places::new(waiting(&[(0, Some(3))]));
        assert!(places.wants(3) && !places.wants(4));
        assert_eq!(places.next(1), Some(Waiting { commit: 0, place: Some(3) }));
        assert!(places.wants(3));
        assert_eq!(places.next(1), None);
        assert!(!places.wants(3));
    }

    #[test]
    fn a_builder_moves_to_a_place_that_nobody_owns() {
        let mut places = Places::new(waiting(&[(0, Some(0)), (1, Some(1)), (2, None)]));
        let taken = [0, 0, 0].map(|builder| places.next(builder).expect("there is one"));
        assert_eq!(taken.to_vec(), waiting(&[(0, Some(0)), (1, Some(1)), (2, None)]));
    }

    proptest! {
        #[test]
        fn everything_is_built_once_and_no_place_has_two_builders(
            numbers in proptest::collection::vec(proptest::option::of(0_u32..4), 0..40),
            builders in 1_usize..5,
            turns in proptest::collection::vec(0_usize..5, 0..120),
        ) {
            let all: Vec<Waiting> = numbers
                .iter()
                .enumerate()
                .map(|(commit, place)| Waiting { commit, place: *place })
                .collect();
            let mut places = Places::new(all.clone());
            let mut taken = Vec::new();
            // The place of each builder.
            let mut at = vec![None; builders];
            let turns = turns.into_iter().map(|turn| turn % builders);
            // At the end, each builder continues until none of its builds are left.
            let rest = (0..builders).flat_map(|builder| std::iter::repeat_n(builder, 41));
            for builder in turns.chain(rest) {
                match places.next(builder) {
                    Some(Waiting { commit, place }) => {
                        taken.push(commit);
                        if let Some(number) = place {
                            prop_assert_eq!(all[commit].place, Some(number));
                            at[builder] = place;
                        }
                        let here = at.iter().flatten().filter(|other| Some(**other) == place);
                        prop_assert!(here.count() <= 1);
                    }
                    None => at[builder] = None,
                }
            }
            taken.sort_unstable();
            prop_assert_eq!(taken, (0..all.len()).collect::<Vec<_>>());
        }
    }
}
