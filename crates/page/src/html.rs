//! A page as HTML, and the file or the server's answer that contains it.
//!
//! [`render`] makes HTML of a page's blocks. [`Shell`] puts it into a self-contained document: it
//! includes style and scripts, and its content security policy names each by its hash.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::plain::plain;
use crate::sparkline::shares;
use crate::{
    Align, Block, Choice, Code, Label, Line, Page, Picture, Role, Span, Spark, Table, Tone,
};

const DEEPEST: usize = 6;

/// The page's blocks, with headings from this depth on: 2 is `<h2>`.
pub fn render(page: &Page, depth: usize) -> String {
    let mut text = String::new();
    blocks(&mut text, &page.blocks, depth);
    text
}

fn blocks(text: &mut String, blocks: &[Block], depth: usize) {
    let is_note = |block: &Block| matches!(block, Block::Note(..));
    for run in blocks.chunk_by(|a, b| is_note(a) && is_note(b)) {
        match run {
            [Block::Note(..), ..] => notes(text, run),
            [one] => block(text, one, depth),
            _ => unreachable!("only notes stand together"),
        }
    }
}

fn block(text: &mut String, block: &Block, depth: usize) {
    match block {
        Block::Heading(line) => element(text, &format!("h{depth}"), "", &inline(line)),
        Block::Answer(line) => element(text, "p", "answer", &inline(line)),
        Block::Sentence(line) => element(text, "p", "", &inline(line)),
        Block::Note(..) => notes(text, std::slice::from_ref(block)),
        Block::List(lines) => {
            text.push_str("<ul>\n");
            lines.iter().for_each(|line| element(text, "li", "", &inline(line)));
            text.push_str("</ul>\n");
        }
        Block::Table(part) => table(text, part),
        Block::Code(part) => code(text, part),
        Block::Command(command) => {
            let command = escape(command);
            let _ = writeln!(
                text,
                "<pre class=\"command\" tabindex=\"0\"><code>{command}</code></pre>"
            );
        }
        Block::Picture(part) => picture(text, part),
        Block::Spark(part) => spark(text, part),
        Block::Section(section) if section.is_folded => {
            text.push_str("<details>\n");
            element(text, "summary", "", &inline(&section.title));
            blocks_within(text, &section.blocks, depth);
            text.push_str("</details>\n");
        }
        Block::Section(section) => {
            text.push_str("<section>\n");
            element(text, &format!("h{depth}"), "", &inline(&section.title));
            blocks_within(text, &section.blocks, depth);
            text.push_str("</section>\n");
        }
        // Character art is for media without pictures, and HTML folds can be opened.
        Block::Art(_) | Block::Hint(_) => {}
    }
}

fn element(text: &mut String, tag: &str, class: &str, content: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = writeln!(text, "<{tag}{class}>{content}</{tag}>");
}

fn blocks_within(text: &mut String, within: &[Block], depth: usize) {
    blocks(text, within, (depth + 1).min(DEEPEST));
}

fn notes(text: &mut String, notes: &[Block]) {
    text.push_str("<ul class=\"notes\">\n");
    for note in notes {
        if let Block::Note(Label { word, tone }, line) = note {
            let class = class_of(*tone).unwrap_or("plain");
            let content = format!("<b class=\"{class}\">{word}:</b> {}", inline(line));
            element(text, "li", "", &content);
        }
    }
    text.push_str("</ul>\n");
}

fn table(text: &mut String, table: &Table) {
    // Tables wider than the window scroll by themselves, also by keyboard.
    text.push_str(
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table>\n",
    );
    if !table.title.is_empty() {
        element(text, "caption", "", &inline(&table.title));
    }
    if table.columns.iter().any(|column| !column.heading.is_empty()) {
        text.push_str("<thead><tr>");
        for column in &table.columns {
            let tag = if column.heading.is_empty() { "td" } else { "th scope=\"col\"" };
            let end = &tag[..2];
            let _ =
                write!(text, "<{tag}{}>{}</{end}>", aligned(column.align), inline(&column.heading));
        }
        text.push_str("</tr></thead>\n");
    }
    for (part, sums_up) in [("tbody", false), ("tfoot", true)] {
        rows(text, part, table, sums_up);
    }
    text.push_str("</table></div>\n");
    for line in &table.foot {
        element(text, "p", "foot", &inline(line));
    }
}

/// A part of a table: the rows that sum up others, or the others.
fn rows(text: &mut String, part: &str, table: &Table, sums_up: bool) {
    let mut rows = table.rows.iter().filter(|row| row.sums_up == sums_up).peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "<{part}>");
    for row in rows {
        text.push_str("<tr>");
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let (class, value) = (aligned(column.align), value(cell));
            let _ = write!(text, "<td{class}{value}>{}</td>", inline(cell));
        }
        text.push_str("</tr>\n");
    }
    let _ = writeln!(text, "</{part}>");
}

fn aligned(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"number\"",
    }
}

/// The amount in a cell, by which a column is sorted for any unit in the cell.
fn value(cell: &Line) -> String {
    let amount = cell.0.iter().find_map(|span| match span.role {
        Role::Quantity(value) => Some(value),
        _ => None,
    });
    // JavaScript writes infinity differently.
    let amount = amount.map(|value| value.clamp(f64::MIN, f64::MAX));
    amount.map_or_else(String::new, |value| format!(" data-value=\"{value:e}\""))
}

