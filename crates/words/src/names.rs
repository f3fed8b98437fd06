//! The names of variants in sentences and pictures: what tells a command from the others, and its
//! letter beside it.

use findings::{Document, letter};
use page::{Line, Span, line};

/// The longest name, in characters; of a longer command a part is shown.
const LONGEST: usize = 40;
/// The characters before the first difference that are shown with it.
const BEFORE: usize = 20;

/// A variant in a sentence: `` `gzip -9 big` (B) ``, or without its letter if it is the only one.
pub fn named(document: &Document, variant: u32) -> Line {
    named_among(&names(document), variant)
}

/// One of several names in a sentence, with its letter unless it is the only one.
pub fn named_among(names: &[&str], place: u32) -> Line {
    match among(names, place) {
        name if name.is_empty() => letter(place).into(),
        name if names.len() == 1 => Span::code(name).into(),
        name => line![Span::code(name), format!(" ({})", letter(place))],
    }
}

/// The name of a variant, or the part of a long one that tells it from the others.
pub fn short_name(document: &Document, variant: u32) -> String {
    among(&names(document), variant)
}

fn names(document: &Document) -> Vec<&str> {
    document.variants.iter().map(|one| one.name.as_str()).collect()
}

fn among(names: &[&str], place: u32) -> String {
    let others = names.iter().zip(0..).filter(|(_, other)| *other != place);
    let name = names.get(place as usize).copied().unwrap_or_default();
    distinct(name, others.map(|(name, _)| *name))
}

fn distinct<'a>(name: &str, others: impl Iterator<Item = &'a str>) -> String {
    let name = on_one_line(name);
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONGEST {
        return name;
    }
    let alike = |other: &str| {
        let other = on_one_line(other);
        let alike = letters.iter().zip(other.chars()).take_while(|(a, b)| **a == *b).count();
        // An equal name tells nothing apart.
        if alike == letters.len() { 0 } else { alike }
    };
    let different_from = others.map(alike).max().unwrap_or(0);
    // A difference near the end of what is shown would be cut off.
    let from = if different_from + LONGEST / 4 > LONGEST { different_from - BEFORE } else { 0 };
    let word = letters[from..different_from.max(from)].iter().position(|letter| *letter == ' ');
    let from = if from == 0 { 0 } else { from + word.map_or(0, |space| space + 1) };
    let before = if from > 0 { "…" } else { "" };
    let room = LONGEST - before.chars().count();
    let rest = &letters[from..];
    let (shown, after) = if rest.len() > room { (room - 1, "…") } else { (rest.len(), "") };
    format!("{before}{}{after}", rest[..shown].iter().collect::<String>())
}

fn on_one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_is_whole_and_a_long_one_is_cut_where_it_differs() {
        let named = |name: &str, others: &[&str]| distinct(name, others.iter().copied());
        assert_eq!(named("sleep  0.1\n", &["sleep 0.2"]), "sleep 0.1");
        let long = |end: &str| format!("target/release/compress --level 6 --threads 4 {end}");
        assert_eq!(named(&long("a.txt"), &[&long("b.txt")]), "…6 --threads 4 a.txt");
        assert_eq!(
            named(&long("a.txt"), &["cp a.txt b.txt"]),
            "target/release/compress --level 6 --thr…"
        );
        // Equal commands cannot be told apart by their names.
        assert_eq!(named(&long("a"), &[&long("a")]), "target/release/compress --level 6 --thr…");
        let one_word = |end: &str| format!("{}{end}", "x".repeat(60));
        assert_eq!(named(&one_word("a"), &[&one_word("b")]), format!("…{}a", "x".repeat(BEFORE)));
        let tail = format!("{} {}", long("a.txt"), "y".repeat(80));
        let cut = named(&tail, &[&long("b.txt")]);
        assert!(cut.starts_with("…6 --threads 4 a.txt yyy") && cut.ends_with("y…"), "{cut}");
        assert_eq!(cut.chars().count(), LONGEST);
    }
}
