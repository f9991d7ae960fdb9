//! Prints the files that its arguments name, or its input if there are none.

use std::fs::File;
use std::{env, io};

fn main() -> io::Result<()> {
    let paths: Vec<_> = env::args().skip(1).collect();
    let mut stdout = io::stdout().lock();
    if paths.is_empty() {
        io::copy(&mut io::stdin().lock(), &mut stdout)?;
    }
    for path in paths {
        io::copy(&mut File::open(path)?, &mut stdout)?;
    }
    Ok(())
}
