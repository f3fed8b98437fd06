//! A scene as an SVG document.

use std::borrow::Cow;

use super::label::{Anchor, Direction, Label};
use super::path::number;
use super::scene::{Element, Group, Scene};
use super::text::{self, Face, one_line};

/// The use of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Medium {
    /// Shown by a browser.
    Screen,
    /// Part of an HTML page, which knows the style and has scripts.
    Page,
    /// Turned into pixels: text is outlines, and nothing reacts to a pointer. Tooltips and target
    /// areas are most of a long history's SVG.
    Pixels,
}

/// The style of text as outlines, unless its class overrides it.
const GLYPHS: &str = ".glyphs { fill: #1f2328; }\n";

/// The lines over hatched cells.
const HATCHING: &str = "<defs><pattern id=\"hatching\" width=\"6\" height=\"6\" \
    patternUnits=\"userSpaceOnUse\"><path class=\"hatching\" d=\"M-1 1l2 -2M0 6l6 -6M5 7l2 -2\"/>\
    </pattern></defs>\n";

/// The document.
pub(crate) fn document(scene: &Scene, medium: Medium) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let (title, description) = (escape(&scene.title), escape(&scene.description));
    let glyphs = if medium == Medium::Pixels { GLYPHS } else { "" };
    let style = super::scene::STYLE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"graph-title \
         graph-description\">\n<title id=\"graph-title\">{title}</title>\n\
         <desc id=\"graph-description\">{description}</desc>\n<style>\n{glyphs}{style}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"
    );
    if scene.has_class("hatched") {
        out += HATCHING;
    }
    scene.elements.iter().for_each(|one| element(&mut out, one, medium));
    if let Some(script) = scene.script.filter(|_| medium == Medium::Screen) {
        out += &format!("<script><![CDATA[\n{script}]]></script>\n");
    }
    out + "</svg>\n"
}

/// The maximum number of columns with target areas in a page: its script knows their data.
const MOST_TARGETS: usize = 400;

/// The width to which pictures in a page are enlarged, so that their text is as large as the page's
/// small text.
const ENLARGED_TO: f64 = 1216.0;
/// The maximum enlargement.
const MOST_ENLARGED: f64 = 1.25;

/// An element of an HTML page.
pub(crate) fn element_of_page(scene: &Scene, id: &str) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let times = (ENLARGED_TO / scene.width).clamp(1.0, MOST_ENLARGED);
    let (wide, high) = (number(times * scene.width), number(times * scene.height));
    let (title, description) = (escape(&scene.title), escape(&scene.description));
    let mut out = format!(
        "<svg width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-description\">\n\
         <title id=\"{id}-title\">{title}</title>\n\
         <desc id=\"{id}-description\">{description}</desc>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"
    );
    if scene.has_class("hatched") {
        out += HATCHING;
    }
    scene.elements.iter().for_each(|one| element(&mut out, one, Medium::Page));
    out + "</svg>\n"
}

fn element(out: &mut String, element: &Element, medium: Medium) {
    match element {
        Element::Path { path, .. } if path.is_empty() => {}
        Element::Path { class, path, fill } => {
            let fill = fill.map(|colour| format!(" fill=\"{}\"", colour.hexadecimal()));
            let fill = fill.unwrap_or_default();
            *out += &format!("<path class=\"{class}\"{fill} d=\"{}\"/>\n", path.data());
        }
        Element::Text(label) if medium == Medium::Pixels => *out += &glyphs(label),
        Element::Text(label) => *out += &text(label),
        Element::Target(_) if medium == Medium::Pixels => {}
        Element::Target(place) => {
            let outline = super::Path::rect(*place).data();
            *out += &format!("<path class=\"target\" d=\"{outline}\"/>\n");
        }
        Element::Group(one) if medium == Medium::Page && is_left_out(one) => {}
        Element::Group(one) => group(out, one, medium),
    }
}

fn is_left_out(group: &Group) -> bool {
    group.class == super::columns::COLUMNS && group.elements.len() > MOST_TARGETS
}

fn group(out: &mut String, group: &Group, medium: Medium) {
    let attribute = |name: &str, value: &str| match value {
        "" => String::new(),
        value => format!(" {name}=\"{}\"", escape(value)),
    };
    let tag = if group.link.is_empty() { "g" } else { "a" };
    let attributes = attribute("class", group.class)
        + &attribute("href", &group.link)
        + &attribute("aria-label", &group.name);
    *out += &format!("<{tag}{attributes}>");
    if medium != Medium::Pixels && !group.tooltip.is_empty() {
        *out += &format!("<title>{}</title>", escape(&group.tooltip));
    }
    *out += "\n";
    group.elements.iter().for_each(|one| element(out, one, medium));
    *out += &format!("</{tag}>\n");
}

/// A piece of text as the outlines of its letters.
fn glyphs(label: &Label) -> String {
    let (x, y) = (label.x, label.y);
    let turn = match label.direction {
        Direction::Across => String::new(),
        Direction::Down => format!(" transform=\"rotate(90 {x:.3} {y:.3})\""),
    };
    let start = match label.anchor {
        Anchor::Start => x,
        Anchor::Middle => x - label.length() / 2.0,
        Anchor::End => x - label.length(),
    };
    let outlines = text::outlines(&label.text, label.face, label.size, (start, y));
    format!("<path class=\"glyphs {}\"{turn} d=\"{outlines}\"/>\n", label.class)
}

/// A piece of text in its place.
fn text(label: &Label) -> String {
    let (x, y) = (number(label.x), number(label.y));
    let anchor = match label.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let turn = match label.direction {
        Direction::Across => String::new(),
        Direction::Down => format!(" transform=\"rotate(90 {x} {y})\""),
    };
    let mono = if label.face == Face::Mono { " mono" } else { "" };
    format!(
        "<text class=\"{}{mono}\" x=\"{x}\" y=\"{y}\" font-size=\"{}\"{anchor}{turn}>{}</text>\n",
        label.class,
        number(label.size),
        escape(&label.text)
    )
}

/// `text` escaped for use between tags and in quoted attributes. Characters that XML 1.0 does not
/// allow become U+FFFD, as do those that change the direction of writing.
fn escape(text: &str) -> Cow<'_, str> {
    let replacement = |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\t' | '\n' => None,
        '\u{fffe}' | '\u{ffff}' => Some("\u{fffd}"),
        c if c.is_control() || turns(c) => Some("\u{fffd}"),
        _ => None,
    };
    if text.chars().all(|character| replacement(character).is_none()) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match replacement(character) {
            Some(replacement) => escaped.push_str(replacement),
            None => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// `text` on one line, without hidden characters, as shown by a script.
pub(crate) fn shown(text: &str) -> String {
    one_line(text).replace(turns, "\u{fffd}")
}

/// True if a character changes the direction of writing (Unicode Standard Annex 9, table 4).
fn turns(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_comes_back(text in "(\\PC|[<>&\"'\\x00-\\x1f\\u{fffe}]){0,40}") {
            let document = format!("<a b=\"{0}\">{0}</a>", escape(&text));
            let parsed = roxmltree::Document::parse(&document).expect("well-formed");
            let forbidden = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}') || turns(c)
                || c.is_control() && !matches!(c, '\t' | '\n');
            let expected: String =
                text.chars().map(|c| if forbidden(c) { '\u{fffd}' } else { c }).collect();
            prop_assert_eq!(parsed.root_element().text().unwrap_or(""), &expected);
        }
    }
}
