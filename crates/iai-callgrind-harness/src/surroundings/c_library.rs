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
            // SAFETY: the name is a C string.
            address = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
            self.address.store(address, Ordering::Relaxed);
        }
        NonNull::new(address)
    }

    /// Returns the function as a pointer of the type `F`. Ends the process if the C library has no such function: no
    /// program that could be linked calls it.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to the function.
    pub(super) unsafe fn get<F: Copy>(&self) -> F {
        assert!(size_of::<F>() == size_of::<*mut c_void>());
        match self.find() {
            // SAFETY: both are pointers, and the caller guarantees the type.
            Some(address) => unsafe { mem::transmute_copy(&address) },
            None => std::process::abort(),
        }
    }
}

/// Defines a module with the C library's functions of these names, and the list `ALL`.
macro_rules! functions_of_c_library {
    ($module:ident: $($name:ident),* $(,)?) => {
        #[expect(non_upper_case_globals, reason = "the functions' own names")]
        mod $module {
            use $crate::surroundings::c_library::Function;

            pub(super) static ALL: &[&Function] = &[$(&$name),*];

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
