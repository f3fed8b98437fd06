//! Panels over columns.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brisk_draw::columns::{Change, Column, ColumnFigure, ColumnPanel, ColumnState, Event};
use brisk_draw::{Axis, Chart, Estimate, Figure, Key, Scene};
use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;
use roxmltree::Document;

use super::*;

const KEYS: [(Key, &str); 7] = [
    (Key::Better, "better here"),
    (Key::Worse, "worse here"),
    (Key::Stretch, "a change over many columns"),
    (Key::Band, "interval"),
    (Key::Repeated, "the same again"),
    (Key::Crossed, "crossed out"),
    (Key::Gap, "no value"),
];

fn chart(columns: Vec<Column>, panels: Vec<ColumnPanel>) -> Chart {
    Chart {
        title: format!("{} columns", columns.len()),
        subtitle: "made up".to_owned(),
        description: "columns in words".to_owned(),
        figures: vec![Figure::Columns(ColumnFigure {
            columns,
            panels,
            choices: Vec::new(),
            events: Vec::new(),
        })],
        keys: KEYS.to_vec(),
    }
}

/// The columns and panels of a chart, for changes.
fn figure(chart: &mut Chart) -> &mut ColumnFigure {
    match chart.figures.as_mut_slice() {
        [Figure::Columns(figure)] => figure,
        _ => panic!("one figure of columns"),
    }
}

fn column(name: String, note: String, state: ColumnState) -> Column {
    let tooltip = format!("{name} {note}");
    Column { name, note, by: String::new(), tooltip, remark: String::new(), state }
}

fn panel(name: &str, points: Vec<Option<Estimate>>, changes: Vec<Change>) -> ColumnPanel {
    let given: Vec<Estimate> = points.iter().flatten().copied().collect();
    let (name, ends) = (name.to_owned(), "1 → 2".to_owned());
    let axis = Axis::from_points(&given, &plain);
    ColumnPanel { name, ends, axis, scales: Vec::new(), points, changes }
}

fn change(first: usize, last: Option<usize>, ratio: f64, is_better: bool) -> Change {
    let text = format!("{:+.1} %", (ratio - 1.0) * 100.0);
    Change { first, last, ratio, is_better, tooltip: format!("{text} at {first}"), text }
}

/// Forty columns in which everything improves by orders of magnitude; one is crossed out, one has
/// no value, one equals its predecessor.
fn founding() -> Chart {
    let columns = (0..40).map(|index| {
        let note = format!("Note of column {index}");
        let state = match index {
            5 => ColumnState::Crossed,
            12 => ColumnState::Repeated,
            _ => ColumnState::Plain,
        };
        column(format!("{index:07x}"), note, state)
    });
    let panels = [
        ("Allocations", 60e9, 250e6, 0.0),
        ("Memory", 6.7e9, 2e6, 0.0),
        ("Time", 2640.0, 3.6, 0.012),
    ];
    // Eight equal steps from `first` to `last`.
    let panels = panels.map(|(name, first, last, noise): (&str, f64, f64, f64)| {
        let steps = [3, 9, 10, 16, 23, 30, 31, 39];
        let ratio = (last / first).powf(1.0 / 8.0);
        let point = |index: usize| {
            let taken = steps.iter().filter(|step| **step <= index).count();
            let value = first * ratio.powi(taken as i32);
            let estimate = Estimate::new(value, value * (1.0 - noise), value * (1.0 + noise));
            estimate.filter(|_| ![5, 20].contains(&index))
        };
        let changes = steps.iter().map(|at| change(*at, None, ratio, true)).collect();
        panel(name, (0..40).map(point).collect(), changes)
    });
    chart(columns.collect(), panels.into())
}

/// Many columns with noise, changes and columns of all states.
fn long(count: usize) -> Chart {
    let columns = (0..count).map(|index| {
        let note = format!("Note of column {index}, longer than there is room for below");
        let state = match index % 17 {
            3 => ColumnState::Crossed,
            9 => ColumnState::Repeated,
            _ => ColumnState::Plain,
        };
        column(format!("{index:07x}"), note, state)
    });
    let value =
        |index: usize| 1.0 + (index * 7919 % 101) as f64 / 5000.0 + (index / 90) as f64 * 0.2;
    let point = |index: usize| {
        let estimate = Estimate::new(value(index), value(index) * 0.99, value(index) * 1.02);
        estimate.filter(|_| ![3, 7].contains(&(index % 17)))
    };
    let step = |at: usize| change(at, None, value(at) / value(at - 1), false);
    let panel = |name: &str| {
        let steps = (90..count).step_by(90).map(step);
        let changes = steps.chain([change(1, Some(count / 2), 1.07, false)]);
        let changes = changes.filter(|_| count > 2).collect();
        panel(name, (0..count).map(point).collect(), changes)
    };
    chart(columns.collect(), vec![panel("Wall time"), panel("Cpu time")])
}

