//! What only sweeps have in their reports: the points side by side, and the front.

pub mod chart;
mod figures;
pub mod markdown;
mod rows;
pub mod sentences;
pub mod terminal;
