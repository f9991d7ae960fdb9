//! Reads the requests of C headers with the C preprocessor.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::table::{HEADERS, Requests, version};

/// Valgrind's headers as the C compiler finds them.
pub(crate) struct Headers {
    /// Directory of the headers, if it is not a default directory of the compiler.
    pub(crate) include: Option<PathBuf>,
    pub(crate) version: (u32, u32),
}

impl Headers {
    /// Returns the headers of this machine, or of the directory in the users' environment variable.
    pub(crate) fn installed() -> Option<Self> {
        let include = std::env::var_os("IAI_CALLGRIND_VALGRIND_INCLUDE").map(PathBuf::from);
        let mut headers = Self { include, version: (0, 0) };
        let text = headers.preprocess(
            "#include <valgrind/valgrind.h>\nversion=__VALGRIND_MAJOR__.__VALGRIND_MINOR__\n",
        )?;
        let last = text.lines().rev().find_map(|line| line.strip_prefix("version="))?;
        headers.version = version(&last.replace(' ', ""));
        Some(headers)
    }

    /// Returns all requests of the existing headers.
    pub(crate) fn requests(&self) -> Requests {
        let mut all = Requests::new();
        for header in HEADERS {
            let Some(text) = self.preprocess(&format!("#include <valgrind/{header}>\n")) else {
                continue;
            };
            for (name, number) in enumerators(&text) {
                // All other headers include valgrind.h
                let core = ("valgrind.h".to_owned(), name.clone());
                if !all.contains_key(&core) {
                    all.insert((header.to_owned(), name), number);
                }
            }
        }
        all
    }

    /// Returns the output of the preprocessor for `source`.
    fn preprocess(&self, source: &str) -> Option<String> {
        let mut command = compiler();
        if let Some(include) = &self.include {
            command.arg("-I").arg(include);
        }
        let mut child = command
            .args(["-E", "-P", "-x", "c", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        // The pipe is dropped at the end of the statement, which is the end of the file
        child.stdin.take()?.write_all(source.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then_some(text)
    }
}

/// Returns the C compiler.
pub(crate) fn compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| OsString::from("cc")))
}

/// Returns the requests among the enumerators of preprocessed C.
fn enumerators(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for body in text.split("enum").skip(1).filter_map(braced) {
        let mut next = 0;
        for enumerator in body.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            let (name, value) = enumerator.split_once('=').unwrap_or((enumerator, ""));
            if !name.contains("VG_USERREQ__") {
                continue;
            }
            if !value.is_empty() {
                next = evaluate(value);
            }
            found.push((name.trim().to_owned(), next));
            next += 1;
        }
    }
    found
}

/// Returns the text between the following braces.
fn braced(text: &str) -> Option<&str> {
    let (before, body) = text.split_once('{')?;
    before.trim().is_empty().then(|| body.split('}').next()).flatten()
}

/// Evaluates a constant of Valgrind's headers: a number, or the two letters of a tool, plus numbers.
fn evaluate(value: &str) -> usize {
    let letters: Vec<char> = value.split('\'').skip(1).step_by(2).flat_map(str::chars).collect();
    // The shifts and masks are part of the macro that converts the two letters to a number
    let (first, rest) = match letters[..] {
        [high, low] => {
            let (_, rest) = value.rsplit_once("<< 16").expect("the macro VG_USERREQ_TOOL_BASE");
            ((high as usize) << 24 | (low as usize) << 16, rest)
        }
        _ => (0, value),
    };
    let numbers = rest.split(['+', '(', ')']).map(str::trim).filter(|text| !text.is_empty());
    first + numbers.map(number).sum::<usize>()
}

fn number(text: &str) -> usize {
    let parsed = match text.strip_prefix("0x") {
        Some(hexadecimal) => usize::from_str_radix(hexadecimal, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

#[test]
fn enumerators_count_from_the_last_value() {
    let text = "typedef enum { VG_USERREQ__A = 0x1001, VG_USERREQ__B } C; enum {\n\
                VG_USERREQ__D = ((unsigned int)((('H')&0xff) << 24 | (('G')&0xff) << 16))\n + 256 + 3,\
                _VG_USERREQ__E,\n};";
    let expected = [
        ("VG_USERREQ__A", 0x1001),
        ("VG_USERREQ__B", 0x1002),
        ("VG_USERREQ__D", 0x4847_0103),
        ("_VG_USERREQ__E", 0x4847_0104),
    ];
    let expected: Vec<_> = expected.map(|(name, number)| (name.to_owned(), number)).into();
    assert_eq!(enumerators(text), expected);
}
