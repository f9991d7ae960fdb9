//! Code that runs before or after a command.

use std::fmt;

/// Code that runs before or after a command.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// Function without arguments.
    Plain(fn()),
    /// Function of a case, which takes the index of the item and a function that enters the directory.
    Item(fn(usize, &dyn Fn()), usize),
}

impl Action {
    /// Runs the code. The arguments of the case are evaluated before `enter`, which changes the directory.
    pub(crate) fn run(self, enter: &dyn Fn()) {
        match self {
            Self::Plain(run) => {
                enter();
                run();
            }
            Self::Item(run, item) => run(item, enter),
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Action")
    }
}
