//! Outlines with their SVG syntax, the shapes of points, which differ without colour, and colours
//! for values: a scale with perceptually equal steps, from dark for little to bright for much.

use super::text::Rect;

/// A shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A large star with five points.
    Star,
    /// A large square on its corner.
    Diamond,
    /// A large triangle.
    Triangle,
    /// A large disc in the first colour.
    Disc,
    /// A small grey disc.
    Dot,
    /// A small circle.
    Circle,
    /// Two lines that cross.
    Cross,
    /// A short line.
    Dash,
    /// A square around another shape.
    Frame,
}

/// The size of named points' shapes, from the middle to the edge.
pub(crate) const LARGE: f64 = 6.5;
/// The size of the frame around the default.
pub(crate) const FRAME: f64 = 8.0;

impl Shape {
    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Star => "star",
            Self::Diamond => "diamond",
            Self::Triangle => "triangle",
            Self::Disc => "disc",
            Self::Dot => "dot",
            Self::Circle => "circle",
            Self::Cross => "cross",
            Self::Dash => "dash",
            Self::Frame => "frame",
        }
    }

    /// Its radius, if an unnamed point has the radius `radius`.
    pub(crate) fn reach(self, radius: f64) -> f64 {
        match self {
            Self::Star | Self::Diamond | Self::Triangle => LARGE,
            Self::Disc => (1.35 * radius).max(2.5),
            Self::Dot | Self::Circle => radius,
            Self::Cross | Self::Dash => 3.5,
            Self::Frame => FRAME,
        }
    }

    /// Its outline around a point, with this radius.
    pub(crate) fn outline(self, x: f64, y: f64, reach: f64) -> Path {
        let (left, right, top, bottom) = (x - reach, x + reach, y - reach, y + reach);
        match self {
            Self::Star => star(x, y, reach),
            Self::Diamond => Path::polygon(&[(x, top), (right, y), (x, bottom), (left, y)]),
            Self::Triangle => {
                let (side, base) = (0.9 * reach, y + 0.65 * reach);
                Path::polygon(&[(x, top), (x + side, base), (x - side, base)])
            }
            Self::Disc | Self::Dot | Self::Circle => Path::circle(x, y, reach),
            Self::Cross => {
                [[left, top, right, bottom], [right, top, left, bottom]].into_iter().collect()
            }
            Self::Dash => Path::line([left, y, right, y]),
            Self::Frame => {
                Path::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
            }
        }
    }
}

/// A star of five points; the inner corners are where its lines would cross.
fn star(x: f64, y: f64, reach: f64) -> Path {
    let inner = reach * 0.45;
    let corner = |index: usize| {
        let angle = std::f64::consts::PI * (index as f64 / 5.0 - 0.5);
        let radius = if index.is_multiple_of(2) { reach } else { inner };
        (x + radius * angle.cos(), y + radius * angle.sin())
    };
    Path::polygon(&(0..10).map(corner).collect::<Vec<_>>())
}

/// Half the height of a pointer.
const POINTER: f64 = 4.0;

/// A triangle that points up if values rise and down if they fall.
pub(crate) fn pointer(x: f64, y: f64, is_up: bool) -> Path {
    let tip = if is_up { -POINTER } else { POINTER };
    let (side, base) = (POINTER - 0.6, y - 0.8 * tip);
    Path::polygon(&[(x - side, base), (x + side, base), (x, y + 0.8 * tip)])
}

/// A line from one point to another: x and y of its beginning and its end.
pub type Segment = [f64; 4];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Go(f64, f64),
    Line(f64, f64),
    Circle { x: f64, y: f64, radius: f64 },
    Close,
}

/// Lines, rectangles, polygons and circles, drawn in one style.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Path(Vec<Step>);

impl Path {
    /// The line through these corners.
    pub fn through(corners: &[(f64, f64)]) -> Self {
        let step = |(index, (x, y)): (usize, &(f64, f64))| match index {
            0 => Step::Go(*x, *y),
            _ => Step::Line(*x, *y),
        };
        Self(corners.iter().enumerate().map(step).collect())
    }

