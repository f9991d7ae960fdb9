//! A disk that becomes full.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::reference::{Reference, values};
use super::{Figure, SIZES, arguments};
use crate::Suite;

/// The space left on the disk for a run, in KiB. A run writes about 100 KiB at a time.
const LEFT: [u32; 12] = [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256];

/// Runs the command in the arguments after the third one with its results on a disk of its own, which is mounted at
/// `$1` and has `$2` KiB left. Earlier results are in `$3`, and its output and results go there too.
const SCRIPT: &str = r#"
disk=$1 left=$2 files=$3
shift 3
mount -t tmpfs -o size=16m none "$disk" || exit 42
cp -r "$files/before" "$disk/home" || exit 43
available=$(df -k --output=avail "$disk" | tail -n 1)
head -c "$(((available - left) * 1024))" /dev/zero >"$disk/filler"
"$@" >"$files/out" 2>"$files/errors"
echo $? >"$files/code"
rm "$disk/filler"
cp -r "$disk/home" "$files/after"
"$@" >"$files/next" 2>"$files/next-errors"
echo $? >"$files/next-code"
"#;

/// Fills the disk in the middle of a run, with different amounts of space left.
#[must_use]
pub fn full_disk(rounds: usize) -> Vec<Figure> {
    let mut reported = Figure::new("full disk: the run says so, or succeeds");
    let mut whole = Figure::new("full disk: each stored result is that of one run, with all files");
    let mut next = Figure::new("full disk: the next run with space succeeds and counts the same");
    let reference = Reference::get();
    for left in LEFT.into_iter().take(rounds) {
        let suite = Suite::new("faults");
        let [disk, files] = ["disk", "files"].map(|name| suite.subdirectory(name));
        Reference::prepare(&files.join("before"));
        if let Err(reason) = run(&suite, &disk, left, &files) {
            reported.skipped = Some(reason);
            return vec![reported];
        }
        let read = |name: &str| fs::read_to_string(files.join(name)).unwrap_or_default();
        let at = |problem: String| format!("{left} KiB left: {problem}");
        let (code, errors) = (read("code"), read("errors"));
        let says_so = errors.contains("the file system of ");
        let is_reported = code.trim() == "0" || (code.trim() == "1" && says_so);
        reported.count(if is_reported { Vec::new() } else { vec![at(format!("{code}{errors}"))] });

        let results = |name: &str| files.join(name).join("benchmark-tests/faults");
        let kept = Reference::kept(&results("before"));
        let problems = reference.problems(&results("after"), &kept);
        whole.count(problems.into_iter().map(at).collect());

        let is_right =
            read("next-code").trim() == "0" && values(&read("next")) == reference.printed[0];
        let failure = || at(read("next") + &read("next-errors"));
        next.count(if is_right { Vec::new() } else { vec![failure()] });
    }
    vec![reported, whole, next]
}

/// Runs the script where this user may mount.
fn run(suite: &Suite, disk: &Path, left: u32, files: &Path) -> Result<(), String> {
    let bench = suite.command();
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"]);
    command.arg(disk).arg(left.to_string()).arg(files);
    command.arg(bench.get_program()).arg("--bench").arg("--home").arg(disk.join("home"));
    command.args(arguments(SIZES[0]));
    for (name, value) in bench.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.current_dir(suite.root()).output().map_err(|error| error.to_string())?;
    let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(0) => Ok(()),
        Some(1 | 42) => Err(format!("nothing can be mounted: {complaint}")),
        _ => panic!("the results before can not be copied: {complaint}"),
    }
}
