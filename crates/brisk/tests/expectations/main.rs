//! Expectations: how they are written, whether they hold, what is told of them.

mod language;
mod support;
