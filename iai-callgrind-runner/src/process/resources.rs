//! Limits of the system on the resources of a process.

/// A limited resource.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Resource {
    /// Bytes in a file.
    FileSize,
    /// Open descriptors.
    OpenFiles,
}

impl Resource {
    /// Returns the limit that is in force; `None` if the system does not say.
    pub(crate) fn soft_limit(self) -> Option<u64> {
        let resource = match self {
            Self::FileSize => libc::RLIMIT_FSIZE,
            Self::OpenFiles => libc::RLIMIT_NOFILE,
        };
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the system call fills `limit`.
        let is_known = unsafe { libc::getrlimit(resource, &raw mut limit) } == 0;
        #[allow(clippy::useless_conversion, reason = "the type has 32 bits on targets of 32 bits")]
        let soft = limit.rlim_cur.into();
        is_known.then_some(soft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_descriptors() {
        assert!(Resource::OpenFiles.soft_limit().is_some_and(|limit| limit > 3));
        assert!(Resource::FileSize.soft_limit().is_some());
    }
}
