//! Events that a command waits for before it starts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use iai_callgrind_plan::{self as plan, encode};

/// Event that a [`Command`](crate::Command) waits for before it starts, with a timeout.
///
/// ```
/// use std::time::Duration;
///
/// use iai_callgrind::{Command, Delay, DelayKind};
///
/// Command::new("client").setup_parallel(true).delay(
///     Delay::new(DelayKind::TcpConnect("127.0.0.1:31000".parse().unwrap()))
///         .poll(Duration::from_millis(20))
///         .timeout(Duration::from_secs(5)),
/// );
/// Command::new("echo").delay(Duration::from_millis(100));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delay(pub(crate) plan::Delay);

/// Event that ends a [`Delay`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DelayKind {
    /// This time passes.
    DurationElapse(Duration),
    /// A TCP connection to this address succeeds.
    TcpConnect(SocketAddr),
    /// This address answers a UDP datagram with these bytes.
    UdpResponse(SocketAddr, Vec<u8>),
    /// A file or directory with this path exists. A relative path starts in the directory that the command
    /// runs in.
    PathExists(PathBuf),
}

impl Delay {
    /// Waits for this event. Checks for it every 10 milliseconds, and fails after a minute.
    #[must_use]
    pub fn new(kind: DelayKind) -> Self {
        let kind = match kind {
            DelayKind::DurationElapse(duration) => {
                plan::DelayKind::DurationElapse { milliseconds: milliseconds(duration) }
            }
            DelayKind::TcpConnect(address) => {
                plan::DelayKind::TcpConnect { address: address.to_string() }
            }
            DelayKind::UdpResponse(address, request) => {
                plan::DelayKind::UdpResponse { address: address.to_string(), request }
            }
            DelayKind::PathExists(path) => {
                plan::DelayKind::PathExists { path: encode(path.as_os_str()) }
            }
        };
        Self(plan::Delay { kind, poll: 10, timeout: 60_000 })
    }

    /// Waits until a file or directory with this path exists.
    #[must_use]
    pub fn from_path<T: Into<PathBuf>>(path: T) -> Self {
        Self::new(DelayKind::PathExists(path.into()))
    }

    /// Waits until a TCP connection to this address succeeds.
    #[must_use]
    pub fn from_tcp_socket<T: Into<SocketAddr>>(address: T) -> Self {
        Self::new(DelayKind::TcpConnect(address.into()))
    }

    /// Waits until this address answers a UDP datagram with these bytes.
    #[must_use]
    pub fn from_udp_request<T: Into<SocketAddr>, U: Into<Vec<u8>>>(address: T, request: U) -> Self {
        Self::new(DelayKind::UdpResponse(address.into(), request.into()))
    }

    /// Sets the time between two checks. The default is 10 milliseconds, the minimum 1 millisecond.
    #[must_use]
    pub fn poll<T: Into<Duration>>(mut self, interval: T) -> Self {
        self.0.poll = milliseconds(interval.into()).max(1);
        self
    }

    /// Sets the time after which the benchmark fails if the event has not happened. The default is a
    /// minute. [`DelayKind::DurationElapse`] does not use it.
    #[must_use]
    pub fn timeout<T: Into<Duration>>(mut self, duration: T) -> Self {
        self.0.timeout = milliseconds(duration.into());
        self
    }
}

impl<T: Into<Duration>> From<T> for Delay {
    fn from(duration: T) -> Self {
        Self::new(DelayKind::DurationElapse(duration.into()))
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
