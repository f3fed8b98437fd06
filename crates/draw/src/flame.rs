//! Flame graphs: stacks as boxes, whose widths are the counts.
//!
//! With counts from before, the widths are those of after, and the colours show the changes (Gregg,
//! "Differential Flame Graphs", 2014). Stacks that are gone have no width; they are in a row of their
//! own below. A click on a box makes it as wide as the picture, and boxes
//! can be searched, through the picture's script.

use std::collections::{BTreeMap, HashSet};

use super::plot::{self, MARGIN, SIZE};
use super::scene::{DrawError, Element, Scene};
use super::shape::Colour;
use super::text::{self, Anchor, Face, Label, Rect, one_line};

/// The script for choosing and searching boxes, in every flame graph of a document.
pub const SCRIPT: &str = include_str!("flame.js");

/// The width of the box below all others.
const WIDTH: f64 = 1180.0;
/// The height of a box with the gap above it.
const ROW: f64 = 17.0;
/// The minimum width of a box: narrower ones would be invisible and are left out.
const NARROWEST: f64 = 0.1;
/// The distance between the edges of a box and its name.
const INSIDE: f64 = 3.0;

/// The contents of a flame graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Flame {
    /// The heading.
    pub title: String,
    /// The explanation of boxes and colours.
    pub subtitle: String,
    /// The unit of the counts: `instructions`.
    pub unit: String,
    /// The stacks.
    pub stacks: Vec<Stack>,
}

/// A stack and the count at its top.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack {
    /// The frames, the outermost first.
    pub frames: Vec<String>,
    /// The count.
    pub count: u64,
    /// The count before, in a comparison.
    pub before: Option<u64>,
}

/// A box: its count covers `from..to` of all.
#[derive(Debug, Clone, PartialEq)]
struct Frame<'a> {
    name: &'a str,
    depth: usize,
    from: u64,
    to: u64,
    /// The increase of its own count; None without a comparison.
    change: Option<i128>,
}

/// The boxes, inner ones first, and the total count. Equal beginnings of stacks are one box.
fn frames<'a>(stacks: &'a [&'a Stack]) -> (Vec<Frame<'a>>, u64) {
    let (mut done, mut open): (Vec<Frame<'_>>, Vec<Frame<'_>>) = (Vec::new(), Vec::new());
    let mut at = 0;
    for stack in stacks {
        let names = || ["all"].into_iter().chain(stack.frames.iter().map(String::as_str));
        let same = open.iter().zip(names()).take_while(|(frame, name)| frame.name == *name).count();
        done.extend(open.drain(same..).rev().map(|frame| Frame { to: at, ..frame }));
        let opened = names().enumerate().skip(same);
        open.extend(opened.map(|(depth, name)| Frame {
            name,
            depth,
            from: at,
            to: at,
            change: None,
        }));
        if let (Some(top), Some(before)) = (open.last_mut(), stack.before) {
            *top.change.get_or_insert(0) += i128::from(stack.count) - i128::from(before);
        }
        at += stack.count;
    }
    done.extend(open.into_iter().rev().map(|frame| Frame { to: at, ..frame }));
    (done, at)
}

/// A beginning of stacks that nothing counts any more, and what all of them counted before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Gone<'a> {
    frames: &'a [String],
    before: u64,
}

/// The shortest beginnings of stacks that are gone, the largest first.
fn gone(stacks: &[Stack]) -> Vec<Gone<'_>> {
    fn beginnings(stack: &Stack) -> impl Iterator<Item = &[String]> {
        (1..=stack.frames.len()).map(|length| &stack.frames[..length])
    }
    let kept: HashSet<&[String]> =
        stacks.iter().filter(|stack| stack.count > 0).flat_map(beginnings).collect();
    let mut counts: BTreeMap<&[String], u64> = BTreeMap::new();
    for stack in stacks {
        let Some(before) = stack.before.filter(|before| *before > 0) else { continue };
        if let Some(frames) = beginnings(stack).find(|frames| !kept.contains(frames)) {
            *counts.entry(frames).or_default() += before;
        }
    }
    let mut gone: Vec<Gone<'_>> =
        counts.into_iter().map(|(frames, before)| Gone { frames, before }).collect();
    gone.sort_by_key(|one| std::cmp::Reverse(one.before));
    gone
}

