//! Counts the allocations of real profiles and of small ones.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::fixtures::{fixture, fixtures};
use crate::profile::{Profile, ProfileDetails};

/// Returns the allocations and frees in a profile with these functions.
fn calls(functions: &str) -> Result<Option<(u64, u64)>, String> {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("x.out");
    fs::write(&path, format!("events: Ir\n{functions}\ntotals: 9\n")).unwrap();
    read_heap_calls(&path)
}

/// Returns the allocations and frees in a profile.
fn read_heap_calls(path: &Path) -> Result<Option<(u64, u64)>, String> {
    let profile =
        Profile::read(path, ProfileDetails { heap_calls: true, ..ProfileDetails::default() });
    let heap = profile.map_err(|error| error.to_string())?.heap_calls;
    Ok(heap.map(|heap| (heap.allocations, heap.frees)))
}

/// Counts the calls of an executable; a callee is `object function count`.
fn from_executable(callees: &[&str]) -> Option<(u64, u64)> {
    let call = |callee: &&str| {
        let [object, function, count] = callee.split(' ').collect::<Vec<_>>()[..] else { panic!() };
        format!("cob={object}\ncfn={function}\ncalls={count} 0\n1 1\n")
    };
    let callees: String = callees.iter().map(call).collect();
    calls(&format!("ob=/bin/bench\nfn=bench::run\n1 1\n{callees}")).unwrap()
}

#[test]
fn real_profiles() {
    let known = [
        // A vector that grows for a hundred boxes: 4, 8, 16, 32, 64, 128
        ("heap_boxes.out", Some((106, 5))),
        // The same with an allocator of its own that never asks the C library
        ("heap_arena.out", None),
        // C, linked lazily, so that each function's first call goes through the loader
        ("heap_lazy_binding.out", Some((40, 50))),
        // Linked statically
        ("heap_static.out", None),
    ];
    for (name, expected) in known {
        assert_eq!(read_heap_calls(&fixture(name)).unwrap(), expected, "{name}");
    }
    for path in fixtures() {
        assert!(read_heap_calls(&path).is_ok(), "{}", path.display());
    }
}

#[test]
fn each_way_to_allocate_counts() {
    const LIBC: &str = "/lib/x86_64-linux-gnu/libc.so.6";
    for (function, expected) in [
        ("malloc", (3, 0)),
        ("calloc", (3, 0)),
        ("__libc_memalign", (3, 0)),
        ("posix_memalign@@GLIBC_2.2.5", (3, 0)),
        ("malloc'bench::run", (3, 0)),
        ("realloc", (3, 3)),
        ("free", (0, 3)),
        ("malloc_usable_size", (0, 0)),
        ("strdup", (0, 0)),
    ] {
        assert_eq!(from_executable(&[&format!("{LIBC} {function} 3")]), Some(expected));
    }
    for library in ["libc-2.31.so", "/lib/ld-musl-x86_64.so.1", "/lib/libc.so"] {
        assert_eq!(from_executable(&[&format!("{library} malloc 2")]), Some((2, 0)));
    }
}

#[test]
fn the_c_library_within_itself_does_not_count() {
    let inside = "ob=(1) /lib/libc.so.6\nfn=(1) strdup\n1 1\ncfn=(2) malloc\ncalls=1 0\n1 1\n\
                  ob=(2) /lib/ld-linux-x86-64.so.2\nfn=(3) allocate_dtv\n1 1\n\
                  cob=(1)\ncfn=(4) calloc\ncalls=1 0\n1 1\n\
                  ob=(3) /bin/bench\nfn=(5) f\n1 1\ncob=(1)\ncfn=(2)\ncalls=7 0\n1 1\n";
    assert_eq!(calls(inside), Ok(Some((7, 0))));
}

#[test]
fn a_trampoline_belongs_to_the_object_that_calls_it() {
    let trampoline = |id, count| {
        format!(
            "ob=(9) ???\nfn=({id}) 0x000000000010907{id}\n1 1\n\
             cob=(1) libc.so.6\ncfn=(5) malloc\ncalls={count} 0\n1 1\n"
        )
    };
    let caller = |object, id, count| {
        format!("ob={object}\nfn=f\n1 1\ncob=(9)\ncfn=({id})\ncalls={count} 0\n1 1\n")
    };
    let profile =
        [trampoline(1, 5), caller("(1)", 1, 5), trampoline(2, 7), caller("(3) /bin/bench", 2, 7)];
    assert_eq!(calls(&profile.concat()), Ok(Some((7, 0))));
}

#[test]
fn a_function_of_the_user_is_not_the_c_librarys() {
    let own = ["/bin/bench free 5", "/bin/bench bench::malloc 6", "libc.so.6 malloc 1"];
    assert_eq!(from_executable(&own), Some((1, 0)));
    // A benchmark file may be called libc
    assert_eq!(from_executable(&["/target/libc-0123456789abcdef free 5"]), Some((0, 0)));
}

#[test]
fn nothing_is_known_of_other_allocators() {
    for other in [
        "/bin/bench _rjem_mallocx 1",
        "/bin/bench mi_malloc_aligned 1",
        "/usr/lib/libjemalloc.so.2 malloc 1",
        "/bin/bench malloc 1",
        "/bin/bench __rustc::__rust_no_alloc_shim_is_unstable_v2 3",
        "/bin/bench __rust_alloc_zeroed 3",
    ] {
        assert_eq!(from_executable(&[other, "libc.so.6 malloc 2"]), None, "{other}");
    }
    let asked_as_often = ["/bin/bench __rustc::__rust_alloc 2", "libc.so.6 malloc 2"];
    assert_eq!(from_executable(&asked_as_often), Some((2, 0)));
}

#[test]
fn no_allocation_is_zero_where_it_would_be_seen() {
    assert_eq!(calls("ob=/bin/bench\nfn=bench::run\n1 1\n"), Ok(Some((0, 0))));
    let stripped = "ob=/bin/bench\nfn=0x0000000000001234\n1 1\n";
    assert_eq!(calls(stripped), Ok(None), "an allocator of its own would not be seen");
    let call = |function| format!("{stripped}cob=libc.so.6\ncfn={function}\ncalls=2 0\n1 1\n");
    assert_eq!(calls(&call("memcpy")), Ok(None));
    assert_eq!(calls(&call("malloc")), Ok(Some((2, 0))));
}

#[test]
fn errors() {
    let error = calls("fn=a\ncfn=b\ncalls=x 0\n1 1\n").unwrap_err();
    assert!(error.ends_with("x.out:4: `x 0` has no count"), "{error}");
    let most = "ob=a\nfn=a\ncob=libc.so\ncfn=malloc\ncalls=18446744073709551615 0\n1 1\n";
    assert!(calls(&format!("{most}cob=libc.so\ncfn=malloc\ncalls=1 0\n1 1\n")).is_err());
    assert!(calls("fn=(1\n").is_err());
}
