//! The comment for people: the compared commits, and the reports in one text.

use page::{Block, Code, Line, Page, Span, line, markdown};

use super::change::{Change, short_name};
use findings::short;
use model::failure::Failure;

/// A hidden line by which a later run finds the comment to replace.
pub(super) const MARKER: &str = "<!-- brisk: performance -->";

/// The maximum length of a comment. GitHub's limit is 65,536 characters.
const MOST_BYTES: usize = 60_000;

/// The comment: a heading, the reports, and the compared commits.
pub(super) fn comment(change: &Change, reports: &[String], failure: Option<&Failure>) -> String {
    let mut text = format!("{MARKER}\n## Performance\n\n");
    for report in reports {
        if text.len() + report.len() > MOST_BYTES {
            text.push_str(
                "The rest is too long for a comment; it is in the page of the report.\n\n",
            );
            break;
        }
        text.push_str(report.trim_end());
        text.push_str("\n\n");
    }
    if let Some(failure) = failure {
        text.push_str(&markdown::render(&trouble(failure)));
        text.push('\n');
    }
    text.push_str(&markdown::render(&compared(change)));
    text
}

/// The compared commits: the first line of the output, and the last of the comment.
pub(super) fn compared(Change { base, head, from }: &Change) -> Page {
    let named = |commit: &prepare::Commit| {
        let hash = Span::commit(short(&commit.hash), commit.hash.clone());
        line![hash, " (", Span::foreign(commit.subject.clone()), ")"]
    };
    let from = line![", which it shares with ", Span::code(short_name(from))];
    let sentence = match base.hash == head.hash {
        true => line!["the change ", named(head), " is its own base", from, ": it changes nothing"],
        false => line!["the change ", named(head), " against its base ", named(base), from],
    };
    Page { blocks: vec![Block::Sentence(sentence)] }
}

fn trouble(failure: &Failure) -> Page {
    let told = failure.to_string();
    let text = told.trim_end().to_owned();
    let answer = Line::from("It could not be measured.").toned(page::Tone::Bad);
    Page { blocks: vec![Block::Answer(answer), Block::Code(Code { text, ..Code::default() })] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prepare::Commit;

    fn change(subject: &str) -> Change {
        let commit = |hash: &str| Commit {
            hash: hash.repeat(40),
            parents: Vec::new(),
            tree: String::new(),
            subject: subject.to_owned(),
            author_unix_seconds: 0,
        };
        Change { base: commit("b"), head: commit("a"), from: "refs/heads/main".to_owned() }
    }

    #[test]
    fn it_says_what_was_compared_and_hides_nothing_in_subjects() {
        let text = comment(&change("Sort <img src=x> faster"), &["all hold\n".to_owned()], None);
        assert!(
            text.starts_with("<!-- brisk: performance -->\n## Performance\n\nall hold\n\n"),
            "{text}"
        );
        assert!(text.contains("aaaaaaa") && text.contains("bbbbbbb"), "{text}");
        assert!(text.contains(r"(Sort \<img src=x> faster)"), "{text}");
    }

    #[test]
    fn a_failure_is_told_in_place_of_what_is_missing() {
        let failure = Failure::new("cannot build `abc`").because("cc: error");
        let text = comment(&change("Sort"), &[], Some(&failure));
        assert!(text.contains("could not be measured"), "{text}");
        assert!(text.contains("error: cannot build `abc`") && text.contains("cc: error"), "{text}");
    }

    #[test]
    fn it_is_never_too_long_for_a_comment() {
        let reports = ["x".repeat(40_000), "y".repeat(40_000)];
        let text = comment(&change("Sort"), &reports, None);
        assert!(text.len() < 65_000 && text.contains("too long for a comment"), "{}", text.len());
    }
}
