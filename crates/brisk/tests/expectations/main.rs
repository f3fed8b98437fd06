//! Expectations: their syntax, their truth, and their reports.

mod accepting;
mod judging;
mod language;
mod names;
mod project;
mod reports;
mod support;
