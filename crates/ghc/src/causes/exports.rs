//! The exports of a module, from its source.

/// True if a module's text has an export list. A text without a module header exports `main` alone,
/// as if it had one.
pub(super) fn has_export_list(text: &str) -> bool {
    let text = without_comments(text);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('(', " ( ");
    let mut words = words.split(' ').filter(|it| !it.is_empty());
    let Some(_) = words.find(|word| *word == "module") else { return true };
    words.nth(1).is_some_and(|word| word == "(")
}

/// The types and classes that a text defines at its top level, each with all its constructors or
/// methods.
pub(super) fn exported_types(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let of_line = |line: &str| -> Option<String> {
        let mut words = line.split_whitespace();
        let keyword = words.next().filter(|_| !line.starts_with(char::is_whitespace))?;
        let is_alias = keyword == "type";
        if !matches!(keyword, "data" | "newtype" | "class" | "type") {
            return None;
        }
        // A context comes before the name: `class Monad m => Store m`.
        let rest = line.split_once("=>").map_or(line, |(_, rest)| rest);
        let name = rest.split_whitespace().find(|word| {
            word.starts_with(|first: char| first.is_uppercase())
                && word.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'\''))
        })?;
        Some(if is_alias { name.to_owned() } else { format!("{name} (..)") })
    };
    text.lines().filter_map(of_line).collect()
}

/// A text without its comments, which may look like code.
fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_u32;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("{-") {
            depth += 1;
            rest = &rest[2..];
        } else if depth > 0 && rest.starts_with("-}") {
            depth -= 1;
            rest = &rest[2..];
        } else if depth == 0 && rest.starts_with("--") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else {
            if depth == 0 {
                out.push(first);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_lists_are_seen_past_comments_and_pragmas() {
        for (text, expected) in [
            ("module A where\n", false),
            ("{-# LANGUAGE X #-}\nmodule A\n  ( f\n  ) where\n", true),
            ("-- module B (x)\nmodule A.B where\nf (x) = x\n", false),
            ("{- module {- B -} (x) -} module A(f)where\n", true),
            ("main = print 1\n", true),
        ] {
            assert_eq!(has_export_list(text), expected, "{text}");
        }
    }

    #[test]
    fn types_are_exported_with_what_belongs_to_them() {
        let text = "module A where\ndata T a = T\n  | U\nnewtype N = N Int\ntype S = T\n\
                    class Monad m => Store m where\n-- data X\nf = data_\n";
        assert_eq!(exported_types(text), ["T (..)", "N (..)", "S", "Store (..)"]);
    }
}
