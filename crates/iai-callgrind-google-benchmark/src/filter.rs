//! Filters of Google Benchmark: extended regular expressions of POSIX.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;

/// Returns `true` if the filter selects the name. After a minus sign it selects all others.
pub(crate) fn selects(filter: &CStr, name: &CStr) -> bool {
    let bytes = filter.to_bytes();
    if bytes.is_empty() || bytes == b"all" {
        return true;
    }
    let is_negative = bytes.starts_with(b"-");
    let mut compiled = MaybeUninit::<libc::regex_t>::uninit();
    // SAFETY: the filter ends with a zero byte, and a minus sign is not its end.
    unsafe {
        let pattern = filter.as_ptr().add(is_negative.into());
        let failed =
            libc::regcomp(compiled.as_mut_ptr(), pattern, libc::REG_EXTENDED | libc::REG_NOSUB);
        if failed != 0 {
            eprintln!("error: the filter {} is not a regular expression", filter.to_string_lossy());
            std::process::exit(2);
        }
        let result = libc::regexec(compiled.as_ptr(), name.as_ptr(), 0, ptr::null_mut(), 0);
        libc::regfree(compiled.as_mut_ptr());
        (result == 0) != is_negative
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_regular_expressions() {
        let name = c"vector/1024";
        for filter in [c"", c"all", c"^vector/(8|1024)$", c"-map"] {
            assert!(selects(filter, name), "{filter:?}");
        }
        for filter in [c"^map", c"-vector"] {
            assert!(!selects(filter, name), "{filter:?}");
        }
    }
}
