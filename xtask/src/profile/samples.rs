//! Shares of CPU time, from the samples of perf.
//!
//! perf's own names of Valgrind's functions are wrong: it takes the addresses of an executable with a fixed place for those of
//! its separate debug symbols, and finds a neighbour. So they are looked up here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::command;

/// Directory of separate debug symbols.
const DEBUG_SYMBOLS: &str = "/usr/lib/debug/.build-id";

/// Returns the shares of CPU time in percent by program and part.
pub(super) fn shares(data: &Path) -> Result<BTreeMap<String, f64>, String> {
    let mut perf = command::new("perf");
    // With names, perf prints other addresses
    perf.args(["script", "-F", "comm,ip,dso", "--input"]).arg(data);
    let symbols = Symbols::of_tool(data);
    let (mut shares, mut total) = (BTreeMap::<_, f64>::new(), 0.0);
    for sample in command::output(&mut perf)?.lines().filter_map(Sample::parse) {
        *shares.entry(sample.part(&symbols)).or_default() += 1.0;
        total += 1.0;
    }
    Ok(shares.into_iter().map(|(part, samples)| (part, 100.0 * samples / total)).collect())
}

/// A sample of perf.
#[derive(Debug, PartialEq)]
struct Sample<'a> {
    program: &'a str,
    address: u64,
    object: &'a str,
}

impl<'a> Sample<'a> {
    /// Parses a line with the program, whose name can have blanks, the address and the object file in brackets.
    fn parse(line: &'a str) -> Option<Self> {
        let (start, object) = line.trim_end().strip_suffix(')')?.rsplit_once('(')?;
        let (program, address) = start.trim().rsplit_once(char::is_whitespace)?;
        let address = u64::from_str_radix(address, 16).ok()?;
        Some(Self { program: program.trim(), address, object })
    }

    /// Returns the part of a run that the sample belongs to.
    fn part(&self, symbols: &Symbols) -> String {
        let is_tool = self.program.starts_with("callgrind") || self.program.starts_with("valgrind");
        let program = if is_tool { "Valgrind" } else { self.program };
        let place = match Path::new(self.object).file_name().and_then(|name| name.to_str()) {
            Some("[kernel.kallsyms]") => "kernel",
            Some(name) if name.starts_with("perf-") => "simulated code",
            Some(name) if name.contains("callgrind") && is_tool => {
                symbols.find(self.address).map_or("own code (no symbols)", part_of_tool)
            }
            Some(name) if name.starts_with("lib") => "libraries",
            _ => "own code",
        };
        format!("{program}: {place}")
    }
}

/// The functions of the tool by their addresses.
#[derive(Debug, Default)]
struct Symbols(BTreeMap<u64, String>);

impl Symbols {
    /// Reads the separate debug symbols of the tool in the samples; none if they are not installed.
    fn of_tool(data: &Path) -> Self {
        let mut perf = command::new("perf");
        let listed = command::output(perf.args(["buildid-list", "--input"]).arg(data));
        let listed = listed.unwrap_or_default();
        let file = listed.lines().find_map(|line| {
            let (id, path) = line.split_once(' ')?;
            let (first, rest) = id.split_at_checked(2)?;
            let symbols = PathBuf::from(DEBUG_SYMBOLS).join(first).join(format!("{rest}.debug"));
            path.contains("/callgrind-").then_some(symbols)
        });
        let Some(file) = file.filter(|file| fs::exists(file).unwrap_or(false)) else {
            return Self::default();
        };
        let names = command::output(command::new("nm").arg("--defined-only").arg(file));
        Self::parse(&names.unwrap_or_default())
    }

    /// Parses the output of `nm`.
    fn parse(names: &str) -> Self {
        let functions = names.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok()?;
            words.next().filter(|kind| kind.eq_ignore_ascii_case("t"))?;
            Some((address, words.next()?.to_owned()))
        });
        Self(functions.collect())
    }

    fn find(&self, address: u64) -> Option<&str> {
        self.0.range(..=address).next_back().map(|(_, name)| &**name)
    }
}

/// Returns the part of Valgrind that a function belongs to.
fn part_of_tool(name: &str) -> &'static str {
    let is = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    if is(&["vgCallgrind_forall_bbccs", "vgCallgrind_zero", "hash_add"]) {
        "passes over all blocks"
    } else if is(&["vgCallgrind_get_obj", "vgCallgrind_get_file", "vgCallgrind_get_fn"])
        || ["vgPlain_strcmp", "vgPlain_strlen"].contains(&name)
    {
        "names of functions and files"
    } else if is(&["cachesim_", "cacheuse_", "log_", "vgCallgrind_"]) {
        "callgrind"
    } else if is(&["vgPlain_", "vgModuleLocal_", "mkInuseBlock", "sanity_check_malloc"]) {
        "Valgrind's core"
    } else {
        "translation"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_the_program() {
        let symbols = Symbols::parse(
            "0000000058001330 T vgCallgrind_get_bb\n0000000058002770 T vgCallgrind_forall_bbccs\n\
             0000000058003000 t cprop_BB\n0000000058004000 d data\n",
        );
        let tool = "/usr/libexec/valgrind/callgrind-amd64-linux";
        for (line, expected) in [
            ("callgrind-amd64 ffffffff8160e5e2 ([kernel.kallsyms])", "Valgrind: kernel"),
            (&format!("callgrind-amd64 58001000 ({tool})"), "Valgrind: own code (no symbols)"),
            (&format!("callgrind-amd64 58001340 ({tool})"), "Valgrind: callgrind"),
            (&format!(" callgrind-amd64 58002770 ({tool})"), "Valgrind: passes over all blocks"),
            (&format!("callgrind-amd64 58004001 ({tool})"), "Valgrind: translation"),
            ("callgrind-amd64 100318606a (/tmp/perf-1.map)", "Valgrind: simulated code"),
            ("iai-callgrind-r 7f01 (/usr/lib/libc.so.6)", "iai-callgrind-r: libraries"),
            ("a b  5561 (/work/iai-callgrind-runner)", "a b: own code"),
        ] {
            assert_eq!(Sample::parse(line).unwrap().part(&symbols), expected, "{line}");
        }
        assert_eq!(Sample::parse("# a comment"), None);
    }
}
