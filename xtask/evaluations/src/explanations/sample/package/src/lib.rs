//! A library with things to change.

pub mod generated;
pub mod numbers;
pub mod settings;
pub mod shapes;
pub mod tables;
pub mod tasks;
pub mod text;
pub mod threads;
