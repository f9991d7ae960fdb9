//! Machine code as binutils' objdump shows it.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// The instructions of a function up to its end, with single spaces between their parts
pub(crate) type Listing = Vec<String>;

/// Returns all functions of an object file or an archive by their names.
pub(crate) fn functions(file: &Path) -> HashMap<String, Listing> {
    let text = objdump(&["--disassemble", "--no-show-raw-insn"], file);
    let mut functions: HashMap<String, Listing> = HashMap::new();
    let mut name = String::new();
    for line in text.lines() {
        if let Some((_, header)) = line.split_once(" <").filter(|_| line.ends_with(">:")) {
            header.trim_end_matches(">:").clone_into(&mut name);
        } else if let Some((_, instruction)) = line.split_once(":\t") {
            let words: Vec<_> = instruction.split('#').next().unwrap().split_whitespace().collect();
            functions.entry(name.clone()).or_default().push(words.join(" "));
        }
    }
    for listing in functions.values_mut() {
        // What follows the return pads the function
        if let Some(end) = listing.iter().position(|instruction| instruction == "ret") {
            listing.truncate(end + 1);
        }
    }
    functions
}

/// Returns the number of bytes of code in an archive.
pub(crate) fn code(file: &Path) -> usize {
    let text = objdump(&["--section-headers"], file);
    // Rows are: index, name, size, and more
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let sections = rows.filter(|row| row.get(1).is_some_and(|name| name.starts_with(".text")));
    sections.map(|row| usize::from_str_radix(row[2], 16).expect("a size")).sum()
}

fn objdump(arguments: &[&str], file: &Path) -> String {
    let output = Command::new("objdump").args(arguments).arg(file).output();
    let output = output.expect("objdump is part of binutils, which Rust needs to link");
    // It complains about the metadata in a Rust library, and shows all else
    String::from_utf8(output.stdout).expect("objdump writes text")
}
