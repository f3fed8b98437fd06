//! Points in panels, and maps.

use brisk_draw::axis::Spacing;
use brisk_draw::map::{Cell, MapFigure};
use brisk_draw::points::{Across, Curve, PointFigure, PointPanel, Reference, Spot, Values};
use brisk_draw::{
    Axis, Chart, Colour, DrawError, Element, Estimate, Figure, Key, Path, Rect, Scene, Shape,
};
use proptest::prelude::*;
use roxmltree::Document;

use super::*;

const SHAPES: [Shape; 6] =
    [Shape::Star, Shape::Diamond, Shape::Triangle, Shape::Disc, Shape::Dot, Shape::Circle];

fn chart(figures: Vec<Figure>) -> Chart {
    let shapes = SHAPES.map(|shape| (Key::Shape(shape), "a shape"));
    let others = [(Key::Hatched, "hatched"), (Key::Bar, "interval"), (Key::Bound, "at most this")];
    Chart {
        title: "points of something".to_owned(),
        subtitle: String::new(),
        description: String::new(),
        figures,
        keys: shapes.into_iter().chain(others).collect(),
    }
}

fn values(name: &str, labels: &[&str]) -> Values {
    let numbers: Vec<Option<f64>> = labels.iter().map(|label| label.parse().ok()).collect();
    Values {
        name: name.to_owned(),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        weights: vec![0; labels.len()],
        spacing: Spacing::from_values(&numbers),
    }
}

fn spot(x: Option<Estimate>, y: Option<Estimate>, shape: Shape) -> Spot {
    let tooltip = format!("{shape:?}");
    Spot { x: x.expect("a number"), y, shape, is_framed: false, tooltip }
}

fn noisy(value: f64) -> Option<Estimate> {
    Estimate::new(value, value * 0.98, value * 1.02)
}

fn panel(name: &str, height: f64, spots: Vec<Spot>) -> PointPanel {
    let shown: Vec<Estimate> = spots.iter().filter_map(|spot| spot.y).collect();
    let vertical = Axis::from_points(&shown, &plain);
    PointPanel { name: name.to_owned(), spots, ..PointPanel::new(height, vertical) }
}

const SIZES: [&str; 7] = ["32", "128", "512", "2048", "8192", "32768", "131072"];
const TIMES: [f64; 6] = [3.1, 2.4, 1.6, 1.1, 0.93, 0.97];

/// Two panels over seven values; the last has no reading in one of both.
fn curve() -> Chart {
    let memory = |index: usize| Estimate::exact(8e6 + 1.3 * f64::from(1 << (15 + 2 * index)));
    let over = |of: &dyn Fn(usize) -> Option<Estimate>| -> Vec<Spot> {
        let at = |index: usize| Estimate::exact(index as f64);
        let shape = |index: usize| SHAPES.get(index).copied().unwrap_or(Shape::Cross);
        (0..7).map(|index| spot(at(index), of(index), shape(index))).collect()
    };
    let time = |index: usize| TIMES.get(index).and_then(|time| noisy(*time));
    let references = vec![Reference {
        value: 1.9,
        name: "default".to_owned(),
        tooltip: "the default".to_owned(),
    }];
    let times = PointPanel { references, ..panel("time", 220.0, over(&time)) };
    let memories = panel("memory", 150.0, over(&|index| memory(index).filter(|_| index < 6)));
    let both = (0..6).map(|index| spot(memory(index), time(index), SHAPES[index])).collect();
    let names = vec![(4, "best: 8192".to_owned()), (3, "knee: 2048".to_owned())];
    let both = PointPanel { names, front: vec![1, 2, 3, 4], ..panel("both", 320.0, both) };
    let amounts: Vec<Estimate> = (0..6).filter_map(memory).collect();
    let across = Across::Axis(Axis::from_points(&amounts, &plain), "memory".to_owned());
    let over = Across::Values(values("s", &SIZES));
    chart(vec![
        Figure::Points(PointFigure { across: over, panels: vec![times, memories] }),
        Figure::Points(PointFigure { across, panels: vec![both] }),
    ])
}

