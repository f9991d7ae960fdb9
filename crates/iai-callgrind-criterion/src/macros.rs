//! Macros that make groups and `main`.

/// Makes a function that runs the benchmarks of several functions with the same [`Criterion`](crate::Criterion).
///
/// The name of the group is the name of the group of those benchmarks that are in no
/// [`BenchmarkGroup`](crate::BenchmarkGroup).
///
/// ```
/// use iai_callgrind_criterion::{Criterion, criterion_group, criterion_main};
///
/// fn nothing(criterion: &mut Criterion) {
///     criterion.bench_function("nothing", |bencher| bencher.iter(|| ()));
/// }
///
/// criterion_group! {
///     name = benches;
///     config = Criterion::default().sample_size(10);
///     targets = nothing
/// }
/// criterion_group!(short_form, nothing);
/// criterion_main!(benches, short_form);
/// ```
#[macro_export]
macro_rules! criterion_group {
    (name = $name:ident; config = $config:expr; targets = $($target:path),+ $(,)*) => {
        #[allow(missing_docs, unreachable_pub)]
        pub fn $name() {
            let mut criterion: $crate::Criterion<_> =
                $config.configure_from_args().__in_group(::core::stringify!($name));
            $($target(&mut criterion);)+
        }
    };
    ($name:ident, $($target:path),+ $(,)*) => {
        $crate::criterion_group! {
            name = $name;
            config = $crate::Criterion::default();
            targets = $($target),+
        }
    };
}

/// Makes the `main` function, which runs the benchmarks of these groups. See [`criterion_group!`](crate::criterion_group).
#[macro_export]
macro_rules! criterion_main {
    ($($group:path),+ $(,)*) => {
        $crate::__private::page_starts!();

        #[::core::prelude::v1::test]
        fn __iai_callgrind_needs_own_harness() {
            $crate::__private::needs_own_harness::<$crate::__private::Libtest>();
        }

        fn main() -> ::std::process::ExitCode {
            $crate::__private::main($crate::__private::table!($crate::__private::Suite, $crate::__private::Suite {
                package: $crate::__private::text!(::core::env!("CARGO_PKG_NAME")),
                package_dir: $crate::__private::text!(::core::env!("CARGO_MANIFEST_DIR")),
                file: $crate::__private::text!(::core::env!("CARGO_CRATE_NAME")),
                config: ::core::option::Option::None,
                hooks: $crate::__private::Hooks {
                    setup: ::core::option::Option::None,
                    teardown: ::core::option::Option::None,
                },
                groups: &[],
                walk: ::core::option::Option::Some(|| { $($group();)+ }),
            }))
        }
    };
}