impl Flame {
    /// The positions of all elements.
    ///
    /// # Errors
    /// Nothing was counted.
    pub fn scene(&self) -> Result<Scene, DrawError> {
        let mut stacks: Vec<&Stack> = self.stacks.iter().collect();
        stacks.sort_unstable();
        let (frames, total) = frames(&stacks);
        if total == 0 {
            return Err(DrawError::NoStacks);
        }
        let (mut elements, top) = plot::heading(&self.title, &self.subtitle, WIDTH - 120.0);
        let right = MARGIN + WIDTH;
        let search = Label::words("Search".to_owned(), SIZE, right, MARGIN + 14.0, "quiet");
        elements.push(Element::group("search", "", vec![search.anchored(Anchor::End).into()]));
        let found = Label::words(String::new(), SIZE, right, MARGIN + 28.0, "found-share");
        elements.push(found.anchored(Anchor::End).into());
        let depth = frames.iter().map(|frame| frame.depth + 1).max().unwrap_or(0);
        let bottom = top + depth as f64 * ROW;
        let largest = frames.iter().filter_map(|one| one.change).map(i128::abs).max().unwrap_or(0);
        elements.extend(frames.iter().rev().filter_map(|frame| {
            let x = |count: u64| MARGIN + count as f64 / total as f64 * WIDTH;
            let row = bottom - frame.depth as f64 * ROW;
            let place =
                Rect { left: x(frame.from), right: x(frame.to), top: row - ROW + 1.0, bottom: row };
            let colour = match self.stacks.iter().any(|stack| stack.before.is_some()) {
                true => changed(frame.change.unwrap_or(0), largest),
                false => warm(frame.name),
            };
            let is_seen = place.width() >= NARROWEST;
            is_seen
                .then(|| labelled("stack", frame.name, place, colour, &self.tooltip(frame, total)))
        }));
        let (row, bottom) = self.gone_row(bottom, total);
        elements.extend(row);
        let (title, unit) = (self.title.clone(), &self.unit);
        let description = format!("{}; {total} {unit}", self.subtitle);
        let (width, height) = (right + MARGIN, bottom + MARGIN);
        Ok(Scene { width, height, title, description, elements, script: Some(SCRIPT), data: None })
    }

    /// The row of what is gone, with a heading, below `top`, and its bottom. Its boxes are as wide for
    /// their counts as those above, or narrower if they would not fit.
    fn gone_row(&self, top: f64, total: u64) -> (Vec<Element>, f64) {
        let gone = gone(&self.stacks);
        if gone.is_empty() {
            return (Vec::new(), top);
        }
        let sum: u64 = gone.iter().map(|one| one.before).sum();
        let before: u64 = self.stacks.iter().filter_map(|stack| stack.before).sum();
        let share = |count: u64| count as f64 / before as f64 * 100.0;
        let scale = WIDTH / total.max(sum) as f64;
        let narrower = if sum > total { " (narrowed)" } else { "" };
        let heading = format!("Gone: {:.2}% of all before{narrower}", share(sum));
        let heading = Label::words(heading, SIZE, MARGIN, top + 20.0, "gone-heading");
        let bottom = top + 28.0 + ROW;
        let mut elements = vec![heading.into()];
        let mut left = MARGIN;
        for Gone { frames, before } in gone {
            let right = left + before as f64 * scale;
            let place = Rect { left, right, top: bottom - ROW + 1.0, bottom };
            left = right;
            if place.width() < NARROWEST {
                continue;
            }
            let path = one_line(&frames.join(";"));
            let tooltip =
                format!("{path} ({before} {} before, {:.2}%; gone)", self.unit, share(before));
            let name = frames.last().map_or("", String::as_str);
            elements.push(labelled("gone", name, place, changed(-1, 1), &tooltip));
        }
        (elements, bottom)
    }

    /// `g (9 instructions, 31.03%; +31.03%)`.
    fn tooltip(&self, frame: &Frame<'_>, total: u64) -> String {
        let percent = |count: f64| count / total as f64 * 100.0;
        let count = frame.to - frame.from;
        let change = frame.change.map(|change| format!("; {:+.2}%", percent(change as f64)));
        let (share, change) = (percent(count as f64), change.unwrap_or_default());
        format!("{} ({count} {}, {share:.2}%{change})", one_line(frame.name), self.unit)
    }
}

