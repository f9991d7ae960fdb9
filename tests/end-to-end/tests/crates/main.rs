//! The end-to-end tests that have cargo build crates of users, other revisions or the runner, which takes minutes.

mod added_benchmarks;
mod against;
mod annotations;
mod caches;
mod causes;
mod configured_limits;
mod counts_files;
mod debug_information;
mod dependencies;
mod explanations;
mod fixed_data;
mod futures;
mod inlined_frames;
mod noise;
mod opt_out;
mod pages;
mod perf;
mod profilers;
mod repositories;
mod requests;
mod runner;
mod sanitizers;
mod time;
mod timed_revisions;
mod user_crates;