/// Six values across and four up; one cell is hatched, one failed, one has a frame.
fn map() -> Chart {
    let cells = (0..24).map(|index| {
        let at = (index % 6, index / 6);
        let ratio = 3.0 / (1.0 + at.0 as f64) + 0.8 / (1.0 + at.1 as f64);
        Cell {
            at,
            ratio: Some(ratio).filter(|_| index != 5),
            words: format!("{ratio:.2} s"),
            mark: match index {
                5 => Some(Shape::Cross),
                23 => Some(Shape::Star),
                _ => None,
            },
            is_framed: index == 7,
            is_hatched: index == 1,
            tooltip: index.to_string(),
        }
    });
    chart(vec![Figure::Map(MapFigure {
        name: "time".to_owned(),
        note: "colour: ratio".to_owned(),
        across: values("s", &SIZES[..6]),
        up: values("o", &["40", "80", "120", "200"]),
        cells: cells.collect(),
    })])
}

fn assert_orderly(scene: &Scene) {
    assert_nothing_overlaps(scene);
    for (panel, plot) in groups(scene, "panel").into_iter().zip(plots(scene)) {
        // Sums of lengths differ from the edges by rounding.
        let plot = plot.inset(-1e-6);
        for bar in panel.iter().flat_map(Element::all).filter(|element| element.has_class("bar")) {
            let bounds = bar.outlines().and_then(Path::bounds).expect("it is drawn");
            assert!(plot.holds(&bounds), "{bounds:?} in {plot:?}");
        }
    }
    for cell in scene.with_class("map").into_iter().flat_map(Element::all) {
        let Element::Group(group) = cell else { continue };
        let [Element::Path { path, .. }, rest @ ..] = group.elements.as_slice() else { continue };
        let place = path.bounds().expect("a cell has a place").inset(-1e-6);
        for label in
            brisk_draw::scene::labels(rest).iter().filter(|label| label.class.starts_with("on-"))
        {
            assert!(group.class == "map" || place.holds(&label.bounds()), "{label:?} in {place:?}");
        }
    }
}

#[test]
fn panels_over_the_same_values_have_the_same_axis() {
    let scene = scene(&curve());
    let [time, memory, both] = plots(&scene)[..] else { panic!("three panels") };
    assert_eq!((time.left, time.right), (memory.left, memory.right));
    assert_eq!(time.left, both.left);
    assert!(time.bottom < memory.top && memory.bottom < both.top);
    // Equal factors, so equal distances: seven values, 24 units from either edge. From 0 to 3.1
    // with its interval: the axis ends at 4.
    let step = (680.0 - 48.0) / 6.0;
    let panel = groups(&scene, "panel")[0];
    let spots: Vec<&Element> = panel.iter().filter(|element| element.has_class("point")).collect();
    assert_eq!(spots.len(), 8, "seven, and the line of the reference");
    let y = |value: f64| time.bottom - value / 4.0 * 220.0;
    for (index, value) in TIMES.into_iter().enumerate() {
        let x = time.left + 24.0 + index as f64 * step;
        let bar = Rect { left: x, right: x, top: y(value * 1.02), bottom: y(value * 0.98) };
        let is_it = |element: &&Element| {
            let bounds = element.outlines().and_then(Path::bounds);
            element.has_class("bar") && bounds.is_some_and(|found| close(found, bar))
        };
        assert_eq!(panel.iter().flat_map(Element::all).filter(is_it).count(), 1, "{value}");
    }
    assert_orderly(&scene);
}

fn close(a: Rect, b: Rect) -> bool {
    let difference = [a.left - b.left, a.top - b.top, a.right - b.right, a.bottom - b.bottom];
    difference.iter().all(|difference| difference.abs() < 1e-6)
}

