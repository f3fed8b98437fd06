//! Expectations: how they are written, whether they hold, what is told of them.

mod accepting;
mod judging;
mod language;
mod names;
mod project;
mod reports;
mod support;
