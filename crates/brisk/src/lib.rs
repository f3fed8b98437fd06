//! brisk: a performance laboratory for programs.
//!
//! The modules, in the order in which a measurement travels through them.

pub mod cli;

pub mod failure;

pub mod spec;

pub mod expectation;

pub mod commission;

pub mod prepare;

pub mod json;
pub mod parallel;
pub mod plan;

pub mod run;

pub mod metric;

pub mod note;

pub mod ratio;

pub mod exact;

pub mod sample;

pub mod judge;

pub mod forecast;

pub mod record;

pub mod conduct;

pub mod host;

pub mod machine_class;

pub mod store;

pub mod history;

pub mod sweep;

pub mod tune;

pub mod explain;

pub mod report;

pub mod archive;

pub mod engine;

pub mod serve;

pub mod doctor;