#[test]
fn what_has_no_value_is_marked_below_its_plot_and_a_reference_is_a_line_across() {
    let scene = scene(&curve());
    let plots = plots(&scene);
    let crosses = scene.with_class("cross");
    assert_eq!(crosses.len(), 2);
    for (cross, plot) in crosses.into_iter().zip(&plots) {
        assert!(
            cross.outlines().and_then(Path::bounds).is_some_and(|cross| cross.top > plot.bottom)
        );
    }
    let reference = scene.with_class("reference")[0].outlines().and_then(Path::bounds);
    let reference = reference.expect("it is drawn");
    assert_eq!((reference.left, reference.right), (plots[0].left, plots[0].right));
    assert!((reference.top - (plots[0].bottom - 1.9 / 4.0 * 220.0)).abs() < 1e-9);
    let names: Vec<&str> = brisk_draw::scene::labels(&scene.elements)
        .into_iter()
        .filter(|label| label.class == "named")
        .map(|label| label.text.as_str())
        .collect();
    assert_eq!(names, ["default", "best: 8192", "knee: 2048"]);
}

#[test]
fn cells_are_in_their_places_and_coloured_by_their_ratio() {
    let scene = scene(&map());
    let cells = groups(&scene, "point");
    assert_eq!(cells.len(), 24);
    let place = |index: usize| {
        cells[index][0].outlines().and_then(Path::bounds).expect("a cell has a place")
    };
    // 84 units wide and 30 high; the second row of values is counted from the bottom.
    let (first, other) = (place(0), place(8));
    let expected = Rect {
        left: first.left + 2.0 * 84.0,
        top: first.top - 30.0,
        right: first.left + 3.0 * 84.0,
        bottom: first.top,
    };
    assert!(close(other, expected), "{other:?} {expected:?}");
    let colour = |index: usize| match &cells[index][0] {
        Element::Path { fill, .. } => *fill,
        _ => None,
    };
    assert_eq!((colour(0), colour(23)), (Some(Colour::viridis(1.0)), Some(Colour::viridis(0.0))));
    assert_eq!(colour(5), None);
    let values = brisk_draw::scene::labels(&scene.elements);
    let values = values.iter().filter(|label| label.class.starts_with("on-")).count();
    assert_eq!(values, 23, "all but what has none");
    assert_eq!((scene.with_class("hatched").len(), scene.with_class("frame").len()), (2, 1));
    assert_orderly(&scene);
    let picture = picture(&scene);
    for (index, cell) in cells.iter().enumerate().filter(|(index, _)| ![1, 5].contains(index)) {
        let place = cell[0].outlines().and_then(Path::bounds).expect("a cell has a place");
        let at = [place.right - 5.0, place.bottom - 4.5].map(|units| (units * 2.0).round() as u32);
        let pixel = picture.pixel(at[0], at[1]).expect("inside");
        let found = format!("#{:02x}{:02x}{:02x}", pixel.red(), pixel.green(), pixel.blue());
        assert_eq!(Some(found), colour(index).map(Colour::hexadecimal), "cell {index}");
    }
}

#[test]
fn any_text_is_shown_as_it_is() {
    let mut chart = curve();
    let [Figure::Points(over), ..] = chart.figures.as_mut_slice() else { panic!("points") };
    over.panels[0].spots[4].tooltip = "s=<b>&\"2M\"\nline".to_owned();
    let Across::Values(values) = &mut over.across else { panic!("values") };
    values.name = "a<b".to_owned();
    values.labels[2] = "</text>".to_owned();
    let scene = scene(&chart);
    let text = scene.svg();
    let document = Document::parse(&text).expect("well-formed");
    assert!(document.descendants().all(|n| !n.has_tag_name("script") && !n.has_tag_name("b")));
    let points = with_class(&document, "point");
    assert!(points.into_iter().any(|point| title(point) == "s=<b>&\"2M\"\nline"));
}

