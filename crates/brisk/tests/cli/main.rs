//! The program as its users meet it: arguments in, files, text and exit status out.
//!
//! Every test has a folder and a store of its own, and starts the real binary. Nothing here
//! compares a time with a number: times are compared with each other, or not at all.

mod bad_input;
mod bench;
mod bench_baseline;
mod bench_commits;
mod bench_orders;
mod bench_refused;
mod check;
mod check_suite;
mod children;
mod ci;
mod commands;
mod compare_commits;
mod compare_with;
mod copies;
mod cost;
mod counters;
mod damage;
mod document;
mod durability;
mod ends;
mod energy;
mod engine;
mod engine_slurm;
mod engine_slurm_builds;
mod engine_ssh;
mod engine_suites;
#[cfg(feature = "postgres")]
mod engine_workers;
mod equal_work;
mod exchange;
mod explain;
mod explain_built;
mod explain_commits;
mod explain_difference;
mod explain_instructions;
mod explain_layouts;
mod explain_libraries;
mod explain_pairs;
mod explain_shims;
mod exports;
mod from_zero;
mod git_notes;
mod help;
mod history;
mod history_bisect;
mod history_interrupted;
mod history_machines;
mod history_refused;
mod history_suite;
mod history_suite_real;
mod history_suite_refused;
mod history_work;
mod hold;
mod hooks;
mod hostile;
mod import;
mod inconsistent;
mod lab;
mod layouts;
mod limits;
mod media;
mod memory;
mod memory_over_time;
mod merging;
mod outcomes;
mod own_metrics;
mod page_cache;
mod pages;
#[cfg(feature = "postgres")]
#[path = "../engines/postgres.rs"]
mod postgres;
mod quantiles;
mod ranking;
mod recognised;
mod repository;
mod runtimes;
mod runtimes_asked;
mod runtimes_real;
mod schema;
mod serve;
#[cfg(feature = "postgres")]
mod server;
mod setups;
mod shown;
mod stale_builds;
mod stored;
mod streams;
mod sweep;
mod sweep_pictures;
mod sweep_refused;
mod tune;
mod verdicts;
mod whole_checkouts;