#[test]
fn every_value_is_in_the_line_and_gaps_are_gaps() {
    let text = scene(&long(1000)).svg();
    let document = Document::parse(&text).expect("well-formed");
    let lines = with_class(&document, "line");
    let in_panels: Vec<&str> = lines.iter().filter_map(|line| line.attribute("d")).collect();
    let known: Vec<bool> = (0..1000).map(|index| ![3, 7].contains(&(index % 17))).collect();
    let beginnings = (0..1000).filter(|i| known[*i] && (*i == 0 || !known[*i - 1])).count();
    for data in &in_panels[..2] {
        assert_eq!(data.matches('h').count(), known.iter().filter(|known| **known).count());
        assert_eq!(data.matches('M').count(), beginnings);
    }
}

#[test]
fn every_column_has_its_tooltip_below_those_of_changes() {
    let text = scene(&long(1000)).svg();
    let document = Document::parse(&text).expect("well-formed");
    let tooltips: Vec<&str> =
        with_class(&document, "column").into_iter().map(|column| title(column)).collect();
    assert_eq!(tooltips.len(), 1000);
    for (index, tooltip) in tooltips.iter().enumerate() {
        assert!(tooltip.starts_with(&format!("{index:07x} Note")), "{tooltip}");
    }
    let last = text.rfind("class=\"column\"").expect("there are columns");
    assert!(last < text.find("class=\"change\"").expect("there are changes"));
}

#[test]
fn every_change_is_marked_and_labelled() {
    let mut chart = founding();
    let text = scene(&chart).svg();
    let document = Document::parse(&text).expect("well-formed");
    let changes = with_class(&document, "change");
    assert_eq!(changes.len(), 24);
    let all = figure(&mut chart).panels.iter().flat_map(|panel| &panel.changes);
    for (node, change) in changes.iter().zip(all) {
        let label = node.children().find(|child| child.has_tag_name("text")).and_then(|t| t.text());
        assert_eq!(label, Some(change.text.as_str()));
        assert_eq!(title(*node), change.tooltip);
    }
    assert_eq!(with_class(&document, "cross").len(), 2, "one column, and the legend");
    for (_, words) in KEYS {
        let occurs = !["worse here", "a change over many columns"].contains(&words);
        assert_eq!(text.contains(&format!(">{words}</text>")), occurs, "{words}");
    }
}

#[test]
fn better_and_worse_differ_without_colour() {
    let mut chart = founding();
    figure(&mut chart).panels[0].changes[4] = change(23, None, 1.3, false);
    let scene = scene(&chart);
    let pointers = |class: &str| -> Vec<(f64, f64, f64)> {
        let flags = scene.with_class(class).into_iter().filter(|one| one.has_class("flag"));
        let corners = flags.filter_map(|flag| flag.outlines()).map(|path| path.corners());
        corners.map(|corners| (corners[0].1, corners[2].1, corners.len() as f64)).collect()
    };
    let (base, tip, _) = pointers("better")[3];
    assert!(tip > base, "points down");
    let (base, tip, _) = pointers("worse")[0];
    assert!(tip < base, "points up");
    let text = scene.svg();
    assert!(text.contains(".pole.worse { fill: none; stroke: #cf222e; stroke-dasharray"));
}

#[test]
fn any_text_is_shown_as_it_is() {
    let mut chart = founding();
    chart.title = "<script>alert(\"1\")</script> & größer 速い".to_owned();
    let own = figure(&mut chart);
    own.columns[0].note = "a < b && c > \"d\" 'e' \u{1}\u{7f} λ 🦀".to_owned();
    own.columns[0].tooltip = own.columns[0].note.clone();
    own.panels[0].name = "a\"b<c".to_owned();
    let scene = scene(&chart);
    let text = scene.svg();
    let document = Document::parse(&text).expect("well-formed");
    assert_eq!(title(document.root_element()), chart.title);
    let panels = with_class(&document, "panel");
    assert_eq!(panels[0].attribute("aria-label"), Some("a\"b<c"));
    assert!(document.descendants().all(|node| !node.has_tag_name("script")));
    assert!(text.contains("a &lt; b &amp;&amp; c &gt; &quot;d&quot; 'e' "));
    scene.png().expect("characters without a glyph are no obstacle");
}

