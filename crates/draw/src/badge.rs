//! A badge: a name, and beside it a few words.

use super::label::{Label, Rect};
use super::scene::{Element, Scene};
use super::text::{self, Face, one_line};

/// The height of a badge.
const HEIGHT: f64 = 20.0;
/// The size of its words.
const SIZE: f64 = 11.0;
/// Around its words.
const INSIDE: f64 = 7.0;
/// Names and words are cut to this length.
const LONGEST: f64 = 220.0;

/// What a badge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// What it is about.
    pub name: String,
    /// What is said of it.
    pub words: String,
    /// The same for those who do not see it.
    pub description: String,
    /// Whether that is good, where it is either.
    pub is_better: Option<bool>,
}

impl Badge {
    /// The places of everything.
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
