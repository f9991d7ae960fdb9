//! Packages of another system: apt downloads them into a directory of its own. Neither rights nor emulation are needed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::command;

use crate::vm::architecture::{Architecture, Release};

const MIRROR: &str = "http://deb.debian.org/debian";
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Configuration of apt, with its own directory in the place of `@`. The rest of this system's configuration stays,
/// because it can name a proxy.
const CONFIGURATION: &str = r#"
Dir::State "@/state";
Dir::State::status "@/status";
Dir::Cache "@/cache";
Dir::Etc::SourceList "@/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
"#;

/// The apt of another system.
#[derive(Debug)]
pub(crate) struct Apt {
    directory: PathBuf,
}

impl Apt {
    /// Reads the lists of packages of a release, for an architecture, into a new directory.
    pub(crate) fn new(
        directory: PathBuf,
        architecture: &Architecture,
        release: &Release,
    ) -> Result<Self, String> {
        let apt = Self { directory };
        for part in ["state/lists/partial", "cache/archives/partial"] {
            let part = apt.directory.join(part);
            fs::create_dir_all(&part).map_err(|error| format!("{}: {error}", part.display()))?;
        }
        let name = architecture.name;
        apt.write("status", "")?;
        let configuration = CONFIGURATION.replace('@', &apt.directory.to_string_lossy());
        apt.write(
            "configuration",
            &format!(
                "{configuration}APT::Architecture \"{name}\";\nAPT::Architectures {{ \"{name}\"; }};\n"
            ),
        )?;
        let suite = release.suite;
        apt.write(
            "sources.list",
            &format!("deb [signed-by={KEYS} target=Packages] {MIRROR} {suite} main\n"),
        )?;
        command::output(apt.get().args(["--error-on=any", "update"]))?;
        Ok(apt)
    }

    /// Downloads packages with all that they depend on. Returns their files.
    pub(crate) fn download(&self, names: &[&str]) -> Result<Vec<PathBuf>, String> {
        command::output(self.get().args(["--yes", "--download-only", "install"]).args(names))?;
        let archives = self.directory.join("cache/archives");
        let entries =
            fs::read_dir(&archives).map_err(|error| format!("{}: {error}", archives.display()))?;
        let files = entries.flatten().map(|entry| entry.path());
        let is_package = |file: &PathBuf| file.extension().is_some_and(|end| end == "deb");
        Ok(files.filter(is_package).collect())
    }

    fn get(&self) -> Command {
        let mut command = command::new("apt-get");
        command.env("APT_CONFIG", self.directory.join("configuration"));
        command
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let file = self.directory.join(name);
        fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// Unpacks packages into a directory. Nothing of them runs.
pub(crate) fn extract(packages: &[PathBuf], root: &Path) -> Result<(), String> {
    for package in packages {
        let can_not = |error| format!("{} can't be unpacked: {error}", package.display());
        let mut archive = command::new("dpkg-deb");
        let archive = archive.arg("--fsys-tarfile").arg(package).stdout(Stdio::piped()).spawn();
        let mut archive = archive.map_err(can_not)?;
        // Some packages of Debian 12 have directories where merged systems have links
        let mut tar = command::new("tar");
        tar.args(["--extract", "--keep-directory-symlink", "--directory"]).arg(root);
        tar.stdin(archive.stdout.take().map_or_else(Stdio::null, Stdio::from));
        let extracted = tar.status().map_err(can_not)?;
        let read = archive.wait().map_err(can_not)?;
        if !extracted.success() || !read.success() {
            return Err(can_not(io::Error::other("dpkg-deb or tar failed")));
        }
    }
    Ok(())
}