fn code(text: &mut String, code: &Code) {
    if !code.label.is_empty() {
        element(text, "p", "foot", &format!("{}:", code.label));
    }
    text.push_str("<pre class=\"code\" tabindex=\"0\"><code>");
    let mut at = 0;
    for word in code.text.split_inclusive([' ', '\n']) {
        let bare = word.trim_end_matches([' ', '\n']);
        let rest = &word[bare.len()..];
        let is_marked = code.marks.iter().any(|mark| mark[0] <= at && at < mark[1]);
        let shown = escape(bare);
        let _ = match bare {
            "" => Ok(()),
            _ if is_marked => write!(text, "<mark>{shown}</mark>"),
            _ if code.keywords.contains(&bare) => write!(text, "<b>{shown}</b>"),
            _ => write!(text, "{shown}"),
        };
        text.push_str(rest);
        at += word.len();
    }
    text.push_str("</code></pre>\n");
}

fn picture(text: &mut String, picture: &Picture) {
    let Picture { name, drawing, data } = picture;
    let name = escape(&name.text()).into_owned();
    let _ = writeln!(
        text,
        "<figure class=\"picture\" aria-label=\"{name}\">\n\
         <div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\">{drawing}</div>"
    );
    if !data.is_empty() {
        // Within a script only its end tag has a meaning, and JSON can escape `<` by its number.
        let data = data.replace('<', "\\u003c");
        let _ = writeln!(text, "<script type=\"application/json\" class=\"data\">{data}</script>");
    }
    text.push_str("</figure>\n");
}

/// The height of a series of bars, and the distance between bars.
const SPARK: (f64, f64) = (20.0, 4.0);
const MOST_BARS: usize = 120;

fn spark(text: &mut String, spark: &Spark) {
    let (height, pitch) = SPARK;
    let shares = shares(&spark.values, MOST_BARS, spark.heights);
    let width = pitch * shares.len() as f64;
    let bar = |(place, share): (usize, &Option<f64>)| {
        let high = (share.as_ref()? * (height - 1.0)).max(0.0) + 1.0;
        let (x, y) = (pitch * place as f64, height - high);
        Some(format!("M{x:.1} {y:.1}h{:.1}v{high:.1}h-{0:.1}z", pitch - 1.0))
    };
    let outline: String = shares.iter().enumerate().filter_map(bar).collect();
    let name = inline(&spark.name);
    let _ = writeln!(
        text,
        "<p class=\"spark\">{name} <svg width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\"><path d=\"{outline}\"/></svg></p>"
    );
}

/// Spans within a line.
fn inline(line: &Line) -> String {
    line.0.iter().map(one).collect()
}

fn one(span: &Span) -> String {
    let shown = escape(&span.text);
    let shown = match &span.role {
        Role::Words | Role::Quantity(_) | Role::Foreign => shown.into_owned(),
        Role::Code => format!("<code>{shown}</code>"),
        Role::Commit(hash) => {
            format!("<code class=\"commit\" title=\"{}\">{shown}</code>", escape(hash))
        }
        Role::Link(address) if leads_elsewhere(address) => {
            format!("<a href=\"{}\" rel=\"noreferrer\">{shown}</a>", escape(address))
        }
        Role::Beside(address) if stays_here(address) => {
            format!("<a href=\"{}\">{shown}</a>", escape(address))
        }
        Role::Link(_) | Role::Beside(_) => shown.into_owned(),
        Role::Choice(Choice { form, name, value, is_ticked }) => {
            let (value, ticked) = (escape(value), if *is_ticked { " checked" } else { "" });
            format!(
                "<input type=\"checkbox\" form=\"{form}\" name=\"{name}\" value=\"{value}\" \
                 aria-label=\"{shown}\"{ticked}>"
            )
        }
    };
    match (span.tone, class_of(span.tone)) {
        _ if shown.is_empty() => shown,
        (Tone::Strong, _) => format!("<strong>{shown}</strong>"),
        (_, None) => shown,
        (_, Some(class)) => format!("<span class=\"{class}\">{shown}</span>"),
    }
}

/// True if a link goes to a web page.
fn leads_elsewhere(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

/// True if a link stays among our pages: it has neither a scheme nor a host.
fn stays_here(address: &str) -> bool {
    let first = address.split(['/', '?', '#']).next().unwrap_or_default();
    !first.contains(':') && !address.starts_with("//") && !address.contains('\\')
}

fn class_of(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some("strong"),
        Tone::Quiet => Some("quiet"),
        Tone::Good => Some("good"),
        Tone::Bad => Some("bad"),
        Tone::Open => Some("open"),
    }
}

/// Text for use between tags and in quoted attributes, without hidden characters.
pub fn escape(text: &str) -> Cow<'_, str> {
    let text = plain(text);
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

const STYLE: &str = include_str!("html/page.css");

/// The scripts of every page. Modules of one scope, in this order.
const SCRIPTS: [&str; 7] = [
    include_str!("html/view.js"),
    include_str!("html/place.js"),
    include_str!("html/units.js"),
    include_str!("html/panel.js"),
    include_str!("html/columns.js"),
    include_str!("html/points.js"),
    include_str!("html/tables.js"),
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
