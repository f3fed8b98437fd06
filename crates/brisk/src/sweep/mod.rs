//! Sweeps: one command at many points of its parameters.
//!
//! A sweep is an experiment like any other: its points are variants, and each round runs every
//! point once. What is its own is here: what makes a point hopeless, so that it takes part no more.

pub mod rule;
