//! Heap allocations and frees: the calls in a merged profile that lead to the C library's allocator.
//!
//! A call of `malloc` or a similar function in the object of the C library counts if the caller is outside
//! of it. So neither the allocator's own calls count, which differ from version to version, nor a user's
//! function with one of these names. `realloc` counts as an allocation and as a free, as in memcheck's heap
//! summary.
//!
//! A call between two objects may lead through a trampoline (`.plt.sec`, `.plt.got`), a few instructions
//! without an object. The trampoline belongs to the object that calls it.
//!
//! Other allocators do not use the C library, or request only large pieces from it. With one of them the
//! counts are unknown.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::line::BodyLine;
use crate::linkage::LINKAGE;
use crate::malformed::Malformed;
use crate::names::{NameId, NameSpec, Names};
use crate::words::{self, quote, words};

/// Functions that allocate.
const ALLOCATE: [&[u8]; 7] =
    [b"malloc", b"calloc", b"memalign", b"aligned_alloc", b"posix_memalign", b"valloc", b"pvalloc"];
/// Functions that allocate and free.
const REALLOCATE: [&[u8]; 2] = [b"realloc", b"reallocarray"];
/// Functions that free.
const FREE: [&[u8]; 4] = [b"free", b"cfree", b"free_sized", b"free_aligned_sized"];

/// Start of the name of a marker in newer compilers, which each request for memory calls.
const RUST_MARKER: &[u8] = b"__rust_no_alloc_shim_is_unstable";
/// Functions of the global allocator.
const RUST_REQUEST: [&[u8]; 2] = [b"__rust_alloc", b"__rust_alloc_zeroed"];

/// Starts of the names of other allocators' functions: jemalloc's, mimalloc's, snmalloc's.
const OTHERS: [&[u8]; 4] = [b"_rjem_", b"je_", b"mi_", b"sn_rust_"];

/// Starts of the names of the C library's shared objects, glibc's or musl's.
const C_LIBRARY: [&[u8]; 6] =
    [b"libc.so", b"libc-", b"libc.musl", b"libpthread", b"ld-", b"ld64.so"];

/// Numbers of allocations and of frees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeapCalls {
    /// Number of allocations.
    pub allocations: u64,
    /// Number of frees.
    pub frees: u64,
}

/// Owner of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ObjectOwner {
    CLibrary,
    /// Unknown to callgrind: a trampoline, or code made at run time.
    Unknown,
    #[default]
    Other,
}

/// Role of a function for the heap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
enum HeapRole {
    Allocate,
    Reallocate,
    Free,
    RustMarker,
    RustRequest,
    OtherAllocator,
    /// A function without a symbol.
    Nameless,
    #[default]
    Any,
}

/// Counts the heap calls of a merged profile.
#[derive(Debug, Default)]
pub(crate) struct HeapCallReader {
    /// Objects and functions of the dump.
    objects: HashMap<NameId, ObjectOwner>,
    functions: HashMap<NameId, HeapRole>,
    /// Caller and callee, with the callee's object if it differs.
    caller: (ObjectOwner, Option<NameId>),
    called: (HeapRole, Option<NameId>),
    called_in: Option<ObjectOwner>,

    /// Numbers of calls that trampolines pass on, and the trampolines that the C library calls.
    passed_on: HashMap<(NameId, Target), u64>,
    of_library: HashSet<NameId>,

    heap: HeapCalls,
    rust_markers: u64,
    rust_requests: u64,
    sees_nameless: bool,
    sees_other_allocator: bool,
}

/// Target of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Target {
    function: HeapRole,
    in_library: bool,
}

impl HeapCallReader {
    /// Reads the next line.
    pub(crate) fn read(&mut self, line: BodyLine<'_>, names: &Names) -> Result<(), Malformed> {
        match line {
            BodyLine::Name(NameSpec::Object, name) => self.caller.0 = self.owner(name, names),
            BodyLine::Name(NameSpec::CalledObject, name) => {
                self.called_in = Some(self.owner(name, names));
            }
            BodyLine::Name(NameSpec::Function, name) => {
                let function = self.role(name, names);
                self.caller.1 = Some(name);
                self.sees_nameless |=
                    function == HeapRole::Nameless && self.caller.0 == ObjectOwner::Other;
            }
            BodyLine::Name(NameSpec::CalledFunction, name) => {
                self.called = (self.role(name, names), Some(name));
            }
            BodyLine::Calls(value) => {
                let count = words(value).next().and_then(words::number);
                let count = count.ok_or_else(|| Malformed::NoCallCount(quote(value)))?;
                self.calls(count)?;
            }
            BodyLine::Name(..) | BodyLine::Jump(..) | BodyLine::Costs(_) | BodyLine::Nothing => {}
        }
        Ok(())
    }

    fn owner(&mut self, name: NameId, names: &Names) -> ObjectOwner {
        *self.objects.entry(name).or_insert_with(|| owner(names.text(name)))
    }

    fn role(&mut self, name: NameId, names: &Names) -> HeapRole {
        *self.functions.entry(name).or_insert_with(|| classify(names.text(name)))
    }

