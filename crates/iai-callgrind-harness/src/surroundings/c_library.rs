//! The C library's own functions, whose names the benchmark executable has taken.

use std::ffi::{CStr, c_void};
use std::mem;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of the C library, looked up by its name.
pub(super) struct Function {
    name: &'static CStr,
    /// Null before the first look-up.
    address: AtomicPtr<c_void>,
}

impl Function {
    pub(super) const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Looks up the function. A program only calls functions that the C library has, and ends if it hasn't.
    pub(super) fn find(&self) -> Option<NonNull<c_void>> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = default_version(self.name);
            self.address.store(address, Ordering::Relaxed);
        }
        NonNull::new(address)
    }

    /// Returns the function if it was looked up before, as a pointer of the type `F`. An allocator can call this: it neither
    /// looks up anything nor allocates.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to the function.
    #[inline(always)]
    pub(super) unsafe fn found<F: Copy>(&self) -> Option<F> {
        let address = NonNull::new(self.address.load(Ordering::Relaxed))?;
        // SAFETY: the caller guarantees the type.
        Some(unsafe { as_pointer(address) })
    }

    /// Returns the function as a pointer of the type `F`. Ends the process if the C library has no such function: no
    /// program that could be linked calls it.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to the function.
    pub(super) unsafe fn get<F: Copy>(&self) -> F {
        match self.find() {
            // SAFETY: the caller guarantees the type.
            Some(address) => unsafe { as_pointer(address) },
            None => std::process::abort(),
        }
    }
}

/// Returns an address as a pointer of the type `F`.
///
/// # Safety
///
/// `F` is the type of a pointer to what is there.
unsafe fn as_pointer<F: Copy>(address: NonNull<c_void>) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a pointer") };
    // SAFETY: both are pointers, and the caller guarantees the type.
    unsafe { mem::transmute_copy(&address) }
}

/// Looks up the default version of a function in the libraries after the executable.
///
/// Before version 2.36, the C library returns the oldest version of the next function. So the library that has it is asked,
/// which returns the default one.
fn default_version(name: &CStr) -> *mut c_void {
    /// The library of timers before version 2.34, if only another library needs it.
    const TIMERS: &CStr = c"librt.so.1";
    // SAFETY: the names are C strings, and `library` is valid during the call. A library that is in use stays where it is.
    unsafe {
        let next = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
        if returns_default(CStr::from_ptr(libc::gnu_get_libc_version())) {
            return next;
        }
        let mut library: libc::Dl_info = mem::zeroed();
        let is_known = libc::dladdr(next, &raw mut library) != 0;
        let library = if is_known { library.dli_fname } else { TIMERS.as_ptr() };
        let library = libc::dlopen(library, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() { next } else { libc::dlsym(library, name.as_ptr()) }
    }
}

/// Returns `true` if a C library of this version returns the default version of the next function.
fn returns_default(version: &CStr) -> bool {
    let number = |part: Option<&[u8]>| std::str::from_utf8(part?).ok()?.parse::<u32>().ok();
    let mut parts = version.to_bytes().split(|byte| *byte == b'.');
    (number(parts.next()), number(parts.next())) >= (Some(2), Some(36))
}

/// Defines a module with the C library's functions of these names, and the list `ALL`.
macro_rules! functions_of_c_library {
    ($module:ident: $($name:ident),* $(,)?) => {
        #[expect(non_upper_case_globals, reason = "the functions' own names")]
        pub(super) mod $module {
            use $crate::surroundings::c_library::Function;

            pub(in $crate::surroundings) static ALL: &[&Function] = &[$(&$name),*];

            $(pub(super) static $name: Function = Function::new(
                match std::ffi::CStr::from_bytes_with_nul(
                    concat!(stringify!($name), "\0").as_bytes(),
                ) {
                    Ok(name) => name,
                    Err(_) => panic!(),
                },
            );)*
        }
    };
}
pub(super) use functions_of_c_library;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_version_that_returns_default_versions_is_known() {
        for (version, expected) in [
            (c"2.17", false),
            (c"2.35", false),
            (c"2.36", true),
            (c"2.43.9000", true),
            (c"3.0", true),
        ] {
            assert_eq!(returns_default(version), expected, "{version:?}");
        }
    }
}
