//! Writes a function.

const STEPS: &str = "\
#[inline(never)]
fn steps(mut number: u32) -> u32 {
    let mut steps = 0;
    while number > 1 {
        number = std::hint::black_box(number / 2);
        steps += 1;
    }
    steps
}
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let directory = std::env::var("OUT_DIR").unwrap();
    std::fs::write(std::path::Path::new(&directory).join("steps.rs"), STEPS).unwrap();
}
