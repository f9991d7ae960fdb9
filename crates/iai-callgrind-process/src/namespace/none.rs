//! Platforms without namespaces of processes.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};

use super::orphans::Orphan;

/// The id that the first process of a benchmark would have.
pub const FIRST_ID: libc::pid_t = 1000;

/// There are no namespaces, so there is no value of this type.
#[derive(Debug)]
pub enum Namespace {}

impl Namespace {
    /// Returns `None`.
    pub fn create() -> Option<Self> {
        None
    }

    /// Has no caller.
    pub fn path(&self) -> PathBuf {
        match *self {}
    }

    /// Has no caller.
    pub fn processes(&self) -> Vec<Orphan> {
        match *self {}
    }

    /// Has no caller.
    pub fn clear(&self) -> bool {
        match *self {}
    }

    /// Has no caller.
    pub fn give_mounts(_: &mut Command) {}

    /// Has no caller.
    pub(super) fn spawn(&self, _: &mut Command) -> io::Result<Child> {
        match *self {}
    }
}
