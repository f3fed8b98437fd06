//! From the points of a sweep to figures, and their descriptions.

use draw::{Element, Scene};

use super::*;

/// The minimised metric, and memory.
fn objectives() -> Vec<Objective> {
    let objective = |name: &str, unit| Objective { name: name.to_owned(), unit };
    vec![objective("wall time", Unit::Seconds), objective("peak memory", Unit::Bytes)]
}

/// A parameter with these values.
fn parameter(name: &str, values: &[&str]) -> Parameter {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Parameter { name: name.to_owned(), values }
}

/// A point with an interval of 4 % in time.
fn point(name: &str, at: Option<&[usize]>, time: f64, memory: f64) -> Point {
    Point {
        name: name.to_owned(),
        at: at.map(<[usize]>::to_vec),
        estimates: vec![
            Estimate::new(time, time * 0.98, time * 1.02),
            Estimate::new(memory, memory, memory),
        ],
        standing: Standing::Behind,
        roles: Vec::new(),
        remarks: vec!["20 rounds".to_owned()],
    }
}

/// Seven heap sizes and the default, which is not one of them: larger is faster up to a point; the
/// smallest was dropped, the largest failed.
fn curve() -> Sketch {
    let sizes = ["32k", "128k", "512k", "2M", "8M", "32M", "128M"];
    let times = [3.1, 2.4, 1.6, 1.1, 0.93, 0.97, 0.0];
    let mut points = vec![point("default", None, 1.9, 11e6)];
    points[0].roles = vec![Role::Default];
    for (index, (size, time)) in sizes.iter().zip(times).enumerate() {
        let memory = 8e6 + 1.3 * f64::from(1 << (15 + 2 * index));
        let mut one = point(&format!("s={size}"), Some(&[index]), time, memory);
        one.standing = match index {
            0 => Standing::Left,
            5 => Standing::Behind,
            6 => Standing::Failed,
            _ => Standing::Front,
        };
        one.roles = match index {
            3 => vec![Role::Knee, Role::Thrifty],
            4 => vec![Role::Best],
            _ => Vec::new(),
        };
        if index == 6 {
            one.estimates = vec![None, None];
            one.remarks.insert(0, "was ended by signal 9 (SIGKILL)".to_owned());
        }
        points.push(one);
    }
    Sketch {
        title: "OCAMLRUNPARAM=s={s} ./last 1000000".to_owned(),
        subtitle: "20 rounds in 41.3 s until the verdict was settled, a processor".to_owned(),
        objectives: objectives(),
        parameters: vec![parameter("s", &sizes)],
        reference: "the default".to_owned(),
        points,
    }
}

/// Six sizes by four overheads, with fewer values for the first parameter; one point was dropped,
/// one failed, one was not read.
fn map() -> Sketch {
    let overheads = ["40", "80", "120", "200"];
    let sizes = ["32k", "128k", "512k", "2M", "8M", "32M"];
    let mut points = Vec::new();
    for (row, overhead) in overheads.iter().enumerate() {
        for (column, size) in sizes.iter().enumerate() {
            let time = 3.0 / (1.0 + column as f64) + 0.8 / (1.0 + row as f64);
            let memory = 8e6 * f64::from(1 << column) * (1.0 + 0.3 * row as f64);
            points.push(point(
                &format!("o={overhead} s={size}"),
                Some(&[row, column]),
                time,
                memory,
            ));
        }
    }
    points[7].roles = vec![Role::Default];
    points.swap(0, 7);
    for (number, roles) in
        [(23, vec![Role::Best]), (21, vec![Role::Knee]), (20, vec![Role::Thrifty])]
    {
        points[number].roles = roles;
        points[number].standing = Standing::Front;
    }
    points[22].standing = Standing::Front;
    points[1].standing = Standing::Left;
    points[5].standing = Standing::Failed;
    points[5].estimates = vec![None, None];
    points[11].estimates = vec![None, None];
    Sketch {
        title: "OCAMLRUNPARAM=s={s},o={o} ./last 1000000".to_owned(),
        parameters: vec![parameter("o", &overheads), parameter("s", &sizes)],
        points,
        ..curve()
    }
}

fn scene(sketch: &Sketch) -> Scene {
    sketch.chart().scene().expect("the chart agrees with itself")
}

fn panels(sketch: &Sketch) -> Vec<PointPanel> {
    let figures = sketch.chart().figures.into_iter();
    figures
        .flat_map(|figure| match figure {
            Figure::Points(figure) => figure.panels,
            _ => Vec::new(),
        })
        .collect()
}

fn maps(sketch: &Sketch) -> Vec<MapFigure> {
    let figures = sketch.chart().figures.into_iter();
    figures
        .filter_map(|figure| match figure {
            Figure::Map(map) => Some(map),
            _ => None,
        })
        .collect()
}

/// The texts of all tooltips of points.
fn tooltips(scene: &Scene) -> Vec<String> {
    let tooltip = |element: &&Element| match element {
        Element::Group(group) => Some(group.tooltip.clone()),
        _ => None,
    };
    scene.with_class("point").iter().filter_map(tooltip).collect()
}

