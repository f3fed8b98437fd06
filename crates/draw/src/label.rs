//! A piece of text in its position, and its bounds.
//!
//! A badge: a name, with a few words beside it.

use super::scene::{Element, Scene};
use super::text;
use super::text::{Face, one_line};

/// The reach of letters above and below their line, in ems: accents on capitals, and descenders, of
/// DejaVu.
const ASCENT: f64 = 0.93;
const DESCENT: f64 = 0.24;
/// Half the height of digits and capitals above their line: their middle.
const MIDDLE: f64 = 0.365;

/// A rectangle; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// The smallest x.
    pub left: f64,
    /// The smallest y.
    pub top: f64,
    /// The largest x.
    pub right: f64,
    /// The largest y.
    pub bottom: f64,
}

impl Rect {
    /// True if they share more than an edge.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// True if `other` lies within.
    pub fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }

    /// The smallest rectangle that holds both.
    pub fn and(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// The square around a point, with this distance to its sides.
    pub fn around((x, y): (f64, f64), reach: f64) -> Self {
        Self { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach }
    }

    /// The rectangle without a margin of this width.
    pub fn inset(self, by: f64) -> Self {
        Self {
            left: self.left + by,
            top: self.top + by,
            right: self.right - by,
            bottom: self.bottom - by,
        }
    }

    /// Its middle.
    pub fn middle(&self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }

    /// The height.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The width.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }
}

/// The end of the text that is at its x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The beginning.
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

/// The direction of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Across,
    /// From top to bottom, as on the spine of an English book.
    Down,
}

/// A piece of text in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The text, on one line.
    pub text: String,
    /// Its font.
    pub face: Face,
    /// The height of an em.
    pub size: f64,
    /// The x of its anchor.
    pub x: f64,
    /// The baseline, or for text that runs down, its beginning.
    pub y: f64,
    /// The end that is at x.
    pub anchor: Anchor,
    /// The direction.
    pub direction: Direction,
    /// Its class in the style sheet.
    pub class: &'static str,
}

impl Label {
    /// Words that begin at `x` on the line `y`.
    pub fn words(text: String, size: f64, x: f64, y: f64, class: &'static str) -> Self {
        let (anchor, direction) = (Anchor::Start, Direction::Across);
        Self { text, face: Face::Sans, size, x, y, anchor, direction, class }
    }

    /// The same label, anchored at another end.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same label, in the font for hashes.
    pub fn mono(self) -> Self {
        Self { face: Face::Mono, ..self }
    }

    /// The same label, with digits centred vertically on its y.
    pub fn centred(self) -> Self {
        Self { y: self.y + MIDDLE * self.size, ..self }
    }

    /// The same label, running down from its y, centred on its x.
    pub fn down(self) -> Self {
        Self { x: self.x - MIDDLE * self.size, direction: Direction::Down, ..self }
    }

    /// Its length.
    pub fn length(&self) -> f64 {
        text::width(&self.text, self.face, self.size)
    }

    /// The space it covers.
    pub fn bounds(&self) -> Rect {
        let (up, down) = (ASCENT * self.size, DESCENT * self.size);
        let length = self.length();
        match self.direction {
            Direction::Down => Rect {
                left: self.x - down,
                top: self.y,
                right: self.x + up,
                bottom: self.y + length,
            },
            Direction::Across => {
                let left = match self.anchor {
                    Anchor::Start => self.x,
                    Anchor::Middle => self.x - length / 2.0,
                    Anchor::End => self.x - length,
                };
                Rect { left, top: self.y - up, right: left + length, bottom: self.y + down }
            }
        }
    }
}

/// The height of a badge.
const HEIGHT: f64 = 20.0;
/// The size of its words.
const SIZE: f64 = 11.0;
/// The margin around its words.
const INSIDE: f64 = 7.0;
/// The maximum length of names and words.
const LONGEST: f64 = 220.0;

/// The contents of a badge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// The subject.
    pub name: String,
    /// The message.
    pub words: String,
    /// The description for screen readers.
    pub description: String,
    /// True if that is good, false if it is bad; None if it is neither.
    pub is_better: Option<bool>,
}

impl Badge {
    /// The positions of all elements.
    pub fn scene(&self) -> Scene {
        let cut = |words: &str| text::shorten(&one_line(words), Face::Sans, SIZE, LONGEST);
        let (name, words) = (cut(&self.name), cut(&self.words));
        let wide = |words: &str| text::width(words, Face::Sans, SIZE) + 2.0 * INSIDE;
        let (middle, width) = (wide(&name), wide(&name) + wide(&words));
        let place = |left: f64, right: f64| Rect { left, top: 0.0, right, bottom: HEIGHT };
        let class = match self.is_better {
            Some(true) => "badge-good",
            Some(false) => "badge-bad",
            None => "badge-plain",
        };
        let said = |words: String, left: f64| {
            Label::words(words, SIZE, left + INSIDE, HEIGHT / 2.0, "badge-words").centred().into()
        };
        let elements = vec![
            Element::path("badge-name", [super::Path::rect(place(0.0, middle))]),
            Element::path(class, [super::Path::rect(place(middle, width))]),
            said(name.clone(), 0.0),
            said(words, middle),
        ];
        let (title, description) = (name, self.description.clone());
        Scene { width, height: HEIGHT, title, description, elements, script: None, data: None }
    }
}
