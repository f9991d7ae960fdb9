//! Commands between functions of the same module.

use iai_callgrind::{Command, binary_benchmark, library_benchmark};

#[library_benchmark]
pub(crate) fn before() {}

#[binary_benchmark]
#[bench::hello("hello")]
pub(crate) fn echo(text: &str) -> Command {
    Command::new("/bin/echo").arg(text).build()
}

#[library_benchmark]
pub(crate) fn after() {}
