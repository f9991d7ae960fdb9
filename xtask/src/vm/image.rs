//! The image of a machine's disk: Debian's packages, built once into a cache outside of the checkout.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Instant;

use xtask::command::{self, in_file};
use xtask::install::Program;
use xtask::machine::Machine;

use crate::vm::architecture::{Architecture, Release};
use crate::vm::packages::{self, Apt};
use crate::vm::stop::Stop;

/// The packages besides the kernel. Valgrind finds the functions of the C library by the symbols in libc6-dbg. Perl and
/// Python run the programs that print results; binutils has `strip`.
const PACKAGES: &[&str] = &[
    "base-files",
    "bash",
    "binutils",
    "coreutils",
    "dash",
    "diffutils",
    "findutils",
    "grep",
    "iproute2",
    "kmod",
    "libc6-dbg",
    "libgcc-s1",
    "mawk",
    "mount",
    "perl",
    "procps",
    "python3-minimal",
    "sed",
    "tar",
    "util-linux",
    "valgrind",
];

/// Directories that are links into `usr`.
const MERGED: &[&str] = &["bin", "lib", "lib64", "sbin"];

/// Parts of the packages that no test needs. Not all releases have all of them.
const REMOVED: &[&str] =
    &["boot", "usr/share/doc", "usr/share/i18n", "usr/share/locale", "usr/share/man"];

/// Names of Debian's alternatives, which the packages set by scripts that do not run.
const LINKS: &[(&str, &str)] = &[("usr/bin/awk", "mawk")];

/// The programs that build an image.
pub(crate) const PROGRAMS: &[Program] = &[
    Program { name: "apt-get", packages: "apt" },
    Program { name: "dpkg-deb", packages: "dpkg" },
    Program { name: "mke2fs", packages: "e2fsprogs" },
    Program { name: "depmod", packages: "kmod" },
];

/// Files that no package has: the first process of the machine, and its only user.
const FILES: &[(&str, &str)] =
    &[("init", include_str!("init.sh")), ("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")];

/// Files of the image.
const KERNEL: &str = "vmlinuz";
const DISK: &str = "disk";

/// The size of a disk. Only what is written takes room.
const BYTES: u64 = 8 << 30;

/// An image that is complete.
#[derive(Debug)]
pub(crate) struct Image {
    directory: PathBuf,
}

impl Image {
    /// Returns the image from the cache, and builds it first if it is missing.
    pub(crate) fn find(
        machine: &Machine,
        architecture: &Architecture,
        release: &Release,
    ) -> Result<Self, Stop> {
        let names: Vec<_> = PACKAGES.iter().copied().chain([architecture.kernel]).collect();
        let mut hasher = DefaultHasher::new();
        (&names, MERGED, REMOVED, LINKS, FILES, BYTES).hash(&mut hasher);
        let key = format!("{}-{}-{:016x}", release.suite, architecture.name, hasher.finish());
        let cache = cache().map_err(Stop::Failed)?;
        let image = Self { directory: cache.join(key) };
        if image.directory.is_dir() {
            println!("image: {}", image.directory.display());
            return Ok(image);
        }
        let start = Instant::now();
        let in_cache = |error| Stop::Failed(format!("{}: {error}", cache.display()));
        fs::create_dir_all(&cache).map_err(in_cache)?;
        let partial = tempfile::Builder::new().prefix(".partial-").tempdir_in(&cache);
        let partial = partial.map_err(in_cache)?;
        let apt = partial.path().join("apt");
        let packages = Apt::new(apt.clone(), architecture, release)
            .and_then(|apt| apt.download(&names))
            .map_err(|error| Stop::Missing(format!("no packages of Debian: {error}")))?;
        let downloaded = start.elapsed();
        let bytes: u64 = packages.iter().map(|package| size(package)).sum();
        let root = partial.path().join("root");
        build(machine, &packages, &root, partial.path()).map_err(Stop::Failed)?;
        fs::remove_dir_all(&apt).and_then(|()| fs::remove_dir_all(&root)).map_err(in_cache)?;
        // Fails if another process was faster, whose image is as good
        if fs::rename(partial.path(), &image.directory).is_err() && !image.directory.is_dir() {
            return Err(Stop::Failed(format!("{}: can't be made", image.directory.display())));
        }
        println!(
            "image: {} packages, {} MB downloaded in {:.1} s, built in {:.1} s: {}",
            packages.len(),
            bytes / 1_000_000,
            downloaded.as_secs_f64(),
            start.elapsed().saturating_sub(downloaded).as_secs_f64(),
            image.directory.display()
        );
        Ok(image)
    }

    /// Returns the kernel.
    pub(crate) fn kernel(&self) -> PathBuf {
        self.directory.join(KERNEL)
    }

    /// Returns the disk.
    pub(crate) fn disk(&self) -> PathBuf {
        self.directory.join(DISK)
    }
}

/// Returns the directory of all images.
fn cache() -> Result<PathBuf, String> {
    let cache = env::var_os("XDG_CACHE_HOME").filter(|cache| !cache.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    Ok(cache.ok_or("neither XDG_CACHE_HOME nor HOME is set")?.join("iai-callgrind/vm"))
}

fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |metadata| metadata.len())
}

/// Unpacks the packages, and makes kernel and disk of them in a directory.
fn build(machine: &Machine, packages: &[PathBuf], root: &Path, image: &Path) -> Result<(), String> {
    for directory in MERGED {
        let target = Path::new("usr").join(directory);
        fs::create_dir_all(root.join(&target)).map_err(in_file(root))?;
        symlink(target, root.join(directory)).map_err(in_file(root))?;
    }
    packages::extract(packages, root)?;
    let kernel = entry(&root.join("boot"), "vmlinuz-")?;
    fs::copy(&kernel, image.join(KERNEL)).map_err(in_file(&kernel))?;
    let modules = entry(&root.join("usr/lib/modules"), "")?;
    let version = modules.file_name().unwrap_or_default();
    command::output(machine.command("depmod", ["-b"]).arg(root).arg(version))?;
    for directory in REMOVED.iter().map(|name| root.join(name)).filter(|part| part.is_dir()) {
        fs::remove_dir_all(&directory).map_err(in_file(&directory))?;
    }
    for (link, target) in LINKS {
        symlink(target, root.join(link)).map_err(in_file(&root.join(link)))?;
    }
    for (name, text) in FILES {
        fs::write(root.join(name), text).map_err(in_file(&root.join(name)))?;
    }
    let init = root.join("init");
    fs::set_permissions(&init, fs::Permissions::from_mode(0o755)).map_err(in_file(&init))?;
    write_file_system(machine, root, &image.join(DISK))
}

/// Writes a disk with the files of a directory.
pub(crate) fn write_file_system(
    machine: &Machine,
    directory: &Path,
    disk: &Path,
) -> Result<(), String> {
    File::create(disk).and_then(|file| file.set_len(BYTES)).map_err(in_file(disk))?;
    let arguments = ["-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-d"];
    command::output(machine.command("mke2fs", arguments).arg(directory).arg(disk)).map(drop)
}

/// Returns the entry of a directory whose name starts so.
fn entry(directory: &Path, start: &str) -> Result<PathBuf, String> {
    let mut entries = fs::read_dir(directory).map_err(in_file(directory))?.flatten();
    let entry = entries.find(|entry| entry.file_name().to_string_lossy().starts_with(start));
    entry.map(|entry| entry.path()).ok_or_else(|| format!("{}: no {start}", directory.display()))
}
