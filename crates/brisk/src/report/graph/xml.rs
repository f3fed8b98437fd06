//! Text in XML.

use std::borrow::Cow;

/// `text` as it can stand between tags and in quoted attributes. Characters that XML 1.0 does not
/// allow at all become U+FFFD.
pub(in crate::report) fn escape(text: &str) -> Cow<'_, str> {
    let replacement = |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\t' | '\n' => None,
        '\u{fffe}' | '\u{ffff}' => Some("\u{fffd}"),
        c if c.is_control() => Some("\u{fffd}"),
        _ => None,
    };
    if text.chars().all(|character| replacement(character).is_none()) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match replacement(character) {
            Some(replacement) => escaped.push_str(replacement),
            None => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_comes_back(text in "(\\PC|[<>&\"'\\x00-\\x1f\\u{fffe}]){0,40}") {
            let document = format!("<a b=\"{0}\">{0}</a>", escape(&text));
            let parsed = roxmltree::Document::parse(&document).expect("well-formed");
            let forbidden = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}')
                || c.is_control() && !matches!(c, '\t' | '\n');
            let expected: String =
                text.chars().map(|c| if forbidden(c) { '\u{fffd}' } else { c }).collect();
            prop_assert_eq!(parsed.root_element().text().unwrap_or(""), &expected);
        }
    }
}
