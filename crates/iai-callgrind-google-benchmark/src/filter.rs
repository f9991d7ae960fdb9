//! Filters of Google Benchmark: extended regular expressions of POSIX.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::ptr;

/// A regular expression.
struct Expression(libc::regex_t);

impl Expression {
    /// Compiles an expression. The error is the reason why it is none.
    fn new(text: &CStr) -> Result<Self, String> {
        let mut compiled = MaybeUninit::<libc::regex_t>::zeroed();
        let flags = libc::REG_EXTENDED | libc::REG_NOSUB;
        // SAFETY: the text ends with a zero byte, and so does the message, for which there is a buffer.
        unsafe {
            let failed = libc::regcomp(compiled.as_mut_ptr(), text.as_ptr(), flags);
            if failed == 0 {
                return Ok(Self(compiled.assume_init()));
            }
            let mut message = [0; 128];
            libc::regerror(failed, compiled.as_ptr(), message.as_mut_ptr(), message.len());
            Err(CStr::from_ptr(message.as_ptr()).to_string_lossy().into_owned())
        }
    }

    /// Returns `true` if a part of the name is a match.
    fn matches(&self, name: &CStr) -> bool {
        // SAFETY: the expression is compiled, and the name ends with a zero byte.
        unsafe { libc::regexec(&raw const self.0, name.as_ptr(), 0, ptr::null_mut(), 0) == 0 }
    }
}

impl Drop for Expression {
    fn drop(&mut self) {
        // SAFETY: the expression is compiled, and not used any more.
        unsafe { libc::regfree(&raw mut self.0) }
    }
}

/// A filter.
struct Filter {
    text: CString,
    expression: Expression,
    /// Selects what does not match.
    is_negative: bool,
}

thread_local! {
    /// The last filter: to compile it takes longer than to apply it, and it is the same for all benchmarks of a file.
    static LAST: RefCell<Option<Filter>> = const { RefCell::new(None) };
}

/// Returns `true` for a filter that selects all benchmarks.
pub(crate) fn selects_all(filter: &CStr) -> bool {
    matches!(filter.to_bytes(), b"" | b"all")
}

/// Returns the reason why a text is not a filter.
pub(crate) fn check(filter: &CStr) -> Result<(), String> {
    parse(filter).map(drop)
}

/// Returns `true` if the filter selects the name. After a minus sign it selects all others.
pub(crate) fn selects(filter: &CStr, name: &CStr) -> bool {
    if selects_all(filter) {
        return true;
    }
    LAST.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|last| *last.text != *filter) {
            *last = Some(parse(filter).unwrap_or_else(|reason| end(filter, &reason)));
        }
        last.as_ref().is_some_and(|last| last.expression.matches(name) != last.is_negative)
    })
}

/// Ends the process because of a filter in the file's code.
fn end(filter: &CStr, reason: &str) -> ! {
    let filter = filter.to_string_lossy();
    eprintln!("error: invalid value '{filter}' for 'RunSpecifiedBenchmarks': {reason}");
    // What is registered for the end of the process would start the runner
    // SAFETY: always allowed; null means all streams.
    unsafe {
        libc::fflush(ptr::null_mut());
        libc::_exit(2)
    }
}

/// Parses a filter, which selects all others after a minus sign. The error is the reason why it is none.
fn parse(filter: &CStr) -> Result<Filter, String> {
    let bytes = filter.to_bytes_with_nul();
    let rest = bytes.strip_prefix(b"-").and_then(|rest| CStr::from_bytes_with_nul(rest).ok());
    let expression = Expression::new(rest.unwrap_or(filter))?;
    Ok(Filter { text: filter.to_owned(), expression, is_negative: rest.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_regular_expressions() {
        let name = c"vector/1024";
        for filter in [c"", c"all", c"^vector/(8|1024)$", c"-map", c"^[[:alpha:]]+/"] {
            assert!(selects(filter, name), "{filter:?}");
        }
        for filter in [c"^map", c"-vector", c"-"] {
            assert!(!selects(filter, name), "{filter:?}");
        }
        assert!(selects(c"-", c"") != selects(c"-a", c""), "another filter replaces the last one");
    }

    #[test]
    fn the_error_of_a_filter_has_a_reason() {
        for filter in [c"[", c"-[", c"(a"] {
            assert!(!check(filter).unwrap_err().is_empty(), "{filter:?}");
        }
        assert_eq!(check(c"-(a)"), Ok(()));
    }
}
