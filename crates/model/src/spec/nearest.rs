//! "Did you mean": the known word nearest to a mistyped one.

/// The known word that differs from `word` by the fewest insertions, deletions, replacements and
/// swaps of neighbours, ignoring case; `None` if even that one differs in more than a third of the
/// word: then it is a guess, not a slip.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time and memory proportional to the product of the lengths.
    if word.len() > 100 {
        return None;
    }
    let typed = word.to_lowercase();
    let allowed = (typed.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&typed, &known.to_lowercase()), known))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, known)| *distance <= allowed && *distance < known.chars().count())
        .map(|(_, known)| known)
}

/// Names in backquotes, separated by commas.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["command", "name", "runs", "MB", "s"];
        for (typed, expected) in [
            ("comand", Some("command")),
            ("nmae", Some("name")),
            ("Runs", Some("runs")),
            ("mb", Some("MB")),
            ("colour", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(typed, known), expected, "{typed}");
        }
        assert_eq!(nearest(&"x".repeat(1 << 20), known), None);
    }
}
