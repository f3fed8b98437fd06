//! Regular expressions that match one text and nothing else.

/// The characters with a meaning in every dialect in use: POSIX extended, ECMAScript, RE2 and
/// Rust's. Closing brackets alone have none, and some dialects refuse them escaped.
const SIGNS: &[char] = &['\\', '^', '$', '.', '|', '?', '*', '+', '(', ')', '[', '{'];

/// The text with every such character escaped.
pub(super) fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if SIGNS.contains(&character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// An expression that matches exactly these texts.
pub(super) fn any_of(texts: &[&str]) -> String {
    let all: Vec<String> = texts.iter().map(|text| literal(text)).collect();
    match all.as_slice() {
        [one] => format!("^{one}$"),
        _ => format!("^({})$", all.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_are_escaped() {
        assert_eq!(literal("a.b(c) [d]{e}|ü/'\""), "a\\.b\\(c\\) \\[d]\\{e}\\|ü/'\"");
        assert_eq!(any_of(&["a+"]), "^a\\+$");
        assert_eq!(any_of(&["a", "b"]), "^(a|b)$");
    }
}
