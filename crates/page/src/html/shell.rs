//! The document around the blocks: it contains everything it needs, and allows nothing else.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::escape;

/// The style of every page.
const STYLE: &str = include_str!("page.css");

/// The scripts of every page. Modules of one scope, in this order.
const SCRIPTS: [&str; 6] = [
    include_str!("view.js"),
    include_str!("units.js"),
    include_str!("panel.js"),
    include_str!("columns.js"),
    include_str!("points.js"),
    include_str!("tables.js"),
];

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Shell<'a> {
    /// The title, in the window's title bar and above everything.
    pub title: &'a str,
    /// The links to other pages, as HTML; may be empty.
    pub navigation: &'a str,
    /// The blocks, as HTML.
    pub body: &'a str,
    /// The style of the pictures.
    pub picture_style: &'a str,
    /// The script of the pictures.
    pub picture_script: &'a str,
    /// A script of the server, for updates while the page is shown.
    pub live: Option<&'a str>,
    /// The address of an Atom feed of the changes.
    pub feed: Option<&'a str>,
}

impl Shell<'_> {
    /// The document, which contains everything it needs.
    pub fn html(&self) -> String {
        let style = format!("{STYLE}{}", self.picture_style);
        let script = SCRIPTS.concat() + self.picture_script + self.live.unwrap_or_default();
        let policy = policy(&style, &script, self.live.is_some());
        let title = escape(self.title);
        let feed = self.feed.map_or_else(String::new, |address| {
            let address = escape(address);
            format!("<link rel=\"alternate\" type=\"application/atom+xml\" href=\"{address}\">\n")
        });
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n{feed}\
             <title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        );
        if !self.navigation.is_empty() {
            let _ = writeln!(text, "<nav>{}</nav>", self.navigation);
        }
        let _ = writeln!(text, "<main>\n<h1>{title}</h1>\n{}</main>", self.body);
        // Read out when it changes: the point chosen by keyboard.
        text.push_str("<p id=\"said\" role=\"status\" aria-live=\"polite\"></p>\n");
        let _ = writeln!(text, "<script type=\"module\">{script}</script>\n</body>\n</html>");
        text
    }
}

/// The policy that allows style and script by their hashes, and nothing else; a live page may also
/// connect to its own server.
fn policy(style: &str, script: &str, is_live: bool) -> String {
    let (style, script) = (hash(style), hash(script));
    let connect = if is_live { "; connect-src 'self'" } else { "" };
    format!(
        "default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; \
         base-uri 'none'; form-action 'self'{connect}"
    )
}

/// The hash of a text in the syntax of the policy (Content Security Policy Level 3, 2.3.1).
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}
