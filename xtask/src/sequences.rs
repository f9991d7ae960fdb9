//! `cargo xtask sequences`: the instructions of a client request are Valgrind's, on each architecture.
//!
//! The bytes come from three sources, which must agree: the macro of Valgrind's header compiled by that architecture's
//! gcc, our instructions assembled by its binutils, and our Rust compiled for it. Instructions and bytes are stored in
//! a file. An ordinary test compares the sources with it, without compilers and a network.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use xtask::command::{self, in_file};
use xtask::install::{self, Program};
use xtask::machine::Machine;
use xtask::outcome::Outcome;

/// The file with what is expected, in the workspace
const FILE: &str = "tests/client-requests/tests/fixtures/sequences.txt";

/// The places in the workspace that have the instructions
const SOURCES: &str = "crates/iai-callgrind-requests/src/arch";

/// A target with inline assembly
struct Architecture {
    /// The name in the file
    name: &'static str,
    /// The file with the instructions
    source: &'static str,
    /// The target of rustc
    target: &'static str,
    /// The C compiler, whose package comes with binutils
    gcc: Program,
    /// The options of the compiler
    options: &'static [&'static str],
    /// The first lines of an assembler file
    assembler: &'static str,
}

const ARCHITECTURES: &[Architecture] = &[
    Architecture {
        name: "x86_64",
        source: "x86_64.rs",
        target: "x86_64-unknown-linux-gnu",
        gcc: Program { name: "x86_64-linux-gnu-gcc", packages: "gcc" },
        options: &[],
        assembler: ".intel_syntax noprefix",
    },
    Architecture {
        name: "x86",
        source: "x86.rs",
        target: "i686-unknown-linux-gnu",
        gcc: Program { name: "i686-linux-gnu-gcc", packages: "gcc-i686-linux-gnu" },
        options: &[],
        assembler: ".intel_syntax noprefix",
    },
    Architecture {
        name: "aarch64",
        source: "aarch64.rs",
        target: "aarch64-unknown-linux-gnu",
        gcc: Program { name: "aarch64-linux-gnu-gcc", packages: "gcc-aarch64-linux-gnu" },
        options: &[],
        assembler: "",
    },
    Architecture {
        name: "arm",
        source: "arm.rs",
        target: "armv7-unknown-linux-gnueabihf",
        gcc: Program { name: "arm-linux-gnueabihf-gcc", packages: "gcc-arm-linux-gnueabihf" },
        options: &["-marm"],
        assembler: ".syntax unified\n.arch armv7-a\n.arm",
    },
    Architecture {
        name: "thumb",
        source: "arm.rs",
        target: "thumbv7neon-unknown-linux-gnueabihf",
        gcc: Program { name: "arm-linux-gnueabihf-gcc", packages: "gcc-arm-linux-gnueabihf" },
        options: &["-mthumb"],
        assembler: ".syntax unified\n.arch armv7-a\n.thumb",
    },
    Architecture {
        name: "riscv64",
        source: "riscv64.rs",
        target: "riscv64gc-unknown-linux-gnu",
        gcc: Program { name: "riscv64-linux-gnu-gcc", packages: "gcc-riscv64-linux-gnu" },
        options: &[],
        assembler: "",
    },
    Architecture {
        name: "s390x",
        source: "s390x.rs",
        target: "s390x-unknown-linux-gnu",
        gcc: Program { name: "s390x-linux-gnu-gcc", packages: "gcc-s390x-linux-gnu" },
        options: &[],
        assembler: "",
    },
];

