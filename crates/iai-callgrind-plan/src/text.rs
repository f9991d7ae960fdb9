//! Paths and arguments as text, including bytes that are not UTF-8.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;

use crate::platform::os_string;

/// Prefix of the two hexadecimal digits of a byte that is not UTF-8. Paths and arguments cannot contain it.
const ESCAPE: char = '\0';

/// Encodes a path or an argument.
#[must_use]
pub fn encode(value: &OsStr) -> String {
    let mut text = String::new();
    for chunk in value.as_encoded_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                ESCAPE => text.push_str("\x0000"),
                other => text.push(other),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string can't fail
            let _ = write!(text, "{ESCAPE}{byte:02x}");
        }
    }
    text
}

/// Decodes a path or an argument.
#[must_use]
pub fn decode(text: &str) -> OsString {
    let mut parts = text.split(ESCAPE);
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        bytes.push(u8::from_str_radix(digits, 16).unwrap_or_default());
        bytes.extend(rest.as_bytes());
    }
    os_string(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_and_argument_survives() {
        for bytes in
            [&b""[..], b"plain", b"\xff", b"a\xff\xfeb", "gr\u{f6}\u{df}e".as_bytes(), b"a\0b"]
        {
            let value = os_string(bytes.to_vec());
            assert_eq!(decode(&encode(&value)), value, "{value:?}");
        }
        assert_eq!(encode(&os_string(b"a\xffb".to_vec())), "a\0ffb");
        assert_eq!(encode(OsStr::new("plain")), "plain");
    }
}