#[test]
fn the_same_chart_is_drawn_the_same() {
    assert_eq!(scene(&long(200)).svg(), scene(&long(200)).svg());
    assert_eq!(scene(&founding()).png().expect("drawn"), scene(&founding()).png().expect("drawn"));
}

#[test]
fn the_chart_is_wider_for_more_columns_up_to_a_limit() {
    let width = |columns| scene(&long(columns)).width;
    assert!(width(3) < width(60) && width(60) < width(200), "{}", width(60));
    assert!((width(1000) - width(5000)).abs() < 100.0);
}

#[test]
fn the_picture_has_something_in_each_panel() {
    let scene = scene(&founding());
    let picture = picture(&scene);
    assert_eq!(picture.pixel(0, 0).map(|p| (p.red(), p.green(), p.blue())), Some((255, 255, 255)));
    for plot in plots(&scene) {
        assert!(share(&picture, plot, is_blue) > 0.005, "the line");
    }
    for label in brisk_draw::scene::labels(&scene.elements) {
        let (least, is_wanted): (f64, IsWanted) = match label.class {
            "name" => (0.05, is_dark),
            "better" => (0.05, is_green),
            _ => (0.03, |rgb| rgb.1 < 160),
        };
        assert!(share(&picture, label.bounds(), is_wanted) > least, "{}", label.text);
    }
}

/// A test of a pixel's red, green and blue.
type IsWanted = fn((u8, u8, u8)) -> bool;

fn is_blue((red, _, blue): (u8, u8, u8)) -> bool {
    blue > 140 && red < 60
}

fn is_green((red, green, _): (u8, u8, u8)) -> bool {
    green > 80 && green < 160 && red < 90
}

fn is_dark((red, green, blue): (u8, u8, u8)) -> bool {
    red.max(green).max(blue) < 110
}

/// The share of the pixels within `place` that have a colour.
fn share(picture: &Pixmap, place: Rect, is_wanted: IsWanted) -> f64 {
    let pixels = |units: f64| (units * f64::from(PIXELS_PER_UNIT)) as u32;
    let rows = pixels(place.top)..pixels(place.bottom);
    let all = rows.flat_map(|y| (pixels(place.left)..pixels(place.right)).map(move |x| (x, y)));
    let colours: Vec<(u8, u8, u8)> = all
        .filter_map(|(x, y)| picture.pixel(x, y))
        .map(|pixel| (pixel.red(), pixel.green(), pixel.blue()))
        .collect();
    colours.iter().filter(|rgb| is_wanted(**rgb)).count() as f64 / colours.len() as f64
}

/// Asserts that no two texts overlap, none covers a panel's values, and all are in the picture.
fn assert_orderly(scene: &Scene) {
    assert_nothing_overlaps(scene);
    let plots = plots(scene);
    for label in brisk_draw::scene::labels(&scene.elements) {
        for plot in &plots {
            let inside = Rect { top: plot.top + 0.1, ..*plot };
            assert!(!label.bounds().overlaps(&inside), "`{}` covers values", label.text);
        }
    }
}

#[test]
fn no_label_overlaps_another_whatever_the_length() {
    for commits in [1, 2, 3, 6, 7, 28, 29, 40, 86, 87, 146, 147, 400, 1000, 5000] {
        assert_orderly(&scene(&long(commits)));
    }
    assert_orderly(&scene(&founding()));
}

/// A text of any length, short or long.
fn words() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,12}", "[a-zA-Z <&]{30,200}"]
}

prop_compose! {
    fn any_panel(columns: usize)(
        name in words(),
        values in prop::collection::vec(prop::option::weighted(0.9, (1e-9..1e12_f64, 0.5..1.0_f64)), columns),
        changes in prop::collection::vec((0..columns, 0.01..20.0_f64, any::<bool>()), 0..40),
    ) -> ColumnPanel {
        let point = |(value, share): (f64, f64)| Estimate::new(value, value * share, value / share);
        let step = |&(at, ratio, better): &(usize, f64, bool)| change(at, None, ratio, better);
        let stretch = |&(at, ratio, better): &(usize, f64, bool)| change(at, Some(columns - 1), ratio, better);
        let stretches = changes.iter().take(2).map(stretch);
        let changes = changes.iter().map(step).chain(stretches).collect();
        panel(&name, values.into_iter().map(|value| value.and_then(point)).collect(), changes)
    }
}

