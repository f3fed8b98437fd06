//! What only sweeps have in their reports: the points side by side, and the front.

pub mod chart;
pub mod page;
mod points;
mod sentences;
