//! Prints its arguments, a line for each; `--foo=PATH` also prints what is in that file.

use std::{env, fs};

fn main() {
    for argument in env::args().skip(1) {
        println!("{argument}");
        if let Some(path) = argument.strip_prefix("--foo=") {
            print!("{}", fs::read_to_string(path).expect("the file of --foo can be read"));
        }
    }
}
