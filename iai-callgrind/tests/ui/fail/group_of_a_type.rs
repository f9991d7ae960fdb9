use iai_callgrind::library_benchmark_group;

struct Type;

library_benchmark_group!(name = types; benchmarks = Type);

iai_callgrind::main!(library_benchmark_groups = types, Type);
