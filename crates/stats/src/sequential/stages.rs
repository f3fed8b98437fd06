//! Continuing after a test has spent its error: the permitted error of each stage.
//!
//! A test that has spent all of its error cannot continue. A test that may continue keeps a part of
//! it in reserve: the first stage spends the rest, and each later one half of the remainder.

/// The number of stages after which nothing worth mentioning is left.
const MOST_STAGES: u32 = 40;

/// The share of the error that is spent at the end of a stage, counted from 0, if the first one
/// leaves `reserve`.
#[must_use]
pub fn spent_by_stage(reserve: f64, stage: u32) -> f64 {
    1.0 - reserve * 0.5_f64.powf(f64::from(stage))
}

/// The share of the error that is spent after `share` of the stage.
#[must_use]
pub fn spent_within_stage(reserve: f64, stage: u32, share: f64) -> f64 {
    let from = stage.checked_sub(1).map_or(0.0, |before| spent_by_stage(reserve, before));
    from + (spent_by_stage(reserve, stage) - from) * share
}

/// The share of the error that is spent at the end of the stage that contains `spent`.
#[must_use]
pub fn spent_by_stage_of(reserve: f64, spent: f64) -> f64 {
    // Rounding may put the last look of a stage a hair beyond its end.
    let is_within = |stage: &u32| spent <= spent_by_stage(reserve, *stage) + 1e-12;
    (0..MOST_STAGES).find(is_within).map_or(1.0, |stage| spent_by_stage(reserve, stage))
}
