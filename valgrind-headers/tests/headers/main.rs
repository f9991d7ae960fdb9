//! Compares the table with Valgrind's headers: the installed ones, and those of other versions, whose
//! requests are in `tests/fixtures`.
//!
//! The C preprocessor reads the installed headers. In the long form of the tests bindgen reads them too, in
//! the package `libclang-tests`.

mod preprocessor;
mod table;

use std::path::Path;

use valgrind_headers::REQUESTS;

use crate::table::{HEADERS, Requests, compare, version};

#[test]
fn the_table_is_that_of_the_installed_headers() {
    let Some(headers) = preprocessor::Headers::installed() else {
        panic!(
            "no C compiler (CC), or it can't find Valgrind's headers; set \
             IAI_CALLGRIND_VALGRIND_INCLUDE to the directory that has valgrind/valgrind.h"
        );
    };
    compare(&headers.requests(), headers.version, "the preprocessor");
}

// `SNAPSHOTS=overwrite IAI_CALLGRIND_VALGRIND_INCLUDE=... cargo test -p valgrind-headers` writes the
// file for the version of these headers.
#[test]
fn the_table_is_that_of_other_versions() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        let headers = preprocessor::Headers::installed().expect("Valgrind's headers");
        let (major, minor) = headers.version;
        let requests = headers.requests();
        let lines = requests
            .iter()
            .map(|((header, name), number)| format!("{header} {name} {number:#x}\n"));
        let file = fixtures.join(format!("valgrind-{major}.{minor}.txt"));
        std::fs::write(file, lines.collect::<String>()).expect("the fixture can be written");
    }

    let mut compared = 0;
    for entry in std::fs::read_dir(fixtures).expect("the fixtures") {
        let path = entry.expect("a fixture").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let text = std::fs::read_to_string(&path).expect("a text");
        compare(&parse(&text), version(name.trim_start_matches("valgrind-")), name);
        compared += 1;
    }
    assert!(compared > 0, "no fixture was compared");
}

/// Parses the requests of a fixture, one per line.
fn parse(text: &str) -> Requests {
    let request = |line: &str| {
        let mut words = line.split(' ').map(ToOwned::to_owned);
        let (header, name) = (words.next()?, words.next()?);
        let number = usize::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
        Some(((header, name), number))
    };
    text.lines().map(|line| request(line).unwrap_or_else(|| panic!("not a row: {line}"))).collect()
}

#[test]
fn rows_are_complete() {
    for request in REQUESTS {
        assert!(HEADERS.contains(&request.header), "{request:?}");
        assert!(request.arguments.len() <= 5, "{request:?}");
        if let Some(since) = request.since {
            assert!(version(since) > (3, 0), "{request:?}");
        }
    }
}
