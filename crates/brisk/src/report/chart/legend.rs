//! The legend: what the marks mean, for those marks that occur.

use super::layout::Figure;
use super::panel::Spot;
use super::shape::Shape;
use super::{Chart, Role, Standing};
use crate::report::graph::label::{Label, Rect};
use crate::report::graph::layout::SIZE;

/// From one line to the next.
const LINE: f64 = 19.0;
/// The room of a mark.
const MARK_WIDTH: f64 = 18.0;
/// Between one entry and the next.
const GAP: f64 = 20.0;

/// A kind of mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A point's shape.
    Shape(Shape),
    /// An interval.
    Interval,
    /// A value that is only known to be at most this.
    Bound,
    /// A cell of a point that left.
    Hatched,
}

/// A mark with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The mark.
    pub mark: Mark,
    /// Its middle.
    pub x: f64,
    /// See `x`.
    pub y: f64,
    /// What it means.
    pub label: Label,
}

/// The entries in lines between the left and the right of `area`, and where they end below.
pub(super) fn legend(chart: &Chart, figures: &[Figure], area: Rect) -> (Vec<Entry>, f64) {
    let (mut x, mut y) = (area.left, area.top + LINE / 2.0);
    let mut entries = Vec::new();
    for (mark, words) in marks(chart, figures) {
        let label = Label::words(words.to_owned(), SIZE, x, y, "quiet");
        let length = MARK_WIDTH + 4.0 + label.length();
        if x > area.left && x + length > area.right {
            (x, y) = (area.left, y + LINE);
        }
        let label = Label { x: x + MARK_WIDTH + 4.0, y, ..label }.centred();
        entries.push(Entry { mark, x: x + MARK_WIDTH / 2.0, y, label });
        x += length + GAP;
    }
    let bottom = if entries.is_empty() { area.top } else { y + LINE / 2.0 };
    (entries, bottom)
}

fn marks(chart: &Chart, figures: &[Figure]) -> Vec<(Mark, &'static str)> {
    let has_role = |role: Role| chart.points.iter().any(|point| point.roles.contains(&role));
    let spots: Vec<&Spot> = figures.iter().flat_map(Figure::spots).collect();
    let drawn = |shape: Shape| {
        let in_cells = figures.iter().flat_map(Figure::cells).filter_map(|cell| cell.mark);
        let mut shapes = spots.iter().map(|spot| spot.shape).chain(in_cells.map(|mark| mark.0));
        shapes.any(|one| one == shape)
    };
    let is_left = |number: usize| chart.points[number].standing == Standing::Left;
    let mut cells = figures.iter().flat_map(Figure::cells);
    let has_hatched = cells.any(|cell| cell.colour.is_some() && is_left(cell.point));
    let shape = |shape: Shape, words| (drawn(shape), Mark::Shape(shape), words);
    let candidates = [
        shape(Shape::Star, "best"),
        shape(Shape::Diamond, "knee: most for its memory"),
        shape(Shape::Triangle, "thrifty: most of the gain, little of the memory"),
        shape(Shape::Front, "on the front"),
        shape(Shape::Behind, "behind the front"),
        (has_role(Role::Default), Mark::Shape(Shape::Frame), "default"),
        shape(Shape::Circle, "left early, or over a limit"),
        (has_hatched, Mark::Hatched, "the same in a map"),
        shape(Shape::Cross, "failed"),
        shape(Shape::Dash, "no reading"),
        (spots.iter().any(|spot| !spot.bars.is_empty()), Mark::Interval, "interval"),
        (spots.iter().any(|spot| !spot.arrows.is_empty()), Mark::Bound, "at most this"),
    ];
    let occurring = candidates.into_iter().filter(|(occurs, ..)| *occurs);
    occurring.map(|(_, mark, words)| (mark, words)).collect()
}
