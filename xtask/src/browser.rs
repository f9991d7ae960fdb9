//! The end-to-end tests of pages, in a headless Chromium.

use xtask::command;
use xtask::install::{self, Program};
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::tally;

/// The program that the tests start. Chromium comes with it.
const DRIVER: Program = Program { name: "chromedriver", packages: "chromium-driver" };

/// Those tests, as one argument of the test program
pub(crate) const TESTS: &str = "browser::";

/// Runs the tests, if this machine has or can have the browser
pub(crate) fn check() -> Outcome {
    if let Err(reason) = install::programs(&Machine::this(), &[&DRIVER]) {
        return Outcome::Skipped(reason);
    }
    // Of the whole workspace, because that is what is built already
    tally::outcome(&mut command::cargo(["test", "--workspace", "--test", "e2e", "--", TESTS]))
}
