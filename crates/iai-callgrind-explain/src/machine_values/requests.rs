//! Requests of `ioctl` that ask for values of the machine.

/// Returns the name of the value that a request asks for, by the low half of its number, which is the same on all architectures.
pub(crate) fn request_value(request: u16) -> Option<&'static str> {
    match request {
        // FIONREAD
        0x541b => Some("file-content"),
        // TIOCOUTQ
        0x5411 => Some("network"),
        // TIOCGPGRP, TIOCGSID
        0x540f | 0x5429 => Some("process-ids"),
        // TIOCGPTN, TIOCGDEV
        0x5430 | 0x5432 => Some("terminal-numbers"),
        // FS_IOC_GETFLAGS, FS_IOC_FIEMAP, FS_IOC_GETVERSION
        0x6601 | 0x660b | 0x7601 => Some("file-metadata"),
        // SIOCGIFNAME to SIOCGIFMAP
        0x8910..=0x8970 => Some("interfaces"),
        _ => None,
    }
}