    /// The polygon with these corners.
    pub fn polygon(corners: &[(f64, f64)]) -> Self {
        let mut path = Self::through(corners);
        path.0.push(Step::Close);
        path
    }

    /// A straight line.
    pub fn line([from_x, from_y, to_x, to_y]: Segment) -> Self {
        Self::through(&[(from_x, from_y), (to_x, to_y)])
    }

    /// A rectangle.
    pub fn rect(Rect { left, top, right, bottom }: Rect) -> Self {
        Self::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
    }

    /// A circle.
    pub fn circle(x: f64, y: f64, radius: f64) -> Self {
        Self(vec![Step::Circle { x, y, radius }])
    }

    /// True if there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The corners of all its parts, in order; for circles, those of their bounding squares.
    pub fn corners(&self) -> Vec<(f64, f64)> {
        let of = |step: &Step| match *step {
            Step::Go(x, y) | Step::Line(x, y) => vec![(x, y)],
            Step::Circle { x, y, radius } => {
                vec![(x - radius, y - radius), (x + radius, y + radius)]
            }
            Step::Close => Vec::new(),
        };
        self.0.iter().flat_map(of).collect()
    }

    /// Its bounding rectangle; None if it is empty.
    pub fn bounds(&self) -> Option<Rect> {
        let around = |x, y| Rect { left: x, top: y, right: x, bottom: y };
        self.corners().into_iter().map(|(x, y)| around(x, y)).reduce(Rect::and)
    }

    /// The SVG syntax: in whole hundredths, so that relative moves add up exactly.
    pub(crate) fn data(&self) -> String {
        let mut data = String::new();
        let (mut at_x, mut at_y) = (0, 0);
        for step in &self.0 {
            match *step {
                Step::Go(x, y) => {
                    (at_x, at_y) = (hundredths(x), hundredths(y));
                    data += &format!("M{} {}", decimal(at_x), decimal(at_y));
                }
                Step::Line(x, y) => {
                    let (x, y) = (hundredths(x), hundredths(y));
                    data += &match (decimal(x - at_x), decimal(y - at_y)) {
                        _ if x == at_x && y == at_y => String::new(),
                        (across, _) if y == at_y => format!("h{across}"),
                        (_, down) if x == at_x => format!("v{down}"),
                        (across, down) => format!("l{across} {down}"),
                    };
                    (at_x, at_y) = (x, y);
                }
                Step::Circle { x, y, radius } => {
                    let (left, radius) = (number(x - radius), number(radius));
                    data += &format!("M{left} {}a{radius} {radius} 0 1 1 0 .01z", number(y));
                }
                Step::Close => data.push('z'),
            }
        }
        data
    }
}

/// Joins many paths into one, in order.
impl FromIterator<Path> for Path {
    fn from_iter<T: IntoIterator<Item = Path>>(paths: T) -> Self {
        Self(paths.into_iter().flat_map(|path| path.0).collect())
    }
}

/// Joins many lines into one path.
impl FromIterator<Segment> for Path {
    fn from_iter<T: IntoIterator<Item = Segment>>(lines: T) -> Self {
        lines.into_iter().map(Path::line).collect()
    }
}

fn hundredths(value: f64) -> i64 {
    (value * 100.0).round() as i64
}

/// Hundredths as a decimal number without superfluous characters: `-12` is `-.12`.
fn decimal(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, rest) = (hundredths.abs() / 100, hundredths.abs() % 100);
    match (whole, rest) {
        (0, 0) => "0".to_owned(),
        (_, 0) => format!("{sign}{whole}"),
        (0, _) => format!("{sign}.{}", trimmed(rest)),
        (_, _) => format!("{sign}{whole}.{}", trimmed(rest)),
    }
}

fn trimmed(rest: i64) -> String {
    if rest % 10 == 0 { (rest / 10).to_string() } else { format!("{rest:02}") }
}

/// A coordinate as written throughout the SVG: at most two decimals.
pub(crate) fn number(value: f64) -> String {
    decimal(hundredths(value))
}

