//! The graph as others read it: the SVG through an XML parser, the PNG through a decoder.

use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;
use roxmltree::{Document, Node};

use super::layout::{Layout, Rect, layout};
use super::*;

fn svg_of(graph: &Graph) -> String {
    svg(graph).expect("the graph agrees with itself")
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

/// A long history with noise, steps, drift and commits of all states.
fn long(commits: usize) -> Graph {
    let state = |index| match index % 17 {
        3 => State::DidNotBuild,
        7 => State::NotMeasured,
        9 => State::SameAs { hash: "0000001".to_owned() },
        _ => State::Measured,
    };
    let is_known = |index| ![3, 7].contains(&(index % 17));
    let list = (0..commits).map(|index| Commit {
        hash: format!("{index:07x}"),
        subject: format!(
            "Subject of commit {index}, longer than there is room for below the graph"
        ),
        state: state(index),
    });
    let value =
        |index: usize| 1.0 + (index * 7919 % 101) as f64 / 5000.0 + (index / 90) as f64 * 0.2;
    let point = |index| {
        let value = value(index);
        is_known(index).then_some(Point { value, low: value * 0.99, high: value * 1.02 })
    };
    let step = |commit: usize| {
        let ratio = value(commit) / value(commit - 1);
        Step { commit, ratio, low: ratio * 0.98, high: ratio * 1.02, change: Change::Regressed }
    };
    let panel = |name: &str| Panel {
        name: name.to_owned(),
        unit: Unit::Seconds,
        points: (0..commits).map(point).collect(),
        steps: (90..commits).step_by(90).map(step).collect(),
        drifts: vec![Drift { first: 1, last: commits / 2, ratio: 1.07, change: Change::Regressed }],
    };
    Graph {
        title: "long".to_owned(),
        subtitle: String::new(),
        commits: list.collect(),
        panels: vec![panel("Wall time"), panel("Cpu time")],
    }
}

#[test]
fn every_reading_is_in_the_line_and_gaps_are_gaps() {
    let graph = long(1000);
    let text = svg_of(&graph);
    let document = Document::parse(&text).expect("well-formed");
    let lines = with_class(&document, "line");
    let in_panels: Vec<&str> = lines.iter().filter_map(|line| line.attribute("d")).collect();
    let known: Vec<bool> = graph.panels[0].points.iter().map(Option::is_some).collect();
    let beginnings = (0..1000).filter(|i| known[*i] && (*i == 0 || !known[*i - 1])).count();
    for data in &in_panels[..2] {
        assert_eq!(data.matches('h').count(), known.iter().filter(|known| **known).count());
        assert_eq!(data.matches('M').count(), beginnings);
    }
}

#[test]
fn every_commit_has_a_tooltip_with_its_values() {
    let graph = long(1000);
    let text = svg_of(&graph);
    let document = Document::parse(&text).expect("well-formed");
    let columns = with_class(&document, "columns");
    let tooltips: Vec<&str> =
        columns[0].children().filter(|c| c.has_tag_name("path")).map(title).collect();
    assert_eq!(tooltips.len(), 1000);
    for (index, tooltip) in tooltips.iter().enumerate() {
        assert!(tooltip.starts_with(&format!("{index:07x} Subject")), "{tooltip}");
        let values = tooltip.matches(" s [").count();
        assert_eq!(
            values,
            if graph.panels[0].points[index].is_some() { 2 } else { 0 },
            "{tooltip}"
        );
    }
    assert!(tooltips[3].ends_with("\ndid not build"));
    assert!(tooltips[7].ends_with("\nnot measured"));
}

#[test]
fn every_step_is_marked_and_labelled() {
    let graph = samples::founding();
    let text = svg_of(&graph);
    let document = Document::parse(&text).expect("well-formed");
    let steps = with_class(&document, "step");
    assert_eq!(steps.len(), 24);
    let all_steps = graph.panels.iter().flat_map(|panel| &panel.steps);
    for (node, step) in steps.iter().zip(all_steps) {
        let label = node.children().find(|child| child.has_tag_name("text")).and_then(|t| t.text());
        assert_eq!(label, Some(describe::change(step.ratio).as_str()));
        assert!(title(*node).contains(&graph.commits[step.commit].hash));
        assert!(title(*node).contains("improved"));
    }
    assert_eq!(with_class(&document, "cross").len(), 2, "one commit, and the legend");
}

#[test]
fn better_and_worse_differ_without_colour() {
    let mut graph = samples::founding();
    graph.panels[0].steps[4].change = Change::Regressed;
    graph.panels[0].steps[4].ratio = 1.3;
    let text = svg_of(&graph);
    let document = Document::parse(&text).expect("well-formed");
    let triangle = |node: &Node<'_, '_>| {
        let is_flag = |child: &Node<'_, '_>| {
            child.attribute("class").is_some_and(|class| class.starts_with("flag"))
        };
        let data = node.children().find(is_flag).and_then(|flag| flag.attribute("d"));
        data.and_then(|data| data.split("l-3.4 ").nth(1)).map(str::to_owned)
    };
    let steps = with_class(&document, "step");
    assert_eq!(triangle(&steps[3]), Some("6.4z".to_owned()), "points down");
    assert_eq!(triangle(&steps[4]), Some("-6.4z".to_owned()), "points up");
    assert!(text.contains(".pole.regressed { fill: none; stroke: #cf222e; stroke-dasharray"));
}

#[test]
fn any_text_is_shown_as_it_is() {
    let mut graph = samples::founding();
    graph.title = "<script>alert(\"1\")</script> & größer 速い".to_owned();
    graph.commits[0].subject = "a < b && c > \"d\" 'e' \u{1}\u{7f} λ 🦀".to_owned();
    graph.panels[0].name = "a\"b<c".to_owned();
    let text = svg_of(&graph);
    let document = Document::parse(&text).expect("well-formed");
    assert_eq!(title(document.root_element()), graph.title);
    let panels = with_class(&document, "panel");
    assert_eq!(panels[0].attribute("data-name"), Some("a\"b<c"));
    assert!(document.descendants().all(|node| !node.has_tag_name("script")));
    assert!(text.contains("a &lt; b &amp;&amp; c &gt; &quot;d&quot; 'e' "));
    png(&graph).expect("characters without a glyph are no obstacle");
}

#[test]
fn the_same_graph_is_drawn_the_same() {
    let graph = samples::founding();
    assert_eq!(svg_of(&long(200)), svg_of(&long(200)));
    assert_eq!(png(&graph).expect("drawn"), png(&graph).expect("drawn"));
}

#[test]
fn the_graph_is_wider_for_more_commits_up_to_a_limit() {
    let width = |commits| layout(&long(commits)).width;
    assert!(width(3) < width(60) && width(60) < width(200), "{}", width(60));
    assert!((width(1000) - width(5000)).abs() < 100.0);
}

#[test]
fn the_picture_has_the_layouts_size_and_something_in_each_panel() {
    let graph = samples::founding();
    let places = layout(&graph);
    let picture = Pixmap::decode_png(&png(&graph).expect("drawn")).expect("a PNG file");
    let pixels = |units: f64| (units * f64::from(PIXELS_PER_UNIT)).round() as u32;
    assert_eq!((picture.width(), picture.height()), (pixels(places.width), pixels(places.height)));
    assert_eq!(picture.pixel(0, 0).map(|p| (p.red(), p.green(), p.blue())), Some((255, 255, 255)));
    for panel in &places.panels {
        assert!(share(&picture, panel.plot, is_blue) > 0.005, "the line");
        assert!(share(&picture, panel.header[0].bounds(), is_dark) > 0.05, "the name");
        for flag in &panel.flags {
            let label = flag.label.as_ref().expect("there is room for eight");
            assert!(share(&picture, label.bounds(), is_green) > 0.05, "the label");
        }
    }
    for commit in &places.commits {
        for label in &commit.labels {
            assert!(share(&picture, label.bounds(), |rgb| rgb.1 < 160) > 0.03, "{}", label.text);
        }
    }
}

fn is_blue((red, _, blue): (u8, u8, u8)) -> bool {
    blue > 140 && red < 60
}

fn is_green((red, green, _): (u8, u8, u8)) -> bool {
    green > 80 && green < 160 && red < 90
}

fn is_dark((red, green, blue): (u8, u8, u8)) -> bool {
    red.max(green).max(blue) < 110
}

/// The share of the pixels within `place` that are of a colour.
fn share(picture: &Pixmap, place: Rect, is_wanted: fn((u8, u8, u8)) -> bool) -> f64 {
    let pixels = |units: f64| (units * f64::from(PIXELS_PER_UNIT)) as u32;
    let rows = pixels(place.top)..pixels(place.bottom);
    let all = rows.flat_map(|y| (pixels(place.left)..pixels(place.right)).map(move |x| (x, y)));
    let colours: Vec<(u8, u8, u8)> = all
        .filter_map(|(x, y)| picture.pixel(x, y))
        .map(|pixel| (pixel.red(), pixel.green(), pixel.blue()))
        .collect();
    colours.iter().filter(|rgb| is_wanted(**rgb)).count() as f64 / colours.len() as f64
}

/// No two texts share space, none covers a panel's values, and all are in the picture.
fn assert_nothing_overlaps(places: &Layout) {
    let boxes: Vec<(&str, Rect)> =
        places.labels().map(|label| (label.text.as_str(), label.bounds())).collect();
    let picture = Rect { left: 0.0, top: 0.0, right: places.width, bottom: places.height };
    for (index, (text, place)) in boxes.iter().enumerate() {
        assert!(picture.holds(place), "`{text}` leaves the picture: {place:?} in {picture:?}");
        for (other, other_place) in &boxes[index + 1..] {
            assert!(!place.overlaps(other_place), "`{text}` {place:?}, `{other}` {other_place:?}");
        }
        for panel in &places.panels {
            let inside = Rect { top: panel.plot.top + 0.1, ..panel.plot };
            assert!(!place.overlaps(&inside), "`{text}` covers values");
        }
    }
}

#[test]
fn no_label_overlaps_another_whatever_the_length() {
    for commits in [1, 2, 3, 6, 7, 28, 29, 40, 86, 87, 146, 147, 400, 1000, 5000] {
        assert_nothing_overlaps(&layout(&long(commits)));
    }
    assert_nothing_overlaps(&layout(&samples::founding()));
}

/// A text of any length, a short or a long one.
fn words() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,12}", "[a-zA-Z <&]{30,200}"]
}

