//! Foreign text within HTML.

use std::borrow::Cow;

use crate::plain::plain;

/// Text for use between tags and in quoted attributes, without hidden characters.
pub fn escape(text: &str) -> Cow<'_, str> {
    let text = plain(text);
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}
