//! Texts that were damaged on the way.

use proptest::prelude::*;

/// Changes to a text: the place, the number of replaced characters, and the replacement.
pub(crate) fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, String)>> {
    let instead = prop_oneof![
        Just(String::new()),
        "[0-9]{1,24}",
        "[-+.,:=()>%\\[\\]{}\" \\n\\t│├╰─]{1,3}",
        "[a-zA-Z]{1,6}",
        Just("18446744073709551616".to_owned()),
        Just("1e999".to_owned()),
        Just("NaN".to_owned()),
        Just("null".to_owned()),
        "\\PC{1,4}",
    ];
    prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, instead), 1..4)
}

/// The text with the changes.
pub(crate) fn damaged(text: &str, changes: &[(prop::sample::Index, usize, String)]) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    for (index, length, instead) in changes {
        let at = index.index(signs.len() + 1);
        let end = (at + length).min(signs.len());
        signs.splice(at..end, instead.chars());
    }
    signs.into_iter().collect()
}