prop_compose! {
    fn any_panel(commits: usize)(
        name in words(),
        values in prop::collection::vec(prop::option::weighted(0.9, (1e-9..1e12_f64, 0.5..1.0_f64)), commits),
        steps in prop::collection::vec((0..commits, 0.01..20.0_f64, any::<bool>()), 0..40),
    ) -> Panel {
        let change = |better| if better { Change::Improved } else { Change::Regressed };
        let point = |(value, share): (f64, f64)| Point { value, low: value * share, high: value / share };
        Panel {
            name,
            unit: Unit::Bytes,
            points: values.into_iter().map(|value| value.map(point)).collect(),
            steps: steps
                .iter()
                .map(|&(commit, ratio, better)| Step { commit, ratio, low: ratio, high: ratio, change: change(better) })
                .collect(),
            drifts: steps
                .iter()
                .take(2)
                .map(|&(first, ratio, better)| Drift { first, last: commits - 1, ratio, change: change(better) })
                .collect(),
        }
    }
}

prop_compose! {
    fn any_graph()(commits in 1..300_usize)(
        title in words(),
        subtitle in words(),
        subjects in prop::collection::vec(words(), commits),
        panels in prop::collection::vec(any_panel(commits), 1..4),
    ) -> Graph {
        let commit = |subject| Commit { hash: "57f3e9d".to_owned(), subject, state: State::Measured };
        Graph { title, subtitle, commits: subjects.into_iter().map(commit).collect(), panels }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_label_overlaps_another_whatever_is_shown(graph in any_graph()) {
        assert_nothing_overlaps(&layout(&graph));
        let text = svg_of(&graph);
        prop_assert!(Document::parse(&text).is_ok());
    }
}
