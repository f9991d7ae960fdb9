//! The first reading of a dump, which finds the names that decide about its lines.

use std::collections::HashSet;
use std::path::Path;

use crate::error::{Error, Result};
use crate::line::ProfileLine;
use crate::lines::Lines;
use crate::linkage::Jumps;
use crate::names::{NameId, NameSpec, Names};
use crate::renamed::Renamed;

/// The functions of a dump.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Their names. Jumps to other object files have the names of their targets.
    pub(crate) names: Names,
    /// The functions without self costs.
    pub(crate) left_out: HashSet<NameId>,
}

impl Scan {
    /// Reads the names of functions. If `is_left_out` returns `true` for a name, the function has
    /// no self cost.
    ///
    /// Lines that do not belong to a dump are errors of the second reading.
    pub(crate) fn read(
        dump: &Path,
        link: &Renamed,
        is_left_out: &dyn Fn(&str) -> bool,
    ) -> Result<Self> {
        let mut lines = Lines::open(dump).map_err(Error::io("read", dump))?;
        let (mut scan, mut jumps, mut restored) = (Self::default(), Jumps::default(), Vec::new());
        while let Some(line) = lines.next_line().map_err(Error::io("read", dump))? {
            let Some(ProfileLine::Name { spec, value }) = ProfileLine::classify(line.text) else {
                continue;
            };
            if !matches!(spec, NameSpec::Function | NameSpec::CalledFunction) {
                continue;
            }
            restored.clear();
            link.restore_line(value, &mut restored);
            let Ok(name) = scan.names.read(spec, &restored) else { continue };
            jumps.read(spec, name, &scan.names);
            let text = || String::from_utf8_lossy(scan.names.text(name));
            if spec == NameSpec::Function && is_left_out(&text()) {
                scan.left_out.insert(name);
            }
        }
        for (jump, name) in jumps.names(&scan.names) {
            scan.names.rename(jump, name);
        }
        Ok(scan)
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind::{Dr, Ir};

    use crate::collector::Addresses;
    use crate::dump::CallSource;
    use crate::fixtures::body;

    /// Returns the body and the totals of a dump.
    fn cleaned(dump: &str) -> (String, Vec<u64>) {
        let calls = CallSource::Callgrind(&|name| name.contains("ours"));
        let (body, totals, _) = body(dump, calls, Addresses::Ignored).unwrap();
        (body, [Ir, Dr].into_iter().filter_map(|kind| totals.count(kind)).collect())
    }

    /// Returns the body of a dump with this body.
    fn cleaned_body(body: &str) -> String {
        cleaned(&format!("events: Ir\n{body}totals: 9\n")).0
    }

    #[test]
    fn a_jump_has_the_name_of_its_target() {
        let dump = "fn=(1) realloc\n1 5\ncfn=(2) 0x000000000486c290 [PLT]\ncalls=1 0\n1 9\n\
                    fn=(2)\n0 1\ncfn=(3) memcpy@GLIBC_2.2.5\ncalls=1 0\n0 8\n";
        let jump = "0x000000000486c290 [PLT]";
        assert_eq!(cleaned_body(dump), dump.replace(jump, "memcpy@plt"));
        let plain = dump.replace("(1) ", "").replace("(2) ", "").replace("(3) ", "");
        let plain = plain.replace("fn=(2)", &format!("fn={jump}"));
        assert_eq!(cleaned_body(&plain), plain.replace(jump, "memcpy@plt"));
    }

    #[test]
    fn a_target_that_is_looked_up_is_known_by_its_second_call() {
        let first = "fn=(2) 0x10 [PLT]\n0 1\ncfn=(4) 0x20 [PLT]\ncalls=1 0\n0 8\n\
                     fn=(4)\n0 1\ncfn=(5) _dl_runtime_resolve_xsave\ncalls=1 0\n0 8\n";
        let once = first.replace("0x20 [PLT]", "_dl_runtime_resolve_xsave@plt");
        assert_eq!(cleaned_body(first), once);
        let both = format!("{first}fn=(2)\ncfn=(6) puts\ncalls=1 0\n0 7\n");
        assert!(cleaned_body(&both).contains("fn=(2) puts@plt\n"));
    }

    #[test]
    fn self_costs_are_taken_out_and_positions_stay() {
        let dump = "\
positions: instr line\nevents: Ir Dr\n\nfn=(1) main\n0x10 1 5 1\ncfn=(2) ours::call\ncalls=1 0x20 2\n0x11 1 12 4\n\n\
fn=(2)\n0x20 2 3 1\njump=1 0x24 3\n0x21 2\n+4 * 1\ncfn=(3) user\ncalls=1 0x30 4\n* * 7 2\n+1 +1 1\n\n\
fn=(3)\n0x30 4 7 2\n\ntotals: 17 4\n";
        let expected = "\
fn=(1) main\n0x10 1 5 1\ncfn=(2) ours::call\ncalls=1 0x20 2\n0x11 1 12 4\n\
fn=(2)\n0x20 2\njump=1 0x24 3\n0x21 2\n+4 *\ncfn=(3) user\ncalls=1 0x30 4\n* * 7 2\n+1 +1\n\
fn=(3)\n0x30 4 7 2\n";
        assert_eq!(cleaned(dump), (expected.to_owned(), vec![12, 3]));
        let calls = CallSource::Callgrind(&|name| name.contains("ours"));
        let too_small = dump.replace("totals: 17", "totals: 4");
        let error = body(&too_small, calls, Addresses::Ignored).unwrap_err();
        assert_eq!(error, "23: `4` is not the total of the costs");
    }

    #[test]
    fn a_dump_without_jumps_stays_as_it_is() {
        let dump = "fn=(1) main\n1 5\ncfn=(2) f [PLT] g\ncalls=1 0\n1 9\n";
        assert_eq!(cleaned_body(dump), dump);
    }
}
