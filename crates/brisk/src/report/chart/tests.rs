//! The pictures as others read them: the layout's places, the SVG through an XML parser, the PNG
//! through a decoder.

use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;
use roxmltree::{Document, Node};

use super::layout::{Figure, Layout, MapLayout, PanelLayout, Shape, layout};
use super::*;
use crate::report::graph::label::Rect;

fn panels(places: &Layout) -> Vec<&PanelLayout> {
    let figures = places.figures.iter();
    figures
        .filter_map(|figure| match figure {
            Figure::Panel(panel) => Some(panel),
            Figure::Map(_) => None,
        })
        .collect()
}

fn maps(places: &Layout) -> Vec<&MapLayout> {
    let figures = places.figures.iter();
    figures
        .filter_map(|figure| match figure {
            Figure::Map(map) => Some(map),
            Figure::Panel(_) => None,
        })
        .collect()
}

/// The texts of all tooltips of points.
fn tooltips(text: &str) -> Vec<String> {
    let document = Document::parse(text).expect("well-formed");
    let is_point = |node: &Node<'_, '_>| node.attribute("class") == Some("point");
    let title = |node: Node<'_, '_>| {
        let title = node.children().find(|child| child.has_tag_name("title"));
        title.and_then(|title| title.text().map(str::to_owned)).unwrap_or_default()
    };
    document.descendants().filter(is_point).map(title).collect()
}

/// No two texts share space, all are in the picture, and every mark with a value is in its plot.
fn assert_orderly(places: &Layout) {
    let boxes: Vec<(&str, Rect)> =
        places.labels().iter().map(|label| (label.text.as_str(), label.bounds())).collect();
    let picture = Rect { left: 0.0, top: 0.0, right: places.width, bottom: places.height };
    for (index, (text, place)) in boxes.iter().enumerate() {
        assert!(picture.holds(place), "`{text}` leaves the picture: {place:?} in {picture:?}");
        for (other, other_place) in &boxes[index + 1..] {
            assert!(!place.overlaps(other_place), "`{text}` {place:?}, `{other}` {other_place:?}");
        }
    }
    for panel in panels(places) {
        let Rect { left, top, right, bottom } = panel.plot;
        // Sums of lengths differ from the edges by rounding.
        let plot = Rect { left, top: top - 1e-9, right: right + 1e-9, bottom: bottom + 1e-9 };
        for spot in &panel.spots {
            assert!((plot.left..=plot.right).contains(&spot.x), "{spot:?} in {plot:?}");
            let has_value = !matches!(spot.shape, Shape::Cross | Shape::Dash);
            assert_eq!((plot.top..=plot.bottom).contains(&spot.y), has_value, "{spot:?}");
            for [from_x, from_y, to_x, to_y] in &spot.bars {
                assert!((plot.left..=plot.right).contains(from_x) && *to_x <= plot.right);
                assert!((plot.top..=plot.bottom).contains(from_y) && *to_y <= plot.bottom);
            }
        }
        for name in &panel.names {
            assert!(plot.holds(&name.label.bounds()), "{name:?}");
        }
    }
    for (index, map) in maps(places).iter().enumerate() {
        for cell in &map.cells {
            let ground =
                Rect { right: map.plot.right + 1e-6, bottom: map.plot.bottom + 1e-6, ..map.plot };
            assert!(ground.holds(&cell.place), "{cell:?} in map {index}");
            assert!(cell.value.iter().all(|value| cell.place.holds(&value.bounds())), "{cell:?}");
        }
    }
}

#[test]
fn a_curve_stands_above_the_memory_on_the_same_axis() {
    let chart = samples::curve();
    let places = layout(&chart);
    let [time, memory, pareto] = panels(&places)[..] else { panic!("{places:?}") };
    assert_eq!((time.plot.left, time.plot.right), (memory.plot.left, memory.plot.right));
    assert_eq!(time.plot.left, pareto.plot.left);
    assert!(time.bottom < memory.plot.top && memory.bottom < pareto.plot.top);
    // Equal factors, so equal distances: seven values, 24 units from either edge.
    let step = (680.0 - 48.0) / 6.0;
    for (index, (above, below)) in time.spots.iter().zip(&memory.spots).enumerate() {
        let x = time.plot.left + 24.0 + index as f64 * step;
        assert!((above.x - x).abs() < 1e-9 && above.x == below.x, "{above:?} {x}");
    }
    // From 0 to 3.1 s and its interval: the axis ends at 4 s.
    let y = |seconds: f64| time.plot.bottom - seconds / 4.0 * 220.0;
    for (spot, seconds) in time.spots.iter().zip([3.1, 2.4, 1.6, 1.1, 0.93, 0.97]) {
        assert!((spot.y - y(seconds)).abs() < 1e-9, "{spot:?}");
        let [_, high, _, low] = spot.bars[0];
        assert!((high - y(seconds * 1.02)).abs() < 1e-9 && (low - y(seconds * 0.98)).abs() < 1e-9);
    }
    assert_orderly(&places);
}

