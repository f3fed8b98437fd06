//! A badge: a name, with a few words beside it.

use super::label::{Label, Rect};
use super::scene::{Element, Scene};
use super::text::{self, Face, one_line};

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
