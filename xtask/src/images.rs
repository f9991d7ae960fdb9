//! Directories with files of Debian's packages, which are made once, in the user's cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::command::{self, in_file};

/// The name of the script in its directory.
const SCRIPT: &str = "image.sh";

/// Returns the directory with this name, which `script` makes: its first argument is the directory, with these files in it,
/// and the others follow. After a change of the script or a file it is made again.
pub(crate) fn image(
    name: &str,
    script: &str,
    files: &[(&str, &str)],
    arguments: &[&str],
) -> Result<PathBuf, String> {
    let cache = cache()?;
    let image = cache.join(name);
    let texts: Vec<_> = [(SCRIPT, script)].iter().chain(files).copied().collect();
    let is_same = |(file, text): &(&str, &str)| {
        fs::read_to_string(image.join(file)).is_ok_and(|old| old == *text)
    };
    if texts.iter().all(is_same) {
        return Ok(image);
    }
    println!("Debian's packages for {name} are downloaded now, once");
    let partial = tempfile::tempdir_in(&cache).map_err(in_file(&cache))?;
    for (file, text) in &texts {
        let file = partial.path().join(file);
        fs::write(&file, text).map_err(in_file(&file))?;
    }
    let mut make = command::new("sh");
    make.arg(partial.path().join(SCRIPT)).arg(partial.path()).args(arguments);
    command::output(&mut make)?;
    let _ = fs::remove_dir_all(&image);
    fs::rename(partial.keep(), &image).map_err(in_file(&image))?;
    Ok(image)
}

/// Returns the directory in the user's cache.
fn cache() -> Result<PathBuf, String> {
    let given = |name| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")));
    let cache: &Path = &cache.ok_or("neither XDG_CACHE_HOME nor HOME is set")?;
    let cache = cache.join("iai-callgrind");
    fs::create_dir_all(&cache).map_err(in_file(&cache))?;
    Ok(cache)
}
