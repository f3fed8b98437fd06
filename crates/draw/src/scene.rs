//! The elements of a picture, in their positions; as an SVG document, and as PNG.
//!
//! resvg turns SVG into PNG. Letters are outlines of built-in fonts by then.

use std::borrow::Cow;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::shape::{Colour, Path, number};
use super::text::{self, Anchor, Direction, Face, Label, Rect, one_line};

/// The reason why a chart cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum DrawError {
    #[error("a chart needs at least one column")]
    NoColumns,
    #[error("a chart needs at least one panel")]
    NoPanels,
    #[error("`{panel}` has {points} points for {columns} columns")]
    Points { panel: String, points: usize, columns: usize },
    #[error("`{panel}` changes at column {column} of {columns}")]
    Outside { panel: String, column: usize, columns: usize },
    #[error("`{panel}` changes by the ratio {ratio} at `{column}`")]
    Ratio { panel: String, column: String, ratio: f64 },
    #[error("`{panel}` has a curve that is none")]
    Curve { panel: String },
    #[error("no stack counts anything")]
    NoStacks,
    #[error("cannot draw the chart as pixels")]
    Picture(#[source] resvg::usvg::Error),
    /// There is not enough memory for the pixels, or PNG does not allow the size.
    #[error("a picture of {width} x {height} pixels is too large")]
    Size { width: u32, height: u32 },
}

/// The style sheet of pictures; a standalone picture contains it.
pub const STYLE: &str = include_str!("style.css");

/// A picture; its unit is that of the SVG, and y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// From the left to the right.
    pub width: f64,
    /// From the top to the bottom.
    pub height: f64,
    /// The title for screen readers.
    pub title: String,
    /// The description for screen readers.
    pub description: String,
    /// The elements; later ones cover earlier ones.
    pub elements: Vec<Element>,
    /// The script that handles clicks.
    pub script: Option<&'static str>,
    /// The drawn data, for scripts of a page; None if they need no data.
    pub data: Option<serde_json::Value>,
}

/// An element of a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Element {
    /// Outlines in one style.
    Path {
        /// Its classes in the style sheet.
        class: &'static str,
        /// The outlines.
        path: Path,
        /// A colour that is not in any style sheet.
        fill: Option<Colour>,
    },
    /// A piece of text.
    Text(Label),
    /// An invisible area for the pointer.
    Target(Rect),
    /// A group of elements.
    Group(Group),
}

/// Elements that belong together. Empty texts are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// Its classes in the style sheet.
    pub class: &'static str,
    /// The name for screen readers.
    pub name: String,
    /// The tooltip.
    pub tooltip: String,
    /// The elements.
    pub elements: Vec<Element>,
}

impl Element {
    /// Outlines in the style of a class.
    pub fn path(class: &'static str, path: impl IntoIterator<Item = Path>) -> Self {
        Self::Path { class, path: path.into_iter().collect(), fill: None }
    }

    /// Lines in the style of a class.
    pub fn lines(class: &'static str, lines: impl IntoIterator<Item = [f64; 4]>) -> Self {
        Self::Path { class, path: lines.into_iter().collect(), fill: None }
    }

    /// A rectangle in its own colour.
    pub fn filled(class: &'static str, place: Rect, colour: Colour) -> Self {
        Self::Path { class, path: Path::rect(place), fill: Some(colour) }
    }

    /// A group of this class with a tooltip.
    pub fn group(class: &'static str, tooltip: &str, elements: Vec<Self>) -> Self {
        Self::Group(Group { class, tooltip: tooltip.to_owned(), elements, ..Group::default() })
    }

    /// A group of this class with a name.
    pub fn named(class: &'static str, name: String, elements: Vec<Self>) -> Self {
        Self::Group(Group { class, name, elements, ..Group::default() })
    }

    /// The element and everything in it.
    pub fn all(&self) -> Vec<&Self> {
        match self {
            Self::Group(group) => [self].into_iter().chain(all(&group.elements)).collect(),
            _ => vec![self],
        }
    }

