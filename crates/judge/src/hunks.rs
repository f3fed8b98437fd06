//! The hunks of a difference that make its effect: delta debugging (Zeller, "Yesterday, my program
//! worked. Today, it does not. Why?", ESEC/FSE 1999; the algorithm `ddmin` of Zeller and Hildebrandt,
//! IEEE TSE 28(2), 2002).
//!
//! An oracle gives the share of the whole effect that a program with some of the hunks shows: 0 for
//! the old program, 1 for the new one. Programs that do not build or run are unresolved. A smallest
//! set of hunks that shows the effect is searched for, then the rest is examined for more, because
//! several hunks may each make a part of it. Each named set is proved twice: by the program that has
//! nothing else, and by the one that lacks only it.

use std::collections::{BTreeMap, BTreeSet};

/// Hunks that make an effect together.
#[derive(Debug, Clone, PartialEq)]
pub struct GuiltyHunks {
    /// Their numbers, from 0: each of them is needed for the effect.
    pub hunks: BTreeSet<usize>,
    /// Further hunks without which these do not build or run.
    pub needed: BTreeSet<usize>,
    /// The share of the effect that a program with these hunks and no others shows.
    pub alone: f64,
    /// The share of the program that lacks only the sets before this one: 1 for the first.
    pub with: f64,
    /// The share that remains if it lacks these hunks, too; `None` if no such program builds.
    pub without: Option<f64>,
    /// The least share that the oracle tells from none.
    pub resolution: f64,
}

/// The least part of an effect that counts as the effect.
const PRESENT: f64 = 0.5;

/// The part of the whole effect below which nothing more is searched for, even if the oracle is exact.
pub const LEAST_PART: f64 = 0.1;

/// The number of sets after which the search ends.
const MOST_SETS: usize = 4;

/// The judge of the share of the effect that a program shows.
pub struct Oracle<'o, E> {
    /// Gives the share of the effect that a program with these hunks shows; `None` if there is no such
    /// program.
    pub share: &'o mut Share<'o, E>,
    /// The least share that it tells from none: [`LEAST_PART`] or more.
    pub resolution: f64,
}

/// The function of an [`Oracle`].
pub type Share<'o, E> = dyn FnMut(&BTreeSet<usize>) -> Result<Option<f64>, E> + 'o;

/// The hunks among `0..count` that make the effect, the largest first. `guess` is examined first.
/// The oracle is asked once for each set of hunks, never for none or all of them.
///
/// # Errors
///
/// The error of the oracle, with the sets that were proved until then.
pub fn guilty<E>(
    count: usize,
    guess: &BTreeSet<usize>,
    oracle: Oracle<'_, E>,
) -> Result<Vec<GuiltyHunks>, Interrupted<E>> {
    let resolution = oracle.resolution;
    let mut search = Search { all: (0..count).collect(), known: BTreeMap::new(), oracle };
    let mut found = Vec::new();
    let mut rest = search.all.clone();
    let mut effect: f64 = 1.0;
    while found.len() < MOST_SETS && !rest.is_empty() && effect.abs() > resolution {
        let one = match search.one(&rest, guess, effect) {
            Ok(one) => one,
            Err(error) => return Err(Interrupted { found, error }),
        };
        rest = &rest - &one.hunks;
        let left = one.without.filter(|without| (effect - without).abs() > resolution);
        found.push(one);
        // Nothing more can be told if the rest does not build, or shows as much as before.
        let Some(left) = left else { break };
        effect = left;
    }
    Ok(found)
}

/// A search that the oracle ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupted<E> {
    /// The sets that were proved until then.
    pub found: Vec<GuiltyHunks>,
    /// The error of the oracle.
    pub error: E,
}

struct Search<'o, E> {
    all: BTreeSet<usize>,
    known: BTreeMap<BTreeSet<usize>, Option<f64>>,
    oracle: Oracle<'o, E>,
}

