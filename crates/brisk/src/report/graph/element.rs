//! The few elements of SVG that the pictures consist of.

use super::label::{Anchor, Direction, Label};
use super::series::number;
use super::text::Face;
use super::xml::escape;

/// The beginning of a document of this width and height: what it is for those who do not see it,
/// its style sheet, and its ground.
pub(in crate::report) fn opening(
    size: (f64, f64),
    title: &str,
    description: &str,
    style: &str,
) -> String {
    let (width, height) = (number(size.0), number(size.1));
    let (title, description) = (escape(title), escape(description));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"graph-title \
         graph-description\">\n<title id=\"graph-title\">{title}</title>\n\
         <desc id=\"graph-description\">{description}</desc>\n<style>\n{style}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"
    )
}

/// A piece of text in its place.
pub(in crate::report) fn text(label: &Label) -> String {
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

/// A path of this class; nothing where there is no data.
pub(in crate::report) fn path(class: &str, data: &str) -> String {
    if data.is_empty() {
        String::new()
    } else {
        format!("<path class=\"{class}\" d=\"{data}\"/>\n")
    }
}

/// A rectangle as path data.
pub(in crate::report) fn rectangle(left: f64, top: f64, right: f64, bottom: f64) -> String {
    format!(
        "M{} {}H{}V{}H{}z",
        number(left),
        number(top),
        number(right),
        number(bottom),
        number(left)
    )
}
