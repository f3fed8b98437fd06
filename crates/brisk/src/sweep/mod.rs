//! Sweeps: one command at many points of its parameters.
//!
//! A sweep is an experiment like any other: its points are variants, and each round runs every
//! point once. What is its own is here: what makes a point hopeless, so that it takes part no more
//! ([`rule`]), and what the points that are left say together ([`landscape`]): not only which is
//! fastest, but what each saving of time costs in memory.

pub mod landscape;
pub mod rule;
