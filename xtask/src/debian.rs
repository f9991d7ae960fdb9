//! The oldest supported rustc out of Debian's packages, unpacked and not installed.
//!
//! The stated version is the one of a Debian release, so wherever Debian's packages can be had, that
//! compiler can too, without rustup's servers. The release may be newer than the system: its C
//! library and all else that rustc loads are unpacked as well, and its own loader starts it. What it
//! builds is linked with the system's libraries and runs without any of that.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;

/// The release whose rustc is the oldest supported one
const RELEASE: &str = "trixie";

/// Where every Debian machine may look, used if the system names no mirror
const MIRROR: &str = "http://deb.debian.org/debian";

/// Starts the unpacked rustc; it can't find its libraries by itself, since they aren't where Debian
/// has them, nor its crates, since to the kernel it is the loader that runs
const WRAPPER: &str = r#"#!/bin/sh
root=${0%/*}/root
exec "$root/usr/lib64/ld-linux-x86-64.so.2" \
    --library-path "$root/usr/lib/x86_64-linux-gnu" \
    "$root/usr/bin/rustc" --sysroot "$root/usr" "$@"
"#;

/// The executable of a rustc `version`, fetched if it isn't in `cache` yet; the error says what it
/// lacks
pub(crate) fn rustc(version: &str, cache: &Path) -> Result<PathBuf, String> {
    let toolchain = cache.join(format!("debian-{version}"));
    let rustc = toolchain.join("rustc");
    if rustc.exists() {
        return Ok(rustc);
    }
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if field(&system, "ID") != Some("debian") || env::consts::ARCH != "x86_64" {
        return Err("this is not Debian on x86_64".into());
    }
    println!("Unpacking the rustc of Debian {RELEASE} in {}", toolchain.display());
    // Renamed when it is complete, so that an interrupted download leaves nothing that looks like it
    let partial = cache.join(format!("debian-{version}.partial-{}", std::process::id()));
    let fetched = fetch(version, &partial, &mirror(&system))
        .and_then(|()| fs::rename(&partial, &toolchain).map_err(|error| error.to_string()));
    if fetched.is_err() {
        // The error that matters is the one before
        let _ = fs::remove_dir_all(&partial);
    }
    fetched.map(|()| rustc)
}

/// The value of `name` in an `os-release` file
fn field<'a>(os_release: &'a str, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.strip_prefix(name)?.strip_prefix('=');
    os_release.lines().find_map(value).map(|value| value.trim_matches('"'))
}

/// Where this system gets its own packages
fn mirror(os_release: &str) -> String {
    let codename = field(os_release, "VERSION_CODENAME").unwrap_or_default();
    let mut targets = command::new("apt-get");
    targets.args(["indextargets", "--format", "$(CODENAME) $(SITE)", "Created-By: Packages"]);
    let targets = command::output(&mut targets).unwrap_or_default();
    let sites = targets.lines().filter_map(|line| line.split_once(' '));
    let mut sites = sites.filter(|(name, _)| *name == codename);
    sites.next().map_or(MIRROR, |(_, site)| site).to_owned()
}

/// Fills `folder` with the compiler and its executable `rustc`
fn fetch(version: &str, folder: &Path, mirror: &str) -> Result<(), String> {
    let apt = Apt::new(folder.join("apt"), mirror).map_err(|error| error.to_string())?;
    apt.get(["update"])?;
    // With the packages that this one needs; those that rustc needs beyond them are a C compiler's
    apt.get(["install", "--yes", "--download-only", "--no-install-recommends", "libstd-rust-dev"])?;
    apt.get(["download", "rustc"])?;
    for package in apt.packages().map_err(|error| error.to_string())? {
        let mut unpack = command::new("dpkg-deb");
        unpack.arg("--extract").arg(package).arg(folder.join("root"));
        command::output(&mut unpack)?;
    }
    // Half of the disk space
    fs::remove_dir_all(&apt.folder).map_err(|error| error.to_string())?;

    let rustc = folder.join("rustc");
    write_executable(&rustc).map_err(|error| error.to_string())?;
    let found = command::output(command::new(rustc).arg("--version"))?;
    if found.starts_with(&format!("rustc {version}.")) {
        Ok(())
    } else {
        Err(format!("Debian {RELEASE} has {}", found.trim_end()))
    }
}

fn write_executable(file: &Path) -> std::io::Result<()> {
    fs::write(file, WRAPPER)?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

/// An apt with lists, packages and state of its own: it sees nothing as installed and changes
/// nothing of the system
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new(folder: PathBuf, mirror: &str) -> std::io::Result<Self> {
        fs::create_dir_all(folder.join("state/lists/partial"))?;
        fs::create_dir_all(folder.join("cache/archives/partial"))?;
        fs::write(folder.join("status"), "")?;
        fs::write(folder.join("sources.list"), format!("deb {mirror} {RELEASE} main\n"))?;
        Ok(Self { folder })
    }

    /// `apt-get` with `arguments`; downloads land beside the other packages
    fn get<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let mut command = Command::new("apt-get");
        command.args(self.options()).args(arguments);
        command.current_dir(self.folder.join("cache/archives"));
        command::output(&mut command)?;
        Ok(())
    }

    fn options(&self) -> Vec<OsString> {
        let mut options = Vec::new();
        for (name, path) in [
            ("Dir::State", "state"),
            ("Dir::State::status", "status"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::sourcelist", "sources.list"),
        ] {
            let mut option = OsString::from(format!("-o{name}="));
            option.push(self.folder.join(path));
            options.push(option);
        }
        options.extend(
            [
                "-oDir::Etc::sourceparts=/dev/null",
                "-oDir::Etc::preferences=/dev/null",
                "-oDir::Etc::preferencesparts=/dev/null",
                // The system's own release, if it is set
                "-oAPT::Default-Release=",
                // root would become a user who can't write here
                "-oAPT::Sandbox::User=root",
                // The lock is dpkg's, and dpkg doesn't run
                "-oDebug::NoLocking=true",
                // Otherwise a mirror that can't be reached is but a warning
                "-oAPT::Update::Error-Mode=any",
                // What nobody reads
                "-oAcquire::Languages=none",
                "-oAcquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
            ]
            .map(OsString::from),
        );
        options
    }

    /// The packages that were downloaded
    fn packages(&self) -> std::io::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(self.folder.join("cache/archives"))?;
        let mut files =
            entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "deb"));
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_os_release() {
        let text = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";
        assert_eq!(field(text, "ID"), Some("debian"));
        assert_eq!(field(text, "VERSION_ID"), Some("12"));
        assert_eq!(field(text, "NAME"), None);
    }
}
