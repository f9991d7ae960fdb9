//! Test mode: the output of libtest.

use super::event::{Event, Reporter, Tally};
use crate::error::{Error, Result};

/// Prints results as libtest does.
pub(super) struct Libtest {
    filtered_out: usize,
}

impl Libtest {
    /// Creates the reporter and prints the number of tests.
    pub(super) fn new(number: usize, filtered_out: usize) -> Self {
        println!("\nrunning {number} test{}", if number == 1 { "" } else { "s" });
        Self { filtered_out }
    }
}

impl Reporter for Libtest {
    fn receive(&mut self, event: &Event<'_>) {
        match event {
            Event::Finished(result) => {
                for tool in result.tools() {
                    let output = tool.stored.new.output.as_deref().unwrap_or_default();
                    print!("{}", String::from_utf8_lossy(output));
                }
                println!("test {} ... ok", result.benchmark.name());
            }
            Event::Failed { benchmark, error } => {
                println!("test {} ... FAILED", benchmark.name());
                anstream::eprintln!("error: {}: {error}", benchmark.title_in_text());
            }
            Event::HookFailed(error) => anstream::eprintln!("error: {error}"),
            Event::Started { .. } | Event::Ended { .. } => {}
        }
    }

    fn finish(&mut self, tally: &Tally) -> Result<()> {
        let Tally { finished, failed, hooks_failed, interrupted, seconds, .. } = *tally;
        if let Some(signal) = interrupted {
            return Err(Error::Interrupted { signal });
        }
        println!(
            "\ntest result: {}. {} passed; {failed} failed; 0 ignored; 0 measured; {} filtered out; \
             finished in {seconds:.2}s\n",
            if failed + hooks_failed == 0 { "ok" } else { "FAILED" },
            finished - failed,
            self.filtered_out,
        );
        Ok(())
    }
}
