//! A file for libtest with the lines that the guide changes.

#[macro_use]
extern crate bencher as test;

use test::{Bencher, black_box};

#[bench]
fn a(bench: &mut Bencher) {
    bench.iter(|| (0..1000).fold(0, |x, y| black_box(x + y)));
}

#[bench]
fn b(bench: &mut Bencher) {
    const N: usize = 1024;
    bench.iter(|| vec![0_u8; N]);
    bench.bytes = N as u64;
}

mod inner {
    use test::Bencher;

    #[bench]
    fn nothing(bench: &mut Bencher) {
        bench.iter(|| ());
    }

    #[bench]
    #[ignore = "it takes long"]
    #[allow(dead_code)]
    fn left_out(bench: &mut Bencher) {
        bench.iter(|| ());
    }

    #[bench]
    fn fails(bench: &mut Bencher) -> Result<(), String> {
        bench.iter(|| ());
        Err("not today".to_owned())
    }
}

test::main!();
