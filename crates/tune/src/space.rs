//! The search space: axes with levels in order, the permitted combinations, and the points to begin
//! with: each axis alone, from the default, on a few of its levels.

use std::fmt;

/// One level for each axis, as its index on the axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(Vec<usize>);

impl Point {
    /// The point with these levels.
    pub fn new(levels: Vec<usize>) -> Self {
        Self(levels)
    }

    /// Its level on each axis.
    pub fn levels(&self) -> &[usize] {
        &self.0
    }

    /// The same point with another level on one axis.
    #[must_use]
    pub fn with(&self, axis: usize, level: usize) -> Self {
        let mut levels = self.0.clone();
        levels[axis] = level;
        Self(levels)
    }

    /// The number of axes on which two points differ.
    pub fn distance(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).filter(|(a, b)| a != b).count()
    }
}

/// The relation between the levels of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Rising levels; a higher one is expected to buy time with memory.
    CostsMemory,
    /// Rising levels; a higher one is expected to buy memory with time.
    SavesMemory,
    /// Rising levels with unknown effect.
    Rising,
    /// Unordered levels.
    None,
}

/// One setting that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The number of levels, including the default.
    pub levels: usize,
    /// The index of the default level.
    pub default: usize,
    /// The relation between the levels.
    pub order: Order,
}

/// All choices. The axes that are expected to matter most come first.
pub struct Space {
    axes: Vec<Axis>,
    permits: Box<dyn Fn(&Point) -> bool>,
}

impl fmt::Debug for Space {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Space").field("axes", &self.axes).finish_non_exhaustive()
    }
}

/// The reason why a space has nothing to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// There are no axes.
    #[error("there is nothing to choose")]
    NoAxes,
    /// An axis has fewer than two levels, or its default is not one of them.
    #[error("axis {0} offers no choice")]
    NoChoice(usize),
    /// The default itself is not permitted.
    #[error("the default is not permitted")]
    DefaultForbidden,
}

impl Space {
    /// The points of these axes that `permits` accepts.
    ///
    /// # Errors
    ///
    /// When there is nothing to choose, or the default is not permitted.
    pub fn new(
        axes: Vec<Axis>,
        permits: impl Fn(&Point) -> bool + 'static,
    ) -> Result<Self, SpaceError> {
        if axes.is_empty() {
            return Err(SpaceError::NoAxes);
        }
        let lacks_choice = |axis: &Axis| axis.levels < 2 || axis.default >= axis.levels;
        if let Some(axis) = axes.iter().position(lacks_choice) {
            return Err(SpaceError::NoChoice(axis));
        }
        let space = Self { axes, permits: Box::new(permits) };
        if !space.permits(&space.default_point()) {
            return Err(SpaceError::DefaultForbidden);
        }
        Ok(space)
    }

    /// Its axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The point with all defaults.
    pub fn default_point(&self) -> Point {
        Point(self.axes.iter().map(|axis| axis.default).collect())
    }

    /// True if this point belongs to the space.
    pub fn permits(&self, point: &Point) -> bool {
        let is_inside = point.0.len() == self.axes.len()
            && point.0.iter().zip(&self.axes).all(|(level, axis)| *level < axis.levels);
        is_inside && (self.permits)(point)
    }

    /// All of its points; at most the product of the numbers of levels.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let count: usize = self.axes.iter().map(|axis| axis.levels).product();
        let point = |mut number: usize| {
            let level = |axis: &Axis| {
                let level = number % axis.levels;
                number /= axis.levels;
                level
            };
            Point(self.axes.iter().map(level).collect())
        };
        (0..count).map(point).filter(|point| self.permits(point))
    }
}

/// The points that differ from the default on one axis each, at most `runs` of them, most
/// informative first. An axis may get none if there are more axes than runs.
pub(super) fn screen(space: &Space, runs: usize) -> Vec<Point> {
    let default = space.default_point();
    let shares = shares(space.axes(), runs);
    let mut points = Vec::new();
    for (axis, (levels, share)) in space.axes().iter().zip(shares).enumerate() {
        let mut levels = spread(levels, share);
        levels.retain(|&level| space.permits(&default.with(axis, level)));
        points.extend(levels.into_iter().map(|level| default.with(axis, level)));
    }
    points
}

