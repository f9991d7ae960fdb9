//! Names the jumps to functions of other object files by their targets: `memcpy@plt`.
//!
//! Callgrind's default is to leave these jumps out of the profile. But it never resets their costs: a dump has those of
//! all earlier executions too, from before the measured region. So the jumps are functions of the profile. Callgrind
//! names them by their addresses, which another version of the library changes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Result};
use crate::names::split_id;
use crate::rebuild::LINKAGE;

/// The end of callgrind's names.
const MARK: &[u8] = b" [PLT]";

/// The start of the names of the functions that look up a target for its first call.
const RESOLVER: &[u8] = b"_dl_runtime_resolve";

/// Renames the jumps in a dump.
///
/// # Errors
///
/// Returns an error if the dump can't be read or written.
pub fn name_linkage(dump: &Path) -> Result<()> {
    let mut jumps = Jumps::default();
    each_line(dump, &mut |line| {
        jumps.read(line);
        Ok(())
    })
    .map_err(Error::io("read", dump))?;
    let names = jumps.names();
    if names.is_empty() {
        return Ok(());
    }
    let to = dump.with_extension("linkage");
    write(dump, &to, &names).map_err(Error::io("write", &to))?;
    fs::rename(&to, dump).map_err(Error::io("write", dump))
}

fn each_line(path: &Path, read: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut input = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        read(&line)?;
        line.clear();
    }
    Ok(())
}

fn write(dump: &Path, to: &Path, names: &HashMap<Vec<u8>, Vec<u8>>) -> io::Result<()> {
    let mut output = BufWriter::new(File::create(to)?);
    each_line(dump, &mut |line| {
        let value = function(line)
            .map(|(_, value)| split_id(value).ok().flatten().map_or(value, |(_, name)| name));
        let old = value.map(<[u8]>::trim_ascii).filter(|name| name.ends_with(MARK));
        match old.and_then(|old| Some((old, names.get(old)?))) {
            Some((old, new)) => {
                output.write_all(&line[..line.trim_ascii_end().len() - old.len()])?;
                output.write_all(new)?;
                output.write_all(b"\n")
            }
            None => output.write_all(line),
        }
    })?;
    output.flush()
}

/// Returns the value of a line that names a function, and `true` if it is the called one.
fn function(line: &[u8]) -> Option<(bool, &[u8])> {
    let called = line.strip_prefix(b"cfn=").map(|value| (true, value));
    called.or_else(|| line.strip_prefix(b"fn=").map(|value| (false, value)))
}

/// The jumps of a dump, and the functions that they lead to.
#[derive(Debug, Default)]
struct Jumps {
    /// Names by the numbers that stand for them.
    names: HashMap<u64, Vec<u8>>,
    /// Name of the function whose lines follow, if it is a jump.
    jump: Option<Vec<u8>>,
    /// Targets by names of jumps.
    targets: HashMap<Vec<u8>, Vec<u8>>,
}

impl Jumps {
    fn read(&mut self, line: &[u8]) {
        let Some((is_called, value)) = function(line) else { return };
        let value = value.trim_ascii();
        let name = match split_id(value).ok().flatten() {
            None => value,
            Some((number, name)) => {
                let name = name.trim_ascii();
                if !name.is_empty() {
                    self.names.insert(number, name.to_owned());
                }
                self.names.get(&number).map_or(&[][..], |name| name)
            }
        };
        let is_jump = name.ends_with(MARK);
        if !is_called {
            self.jump = is_jump.then(|| name.to_owned());
        } else if let Some(jump) = &self.jump {
            // The first call leads through another jump, or to the function that looks up the target
            if !is_jump && (!name.starts_with(RESOLVER) || !self.targets.contains_key(jump)) {
                self.targets.insert(jump.clone(), name.to_owned());
            }
        }
    }

    /// Returns the new names of the jumps. One without a target has none.
    fn names(self) -> HashMap<Vec<u8>, Vec<u8>> {
        let named = |(jump, target): (_, Vec<u8>)| {
            let end = target.iter().position(|byte| *byte == b'@').unwrap_or(target.len());
            (jump, [&target[..end], LINKAGE.as_bytes()].concat())
        };
        self.targets.into_iter().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(text: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let dump = directory.path().join("callgrind.out");
        fs::write(&dump, text).unwrap();
        name_linkage(&dump).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        fs::read_to_string(dump).unwrap()
    }

    #[test]
    fn a_jump_has_the_name_of_its_target() {
        let dump = "fn=(1) realloc\n1 5\ncfn=(2) 0x000000000486c290 [PLT]\ncalls=1 0\n1 9\n\n\
                    fn=(2)\n0 1\ncfn=(3) memcpy@GLIBC_2.2.5\ncalls=1 0\n0 8\n";
        assert_eq!(renamed(dump), dump.replace("0x000000000486c290 [PLT]", "memcpy@plt"));
        let plain = dump.replace("(1) ", "").replace("(2) ", "").replace("(3) ", "");
        let plain = plain.replace("fn=(2)", "fn=0x000000000486c290 [PLT]");
        assert_eq!(renamed(&plain), plain.replace("0x000000000486c290 [PLT]", "memcpy@plt"));
    }

    #[test]
    fn a_target_that_is_looked_up_is_known_by_its_second_call() {
        let first = "fn=(2) 0x10 [PLT]\n0 1\ncfn=(4) 0x20 [PLT]\ncalls=1 0\n0 8\n\
                     fn=(4)\n0 1\ncfn=(5) _dl_runtime_resolve_xsave\ncalls=1 0\n0 8\n";
        let once = first.replace("0x20 [PLT]", "_dl_runtime_resolve_xsave@plt");
        assert_eq!(renamed(first), once);
        let both = format!("{first}fn=(2)\ncfn=(6) puts\ncalls=1 0\n0 7\n");
        assert!(renamed(&both).contains("fn=(2) puts@plt\n"));
    }

    #[test]
    fn a_dump_without_jumps_stays_as_it_is() {
        let dump = "fn=(1) main\n1 5\ncfn=(2) f [PLT] g\ncalls=1 0\n1 9\n";
        assert_eq!(renamed(dump), dump);
    }
}
