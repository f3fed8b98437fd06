//! The page of each cause in docs/causes: its text agrees with the cause, and its code before and
//! after is in the programs that test the cause.

use std::path::{Path, PathBuf};

use fixtures::GHC_CAUSES;
use ghc::causes::ALL;

use crate::matrix::PAIRS;

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/causes")
}

fn page(id: &str) -> String {
    let path = pages().join(format!("{id}.md"));
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{id} has no page, {}: {error}", path.display()))
}

#[test]
fn a_page_begins_with_what_its_cause_is() {
    let index = std::fs::read_to_string(pages().join("README.md")).expect("the index");
    for cause in ALL {
        let page = page(cause.id);
        let mut parts = page.split("\n\n");
        assert_eq!(parts.next(), Some(&format!("# {}: {}", cause.id, cause.title)[..]));
        assert_eq!(parts.next(), Some(cause.about), "{}", cause.id);
        for part in ["**When it does not matter.** ", "**Known from.** "] {
            assert!(parts.clone().any(|it| it.starts_with(part)), "{}: {part}", cause.id);
        }
        let row = format!("| [{0}]({0}.md) | {1} |", cause.id, cause.title);
        assert!(index.contains(&row), "docs/causes/README.md has no row {row}");
    }
    let files = std::fs::read_dir(pages()).expect("the pages").count();
    assert_eq!(files, ALL.len() + 1, "every page is of a cause, but for the index");
}

#[test]
fn what_a_page_shows_is_in_the_programs() {
    let mut wrong = Vec::new();
    for (number, (pair, id)) in PAIRS.into_iter().enumerate() {
        // A page shows all pairs of its cause, one after the other.
        let earlier = PAIRS[..number].iter().filter(|(_, it)| *it == id).count();
        let pairs = PAIRS.iter().filter(|(_, it)| *it == id).count();
        let page = page(id);
        let blocks: Vec<&str> = page
            .split("```haskell\n")
            .skip(1)
            .map(|rest| rest.split("\n```").next().expect("the end of a block"))
            .collect();
        let [before, after] = ["before", "after"].map(|variant| sources(pair, variant));
        assert_eq!(blocks.len(), 2 * pairs, "{id}: programs");
        let (old, new) = (blocks[2 * earlier], blocks[2 * earlier + 1]);
        let has = |files: &[String], block: &str| files.iter().any(|text| has_lines(text, block));
        // In parts; the lines between them do not matter.
        let parts = || new.split("\n\n");
        for (is_right, what) in [
            (has(&before, old), "the program before has no"),
            (parts().all(|part| has(&after, part)), "the program after has no"),
            (
                !has(&after, old) || !parts().all(|part| has(&before, part)),
                "both programs have the same",
            ),
        ] {
            if !is_right {
                wrong.push(format!("{id}: {what}\n{old}\nor\n{new}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// True if a text has these lines, one after the other.
fn has_lines(text: &str, lines: &str) -> bool {
    format!("\n{text}\n").contains(&format!("\n{lines}\n"))
}

/// The modules of a program.
fn sources(pair: &str, variant: &str) -> Vec<String> {
    let sources = std::fs::read_dir(GHC_CAUSES.folder().join("programs").join(pair).join(variant));
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("a module");
    sources.expect("a program").map(|it| read(it.expect("a module").path())).collect()
}
