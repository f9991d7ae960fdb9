//! Rebuilds dumps with the mistakes that callgrind makes on `AArch64`.

use std::fs;

use std::collections::HashMap;

use super::*;
use crate::{Profile, ProfileDetails};

/// Object files as functions and branches by their addresses.
#[derive(Debug, Default, Clone)]
struct Fake {
    symbols: Vec<(&'static str, u64, u64, &'static str)>,
    linkage: Vec<(&'static str, u64, u64)>,
    branches: HashMap<(&'static str, u64), Branch>,
    left_out: &'static str,
}

/// One of the object files.
#[derive(Debug)]
struct FakeObject(Fake, String);

impl FakeObject {
    fn find(&self, address: u64) -> Option<(u64, &'static str)> {
        let mut symbols = self.0.symbols.iter();
        let found =
            symbols.find(|(of, start, end, _)| *of == self.1 && (*start..*end).contains(&address));
        found.map(|(_, start, _, name)| (*start, *name))
    }
}

impl Code for FakeObject {
    fn symbol(&self, address: u64) -> Option<u64> {
        self.find(address).map(|(start, _)| start)
    }

    fn name(&self, address: u64) -> Option<String> {
        self.find(address).map(|(_, name)| name.to_owned())
    }

    fn is_linkage(&self, address: u64) -> bool {
        let mut linkage = self.0.linkage.iter();
        linkage.any(|(of, start, end)| *of == self.1 && (*start..*end).contains(&address))
    }

    fn branch(&self, address: u64) -> Option<Branch> {
        let mut branches = self.0.branches.iter();
        let known = branches.find(|((of, at), _)| *of == self.1 && *at == address);
        known.map(|(_, branch)| *branch).or(Some(Branch::Other))
    }
}

fn rebuild_with(path: &Path, code: &Fake) -> Result<Option<Vec<u8>>> {
    let open =
        |object: &str| -> Box<dyn Code> { Box::new(FakeObject(code.clone(), object.to_owned())) };
    rebuild(path, &open, &|function| function == code.left_out)
}

/// `f` loops five times with a branch that callgrind takes for a call, and calls `malloc` in another object file through
/// a jump whose object file callgrind doesn't know. What follows the call has the name of `malloc`, which seems to
/// call `f`.
const DUMP: &str = "\
# callgrind format
version: 1
creator: callgrind-3.24.0
pid: 7
desc: Trigger: Client Request: end
positions: instr line
events: Ir Dr
summary: 9 9

ob=(1) /exe
fl=(1) a.rs
fn=(1) f
0x100 1 1 1
+4 +1 5
cfn=(2) f'2
calls=5 0x104 2
0x108 3 20 1
0x108 3 5
+4 +1 1
cob=(2) ???
cfi=(2) ???
cfn=(3) 0x0000000000109000 [PLT]
calls=1 0x109000 0
* * 9
0x50 9 3

ob=(2)
fl=(2)
fn=(3)
0x109000 0 1
0x109004 0 1
cob=(3) /lib/libc.so.6
cfi=(3) malloc.c
cfn=(4) malloc
calls=1 0x500 7
* 0 7

ob=(3)
fl=(3)
fn=(4)
0x500 7 3
+4 * 1
cob=(1)
cfi=(1)
cfn=(2)
calls=1 0x110 5
* * 2
ob=(1)
fi=(1)
0x110 5 1
+4 * 1

totals: 99 9
";

fn fake() -> Fake {
    let branches = [
        (("/exe", 0x108), Branch::Jump(0x104)),
        (("/exe", 0x10c), Branch::Call(0x9000)),
        (("/exe", 0x9004), Branch::Indirect),
        (("/exe", 0x114), Branch::Return),
        (("/lib/libc.so.6", 0x504), Branch::Return),
    ];
    Fake {
        symbols: vec![
            ("/exe", 0x40, 0x60, "measure"),
            ("/exe", 0x100, 0x118, "f"),
            ("/lib/libc.so.6", 0x500, 0x508, "malloc"),
        ],
        linkage: vec![("/exe", 0x9000, 0x9020)],
        branches: HashMap::from(branches),
        left_out: "measure",
    }
}

fn rebuilt(dump: &str, code: &Fake) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dump");
    fs::write(&path, dump).unwrap();
    let text = rebuild_with(&path, code).unwrap();
    text.map_or_else(|| dump.to_owned(), |text| String::from_utf8(text).unwrap())
}

#[test]
fn calls_and_functions_are_those_of_the_machine_code() {
    let expected = "\
# callgrind format
version: 1
creator: callgrind-3.24.0
pid: 7
desc: Trigger: Client Request: end
desc: Calls: rebuilt from addresses; calls of one function share its cost by their numbers
positions: instr line
events: Ir Dr
summary: 9 9


ob=(1) /exe
fl=(1) a.rs
fn=(1) f
0x100 1 1 1
0x104 2 5
0x108 3 5
0x10c 4 1
cob=(1)
cfi=(2) ???
cfn=(2) malloc@plt
calls=1 0x9000 0
0x10c 4 6
0x110 5 1
0x114 5 1

ob=(1)
fl=(2)
fn=(2)
0x9000 0 1
0x9004 0 1
cob=(2) /lib/libc.so.6
cfi=(3) malloc.c
cfn=(3) malloc
calls=1 0x500 7
0x9004 0 4

ob=(2)
fl=(3)
fn=(3)
0x500 7 3
0x504 7 1

totals: 20 1
";
    assert_eq!(rebuilt(DUMP, &fake()), expected);
}

#[test]
fn the_order_of_object_files_in_the_dump_does_not_matter() {
    let other = "ob=(3) /lib/libc.so.6\nfl=(3) malloc.c\nfn=(4) malloc\n\nob=(1) /exe\n";
    let other = DUMP.replacen("ob=(1) /exe\n", other, 1);
    assert_eq!(rebuilt(&other, &fake()), rebuilt(DUMP, &fake()));
}

#[test]
fn a_rebuilt_dump_is_a_dump() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dump");
    let once = rebuilt(DUMP, &fake());
    fs::write(&path, &once).unwrap();
    let details = ProfileDetails { heap_calls: true, ..ProfileDetails::default() };
    let profile = Profile::read(&path, details).unwrap();
    let heap_calls = profile.heap_calls.map(|calls| (calls.allocations, calls.frees));
    assert_eq!(heap_calls, Some((1, 0)));
    // Again, it stays as it is but for the description
    let twice = rebuilt(&once.replacen("desc: Calls", "desc: Once", 1), &fake());
    assert_eq!(
        twice.replacen("desc: Once", "desc: Calls", 1).lines().count(),
        once.lines().count() + 2
    );
}

