//! Formats texts for Valgrind, on the stack only.

use core::fmt::{self, Write as _};

use super::TEXT;
use crate::client_requests::error::ClientRequestError;
use crate::client_requests::request;

/// Number of bytes of a request. A longer text needs several requests.
const LENGTH: usize = 512;

/// Prints a text and a line break, with `last` as the last request.
///
/// # Errors
///
/// If the text has a zero byte or a value can't be formatted.
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

/// Buffer with a text as a format of C's `printf` without arguments.
struct Writer {
    format: [u8; LENGTH],
    filled: usize,
    zero_byte: bool,
}

impl Writer {
    fn push(&mut self, bytes: &[u8]) {
        // The last byte is the zero byte at the end of the text
        if self.filled + bytes.len() >= LENGTH {
            self.flush(TEXT);
        }
        self.format[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }

    fn flush(&mut self, number: usize) {
        // A `va_list` of any target is at most this long. Valgrind takes no argument out of it, because the
        // format contains no conversion
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