/// Compares all architectures, and writes the file again with `bless`
pub(crate) fn run(bless: bool) -> Result<ExitCode, String> {
    let work = command::target().join("xtask/sequences");
    fs::create_dir_all(&work).map_err(in_file(&work))?;
    let file = command::root().join(FILE);
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let mut written = String::new();
    let mut failed = false;
    for architecture in ARCHITECTURES {
        let (entry, outcome) = architecture.check(&work);
        let outcome = match outcome {
            Outcome::Passed if !bless && !expected.contains(&entry) => {
                Outcome::Failed(vec![format!("{FILE} has something else; see --bless")])
            }
            outcome => outcome,
        };
        failed |= outcome.is_failure();
        println!("{:<9}{outcome:<9}{}", architecture.name, reason(&outcome));
        written.push_str(&entry);
    }
    // The file would lose the architectures that were skipped
    let complete = written.matches(" = ").count() == ARCHITECTURES.len();
    if bless && !failed && !complete {
        return Err(format!("{FILE} is not written, because not all architectures were compared"));
    }
    if bless && !failed {
        fs::write(&file, written).map_err(in_file(&file))?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Architecture {
    /// Returns the expected entry of the file, and the outcome of the three ways.
    fn check(&self, work: &Path) -> (String, Outcome) {
        let failed = |error| (String::new(), Outcome::Failed(vec![error]));
        let source = command::root().join(SOURCES).join(self.source);
        let text = match fs::read_to_string(&source) {
            Ok(text) => text,
            Err(error) => return failed(format!("{}: {error}", source.display())),
        };
        if let Err(reason) = install::programs(&Machine::this(), &[&self.gcc]) {
            return (String::new(), Outcome::Skipped(reason));
        }
        match self.header_knows(work) {
            Ok(true) => {}
            Ok(false) => {
                let reason = "Valgrind's headers don't know it, newer ones may";
                return (String::new(), Outcome::Skipped(reason.into()));
            }
            Err(error) => return failed(error),
        }
        let instructions = instructions(&text);
        let bytes = match self.assemble(&instructions, work) {
            Ok(bytes) => bytes,
            Err(error) => return failed(error),
        };
        (self.entry(&instructions, &bytes), self.compare(&bytes, &source, work))
    }

    /// Looks for `bytes` in what the compilers make
    fn compare(&self, bytes: &[u8], source: &Path, work: &Path) -> Outcome {
        let failure = |result: Result<Vec<u8>, String>, what: &str| match result {
            Ok(code) if occurrences(&code, bytes) == 1 => None,
            Ok(code) => Some(format!("not what {what} is compiled to: {}", hexadecimal(&code))),
            Err(error) => Some(error),
        };
        let c = failure(self.compile_c(work), "the macro of Valgrind's header");
        let rust = if self.has_rust() {
            failure(self.compile_rust(source, work), "our code")
        } else {
            println!("{:<9}rustup has no {}: our code is not compiled", self.name, self.target);
            None
        };
        let failures: Vec<_> = c.into_iter().chain(rust).collect();
        if failures.is_empty() { Outcome::Passed } else { Outcome::Failed(failures) }
    }

    fn entry(&self, instructions: &[&str], bytes: &[u8]) -> String {
        let mut entry = format!("{} ({})\n", self.name, self.source);
        for instruction in instructions {
            writeln!(entry, "    {instruction}").expect("a string takes all");
        }
        writeln!(entry, "    = {}", hexadecimal(bytes)).expect("a string takes all");
        entry
    }

    /// Assembles our instructions.
    fn assemble(&self, instructions: &[&str], work: &Path) -> Result<Vec<u8>, String> {
        // In a section of its own, which the assembler doesn't pad at its end
        let text = format!(
            "{}\n.section .text.request,\"ax\"\n{}\n",
            self.assembler,
            instructions.join("\n")
        );
        let (file, object) = self.files(work, "assembled", "s", &text)?;
        command::output(self.program("as").arg(&file).arg("-o").arg(&object))?;
        self.code(&object)
    }

    /// Compiles the macro of Valgrind's header, by gcc.
    fn compile_c(&self, work: &Path) -> Result<Vec<u8>, String> {
        let text = "#include <valgrind/valgrind.h>\n\
                    unsigned long request(unsigned long argument) {\n\
                    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, 1, argument, 0, 0, 0, 0);\n}\n";
        let (file, object) = self.files(work, "macro", "c", text)?;
        command::output(self.compiler().arg("-c").arg(&file).arg("-o").arg(&object))?;
        self.code(&object)
    }

    /// Returns true if Valgrind's header has a sequence for it; otherwise its macros are empty
    fn header_knows(&self, work: &Path) -> Result<bool, String> {
        let text = "#include <valgrind/valgrind.h>\n#ifdef NVALGRIND\nunknown\n#endif\n";
        let (file, _) = self.files(work, "known", "c", text)?;
        let preprocessed = command::output(self.compiler().args(["-E", "-P"]).arg(&file))?;
        Ok(!preprocessed.lines().any(|line| line == "unknown"))
    }

    /// Returns gcc with Valgrind's headers.
    fn compiler(&self) -> Command {
        let include = std::env::var_os("IAI_CALLGRIND_VALGRIND_INCLUDE");
        let mut gcc = command::new(self.gcc.name);
        gcc.args(self.options).args(["-O2", "-ffreestanding", "-I"]);
        gcc.arg(include.unwrap_or_else(|| "/usr/include".into()));
        gcc
    }

    /// Returns true if rustc can compile for the target, after rustup added it where it can
    fn has_rust(&self) -> bool {
        command::succeeds(command::new("rustup").args(["target", "add", self.target]))
    }

    /// Compiles our function, by rustc.
    fn compile_rust(&self, source: &Path, work: &Path) -> Result<Vec<u8>, String> {
        let inline = source.with_file_name("inline.rs");
        let (path, inline) = (source.to_string_lossy(), inline.to_string_lossy());
        let text = format!(
            "#![no_std]\n#![allow(dead_code, unreachable_pub)]\n#[macro_use]\n#[path = {inline:?}]\nmod inline;\n\
             #[path = {path:?}]\nmod arch;\n#[unsafe(no_mangle)]\npub extern \"C\" fn request(words: &[usize; 6]) -> usize {{\n\
             arch::request(0, words)\n}}\n"
        );
        let (file, object) = self.files(work, "function", "rs", &text)?;
        let mut rustc: Command = command::new("rustc");
        rustc.args(["--edition=2024", "--crate-type=lib", "--emit=obj", "-Copt-level=3"]);
        rustc.arg(format!("--target={}", self.target));
        command::output(rustc.arg(&file).arg("-o").arg(&object))?;
        self.code(&object)
    }

    /// Returns `as` or `objcopy`.
    fn program(&self, name: &str) -> Command {
        command::new(self.gcc.name.trim_end_matches("gcc").to_owned() + name)
    }

    /// Returns the bytes of code in an object file.
    fn code(&self, object: &Path) -> Result<Vec<u8>, String> {
        let binary = object.with_extension("bin");
        let mut objcopy = self.program("objcopy");
        objcopy.args(["--output-target=binary", "--only-section=.text*"]).args([object, &binary]);
        command::output(&mut objcopy)?;
        fs::read(&binary).map_err(in_file(&binary))
    }

    /// Writes a source file. Returns it with the name of its object file.
    fn files(
        &self,
        work: &Path,
        name: &str,
        extension: &str,
        text: &str,
    ) -> Result<(PathBuf, PathBuf), String> {
        let file = work.join(format!("{}_{name}.{extension}", self.name));
        fs::write(&file, text).map_err(in_file(&file))?;
        let object = file.with_extension("o");
        Ok((file, object))
    }
}

/// Returns the reason why a check failed or could not be made.
fn reason(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed => String::new(),
        Outcome::Failed(reasons) => reasons.join("; "),
        Outcome::Skipped(reason) => reason.clone(),
    }
}

/// Returns the instructions in the inline assembly of a source file: the lines that are a string each.
fn instructions(source: &str) -> Vec<&str> {
    let lines = source.lines().map(str::trim);
    lines.filter_map(|line| line.strip_prefix('"')?.strip_suffix("\",")).collect()
}

fn occurrences(code: &[u8], bytes: &[u8]) -> usize {
    code.windows(bytes.len()).filter(|window| *window == bytes).count()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_the_strings() {
        let source = "asm!(\n    \"mov a, b\",\n    \".option push\",\n    in(\"x4\") a,\n)";
        assert_eq!(instructions(source), ["mov a, b", ".option push"]);
    }

    #[test]
    fn bytes_are_counted_wherever_they_are() {
        assert_eq!(occurrences(&[1, 2, 3, 2, 3], &[2, 3]), 2);
        assert_eq!(occurrences(&[1], &[2, 3]), 0);
    }
}
