//! Measurements as lists of equal length, as they are stored and exported.

use serde::{Deserialize, Serialize};
use toolchains::harness::measurement::{Figures, Measurement};

/// A list for each quantity; empty if all its values are unknown.
///
/// Each figure is for all iterations of its measurement together, or for one if their number is
/// unknown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Lists {
    /// The wall times, in seconds.
    pub seconds: Vec<f64>,
    /// The number of iterations in each measurement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iterations: Vec<Option<u64>>,
    /// The bytes allocated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocated: Vec<Option<f64>>,
    /// The number of allocations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocations: Vec<Option<f64>>,
    /// The bytes copied by garbage collections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copied: Vec<Option<f64>>,
    /// The number of garbage collections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gc_count: Vec<Option<f64>>,
    /// The processor time of the garbage collections, in seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gc_time: Vec<Option<f64>>,
    /// The number of page faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_faults: Vec<Option<f64>>,
}

/// The measurements of one benchmark in one process, unreduced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "MeasurementsPart"))]
pub struct PlacedLists {
    /// The variant.
    pub variant: u32,
    /// The round, from 0.
    pub round: u32,
    /// The measurements.
    #[serde(flatten)]
    pub lists: Lists,
}

impl Lists {
    /// The measurements as lists.
    pub fn from_measurements(measurements: &[Measurement]) -> Self {
        let figure = |figure: fn(&Figures) -> Option<f64>| {
            known(measurements.iter().map(|measurement| figure(&measurement.figures)).collect())
        };
        Self {
            seconds: measurements.iter().map(|measurement| measurement.seconds).collect(),
            iterations: known(measurements.iter().map(|one| one.iterations).collect()),
            allocated: figure(|figures| figures.allocated_bytes),
            allocations: figure(|figures| figures.allocations),
            copied: figure(|figures| figures.copied_bytes),
            gc_count: figure(|figures| figures.collections),
            gc_time: figure(|figures| figures.gc_seconds),
            page_faults: figure(|figures| figures.page_faults),
        }
    }
}

/// The list, emptied if none of its values is known.
fn known<T>(list: Vec<Option<T>>) -> Vec<Option<T>> {
    if list.iter().all(Option::is_none) { Vec::new() } else { list }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_which_nothing_is_known_is_left_out() {
        let mut second = Measurement::of_time(Some(3), 2.5);
        second.figures.allocated_bytes = Some(48.0);
        let lists = Lists::from_measurements(&[Measurement::of_time(Some(1), 0.5), second]);
        let written = serde_json::to_value(&lists).expect("numbers");
        let expected = serde_json::json!({
            "seconds": [0.5, 2.5], "iterations": [1, 3], "allocated": [null, 48.0],
        });
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_value::<Lists>(written).expect("the same"), lists);
    }
}
