//! The search space: axes with levels in order, and the permitted combinations.

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