prop_compose! {
    fn any_chart()(columns in 1..300_usize)(
        title in words(),
        subtitle in words(),
        notes in prop::collection::vec(words(), columns),
        panels in prop::collection::vec(any_panel(columns), 1..4),
    ) -> Chart {
        let column = |note| column("57f3e9d".to_owned(), note, ColumnState::Plain);
        Chart { title, subtitle, ..chart(notes.into_iter().map(column).collect(), panels) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_label_overlaps_another_whatever_is_shown(chart in any_chart()) {
        let scene = scene(&chart);
        assert_orderly(&scene);
        prop_assert!(Document::parse(&scene.svg()).is_ok());
    }
}

fn refused(change: impl FnOnce(&mut ColumnFigure)) -> String {
    let mut chart = founding();
    change(figure(&mut chart));
    chart.scene().expect_err("it contradicts itself").to_string()
}

#[test]
fn what_contradicts_itself_is_refused_with_its_place() {
    assert_eq!(refused(|f| f.columns.clear()), "a chart needs at least one column");
    assert_eq!(refused(|f| f.panels.clear()), "a chart needs at least one panel");
    assert_eq!(
        refused(|f| f.panels[1].points.truncate(39)),
        "`Memory` has 39 points for 40 columns"
    );
    assert_eq!(
        refused(|f| f.panels[0].changes[0].first = 40),
        "`Allocations` changes at column 40 of 40"
    );
    for ratio in [-1.0, f64::NAN] {
        assert!(refused(|f| f.panels[0].changes[0].ratio = ratio).contains("by the ratio"));
    }
    let backwards = change(7, Some(3), 1.1, false);
    assert!(refused(|f| f.panels[2].changes.push(backwards)).contains("column 7"));
}

#[test]
fn what_happened_beside_the_columns_is_a_line_in_every_panel() {
    let points = || vec![Estimate::exact(1.0), Estimate::exact(2.0), Estimate::exact(3.0)];
    let columns = (0..3).map(|at| column(at.to_string(), String::new(), ColumnState::Plain));
    let panels = vec![panel("a", points(), Vec::new()), panel("b", points(), Vec::new())];
    let mut chart = chart(columns.collect(), panels);
    figure(&mut chart).events = vec![Event { first: 2, tooltip: "another kernel".to_owned() }];
    chart.keys.push((Key::Event, "the machine changed"));
    let scene = chart.scene().expect("it fits");
    let svg = scene.svg();
    let document = Document::parse(&svg).expect("well-formed");
    let events: Vec<&str> = with_class(&document, "change").into_iter().map(title).collect();
    assert_eq!(events, ["another kernel", "another kernel"]);
    // Two panels and the legend.
    assert_eq!(with_class(&document, "event").len(), 3);
    figure(&mut chart).events[0].first = 3;
    assert!(chart.scene().is_err(), "there is no such column");
}

#[test]
fn scripts_read_the_values_as_they_are_with_their_intervals() {
    let points = vec![Estimate::new(2.0, 1.5, 2.5), None, Estimate::exact(0.25)];
    let mut columns: Vec<Column> =
        ["x", "y", "z"].map(|name| column(name.into(), "n".into(), ColumnState::Plain)).into();
    columns[1].remark = "did not build".to_owned();
    columns[2].state = ColumnState::Repeated;
    columns[2].note = "turned \u{202e} around".to_owned();
    let chart = chart(columns, vec![panel("a", points, Vec::new())]);
    let data = chart.scene().expect("it fits").data.expect("columns have figures");
    assert_eq!(data["names"], serde_json::json!(["x", "y", "z"]));
    assert_eq!(data["notes"][2], "turned \u{fffd} around");
    assert_eq!(data["remarks"], serde_json::json!({"1": "did not build"}));
    assert_eq!(data["repeated"], serde_json::json!([2]));
    // By hand: 2.0 is 0x40000000, NaN 0x7fc00000, 0.25 0x3e800000, 1.5 0x3fc00000, 2.5 0x40200000.
    let bytes = [
        [0, 0, 0, 0x40],
        [0, 0, 0xc0, 0x7f],
        [0, 0, 0x80, 0x3e],
        [0, 0, 0xc0, 0x3f],
        [0, 0, 0xc0, 0x7f],
        [0, 0, 0x80, 0x3e],
        [0, 0, 0x20, 0x40],
        [0, 0, 0xc0, 0x7f],
        [0, 0, 0x80, 0x3e],
    ];
    let packed = data["panels"][0]["estimates"].as_str().expect("text");
    assert_eq!(STANDARD.decode(packed).expect("Base64"), bytes.concat());
}
