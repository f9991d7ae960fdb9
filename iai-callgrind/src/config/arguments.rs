//! Arguments for Valgrind and its tools: several, or a single one.

/// Arguments for Valgrind: anything to iterate over, such as an array of strings, or a single string.
///
/// `Number` distinguishes the two.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be arguments for Valgrind",
    note = "write them as `[\"--one=1\", \"--two=2\"]`"
)]
pub trait Arguments<Number> {
    #[doc(hidden)]
    fn add_to(self, arguments: &mut Vec<String>);
}

/// A single argument.
#[derive(Debug)]
pub enum One {}

/// Several arguments.
#[derive(Debug)]
pub enum Many {}

impl Arguments<One> for &str {
    fn add_to(self, arguments: &mut Vec<String>) {
        arguments.push(self.to_owned());
    }
}

impl<I, T> Arguments<Many> for T
where
    I: AsRef<str>,
    T: IntoIterator<Item = I>,
{
    fn add_to(self, arguments: &mut Vec<String>) {
        arguments.extend(self.into_iter().map(|argument| argument.as_ref().to_owned()));
    }
}
