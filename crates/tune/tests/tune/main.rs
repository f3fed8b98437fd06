//! The search for settings, on simulated programs.

mod held_out;
mod protocol;
mod rates;
mod simulated;
mod surfaces;
