//! Cleans a dump while it is read: jumps to other object files get the names of their targets, and the own costs of
//! functions that are not measured are taken out.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crate::error::{Error, Result};
use crate::exclusion::Exclusion;
use crate::linkage::Jumps;
use crate::names::split_id;

/// The changes of a dump, which a first look at all of its names decides.
#[derive(Debug)]
pub struct Cleaner {
    /// New names of jumps.
    names: HashMap<Vec<u8>, Vec<u8>>,
    exclusion: Exclusion,
    functions: Functions,
}

impl Cleaner {
    /// Looks for the names to change, and for functions for whose names `is_left_out` returns `true`: these have no own
    /// costs. Returns `None` for a dump that stays as it is.
    ///
    /// # Errors
    ///
    /// Returns an error if the dump can't be read.
    pub fn scan(dump: &Path, is_left_out: &dyn Fn(&str) -> bool) -> Result<Option<Self>> {
        let (mut jumps, mut exclusion) = (Jumps::default(), Exclusion::default());
        let mut functions = Functions::default();
        let mut scan = || {
            let mut input = BufReader::new(File::open(dump)?);
            let mut line = Vec::new();
            while input.read_until(b'\n', &mut line)? > 0 {
                if let Some((is_called, name)) = functions.read(&line) {
                    jumps.read(is_called, name);
                    exclusion.find(is_called, name, is_left_out);
                }
                line.clear();
            }
            io::Result::Ok(())
        };
        scan().map_err(Error::io("read", dump))?;
        let names = jumps.names();
        let is_clean = names.is_empty() && exclusion.is_empty();
        Ok((!is_clean).then(|| Self { names, exclusion, functions: Functions::default() }))
    }

    /// Writes a line of the dump, which follows the one before.
    pub(crate) fn write(&mut self, line: &[u8], output: &mut impl Write) -> io::Result<()> {
        if let Some((is_called, name)) = self.functions.read(line) {
            self.exclusion.enter(is_called, name);
        }
        let value = function(line)
            .map(|(_, value)| split_id(value).ok().flatten().map_or(value, |(_, name)| name));
        let old = value.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
        match old.and_then(|old| Some((old, self.names.get(old)?))) {
            Some((old, new)) => {
                output.write_all(&line[..line.trim_ascii_end().len() - old.len()])?;
                output.write_all(new)?;
                output.write_all(b"\n")
            }
            None => self.exclusion.write(line, output),
        }
    }
}

/// Returns the value of a line that names a function, and `true` if it is the called one.
fn function(line: &[u8]) -> Option<(bool, &[u8])> {
    let called = line.strip_prefix(b"cfn=").map(|value| (true, value));
    called.or_else(|| line.strip_prefix(b"fn=").map(|value| (false, value)))
}

/// The names of functions by the numbers that stand for them.
#[derive(Debug, Default)]
struct Functions(HashMap<u64, Vec<u8>>);

impl Functions {
    /// Returns the name in a line that names a function, and `true` if it is the called one.
    fn read<'a>(&'a mut self, line: &'a [u8]) -> Option<(bool, &'a [u8])> {
        let (is_called, value) = function(line)?;
        let value = value.trim_ascii();
        let Some((number, name)) = split_id(value).ok().flatten() else {
            return Some((is_called, value));
        };
        let name = name.trim_ascii();
        if !name.is_empty() {
            self.0.insert(number, name.to_owned());
        }
        Some((is_called, self.0.get(&number).map_or(&[], Vec::as_slice)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::filter::{Addresses, Filter};

    fn cleaned(text: &str) -> String {
        let mut dump = tempfile::NamedTempFile::new().unwrap();
        dump.write_all(text.as_bytes()).unwrap();
        let cleaner = Cleaner::scan(dump.path(), &|name| name.contains("ours")).unwrap();
        let mut output = String::new();
        let mut filter = Filter::new(text.as_bytes(), cleaner, Addresses::Ignored);
        filter.read_to_string(&mut output).unwrap();
        output
    }

    #[test]
    fn a_jump_has_the_name_of_its_target() {
        let dump = "fn=(1) realloc\n1 5\ncfn=(2) 0x000000000486c290 [PLT]\ncalls=1 0\n1 9\n\n\
                    fn=(2)\n0 1\ncfn=(3) memcpy@GLIBC_2.2.5\ncalls=1 0\n0 8\n";
        assert_eq!(cleaned(dump), dump.replace("0x000000000486c290 [PLT]", "memcpy@plt"));
        let plain = dump.replace("(1) ", "").replace("(2) ", "").replace("(3) ", "");
        let plain = plain.replace("fn=(2)", "fn=0x000000000486c290 [PLT]");
        assert_eq!(cleaned(&plain), plain.replace("0x000000000486c290 [PLT]", "memcpy@plt"));
    }

    #[test]
    fn a_target_that_is_looked_up_is_known_by_its_second_call() {
        let first = "fn=(2) 0x10 [PLT]\n0 1\ncfn=(4) 0x20 [PLT]\ncalls=1 0\n0 8\n\
                     fn=(4)\n0 1\ncfn=(5) _dl_runtime_resolve_xsave\ncalls=1 0\n0 8\n";
        let once = first.replace("0x20 [PLT]", "_dl_runtime_resolve_xsave@plt");
        assert_eq!(cleaned(first), once);
        let both = format!("{first}fn=(2)\ncfn=(6) puts\ncalls=1 0\n0 7\n");
        assert!(cleaned(&both).contains("fn=(2) puts@plt\n"));
    }

    #[test]
    fn own_costs_are_taken_out_and_positions_stay() {
        let dump = "\
positions: instr line\nevents: Ir Dr\n\nfn=(1) main\n0x10 1 5 1\ncfn=(2) ours::call\ncalls=1 0x20 2\n0x11 1 12 4\n\n\
fn=(2)\n0x20 2 3 1\njump=1 0x24 3\n0x21 2\n+4 * 1\ncfn=(3) user\ncalls=1 0x30 4\n* * 7 2\n+1 +1 1\n\n\
fn=(3)\n0x30 4 7 2\n\ntotals: 17 4\n";
        let expected = "\
positions: instr line\nevents: Ir Dr\n\nfn=(1) main\n0x10 1 5 1\ncfn=(2) ours::call\ncalls=1 0x20 2\n0x11 1 12 4\n\n\
fn=(2)\n0x20 2\njump=1 0x24 3\n0x21 2\n+4 *\ncfn=(3) user\ncalls=1 0x30 4\n* * 7 2\n+1 +1\n\n\
fn=(3)\n0x30 4 7 2\n\ntotals: 12 3\n";
        assert_eq!(cleaned(dump), expected);
    }

    #[test]
    fn a_dump_without_jumps_stays_as_it_is() {
        let dump = "fn=(1) main\n1 5\ncfn=(2) f [PLT] g\ncalls=1 0\n1 9\n";
        assert_eq!(cleaned(dump), dump);
    }
}
