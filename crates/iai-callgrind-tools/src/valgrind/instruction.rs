//! Instructions that Valgrind does not execute.

/// An instruction that Valgrind does not execute, for the end of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", describe_instruction(self))]
pub struct UnknownInstruction {
    /// First bytes, and those that follow it.
    pub bytes: String,
    /// Function, with its source line or its file.
    pub place: String,
    /// The C library chose its functions for this CPU.
    pub native_cpu: bool,
}

/// The first bytes of instructions that no CPU executes, as Valgrind writes them: `ud2` of x86-64 and `udf` of `AArch64`.
const TRAPS: [&str; 2] = ["0xF 0xB", "0x0000"];

/// Describes an instruction that Valgrind does not execute. Valgrind does not print the bytes of one that it knows as
/// invalid.
fn describe_instruction(instruction: &UnknownInstruction) -> String {
    let UnknownInstruction { bytes, place, native_cpu } = instruction;
    if bytes.is_empty() || TRAPS.iter().any(|trap| bytes.starts_with(trap)) {
        return format!(
            "the instruction at {place} is invalid on every CPU\nhelp: look for code there that compilers end so: \
             an abort, or what can't be reached, such as after `unreachable_unchecked`"
        );
    }
    let native = if *native_cpu { ", and run without --native-cpu" } else { "" };
    format!(
        "Valgrind does not know the instruction at {place} ({bytes} ...)\nhelp: build for an older CPU than with \
         `-C target-cpu=native` or `-march=native`, such as {OLDER_CPU}{native}"
    )
}

/// A CPU whose instructions Valgrind knows.
const OLDER_CPU: &str = if cfg!(target_arch = "x86_64") { "x86-64-v3" } else { "generic" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_instruction_is_not_one_of_a_newer_cpu() {
        for (bytes, is_invalid) in
            [("", true), ("0xF 0xB 0x48", true), ("0x00000000", true), ("0x62 0xF1 0x7D", false)]
        {
            let (bytes, place) = (bytes.to_owned(), "a::b (a.rs:3)".to_owned());
            let text = UnknownInstruction { bytes, place, native_cpu: false }.to_string();
            assert_eq!(text.contains("invalid on every CPU"), is_invalid, "{text}");
            assert_eq!(text.contains("target-cpu"), !is_invalid, "{text}");
        }
    }
}