/// The number of levels to try on each axis: one each, and then one at a time wherever the levels
/// are tried most sparsely.
fn shares(axes: &[Axis], runs: usize) -> Vec<usize> {
    let mut shares: Vec<usize> = (0..axes.len()).map(|axis| usize::from(axis < runs)).collect();
    let sparsity = |axis: &Axis, share: usize| {
        let others = axis.levels - 1;
        if share >= others {
            return 0.0;
        }
        match axis.order {
            // One unordered level says nothing about another.
            Order::None => others as f64,
            _ => others as f64 / share as f64,
        }
    };
    for _ in axes.len()..runs {
        let all = axes.iter().zip(&shares).map(|(axis, &share)| sparsity(axis, share));
        // On a tie the first one wins, because the axes that matter come first.
        let sparsest = all.enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((axis, _)) = sparsest.filter(|(_, sparsity)| *sparsity > 0.0) else { break };
        shares[axis] += 1;
    }
    shares
}

/// `share` levels of the axis, without the default's. Those that cost memory come first, always
/// including the last; the others get one in four.
fn spread(axis: &Axis, share: usize) -> Vec<usize> {
    let below: Vec<usize> = (0..axis.default).rev().collect();
    let above: Vec<usize> = (axis.default + 1..axis.levels).collect();
    let (dear, cheap) = match axis.order {
        Order::CostsMemory | Order::None => (above, below),
        Order::SavesMemory => (below, above),
        Order::Rising => {
            let to_above = share.div_ceil(2);
            let mut levels = evenly(&above, to_above);
            levels.extend(evenly(&below, share - to_above));
            return levels;
        }
    };
    let for_cheap = if dear.is_empty() { share } else { (share / 4).min(cheap.len()) };
    let for_cheap = for_cheap.max(share.saturating_sub(dear.len()));
    let mut levels = evenly(&dear, share - for_cheap);
    levels.extend(evenly(&cheap, for_cheap));
    levels
}

/// `count` of these levels: always the last, the others at equal distances before it.
fn evenly(levels: &[usize], count: usize) -> Vec<usize> {
    let count = count.min(levels.len());
    (1..=count).rev().map(|part| levels[levels.len() * part / count - 1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(levels: usize, default: usize, order: Order) -> Axis {
        Axis { levels, default, order }
    }

    #[test]
    fn the_dear_side_is_looked_at_first_and_to_its_end() {
        let size = axis(16, 3, Order::CostsMemory);
        assert_eq!(spread(&size, 1), [15]);
        assert_eq!(spread(&size, 4), [15, 11, 7, 0]);
        let saves = axis(6, 4, Order::SavesMemory);
        assert_eq!(spread(&saves, 2), [0, 2]);
        assert_eq!(spread(&saves, 9), [0, 1, 2, 3, 5]);
    }

    #[test]
    fn where_nothing_is_known_both_sides_are_looked_at() {
        assert_eq!(spread(&axis(9, 4, Order::Rising), 4), [8, 6, 0, 2]);
        assert_eq!(spread(&axis(3, 0, Order::Rising), 2), [2]);
    }

    #[test]
    fn every_axis_gets_its_share_and_the_first_the_most() {
        let axes = [
            axis(16, 3, Order::CostsMemory),
            axis(8, 2, Order::CostsMemory),
            axis(3, 0, Order::None),
        ];
        assert_eq!(shares(&axes, 10), [6, 3, 1]);
        assert_eq!(shares(&axes, 2), [1, 1, 0]);
        assert_eq!(shares(&axes, 1000), [15, 7, 2]);
    }

    #[test]
    fn what_is_not_permitted_is_not_proposed() {
        let axes = vec![axis(4, 0, Order::Rising), axis(2, 0, Order::None)];
        let space = Space::new(axes, |point| point.levels()[0] != 3).expect("valid");
        let points = screen(&space, 9);
        assert!(points.iter().all(|point| space.permits(point)), "{points:?}");
        assert!(points.contains(&Point::new(vec![0, 1])));
    }
}