impl<E> Search<'_, E> {
    /// The share of the effect that a program with these hunks shows; `None` if there is none.
    fn share(&mut self, hunks: &BTreeSet<usize>) -> Result<Option<f64>, E> {
        if hunks.is_empty() {
            return Ok(Some(0.0));
        }
        if *hunks == self.all {
            return Ok(Some(1.0));
        }
        if let Some(known) = self.known.get(hunks) {
            return Ok(*known);
        }
        let share = (self.oracle.share)(hunks)?;
        self.known.insert(hunks.clone(), share);
        Ok(share)
    }

    fn has(&mut self, hunks: &BTreeSet<usize>, effect: f64) -> Result<bool, E> {
        Ok(self.share(hunks)?.is_some_and(|share| is_present(share, effect)))
    }

    /// The smallest set among these hunks that shows this effect, with its proofs.
    fn one(
        &mut self,
        among: &BTreeSet<usize>,
        guess: &BTreeSet<usize>,
        effect: f64,
    ) -> Result<GuiltyHunks, E> {
        let guess: BTreeSet<usize> = guess & among;
        let is_guessed =
            guess.len() < among.len() && !guess.is_empty() && self.has(&guess, effect)?;
        let least = self.least(if is_guessed { guess } else { among.clone() }, effect)?;
        let (hunks, needed) = self.parted(&least, among, effect)?;
        let alone = self.share(&least)?.unwrap_or(effect);
        let without = self.share(&(among - &hunks))?;
        let resolution = self.oracle.resolution;
        Ok(GuiltyHunks { hunks, needed, alone, with: effect, without, resolution })
    }

    /// A set of hunks that shows the effect, and does not without any one of them (`ddmin`).
    fn least(&mut self, mut hunks: BTreeSet<usize>, effect: f64) -> Result<BTreeSet<usize>, E> {
        let mut parts = 2;
        while hunks.len() > 1 {
            let all: Vec<usize> = hunks.iter().copied().collect();
            let pieces: Vec<BTreeSet<usize>> = all
                .chunks(all.len().div_ceil(parts))
                .map(|piece| piece.iter().copied().collect())
                .collect();
            if let Some(smaller) = self.first_with(&pieces, effect)? {
                hunks = smaller;
                parts = 2;
                continue;
            }
            let others: Vec<BTreeSet<usize>> = pieces.iter().map(|piece| &hunks - piece).collect();
            match self.first_with(&others, effect)? {
                Some(smaller) => {
                    hunks = smaller;
                    parts = (parts - 1).max(2);
                }
                None if pieces.len() == hunks.len() => break,
                None => parts = (2 * parts).min(hunks.len()),
            }
        }
        Ok(hunks)
    }

    /// The first of these sets that shows the effect.
    fn first_with(
        &mut self,
        sets: &[BTreeSet<usize>],
        effect: f64,
    ) -> Result<Option<BTreeSet<usize>>, E> {
        for set in sets {
            if self.has(set, effect)? {
                return Ok(Some(set.clone()));
            }
        }
        Ok(None)
    }

    /// The hunks of a least set without which the effect is gone, and those that are only needed to
    /// build them. All of them, if no program shows the difference.
    fn parted(
        &mut self,
        least: &BTreeSet<usize>,
        among: &BTreeSet<usize>,
        effect: f64,
    ) -> Result<(BTreeSet<usize>, BTreeSet<usize>), E> {
        let mut guilty = BTreeSet::new();
        for hunk in least.iter().filter(|_| least.len() > 1) {
            let others: BTreeSet<usize> =
                among.iter().copied().filter(|other| other != hunk).collect();
            if self.share(&others)?.is_some_and(|share| !is_present(share, effect)) {
                guilty.insert(*hunk);
            }
        }
        if guilty.is_empty() {
            return Ok((least.clone(), BTreeSet::new()));
        }
        let needed = least - &guilty;
        Ok((guilty, needed))
    }
}

/// True if a share is this effect, or most of it, in the same direction.
fn is_present(share: f64, effect: f64) -> bool {
    share / effect >= PRESENT
}

