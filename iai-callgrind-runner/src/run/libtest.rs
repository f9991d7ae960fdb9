//! Test mode, in the words of libtest.

use super::hooks::Hooks;
use super::test::{self, Tested};
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::process::interrupted;

/// Runs the commands natively and prints what came of them.
pub(crate) fn test(benchmarks: &[Benchmark], hooks: &Hooks, filtered_out: usize) -> Result<Tested> {
    let number = benchmarks.iter().filter(|benchmark| benchmark.hook.is_none()).count();
    println!("\nrunning {number} test{}", if number == 1 { "" } else { "s" });
    let tested = test::test(
        benchmarks,
        hooks,
        &mut |benchmark, result| {
            let name = benchmark.name();
            println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
            if let Err(error) = result {
                anstream::eprintln!("error: {benchmark}: {error}");
            }
        },
        &mut |error| anstream::eprintln!("error: {error}"),
    )?;
    if let Some(signal) = interrupted() {
        return Err(Error::Interrupted { signal });
    }
    let Tested { passed, failed, hooks_failed, seconds } = tested;
    println!(
        "\ntest result: {}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {filtered_out} filtered \
         out; finished in {seconds:.2}s\n",
        if failed + hooks_failed == 0 { "ok" } else { "FAILED" },
    );
    Ok(tested)
}
