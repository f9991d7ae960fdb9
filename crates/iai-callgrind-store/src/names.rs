//! Encoding and length of file names, and the extensions that do not belong to a tool.

use std::hash::Hasher;
use std::path::Path;

use fnv::FnvHasher;
use iai_callgrind_plan::metric::MetricKind;

/// Extension of Valgrind's log, which each tool writes.
pub(super) const LOG: &str = "log";

/// Start of the file name of a time, instead of a tool's name.
pub(super) const TIME: &str = "time";

/// The file with the summary of the last run.
pub(super) const SUMMARY: &str = "summary.json";

/// The extension of a file with a time.
pub(super) const TIME_EXTENSION: &str = "json";

/// Directory of the results of commands, next to the directories of packages.
pub const COMMANDS_PACKAGE: &str = "exec";

/// Longest file name that common file systems support.
pub(super) const LONGEST: usize = 255;

/// End of the name of every flamegraph.
pub(super) const FLAMEGRAPH: &str = ".flamegraph.svg";

/// Returns `true` for the part of a flamegraph's name after the slot. The last result has an empty
/// slot, so the names of other slots look like its extension.
pub(super) fn is_flamegraph(extension: &str) -> bool {
    let event = extension.split('.').next();
    extension.ends_with(FLAMEGRAPH) && MetricKind::ALL.iter().any(|kind| event == Some(kind.name()))
}

/// Returns the name of a file.
pub fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Encodes a text for use in a file name. Letters, digits, `-` and `_` stay. Each byte of other
/// characters becomes `%` and two hexadecimal digits, so the name is unique and contains no dot.
pub fn encode_name(text: &str) -> String {
    let mut name = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() || "-_".contains(character) {
            name.push(character);
        } else {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).bytes();
            name.extend(bytes.map(|byte| format!("%{byte:02X}")));
        }
    }
    name
}

/// Decodes a name of [`encode_name`]. Anything else is returned unchanged.
pub fn decode_name(name: &str) -> String {
    let mut parts = name.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits =
            part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => bytes.extend([&[byte], &part.as_bytes()[2..]].concat()),
            None => bytes.extend([b"%", part.as_bytes()].concat()),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

/// Shortens a name to at most `longest` bytes. The end of a longer name is replaced by a hash.
pub fn shorten(name: &str, longest: usize) -> String {
    if name.len() <= longest {
        return name.to_owned();
    }
    let mut hasher = FnvHasher::default();
    hasher.write(name.as_bytes());
    let hash = format!("-{:016x}", hasher.finish());
    let mut end = longest - hash.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{hash}", &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded() {
        for text in ["do foo", "größer.%", "a\n/..", "", "%20"] {
            assert_eq!(decode_name(&encode_name(text)), text);
        }
        for name in ["%", "%x", "%FF", "a%2", "%+A"] {
            assert_eq!(decode_name(name), name);
        }
    }

    #[test]
    fn long_names_stay_apart_within_the_limit() {
        let long = |last| format!("{}{last}", "ä".repeat(200));
        let (a, b) = (shorten(&long('a'), 155), shorten(&long('b'), 155));
        assert!(a.len() <= 155 && b.len() <= 155);
        assert_ne!(a, b);
    }
}
