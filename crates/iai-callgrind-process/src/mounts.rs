//! Directories that a command and its children see at other paths, in a mount namespace of their own.

use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory or file that is seen at another path.
#[derive(Debug, Clone)]
pub struct Mount {
    /// The directory that is shown.
    pub source: PathBuf,
    /// Directory that it replaces.
    pub path: PathBuf,
}

/// Mounts that are made in this order.
#[derive(Debug, Clone, Default)]
pub struct Mounts(pub Vec<Mount>);

impl Mounts {
    /// Has the command start in this directory, which it sees through the mounts.
    pub fn enter(&self, command: &mut Command, directory: &Path) -> io::Result<()> {
        let text = |path: &Path| CString::new(path.as_os_str().as_encoded_bytes());
        let pair = |mount: &Mount| Ok([text(&mount.source)?, text(&mount.path)?]);
        let mounts = self.0.iter().map(pair).collect::<io::Result<Vec<_>>>()?;
        let directory = text(directory)?;
        system::enter(command, mounts, directory);
        Ok(())
    }

    /// Returns true if a command can start with them in this directory.
    pub fn are_possible(&self, directory: &Path) -> bool {
        // The program of this process exists, and its name is that of a file that is not mounted over
        let mut command = Command::new("/proc/self/exe");
        command.arg("--version").stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let entered = self.enter(&mut command, directory);
        entered.is_ok() && command.status().is_ok()
    }
}

#[cfg(target_os = "linux")]
pub(super) use self::system::{check, mount, own_mounts};

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{CStr, CString};
    use std::fs::File;
    use std::io::{self, Write};
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::ptr::null;

    use rustix::process::{chdir, getegid, geteuid};

    /// The files that say who the user is in a user namespace, with their contents.
    type Identity = [(&'static str, String); 3];

    pub(super) fn enter(command: &mut Command, mounts: Vec<[CString; 2]>, directory: CString) {
        let (user, group) = (geteuid(), getegid());
        // The superuser would lose rights outside of the namespace, such as those to priorities
        let identity = (!user.is_root()).then(|| {
            [
                ("/proc/self/setgroups", "deny".to_owned()),
                ("/proc/self/uid_map", format!("{user} {user} 1")),
                ("/proc/self/gid_map", format!("{group} {group} 1")),
            ]
        });
        let enter = move || {
            isolate(identity.as_ref())?;
            for [source, path] in &mounts {
                mount(Some(source), path, None, libc::MS_BIND | libc::MS_REC)?;
            }
            Ok(chdir(&*directory)?)
        };
        // SAFETY: the function makes system calls only. It does not allocate.
        unsafe { command.pre_exec(enter) };
    }

    /// Gives this process mounts of its own.
    fn isolate(identity: Option<&Identity>) -> io::Result<()> {
        let user = if identity.is_some() { libc::CLONE_NEWUSER } else { 0 };
        // SAFETY: a system call without pointers.
        check(unsafe { libc::unshare(user | libc::CLONE_NEWNS) })?;
        for (path, content) in identity.into_iter().flatten() {
            File::options().write(true).open(path)?.write_all(content.as_bytes())?;
        }
        mount(None, c"/", None, libc::MS_PRIVATE | libc::MS_REC)
    }

    /// Gives this process its own mounts, which other processes do not see. Makes system calls
    /// only.
    pub(crate) fn own_mounts() -> io::Result<()> {
        isolate(None)
    }

    /// Mounts what is at a source, or a file system of a kind.
    pub(crate) fn mount(
        source: Option<&CStr>,
        path: &CStr,
        kind: Option<&CStr>,
        flags: libc::c_ulong,
    ) -> io::Result<()> {
        let [source, kind] = [source, kind].map(|text| text.map_or(null(), CStr::as_ptr));
        // SAFETY: the texts are strings with an end, or missing.
        check(unsafe { libc::mount(source, path.as_ptr(), kind, flags, null()) })
    }

    pub(crate) fn check(result: libc::c_int) -> io::Result<()> {
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::CString;
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    pub(super) fn enter(command: &mut Command, _: Vec<[CString; 2]>, _: CString) {
        // SAFETY: the function makes no system calls.
        unsafe { command.pre_exec(|| Err(io::ErrorKind::Unsupported.into())) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_command_sees_another_directory() {
        let directory = tempfile::tempdir().unwrap();
        let [seen, other] = ["seen", "other"].map(|name| directory.path().join(name));
        for (path, content) in [(&seen, "seen"), (&other, "other")] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("file"), content).unwrap();
        }
        let mounts = Mounts(vec![Mount { source: other, path: seen.clone() }]);
        if !mounts.are_possible(&seen) {
            eprintln!("skipped: there are no mount namespaces here");
            return;
        }
        let mut command = Command::new("sh");
        command.args(["-c", "cat file; pwd; id -u"]);
        mounts.enter(&mut command, &seen).unwrap();
        let output = command.output().unwrap();
        let user = rustix::process::geteuid();
        let expected = format!("other{}\n{user}\n", seen.canonicalize().unwrap().display());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert_eq!(fs::read(seen.join("file")).unwrap(), b"seen", "only the command sees it");

        let missing = directory.path().join("missing");
        let mounts = Mounts(vec![Mount { source: missing, path: seen.clone() }]);
        assert!(!mounts.are_possible(&seen));
    }
}
