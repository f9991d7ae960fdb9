//! Macros that make groups and `main`.

/// Makes a function that returns the benchmarks of a group.
///
/// ```
/// use iai_callgrind_bencher::{Bencher, benchmark_group, benchmark_main};
///
/// fn nothing(bench: &mut Bencher) {
///     bench.iter(|| ());
/// }
///
/// benchmark_group!(benches, nothing);
/// benchmark_main!(benches);
/// ```
#[macro_export]
macro_rules! benchmark_group {
    ($group:ident, $($function:path),+ $(,)?) => {
        #[allow(missing_docs, unreachable_pub)]
        pub fn $group() -> ::std::vec::Vec<$crate::TestDescAndFn> {
            ::std::vec![$($crate::TestDescAndFn {
                desc: $crate::TestDesc {
                    name: ::std::borrow::Cow::Borrowed(::core::stringify!($function)),
                    ignore: false,
                },
                testfn: $crate::TestFn::StaticBenchFn($function),
            }),+]
        }
    };
}

/// Makes the `main` function, which runs the benchmarks of these groups. See [`benchmark_group!`](crate::benchmark_group).
#[macro_export]
macro_rules! benchmark_main {
    ($($group:path),+ $(,)?) => {
        $crate::__private::main_of_walk! {
            || { $($crate::__private::walk(::core::stringify!($group), &$group());)+ }
        }
    };
}

/// Makes the `main` function of a file for libtest, which runs the functions with `#[bench]`.
#[macro_export]
macro_rules! main {
    () => {
        $crate::__private::main_of_walk! { $crate::__private::walk_registered }
    };
}

/// Makes the `main` function of a file whose benchmarks this walk reaches.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_bencher_main {
    ($walk:expr) => {
        $crate::__private::page_starts!();

        #[::core::prelude::v1::test]
        fn __iai_callgrind_needs_own_harness() {
            $crate::__private::needs_own_harness::<$crate::__private::Libtest>();
        }

        fn main() -> ::std::process::ExitCode {
            $crate::__private::main($crate::__private::table!(
                $crate::__private::Suite,
                $crate::__private::Suite {
                    package: $crate::__private::text!(::core::env!("CARGO_PKG_NAME")),
                    package_dir: $crate::__private::text!(::core::env!("CARGO_MANIFEST_DIR")),
                    file: $crate::__private::text!(::core::env!("CARGO_CRATE_NAME")),
                    config: ::core::option::Option::None,
                    hooks: $crate::__private::Hooks {
                        setup: ::core::option::Option::None,
                        teardown: ::core::option::Option::None,
                    },
                    groups: &[],
                    walk: ::core::option::Option::Some($walk),
                }
            ))
        }
    };
}

/// Registers a function with `#[bench]`.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_bencher_register {
    ($name:ident) => {
        const _: () = {
            $crate::__private::page_starts!();
            $crate::__private::submit! {
                $crate::__private::Registered($crate::__private::table!($crate::__private::Function, $crate::__private::Function {
                    module: $crate::__private::text!(::core::module_path!()),
                    name: $crate::__private::text!(::core::stringify!($name)),
                    place: ($crate::__private::text!(::core::file!()), ::core::line!(), ::core::column!()),
                    run: |bencher| $crate::__private::succeed($name(bencher)),
                }))
            }
        };
    };
}
