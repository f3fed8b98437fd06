//! What can be chosen: some axes, each with its levels in order, and which combinations are
//! permitted.

use std::fmt;

/// One level for each axis, by its place on the axis.
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

    /// On how many axes two points differ.
    pub fn distance(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).filter(|(a, b)| a != b).count()
    }
}

/// How the levels of an axis belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// They rise, and a higher one buys time with memory, as far as is known beforehand.
    CostsMemory,
    /// They rise, and a higher one buys memory with time.
    SavesMemory,
    /// They rise, and it is not known what a higher one does.
    Rising,
    /// They are different things.
    None,
}

/// One thing that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// How many levels it has, that of the default included.
    pub levels: usize,
    /// Which of them is the default.
    pub default: usize,
    /// How they belong together.
    pub order: Order,
}

/// All that can be chosen. The axes that are expected to matter most come first.
pub struct Space {
    axes: Vec<Axis>,
    permits: Box<dyn Fn(&Point) -> bool>,
}

impl fmt::Debug for Space {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Space").field("axes", &self.axes).finish_non_exhaustive()
    }
}

/// Why there is nothing to search in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// There is no axis.
    #[error("there is nothing to choose")]
    NoAxes,
    /// An axis has one level or none, or its default is none of them.
    #[error("axis {0} offers no choice")]
    NoChoice(usize),
    /// The default itself is not permitted.
    #[error("the default is not permitted")]
    DefaultForbidden,
}

impl Space {
    /// The points of these axes that `permits` lets pass.
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

    /// Where nothing is changed.
    pub fn default_point(&self) -> Point {
        Point(self.axes.iter().map(|axis| axis.default).collect())
    }

    /// Whether this point is one of the space.
    pub fn permits(&self, point: &Point) -> bool {
        let is_inside = point.0.len() == self.axes.len()
            && point.0.iter().zip(&self.axes).all(|(level, axis)| *level < axis.levels);
        is_inside && (self.permits)(point)
    }

    /// All of its points; as many as the product of the levels at most.
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
