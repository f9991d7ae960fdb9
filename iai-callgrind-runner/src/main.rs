//! The program.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    iai_callgrind_runner::main()
}

#[cfg(not(unix))]
fn main() {
    compile_error!("the runner does not run on this platform: run `cargo bench` in a container");
}
