//! Reads dumps with addresses.

use super::*;
use crate::dump::CallSource;
use crate::fixtures::body;

const HEADER: &str =
    "version: 1\ncreator: callgrind-3.19.0\npositions: instr line\nevents: Ir Dr\n";
const BODY: &str = "\
ob=(1) exe\nfl=(1) a.rs\nfn=(1) f\n0x10 7 1 1\n+4 * 2\n+4 +2 3\ncob=(2) libc\ncfn=(2) g\n\
calls=2 0x50 0\n+4 * 20 4\n0x1c * 1\njcnd=1/2 0x14 7\n0x1e 9\n0x1e 9 5\nob=(2)\nfn=(2)\n0x50 0 20 4\n\
ob=(1)\nfn=(3) main\ncfn=(1)\ncalls=0 0x10 7\n0x70 3 31 5\n";

/// Reads the body of a dump with this header.
fn read(
    header: &str,
    lines: &str,
    addresses: Addresses,
) -> Result<(String, Option<AddressProfile>), String> {
    let text = format!("{header}{lines}\ntotals: 31 5\n");
    body(&text, CallSource::Merged, addresses).map(|(output, _, profile)| (output, profile))
}

#[test]
fn costs_are_added_up_by_line() {
    let (output, profile) = read(HEADER, BODY, Addresses::Removed).unwrap();
    let expected = "\
ob=(1) exe\nfl=(1) a.rs\nfn=(1) f\n7 3 1\n9 3\ncob=(2) libc\ncfn=(2) g\ncalls=2 0\n9 20 4\n\
9 1\njcnd=1/2 7\n9\n9 5\nob=(2)\nfn=(2)\n0 20 4\nob=(1)\nfn=(3) main\ncfn=(1)\ncalls=0 7\n3 31 5\n";
    assert_eq!(output, expected);
    let profile = profile.unwrap();
    assert_eq!(profile.objects, ["exe", "libc"]);
    assert_eq!(profile.functions, ["f", "g", "main"]);
    assert_eq!(
        (&*profile.creator, &*profile.events),
        ("callgrind-3.19.0", &["Ir", "Dr"].map(str::to_owned)[..])
    );
    let expected: [(u32, u64, &[u64]); 6] = [
        (0, 0x10, &[1, 1]),
        (0, 0x14, &[2]),
        (0, 0x18, &[3]),
        (0, 0x1c, &[1]),
        (0, 0x1e, &[5]),
        (1, 0x50, &[20, 4]),
    ];
    let mut costs = profile.costs.reader();
    for (object, address, counts) in expected {
        let at = costs.next_position().unwrap();
        assert_eq!((at.object, at.address, costs.counts()), (object, address, counts));
    }
    assert_eq!(costs.next_position(), None);
    // The call by `main`, which executed nothing that was measured, is left out
    let from = Position { object: 0, function: 0, address: 0x1c };
    let to = Position { object: 1, function: 1, address: 0x50 };
    assert_eq!(profile.calls, [Call { from, to, times: 2, inclusive: 20 }]);
}

#[test]
fn addresses_can_stay() {
    let (kept, collected) = read(HEADER, BODY, Addresses::Kept).unwrap();
    assert_eq!(kept, BODY);
    assert_eq!(collected, read(HEADER, BODY, Addresses::Removed).unwrap().1);
    assert_eq!(read(HEADER, BODY, Addresses::Ignored).unwrap(), (BODY.to_owned(), None));
    let (header, without) = ("positions: line\nevents: Ir Dr\n", "fn=f\n7 1\n+1 1\n");
    let read = read(header, without, Addresses::Removed).unwrap();
    assert_eq!(read, (without.to_owned(), None));
}

#[test]
fn a_name_without_a_number_can_have_brackets() {
    // With `--compress-strings=no`
    let lines = "ob=exe\nfn=(below main)\n0x10 7 1 1\n";
    let (_, profile) = read(HEADER, lines, Addresses::Removed).unwrap();
    assert_eq!(profile.unwrap().functions, ["(below main)"]);
}

#[test]
fn malformed_lines_are_errors() {
    for (wrong, message) in [
        ("calls=2", "`2` doesn't belong among the costs"),
        ("0x 7", "`0x 7` doesn't belong among the costs"),
        ("0x10 7 x", "`0x10 7 x` doesn't belong among the costs"),
        ("+1", "`+1` doesn't belong among the costs"),
        ("-1 1 1", "`-1 1 1` doesn't belong among the costs"),
        ("fn=(3)", "the dump does not have the name with this number"),
        ("jump=1", "`1` doesn't belong among the costs"),
        (
            "0x10 7 18446744073709551616",
            "`0x10 7 18446744073709551616` doesn't belong among the costs",
        ),
    ] {
        let error = read(HEADER, wrong, Addresses::Removed).unwrap_err();
        assert_eq!(error, format!("5: {message}"));
    }
}
