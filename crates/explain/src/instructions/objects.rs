//! The matching of executables and libraries between two programs.

use findings::instructions::file_name;
use std::collections::{BTreeMap, BTreeSet};

use super::profiling::Counts;

/// The old object for each object of the new program that replaces it.
///
/// The started executables match each other. Then objects match by path, then by file name; of the
/// rest, those with most in common match, such as two versions of a library.
pub fn aligned(before: &Counts, after: &Counts) -> BTreeMap<String, String> {
    let (mut old, mut new) = (objects(before), objects(after));
    let mut pairs = BTreeMap::new();
    if let (Some(a), Some(b)) = (&before.program, &after.program)
        && old.remove(a).is_some()
        && new.remove(b).is_some()
    {
        pairs.insert(b.clone(), a.clone());
    }
    for is_same in [|a: &str, b: &str| a == b, |a: &str, b: &str| file_name(a) == file_name(b)] {
        let found: Vec<(String, String)> = new
            .keys()
            .filter_map(|b| {
                let mut same = old.keys().filter(|a| is_same(a, b));
                // Two objects with the same name are ambiguous.
                let first = same.next().filter(|_| same.next().is_none())?;
                Some((b.clone(), first.clone()))
            })
            .collect();
        for (b, a) in found {
            if old.remove(&a).is_some() && new.remove(&b).is_some() {
                pairs.insert(b, a);
            }
        }
    }
    while let Some((b, a)) = most_in_common(&old, &new) {
        old.remove(&a);
        new.remove(&b);
        pairs.insert(b, a);
    }
    pairs
}

type Names<'a> = BTreeSet<&'a str>;

fn objects(counts: &Counts) -> BTreeMap<String, Names<'_>> {
    let mut objects: BTreeMap<String, Names<'_>> = BTreeMap::new();
    for function in counts.functions.iter().filter(|function| function.count > 0) {
        objects.entry(function.object.clone()).or_default().insert(&function.name);
    }
    objects
}

fn most_in_common(
    old: &BTreeMap<String, Names<'_>>,
    new: &BTreeMap<String, Names<'_>>,
) -> Option<(String, String)> {
    let pairs = new.iter().flat_map(|(b, theirs)| {
        old.iter().map(move |(a, ours)| (ours.intersection(theirs).count(), b, a))
    });
    let best = pairs.filter(|(common, ..)| *common > 0).max_by_key(|(common, ..)| *common)?;
    Some((best.1.clone(), best.2.clone()))
}
