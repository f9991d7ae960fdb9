//! The documented example of functions that are compared by the ids of their cases, and a third
//! function.

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn bubble_sort(mut array: Vec<i32>) -> Vec<i32> {
    for end in (1..array.len()).rev() {
        for index in 0..end {
            if array[index] > array[index + 1] {
                array.swap(index, index + 1);
            }
        }
    }
    array
}

#[library_benchmark]
#[bench::case_3(vec![1, 2, 3])]
#[benches::multiple(args = [vec![1, 2], vec![1, 2, 3, 4]])]
fn bench_bubble_sort_best_case(input: Vec<i32>) -> Vec<i32> {
    black_box(bubble_sort(input))
}

#[library_benchmark]
#[bench::case_3(vec![3, 2, 1])]
#[benches::multiple(args = [vec![2, 1], vec![4, 3, 2, 1]])]
fn bench_bubble_sort_worst_case(input: Vec<i32>) -> Vec<i32> {
    black_box(bubble_sort(input))
}

#[library_benchmark]
#[bench::alone(vec![1])]
#[bench::case_3(vec![3, 2, 1])]
fn bench_standard_sort(mut input: Vec<i32>) -> Vec<i32> {
    input.sort_unstable();
    input
}

library_benchmark_group!(
    name = bench_bubble_sort;
    compare_by_id = true;
    benchmarks = bench_bubble_sort_best_case, bench_bubble_sort_worst_case, bench_standard_sort
);

library_benchmark_group!(
    name = not_compared;
    benchmarks = bench_bubble_sort_best_case, bench_bubble_sort_worst_case
);

main!(library_benchmark_groups = bench_bubble_sort, not_compared);
