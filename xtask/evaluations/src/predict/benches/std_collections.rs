//! Functions of collections of the standard library.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

use iai_callgrind::library_benchmark;

use crate::inputs::{numbers, random, small_numbers};

#[library_benchmark(setup = numbers)]
#[bench::n(1000)]
fn sort_before(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort();
    numbers
}

#[library_benchmark(setup = numbers)]
#[bench::n(1000)]
fn sort_after(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable();
    numbers
}

#[library_benchmark(setup = numbers)]
#[bench::n(200)]
fn insertion_before(mut numbers: Vec<u64>) -> Vec<u64> {
    for end in 1..numbers.len() {
        let mut at = end;
        while at > 0 && numbers[at - 1] > numbers[at] {
            numbers.swap(at - 1, at);
            at -= 1;
        }
    }
    numbers
}

#[library_benchmark(setup = numbers)]
#[bench::n(200)]
fn insertion_after(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable();
    numbers
}

#[library_benchmark(setup = |n| { let mut all = numbers(n); all.sort(); all })]
#[bench::n(2000)]
fn sort_sorted(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort();
    numbers
}

#[library_benchmark(setup = numbers)]
#[bench::n(2000)]
fn select_nth(mut numbers: Vec<u64>) -> u64 {
    *numbers.select_nth_unstable(777).1
}

#[library_benchmark(setup = small_numbers)]
#[bench::n(1000)]
fn distinct_before(numbers: Vec<u32>) -> usize {
    numbers.iter().collect::<HashSet<_>>().len()
}

#[library_benchmark(setup = small_numbers)]
#[bench::n(1000)]
fn distinct_after(mut numbers: Vec<u32>) -> usize {
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len()
}

fn sorted(len: usize) -> (Vec<u64>, Vec<u64>) {
    let mut all = numbers(len);
    let wanted = all.iter().copied().step_by(5).collect();
    all.sort_unstable();
    (all, wanted)
}

#[library_benchmark(setup = sorted)]
#[bench::n(400)]
fn search_before((all, wanted): (Vec<u64>, Vec<u64>)) -> usize {
    wanted.iter().filter_map(|number| all.iter().position(|other| other == number)).sum()
}

#[library_benchmark(setup = sorted)]
#[bench::n(400)]
fn search_after((all, wanted): (Vec<u64>, Vec<u64>)) -> usize {
    wanted.iter().filter_map(|number| all.binary_search(number).ok()).sum()
}

fn maps(len: usize) -> (BTreeMap<u64, u64>, HashMap<u64, u64>, Vec<u64>) {
    let all = numbers(len);
    let tree = all.iter().map(|number| (*number, number / 3)).collect();
    let table = all.iter().map(|number| (*number, number / 3)).collect();
    (tree, table, all)
}

#[library_benchmark(setup = maps)]
#[bench::n(500)]
fn lookup_before((map, _, keys): (BTreeMap<u64, u64>, HashMap<u64, u64>, Vec<u64>)) -> u64 {
    keys.iter().fold(0, |sum, key| sum ^ map[key])
}

#[library_benchmark(setup = maps)]
#[bench::n(500)]
fn lookup_after((_, map, keys): (BTreeMap<u64, u64>, HashMap<u64, u64>, Vec<u64>)) -> u64 {
    keys.iter().fold(0, |sum, key| sum ^ map[key])
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn hash_map_insert(numbers: Vec<u64>) -> HashMap<u64, u64> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn btree_map_insert(numbers: Vec<u64>) -> BTreeMap<u64, u64> {
    let mut map = BTreeMap::new();
    for number in numbers {
        map.insert(number, number);
    }
    map
}

#[library_benchmark(setup = |n| numbers(n).into_iter().collect::<BTreeSet<_>>())]
#[bench::n(2000)]
fn btree_set_walk(set: BTreeSet<u64>) -> u64 {
    set.iter().step_by(3).fold(0, |sum, number| sum ^ number)
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn heap_sort(numbers: Vec<u64>) -> Vec<u64> {
    numbers.into_iter().collect::<BinaryHeap<_>>().into_sorted_vec()
}

#[library_benchmark(setup = numbers)]
#[bench::n(1000)]
fn deque_rotate(numbers: Vec<u64>) -> VecDeque<u64> {
    let mut deque = VecDeque::from(numbers);
    for step in 0..2000 {
        let Some(front) = deque.pop_front() else { break };
        deque.push_back(front ^ step);
    }
    deque
}

fn list(len: usize) -> (LinkedList<u64>, Vec<u64>) {
    (random().take(len).collect(), numbers(len))
}

#[library_benchmark(setup = list)]
#[bench::n(3000)]
fn walk_before((list, _): (LinkedList<u64>, Vec<u64>)) -> u64 {
    list.iter().fold(0, |sum, number| sum.rotate_left(1) ^ number)
}

#[library_benchmark(setup = list)]
#[bench::n(3000)]
fn walk_after((_, list): (LinkedList<u64>, Vec<u64>)) -> u64 {
    list.iter().fold(0, |sum, number| sum.rotate_left(1) ^ number)
}

/// Returns a cycle through all indexes in a random order.
fn chain(len: usize) -> Vec<u32> {
    let mut next: Vec<_> = (0..len as u32).collect();
    for (end, number) in (1..len).rev().zip(random()) {
        next.swap(end, (number % end as u64) as usize);
    }
    next
}

#[library_benchmark(setup = chain)]
#[bench::n(4000)]
fn chase_before(next: Vec<u32>) -> u32 {
    (0..next.len()).fold(0, |at, _| next[at as usize])
}

#[library_benchmark(setup = chain)]
#[bench::n(4000)]
fn chase_after(next: Vec<u32>) -> u32 {
    next.iter().fold(0, |sum, at| sum ^ next[*at as usize])
}

#[library_benchmark(setup = numbers)]
#[bench::n(300)]
fn boxes(numbers: Vec<u64>) -> Vec<Box<u64>> {
    numbers.into_iter().map(Box::new).collect()
}

#[library_benchmark(setup = numbers)]
#[bench::n(2000)]
fn retain(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.retain(|number| number % 8 < 3);
    numbers
}
