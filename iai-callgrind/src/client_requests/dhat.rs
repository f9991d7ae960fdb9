//! The requests of `dhat.h`. The tools other than DHAT ignore them.

use valgrind_headers::dhat::{DHAT_AD_HOC_EVENT, DHAT_HISTOGRAM_MEMORY};

use super::request;

/// Records an event of this weight for the place in the code that makes the request. DHAT counts
/// these with the option `--mode=ad-hoc`.
///
/// What the weight means is up to you; where there is no better one take 1.
///
/// ```
/// iai_callgrind::client_requests::dhat::ad_hoc_event(1);
/// ```
#[inline(always)]
pub fn ad_hoc_event(weight: usize) {
    request(0, DHAT_AD_HOC_EVENT, [weight]);
}

/// Has DHAT count the accesses to each byte of the heap block at `addr`, which it does by itself only
/// for blocks of up to 1024 bytes. Valgrind has this since 3.21.
///
/// Only for DHAT's default mode, `--mode=heap`: in the others DHAT has no blocks, and the request ends it
/// with an error.
#[inline(always)]
pub fn histogram_memory(addr: *const ()) {
    request(0, DHAT_HISTOGRAM_MEMORY, [addr.expose_provenance()]);
}
