//! The elements of a picture, in their positions.

use super::check::DrawError;
use super::colour::Colour;
use super::label::{Label, Rect};
use super::path::Path;
use super::raster;
use super::svg::{self, Medium};

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
    /// The target of a click.
    pub link: String,
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
        svg::document(self, Medium::Screen)
    }

    /// The picture as an element of an HTML page, which has the style [`STYLE`] for all its
    /// pictures and the scripts. `id` distinguishes this picture from others on the page.
    pub fn element(&self, id: &str) -> String {
        svg::element_of_page(self, id)
    }

    /// The picture as a PNG file, in the light colours, with [`raster::PIXELS_PER_UNIT`] pixels for
    /// each unit. System fonts are not used.
    ///
    /// # Errors
    /// It is too large; see [`DrawError`].
    pub fn png(&self) -> Result<Vec<u8>, DrawError> {
        raster::png(&svg::document(self, Medium::Pixels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_names_tooltips_and_links_and_pixels_need_none_of_them() {
        let place = Rect { left: 1.0, top: 1.0, right: 3.0, bottom: 3.0 };
        let group = Group {
            class: "point",
            name: "a & b".to_owned(),
            tooltip: "it <is>".to_owned(),
            link: "https://example.org/?a&b".to_owned(),
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
        let expected = "<a class=\"point\" href=\"https://example.org/?a&amp;b\" \
            aria-label=\"a &amp; b\"><title>it &lt;is&gt;</title>\n\
            <path class=\"target\" d=\"M1 1h2v2h-2z\"/>\n</a>\n";
        assert!(scene.svg().contains(expected), "{}", scene.svg());
        let drawn = svg::document(&scene, Medium::Pixels);
        assert!(!drawn.contains("it &lt;is&gt;") && !drawn.contains("target\""));
        assert_eq!((scene.with_class("target").len(), scene.has_class("line")), (1, false));
    }
}
