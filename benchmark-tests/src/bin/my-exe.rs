//! Prints its environment, and ends with the exit code that the variable `EXIT` says.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    for (name, value) in env::vars() {
        println!("{name}={value}");
    }
    let code = env::var("EXIT").map(|code| code.parse::<u8>().expect("an exit code"));
    ExitCode::from(code.unwrap_or(0))
}
