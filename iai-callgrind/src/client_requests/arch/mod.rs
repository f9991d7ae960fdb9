//! The instructions of a client request, for each architecture.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::request;

/// Where there are no instructions for a request it has no effect, as outside of Valgrind.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn request(default: usize, _: &[usize; 6]) -> usize {
    default
}
