//! Client requests: each has a function, its effect under Valgrind, and the machine code of Valgrind's macros.

mod coverage;
mod effects;
mod machine_code;
mod sequences;
mod shim;

use std::env;
use std::path::{Path, PathBuf};

/// Returns the workspace. Cargo says where the package is when it runs the test; another checkout may have built it
/// in a shared target directory.
fn checkout() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).ancestors().nth(2).expect("the package is in a workspace").to_owned()
}