impl GuiltyHunks {
    /// True if both programs prove it: the effect is there with these hunks alone, and what they
    /// make of it is gone without them.
    pub fn is_proved(&self) -> bool {
        let gone = self.without.map(|without| self.with - without);
        let is_some = |share: f64| share.abs() > self.resolution;
        is_some(self.alone) && gone.is_some_and(is_some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// A commit: what each hunk adds to the effect, and the hunks that each needs to build.
    struct Planted {
        effects: Vec<f64>,
        needs: Vec<(usize, usize)>,
        asked: usize,
    }

    impl Planted {
        fn new(effects: &[f64]) -> Self {
            Self { effects: effects.to_vec(), needs: Vec::new(), asked: 0 }
        }

        fn share(&self, hunks: &BTreeSet<usize>) -> Option<f64> {
            let is_broken =
                |(one, other): &(usize, usize)| hunks.contains(one) && !hunks.contains(other);
            let whole: f64 = self.effects.iter().sum();
            let part: f64 = hunks.iter().map(|hunk| self.effects[*hunk]).sum();
            (!self.needs.iter().any(is_broken)).then_some(part / whole)
        }

        fn found(&mut self, guess: &[usize]) -> Vec<GuiltyHunks> {
            let count = self.effects.len();
            let guess = guess.iter().copied().collect();
            let mut asked = 0;
            let mut share = |hunks: &BTreeSet<usize>| {
                asked += 1;
                Ok(self.share(hunks))
            };
            let oracle = Oracle { share: &mut share, resolution: LEAST_PART };
            let found = guilty::<()>(count, &guess, oracle);
            self.asked = asked;
            found.expect("the oracle answers")
        }
    }

    fn numbers(found: &[GuiltyHunks]) -> Vec<Vec<usize>> {
        found.iter().map(|one| one.hunks.iter().copied().collect()).collect()
    }

    #[test]
    fn one_hunk_among_innocent_ones_is_named_and_proved_twice() {
        for guilty in 0..8 {
            let mut effects = [0.0; 8];
            effects[guilty] = 1.0;
            let mut planted = Planted::new(&effects);
            let found = planted.found(&[]);
            assert_eq!(numbers(&found), [[guilty]]);
            assert_eq!((found[0].alone, found[0].without), (1.0, Some(0.0)));
            assert!(found[0].is_proved());
            assert!(planted.asked <= 8, "{} programs", planted.asked);
            // A right guess costs the two proofs, a wrong one a single program.
            assert_eq!(numbers(&planted.found(&[guilty])), [[guilty]]);
            assert_eq!(planted.asked, 2);
            let right = planted.found(&[(guilty + 1) % 8]);
            assert_eq!(numbers(&right), [[guilty]]);
        }
    }

    #[test]
    fn a_hunk_that_only_builds_with_another_is_told_from_it() {
        // Hunk 3 uses what hunk 5 defines.
        let mut planted =
            Planted { needs: vec![(3, 5)], ..Planted::new(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]) };
        let found = planted.found(&[]);
        assert_eq!(numbers(&found), [[3]]);
        assert_eq!(found[0].needed, BTreeSet::from([5]));
        assert_eq!(found[0].without, Some(0.0));
    }

    #[test]
    fn hunks_that_only_build_together_are_named_together() {
        let needs = vec![(1, 2), (2, 1)];
        let mut planted = Planted { needs, ..Planted::new(&[0.0, 1.0, 0.0, 0.0]) };
        let found = planted.found(&[]);
        assert_eq!(numbers(&found), [[1, 2]]);
        assert_eq!(found[0].without, Some(0.0));
    }

    #[test]
    fn several_hunks_each_have_their_share() {
        let mut planted = Planted::new(&[0.0, 0.7, 0.0, 0.0, 0.3, 0.0]);
        let found = planted.found(&[]);
        assert_eq!(numbers(&found), [[1], [4]]);
        assert!((found[0].alone - 0.7).abs() < 1e-9);
        assert!(found.iter().all(GuiltyHunks::is_proved));
    }

    #[test]
    fn a_hunk_that_works_against_the_others_does_not_hide_them() {
        let mut planted = Planted::new(&[0.0, 2.0, -1.0, 0.0]);
        let found = planted.found(&[]);
        assert_eq!(numbers(&found)[0], [1]);
        assert!((found[0].without.expect("it builds") + 1.0).abs() < 1e-9);
    }

    /// The oracle's errors have a standard deviation of a sixth of the effect.
    #[test]
    fn an_oracle_that_errs_names_no_innocent_hunk() {
        let mut state = 17_u64;
        let mut error = || {
            let uniform = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            };
            // The variance of a sum of twelve is 1.
            std::iter::repeat_with(uniform).take(12).sum::<f64>() / 6.0
        };
        let mut wrong = |resolution| {
            let commits = 200;
            let named_others = (0..commits).filter(|commit| {
                let guilty_one = commit % 6;
                let mut share = |hunks: &BTreeSet<usize>| {
                    Ok(Some(f64::from(u8::from(hunks.contains(&guilty_one))) + error()))
                };
                let oracle = Oracle { share: &mut share, resolution };
                let found = guilty::<()>(6, &BTreeSet::new(), oracle).expect("it answers");
                let proved = found.iter().filter(|one| one.is_proved());
                proved.flat_map(|one| &one.hunks).any(|hunk| *hunk != guilty_one)
            });
            named_others.count() as f64 / f64::from(u32::try_from(commits).expect("few"))
        };
        assert!(wrong(0.5) <= 0.05, "{}", wrong(0.5));
        assert!(wrong(LEAST_PART) > 0.2, "as if it were exact: {}", wrong(LEAST_PART));
    }

    #[test]
    fn an_oracle_that_ends_leaves_what_was_proved() {
        let mut left = 1;
        let mut share = |_: &BTreeSet<usize>| {
            left -= 1;
            if left < 0 { Err("no time") } else { Ok(Some(0.0)) }
        };
        let oracle = Oracle { share: &mut share, resolution: LEAST_PART };
        let ended = guilty::<&str>(4, &BTreeSet::new(), oracle);
        assert_eq!(ended, Err(Interrupted { found: Vec::new(), error: "no time" }));
    }

    proptest! {
        /// The guilty hunk is among those named first, however hunks depend on each other to build.
        #[test]
        fn the_guilty_hunk_is_named_whatever_builds(
            count in 2_usize..9,
            guilty_one in 0_usize..9,
            needs in proptest::collection::vec((0_usize..9, 0_usize..9), 0..6),
        ) {
            let guilty_one = guilty_one % count;
            let needs = needs.into_iter().map(|(one, other)| (one % count, other % count)).collect();
            let mut effects = vec![0.0; count];
            effects[guilty_one] = 1.0;
            let mut planted = Planted { needs, ..Planted::new(&effects) };
            let found = planted.found(&[]);
            prop_assert!(found[0].hunks.contains(&guilty_one));
            prop_assert!(is_present(found[0].alone, 1.0));
            let least = &found[0].hunks | &found[0].needed;
            for hunk in &least {
                let fewer: BTreeSet<usize> = least.iter().copied().filter(|one| one != hunk).collect();
                let is_there = planted.share(&fewer).is_some_and(|share| is_present(share, 1.0));
                prop_assert!(!is_there, "{least:?} is not the least");
            }
        }
    }
}
