//! Macros that print to Valgrind's log.

#[cfg(feature = "client_requests")]
mod writer;

pub use valgrind_headers::valgrind::{
    PRINTF_BACKTRACE_VALIST_BY_REF as BACKTRACE, PRINTF_VALIST_BY_REF as TEXT,
};
#[cfg(feature = "client_requests")]
pub use writer::print;

/// Prints nothing.
#[cfg(not(feature = "client_requests"))]
#[inline(always)]
pub fn print(
    _last: usize,
    _text: core::fmt::Arguments<'_>,
    _line_break: &str,
) -> Result<(), super::error::ClientRequestError> {
    Ok(())
}

/// Prints to Valgrind's log, each line with the process id in front: `**1234** text`.
///
/// The arguments are those of `print!`. Outside of Valgrind, and with the feature `client_requests_defs`
/// alone, they are not evaluated and nothing is printed. The length is unlimited, and nothing is
/// allocated.
///
/// Valgrind prints the text at the end of the line.
///
/// # Errors
///
/// [`ClientRequestError`](crate::client_requests::error::ClientRequestError) if the text has a zero
/// byte or a value can't be formatted.
///
/// ```
/// iai_callgrind::valgrind_printf!("{} of {}: ", 1, 2).unwrap();
/// iai_callgrind::valgrind_printf!("done\n").unwrap();
/// ```
#[macro_export]
macro_rules! valgrind_printf {
    ($($argument:tt)*) => {
        $crate::__valgrind_print!(TEXT, "", $($argument)*)
    };
}

/// Like [`valgrind_printf!`](crate::valgrind_printf), with a line break at the end.
///
/// ```
/// let step = 1;
/// iai_callgrind::valgrind_println!("step {step}").unwrap();
/// ```
#[macro_export]
macro_rules! valgrind_println {
    () => {
        $crate::__valgrind_print!(TEXT, "\n", "")
    };
    ($($argument:tt)*) => {
        $crate::__valgrind_print!(TEXT, "\n", $($argument)*)
    };
}

/// Like [`valgrind_printf!`](crate::valgrind_printf), and prints the call stack after the text.
///
/// End the text with a line break, or use
/// [`valgrind_println_backtrace!`](crate::valgrind_println_backtrace).
///
/// ```
/// iai_callgrind::valgrind_printf_backtrace!("called from\n").unwrap();
/// ```
#[macro_export]
macro_rules! valgrind_printf_backtrace {
    ($($argument:tt)*) => {
        $crate::__valgrind_print!(BACKTRACE, "", $($argument)*)
    };
}

/// Like [`valgrind_println!`](crate::valgrind_println), and prints the call stack after the text.
///
/// ```
/// iai_callgrind::valgrind_println_backtrace!("called from").unwrap();
/// ```
#[macro_export]
macro_rules! valgrind_println_backtrace {
    () => {
        $crate::__valgrind_print!(BACKTRACE, "\n", "")
    };
    ($($argument:tt)*) => {
        $crate::__valgrind_print!(BACKTRACE, "\n", $($argument)*)
    };
}

/// Prints with this request if the program runs under Valgrind.
#[doc(hidden)]
#[macro_export]
macro_rules! __valgrind_print {
    ($last:ident, $line_break:literal, $($argument:tt)*) => {
        if $crate::__private::running_on_valgrind() == 0 {
            ::core::result::Result::Ok(())
        } else {
            $crate::__private::print(
                $crate::__private::$last,
                ::core::format_args!($($argument)*),
                $line_break,
            )
        }
    };
}
