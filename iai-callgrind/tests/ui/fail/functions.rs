use iai_callgrind::library_benchmark;

struct Type;

impl Type {
    #[library_benchmark]
    fn method(&self) {}
}

#[library_benchmark]
struct NotAFunction;

#[library_benchmark]
async fn asynchronous() {}

#[library_benchmark(block_on = std::convert::identity)]
fn synchronous() {}

#[library_benchmark]
unsafe fn not_safe() {}

#[library_benchmark]
extern "C" fn foreign() {}

#[library_benchmark]
#[inline]
fn inlined() {}

#[library_benchmark]
#[bench::id(1)]
#[inline(always)]
fn always_inlined(_: u64) {}

fn main() {}
