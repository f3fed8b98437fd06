//! Sweeps: one command at many points of its parameters.
//!
//! A sweep is an experiment like any other: its points are variants, and each round runs every
//! point once. This module has the part specific to sweeps: the rule that withdraws hopeless
//! points.

pub mod rule;
