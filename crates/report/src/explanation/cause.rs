//! The page of a cause, from the documentation.

use page::{Block, Code, Line, Page};

/// The pages, by the cause's identifier.
macro_rules! pages {
    ($($id:literal)*) => {
        &[$(($id, include_str!(concat!("../../docs/causes/", $id, ".md")))),*]
    };
}

/// The causes and their pages, in the order of `ghc::causes::ALL`.
const PAGES: &[(&str, &str)] = pages![
    "missing-optimisation"
    "append-to-accumulator"
    "sort-keys"
    "library-use"
    "parsed-again"
    "made-anew"
    "copy-on-write"
    "lost-specialise"
    "overloaded-constant"
    "overloaded-loop"
    "rebuild-after-recursion"
    "tree-substitution"
    "closure-chain"
    "thunk-leak"
    "list-kept"
    "deep-stack"
    "kept-slices"
    "lazy-accumulator"
    "visible-used-once"
    "lambda-under-case"
    "function-argument"
    "over-saturated-calls"
    "literal-list"
    "integer-arithmetic"
    "boxed-argument"
    "boxed-elements"
    "boxed-reference"
    "lock-frame"
    "existential-dictionary"
    "unknown-call"
];

/// The address of the repository with the documentation, if the package names one.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The causes that have a page.
pub fn ids() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(id, _)| *id)
}

/// The file of a cause's page, relative to the project.
fn file(id: &str) -> String {
    format!("docs/causes/{id}.md")
}

/// The address of a cause's page; `None` if the package names no repository.
#[must_use]
pub fn address(id: &str) -> Option<String> {
    (!REPOSITORY.is_empty()).then(|| {
        let version = env!("CARGO_PKG_VERSION");
        format!("{}/blob/v{version}/{}", REPOSITORY.trim_end_matches('/'), file(id))
    })
}

/// A cause's page; `None` if there is no such cause. The Markdown parser knows only what these
/// pages use: a title, paragraphs in one line each, code blocks, code between backquotes, and bold
/// words.
#[must_use]
pub fn page(id: &str) -> Option<Page> {
    let (_, text) = PAGES.iter().find(|(known, _)| *known == id)?;
    let mut page = Page::default();
    let mut lines = text.lines().filter(|line| !line.is_empty());
    while let Some(line) = lines.next() {
        let spans = |text: &str| Line::of_message(&text.replace("**", ""));
        page.push(match (line.strip_prefix("# "), line.strip_prefix("```")) {
            (Some(title), _) => Block::Heading(spans(title)),
            (None, Some(language)) => {
                let code = lines.by_ref().take_while(|line| *line != "```");
                let text = code.collect::<Vec<_>>().join("\n");
                Block::Code(Code { language, text, ..Code::default() })
            }
            (None, None) => Block::Sentence(spans(line)),
        });
    }
    Some(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::page::terminal::{Folds, render};
    use ghc::causes::ALL;

    #[test]
    fn every_cause_has_a_page() {
        assert!(ids().eq(ALL.iter().map(|cause| cause.id)), "a cause in `ALL` has no page here");
        assert!(page("no-such-cause").is_none());
    }

    #[test]
    fn a_page_is_plain_text_as_wide_as_the_terminal() {
        for cause in ALL {
            let page = page(cause.id).expect("its page");
            let text = render(&page, 72, Folds::Closed);
            let text = anstream::adapter::strip_str(&text).to_string();
            assert!(text.contains(cause.title), "{text}");
            let is_code = |line: &str| line.starts_with("   ");
            let wide = text.lines().find(|line| line.chars().count() > 72 && !is_code(line));
            assert_eq!(wide, None, "{}", cause.id);
            assert!(!text.contains("```") && !text.contains("**"), "{text}");
            let code = page.blocks.iter().filter(|it| matches!(it, Block::Code(_))).count();
            assert!(code > 0 && code % 2 == 0, "{}: before and after", cause.id);
        }
    }
}
