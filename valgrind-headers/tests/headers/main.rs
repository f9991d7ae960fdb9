//! Compares the table with Valgrind's headers: the installed ones, and those of other versions, whose
//! requests are in `tests/fixtures`.
//!
//! The installed headers are read twice, by bindgen and by the C preprocessor. Where there is no
//! libclang, only the second counts, and the test says so.

mod libclang;
mod preprocessor;

use std::collections::BTreeMap;
use std::path::Path;

use valgrind_headers::{REQUESTS, Request};

/// All headers that declare requests
const HEADERS: [&str; 7] =
    ["valgrind.h", "callgrind.h", "cachegrind.h", "memcheck.h", "helgrind.h", "drd.h", "dhat.h"];

/// The requests of headers: their numbers by header and name in C
type Requests = BTreeMap<(String, String), usize>;

#[test]
fn the_table_is_that_of_the_installed_headers() {
    let Some(headers) = preprocessor::Headers::installed() else {
        panic!(
            "no C compiler (CC), or it can't find Valgrind's headers; set \
             IAI_CALLGRIND_VALGRIND_INCLUDE to the directory that has valgrind/valgrind.h"
        );
    };
    compare(&headers.requests(), headers.version, "the preprocessor");

    // cachegrind.h came later than the oldest supported Valgrind
    let present: Vec<_> = HEADERS.into_iter().filter(|header| headers.has(header)).collect();
    match libclang::requests(&present, headers.include.as_deref()) {
        Ok(requests) => compare(&requests, headers.version, "bindgen"),
        Err(reason) => println!("not compared with bindgen: {reason}"),
    }
}

/// `SNAPSHOTS=overwrite IAI_CALLGRIND_VALGRIND_INCLUDE=... cargo test -p valgrind-headers` writes the
/// file of the version whose headers these are.
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

/// Both have the same requests, up to those that are Valgrind's own affair
fn compare(headers: &Requests, version: (u32, u32), source: &str) {
    assert!(!headers.is_empty(), "{source} found no request");
    let mut table = REQUESTS.iter().filter(|request| since(request) <= version).collect::<Vec<_>>();
    for ((header, name), number) in headers {
        let row = table.iter().position(|row| row.header == header && row.name == name);
        match row.map(|row| table.swap_remove(row)) {
            Some(row) => assert_eq!(row.number, *number, "{name} of {header}, by {source}"),
            None => assert!(name.starts_with('_'), "{name} of {header} is not in the table"),
        }
    }
    assert!(table.is_empty(), "{source} doesn't find these in headers of {version:?}: {table:#?}");
}

/// The requests in a fixture, one per line
fn parse(text: &str) -> Requests {
    let request = |line: &str| {
        let mut words = line.split(' ').map(ToOwned::to_owned);
        let (header, name) = (words.next()?, words.next()?);
        let number = usize::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
        Some(((header, name), number))
    };
    text.lines().map(|line| request(line).unwrap_or_else(|| panic!("not a row: {line}"))).collect()
}

/// The first version that has the request; those without one are older than all that matter
fn since(request: &Request) -> (u32, u32) {
    request.since.map_or((0, 0), version)
}

fn version(text: &str) -> (u32, u32) {
    let (major, minor) = text.split_once('.').expect("a version is `x.y`");
    (major.parse().expect("a number"), minor.parse().expect("a number"))
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
