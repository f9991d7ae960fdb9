//! The environment of a fork server.

/// The environment variable that makes a benchmark executable a fork server, with the value of
/// [`ServerEnvironment`].
const SERVE: &str = "IAI_CALLGRIND_SERVE";

/// The environment variable for padding, which is never read; see [`ServerEnvironment::variables`].
const PADDING: &str = "IAI_CALLGRIND_PADDING";

/// The delimiter of the counted instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Callgrind toggles collection at the symbol of the benchmark function.
    Function,
    /// Client requests around the call, for executables without symbols.
    Marks,
    /// Valgrind's arguments and the benchmark itself; the server does not change collection.
    Free,
    /// Cachegrind instruments only the call.
    Instrumentation,
    /// None: the tool reports the whole process.
    Process,
    /// None: without Valgrind, calls are timed, see [`super::Batches`].
    Time,
    /// Without Valgrind: calls are repeated for a while, for a profiler outside of the process.
    Profile,
}

impl Counting {
    /// Returns `true` if the server runs without Valgrind.
    #[must_use]
    pub fn is_native(self) -> bool {
        matches!(self, Self::Time | Self::Profile)
    }
}

/// The way in which a fork server marks the measured region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measuring {
    /// Delimiter of the counted instructions.
    pub counting: Counting,
    /// Instrument nothing until a measured region starts.
    pub cold_caches: bool,
    /// Write a dump for each thread.
    pub separate_threads: bool,
    /// Number of warm-up calls of a routine, if it can be called repeatedly.
    pub warm_up_calls: u16,
    /// Number of measured calls of a routine.
    pub calls: u16,
    /// The tool reports on blocks of memory, and the server checks that it sees the benchmark's
    /// blocks. Only with [`Counting::Process`].
    pub checks_allocator: bool,
}

impl Measuring {
    /// The default: the benchmark function counts, in warm caches and all threads together.
    pub const DEFAULT: Self = Self {
        counting: Counting::Function,
        cold_caches: false,
        separate_threads: false,
        warm_up_calls: 0,
        calls: 1,
        checks_allocator: false,
    };

    /// Number of the letters and digits of all fields.
    const LENGTH: usize = 13;

    /// Returns a letter for each field, and five digits for a number.
    #[inline]
    fn letters(self) -> String {
        let counting = match self.counting {
            Counting::Function => 'f',
            Counting::Marks => 'm',
            Counting::Free => 'x',
            Counting::Instrumentation => 'i',
            Counting::Process if self.checks_allocator => 'a',
            Counting::Process => 'p',
            Counting::Time => 'n',
            Counting::Profile => 'r',
        };
        let caches = if self.cold_caches { 'c' } else { 'w' };
        let threads = if self.separate_threads { 's' } else { 't' };
        format!("{counting}{caches}{threads}{:05}{:05}", self.warm_up_calls, self.calls)
    }

    fn parse(letters: &str) -> Option<Self> {
        let (letters, numbers) = letters.split_at_checked(3)?;
        let (warm_up_calls, calls) = numbers.split_at_checked(5)?;
        let &[counting, caches, threads] = letters.as_bytes() else { return None };
        let checks_allocator = counting == b'a';
        let counting = match counting {
            b'f' => Counting::Function,
            b'm' => Counting::Marks,
            b'x' => Counting::Free,
            b'i' => Counting::Instrumentation,
            b'p' | b'a' => Counting::Process,
            b'n' => Counting::Time,
            b'r' => Counting::Profile,
            _ => return None,
        };
        Some(Self {
            counting,
            cold_caches: caches == b'c',
            separate_threads: threads == b's',
            warm_up_calls: warm_up_calls.parse().ok()?,
            calls: calls.parse().ok()?,
            checks_allocator,
        })
    }
}

/// The id of the parent of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParentId {
    /// 0, as that of a parent in another namespace of processes.
    Hidden,
    /// The one of the system.
    Native,
}

/// The environment of a fork server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEnvironment {
    /// Marks around the measured region.
    pub measuring: Measuring,
    /// Number of CPUs that benchmarks see, each of which runs on one CPU; 0 for those of the machine.
    pub cpus: u16,
    /// Cases with a seed read a virtual clock instead of the system's.
    pub virtual_clock: bool,
    /// Id of the server for the benchmarks that it forks.
    pub parent: ParentId,
    /// The runner stops threads at the end of their time slices, so that they can have a fixed order.
    pub stops_threads: bool,
    /// The measured region is marked in Valgrind's log, see [`super::LOG_MARKS`].
    pub marks_log: bool,
    /// Directory for the output of the children. The server reads the same path with slashes at the end.
    pub directory: String,
}

