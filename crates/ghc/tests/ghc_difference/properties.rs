//! Properties of any two builds.

use std::collections::HashMap;

use ghc::causes::{Program, Site};
use ghc::core::names::split_unique;
use ghc::difference::{Difference, Tends};

use super::{PAIRS, Version, pair, program};

fn versions() -> impl Iterator<Item = (&'static str, Version)> {
    PAIRS.into_iter().flat_map(|name| pair(name).map(|version| (name, version)))
}

fn is_nothing(difference: &Difference<'_>, name: &str) {
    let changed: Vec<_> = difference.bindings.iter().filter(|it| !it.is_same()).collect();
    assert!(changed.is_empty(), "{name}: {changed:?}");
    assert_eq!(difference.groups, [], "{name}");
    let counts = difference.counts();
    assert_eq!(
        (counts.changed, counts.only_before, counts.only_after, counts.renamed),
        (0, 0, 0, 0),
        "{name}"
    );
    assert!(counts.same > 5, "{name}: there is something to compare");
}

#[test]
fn a_program_differs_in_nothing_from_itself() {
    for (name, version) in versions() {
        let (one, other) = (program(&version, None), program(&version, None));
        let difference = Difference::new(&one, &other);
        is_nothing(&difference, name);
        assert_eq!(difference.total.map(|total| total.bytes()), Some(0), "{name}");
        assert_eq!(difference.explained(), None, "{name}: nothing moved");
    }
}

/// Replaces every unique, and the number of every constant that GHC floated out of a function, as
/// another compilation of the same source might.
pub(super) fn renamed(text: &str) -> String {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_$'.#".contains(letter);
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_name(letter) != is_name(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match split_unique(word).filter(|_| is_name(first) && word != "__DEFAULT") {
            Some((stem, unique)) => {
                let number = stem.strip_prefix("lvl").and_then(|it| match it {
                    "" => Some(0),
                    number => number.parse::<u32>().ok(),
                });
                let stem = number.map_or(stem.to_owned(), |number| format!("lvl{}", number + 7));
                let turned: String = unique[1..].chars().rev().collect();
                renamed.push_str(&format!("{stem}_{}9{turned}", &unique[..1]));
            }
            None => renamed.push_str(word),
        }
        rest = after;
    }
    renamed
}

#[test]
fn uniques_and_numbers_are_no_difference() {
    for (name, version) in versions() {
        let mut one = program(&version, None);
        one.ticky = None;
        let other = program(&version, Some(&renamed));
        assert_ne!(
            names(&one).collect::<Vec<_>>(),
            names(&other).collect::<Vec<_>>(),
            "{name}: names did change"
        );
        is_nothing(&Difference::new(&one, &other), name);
    }
}

fn names(program: &Program) -> impl Iterator<Item = String> + '_ {
    let module = &program.modules[0];
    module.core().names.iter().map(|(_, text)| text.to_owned())
}

#[test]
fn the_way_back_is_the_mirror_image() {
    for name in PAIRS {
        let [before, after] = pair(name).map(|version| program(&version, None));
        let (there, back) = (Difference::new(&before, &after), Difference::new(&after, &before));
        let pairs = |difference: &Difference<'_>| -> HashMap<(Option<Site>, Option<Site>), _> {
            let pair = |it: &ghc::difference::Aligned| {
                ((it.before, it.after), (it.is_same(), it.changes.len()))
            };
            difference.bindings.iter().map(pair).collect()
        };
        let turned: HashMap<_, _> =
            pairs(&back).into_iter().map(|((before, after), it)| ((after, before), it)).collect();
        assert_eq!(pairs(&there), turned, "{name}");
        let moved = |difference: &Difference<'_>| difference.total.map(|it| it.bytes());
        assert_eq!(moved(&there), moved(&back).map(|bytes| -bytes), "{name}");
    }
}

#[test]
fn the_leading_change_does_not_contradict_the_cost() {
    for name in PAIRS {
        let [before, after] = pair(name).map(|version| program(&version, None));
        let difference = Difference::new(&before, &after);
        for group in &difference.groups {
            let Some((at, change)) = group.lead else { continue };
            let tends = difference.bindings[at].changes[change].tends();
            let bytes = group.moved.expect("both have counters").bytes();
            let others = group.bindings.iter().flat_map(|it| &difference.bindings[*it].changes);
            let fits = |tends: Tends| match tends {
                Tends::Up => bytes >= 0,
                Tends::Down => bytes <= 0,
                Tends::Either => true,
            };
            let any_fits = others.map(|change| change.tends()).any(fits);
            assert!(fits(tends) || !any_fits, "{name}: {tends:?} with {bytes} bytes");
        }
    }
}

#[test]
fn nothing_and_something_can_be_compared() {
    let one = program(&pair(PAIRS[0])[0], None);
    let nothing = Program::new(Vec::new());
    let difference = Difference::new(&nothing, &one);
    let counts = difference.counts();
    assert_eq!((counts.same, counts.changed, counts.only_before), (0, 0, 0));
    assert!(counts.only_after > 0);
    assert_eq!(difference.total, None, "one of the two has no counters");
    assert_eq!(difference.modules, [Vec::new(), vec!["Main".to_owned()]]);
}