#[test]
fn curves_share_their_axes_and_have_a_legend_of_those_that_occur() {
    let curve =
        |is_second: bool, places: &[(f64, f64)]| Curve { is_second, places: places.to_vec() };
    let figure = |curves: Vec<Curve>| {
        let vertical = Axis::from_zero(5e6, &plain);
        let sentences = vec!["it grows, which takes so many words ".repeat(8)];
        let panel =
            PointPanel { curves, vertical, sentences, ..panel("a < b & c", 170.0, Vec::new()) };
        let across = Across::Axis(Axis::from_zero(2.0, &plain), "time".to_owned());
        let figure = Figure::Points(PointFigure { across, panels: vec![panel.clone(), panel] });
        let keys = vec![(Key::Line, "resident"), (Key::Second, "live")];
        Chart { keys, ..chart(vec![figure]) }
    };
    let scene = scene(&figure(vec![curve(false, &[(0.0, 0.0), (1.0, 5e6), (2.0, 4e6)])]));
    let plots = plots(&scene);
    let lines = scene.with_class("line");
    assert_eq!(lines.len(), 3, "two panels and the legend");
    for (line, plot) in lines.iter().zip(&plots) {
        let corners = line.outlines().map(Path::corners).unwrap_or_default();
        assert_eq!(corners[..2], [(plot.left, plot.bottom), (plot.left + 340.0, plot.top)]);
    }
    let text = scene.svg();
    assert!(text.contains(">resident</text>") && !text.contains(">live</text>"));
    assert!(text.contains("a &lt; b &amp; c"));
    assert_orderly(&scene);
    let wrong = figure(vec![curve(true, &[(0.0, f64::NAN)])]).scene();
    assert!(matches!(wrong, Err(DrawError::Curve { .. })), "{wrong:?}");
}

prop_compose! {
    fn any_spot(values: usize)(
        value in 0..values,
        y in prop::option::weighted(0.9, (0.0..1e4_f64, 0.5..1.0_f64)),
        shape in prop::sample::select(SHAPES.to_vec()),
        is_framed in any::<bool>(),
    ) -> Spot {
        let y = y.and_then(|(value, share)| Estimate::new(value, value * share, value / share));
        let shape = if y.is_some() { shape } else { Shape::Dash };
        Spot { is_framed, ..spot(Estimate::exact(value as f64), y, shape) }
    }
}

fn any_points() -> impl Strategy<Value = Chart> {
    let labels = prop_oneof![
        prop::collection::vec("\\PC{1,12}", 1..9),
        (1..500_usize).prop_map(|count| (1..=count).map(|value| value.to_string()).collect()),
    ];
    labels.prop_flat_map(|labels| {
        let spots = prop::collection::vec(any_spot(labels.len()), 1..60);
        (Just(labels), spots, "\\PC{0,90}", "\\PC{1,40}").prop_map(
            |(labels, spots, title, name)| {
                let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                let names = (0..spots.len().min(4)).map(|index| (index, name.clone())).collect();
                let panels = vec![PointPanel { names, ..panel(&name, 220.0, spots) }];
                let across = Across::Values(values("p", &labels));
                Chart { title, ..chart(vec![Figure::Points(PointFigure { across, panels })]) }
            },
        )
    })
}

fn any_map() -> impl Strategy<Value = Chart> {
    (1..40_usize, 1..40_usize, 0.001..1.0_f64, "\\PC{0,12}").prop_map(
        |(across, up, base, label)| {
            let all: Vec<String> = (0..40).map(|index| format!("{label}{index}")).collect();
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let cells = (0..across * up).map(|index| Cell {
                at: (index % across, index / across),
                ratio: (index % 7 != 3).then(|| base + (index * 7919 % 101) as f64 / 10.0),
                words: format!("{index}.00 s"),
                mark: SHAPES.get(index % 9).copied(),
                is_framed: index == 0,
                is_hatched: index % 11 == 4,
                tooltip: String::new(),
            });
            let (across, up) = (values("a", &all[..across]), values("b", &all[..up]));
            let (name, note) = (label, "colour".to_owned());
            chart(vec![Figure::Map(MapFigure { name, note, cells: cells.collect(), across, up })])
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_shown_is_orderly(chart in prop_oneof![any_points(), any_map()]) {
        let scene = scene(&chart);
        assert_orderly(&scene);
        prop_assert!(Document::parse(&scene.svg()).is_ok());
    }
}