impl ServerEnvironment {
    /// Returns the variables that start a benchmark executable as a fork server.
    ///
    /// The simulated caches depend on addresses, so the memory of a process before the first
    /// benchmark must not depend on the path of a checkout. The directory, which the server copies,
    /// is therefore padded with slashes. The second variable and the `others` bytes above the stack
    /// have a constant length.
    #[must_use]
    #[inline]
    pub fn variables(&self, others: usize) -> [(&'static str, String); 2] {
        const DIRECTORY_LENGTH: usize = 1013;
        const OTHERS_LENGTH: usize = 16 * 1024;
        let slashes = "/".repeat(DIRECTORY_LENGTH.saturating_sub(self.directory.len()).max(1));
        let padding = "/".repeat(OTHERS_LENGTH.saturating_sub(others));
        let letters = self.measuring.letters();
        // One letter for two fields, because all benchmarks have a value of this length
        let clock = match (self.virtual_clock, self.parent) {
            (true, ParentId::Hidden) => 'v',
            (false, ParentId::Hidden) => 's',
            (true, ParentId::Native) => 'V',
            (false, ParentId::Native) => 'S',
        };
        let threads = match (self.stops_threads, self.marks_log) {
            (true, false) => 'o',
            (false, false) => 'k',
            (true, true) => 'O',
            (false, true) => 'K',
        };
        let value = format!("{letters}{clock}{threads}{:05}{}{slashes}", self.cpus, self.directory);
        [(SERVE, value), (PADDING, padding)]
    }

    /// Reads the environment of this process. `None` if it is not a fork server.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::parse(std::env::var(SERVE).ok()?)
    }

    fn parse(mut value: String) -> Option<Self> {
        let (measuring, rest) = value.split_at_checked(Measuring::LENGTH)?;
        let measuring = Measuring::parse(measuring)?;
        let clock = rest.get(..1)?;
        let virtual_clock = clock.eq_ignore_ascii_case("v");
        let parent = match clock {
            "V" | "S" => ParentId::Native,
            _ => ParentId::Hidden,
        };
        let threads = rest.get(1..2)?;
        let stops_threads = threads.eq_ignore_ascii_case("o");
        let marks_log = threads == "O" || threads == "K";
        let cpus = rest.get(2..7)?.parse().ok()?;
        value.drain(..Measuring::LENGTH + 7);
        let directory = value;
        Some(Self { measuring, cpus, virtual_clock, parent, stops_threads, marks_log, directory })
    }

    /// Removes the variables from this process, so that the benchmarks' environment is empty.
    ///
    /// # Safety
    ///
    /// No other thread runs.
    pub unsafe fn remove() {
        for name in [SERVE, PADDING] {
            // SAFETY: as demanded of the caller.
            unsafe { std::env::remove_var(name) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_finds_the_same_lengths_everywhere() {
        let lengths = |measuring: Measuring, virtual_clock: bool, directory: &str, others| {
            let directory = directory.to_owned();
            let stops_threads = !virtual_clock;
            let marks_log = measuring.cold_caches;
            let environment = ServerEnvironment {
                measuring,
                cpus: 4,
                virtual_clock,
                parent: if marks_log { ParentId::Native } else { ParentId::Hidden },
                stops_threads,
                marks_log,
                directory,
            };
            let [(_, serve), (_, padding)] = environment.variables(others);
            let mut parsed = ServerEnvironment::parse(serve.clone()).unwrap();
            parsed.directory.truncate(environment.directory.len());
            assert_eq!(parsed, environment);
            (serve.len(), padding.len() + others)
        };
        let other = Measuring {
            counting: Counting::Free,
            cold_caches: true,
            separate_threads: true,
            warm_up_calls: 7,
            calls: u16::MAX,
            checks_allocator: false,
        };
        let allocator = Measuring { checks_allocator: true, counting: Counting::Process, ..other };
        lengths(allocator, false, "/tmp/a", 10);
        let short = lengths(Measuring::DEFAULT, true, "/tmp/a", 10);
        let long = lengths(other, false, "/tmp/somewhere/else", 1000);
        assert_eq!(short, long);
    }

    #[test]
    fn other_values_do_not_make_a_server() {
        for value in ["", "f", "ywt/tmp"] {
            assert_eq!(ServerEnvironment::parse(value.to_owned()), None);
        }
    }
}
