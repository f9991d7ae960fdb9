//! The entry of a measured call that a client request starts to count.
//!
//! A compiler may copy arguments between a request in Rust code and the call, and the copy would count. So the call
//! goes through a few instructions that make the request and leave all arguments in their places. The runner leaves
//! out what they count themselves.

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The function to continue with.
static TARGET: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// The request and its arguments.
static REQUEST: [AtomicUsize; 6] = [const { AtomicUsize::new(0) }; 6];

// The name is `iai_callgrind_plan::protocol::ENTER`. The instructions of the request are those of `arch/`. The return
// address stays where it is, so there is nothing to unwind.

// No argument is in x9, x11, x16 or x17.
#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(
    ".pushsection .text.iai_callgrind_enter, \"ax\", %progbits",
    ".p2align 6",
    ".globl iai_callgrind_enter",
    ".hidden iai_callgrind_enter",
    ".type iai_callgrind_enter, %function",
    "iai_callgrind_enter:",
    "hint #34",
    "mov x9, x3",
    "mov x11, x4",
    "adrp x4, {request}",
    "add x4, x4, :lo12:{request}",
    "mov x3, #0",
    "ror x12, x12, #3",
    "ror x12, x12, #13",
    "ror x12, x12, #51",
    "ror x12, x12, #61",
    "orr x10, x10, x10",
    "mov x3, x9",
    "mov x4, x11",
    "adrp x16, {target}",
    "ldr x16, [x16, :lo12:{target}]",
    "br x16",
    ".size iai_callgrind_enter, . - iai_callgrind_enter",
    ".popsection",
    request = sym REQUEST,
    target = sym TARGET,
);

// No argument is in rax, r10 or r11.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".pushsection .text.iai_callgrind_enter, \"ax\", @progbits",
    ".p2align 6",
    ".globl iai_callgrind_enter",
    ".hidden iai_callgrind_enter",
    ".type iai_callgrind_enter, @function",
    "iai_callgrind_enter:",
    "endbr64",
    "mov r11, rdx",
    "lea rax, [rip + {request}]",
    "xor edx, edx",
    "rol rdi, 3",
    "rol rdi, 13",
    "rol rdi, 61",
    "rol rdi, 51",
    "xchg rbx, rbx",
    "mov rdx, r11",
    "jmp qword ptr [rip + {target}]",
    ".size iai_callgrind_enter, . - iai_callgrind_enter",
    ".popsection",
    request = sym REQUEST,
    target = sym TARGET,
);

unsafe extern "C" {
    fn iai_callgrind_enter();
}

/// Returns a function that makes the request and then calls the given one, a function pointer.
pub(crate) fn through<F: Copy>(request: usize, function: F) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut ()>(), "a function pointer") };
    let enter: *const () = (iai_callgrind_enter as unsafe extern "C" fn()) as *const ();
    REQUEST[0].store(request, Ordering::Relaxed);
    // SAFETY: both are function pointers. The instructions change no register that an argument is in, so that they have
    // the type of each function that they continue with.
    unsafe {
        TARGET.store(mem::transmute_copy(&function), Ordering::Relaxed);
        mem::transmute_copy(&enter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_results_pass_and_so_does_a_panic() {
        type Large = [u64; 9];
        fn many(
            one: u64,
            float: f64,
            large: Large,
            text: &str,
            two: u128,
            byte: u8,
        ) -> (Large, String) {
            (large.map(|it| it + one + u64::from(byte)), format!("{float} {text} {two}"))
        }
        // Both use the same memory
        let function: fn(u64, f64, Large, &str, u128, u8) -> _ = many;
        let expected = many(1, 2.5, [3; 9], "x", 1 << 100, 7);
        assert_eq!(through(0, function)(1, 2.5, [3; 9], "x", 1 << 100, 7), expected);
        let function: fn(u64) -> u64 = |n| if n == 3 { panic!("three") } else { n };
        assert!(std::panic::catch_unwind(|| through(0, function)(3)).is_err());
        assert_eq!(through(0, function)(4), 4);
    }
}
