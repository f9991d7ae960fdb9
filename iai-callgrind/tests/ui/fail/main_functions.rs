use iai_callgrind::main;

fn right() {}

fn with_parameter(_: u64) {}

main!(right, with_parameter, not_there);
