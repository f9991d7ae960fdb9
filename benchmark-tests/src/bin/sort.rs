//! Prints the lines of its input, or of a file, in their order.

use std::{env, fs, io};

fn main() -> io::Result<()> {
    let text = match env::args().nth(1) {
        Some(path) => fs::read_to_string(path)?,
        None => io::read_to_string(io::stdin())?,
    };
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    for line in lines {
        println!("{line}");
    }
    Ok(())
}
