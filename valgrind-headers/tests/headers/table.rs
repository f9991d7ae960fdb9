//! Comparison of headers with the table of requests.

use std::collections::BTreeMap;

use valgrind_headers::{REQUESTS, Request};

/// All headers that declare requests.
pub(crate) const HEADERS: [&str; 7] =
    ["valgrind.h", "callgrind.h", "cachegrind.h", "memcheck.h", "helgrind.h", "drd.h", "dhat.h"];

/// Numbers of the requests of headers, by header and name in C.
pub(crate) type Requests = BTreeMap<(String, String), usize>;

/// Asserts that headers and table have the same requests, except for Valgrind's internal ones.
pub(crate) fn compare(headers: &Requests, version: (u32, u32), source: &str) {
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

/// Returns the first version with the request, `(0, 0)` for a request that all versions have.
fn since(request: &Request) -> (u32, u32) {
    request.since.map_or((0, 0), version)
}

pub(crate) fn version(text: &str) -> (u32, u32) {
    let (major, minor) = text.split_once('.').expect("a version is `x.y`");
    (major.parse().expect("a number"), minor.parse().expect("a number"))
}
