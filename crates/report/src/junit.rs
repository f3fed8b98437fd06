//! JUnit XML of the expectations, which every CI service can show.
//!
//! The format has no standard, only a custom that grew from the XML of Ant's task for JUnit. So
//! only the common subset is written: one `testsuite` with a `testcase` for each expectation, in it
//! a `failure`, `error` or `skipped` with a message, and counts. Accepted expectations pass, with a
//! remark in their output. Times are left out: an expectation takes none.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::expectations::{details, sentence};
use findings::CheckedExpectation;
use judge::acceptance::Standing;

/// The outcome of an undecided expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecided {
    /// Skipped.
    Skipped,
    /// A failure: a verdict was required.
    Failure,
}

/// The expectations of `project` as an XML document.
pub fn render(project: &str, checked: &[CheckedExpectation], undecided: Undecided) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    document(&mut writer, project, checked, undecided).expect("writing to memory does not fail");
    let text = String::from_utf8(writer.into_inner()).expect("all that was written is text");
    text + "\n"
}

fn document(
    writer: &mut Writer<Vec<u8>>,
    project: &str,
    checked: &[CheckedExpectation],
    undecided: Undecided,
) -> io::Result<()> {
    let kinds: Vec<Kind> = checked.iter().map(|one| kind(one.standing, undecided)).collect();
    let count = |kind| kinds.iter().filter(|other| **other == kind).count().to_string();
    let (tests, failures, skipped) =
        (checked.len().to_string(), count(Kind::Failure), count(Kind::Skipped));
    let name = legal(&format!("{project}: expectations"));
    let errors = count(Kind::Error);
    let counts =
        [("tests", tests.as_str()), ("failures", failures.as_str()), ("errors", errors.as_str())];
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let suites = writer.create_element("testsuites").with_attributes(counts);
    suites.write_inner_content(|writer| {
        let suite = writer.create_element("testsuite").with_attribute(("name", name.as_str()));
        let suite = suite.with_attributes(counts).with_attribute(("skipped", skipped.as_str()));
        let mut cases = checked.iter().zip(&kinds);
        suite.write_inner_content(|writer| cases.try_for_each(|(one, k)| case(writer, one, *k)))?;
        Ok(())
    })?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Passed,
    Failure,
    Error,
    Skipped,
}

fn kind(standing: Standing, undecided: Undecided) -> Kind {
    match (standing, undecided) {
        (Standing::Holds | Standing::Accepted, _) => Kind::Passed,
        (Standing::Fails, _) | (Standing::Undecided, Undecided::Failure) => Kind::Failure,
        (Standing::Undecided, Undecided::Skipped) | (Standing::Skipped, _) => Kind::Skipped,
        (Standing::Unmeasured, _) => Kind::Error,
    }
}

fn case(writer: &mut Writer<Vec<u8>>, one: &CheckedExpectation, kind: Kind) -> io::Result<()> {
    let (name, class) = (legal(&one.that), format!("brisk.{}", one.id));
    let lines: Vec<String> = details(one).iter().map(ToString::to_string).collect();
    let message = legal(lines.first().map_or("", String::as_str));
    let held: Vec<String> =
        one.evaluation.links.iter().map(|it| sentence(it).to_string()).collect();
    let case = writer
        .create_element("testcase")
        .with_attributes([("classname", class.as_str()), ("name", name.as_str())]);
    case.write_inner_content(|writer| {
        match kind {
            Kind::Failure | Kind::Error => writer
                .create_element(if kind == Kind::Error { "error" } else { "failure" })
                .with_attributes([("message", message.as_str()), ("type", one.standing.word())])
                .write_text_content(BytesText::new(&legal(&lines.join("\n"))))?,
            Kind::Skipped => writer
                .create_element("skipped")
                .with_attribute(("message", message.as_str()))
                .write_empty()?,
            Kind::Passed => {
                let told = if one.standing == Standing::Holds { &held } else { &lines };
                writer
                    .create_element("system-out")
                    .write_text_content(BytesText::new(&legal(&told.join("\n"))))?
            }
        };
        Ok(())
    })?;
    Ok(())
}

/// `text` with a stand-in for each character that XML 1.0 cannot hold, escaped or not.
fn legal(text: &str) -> String {
    let is_legal = |character: char| matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|character| if is_legal(character) { character } else { '\u{fffd}' }).collect()
}
