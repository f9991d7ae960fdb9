//! The forms of groups and of `main!`, and where benchmarks and groups can be declared.

#![deny(warnings)]
#![forbid(unsafe_code)]

use iai_callgrind::__private::{Functions, LibraryBenchmarkGroup};
use iai_callgrind::{library_benchmark, library_benchmark_group};

mod first {
    #[iai_callgrind::library_benchmark]
    pub fn a() {}

    pub mod inner {
        #[iai_callgrind::library_benchmark]
        #[bench::id(1)]
        pub(in crate::first) fn b(_: u8) {}

        iai_callgrind::library_benchmark_group!(name = visible_in_first; benchmarks = b);
    }

    iai_callgrind::library_benchmark_group!(name = of_first; benchmarks = a, inner::b);
}

#[library_benchmark]
fn c() {}

#[library_benchmark]
fn r#loop() {}

library_benchmark_group!(name = semicolon; benchmarks = first::a, c);
library_benchmark_group!(name = trailing; benchmarks = first::a, c,);
library_benchmark_group!(name = trailing_semicolon; benchmarks = first::a, c;);
library_benchmark_group!(name = commas, benchmarks = first::a, c);
library_benchmark_group!(name = brackets, benchmarks = [first::a, c]);
library_benchmark_group!(benchmarks = [first::a, c,]; name = reversed);
library_benchmark_group!(benchmarks = first::a, self::c, name = reversed_commas,);
library_benchmark_group!(name = raw; benchmarks = crate::c, r#loop);

mod list {
    use super::*;
    iai_callgrind::main!(library_benchmark_groups = semicolon, trailing, first::of_first);
    pub fn use_main() {
        let _: fn() -> std::process::ExitCode = main;
    }
}

mod brackets_and_separator {
    use super::*;
    iai_callgrind::main!(library_benchmark_groups = [raw, first::inner::visible_in_first];);
    pub fn use_main() {
        let _: fn() -> std::process::ExitCode = main;
    }
}

fn names<G: LibraryBenchmarkGroup>() -> Vec<&'static str> {
    let Functions::Library(functions) = G::GROUP.functions else { panic!() };
    functions.iter().map(|function| function.name).collect()
}

fn main() {
    assert_eq!(names::<first::of_first>(), ["a", "b"]);
    assert_eq!(names::<semicolon>(), ["a", "c"]);
    assert_eq!(names::<trailing>(), ["a", "c"]);
    assert_eq!(names::<trailing_semicolon>(), ["a", "c"]);
    assert_eq!(names::<commas>(), ["a", "c"]);
    assert_eq!(names::<brackets>(), ["a", "c"]);
    assert_eq!(names::<reversed>(), ["a", "c"]);
    assert_eq!(names::<reversed_commas>(), ["a", "c"]);
    assert_eq!(names::<raw>(), ["c", "loop"]);
    list::use_main();
    brackets_and_separator::use_main();

    #[library_benchmark]
    #[bench::id(1)]
    fn in_a_body(_: u8) {}

    library_benchmark_group!(name = in_a_body_too; benchmarks = in_a_body);
    assert_eq!(names::<in_a_body_too>(), ["in_a_body"]);
}
