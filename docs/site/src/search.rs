//! The search: a page with every section of the documentation, of which a script shows those that
//! have all words. Nothing is fetched, so it works from a folder, too.

use page::html::{Shell, escape};

use crate::contents::address;
use crate::rendered::{Rendered, Section};

/// The file of the page.
pub(crate) const FILE: &str = "search.html";

/// The page; `navigation` leads to the others.
pub(crate) fn html(pages: &[Rendered], navigation: &str) -> String {
    let entries: String =
        pages.iter().flat_map(|page| page.sections.iter().map(|part| entry(page, part))).collect();
    let body = format!(
        "<p><label>Words <input id=\"words\" type=\"search\" autofocus></label> \
         <span id=\"count\" role=\"status\"></span></p>\n<ol id=\"entries\">\n{entries}</ol>\n"
    );
    let script = include_str!("search.js");
    let shell = Shell { title: "Search", navigation, body: &body, ..Shell::default() };
    Shell { picture_script: script, ..shell }.html()
}

/// A section: its page and heading, and its text.
fn entry(page: &Rendered, part: &Section) -> String {
    let address = address(&page.source).to_string_lossy().into_owned();
    let at = if part.name.is_empty() { address } else { format!("{address}#{}", part.name) };
    let heading = match part.name.is_empty() {
        true => page.title.clone(),
        false => format!("{}: {}", page.title, part.heading),
    };
    let text = part.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (at, heading, text) = (escape(&at), escape(&heading), escape(&text));
    format!("<li hidden><a href=\"{at}\">{heading}</a><p>{text}</p></li>\n")
}
