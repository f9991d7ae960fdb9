//! Compares the table with Valgrind's installed headers, which bindgen reads. It has no code in common with
//! the reader in the tests of `valgrind-headers`.

mod libclang;
#[path = "../../../tests/headers/preprocessor.rs"]
mod preprocessor;
#[path = "../../../tests/headers/table.rs"]
mod table;

use table::{HEADERS, compare};

#[test]
fn the_table_is_that_of_the_installed_headers() {
    let headers = preprocessor::Headers::installed().expect("a C compiler and Valgrind's headers");
    // cachegrind.h came later than the oldest supported Valgrind
    let requests = headers.requests();
    let is_present = |header: &&str| requests.keys().any(|(name, _)| name == header);
    let present: Vec<_> = HEADERS.into_iter().filter(is_present).collect();
    match libclang::requests(&present, headers.include.as_deref()) {
        Ok(requests) => compare(&requests, headers.version, "bindgen"),
        Err(reason) => println!("skipped: {reason}"),
    }
}
