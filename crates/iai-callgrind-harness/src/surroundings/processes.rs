//! Functions of the C library that start a process. Before the first one, a benchmark gets its CPU and the order of threads, which
//! processes inherit.
//!
//! Otherwise the kernel decides whether a process or the benchmark that waits for it continues, so a benchmark that
//! reads from a process waits more or less often.
//!
//! Each function jumps to that of the C library with the arguments as they are: `vfork` returns twice, and has no frame that
//! it could return to.

use std::arch::global_asm;
use std::ffi::c_void;
use std::ptr::NonNull;

use super::c_library::{Function, functions_of_c_library};
use super::scheduling;

functions_of_c_library!(own: fork, vfork, clone, posix_spawn, posix_spawnp, system, popen, _Fork);

/// Forks the child of a case, before any code of the benchmark file has run. No handler of a fork has anything to do then, and
/// Valgrind would translate the code around them in each child. C libraries that only have the function with handlers, such
/// as glibc before 2.34, call that.
///
/// # Safety
///
/// As for `fork`.
pub(crate) unsafe fn fork_plainly() -> libc::pid_t {
    type Fork = unsafe extern "C" fn() -> libc::pid_t;
    // SAFETY: the type is that of the function, and the caller guarantees the rest.
    unsafe { own::_Fork.found::<Fork>().map_or_else(|| libc::fork(), |fork| fork()) }
}

/// Fixes the order in which the benchmark and its processes run. Returns the C library's own function.
extern "C" fn prepare(function: &Function) -> *mut c_void {
    scheduling::order_processes();
    function.find().map_or_else(|| std::process::abort(), NonNull::as_ptr)
}

/// Defines functions of the C library that call [`prepare`] first.
macro_rules! functions_that_start_processes {
    ($($name:ident),* $(,)?) => {$(
        #[cfg(target_arch = "x86_64")]
        global_asm!(
            concat!(".pushsection .text.", stringify!($name), ", \"ax\", @progbits"),
            ".p2align 6",
            concat!(".globl ", stringify!($name)),
            concat!(".type ", stringify!($name), ", @function"),
            concat!(stringify!($name), ":"),
            "endbr64",
            // The arguments; `rax` has the number of those in vector registers, and aligns the stack
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "push rax",
            "lea rdi, [rip + {function}]",
            "call {prepare}",
            "mov r11, rax",
            "pop rax",
            "pop r9",
            "pop r8",
            "pop rcx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "jmp r11",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            function = sym own::$name,
            prepare = sym prepare,
        );
        #[cfg(target_arch = "aarch64")]
        global_asm!(
            concat!(".pushsection .text.", stringify!($name), ", \"ax\", %progbits"),
            ".p2align 6",
            concat!(".globl ", stringify!($name)),
            concat!(".type ", stringify!($name), ", %function"),
            concat!(stringify!($name), ":"),
            "hint #34",
            "stp x0, x1, [sp, #-80]!",
            "stp x2, x3, [sp, #16]",
            "stp x4, x5, [sp, #32]",
            "stp x6, x7, [sp, #48]",
            "str x30, [sp, #64]",
            "adrp x0, {function}",
            "add x0, x0, :lo12:{function}",
            "bl {prepare}",
            "mov x16, x0",
            "ldr x30, [sp, #64]",
            "ldp x6, x7, [sp, #48]",
            "ldp x4, x5, [sp, #32]",
            "ldp x2, x3, [sp, #16]",
            "ldp x0, x1, [sp], #80",
            "br x16",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            function = sym own::$name,
            prepare = sym prepare,
        );
    )*};
}

functions_that_start_processes!(fork, vfork, clone, posix_spawn, posix_spawnp, system, popen);

#[cfg(test)]
mod tests {
    use std::ffi::c_int;
    use std::ptr;

    use super::*;

    /// Waits for a process and returns its exit code.
    fn exit_code(process: c_int) -> c_int {
        let mut status = 0;
        // SAFETY: the pointer is valid during the call.
        assert_eq!(unsafe { libc::waitpid(process, &raw mut status, 0) }, process);
        libc::WEXITSTATUS(status)
    }

    #[test]
    fn each_function_passes_its_arguments_on() {
        extern "C" fn start(argument: *mut c_void) -> c_int {
            argument.addr() as c_int
        }
        let mut stack = vec![0_u128; 4096];
        let (mut process, mut line) = (0, [0; 16]);
        let mut arguments = [c"sh", c"-c", c"exit 4"].map(|word| word.as_ptr().cast_mut()).to_vec();
        arguments.push(ptr::null_mut());
        // SAFETY: the strings and lists are those of C, a child only exits, and the stack is a child's own until then.
        unsafe {
            assert_eq!(libc::WEXITSTATUS(libc::system(c"exit 2".as_ptr())), 2);
            let stream = libc::popen(c"echo text".as_ptr(), c"r".as_ptr());
            assert!(!libc::fgets(line.as_mut_ptr(), 16, stream).is_null());
            assert_eq!(libc::pclose(stream), 0);
            assert_eq!(line[..5], b"text\n".map(u8::cast_signed));
            let end = stack.as_mut_ptr_range().end.cast();
            let argument = ptr::without_provenance_mut(7);
            assert_eq!(exit_code(libc::clone(start, end, libc::SIGCHLD, argument)), 7);
            for (spawn, shell) in
                [(libc::posix_spawn as Spawn, c"/bin/sh"), (libc::posix_spawnp, c"sh")]
            {
                let (none, variables) = (ptr::null(), [ptr::null_mut()]);
                let (arguments, variables) = (arguments.as_ptr(), variables.as_ptr());
                let result = spawn(
                    &raw mut process,
                    shell.as_ptr(),
                    none,
                    none.cast(),
                    arguments,
                    variables,
                );
                assert_eq!((result, exit_code(process)), (0, 4));
            }
            let child = libc::fork();
            if child == 0 {
                libc::_exit(5);
            }
            assert_eq!(exit_code(child), 5);
            #[expect(deprecated, reason = "the child only exits")]
            let child = libc::vfork();
            if child == 0 {
                libc::_exit(6);
            }
            assert_eq!(exit_code(child), 6);
        }
    }

    type Spawn = unsafe extern "C" fn(
        *mut libc::pid_t,
        *const std::ffi::c_char,
        *const libc::posix_spawn_file_actions_t,
        *const libc::posix_spawnattr_t,
        *const *mut std::ffi::c_char,
        *const *mut std::ffi::c_char,
    ) -> c_int;
}
