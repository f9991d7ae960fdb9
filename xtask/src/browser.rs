//! The end-to-end tests of pages, in a headless Chromium.

use xtask::command;
use xtask::install::{self, Program};
use xtask::machine::Machine;
use xtask::outcome::Outcome;
use xtask::quiet;

/// The program that the tests start. Chromium comes with it.
const DRIVER: Program = Program { name: "chromedriver", packages: "chromium-driver" };

/// The program that installs axe-core, which the tests run in each page.
const NPM: Program = Program { name: "npm", packages: "npm" };

/// The directory with the lock file that pins it.
const PACKAGES: &str = "tests/end-to-end/browser";

/// Those tests, as one argument of the test program
pub(crate) const TESTS: &str = "browser::";

/// Runs the tests, if this machine has or can have the browser
pub(crate) fn check() -> Outcome {
    let machine = Machine::this();
    if let Err(reason) = install::programs(&machine, &[&DRIVER]) {
        return Outcome::Skipped(reason);
    }
    install_packages(&machine);
    quiet::outcome(&mut command::cargo(["test", "--test", "e2e", "--", TESTS]))
}

/// Installs the packages in the lock file. Without them the tests that need them are skipped, and say so.
fn install_packages(machine: &Machine) {
    let options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", PACKAGES];
    if install::programs(machine, &[&NPM]).is_ok() {
        let _ = command::run(&mut machine.command("npm", options));
    }
}
