//! The line of a panel over columns, the band around it, and its dots.
//!
//! Columns that are narrower than a unit of the picture share a step of the line, which then covers
//! all their values: no extreme is lost, and the picture of thousands of columns stays small.

use super::axis::Estimate;
use super::columns::{ColumnFigure, ColumnPanel, ColumnState, Grid};
use super::plot::Plot;
use super::scene::Element;
use super::shape::Path;

/// The width of columns from which each value has a dot.
const DOTS_FROM: f64 = 6.0;
/// The radius of the dots.
const DOT: f64 = 2.4;
/// The width of columns below which lines are thinner.
const DENSE_BELOW: f64 = 4.0;

/// Columns that share a step of the line.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Its ends from left to right.
    ends: [f64; 2],
    /// The least value and the largest.
    values: [f64; 2],
    /// The value at its end.
    last: f64,
    /// The lowest end of an interval and the highest.
    interval: [f64; 2],
}

impl Step {
    /// None if no column has a value.
    fn from_points(points: &[Option<Estimate>], first: usize, grid: Grid) -> Option<Self> {
        let all = || points.iter().flatten();
        let least = |of: fn(&Estimate) -> f64| all().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Estimate) -> f64| all().map(of).fold(f64::NEG_INFINITY, f64::max);
        Some(Self {
            ends: [grid.edge(first), grid.edge(first + points.len())],
            values: [least(|one| one.value), most(|one| one.value)],
            last: all().last()?.value,
            interval: [least(|one| one.low), most(|one| one.high)],
        })
    }

    /// A level line, after a stroke over all values if they differ.
    fn line(self, plot: Plot<'_>) -> Vec<(f64, f64)> {
        let [from, to] = self.ends;
        let [least, most] = self.values;
        let stroke: &[f64] = if least < most { &[least, most] } else { &[] };
        let mut line: Vec<(f64, f64)> = stroke.iter().map(|value| (from, plot.y(*value))).collect();
        line.extend([(from, plot.y(self.last)), (to, plot.y(self.last))]);
        line
    }

    fn level(self, value: f64, plot: Plot<'_>) -> [(f64, f64); 2] {
        self.ends.map(|x| (x, plot.y(value)))
    }
}

/// The band, the line and the dots.
pub(crate) fn values(
    figure: &ColumnFigure,
    panel: &ColumnPanel,
    grid: Grid,
    plot: Plot<'_>,
) -> Vec<Element> {
    let steps = steps(&panel.points, grid);
    let runs = || steps.split(Option::is_none).filter(|run| !run.is_empty());
    let line = runs().map(|run| {
        Path::through(&run.iter().flatten().flat_map(|step| step.line(plot)).collect::<Vec<_>>())
    });
    let is_noisy = |run: &&[Option<Step>]| {
        run.iter().flatten().any(|step| step.interval[0] < step.interval[1])
    };
    let band = runs().filter(is_noisy).map(|run| {
        let side = |end: usize| {
            run.iter().flatten().flat_map(move |step| step.level(step.interval[end], plot))
        };
        let below: Vec<(f64, f64)> = side(0).collect();
        let mut around: Vec<(f64, f64)> = side(1).collect();
        around.extend(below.into_iter().rev());
        Path::polygon(&around)
    });
    let class = if grid.pitch < DENSE_BELOW { "line dense" } else { "line" };
    let mut elements = vec![Element::path("band", band), Element::path(class, line)];
    if grid.pitch >= DOTS_FROM {
        elements.extend(dots(figure, panel, grid, plot));
    }
    elements
}

/// The steps, from left to right; None for gaps.
fn steps(points: &[Option<Estimate>], grid: Grid) -> Vec<Option<Step>> {
    let shared = ((1.0 / grid.pitch) as usize).max(1);
    let steps = points.chunks(shared).enumerate();
    steps.map(|(place, points)| Step::from_points(points, place * shared, grid)).collect()
}

fn dots(figure: &ColumnFigure, panel: &ColumnPanel, grid: Grid, plot: Plot<'_>) -> [Element; 2] {
    let dots = |is_repeated: bool| {
        let points = panel.points.iter().zip(&figure.columns).enumerate();
        points.filter_map(move |(index, (point, column))| {
            let is = column.state == ColumnState::Repeated;
            let y = plot.y(point.as_ref()?.value);
            (is == is_repeated).then(|| Path::circle(grid.middle(index), y, DOT))
        })
    };
    [Element::path("dots", dots(false)), Element::path("repeated", dots(true))]
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::super::columns::Column;
    use super::super::label::Rect;
    use super::*;

    /// The band and the line, over 40 units in width, of values from 0 to 4 over 100 in height.
    fn drawn(points: Vec<Option<Estimate>>) -> (String, String) {
        let given: Vec<Estimate> = points.iter().flatten().copied().collect();
        let axis = Axis::from_points(&given, &|value, _| value.to_string());
        assert_eq!((axis.low, axis.high), (0.0, 4.0));
        let column = Column {
            name: String::new(),
            note: String::new(),
            tooltip: String::new(),
            remark: String::new(),
            state: ColumnState::Plain,
        };
        let place = Rect { left: 10.0, top: 0.0, right: 50.0, bottom: 100.0 };
        let grid = Grid { left: 10.0, pitch: 40.0 / points.len() as f64, right: 50.0 };
        let (name, ends, changes) = (String::new(), String::new(), Vec::new());
        let scales = Vec::new();
        let panel = ColumnPanel { name, ends, axis, scales, points, changes };
        let columns = vec![column; panel.points.len()];
        let figure = ColumnFigure { columns, panels: Vec::new(), events: Vec::new() };
        let plot = Plot { place, vertical: &panel.axis };
        let elements = values(&figure, &panel, grid, plot);
        let data = |index: usize| elements[index].outlines().map(Path::data).unwrap_or_default();
        (data(0), data(1))
    }

    #[test]
    fn the_line_is_level_around_each_column_and_ends_at_gaps() {
        let exact = Estimate::exact;
        let (band, line) = drawn(vec![exact(1.0), exact(2.0), None, exact(4.0)]);
        assert_eq!((line.as_str(), band.as_str()), ("M10 75h10v-25h10M40 0h10", ""));
    }

    #[test]
    fn the_band_goes_around_the_intervals() {
        let exact = Estimate::exact(4.0);
        let (band, _) = drawn(vec![Estimate::new(2.0, 1.0, 3.0), exact, None, None]);
        assert_eq!(band, "M10 25h10v-25h10h-10v75h-10z");
    }

    #[test]
    fn columns_narrower_than_a_unit_share_a_step_over_all_their_values() {
        // Four columns to a unit: the first of 40 units contains everything, the rest is level at
        // 2.
        let mut points = vec![Estimate::exact(2.0); 160];
        points[1] = Estimate::new(4.0, 3.0, 4.0);
        points[2] = Estimate::new(1.0, 0.0, 2.0);
        let (band, line) = drawn(points.clone());
        assert!(line.starts_with("M10 75v-75v50h1"), "{line}");
        // The lower edge comes back over the unit that reaches down to 0.
        assert!(band.starts_with("M10 0h1v50h1") && band.ends_with("v50h-1z"), "{band}");
        // A unit without a value is a gap, one with some values is not.
        points[8..12].fill(None);
        points[20] = None;
        assert_eq!(drawn(points).1.matches('M').count(), 2);
    }
}
