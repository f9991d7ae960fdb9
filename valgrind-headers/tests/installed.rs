//! Compares the table with the Valgrind headers that are installed on this machine.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use valgrind_headers::{REQUESTS, Request};

#[test]
fn the_table_is_that_of_the_installed_headers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if !compiles(folder, "#include <valgrind/valgrind.h>\nint main(void) { return 0; }\n") {
        println!("skipped: no C compiler, or Valgrind's headers are not installed");
        return;
    }

    let source = program();
    assert!(compiles(folder, &source), "the headers lack one of these names:\n{source}");
    let Output { stdout, status, .. } =
        Command::new(folder.join("requests")).output().expect("run the compiled program");
    assert!(status.success(), "the compiled program: {status}");

    let installed = String::from_utf8(stdout).expect("the program prints ASCII");
    assert!(!installed.is_empty(), "the headers are older than every request of the table");
    for line in installed.lines() {
        let (name, number) = line.split_once(' ').expect("a name and a number");
        let request = REQUESTS.iter().find(|request| request.name == name).expect(name);
        assert_eq!(number, request.number.to_string(), "{name} of {}", request.header);
    }
}

/// Compiles `source` into the executable `requests` of `folder`
fn compiles(folder: &Path, source: &str) -> bool {
    let file = folder.join("requests.c");
    std::fs::write(&file, source).expect("write the C program");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    Command::new(compiler)
        .arg(file)
        .arg("-o")
        .arg(folder.join("requests"))
        .output()
        .is_ok_and(|output| output.status.success())
}

/// A C program that prints the name and the number of each request that its headers are new enough
/// to have
fn program() -> String {
    let mut source = String::from("#include <stdio.h>\n#include <valgrind/valgrind.h>\n");
    let mut header = "valgrind.h";
    for request in REQUESTS {
        if request.header != header {
            header = request.header;
            writeln!(source, "#include <valgrind/{header}>").expect("a string takes all");
        }
    }
    source.push_str("int main(void) {\n");
    for request in REQUESTS {
        print_statement(&mut source, request);
    }
    source.push_str("return 0;\n}\n");
    source
}

/// Appends the statement that prints `request`, left out by the preprocessor if the headers are too
/// old for it
fn print_statement(source: &mut String, Request { name, since, .. }: &Request) {
    let (major, minor) = since.unwrap_or("0.0").split_once('.').expect("`since` is `x.y`");
    writeln!(
        source,
        "#if __VALGRIND_MAJOR__ > {major} || \
         (__VALGRIND_MAJOR__ == {major} && __VALGRIND_MINOR__ >= {minor})\n\
         printf(\"{name} %u\\n\", (unsigned) {name});\n\
         #endif"
    )
    .expect("a string takes all");
}
