//! Tests of what a run prints, writes and compares, with stored cases in place of Valgrind.
//!
//! The cases were stored on `x86_64`. `STORED_RECORD=1 cargo test --package stored-tests` runs the tests under Valgrind, as
//! end-to-end tests, and stores their cases.

#![cfg(target_arch = "x86_64")]

mod baselines;
mod captured_output;
mod causes;
mod compare_by_id;
mod configuration;
mod configured_limits;
mod counters;
mod damaged_files;
mod files;
mod flamegraphs;
mod foreign_results;
mod foreign_text;
mod function_failures;
mod generated_cases;
mod golden;
mod growth;
mod growth_sizes;
mod json;
mod limits;
mod messages;
mod metrics;
mod migrated;
mod options;
mod output_directories;
mod pages;
mod peaks;
mod reports;
mod selection;
mod shards;
mod stored_results;
mod surroundings;
mod terminal;
mod throughput;
