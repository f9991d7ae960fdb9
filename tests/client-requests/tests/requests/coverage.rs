//! Every request of the table has a function, or a reason why it has none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use valgrind_headers::REQUESTS;

use crate::checkout;

/// Requests that users can't make
const WITHOUT: [(&str, &str); 6] = [
    ("PRINTF", "takes its arguments in a way that not all targets have"),
    ("PRINTF_BACKTRACE", "takes its arguments in a way that not all targets have"),
    ("VEX_INIT_FOR_IRI", "belongs to a test of Valgrind itself"),
    ("HG_CLIENTREQ_UNIMP", "is an error: helgrind doesn't have the annotation"),
    ("DRD_ANNOTATION_UNIMP", "is an error: DRD doesn't have the annotation"),
    ("HELGRIND_ANNOTATION_UNIMP", "is an error: helgrind doesn't have the annotation"),
];

/// Collects all words in the Rust files of a directory and those below it.
fn words(directory: &Path, words: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            self::words(&path, words);
        } else {
            let text = fs::read_to_string(path).unwrap();
            let split = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            words.extend(split.map(ToOwned::to_owned));
        }
    }
}

#[test]
fn every_request_has_a_function() {
    let mut used = BTreeSet::new();
    words(&checkout().join("crates/iai-callgrind-requests/src/client_requests"), &mut used);
    for request in REQUESTS {
        let (_, name) = request.name.split_once("VG_USERREQ__").unwrap();
        let without = WITHOUT.iter().any(|(other, _)| *other == name);
        assert_ne!(used.contains(name), without, "{}", request.name);
    }
}
