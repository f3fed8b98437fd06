//! The document around the blocks: everything it needs is within, and nothing else is let in.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::escape;

/// How every page looks.
const STYLE: &str = include_str!("page.css");

/// What every page can do. Modules of one scope, in this order.
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
    /// What stands in the window's title and above everything.
    pub title: &'a str,
    /// What leads to other pages, as HTML; may be empty.
    pub navigation: &'a str,
    /// The blocks, as HTML.
    pub body: &'a str,
    /// How the pictures look.
    pub picture_style: &'a str,
    /// What the pictures do by themselves.
    pub picture_script: &'a str,
    /// A script of the server's, for what changes while it is looked at.
    pub live: Option<&'a str>,
    /// Where a reader of news finds what changed: the address of an Atom feed.
    pub feed: Option<&'a str>,
}

impl Shell<'_> {
    /// The document, which needs nothing that is not in it.
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
        // Read out when it changes: the point that was chosen by keyboard.
        text.push_str("<p id=\"said\" role=\"status\" aria-live=\"polite\"></p>\n");
        let _ = writeln!(text, "<script type=\"module\">{script}</script>\n</body>\n</html>");
        text
    }
}

/// Style and script by their hashes, and nothing else; what is live asks its own server.
fn policy(style: &str, script: &str, is_live: bool) -> String {
    let (style, script) = (hash(style), hash(script));
    let connect = if is_live { "; connect-src 'self'" } else { "" };
    format!(
        "default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; \
         base-uri 'none'; form-action 'self'{connect}"
    )
}

/// A text as the policy names it (Content Security Policy Level 3, 2.3.1).
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}
