//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    iai_callgrind_runner::main()
}
