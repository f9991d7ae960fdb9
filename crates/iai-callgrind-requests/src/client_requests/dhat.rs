//! Requests of `dhat.h`. Other tools ignore them.

use valgrind_headers::dhat::{DHAT_AD_HOC_EVENT, DHAT_HISTOGRAM_MEMORY};

use super::request;

/// Records an event with this weight for the code that makes the request. DHAT counts events with the
/// option `--mode=ad-hoc`.
///
/// The weight has any unit that you choose. Use 1 to count the events.
///
/// ```
/// iai_callgrind::client_requests::dhat::ad_hoc_event(1);
/// ```
#[inline(always)]
pub fn ad_hoc_event(weight: usize) {
    request(0, DHAT_AD_HOC_EVENT, [weight]);
}

/// Makes DHAT count the accesses to each byte of the heap block at `addr`. Without the request it does so
/// for blocks of up to 1024 bytes. Since Valgrind 3.21.
///
/// The request needs DHAT's default mode, `--mode=heap`. In other modes it ends DHAT with an error.
#[inline(always)]
pub fn histogram_memory(addr: *const ()) {
    request(0, DHAT_HISTOGRAM_MEMORY, [addr.expose_provenance()]);
}