    fn calls(&mut self, count: u64) -> Result<(), Malformed> {
        let called_in = self.called_in.take().unwrap_or(self.caller.0);
        let in_library = called_in == ObjectOwner::CLibrary;
        let target = Target { function: self.called.0, in_library };
        match self.caller.0 {
            ObjectOwner::Other => self.add(target, count)?,
            ObjectOwner::Unknown => {
                if let Some(trampoline) = self.caller.1 {
                    increase(self.passed_on.entry((trampoline, target)).or_default(), count)?;
                }
            }
            ObjectOwner::CLibrary if called_in == ObjectOwner::Unknown => {
                self.of_library.extend(self.called.1);
            }
            ObjectOwner::CLibrary => {}
        }
        Ok(())
    }

    /// Adds calls by a function outside of the C library.
    fn add(&mut self, target: Target, count: u64) -> Result<(), Malformed> {
        match target.function {
            HeapRole::Allocate if target.in_library => increase(&mut self.heap.allocations, count),
            HeapRole::Reallocate if target.in_library => {
                increase(&mut self.heap.allocations, count)?;
                increase(&mut self.heap.frees, count)
            }
            HeapRole::Free if target.in_library => increase(&mut self.heap.frees, count),
            HeapRole::RustMarker => increase(&mut self.rust_markers, count),
            HeapRole::RustRequest => increase(&mut self.rust_requests, count),
            HeapRole::Allocate | HeapRole::Reallocate | HeapRole::OtherAllocator => {
                self.sees_other_allocator = true;
                Ok(())
            }
            HeapRole::Free | HeapRole::Nameless | HeapRole::Any => Ok(()),
        }
    }

    /// Ends the lines of a dump. The next one has other names.
    pub(crate) fn end_body(&mut self) -> Result<(), Malformed> {
        self.objects.clear();
        self.functions.clear();
        let of_library = std::mem::take(&mut self.of_library);
        for ((trampoline, target), count) in std::mem::take(&mut self.passed_on) {
            if !of_library.contains(&trampoline) {
                self.add(target, count)?;
            }
        }
        Ok(())
    }

    /// Returns the counts; `None` if the calls don't show what the heap did.
    pub(crate) fn finish(self, path: &Path) -> Option<HeapCalls> {
        let heap = self.result().inspect_err(|reason| {
            log::info!("{}: allocations are not known: {reason}", path.display());
        });
        heap.ok()
    }

    /// Returns the counts, or the reason why they are not known.
    fn result(&self) -> Result<HeapCalls, &'static str> {
        let asked_by_rust = self.rust_markers.max(self.rust_requests);
        if self.sees_other_allocator || asked_by_rust > self.heap.allocations {
            Err("another allocator than the C library's answered")
        } else if self.sees_nameless && self.heap == HeapCalls::default() {
            Err("there are functions without symbols, and an allocator may be among them")
        } else {
            Ok(self.heap)
        }
    }
}

fn increase(counter: &mut u64, count: u64) -> Result<(), Malformed> {
    *counter = counter.checked_add(count).ok_or(Malformed::CallsTooLarge)?;
    Ok(())
}

/// Returns the owner of the object with this path.
fn owner(path: &[u8]) -> ObjectOwner {
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let has_name = C_LIBRARY.iter().any(|start| file.starts_with(start));
    match path {
        b"???" => ObjectOwner::Unknown,
        _ if has_name && contains(file, b".so") => ObjectOwner::CLibrary,
        _ => ObjectOwner::Other,
    }
}

/// Returns the role of the function with this name.
fn classify(name: &[u8]) -> HeapRole {
    // A jump to the function, see `rebuild`
    if name.ends_with(LINKAGE.as_bytes()) {
        return HeapRole::Any;
    }
    // A symbol's version follows an `@`, the suffix of --separate-callers and --separate-recs a `'`
    let end = name.iter().position(|byte| matches!(byte, b'@' | b'\''));
    let name = &name[..end.unwrap_or(name.len())];
    let internal = name.strip_prefix(b"__libc_").or_else(|| name.strip_prefix(b"__"));
    let is_in = |list: &[&[u8]]| list.contains(&internal.unwrap_or(name));
    // `__rustc::__rust_alloc` in newer compilers, `__rust_alloc` in older ones
    let rust = name.rsplit(|byte| *byte == b':').next().unwrap_or(name);
    if is_in(&ALLOCATE) {
        HeapRole::Allocate
    } else if is_in(&REALLOCATE) {
        HeapRole::Reallocate
    } else if is_in(&FREE) {
        HeapRole::Free
    } else if rust.starts_with(RUST_MARKER) {
        HeapRole::RustMarker
    } else if RUST_REQUEST.contains(&rust) {
        HeapRole::RustRequest
    } else if OTHERS.iter().any(|start| name.starts_with(start) && contains(name, b"alloc")) {
        HeapRole::OtherAllocator
    } else if name.starts_with(b"0x") || name.starts_with(b"???") {
        HeapRole::Nameless
    } else {
        HeapRole::Any
    }
}

fn contains(name: &[u8], part: &[u8]) -> bool {
    name.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests;
