//! Cargo's target directory of a benchmark executable, in which the results are.

use std::env;
use std::path::{Path, PathBuf};

use iai_callgrind_base::workspace_directory;

use super::cargo::CargoCall;
use super::error::{Error, Result};

/// The file with which cargo marks its directories.
const TAG: &str = "CACHEDIR.TAG";

/// Returns cargo's target directory of an executable of this package, or one in the current directory. A relative
/// `CARGO_TARGET_DIR` is ignored, because its base directory is unknown.
pub fn target_directory(executable: Option<&Path>, package: &Path) -> Result<PathBuf> {
    if let Some(directory) = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from) {
        if directory.is_absolute() {
            return Ok(directory);
        }
    }
    let Some(marked) = executable.and_then(build_directory) else {
        return std::path::absolute("target").map_err(Error::io("use", Path::new("target")));
    };
    let default = workspace_directory(package).join("target");
    if env::var_os("CARGO_BUILD_BUILD_DIR").is_none() && is_same(marked, &default) {
        return Ok(marked.to_owned());
    }
    // The executable can be in a build directory, which cargo can remove at any time
    let call = CargoCall::of_parents();
    let call = call.unwrap_or_else(|_| CargoCall::new(package, &["bench".into()]));
    let packages = call.own_packages().ok();
    let named = packages.filter(|packages| is_same(packages.build_directory(), marked));
    Ok(named.map_or_else(|| marked.to_owned(), |packages| packages.target_directory))
}

/// Returns the directory in which cargo built an executable, with the files that build scripts generated.
#[must_use]
pub fn build_directory(executable: &Path) -> Option<&Path> {
    executable.ancestors().find(|directory| directory.join(TAG).is_file())
}

fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(Path::canonicalize);
    one.is_ok_and(|one| other.is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_target_directory_is_where_cargo_put_its_tag() {
        if env::var_os("CARGO_TARGET_DIR").is_some() {
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for (path, content) in [
            ("there/CACHEDIR.TAG", ""),
            ("build/CACHEDIR.TAG", ""),
            ("package/Cargo.toml", "[package]\nname = 'a'\nversion = '0.1.0'\n[workspace]\n"),
            ("package/src/lib.rs", ""),
            ("package/.cargo/config.toml", "build.build-dir = '../build'\n"),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let found = |executable: &str| {
            target_directory(Some(&root.join(executable)), &root.join("package")).unwrap()
        };
        let executable = "there/x86_64-unknown-linux-gnu/release/deps/bench-0123";
        assert_eq!(found(executable), root.join("there"));
        // A cargo that knows no build directory has none
        let version = std::process::Command::new("cargo").arg("--version").output().unwrap();
        let version = String::from_utf8(version.stdout).unwrap();
        let minor = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
        if minor.is_some_and(|minor| minor >= 91) {
            assert_eq!(found("build/release/deps/bench-0123"), root.join("package/target"));
        }
    }
}
