//! A panel's values as paths: the line, and the band of the intervals around it.

use super::Point;
use super::axis::Axis;
use super::label::Rect;

/// Consecutive commits with readings: the index of the first, and their points.
pub(super) fn runs(points: &[Option<Point>]) -> Vec<(usize, Vec<Point>)> {
    let mut runs: Vec<(usize, Vec<Point>)> = Vec::new();
    let mut is_open = false;
    for (index, point) in points.iter().enumerate() {
        match (point, runs.last_mut()) {
            (Some(point), Some((_, run))) if is_open => run.push(*point),
            (Some(point), _) => runs.push((index, vec![*point])),
            (None, _) => {}
        }
        is_open = point.is_some();
    }
    runs
}

/// Path data with coordinates in whole hundredths, so that relative moves add up exactly.
struct Pen {
    data: String,
    x: i64,
    y: i64,
}

impl Pen {
    fn new() -> Self {
        Self { data: String::new(), x: 0, y: 0 }
    }

    fn go(&mut self, x: f64, y: f64) {
        (self.x, self.y) = (hundredths(x), hundredths(y));
        self.data += &format!("M{} {}", decimal(self.x), decimal(self.y));
    }

    fn across(&mut self, x: f64) {
        let x = hundredths(x);
        self.data += &format!("h{}", decimal(x - self.x));
        self.x = x;
    }

    fn vertical(&mut self, y: f64) {
        let y = hundredths(y);
        if y != self.y {
            self.data += &format!("v{}", decimal(y - self.y));
            self.y = y;
        }
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

/// A coordinate as it is written everywhere in the SVG: at most two decimals.
pub(in crate::report) fn number(value: f64) -> String {
    decimal(hundredths(value))
}

/// Where the columns of the commits and the heights of a panel are.
pub(super) struct Grid<'a> {
    pub(super) plot: Rect,
    pub(super) pitch: f64,
    pub(super) axis: &'a Axis,
}

impl Grid<'_> {
    /// The left edge of a commit's column.
    pub(super) fn edge(&self, commit: usize) -> f64 {
        self.plot.left + commit as f64 * self.pitch
    }

    /// The height of a value.
    pub(super) fn y(&self, value: f64) -> f64 {
        self.plot.bottom - self.axis.place(value) * self.plot.height()
    }

    /// The line: level across each commit's column, one `h` for each commit with a reading, and a
    /// new `M` after each gap.
    pub(super) fn line(&self, points: &[Option<Point>]) -> String {
        let mut pen = Pen::new();
        for (first, run) in runs(points) {
            pen.go(self.edge(first), self.y(run[0].value));
            for (index, point) in run.iter().enumerate() {
                pen.vertical(self.y(point.value));
                pen.across(self.edge(first + index + 1));
            }
        }
        pen.data
    }

    /// The band between the ends of the intervals; empty when no interval is wider than its value.
    pub(super) fn band(&self, points: &[Option<Point>]) -> String {
        let mut pen = Pen::new();
        for (first, run) in runs(points) {
            if run.iter().all(|point| point.low == point.high) {
                continue;
            }
            pen.go(self.edge(first), self.y(run[0].high));
            for (index, point) in run.iter().enumerate() {
                pen.vertical(self.y(point.high));
                pen.across(self.edge(first + index + 1));
            }
            for (index, point) in run.iter().enumerate().rev() {
                pen.vertical(self.y(point.low));
                pen.across(self.edge(first + index));
            }
            pen.data.push('z');
        }
        pen.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Unit;

    fn point(value: f64, low: f64, high: f64) -> Option<Point> {
        Some(Point { value, low, high })
    }

    fn grid(axis: &Axis) -> Grid<'_> {
        let plot = Rect { left: 10.0, top: 0.0, right: 50.0, bottom: 100.0 };
        Grid { plot, pitch: 10.0, axis }
    }

    #[test]
    fn the_line_is_level_around_each_commit_and_ends_at_gaps() {
        let points = [point(1.0, 1.0, 1.0), point(2.0, 2.0, 2.0), None, point(4.0, 4.0, 4.0)];
        let axis = Axis::of(&points, Unit::Count);
        assert_eq!((axis.low, axis.high), (0.0, 4.0));
        assert_eq!(grid(&axis).line(&points), "M10 75h10v-25h10M40 0h10");
        assert_eq!(grid(&axis).band(&points), "");
    }

    #[test]
    fn the_band_goes_around_the_intervals() {
        let points = [point(2.0, 1.0, 3.0), point(4.0, 4.0, 4.0)];
        let axis = Axis::of(&points, Unit::Count);
        assert_eq!(grid(&axis).band(&points), "M10 25h10v-25h10h-10v75h-10z");
    }

    #[test]
    fn coordinates_are_as_short_as_they_can_be() {
        let numbers = [0.0, 12.0, -0.5, 0.126, -3.104, 100.01, -0.001].map(number);
        assert_eq!(numbers, ["0", "12", "-.5", ".13", "-3.1", "100.01", "0"]);
    }
}