#[test]
fn every_point_has_the_mark_of_what_became_of_it() {
    let chart = samples::curve();
    let places = layout(&chart);
    let shapes: Vec<Shape> = panels(&places)[0].spots.iter().map(|spot| spot.shape).collect();
    let expected = [
        Shape::Circle,
        Shape::Front,
        Shape::Front,
        Shape::Diamond,
        Shape::Star,
        Shape::Behind,
        Shape::Cross,
    ];
    assert_eq!(shapes, expected);
    // The default is at none of the values: a line across, with its name at the end.
    let reference = &panels(&places)[0].lines[0];
    let line = &reference.places;
    let plot = panels(&places)[0].plot;
    assert_eq!((reference.class, line[0].0, line[1].0), ("reference", plot.left, plot.right));
    assert!((line[0].1 - (plot.bottom - 1.9 / 4.0 * 220.0)).abs() < 1e-9);
    let names: Vec<&str> =
        panels(&places)[2].names.iter().map(|name| name.label.text.as_str()).collect();
    assert_eq!(names, ["best: s=8M", "knee, thrifty: s=2M", "default"]);
    // What failed was not read, and is nowhere among the values.
    assert_eq!(panels(&places)[2].spots.len(), 7);
    assert!(panels(&places)[2].header[1].text.contains("1 point failed"));
}

#[test]
fn the_default_has_a_frame_where_it_is_a_value_of_the_parameter() {
    let mut chart = samples::curve();
    chart.points.remove(0);
    chart.points[1].roles = vec![Role::Default];
    let places = layout(&chart);
    let framed = |panel: &PanelLayout| {
        panel.spots.iter().filter(|spot| spot.is_default).map(|spot| spot.point).collect::<Vec<_>>()
    };
    for panel in panels(&places) {
        assert_eq!(framed(panel), [1]);
        assert!(panel.lines.iter().all(|line| line.class != "reference"));
    }
    assert_orderly(&places);
}

#[test]
fn a_map_has_the_longer_parameter_across_and_the_ratio_as_colour() {
    let chart = samples::map();
    let places = layout(&chart);
    let [time, memory] = maps(&places)[..] else { panic!("{places:?}") };
    assert!(time.bottom < memory.plot.top);
    assert_eq!(time.cells.len(), 24);
    let cell = |row: usize, column: usize| {
        let at = [row, column];
        let is_it =
            |cell: &&layout::Cell| chart.points[cell.point].at.as_deref() == Some(at.as_slice());
        time.cells.iter().find(is_it).expect("each point has a cell")
    };
    // Six values of the second parameter across, 84 units each; the first from below, 30 each.
    let place = cell(1, 2).place;
    let (left, bottom) = (time.plot.left + 2.0 * 84.0, time.plot.bottom - 30.0);
    assert!((place.left - left).abs() < 1e-9 && (place.bottom - bottom).abs() < 1e-9);
    assert!((time.plot.width() - 504.0).abs() < 1e-9 && (time.plot.height() - 120.0).abs() < 1e-9);
    // The largest value that was read is that of the smallest sizes, the smallest of the largest.
    assert_eq!(cell(0, 0).colour, Some(super::colour::Colour::of(1.0)));
    assert_eq!(cell(3, 5).colour, Some(super::colour::Colour::of(0.0)));
    let marks = time.cells.iter().filter_map(|cell| Some((cell.point, cell.mark?.0)));
    let expected = [
        (5, Shape::Cross),
        (11, Shape::Dash),
        (20, Shape::Triangle),
        (21, Shape::Diamond),
        (22, Shape::Front),
        (23, Shape::Star),
    ];
    assert_eq!(marks.collect::<Vec<_>>(), expected);
    let with_value = time.cells.iter().filter(|cell| cell.value.is_some()).count();
    assert_eq!(with_value, 22, "all but what failed and what was not read");
    assert_orderly(&places);
}

