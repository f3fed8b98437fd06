//! Memory that fills with deferred work.
//!
//! A heap profile by kind of closure (`+RTS -hT`) shows thunks as separate bands. If they grow for
//! as long as the program builds something up, a chain of them grows somewhere.

use std::collections::HashSet;

use super::cause::{Cause, Look, Need, Paid};
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::held::{Held, HeldBytes};
use super::program::Program;
use super::thunk_makers::{Maker, maker};
use crate::heap_profile::HeapProfile;

/// Memory that fills with deferred work.
pub(super) static CAUSE: Cause = Cause {
    id: "thunk-leak",
    title: "leaks work put off",
    about: "Thunks, values that nobody has asked for yet, fill the heap more and more. Each holds on to \
            what it needs, often to the thunk before it.",
    seed: "faster-winter, 3 (memory -99 %)",
    needs: &[Need::HeapProfile, Need::Ticky],
    explains: 0.6,
    paid: Paid::Memory,
    find,
};

/// Fewer moments show no trend.
const LEAST_SAMPLES: usize = 6;
/// Any lazy program has fewer bytes of thunks.
const LEAST_BYTES: u64 = 1 << 19;
/// The thunks' least share of the heap at their peak.
const LEAST_SHARE: f64 = 0.2;
/// A program that builds something up and drops it more often than this does so in rounds: its
/// thunks may grow from quarter to quarter by chance. Arbitrary.
const MOST_COLLAPSES: usize = 4;

/// True if a program's heap fills with deferred work, by its heap profile.
#[must_use]
pub fn is_leaking(program: &Program) -> bool {
    program.heap.as_ref().and_then(growth).is_some()
}

fn find(look: &Look<'_>) -> Vec<Finding> {
    let Some(growth) = look.program.heap.as_ref().and_then(growth) else { return Vec::new() };
    maker(look, growth).map(|maker| finding(look, &maker, growth)).into_iter().collect()
}

/// The peak of the thunks, if they grow from quarter to quarter of the time until then. The decline
/// after it is the evaluation of the values.
fn growth(profile: &HeapProfile) -> Option<HeldBytes> {
    let (peak, most) = Held::Thunks.most(profile)?;
    let thunks: Vec<u64> = profile.samples.iter().map(|it| Held::Thunks.bytes(it)).collect();
    let rising = &thunks[..=peak];
    let is_leak = rising.len() >= LEAST_SAMPLES
        && most.bytes >= LEAST_BYTES
        && most.share >= LEAST_SHARE
        && collapses(&thunks, most.bytes) <= MOST_COLLAPSES;
    let middles: Vec<u64> = rising.chunks(rising.len().div_ceil(4)).map(median).collect();
    (is_leak && middles.windows(2).all(|two| two[0] < two[1])).then_some(most)
}

/// The number of times that thunks were half of their peak, and then next to nothing.
fn collapses(thunks: &[u64], most: u64) -> usize {
    let (mut found, mut were_many) = (0, false);
    for bytes in thunks {
        were_many |= *bytes >= most / 2;
        if were_many && *bytes <= most / 10 {
            (found, were_many) = (found + 1, false);
        }
    }
    found
}

fn median(values: &[u64]) -> u64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values[values.len() / 2]
}

fn finding(look: &Look<'_>, maker: &Maker, growth: HeldBytes) -> Finding {
    let site = maker.site;
    // Inlined code is in another binding than the one that declares it.
    let name = look.program.name_at(site, maker.location.as_ref());
    let made_by = match (&maker.by_way_of, &maker.location) {
        (Some(function), _) => format!(
            "no thunks with counters are half of it, so it may be made in libraries, by \
             `{function}` for `{name}`"
        ),
        (None, Some(at)) => format!("most of it is made by `{name}` at {at}"),
        (None, None) => format!("most of it is made by `{name}`"),
    };
    Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: maker.location.clone(),
        what: format!(
            "work put off fills the heap more and more, up to {:.1} MB ({:.0} %); {made_by}",
            growth.bytes as f64 / 1e6,
            growth.share * 100.0
        ),
        evidence: vec![Evidence { site, within: None, focus: maker.focus.clone() }],
        remedy: Remedy {
            text: remedy(name, look.program.module_of(site).source.as_ref().map(|it| &*it.text)),
            change: None,
        },
        why: "Haskell computes a value when it is asked for; GHC does it before only where it can prove \
              that it will be."
            .to_owned(),
        basis: Basis { held: Some(Held::Thunks), ..Basis::site(site) },
    }
}

