//! The parts of reports that only sweeps have: the points side by side, and the front.

pub mod figures;
pub mod page;
mod points;
mod sentences;
