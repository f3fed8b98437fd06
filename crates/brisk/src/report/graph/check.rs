//! Refusing graphs that contradict themselves, before anything is drawn.

use super::{Graph, Panel};

/// Why a graph cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// There is no commit to draw.
    #[error("a graph needs at least one commit")]
    NoCommits,
    /// There is no metric to draw.
    #[error("a graph needs at least one metric")]
    NoPanels,
    /// A panel has not one entry for each commit.
    #[error("`{panel}` has {points} points for {commits} commits")]
    Points {
        /// The panel's name.
        panel: String,
        /// How many points it has.
        points: usize,
        /// How many commits there are.
        commits: usize,
    },
    /// A value is not finite, or not within its interval's order.
    #[error("`{panel}` has the value {value} in [{low}, {high}] at commit `{hash}`")]
    Value {
        /// The panel's name.
        panel: String,
        /// The commit's hash.
        hash: String,
        /// The value.
        value: f64,
        /// The interval's lower end.
        low: f64,
        /// The interval's upper end.
        high: f64,
    },
    /// A step or a drift is at a commit that is not there.
    #[error("`{panel}` changes at commit number {commit} of {commits}")]
    Outside {
        /// The panel's name.
        panel: String,
        /// The index of the commit.
        commit: usize,
        /// How many commits there are.
        commits: usize,
    },
    /// A ratio is not a positive number.
    #[error("`{panel}` changes by the ratio {ratio} at commit `{hash}`")]
    Ratio {
        /// The panel's name.
        panel: String,
        /// The commit's hash.
        hash: String,
        /// The ratio.
        ratio: f64,
    },
    /// A curve has not one amount for each time, or something that is no number.
    #[error("`{curve}` is no curve")]
    Curve {
        /// The curve's name.
        curve: String,
    },
    /// The SVG cannot be read back to turn it into pixels.
    #[error("cannot draw the graph as pixels")]
    Picture(#[source] resvg::usvg::Error),
    /// There is no memory for so many pixels, or PNG has no room for them.
    #[error("a picture of {width} x {height} pixels is too large")]
    Size {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
}

impl Graph {
    /// Looks for what cannot be drawn.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn check(&self) -> Result<(), GraphError> {
        if self.commits.is_empty() {
            return Err(GraphError::NoCommits);
        }
        if self.panels.is_empty() {
            return Err(GraphError::NoPanels);
        }
        self.panels.iter().try_for_each(|panel| {
            self.check_points(panel)?;
            self.check_changes(panel)
        })
    }

    fn check_points(&self, panel: &Panel) -> Result<(), GraphError> {
        if panel.points.len() != self.commits.len() {
            return Err(GraphError::Points {
                panel: panel.name.clone(),
                points: panel.points.len(),
                commits: self.commits.len(),
            });
        }
        // An interval may be without end, and an estimate need not lie in the interval of another
        // estimator; but NaN is nowhere.
        let wrong = |(_, point): &(usize, super::Point)| {
            !point.value.is_finite() || point.low.partial_cmp(&point.high).is_none_or(|o| o.is_gt())
        };
        let mut given = panel
            .points
            .iter()
            .enumerate()
            .filter_map(|(at, point)| point.map(|point| (at, point)));
        match given.find(|point| wrong(point)) {
            None => Ok(()),
            Some((commit, point)) => Err(GraphError::Value {
                panel: panel.name.clone(),
                hash: self.commits[commit].hash.clone(),
                value: point.value,
                low: point.low,
                high: point.high,
            }),
        }
    }

    fn check_changes(&self, panel: &Panel) -> Result<(), GraphError> {
        let steps = panel.steps.iter().map(|step| (step.commit, step.commit, step.ratio));
        let drifts = panel.drifts.iter().map(|drift| (drift.first, drift.last, drift.ratio));
        for (first, last, ratio) in steps.chain(drifts) {
            let commits = self.commits.len();
            if last >= commits || first > last {
                let commit = first.max(last);
                return Err(GraphError::Outside { panel: panel.name.clone(), commit, commits });
            }
            if !(ratio.is_finite() && ratio > 0.0) {
                let hash = self.commits[first].hash.clone();
                return Err(GraphError::Ratio { panel: panel.name.clone(), hash, ratio });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::report::graph::{Change, Drift, Point};

    fn refused(change: impl FnOnce(&mut Graph)) -> String {
        let mut graph = samples::founding();
        assert!(graph.check().is_ok());
        change(&mut graph);
        let error = graph.check().expect_err("it contradicts itself");
        assert_eq!(super::super::svg(&graph).map_err(|e| e.to_string()), Err(error.to_string()));
        error.to_string()
    }

    #[test]
    fn what_contradicts_itself_is_refused_with_its_place() {
        let point = |value, low, high| Some(Point { value, low, high });
        assert_eq!(refused(|g| g.commits.clear()), "a graph needs at least one commit");
        assert_eq!(refused(|g| g.panels.clear()), "a graph needs at least one metric");
        assert_eq!(
            refused(|g| g.panels[1].points.truncate(39)),
            "`Memory` has 39 points for 40 commits"
        );
        assert_eq!(
            refused(|g| g.panels[0].points[3] = point(f64::NAN, 1.0, 2.0)),
            "`Allocations` has the value NaN in [1, 2] at commit `0000003`"
        );
        for (low, high) in [(2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(refused(|g| g.panels[0].points[3] = point(1.0, low, high)).contains("0000003"));
        }
        assert_eq!(
            refused(|g| g.panels[0].steps[0].commit = 40),
            "`Allocations` changes at commit number 40 of 40"
        );
        for ratio in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(|g| g.panels[0].steps[0].ratio = ratio).contains("by the ratio"));
        }
        let backwards = Drift { first: 7, last: 3, ratio: 1.1, change: Change::Regressed };
        assert!(refused(|g| g.panels[2].drifts.push(backwards)).contains("commit number 7"));
    }
}
