//! The same functions as library benchmarks.

use iai_callgrind::library_benchmark;

macro_rules! benchmarks {
    ($($name:ident)*) => {$(
        #[library_benchmark]
        fn $name() -> u64 {
            workloads::$name()
        }
    )*};
}

benchmarks! { arithmetic division hash sort allocate format parse hash_map tree floats }

iai_callgrind::main!();