    /// Its classes.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Path { class, .. } => class,
            Self::Text(label) => label.class,
            Self::Target(_) => "target",
            Self::Group(group) => group.class,
        }
    }

    /// True if this is one of its classes, and it is not empty.
    pub fn has_class(&self, class: &str) -> bool {
        let is_empty = matches!(self, Self::Path { path, .. } if path.is_empty());
        !is_empty && self.class().split(' ').any(|one| one == class)
    }

    /// The outlines; None if the element is not a path.
    pub fn outlines(&self) -> Option<&Path> {
        match self {
            Self::Path { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl From<Label> for Element {
    fn from(label: Label) -> Self {
        Self::Text(label)
    }
}

/// The elements and everything in them, in the order in which they are drawn.
pub fn all(elements: &[Element]) -> Vec<&Element> {
    elements.iter().flat_map(Element::all).collect()
}

/// The labels in the elements.
pub fn labels(elements: &[Element]) -> Vec<&Label> {
    fn label(element: &Element) -> Option<&Label> {
        match element {
            Element::Text(label) => Some(label),
            _ => None,
        }
    }
    all(elements).into_iter().filter_map(label).collect()
}

impl Scene {
    /// All elements with this class.
    pub fn with_class(&self, class: &str) -> Vec<&Element> {
        all(&self.elements).into_iter().filter(|element| element.has_class(class)).collect()
    }

    /// True if any element has this class.
    pub fn has_class(&self, class: &str) -> bool {
        !self.with_class(class).is_empty()
    }

    /// The picture as a standalone SVG document, with tooltips.
    pub fn svg(&self) -> String {
        self.document(Medium::Screen)
    }

    /// The picture as an element of an HTML page, which has the style [`STYLE`] for all its
    /// pictures and the scripts. `id` distinguishes this picture from others on the page.
    pub fn element(&self, id: &str) -> String {
        let times = (ENLARGED_TO / self.width).clamp(1.0, MOST_ENLARGED);
        let (wide, high) = (number(times * self.width), number(times * self.height));
        let (width, height) = (number(self.width), number(self.height));
        // Long ones keep their size without a script that draws them for their place.
        let class = if self.width > ENLARGED_TO { "class=\"long\" " } else { "" };
        let opening = format!(
            "<svg {class}width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-description\">\n"
        );
        opening + &self.content(id, "", Medium::Page) + "</svg>\n"
    }

    /// The picture as a PNG file, in the light colours, with [`PIXELS_PER_UNIT`] pixels for
    /// each unit. System fonts are not used.
    ///
    /// # Errors
    /// It is too large; see [`DrawError`].
    pub fn png(&self) -> Result<Vec<u8>, DrawError> {
        let svg = self.document(Medium::Pixels);
        let tree = Tree::from_str(&svg, &Options::default()).map_err(DrawError::Picture)?;
        let size = tree.size();
        let pixels = |units: f32| (units * PIXELS_PER_UNIT).round() as u32;
        let (width, height) = (pixels(size.width()), pixels(size.height()));
        let too_large = || DrawError::Size { width, height };
        let mut picture = Pixmap::new(width, height).ok_or_else(too_large)?;
        let larger = Transform::from_scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
        resvg::render(&tree, larger, &mut picture.as_mut());
        picture.encode_png().map_err(|_| too_large())
    }

    fn document(&self, medium: Medium) -> String {
        let (width, height) = (number(self.width), number(self.height));
        let glyphs = if medium == Medium::Pixels { GLYPHS } else { "" };
        let opening = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"graph-title \
             graph-description\">\n"
        );
        let style = format!("<style>\n{glyphs}{STYLE}</style>\n");
        let script = self.script.filter(|_| medium == Medium::Screen);
        let script = script.map(|script| format!("<script><![CDATA[\n{script}]]></script>\n"));
        opening + &self.content("graph", &style, medium) + &script.unwrap_or_default() + "</svg>\n"
    }

    /// The texts for screen readers, which `id` names, the style and the elements.
    fn content(&self, id: &str, style: &str, medium: Medium) -> String {
        let (width, height) = (number(self.width), number(self.height));
        let (title, description) = (escape(&self.title), escape(&self.description));
        let mut out = format!(
            "<title id=\"{id}-title\">{title}</title>\n\
             <desc id=\"{id}-description\">{description}</desc>\n{style}\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"
        );
        if self.has_class("hatched") {
            out += HATCHING;
        }
        self.elements.iter().for_each(|one| element(&mut out, one, medium));
        out
    }
}

/// The use of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Medium {
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

/// The maximum number of columns with target areas in a page: its script knows their data.
const MOST_TARGETS: usize = 400;

/// The width to which pictures in a page are enlarged, so that their text is as large as the page's
/// small text.
const ENLARGED_TO: f64 = 1216.0;
const MOST_ENLARGED: f64 = 1.25;

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
    let attributes = attribute("class", group.class) + &attribute("aria-label", &group.name);
    *out += &format!("<g{attributes}>");
    if medium != Medium::Pixels && !group.tooltip.is_empty() {
        *out += &format!("<title>{}</title>", escape(&group.tooltip));
    }
    *out += "\n";
    group.elements.iter().for_each(|one| element(out, one, medium));
    *out += "</g>\n";
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
    let outlines = text::outlines(&label.text, label.face, label.size, start, y);
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

/// Pixels of the PNG for each unit of the SVG: sharp on today's screens and on paper.
pub const PIXELS_PER_UNIT: f32 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn groups_have_names_and_tooltips_and_pixels_need_none_of_them() {
        let place = Rect { left: 1.0, top: 1.0, right: 3.0, bottom: 3.0 };
        let group = Group {
            class: "point",
            name: "a & b".to_owned(),
            tooltip: "it <is>".to_owned(),
            elements: vec![Element::Target(place), Element::path("line", [])],
        };
        let (title, description) = (String::new(), String::new());
        let elements = vec![Element::Group(group)];
        let scene = Scene {
            width: 4.0,
            height: 4.0,
            title,
            description,
            elements,
            script: None,
            data: None,
        };
        let expected = "<g class=\"point\" aria-label=\"a &amp; b\"><title>it &lt;is&gt;</title>\n\
            <path class=\"target\" d=\"M1 1h2v2h-2z\"/>\n</g>\n";
        assert!(scene.svg().contains(expected), "{}", scene.svg());
        let drawn = scene.document(Medium::Pixels);
        assert!(!drawn.contains("it &lt;is&gt;") && !drawn.contains("target\""));
        assert_eq!((scene.with_class("target").len(), scene.has_class("line")), (1, false));
    }

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
