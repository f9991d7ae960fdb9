//! The functions of a group of bencher.

use std::borrow::Cow;
use std::fmt;

use iai_callgrind_harness::__private::unraw;

use crate::Bencher;
use crate::bencher::reach_function;

/// Name of a benchmark.
pub type TestName = Cow<'static, str>;

/// A benchmark that is an object.
pub trait TDynBenchFn: Send {
    /// Runs the benchmark.
    fn run(&self, harness: &mut Bencher);
}

/// The code of a benchmark.
pub enum TestFn {
    /// A function.
    StaticBenchFn(fn(&mut Bencher)),
    /// An object.
    DynBenchFn(Box<dyn TDynBenchFn + 'static>),
}

impl fmt::Debug for TestFn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::StaticBenchFn(_) => "StaticBenchFn(..)",
            Self::DynBenchFn(_) => "DynBenchFn(..)",
        })
    }
}

/// Description of a benchmark.
#[derive(Debug, Clone)]
pub struct TestDesc {
    /// Name.
    pub name: TestName,
    /// `true` if it is left out.
    pub ignore: bool,
}

/// A benchmark.
#[derive(Debug)]
pub struct TestDescAndFn {
    /// Name.
    pub desc: TestDesc,
    /// Code.
    pub testfn: TestFn,
}

/// Reaches the benchmarks of a group.
pub fn walk(group: &str, benchmarks: &[TestDescAndFn]) {
    for TestDescAndFn { desc, testfn } in benchmarks.iter().filter(|it| !it.desc.ignore) {
        let run = |bencher: &mut Bencher| match testfn {
            TestFn::StaticBenchFn(function) => function(bencher),
            TestFn::DynBenchFn(object) => object.run(bencher),
        };
        reach_function(unraw(group), unraw(&desc.name), &desc.name, &run);
    }
}
