//! Pieces of text: their widths, making them fit, and their places.
//!
//! Widths are those of DejaVu Sans and DejaVu Sans Mono, the fonts of the PNG and the first choice
//! of the SVG. They are among the widest fonts of browsers, so that a text that fits here also fits
//! in another font. Kerning is left out: it rarely widens.

use std::sync::LazyLock;

use ttf_parser::{Face as Font, GlyphId, OutlineBuilder};

/// One of the two fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// For words.
    Sans,
    /// For hashes.
    Mono,
}

impl Face {
    fn bytes(self) -> &'static [u8] {
        static SANS: LazyLock<Vec<u8>> =
            LazyLock::new(|| expanded(include_bytes!(concat!(env!("OUT_DIR"), "/sans"))));
        static MONO: LazyLock<Vec<u8>> =
            LazyLock::new(|| expanded(include_bytes!(concat!(env!("OUT_DIR"), "/mono"))));
        match self {
            Self::Sans => &SANS,
            Self::Mono => &MONO,
        }
    }

    fn advances(self) -> &'static Advances {
        static SANS: LazyLock<Advances> = LazyLock::new(|| Advances::from_face(Face::Sans));
        static MONO: LazyLock<Advances> = LazyLock::new(|| Advances::from_face(Face::Mono));
        match self {
            Self::Sans => &SANS,
            Self::Mono => &MONO,
        }
    }
}

/// A font as before its compression by build.rs.
fn expanded(compressed: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec_zlib(compressed).expect("we compressed it")
}

/// Widths of characters in ems.
struct Advances {
    ascii: [f64; 128],
    font: Font<'static>,
}

impl Advances {
    fn from_face(face: Face) -> Self {
        let font = Font::parse(face.bytes(), 0).expect("the font is built in");
        let mut advances = Self { ascii: [0.0; 128], font };
        for code in 32..127_u8 {
            advances.ascii[usize::from(code)] = advances.look_up(char::from(code));
        }
        advances
    }

    /// Missing characters are assumed to be as wide as high, like Chinese ones.
    fn look_up(&self, character: char) -> f64 {
        let glyph = self.font.glyph_index(character);
        let units = glyph.and_then(|glyph| self.font.glyph_hor_advance(glyph));
        units.map_or(1.0, |units| f64::from(units) / self.units_per_em())
    }

    fn units_per_em(&self) -> f64 {
        f64::from(self.font.units_per_em())
    }

    fn width(&self, character: char) -> f64 {
        match self.ascii.get(character as usize) {
            Some(width) => *width,
            None => self.look_up(character),
        }
    }
}

/// The width of `text` in the unit of `size`, the height of an em.
pub fn width(text: &str, face: Face, size: f64) -> f64 {
    let advances = face.advances();
    text.chars().map(|character| advances.width(character)).sum::<f64>() * size
}

/// The outlines of `text` in SVG syntax, from `x` on the line `y`. Characters missing in the font
/// are drawn as its placeholder box.
pub(crate) fn outlines(text: &str, face: Face, size: f64, x: f64, y: f64) -> String {
    let advances = face.advances();
    let scale = size / advances.units_per_em();
    let mut pen = Pen { data: String::new(), scale, x, y };
    for character in text.chars() {
        let glyph = advances.font.glyph_index(character).unwrap_or(GlyphId(0));
        // A space has no outline.
        let _ = advances.font.outline_glyph(glyph, &mut pen);
        pen.x += advances.width(character) * size;
    }
    pen.data
}

/// Draws glyphs, whose y grows upwards.
struct Pen {
    data: String,
    /// The size of the font's unit.
    scale: f64,
    x: f64,
    y: f64,
}

