//! A document as the HTML of its page.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::contents::{Contents, address};
use crate::recorded;

/// A page, and where it leads.
pub(crate) struct Rendered {
    /// The document, from the root of the repository.
    pub source: PathBuf,
    /// Its first heading.
    pub title: String,
    /// The text below that, as HTML.
    pub body: String,
    /// The names of its headings, by which links find them.
    pub headings: Vec<String>,
    /// The targets within the repository that it links to.
    pub links: Vec<Link>,
    /// The text below each heading, for the search.
    pub sections: Vec<Section>,
    /// The recordings of its commands that do not fit.
    pub faults: Vec<String>,
}

/// The part of a page from one heading to the next.
pub(crate) struct Section {
    /// The heading; empty before the first below the title.
    pub heading: String,
    /// The name of the heading in the address; empty for the top of the page.
    pub name: String,
    /// The text, in one line.
    pub text: String,
}

/// A link within the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// As it is written.
    pub written: String,
    /// The file or folder, from the root of the repository.
    pub target: PathBuf,
    /// The heading there.
    pub heading: Option<String>,
}

impl Rendered {
    /// The address of the page.
    pub(crate) fn address(&self) -> PathBuf {
        address(&self.source)
    }
}

/// Renders the document at `source`. What cannot be read has no body, and its faults are found with the
/// links.
pub(crate) fn rendered(root: &Path, source: &Path, contents: &Contents) -> Rendered {
    let text = fs::read_to_string(root.join(source)).unwrap_or_default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let (events, faults) = recorded::shown(root, source, Parser::new_ext(&text, options).collect());
    let headings = names(&events);
    let mut page = Rendered {
        source: source.to_owned(),
        title: String::new(),
        body: String::new(),
        headings: headings.clone(),
        links: Vec::new(),
        sections: sections(&events, &headings),
        faults,
    };
    let mut next = headings.into_iter();
    let mut is_in_title = false;
    let mut kept = Vec::new();
    let mut open_links = Vec::new();
    for event in events {
        match event {
            Event::Start(Tag::Heading { level, id: _, classes, attrs }) => {
                let id = next.next().map(CowStr::from);
                if level == HeadingLevel::H1 && page.title.is_empty() {
                    is_in_title = true;
                } else {
                    kept.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
                }
            }
            Event::End(TagEnd::Heading(_)) if is_in_title => is_in_title = false,
            Event::Text(words) | Event::Code(words) if is_in_title => page.title.push_str(&words),
            _ if is_in_title => {}
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let address = page.leads_to(&dest_url, contents);
                open_links.push(address.is_some());
                if let Some(dest_url) = address {
                    let dest_url = CowStr::from(dest_url);
                    kept.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
            }
            Event::End(TagEnd::Link) => {
                if open_links.pop() == Some(true) {
                    kept.push(Event::End(TagEnd::Link));
                }
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(page.drawn(root, &dest_url));
                kept.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            // Comments for readers of the source.
            Event::Html(_) | Event::InlineHtml(_) => {}
            other => kept.push(other),
        }
    }
    html::push_html(&mut page.body, kept.into_iter());
    // Where a table is wider than the window, it scrolls by itself.
    page.body = page.body.replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>");
    page.body = page.body.replace("</table>", "</table></div>");
    page.body = page.body.replace("<pre>", "<pre tabindex=\"0\">");
    page
}

impl Rendered {
    /// The address of a link as it stands in the page; none where it leads to no page. Notes what has to
    /// be there.
    fn leads_to(&mut self, written: &str, contents: &Contents) -> Option<String> {
        if written.contains("://") || written.starts_with("mailto:") {
            return Some(written.to_owned());
        }
        let (path, heading) = match written.split_once('#') {
            Some((path, heading)) => (path, Some(heading.to_owned())),
            None => (written, None),
        };
        let target = if path.is_empty() { self.source.clone() } else { beside(&self.source, path) };
        self.links.push(Link {
            written: written.to_owned(),
            target: target.clone(),
            heading: heading.clone(),
        });
        // A folder with a page of its own is that page.
        let page =
            contents.pages().find(|page| **page == target || **page == target.join("README.md"));
        let page = match page {
            Some(page) => address(page),
            None if target == Path::new("docs/schema.json") => target,
            None => return None,
        };
        let up = "../".repeat(self.source.components().count() - 1);
        let heading = heading.map(|heading| format!("#{heading}")).unwrap_or_default();
        Some(format!("{up}{}{heading}", page.display()))
    }

    /// A picture as it stands in the page, which needs nothing else.
    fn drawn(&mut self, root: &Path, written: &str) -> String {
        let target = beside(&self.source, written);
        self.links.push(Link {
            written: written.to_owned(),
            target: target.clone(),
            heading: None,
        });
        let kind =
            if target.extension().is_some_and(|end| end == "svg") { "svg+xml" } else { "png" };
        let bytes = fs::read(root.join(&target)).unwrap_or_default();
        format!("data:image/{kind};base64,{}", STANDARD.encode(bytes))
    }
}

/// The path that is written in a document, from the root of the repository.
fn beside(source: &Path, written: &str) -> PathBuf {
    let mut path = source.parent().map(Path::to_owned).unwrap_or_default();
    for component in Path::new(written).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

/// The names of the headings, as GitHub makes them: small letters, digits and hyphens; a name that is
/// taken gets a number.
fn names(events: &[Event<'_>]) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut heading: Option<String> = None;
    for event in events {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(words) | Event::Code(words), Some(heading)) => heading.push_str(words),
            (Event::End(TagEnd::Heading(_)), Some(words)) => {
                let name = name(words);
                let count = seen.entry(name.clone()).or_default();
                names.push(if *count == 0 { name } else { format!("{name}-{count}") });
                *count += 1;
                heading = None;
            }
            _ => {}
        }
    }
    names
}

/// The texts below the headings, which have these names.
fn sections(events: &[Event<'_>], names: &[String]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut names = names.iter();
    let mut is_in_heading = false;
    for event in events {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                is_in_heading = true;
                let name = names.next().filter(|_| *level != HeadingLevel::H1);
                sections.push(Section {
                    heading: String::new(),
                    name: name.cloned().unwrap_or_default(),
                    text: String::new(),
                });
            }
            Event::End(TagEnd::Heading(_)) => is_in_heading = false,
            Event::Text(words) | Event::Code(words) => {
                let Some(section) = sections.last_mut() else { continue };
                let part = if is_in_heading { &mut section.heading } else { &mut section.text };
                part.push_str(words);
            }
            Event::SoftBreak | Event::End(_) => {
                if let Some(section) = sections.last_mut().filter(|_| !is_in_heading) {
                    section.text.push(' ');
                }
            }
            _ => {}
        }
    }
    sections
}

fn name(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_named_as_github_names_them() {
        for (heading, expected) in [
            ("Why trust the answer?", "why-trust-the-answer"),
            ("`[engine.NAME]`", "enginename"),
            ("A metric of your own", "a-metric-of-your-own"),
            ("1a: in place", "1a-in-place"),
        ] {
            assert_eq!(name(&heading.replace('`', "")), expected);
        }
        let events: Vec<Event<'_>> = Parser::new("# A\n## B\n## B\n").collect();
        assert_eq!(names(&events), ["a", "b", "b-1"]);
    }

    #[test]
    fn paths_are_taken_from_the_document() {
        let source = Path::new("docs/guide/1-first.md");
        assert_eq!(beside(source, "../method.md"), Path::new("docs/method.md"));
        assert_eq!(beside(source, "./2-trust.md"), Path::new("docs/guide/2-trust.md"));
        assert_eq!(beside(Path::new("README.md"), "docs/a.md"), Path::new("docs/a.md"));
    }
}