#[test]
fn a_cost_belongs_to_the_object_file_of_its_line_or_function() {
    // The code after the call of `malloc` is written as if it were in the C library
    let moved = |lines: &str| DUMP.replace("ob=(1)\nfi=(1)\n0x110 5 1\n+4 * 1\n", lines);
    let expected = rebuilt(DUMP, &fake());
    assert_eq!(rebuilt(&moved("fi=(1)\n0x110 5 1\n+4 * 1\n"), &fake()), expected);
    // Without debug information, it is where a function was called that contains it
    let text = rebuilt(&moved("0x110 0 1\n+4 * 1\n"), &fake());
    assert!(text.contains("0x110 0 1\n0x114 0 1\n\nob=(1)\n"), "{text}");
    assert!(text.ends_with("0x504 7 1\n\ntotals: 20 1\n"), "{text}");
    // A file of its own has the object file in which most of its instructions belong to functions
    let text = rebuilt(&moved("fi=(9) core.rs\n0x110 5 1\n+4 * 1\n"), &fake());
    assert!(text.contains("fi=(3) core.rs\n0x110 5 1\n0x114 5 1\n\nob=(1)\n"), "{text}");
}

#[test]
fn a_function_after_inlined_code_has_its_own_file() {
    // As callgrind writes it if the last instruction of `f` is not inlined and was not executed
    let end = "0x50 9 3\n";
    assert!(DUMP.contains(end));
    let source = DUMP.replace(end, &format!("{end}fi=(8) core.rs\n+4 7 1\n\nfn=(9) g\n0x70 8 1\n"));
    let text = rebuilt(&source, &fake());
    assert!(text.contains("\nfl=(1) a.rs\nfn=(1) ???\n0x70 8 1\n"), "{text}");
}

#[test]
fn inlined_code_is_in_the_object_file_of_the_code_around_it() {
    // Both object files have a function there, and the code of `f` after its call is written as if it were in the C library
    let dump = "\
version: 1
positions: instr line
events: Ir

ob=(1) /exe
fl=(1) a.rs
fn=(1) f
0x500 1 1
cob=(2) /lib/libc.so.6
cfi=(2) malloc.c
cfn=(2) malloc
calls=1 0x500 7
* * 2

ob=(2)
fl=(2)
fn=(2)
0x500 7 1
0x508 8 1
fi=(1)
0x504 2 1
fi=(3) core.rs
+4 9 1
fi=(1)
+4 3 1

totals: 6
";
    let mut code = fake();
    code.symbols = vec![("/exe", 0x500, 0x510, "f"), ("/lib/libc.so.6", 0x500, 0x510, "malloc")];
    code.branches = HashMap::from([(("/exe", 0x500), Branch::Indirect)]);
    let text = rebuilt(dump, &code);
    assert!(text.contains("0x504 2 1\nfi=(3) core.rs\n0x508 9 1\nfi=(1)\n0x50c 3 1\n"), "{text}");
    assert!(text.ends_with("0x500 7 1\n0x508 8 1\n\ntotals: 6\n"), "{text}");
}