#[test]
fn every_point_has_the_mark_of_what_became_of_it() {
    let [time, _, both] = &panels(&curve())[..] else { panic!("three panels") };
    let shapes: Vec<Shape> = time.spots.iter().map(|spot| spot.shape).collect();
    let expected = [
        Shape::Circle,
        Shape::Disc,
        Shape::Disc,
        Shape::Diamond,
        Shape::Star,
        Shape::Dot,
        Shape::Cross,
    ];
    assert_eq!(shapes, expected);
    // The default is at none of the values: a line across, with its name at the end.
    let references: Vec<_> = time.references.iter().map(|one| (one.value, &*one.name)).collect();
    assert_eq!(references, [(1.9, "default")]);
    let names: Vec<&str> = both.names.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["best: s=8M", "knee, thrifty: s=2M", "default"]);
    // A failed point was not read, and is not among the values.
    assert_eq!((both.spots.len(), both.front.len()), (7, 4));
    assert_eq!(both.note, "1 point failed");
}

#[test]
fn the_default_has_a_frame_where_it_is_a_value_of_the_parameter() {
    let mut sketch = curve();
    sketch.points.remove(0);
    sketch.points[1].roles = vec![Role::Default];
    for panel in panels(&sketch) {
        let framed: Vec<&str> = panel
            .spots
            .iter()
            .filter(|spot| spot.is_framed)
            .map(|spot| spot.tooltip.lines().next().unwrap_or_default())
            .collect();
        assert_eq!(framed, ["s=128k (default)"]);
        assert!(panel.references.is_empty());
    }
}

#[test]
fn a_map_has_the_longer_parameter_across_and_the_ratio_as_colour() {
    let sketch = map();
    let [time, _] = &maps(&sketch)[..] else { panic!("time and memory") };
    assert_eq!((time.across.name.as_str(), time.up.name.as_str()), ("s", "o"));
    assert_eq!(time.cells.len(), 24);
    let cell = |at| time.cells.iter().find(|cell| cell.at == at).expect("each point has a cell");
    // The default is the reference of the others.
    assert_eq!(cell((1, 1)).ratio, Some(1.0));
    assert!((cell((0, 0)).ratio.expect("read") - 3.8 / 1.9).abs() < 1e-9);
    let marks: Vec<_> =
        time.cells.iter().enumerate().filter_map(|(n, c)| Some((n, c.mark?))).collect();
    let expected = [
        (5, Shape::Cross),
        (11, Shape::Dash),
        (20, Shape::Triangle),
        (21, Shape::Diamond),
        (22, Shape::Disc),
        (23, Shape::Star),
    ];
    assert_eq!(marks, expected);
    assert_eq!(time.note, "colour: ratio to the default (1.90 s), logarithmic");
}

#[test]
fn hatching_is_over_cells_that_left_only() {
    let scene = scene(&map());
    let count = |class: &str| scene.with_class(class).len();
    assert_eq!(count("hatched"), 3, "one in each map, and the legend");
    assert_eq!(count("cross"), 3);
    assert_eq!(count("frame"), 4, "one in each map, in the plot and in the legend");
}

#[test]
fn of_three_parameters_and_of_memory_alone_there_are_other_pictures() {
    let mut sketch = map();
    sketch.parameters.push(parameter("i", &["1"]));
    for point in &mut sketch.points {
        point.at.iter_mut().for_each(|at| at.push(0));
    }
    assert_eq!((maps(&sketch).len(), panels(&sketch).len()), (0, 1));
    let mut sketch = curve();
    sketch.objectives.remove(0);
    for point in &mut sketch.points {
        point.estimates.remove(0);
    }
    assert_eq!(panels(&sketch).len(), 1, "no plot of memory against itself");
}

#[test]
fn every_point_has_a_tooltip_in_every_picture_that_shows_it() {
    let all = tooltips(&scene(&curve()));
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
    assert_eq!(tooltips(&scene(&map())).len(), 24 + 24 + 22);
}

#[test]
fn odd_sweeps_are_drawn_too() {
    let mut single = curve();
    single.points.truncate(1);
    let mut failed = map();
    for point in &mut failed.points {
        point.standing = Standing::Failed;
        point.roles.clear();
    }
    let mut unread = curve();
    unread.points.iter_mut().for_each(|point| point.estimates = vec![None, None]);
    let mut empty = curve();
    empty.points.clear();
    let mut bound = curve();
    bound.points.iter_mut().for_each(|point| point.estimates[1] = Estimate::at_most(1.9e6));
    for sketch in [single, failed, unread, empty, bound] {
        scene(&sketch).png().expect("drawn");
    }
}

#[test]
fn the_description_names_what_is_named() {
    let words = curve().description();
    assert!(
        words.starts_with("8 points over s; 4 on the front.\ndefault; wall time: 1.900 s"),
        "{words}"
    );
}
