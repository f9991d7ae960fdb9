//! Groups with the library benchmarks of `registered.rs`, in another order and without some of them.

use iai_callgrind::{library_benchmark_group, main};

include!("registered/functions.rs");

library_benchmark_group!(name = sorts; benchmarks = sorting::standard_sort, sorting::bubble_sort);
library_benchmark_group!(name = numbers; benchmarks = generic, fibonacci);
library_benchmark_group!(name = others; benchmarks = texts::r#type::r#match, copy, texts::string);

main!(library_benchmark_groups = sorts, others, numbers);
