//! The pictures as seen by other software: the scene's places, the SVG through an XML parser, the
//! PNG through a decoder.

mod columns;
mod flame;
mod points;

use brisk_draw::axis::{Grain, decimals};
use brisk_draw::scene::PIXELS_PER_UNIT;
use brisk_draw::{Chart, Element, Rect, Scene};
use resvg::tiny_skia::Pixmap;
use roxmltree::{Document, Node};

/// Labels of axes without a unit.
fn plain(value: f64, grain: Grain) -> String {
    format!("{value:.*}", decimals(grain.step))
}

fn scene(chart: &Chart) -> Scene {
    chart.scene().expect("the chart agrees with itself")
}

fn picture(scene: &Scene) -> Pixmap {
    let picture = Pixmap::decode_png(&scene.png().expect("drawn")).expect("a PNG file");
    let pixels = |units: f64| (units * f64::from(PIXELS_PER_UNIT)).round() as u32;
    assert_eq!((picture.width(), picture.height()), (pixels(scene.width), pixels(scene.height)));
    picture
}

/// All elements with this class.
fn with_class<'a>(document: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let has_class = |node: &Node<'_, '_>| {
        node.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
    };
    document.descendants().filter(has_class).collect()
}

fn title<'a>(node: Node<'a, 'a>) -> &'a str {
    let is_title = |child: &Node<'_, '_>| child.has_tag_name("title");
    node.children().find(is_title).and_then(|title| title.text()).unwrap_or("")
}

/// The area of each panel's values.
fn plots(scene: &Scene) -> Vec<Rect> {
    let axes = scene.with_class("axis").into_iter();
    axes.filter_map(|axis| axis.outlines()?.bounds()).collect()
}

/// Asserts that no two texts overlap, and all are in the picture.
fn assert_nothing_overlaps(scene: &Scene) {
    let labels = brisk_draw::scene::labels(&scene.elements);
    let boxes: Vec<(&str, Rect)> =
        labels.iter().map(|label| (label.text.as_str(), label.bounds())).collect();
    let picture = Rect { left: 0.0, top: 0.0, right: scene.width, bottom: scene.height };
    for (index, (text, place)) in boxes.iter().enumerate() {
        assert!(picture.holds(place), "`{text}` leaves the picture: {place:?} in {picture:?}");
        for (other, other_place) in &boxes[index + 1..] {
            assert!(!place.overlaps(other_place), "`{text}` {place:?}, `{other}` {other_place:?}");
        }
    }
}

/// The elements of the groups with this class, one entry for each group.
fn groups<'a>(scene: &'a Scene, class: &str) -> Vec<&'a [Element]> {
    let elements = |element: &'a Element| match element {
        Element::Group(group) => Some(group.elements.as_slice()),
        _ => None,
    };
    scene.with_class(class).into_iter().filter_map(elements).collect()
}

#[test]
fn a_chart_without_figures_is_a_heading() {
    let (title, subtitle) = ("nothing".to_owned(), "to see".to_owned());
    let (description, figures, keys) = (String::new(), Vec::new(), Vec::new());
    let scene = scene(&Chart { title, subtitle, description, figures, keys });
    assert_eq!(brisk_draw::scene::labels(&scene.elements).len(), 2);
    assert_nothing_overlaps(&scene);
}
