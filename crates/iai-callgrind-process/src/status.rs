//! Lines with a name that the kernel writes about a process.

use crate::kernel_files;

/// The lines of `/proc/PID/status`.
#[derive(Debug)]
pub(super) struct Status(String);

impl Status {
    pub(super) fn read(thread: libc::pid_t) -> Option<Self> {
        kernel_files::read(format!("/proc/{thread}/status")).ok().map(Self)
    }

    /// Returns the value of a line.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }

    /// Returns the number in a line.
    pub(super) fn number(&self, name: &str) -> Option<libc::pid_t> {
        self.value(name)?.parse().ok()
    }

    /// Returns an id in the innermost namespace of the process: `NStgid`, `NSpid` and the like.
    pub(super) fn inner(&self, name: &str) -> Option<libc::pid_t> {
        self.value(name)?.split_whitespace().next_back()?.parse().ok()
    }

    /// Returns the id of the parent in the innermost namespace of the process, 0 if it is in another one.
    pub(super) fn inner_parent(&self) -> Option<libc::pid_t> {
        let depth = self.value("NStgid")?.split_whitespace().count();
        let parent = self.number("PPid")?;
        let Some(parent) = Self::read(parent) else { return Some(0) };
        let id = parent.value("NStgid")?.split_whitespace().nth(depth - 1);
        id.map_or(Some(0), |id| id.parse().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_innermost_namespace() {
        let status = "Name:\tcat\nNStgid:\t21672\t1000\nNSpid:\t21673\t1001\nPPid:\t0\n";
        let status = Status(status.to_owned());
        assert_eq!(status.value("Name"), Some("cat"));
        assert_eq!((status.inner("NStgid"), status.inner("NSpid")), (Some(1000), Some(1001)));
        assert_eq!((status.number("NStgid"), status.inner("NSsid")), (None, None));
        assert_eq!(status.inner_parent(), Some(0));
        let own = Status::read(std::process::id().try_into().unwrap()).unwrap();
        assert_eq!(own.inner("NStgid"), i32::try_from(std::process::id()).ok());
    }
}
