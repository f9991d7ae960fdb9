//! The file of the next self cost.
//!
//! Callgrind names a file where it is not that of the last self cost. There are two exceptions, which other readers do not
//! know. A file that is named for a call, of which the instruction has no self cost, is that of the call only. And a function
//! starts in its own file (`fl=`), even if nothing ends the inlined code before it.

/// The file of the next self cost. `F` identifies a file.
#[derive(Debug, Default)]
pub(crate) struct CurrentFile<F> {
    of_functions: F,
    of_costs: F,
    /// The file that is named for the next line.
    named: Option<F>,
    /// A call followed the name.
    is_of_call: bool,
}

impl<F: Copy> CurrentFile<F> {
    /// Returns the file of the last self cost, or of the function if it has none.
    pub(crate) fn get(&self) -> F {
        self.of_costs
    }

    /// Reads `fl=`: the file of the functions that follow.
    pub(crate) fn name_functions(&mut self, file: F) {
        self.of_functions = file;
    }

    /// Reads `fi=` or `fe=`.
    pub(crate) fn name(&mut self, file: F) {
        (self.named, self.is_of_call) = (Some(file), false);
    }

    /// Reads `fn=`.
    pub(crate) fn start_function(&mut self) {
        (self.of_costs, self.named) = (self.of_functions, None);
    }

    /// Reads the cost line of a call or jump.
    pub(crate) fn call(&mut self) {
        self.is_of_call = true;
    }

    /// Reads a self cost. Returns `true` if the file that was named last is not its own.
    pub(crate) fn self_cost(&mut self) -> bool {
        match self.named.take() {
            Some(_) if self.is_of_call => true,
            Some(file) => {
                self.of_costs = file;
                false
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_named_for_a_call_is_not_that_of_the_next_cost() {
        let mut file = CurrentFile::default();
        file.name_functions('f');
        file.start_function();
        assert!(!file.self_cost());
        assert_eq!(file.get(), 'f');
        file.name('i');
        file.call();
        assert!(file.self_cost());
        assert_eq!(file.get(), 'f');
        // The file of a self cost is also that of its call
        file.name('i');
        assert!(!file.self_cost());
        file.call();
        assert!(!file.self_cost());
        assert_eq!(file.get(), 'i');
        // Named again after the call
        file.name('j');
        file.call();
        file.name('k');
        assert!(!file.self_cost());
        assert_eq!(file.get(), 'k');
        file.start_function();
        assert!(!file.self_cost());
        assert_eq!(file.get(), 'f');
    }
}
