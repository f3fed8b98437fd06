//! Error rates, by simulation: the promises of the crate, measured under noise that a textbook
//! would forbid.
//!
//! Seeds are fixed, so a failure is a change and never bad luck. Bounds are the permitted distance
//! of an observed rate from the promised one: three standard errors of the simulation, unless
//! stated otherwise. `cargo test -p brisk-stats --test rates -- --nocapture` prints the rates.
#![expect(clippy::print_stdout, reason = "the rates are what one runs these tests for")]

mod alignment;
mod benches;
mod bisecting;
mod coverage;
mod experiments;
mod growth;
mod interval;
mod layouts;
mod looking;
mod machine;
mod noise;
mod one_process;
mod quantiles;
mod racing;
mod sampled;
mod shape;
mod steps;
mod suites;
mod trials;
