//! Paths with `*` for any characters and `?` for one character; neither matches `/`.

/// True if a path is a pattern.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// True if the pattern matches the path.
pub fn matches(pattern: &str, path: &str) -> bool {
    let (patterns, parts) = (pattern.split('/'), path.split('/'));
    patterns.clone().count() == parts.clone().count()
        && patterns.zip(parts).all(|(pattern, part)| part_matches(pattern, part))
}

/// True if a pattern without `/` matches the name of a file. As in a shell, a leading dot has to be
/// written.
pub fn part_matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // The position of the last `*`, and the number of letters of the name matched so far.
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                at = place + 1;
                seen = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_stand_for_what_they_do_in_a_shell() {
        for (pattern, path, expected) in [
            ("target/release/deps/bench-*", "target/release/deps/bench-0a1b", true),
            ("target/release/deps/bench-*", "target/release/deps/bench", false),
            ("target/*/bench-*", "target/a/b/bench-1", false),
            ("*.test", "a.test", true),
            ("*.test", ".test", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("größe-*", "größe-ü", true),
            ("a", "a", true),
            ("***", "", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
