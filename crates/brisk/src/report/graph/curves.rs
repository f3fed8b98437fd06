//! The graph of memory over time: a panel for each variant, all with the same scales.
//!
//! Its parts are those of the graph of a history; only the axis below is one of time.

use super::GraphError;
use super::axis::Axis;
use super::label::{Anchor, Label, Rect};
use super::raster;
use super::series::number;
use super::text::{self, Face, one_line};
use super::xml::escape;
use crate::metric::Unit;

/// Everything the graph shows.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveGraph {
    /// The heading.
    pub title: String,
    /// Where the numbers come from.
    pub subtitle: String,
    /// One for each variant.
    pub panels: Vec<CurvePanel>,
}

/// The curves of one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePanel {
    /// The variant's name.
    pub name: String,
    /// What is said of it, a line each.
    pub sentences: Vec<String>,
    /// The curves.
    pub curves: Vec<DrawnCurve>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnCurve {
    /// What it shows.
    pub name: String,
    /// Whether it is drawn in the second colour.
    pub is_second: bool,
    /// Since the start, ascending.
    pub seconds: Vec<f64>,
    /// One for each of these.
    pub bytes: Vec<f64>,
}

const MARGIN: f64 = 16.0;
const PLOT_WIDTH: f64 = 760.0;
const PLOT_HEIGHT: f64 = 170.0;
const SIZE: f64 = 10.5;
/// From one line of words to the next.
const LINE: f64 = 15.0;

/// The graph as an SVG document of its own.
///
/// # Errors
///
/// When there is nothing to draw, or a sample is no number.
pub fn svg(graph: &CurveGraph) -> Result<String, GraphError> {
    check(graph)?;
    Ok(document(graph))
}

/// The graph as a PNG file, in the light colours.
///
/// # Errors
///
/// As [`svg`], and when the picture is too large.
pub fn png(graph: &CurveGraph) -> Result<Vec<u8>, GraphError> {
    raster::png(&svg(graph)?)
}

fn check(graph: &CurveGraph) -> Result<(), GraphError> {
    let curves = || graph.panels.iter().flat_map(|panel| &panel.curves);
    if curves().all(|curve| curve.seconds.is_empty()) {
        return Err(GraphError::NoPanels);
    }
    let is_right = |curve: &DrawnCurve| {
        let mut numbers = curve.seconds.iter().chain(&curve.bytes);
        curve.seconds.len() == curve.bytes.len() && numbers.all(|number| number.is_finite())
    };
    match curves().find(|curve| !is_right(curve)) {
        Some(curve) => Err(GraphError::Curve { curve: curve.name.clone() }),
        None => Ok(()),
    }
}

/// The scales that all panels share.
struct Scales {
    time: Axis,
    amount: Axis,
    left: f64,
}

fn document(graph: &CurveGraph) -> String {
    let most = |of: fn(&DrawnCurve) -> &Vec<f64>| {
        let all = graph.panels.iter().flat_map(|panel| &panel.curves).flat_map(of);
        all.copied().fold(0.0, f64::max)
    };
    let time = Axis::from_zero(most(|curve| &curve.seconds), Unit::Seconds);
    let amount = Axis::from_zero(most(|curve| &curve.bytes), Unit::Bytes);
    let width = |label: &String| text::width(label, Face::Sans, SIZE);
    let widest = amount.ticks.iter().map(|tick| width(&tick.label)).fold(0.0, f64::max);
    let scales = Scales { time, amount, left: (MARGIN + widest + 8.0).ceil() };
    let total = scales.left + PLOT_WIDTH + MARGIN + 24.0;
    let mut body = String::new();
    let mut y = MARGIN;
    for (words, size, class) in [(&graph.title, 18.0, "title"), (&graph.subtitle, 11.0, "quiet")] {
        for line in text::wrap(&one_line(words), Face::Sans, size, total - 2.0 * MARGIN, 2) {
            y += size * 1.3;
            body += &written(&Label::words(line, size, MARGIN, y - 0.3 * size, class));
        }
    }
    for panel in &graph.panels {
        let (drawn, bottom) = panel_at(panel, &scales, y + 14.0);
        body += &drawn;
        y = bottom;
    }
    let (width, height) = (number(total), number(y + MARGIN));
    let title = escape(&graph.title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"graph-title\">\n\
         <title id=\"graph-title\">{title}</title>\n<style>\n{}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        include_str!("style.css")
    )
}