#[test]
fn hatching_is_over_cells_that_left_only() {
    let text = svg(&samples::map());
    let document = Document::parse(&text).expect("well-formed");
    let count = |class: &str| {
        document.descendants().filter(|node| node.attribute("class") == Some(class)).count()
    };
    assert_eq!(count("hatched"), 3, "one in each map, and the legend");
    assert_eq!(count("cross"), 3);
    assert_eq!(count("frame"), 4, "one in each map, in the plot and in the legend");
}

#[test]
fn of_three_parameters_and_of_memory_alone_there_are_other_pictures() {
    let mut chart = samples::map();
    chart.parameters.push(samples::parameter("i", &["1"]));
    for point in &mut chart.points {
        point.at.iter_mut().for_each(|at| at.push(0));
    }
    let places = layout(&chart);
    assert_eq!((maps(&places).len(), panels(&places).len()), (0, 1));
    assert_orderly(&places);
    let mut chart = samples::curve();
    chart.objectives.remove(0);
    for point in &mut chart.points {
        point.estimates.remove(0);
    }
    let places = layout(&chart);
    assert_eq!(panels(&places).len(), 1, "no plot of memory against itself");
    assert_orderly(&places);
}

#[test]
fn every_point_has_a_tooltip_in_every_picture_that_shows_it() {
    let chart = samples::curve();
    let all = tooltips(&svg(&chart));
    // Seven and the default in each curve, and the seven that were read in the plot.
    assert_eq!(all.len(), 23);
    assert!(all.iter().all(|tooltip| tooltip.contains("20 rounds")), "{all:?}");
    let knee = all.iter().find(|tooltip| tooltip.contains("(knee, thrifty)")).expect("it is there");
    assert_eq!(
        knee,
        "s=2M (knee, thrifty)\nwall time: 1.100 s [1.078 s, 1.122 s]\npeak memory: 10.73 MB\n20 rounds"
    );
    let failed = all.iter().find(|tooltip| tooltip.starts_with("s=128M")).expect("it is there");
    assert_eq!(failed, "s=128M\nwas ended by signal 9 (SIGKILL)\n20 rounds");
    assert_eq!(tooltips(&svg(&samples::map())).len(), 24 + 24 + 22);
}

#[test]
fn any_text_is_shown_as_it_is() {
    let mut chart = samples::curve();
    chart.title = "<script>alert(\"1\")</script> & größer 速い".to_owned();
    chart.points[4].name = "s=<b>&\"2M\"".to_owned();
    chart.parameters[0].name = "a<b".to_owned();
    chart.parameters[0].values[2] = "</text>".to_owned();
    let text = svg(&chart);
    let document = Document::parse(&text).expect("well-formed");
    assert!(document.descendants().all(|n| !n.has_tag_name("script") && !n.has_tag_name("b")));
    assert!(tooltips(&text).iter().any(|tooltip| tooltip.starts_with("s=<b>&\"2M\" (knee")));
    png(&chart).expect("characters without a glyph are no obstacle");
}

#[test]
fn odd_sweeps_are_drawn_too() {
    let mut single = samples::curve();
    single.points.truncate(1);
    let mut equal = samples::curve();
    equal.points = (0..7)
        .map(|index| samples::point(&format!("s={index}"), Some(&[index]), 1.0, 2e6))
        .collect();
    let mut failed = samples::map();
    for point in &mut failed.points {
        point.standing = Standing::Failed;
        point.roles.clear();
    }
    let mut unread = samples::curve();
    unread.points.iter_mut().for_each(|point| point.estimates = vec![None, None]);
    let mut empty = samples::curve();
    empty.points.clear();
    let mut bound = samples::curve();
    bound.points.iter_mut().for_each(|point| point.estimates[1] = Estimate::at_most(1.9e6));
    for chart in [single, equal, failed, unread, empty, bound] {
        let places = layout(&chart);
        assert_orderly(&places);
        assert!(Document::parse(&svg(&chart)).is_ok());
        png(&chart).expect("drawn");
    }
}

