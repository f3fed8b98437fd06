//! The search for settings, on programs that are never run.

mod held_out;
mod protocol;
mod rates;
mod simulated;
mod surfaces;
