//! Registered data of the attributes.

use std::any::Any;
use std::sync::OnceLock;

use crate::Bencher;
use crate::options::Options;

/// A function with `#[divan::bench]`.
#[derive(Debug)]
pub struct Benchmark {
    /// The function.
    pub entry: Entry,
    /// One for each constant, in a list for each type; a single one without both.
    pub instances: &'static [&'static [Instance]],
}

/// A module with `#[divan::bench_group]`.
#[derive(Debug)]
pub struct Group {
    /// The module.
    pub entry: Entry,
}

/// Registration of a function or module. It is only an address, because the data is in a section of its own.
#[derive(Debug)]
pub struct Registered<T: 'static>(pub &'static T);

inventory::collect!(Registered<Benchmark>);
inventory::collect!(Registered<Group>);

/// Returns all functions with `#[divan::bench]`.
pub(crate) fn benchmarks() -> impl Iterator<Item = &'static Benchmark> {
    inventory::iter::<Registered<Benchmark>>().map(|registered| registered.0)
}

/// Returns all modules with `#[divan::bench_group]`.
pub(crate) fn groups() -> impl Iterator<Item = &'static Group> {
    inventory::iter::<Registered<Group>>().map(|registered| registered.0)
}

/// A function or module, and the place of its attribute.
#[derive(Debug)]
pub struct Entry {
    /// Crate with the attribute.
    pub target: Target,
    /// Path of the module with the attribute (`module_path!()`).
    pub module: &'static str,
    /// Identifier.
    pub identifier: &'static str,
    /// Name of the user, or the identifier.
    pub name: &'static str,
    /// File, line and column of the attribute.
    pub place: (&'static str, u32, u32),
    /// Function that evaluates the options.
    pub options: fn() -> Options,
}

/// A crate, as cargo describes it to the compiler.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name of the package (`CARGO_PKG_NAME`).
    pub package: &'static str,
    /// Root directory of the package (`CARGO_MANIFEST_DIR`).
    pub package_dir: &'static str,
    /// Name of the crate (`CARGO_CRATE_NAME`).
    pub name: &'static str,
    /// `true` for benchmark files and tests (`CARGO_TARGET_TMPDIR`).
    pub is_benchmark: bool,
}

/// A function with its generic arguments.
#[derive(Debug)]
pub struct Instance {
    /// Function that returns the name of the type.
    pub type_name: Option<fn() -> &'static str>,
    /// Function that returns the constant as text.
    pub constant: Option<fn() -> String>,
    /// Benchmarks of the instance.
    pub cases: Cases,
}

/// Function that gets the name of each case and its function.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&str, &dyn Fn(Bencher<'_, '_>));

/// Benchmarks of an [`Instance`].
#[derive(Debug)]
pub enum Cases {
    /// A single one.
    One(fn(Bencher<'_, '_>)),
    /// One for each argument.
    Each(fn(Visit<'_>)),
}

/// Arguments of a function, which all its instances share.
#[derive(Debug, Default)]
pub struct Arguments(OnceLock<Box<dyn Any + Send + Sync>>);

impl Arguments {
    /// Returns arguments that are not evaluated.
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Visits the case of each argument.
    ///
    /// # Panics
    ///
    /// Panics if the arguments of an earlier call had another type.
    pub fn visit<I: IntoIterator<Item: Any + Send + Sync>>(
        &'static self,
        evaluate: impl FnOnce() -> I,
        run: impl Fn(Bencher<'_, '_>, &'static I::Item),
        name: impl Fn(&'static I::Item) -> String,
        visit: Visit<'_>,
    ) {
        let arguments =
            self.0.get_or_init(|| Box::new(evaluate().into_iter().collect::<Vec<I::Item>>()));
        let arguments: &'static Vec<I::Item> =
            arguments.downcast_ref().expect("all instances of a function have the same arguments");
        for argument in arguments {
            visit(&name(argument), &|bencher| run(bencher, argument));
        }
    }
}

/// Conversions of a reference to an argument to the type of the function's parameter.
pub trait Argument<T> {
    /// Converts it.
    fn convert(self) -> T;
}

impl<T> Argument<T> for T {
    fn convert(self) -> T {
        self
    }
}

impl<T: Copy> Argument<T> for &T {
    fn convert(self) -> T {
        *self
    }
}

impl<T: Copy> Argument<T> for &&T {
    fn convert(self) -> T {
        **self
    }
}

impl<T: Copy> Argument<T> for &&&T {
    fn convert(self) -> T {
        ***self
    }
}

impl<'a> Argument<&'a str> for &'a String {
    fn convert(self) -> &'a str {
        self
    }
}

impl<'a, T: ?Sized + ToOwned> Argument<&'a T> for &'a std::borrow::Cow<'a, T> {
    fn convert(self) -> &'a T {
        self
    }
}

/// The name of an argument: its text, or else its debug output. A method call finds the first trait that fits.
#[derive(Debug)]
pub struct Label<T>(pub T);

/// Names of arguments with a text.
pub trait TextLabel {
    /// Returns the text.
    fn label(&self) -> String;
}

impl<T: ToString> TextLabel for Label<T> {
    fn label(&self) -> String {
        self.0.to_string()
    }
}

/// Names of arguments without a text.
pub trait DebugLabel {
    /// Returns the debug output.
    fn label(&self) -> String;
}

impl<T: std::fmt::Debug> DebugLabel for &Label<T> {
    fn label(&self) -> String {
        format!("{:?}", self.0)
    }
}
