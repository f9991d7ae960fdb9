//! What the macros that print become. Not part of the public interface.

use core::fmt::{self, Write as _};

pub use valgrind_headers::valgrind::{
    PRINTF_BACKTRACE_VALIST_BY_REF as BACKTRACE, PRINTF_VALIST_BY_REF as TEXT,
};

use super::error::ClientRequestError;
use super::request;

/// How much Valgrind gets at once. A longer text needs several requests, and there is no other memory
/// than the stack.
const LENGTH: usize = 512;

/// Prints this with the request `last` at its end, and a line break if there shall be one.
pub fn print(
    last: usize,
    text: fmt::Arguments<'_>,
    line_break: &str,
) -> Result<(), ClientRequestError> {
    let mut writer = Writer { format: [0; LENGTH], filled: 0, zero_byte: false };
    let result = writer.write_fmt(text).and_then(|()| writer.write_str(line_break));
    writer.flush(last);
    match result {
        Ok(()) => Ok(()),
        Err(fmt::Error) if writer.zero_byte => Err(ClientRequestError::ZeroByte),
        Err(fmt::Error) => Err(ClientRequestError::Format),
    }
}

/// Collects a text as a format of C's `printf` that takes no arguments.
struct Writer {
    format: [u8; LENGTH],
    filled: usize,
    zero_byte: bool,
}

impl Writer {
    fn push(&mut self, bytes: &[u8]) {
        // The last byte is the zero that ends the text
        if self.filled + bytes.len() >= LENGTH {
            self.flush(TEXT);
        }
        self.format[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    fn flush(&mut self, number: usize) {
        // What a `va_list` is differs from target to target. None is longer than this, and Valgrind
        // takes no argument out of it, since nothing in the format asks for one
        let arguments = [0_usize; 8];
        self.format[self.filled] = 0;
        let words =
            [self.format.as_ptr().expose_provenance(), arguments.as_ptr().expose_provenance()];
        request(0, number, words);
        self.filled = 0;
    }
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match byte {
                0 => {
                    self.zero_byte = true;
                    return Err(fmt::Error);
                }
                b'%' => self.push(b"%%"),
                byte => self.push(&[byte]),
            }
        }
        Ok(())
    }
}

/// Prints to Valgrind's log, each line with the process id in front: `**1234** text`.
///
/// Takes what `print!` takes. Outside of Valgrind, and with the feature `client_requests_defs` alone,
/// nothing is printed and the arguments are not even evaluated. There is no limit to the length, and
/// nothing is allocated.
///
/// Valgrind shows the text with the end of its line.
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

/// Like [`valgrind_printf!`](crate::valgrind_printf), and ends the line.
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

/// Like [`valgrind_printf!`](crate::valgrind_printf), and then prints the functions that are being
/// called.
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

/// Like [`valgrind_println!`](crate::valgrind_println), and then prints the functions that are being
/// called.
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

/// Prints with this request, under Valgrind.
#[doc(hidden)]
#[macro_export]
macro_rules! __valgrind_print {
    ($last:ident, $line_break:literal, $($argument:tt)*) => {
        if $crate::client_requests::valgrind::running_on_valgrind() == 0 {
            ::core::result::Result::Ok(())
        } else {
            $crate::client_requests::print::print(
                $crate::client_requests::print::$last,
                ::core::format_args!($($argument)*),
                $line_break,
            )
        }
    };
}
