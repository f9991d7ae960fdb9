//! The disk that a machine is given: sources, programs and scripts, each at its absolute path.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use xtask::command::{self, in_file};
use xtask::machine::Machine;

use crate::vm::build::Built;
use crate::vm::image;

/// The directory of the scripts in the machine.
const SCRIPTS: &str = "vm";

/// The name of the file of a disk.
pub(crate) const DISK: &str = "disk";

/// Writes the disk of a machine that runs the end-to-end tests with these arguments into a directory.
pub(crate) fn write(
    machine: &Machine,
    built: &Built,
    arguments: &[&str],
    directory: &Path,
) -> Result<(), String> {
    let answers = built.answers.iter().map(|answer| (answer.name, answer.messages.clone()));
    let scripts = [("cargo", cargo(built)), ("run", run(built, arguments))];
    let scripts: Vec<_> = answers.chain(scripts).collect();
    let sources = command::output(command::new("git").args(["ls-files", "-z"]))?;
    let root = command::root();
    let sources = sources.split_terminator('\0').map(|source| root.join(source));
    let files = sources.filter(|source| source.exists()).chain(built.files.iter().cloned());
    write_files(machine, &scripts, &[root.clone(), command::target()], files, directory)
}

/// Writes the disk of a machine that has the files of a directory, and runs the one with the name `run`.
pub(crate) fn write_script(
    machine: &Machine,
    given: &Path,
    directory: &Path,
) -> Result<(), String> {
    let entries = fs::read_dir(given).map_err(in_file(given))?;
    let files = entries.flatten().map(|entry| entry.path()).filter(|file| file.is_file());
    let run = given.join("run");
    let run = fs::read_to_string(&run).map_err(in_file(&run))?;
    write_files(machine, &[("run", run)], &[given.to_owned()], files, directory)
}

/// Writes a disk with these scripts, and with files in these places.
fn write_files(
    machine: &Machine,
    scripts: &[(&str, String)],
    places: &[PathBuf],
    files: impl Iterator<Item = PathBuf>,
    directory: &Path,
) -> Result<(), String> {
    let start = Instant::now();
    let contents = directory.join("contents");
    let directory_of_scripts = contents.join(SCRIPTS);
    fs::create_dir_all(&directory_of_scripts).map_err(in_file(&directory_of_scripts))?;
    let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    let places = places.join("\n") + "\n";
    let scripts = scripts.iter().map(|(name, text)| (*name, &**text));
    for (name, text) in scripts.chain([("places", &*places)]) {
        let file = directory_of_scripts.join(name);
        fs::write(&file, text).map_err(in_file(&file))?;
    }
    for file in files {
        let staged = contents.join(file.strip_prefix("/").unwrap_or(&file));
        let parent = staged.parent().expect("a file is in a directory");
        fs::create_dir_all(parent).map_err(in_file(parent))?;
        // A link takes no time, but can't lead to another file system. A file can be named twice
        if !staged.exists() && fs::hard_link(&file, &staged).is_err() {
            fs::copy(&file, &staged).map_err(in_file(&file))?;
        }
    }
    let disk = directory.join(DISK);
    image::write_file_system(machine, &contents, &disk)?;
    let size = fs::metadata(&disk).map_err(in_file(&disk))?.blocks() * 512;
    println!("disk: {} MB, {:.1} s", size / 1_000_000, start.elapsed().as_secs_f64());
    Ok(())
}

/// Returns the script that takes cargo's place: it prints what cargo printed outside.
fn cargo(built: &Built) -> String {
    let answers = built
        .answers
        .iter()
        .map(|answer| format!("'{} '*) exec cat /{SCRIPTS}/{} ;;\n", answer.call, answer.name));
    format!(
        "#!/bin/sh\ncase \"$*\" in\n{}esac\necho 'no cargo in this machine' >&2\nexit 1\n",
        answers.collect::<String>()
    )
}

/// Returns the script that runs the tests.
fn run(built: &Built, arguments: &[&str]) -> String {
    let package = command::root().join("tests/end-to-end");
    let words = [OsStr::new(&built.tests)].into_iter().chain(arguments.iter().map(OsStr::new));
    let words = words.map(|word| command::quoted(&word.to_string_lossy()).into_owned());
    let package = command::quoted(&package.to_string_lossy()).into_owned();
    format!(
        "chmod 755 /{SCRIPTS}/cargo\n\
         export CARGO=/{SCRIPTS}/cargo CARGO_MANIFEST_DIR={package} MISSING_PROGRAMS=\"cargo git\"\n\
         cd {package} && exec {}\n",
        words.collect::<Vec<_>>().join(" ")
    )
}