/// Viridis, by Stéfan van der Walt and Nathaniel Smith (2015, released as CC0), at nine points at
/// equal distances. Between them the colours are interpolated.
const VIRIDIS: [[u8; 3]; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x28, 0xae, 0x80],
    [0x5e, 0xc9, 0x62],
    [0xad, 0xdc, 0x30],
    [0xfd, 0xe7, 0x25],
];

/// A colour as red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Colour {
    /// The colour of a share of the scale, from 0 to 1.
    pub fn viridis(share: f64) -> Self {
        let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
        let below = (place.floor() as usize).min(VIRIDIS.len() - 2);
        let part = place - below as f64;
        let (from, to) = (VIRIDIS[below], VIRIDIS[below + 1]);
        let mix = |channel: usize| {
            let (from, to) = (f64::from(from[channel]), f64::from(to[channel]));
            (from + (to - from) * part).round() as u8
        };
        Self([mix(0), mix(1), mix(2)])
    }

    /// The colour with this much red, green and blue.
    pub(crate) fn rgb(channels: [u8; 3]) -> Self {
        Self(channels)
    }

    /// The SVG syntax of the colour.
    pub fn hexadecimal(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Its relative luminance from 0 to 1, as defined by the Web Content Accessibility Guidelines
    /// (2.1).
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// True if black text has more contrast on it than white text: if the luminance is above the
    /// one at which both contrast ratios of the guidelines are equal, `√(1.05 · 0.05) - 0.05`.
    pub(crate) fn is_light(self) -> bool {
        self.luminance() > 0.179
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_in_the_shortest_way() {
        let corners = [(10.0, 75.0), (20.0, 75.0), (20.0, 50.0), (20.0, 50.0), (30.5, 40.25)];
        assert_eq!(Path::through(&corners).data(), "M10 75h10v-25l10.5 -9.75");
        let place = Rect { left: 1.0, top: 2.0, right: 4.0, bottom: 6.0 };
        assert_eq!(Path::rect(place).data(), "M1 2h3v4h-3z");
        assert_eq!(Path::circle(5.0, 5.0, 2.4).data(), "M2.6 5a2.4 2.4 0 1 1 0 .01z");
        assert_eq!(Path::rect(place).bounds(), Some(place));
    }

    #[test]
    fn coordinates_are_as_short_as_they_can_be() {
        let numbers = [0.0, 12.0, -0.5, 0.126, -3.104, 100.01, -0.001].map(number);
        assert_eq!(numbers, ["0", "12", "-.5", ".13", "-3.1", "100.01", "0"]);
    }

    #[test]
    fn the_scale_runs_from_dark_violet_to_yellow() {
        assert_eq!(Colour::viridis(0.0).hexadecimal(), "#440154");
        assert_eq!(Colour::viridis(0.5).hexadecimal(), "#21918c");
        assert_eq!(Colour::viridis(1.0).hexadecimal(), "#fde725");
        assert_eq!(Colour::viridis(7.0), Colour::viridis(1.0));
        // Halfway between #440154 and #472d7b.
        assert_eq!(Colour::viridis(1.0 / 16.0).hexadecimal(), "#461768");
    }

    /// CIE lightness, in which a perceptually uniform scale is even.
    fn lightness(share: f64) -> f64 {
        116.0 * Colour::viridis(share).luminance().cbrt() - 16.0
    }

    #[test]
    fn lightness_rises_evenly_so_that_the_scale_works_in_grey() {
        let steps: Vec<f64> = (0..20)
            .map(|step| lightness(f64::from(step + 1) / 20.0) - lightness(f64::from(step) / 20.0))
            .collect();
        let mean = (lightness(1.0) - lightness(0.0)) / 20.0;
        for step in &steps {
            assert!((step / mean - 1.0).abs() < 0.3, "{steps:?}");
        }
    }

    #[test]
    fn text_on_every_colour_has_contrast() {
        for step in 0..=100 {
            let colour = Colour::viridis(f64::from(step) / 100.0);
            let text = if colour.is_light() { 0.0 } else { 1.0 };
            let (light, dark) = (colour.luminance().max(text), colour.luminance().min(text));
            assert!((light + 0.05) / (dark + 0.05) >= 4.5, "{}", colour.hexadecimal());
        }
    }
}
