//! The benchmark of both files.

use std::hint::black_box;

use iai_callgrind::library_benchmark;

#[library_benchmark]
pub(crate) fn addresses() {
    let on_stack = black_box(0_u8);
    let on_heap = black_box(Box::new(0_u8));
    println!("stack {:p}, heap {:p}", &raw const on_stack, &raw const *on_heap);
}