#[test]
fn a_cost_without_a_line_has_the_file_of_its_function() {
    // The code after the call of `malloc` is written as if it were in `malloc.c`
    let moved = |lines: &str| DUMP.replace("ob=(1)\nfi=(1)\n0x110 5 1\n+4 * 1\n", lines);
    let text = rebuilt(&moved("0x110 0 1\n+4 * 1\n"), &fake());
    assert!(text.contains("0x10c 4 6\n0x110 0 1\n0x114 0 1\n\n"), "{text}");
    // A function without lines
    let text = rebuilt(&moved("ob=(1)\nfi=(1)\n0x110 5 1\n+4 * 1\nfi=(3)\n0x70 0 1\n"), &fake());
    assert!(text.contains("fl=(1) ???\nfn=(1) ???\n0x70 0 1\n"), "{text}");
}

#[test]
fn a_dump_without_addresses_stays_as_it_is() {
    let dump = DUMP.replace("positions: instr line", "positions: line");
    assert_eq!(rebuilt(&dump, &fake()), dump);
    // As one that is empty or cut off, which its reader finds out
    for end in ["\nob=(1)", "\ntotals:"] {
        let cut = DUMP.split(end).next().unwrap();
        assert_eq!(rebuilt(cut, &fake()), cut);
    }
}

#[test]
fn without_symbols_functions_start_where_calls_go() {
    let mut code = fake();
    code.symbols.retain(|(object, ..)| *object != "/lib/libc.so.6");
    let text = rebuilt(DUMP, &code);
    assert!(text.contains("fn=(3)\n0x500 7 3\n0x504 7 1\n"), "{text}");
    // No call goes to `f`: its name is unknown, its costs are not lost
    code.symbols.retain(|(_, _, _, name)| *name != "f");
    let text = rebuilt(DUMP, &code);
    assert!(text.contains("fn=(1) ???\n0x100 1 1 1\n"), "{text}");
    assert!(text.ends_with("totals: 20 1\n"));
}

#[test]
fn the_times_of_calls_are_those_of_their_instructions() {
    let dump = "\
positions: instr line
events: Dr Ir

ob=/exe
fl=a.rs
fn=f
0x100 1 0 3
cfn=g
calls=1 0x200 7
* * 0 1
0x104 1 0 4
cfn=g
calls=3 0x200 7
* * 0 1
cfn=h
calls=9 0x300 8
* * 0 1
0x108 1 0 0
cfn=h
calls=9 0x300 8
* * 0 1
fn=g
0x200 7 0 70
fn=h
0x300 8 0 30
totals: 0 107
";
    let code = Fake {
        symbols: vec![
            ("/exe", 0x100, 0x110, "f"),
            ("/exe", 0x200, 0x204, "g"),
            ("/exe", 0x300, 0x304, "h"),
        ],
        branches: [0x100, 0x104, 0x108].map(|at| (("/exe", at), Branch::Indirect)).into(),
        ..Fake::default()
    };
    let text = rebuilt(dump, &code);
    let calls: Vec<_> = text.lines().filter(|line| line.starts_with("calls=")).collect();
    assert_eq!(calls, ["calls=3 0x200 7", "calls=3 0x200 7", "calls=1 0x300 8"]);
    assert!(text.contains("0x104 1 0 35\n") && text.contains("0x104 1 0 30\n"), "{text}");
}

#[test]
fn errors_name_the_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dump");
    for (right, wrong, line) in
        [("calls=1 0x500 7", "calls=x", 35), ("+4 +1 5\n", "+4 +1 5 1 1\n", 14)]
    {
        fs::write(&path, DUMP.replacen(right, wrong, 1)).unwrap();
        let error = rebuild_with(&path, &fake()).unwrap_err().to_string();
        assert!(error.contains(&format!(":{line}:")), "{error}");
    }
}

#[test]
fn costs_belong_to_a_function_in_a_file_of_an_object_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dump");
    for missing in ["ob=(1) /exe\n", "fl=(1) a.rs\n", "fn=(1) f\n"] {
        fs::write(&path, DUMP.replacen(missing, "", 1)).unwrap();
        let error = rebuild_with(&path, &fake()).unwrap_err().to_string();
        assert!(error.contains(":12: `0x100 1 1 1` doesn't belong"), "{missing}: {error}");
    }
}
