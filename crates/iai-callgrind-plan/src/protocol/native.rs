//! Processes of the benchmark executable that run a hook or a function natively.

use super::Start;

/// A hook around benchmarks, which runs natively in a separate process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hook {
    /// Index of the group of the hook or the case; none for a hook of the whole file.
    pub group: Option<usize>,
    /// Index of the case in the group, see [`crate::Subject::Binary`]; none for a hook of the group.
    pub case: Option<u64>,
    /// Run before the benchmarks, not after them.
    pub is_setup: bool,
}

impl Hook {
    /// The environment variable that makes a benchmark executable run only a hook.
    pub const VARIABLE: &str = "IAI_CALLGRIND_HOOK";

    /// The environment variable with the working directory of the hook.
    pub const DIRECTORY: &str = "IAI_CALLGRIND_HOOK_DIRECTORY";

    /// Returns the hook in the environment of this process.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::parse(&std::env::var(Self::VARIABLE).ok()?)
    }

    fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split(':');
        let is_setup = match parts.next()? {
            "setup" => true,
            "teardown" => false,
            _ => return None,
        };
        let group = parts.next().map(str::parse).transpose().ok()?;
        let case = parts.next().map(str::parse).transpose().ok()?;
        parts.next().is_none().then_some(Self { group, case, is_setup })
    }
}

/// Writes the value of [`Hook::VARIABLE`].
impl std::fmt::Display for Hook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.is_setup { "setup" } else { "teardown" })?;
        let parts = [self.group.map(|group| group as u64), self.case];
        parts.into_iter().flatten().try_for_each(|part| write!(formatter, ":{part}"))
    }
}

/// A function to run natively, in a process of its own: test mode of a function with a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeCase {
    /// Address of the code, see [`super::ServerCommand::entry`].
    pub entry: u64,
    /// Item of the case, see [`super::ServerCommand::item`].
    pub item: u64,
}

impl NativeCase {
    /// The environment variable that makes a benchmark executable run only this case, in the directory of
    /// [`Hook::DIRECTORY`].
    pub const VARIABLE: &str = "IAI_CALLGRIND_CASE";

    /// Returns the case in the environment of this process.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::parse(&std::env::var(Self::VARIABLE).ok()?)
    }

    fn parse(value: &str) -> Option<Self> {
        let (entry, item) = value.split_once(':')?;
        Some(Self { entry: entry.parse().ok()?, item: item.parse().ok()? })
    }
}

/// Leaves out the seed, because a native run has the system's random numbers.
impl From<Start> for NativeCase {
    fn from(Start { entry, item, .. }: Start) -> Self {
        Self { entry, item }
    }
}

/// Writes the value of [`NativeCase::VARIABLE`].
impl std::fmt::Display for NativeCase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.entry, self.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_survive_the_environment() {
        for (group, case, is_setup) in
            [(None, None, true), (Some(12), None, false), (Some(0), Some(3), true)]
        {
            let hook = Hook { group, case, is_setup };
            assert_eq!(Hook::parse(&hook.to_string()), Some(hook));
        }
        for wrong in ["", "before:1", "setup:x", "setup:1:2:3", "teardown:"] {
            assert_eq!(Hook::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn native_cases_survive_the_environment() {
        let case = NativeCase { entry: u64::MAX, item: 7 };
        assert_eq!(NativeCase::parse(&case.to_string()), Some(case));
        for wrong in ["", "1", "1:", "1:x"] {
            assert_eq!(NativeCase::parse(wrong), None, "{wrong}");
        }
    }
}
