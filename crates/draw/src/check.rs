//! The checks that refuse contradictory charts, before anything is drawn.

use super::columns::ColumnFigure;
use super::points::PointFigure;

/// The reason why a chart cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// There are no columns.
    #[error("a chart needs at least one column")]
    NoColumns,
    /// There are no panels.
    #[error("a chart needs at least one panel")]
    NoPanels,
    /// The number of entries of a panel differs from that of the columns.
    #[error("`{panel}` has {points} points for {columns} columns")]
    Points {
        /// The panel's name.
        panel: String,
        /// The number of points of the panel.
        points: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A change is at a column that does not exist.
    #[error("`{panel}` changes at column {column} of {columns}")]
    Outside {
        /// The panel's name.
        panel: String,
        /// The index of the column.
        column: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A ratio is negative, or not a number.
    #[error("`{panel}` changes by the ratio {ratio} at `{column}`")]
    Ratio {
        /// The panel's name.
        panel: String,
        /// The column's name.
        column: String,
        /// The ratio.
        ratio: f64,
    },
    /// A value of a curve is not a number.
    #[error("`{panel}` has a curve that is none")]
    Curve {
        /// The panel's name.
        panel: String,
    },
    /// The stacks are empty.
    #[error("no stack counts anything")]
    NoStacks,
    /// The SVG cannot be read back for turning it into pixels.
    #[error("cannot draw the chart as pixels")]
    Picture(#[source] resvg::usvg::Error),
    /// There is not enough memory for the pixels, or PNG does not allow the size.
    #[error("a picture of {width} x {height} pixels is too large")]
    Size {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
}

impl ColumnFigure {
    pub(crate) fn check(&self) -> Result<(), DrawError> {
        let columns = self.columns.len();
        if columns == 0 {
            return Err(DrawError::NoColumns);
        }
        if self.panels.is_empty() {
            return Err(DrawError::NoPanels);
        }
        if let Some(wrong) = self.events.iter().find(|event| event.first >= columns) {
            let (panel, column) = (wrong.tooltip.clone(), wrong.first);
            return Err(DrawError::Outside { panel, column, columns });
        }
        for panel in &self.panels {
            let name = || panel.name.clone();
            if panel.points.len() != columns {
                return Err(DrawError::Points {
                    panel: name(),
                    points: panel.points.len(),
                    columns,
                });
            }
            for change in &panel.changes {
                let (first, last) = (change.first, change.last.unwrap_or(change.first));
                if last >= columns || first > last {
                    let column = first.max(last);
                    return Err(DrawError::Outside { panel: name(), column, columns });
                }
                if change.ratio.is_nan() || change.ratio < 0.0 {
                    let (column, ratio) = (self.columns[first].name.clone(), change.ratio);
                    return Err(DrawError::Ratio { panel: name(), column, ratio });
                }
            }
        }
        Ok(())
    }
}

impl PointFigure {
    pub(crate) fn check(&self) -> Result<(), DrawError> {
        if self.panels.is_empty() {
            return Err(DrawError::NoPanels);
        }
        let is_sound = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        let wrong = self.panels.iter().find(|panel| {
            panel.curves.iter().flat_map(|curve| &curve.places).any(|place| !is_sound(place))
        });
        wrong.map_or(Ok(()), |panel| Err(DrawError::Curve { panel: panel.name.clone() }))
    }
}