impl Pen {
    fn step(&mut self, letter: char, corners: &[(f32, f32)]) {
        self.data.push(letter);
        for (x, y) in corners {
            let (x, y) = (self.x + f64::from(*x) * self.scale, self.y - f64::from(*y) * self.scale);
            self.data += &format!("{x:.3} {y:.3} ");
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.step('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.step('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.step('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.step('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.data.push('Z');
    }
}

/// `text` on one line: control characters, which are not allowed in XML or in a line, become
/// spaces.
pub fn one_line(text: &str) -> String {
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// `text`, cut to fit into `room`, with an ellipsis if something was cut off.
pub fn shorten(text: &str, face: Face, size: f64, room: f64) -> String {
    let advances = face.advances();
    let ellipsis = advances.width('…') * size;
    let mut used = 0.0;
    let mut kept = 0;
    for (at, character) in text.char_indices() {
        used += advances.width(character) * size;
        if used + ellipsis <= room {
            kept = at + character.len_utf8();
        }
        if used > room {
            return if kept > 0 {
                format!("{}…", text[..kept].trim_end())
            } else {
                String::new()
            };
        }
    }
    text.to_owned()
}

/// `text` broken between words into at most `lines` lines that fit into `room`; a longer text ends
/// with an ellipsis.
pub fn wrap(text: &str, face: Face, size: f64, room: f64, lines: usize) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        let is_last_line = done.len() + 1 >= lines;
        if is_last_line || line.is_empty() || width(&longer, face, size) <= room {
            line = longer;
        } else {
            done.push(std::mem::replace(&mut line, word.to_owned()));
        }
    }
    if !line.is_empty() {
        done.push(line);
    }
    done.iter().map(|line| shorten(line, face, size, room)).collect()
}

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
    pub fn around(x: f64, y: f64, reach: f64) -> Self {
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
        width(&self.text, self.face, self.size)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// From the fonts' `hmtx` tables: 1233 of 2048 units for every character of the mono font, 1401
    /// for `A` and 569 for `i` of the other.
    #[test]
    fn widths_are_those_of_the_fonts() {
        assert_eq!(width("57f3e9d", Face::Mono, 2048.0), 7.0 * 1233.0);
        assert_eq!(width("Ai", Face::Sans, 2048.0), 1401.0 + 569.0);
        assert_eq!(width("測試", Face::Sans, 10.0), 20.0);
        assert_eq!(width("", Face::Sans, 10.0), 0.0);
    }

    /// The glyph `l` of DejaVu Sans is one rectangle: from 193 to 377 of its 2048 units, and from
    /// its line up to 1556 (its `glyf` table).
    #[test]
    fn outlines_are_those_of_the_font() {
        let drawn = outlines(" l", Face::Sans, 2048.0, 10.0, 5000.0);
        let space = width(" ", Face::Sans, 2048.0);
        let corners: Vec<f64> = drawn
            .split(|c: char| c.is_alphabetic() || c == ' ')
            .filter_map(|number| number.parse().ok())
            .collect();
        let (across, down): (Vec<f64>, Vec<f64>) =
            corners.chunks(2).map(|pair| (pair[0] - 10.0 - space, 5000.0 - pair[1])).unzip();
        let ends = |all: &[f64]| {
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            (least, all.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        assert_eq!((ends(&across), ends(&down)), ((193.0, 377.0), (0.0, 1556.0)));
        assert_eq!((drawn.matches('M').count(), drawn.matches('Z').count()), (1, 1));
        assert!(!outlines("測", Face::Sans, 10.0, 0.0, 0.0).is_empty(), "a box");
    }

    #[test]
    fn what_is_left_out_of_the_fonts_changes_no_glyph() {
        let drawn = |font: &Font<'_>, glyph| {
            let mut pen = Pen { data: String::new(), scale: 1.0, x: 0.0, y: 0.0 };
            font.outline_glyph(glyph, &mut pen);
            (pen.data, font.glyph_hor_advance(glyph))
        };
        for (face, whole) in
            [(Face::Sans, dejavu::sans::regular()), (Face::Mono, dejavu::sans_mono::regular())]
        {
            let whole = Font::parse(whole, 0).expect("a font");
            let slim = &face.advances().font;
            assert!(whole.number_of_glyphs() > 3000);
            assert_eq!(slim.number_of_glyphs(), whole.number_of_glyphs());
            for glyph in (0..whole.number_of_glyphs()).map(GlyphId) {
                assert_eq!(drawn(slim, glyph), drawn(&whole, glyph), "{glyph:?}");
            }
            for character in '\u{20}'..'\u{30000}' {
                assert_eq!(slim.glyph_index(character), whole.glyph_index(character));
            }
        }
    }

    #[test]
    fn text_that_fits_stays_and_other_text_says_that_it_was_cut() {
        assert_eq!(shorten("zipper", Face::Sans, 10.0, 100.0), "zipper");
        assert_eq!(shorten("a zipper instead", Face::Mono, 10.0, 60.0), "a zipper…");
        assert_eq!(shorten("zipper", Face::Sans, 10.0, 3.0), "");
    }

    #[test]
    fn lines_break_between_words() {
        let lines = |room, count| wrap("use a zipper for control", Face::Mono, 10.0, room, count);
        assert_eq!(lines(75.0, 3), ["use a zipper", "for control"]);
        assert_eq!(lines(75.0, 1), ["use a zippe…"]);
        assert_eq!(lines(1000.0, 2), ["use a zipper for control"]);
        assert!(wrap("  ", Face::Mono, 10.0, 80.0, 2).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_its_room(text in "\\PC{0,60}", room in 0.0..300.0_f64) {
            prop_assert!(width(&shorten(&text, Face::Sans, 10.0, room), Face::Sans, 10.0) <= room);
            for line in wrap(&text, Face::Sans, 10.0, room, 3) {
                prop_assert!(width(&line, Face::Sans, 10.0) <= room);
            }
        }
    }
}