/// A panel whose head begins at `top`, and where it ends.
fn panel_at(panel: &CurvePanel, scales: &Scales, top: f64) -> (String, f64) {
    let name = text::shorten(&one_line(&panel.name), Face::Sans, 13.0, 0.7 * PLOT_WIDTH);
    let mut out = written(&Label::words(name, 13.0, scales.left, top + 13.0, "name"));
    let mut right = scales.left + PLOT_WIDTH;
    for curve in panel.curves.iter().rev() {
        let key = Label::words(curve.name.clone(), SIZE, right, top + 13.0, "quiet");
        let key = key.anchored(Anchor::End);
        let from = right - key.length() - 26.0;
        out += &stroke(curve.is_second, &format!("M{} {}h20", number(from), number(top + 9.5)));
        out += &written(&key);
        right = from - 14.0;
    }
    let mut y = top + 18.0;
    for sentence in &panel.sentences {
        for line in text::wrap(&one_line(sentence), Face::Sans, SIZE, PLOT_WIDTH, 2) {
            y += LINE;
            out += &written(&Label::words(line, SIZE, scales.left, y - 3.0, "quiet"));
        }
    }
    let plot = Rect {
        left: scales.left,
        top: y + 8.0,
        right: scales.left + PLOT_WIDTH,
        bottom: y + 8.0 + PLOT_HEIGHT,
    };
    out += &ground(scales, plot);
    for curve in &panel.curves {
        out += &stroke(curve.is_second, &path_of(curve, scales, plot));
    }
    (out, plot.bottom + 20.0)
}

/// The lines of the grid and what is written beside them.
fn ground(scales: &Scales, plot: Rect) -> String {
    let mut lines = String::new();
    let mut labels = String::new();
    for tick in &scales.amount.ticks {
        let y = plot.bottom - scales.amount.place(tick.value) * plot.height();
        lines += &format!("M{} {}H{}", number(plot.left), number(y), number(plot.right));
        let label = Label::words(tick.label.clone(), SIZE, plot.left - 7.0, y, "quiet");
        labels += &written(&label.anchored(Anchor::End).centred());
    }
    let mut marks = String::new();
    for tick in &scales.time.ticks {
        let x = plot.left + scales.time.place(tick.value) * plot.width();
        marks += &format!("M{} {}v4", number(x), number(plot.bottom));
        let label = Label::words(tick.label.clone(), SIZE, x, plot.bottom + 15.0, "quiet");
        labels += &written(&label.anchored(Anchor::Middle));
    }
    let axis = format!(
        "M{} {}V{}H{}{marks}",
        number(plot.left),
        number(plot.top),
        number(plot.bottom),
        number(plot.right)
    );
    format!("<path class=\"grid\" d=\"{lines}\"/>\n<path class=\"axis\" d=\"{axis}\"/>\n{labels}")
}

fn path_of(curve: &DrawnCurve, scales: &Scales, plot: Rect) -> String {
    let mut data = String::new();
    for (index, (seconds, bytes)) in curve.seconds.iter().zip(&curve.bytes).enumerate() {
        let x = plot.left + scales.time.place(*seconds) * plot.width();
        let y = plot.bottom - scales.amount.place(*bytes) * plot.height();
        data += if index == 0 { "M" } else { "L" };
        data += &format!("{} {}", number(x), number(y));
    }
    data
}

fn stroke(is_second: bool, data: &str) -> String {
    let class = if is_second { "line second" } else { "line" };
    if data.is_empty() {
        String::new()
    } else {
        format!("<path class=\"{class}\" d=\"{data}\"/>\n")
    }
}

fn written(label: &Label) -> String {
    let anchor = match label.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    format!(
        "<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\"{anchor}>{}</text>\n",
        label.class,
        number(label.x),
        number(label.y),
        number(label.size),
        escape(&label.text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(bytes: &[f64]) -> CurveGraph {
        let curve = DrawnCurve {
            name: "resident memory".to_owned(),
            is_second: false,
            seconds: (0..bytes.len()).map(|index| index as f64).collect(),
            bytes: bytes.to_vec(),
        };
        let panel = CurvePanel {
            name: "A  ./a < b & c".to_owned(),
            sentences: vec!["it grows".to_owned()],
            curves: vec![curve],
        };
        let (title, subtitle) = ("memory over time".to_owned(), "here, today".to_owned());
        CurveGraph { title, subtitle, panels: vec![panel.clone(), panel] }
    }

    #[test]
    fn the_curve_begins_at_the_left_and_its_largest_value_is_on_the_axis() {
        let drawn = svg(&graph(&[0.0, 5e6, 4e6])).expect("numbers");
        let tree = roxmltree::Document::parse(&drawn).expect("well-formed");
        let is_line = |node: &roxmltree::Node<'_, '_>| {
            node.attribute("class") == Some("line")
                && node.attribute("d").is_some_and(|d| d.contains('L'))
        };
        let lines: Vec<_> = tree.descendants().filter(is_line).collect();
        assert_eq!(lines.len(), 2);
        let axis = Axis::from_zero(5e6, Unit::Bytes);
        assert!(axis.high >= 5e6 && axis.low == 0.0);
        assert!(drawn.contains("./a &lt; b &amp; c"));
    }

    #[test]
    fn the_picture_is_a_png() {
        let picture = png(&graph(&[1.0, 2.0])).expect("numbers");
        assert!(picture.starts_with(b"\x89PNG"));
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        assert!(matches!(svg(&graph(&[])), Err(GraphError::NoPanels)));
        assert!(matches!(svg(&graph(&[f64::NAN])), Err(GraphError::Curve { .. })));
    }
}
