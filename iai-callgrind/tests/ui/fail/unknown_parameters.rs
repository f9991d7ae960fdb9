use iai_callgrind::library_benchmark;

#[library_benchmark(set_up = String::new)]
fn on_the_function() {}

#[library_benchmark(String::new)]
fn without_key() {}

#[library_benchmark]
#[bench::id(arg = (1))]
#[benches::ids(args = [1], setup = str::to_owned, configuration = 1, setup = str::to_owned)]
fn in_annotations(_: u64) {}

#[library_benchmark(setup = String::new, String::from)]
fn two_values(_: String) {}

#[library_benchmark(setup =)]
fn no_value(_: String) {}

#[library_benchmark(setup = String::new teardown = drop)]
fn no_separator(_: String) {}

fn main() {}