/// Five hundred points over one parameter, or twenty by twenty-five.
fn many(parameters: usize) -> Chart {
    let points = (0..500).map(|index: usize| {
        let at = if parameters == 1 { vec![index] } else { vec![index / 25, index % 25] };
        let noise = 1.0 + (index * 7919 % 101) as f64 / 500.0;
        let (time, memory) = (noise * (3.0 - index as f64 / 200.0), 1e6 * (index + 10) as f64);
        let mut point = samples::point(&format!("n={index}"), Some(&at), time, memory);
        point.roles = match index {
            0 => vec![Role::Default],
            250 => vec![Role::Knee],
            480 => vec![Role::Best],
            _ => Vec::new(),
        };
        point
    });
    let values = |count: usize| (1..=count).map(|value| value.to_string()).collect();
    let parameter = |name: &str, count| Parameter { name: name.to_owned(), values: values(count) };
    let parameters = match parameters {
        1 => vec![parameter("n", 500)],
        _ => vec![parameter("m", 20), parameter("n", 25)],
    };
    Chart { points: points.collect(), parameters, ..samples::curve() }
}

#[test]
fn five_hundred_points_are_drawn_in_order() {
    for parameters in [1, 2] {
        let chart = many(parameters);
        let places = layout(&chart);
        assert_orderly(&places);
        let xs: Vec<f64> = places.figures[0].spots().iter().map(|spot| spot.x).collect();
        assert!(xs.is_sorted());
        let [.., Figure::Panel(pareto)] = places.figures.as_slice() else { panic!("a plot") };
        assert_eq!(pareto.names.len(), 3);
    }
}

#[test]
fn the_picture_has_the_layouts_size_and_its_cells_their_colours() {
    let chart = samples::map();
    let places = layout(&chart);
    let picture = Pixmap::decode_png(&png(&chart).expect("drawn")).expect("a PNG file");
    let scale = f64::from(super::raster::PIXELS_PER_UNIT);
    let pixels = |units: f64| (units * scale).round() as u32;
    assert_eq!((picture.width(), picture.height()), (pixels(places.width), pixels(places.height)));
    for cell in &maps(&places)[0].cells {
        let is_plain = chart.points[cell.point].standing != Standing::Left;
        let Some(colour) = cell.colour.filter(|_| is_plain) else { continue };
        let at = (cell.place.right - 5.0, cell.place.bottom - 4.5);
        let pixel = picture.pixel(pixels(at.0), pixels(at.1)).expect("inside");
        let found = format!("#{:02x}{:02x}{:02x}", pixel.red(), pixel.green(), pixel.blue());
        assert_eq!(found, colour.hexadecimal(), "point {}", cell.point);
    }
}

prop_compose! {
    fn any_point(counts: Vec<usize>)(
        name in "\\PC{1,40}",
        at in prop::option::weighted(0.9, counts.into_iter().map(|count| 0..count).collect::<Vec<_>>()),
        time in prop::option::weighted(0.9, (0.0..1e4_f64, 0.5..1.0_f64)),
        memory in prop::option::weighted(0.9, (1e3..1e12_f64, 0.5..1.0_f64)),
        standing in prop::sample::select(vec![Standing::Front, Standing::Behind, Standing::Left, Standing::Failed]),
        is_bound in any::<bool>(),
    ) -> Point {
        let estimate = |given: Option<(f64, f64)>| {
            given.and_then(|(value, share)| Estimate::new(value, value * share, value / share))
        };
        let bound = memory.filter(|_| is_bound).and_then(|(value, _)| Estimate::at_most(value));
        let estimates = vec![estimate(time), bound.or(estimate(memory))];
        Point { name, at, estimates, standing, roles: Vec::new(), remarks: Vec::new() }
    }
}

fn any_chart() -> impl Strategy<Value = Chart> {
    prop::collection::vec(1..9_usize, 1..4).prop_flat_map(|counts| {
        let values = counts.iter().map(|count| prop::collection::vec("\\PC{1,12}", *count));
        let points = prop::collection::vec(any_point(counts.clone()), 1..40);
        (values.collect::<Vec<_>>(), points, "\\PC{0,90}").prop_map(
            |(values, mut points, title)| {
                // Points differ, and only the first may be at no value.
                let mut taken = std::collections::HashSet::new();
                let mut number = 0;
                points.retain(|point| {
                    number += 1;
                    taken.insert(point.at.clone()) && (number == 1 || point.at.is_some())
                });
                for (role, point) in Role::ALL.into_iter().zip(&mut points) {
                    point.roles = vec![role];
                }
                let parameters = values
                    .into_iter()
                    .enumerate()
                    .map(|(index, values)| Parameter { name: format!("p{index}"), values })
                    .collect();
                Chart { title, parameters, points, ..samples::curve() }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_shown_is_orderly(chart in any_chart()) {
        assert_orderly(&layout(&chart));
        let text = svg(&chart);
        prop_assert!(Document::parse(&text).is_ok());
    }
}