fn labelled(
    class: &'static str,
    name: &str,
    place: Rect,
    colour: Colour,
    tooltip: &str,
) -> Element {
    let room = place.width() - 2.0 * INSIDE;
    let name = text::shorten(&one_line(name), Face::Mono, SIZE, room);
    let label = Label::words(name, SIZE, place.left + INSIDE, place.middle().1, "on-light");
    let elements = vec![Element::filled("box", place, colour), label.mono().centred().into()];
    Element::group(class, tooltip, elements)
}

/// A warm colour, always the same for a given name.
fn warm(name: &str) -> Colour {
    // FNV-1a.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let part = |shift: u32, span: u64| ((hash >> shift) % span) as u8;
    Colour::rgb([205 + part(40, 50), 100 + part(24, 120), part(8, 55)])
}

/// Red for more than before, blue for less, the stronger the more.
fn changed(change: i128, largest: i128) -> Colour {
    let share = change.unsigned_abs() as f64 / largest.max(1) as f64;
    let rest = (230.0 - 120.0 * share).round() as u8;
    match change.signum() {
        1 => Colour::rgb([255, rest, rest]),
        -1 => Colour::rgb([rest, rest, 255]),
        _ => Colour::rgb([245, 245, 245]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &str, count: u64, before: Option<u64>) -> Stack {
        Stack { frames: frames.split(';').map(str::to_owned).collect(), count, before }
    }

    #[test]
    fn equal_beginnings_are_one_box_and_only_tops_change() {
        let given = [
            stack("main", 5, Some(5)),
            stack("main;f", 15, Some(20)),
            stack("main;f;g", 9, Some(0)),
            stack("main;h", 0, Some(7)),
        ];
        let stacks: Vec<&Stack> = given.iter().collect();
        let (frames, total) = frames(&stacks);
        let found: Vec<_> = frames
            .iter()
            .map(|frame| (frame.name, frame.depth, frame.from, frame.to, frame.change))
            .collect();
        assert_eq!(total, 29);
        assert_eq!(
            found,
            [
                ("g", 3, 20, 29, Some(9)),
                ("f", 2, 5, 29, Some(-5)),
                ("h", 2, 29, 29, Some(-7)),
                ("main", 1, 0, 29, Some(0)),
                ("all", 0, 0, 29, None),
            ]
        );
    }

    #[test]
    fn what_is_gone_has_a_row_below_all_boxes() {
        let mut flame = Flame {
            title: "new, compared with old".to_owned(),
            subtitle: String::new(),
            unit: "instructions".to_owned(),
            stacks: vec![
                stack("main", 0, Some(4)),
                stack("main;f", 20, Some(20)),
                stack("main;h", 0, Some(7)),
                stack("main;h;i", 0, Some(3)),
                stack("main;f;j", 0, Some(16)),
                stack("main;f;new", 5, Some(0)),
            ],
        };
        let found: Vec<_> =
            gone(&flame.stacks).iter().map(|one| (one.frames.join(";"), one.before)).collect();
        assert_eq!(found, [("main;f;j".to_owned(), 16), ("main;h".to_owned(), 10)]);
        let svg = |flame: &Flame| flame.scene().expect("something was counted").svg();
        let drawn = svg(&flame);
        assert!(drawn.contains("main;h (10 instructions before, 20.00%; gone)"), "{drawn}");
        assert!(drawn.contains("Gone: 52.00% of all before (narrowed)"), "{drawn}");
        let places = flame.scene().expect("something was counted");
        let bottom = |class: &str| {
            let boxes = places.with_class(class);
            let inside = boxes.iter().flat_map(|group| group.all());
            let outlines = inside.filter_map(|one| one.outlines()?.bounds());
            outlines.map(|bounds| bounds.bottom).fold(0.0, f64::max)
        };
        assert!(bottom("gone") > bottom("stack"));
        flame.stacks.iter_mut().for_each(|stack| stack.before = None);
        let alone = flame.scene().expect("something was counted");
        assert!(!alone.has_class("gone"), "only a comparison has what is gone");
    }

    #[test]
    fn names_can_be_read_on_all_colours() {
        for name in ["main", "f", "g", "std::vec::Vec<T>::push", "malloc", ""] {
            assert!(warm(name).is_light(), "{name}");
        }
        for change in -10..=10 {
            assert!(changed(change, 10).is_light(), "{change}");
        }
        assert_ne!(changed(10, 10), changed(1, 10));
    }
}