/// Lazy names that a module's text may use, and their strict counterparts.
const STRICT: [(&[&str], &str); 9] = [
    (&["modifyIORef"], "`modifyIORef'` for `modifyIORef`"),
    (&["atomicModifyIORef"], "`atomicModifyIORef'` for `atomicModifyIORef`"),
    (&["modifySTRef"], "`modifySTRef'` for `modifySTRef`"),
    (&["modifyTVar"], "`modifyTVar'` for `modifyTVar`"),
    (&["foldl"], "`foldl'` for `foldl`"),
    (
        &["Data.Map", "Data.IntMap", "Data.HashMap", "Data.Map.Lazy", "Data.IntMap.Lazy"],
        "the `.Strict` module of the map (`Data.Map.Strict`)",
    ),
    (
        &["Control.Monad.State", "Control.Monad.State.Lazy", "Control.Monad.Trans.State"],
        "`Control.Monad.State.Strict` with `modify'`",
    ),
    (
        &["Control.Monad.Writer", "Control.Monad.Writer.Strict", "Control.Monad.Trans.Writer"],
        "a strict fold, or a strict state (`modify'`), for the `Writer`, which puts its sums off",
    ),
    (&["modify"], "`modify'` for `modify`"),
];

/// The remedy, depending on the names that the module's text uses.
fn remedy(name: &str, text: Option<&str>) -> String {
    let words: HashSet<&str> = text
        .unwrap_or_default()
        .split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '_' | '\'')))
        // `Map.insertWith` is a use of `insertWith`, and `Data.Map` a module.
        .flat_map(|word| [word, word.rsplit('.').next().unwrap_or(word)])
        .collect();
    let used = STRICT.iter().filter(|(lazy, _)| lazy.iter().any(|it| words.contains(it)));
    let strict: Vec<&str> = used.map(|(_, strict)| *strict).collect();
    let by_hand =
        "`$!`, a bang, or strict fields (a pair is lazy in both: use a data type of your own)";
    match strict.is_empty() {
        true => format!("let `{name}` compute what it stores: {by_hand}"),
        false => {
            format!("let `{name}` compute what it stores: {}; else {by_hand}", strict.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap_profile::HeapSample;

    #[test]
    fn the_remedy_is_that_of_the_libraries_that_the_module_uses() {
        let text = "import qualified Data.Map as Map\nadd m = Map.insertWith (+) 1 2 m\n";
        assert!(remedy("add", Some(text)).contains("`Data.Map.Strict`"));
        assert!(!remedy("add", Some("import Data.Map.Strict\n")).contains("`Data.Map.Strict`"));
        assert!(remedy("f", Some("f r = modifyTVar r (+ 1)")).contains("`modifyTVar'`"));
        assert!(!remedy("f", Some("f r = modifyTVar' r (+ 1)")).contains("modifyTVar"));
        assert!(remedy("f", None).contains("strict fields"));
    }

    fn profile(thunks: &[u64], others: u64) -> HeapProfile {
        let sample = |bytes: &u64| HeapSample {
            seconds: 0.0,
            bands: vec![("THUNK_2_0".to_owned(), *bytes), ("CONSTR".to_owned(), others)],
        };
        HeapProfile { samples: thunks.iter().map(sample).collect() }
    }

    #[test]
    fn thunks_that_become_more_until_they_are_asked_for_are_a_leak() {
        let rising: Vec<u64> = (1..=20).map(|step| step << 18).collect();
        let found = growth(&profile(&rising, 1 << 18)).expect("a leak");
        assert_eq!(found.bytes, 20 << 18);
        let mut asked_for = rising.clone();
        asked_for.extend([3 << 18, 1 << 18, 0]);
        assert_eq!(growth(&profile(&asked_for, 1 << 18)), Some(found));
    }

    #[test]
    fn what_stays_level_is_small_or_is_not_thunks_is_no_leak() {
        let level = [5 << 20; 20];
        let small: Vec<u64> = (1..=20).collect();
        let rising: Vec<u64> = (1..=20).map(|step| step << 18).collect();
        assert_eq!(growth(&profile(&level, 0)), None);
        assert_eq!(growth(&profile(&small, 0)), None);
        assert_eq!(growth(&profile(&rising, 1 << 30)), None, "a share that is small");
        assert_eq!(growth(&profile(&rising[..5], 0)), None, "too few samples");
        assert_eq!(growth(&HeapProfile::default()), None);
        let rounds: Vec<u64> = (0..400).map(|step| (step % 20) * ((400 + step) << 11)).collect();
        assert_eq!(growth(&profile(&rounds, 0)), None, "rounds that each begin with nothing");
    }
}
