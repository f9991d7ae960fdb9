//! What a command waits for before it starts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use iai_callgrind_plan as plan;

use super::text;

/// What a [`Command`](crate::Command) waits for before it starts.
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

/// An event that a [`Delay`] ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DelayKind {
    /// This time goes by
    DurationElapse(Duration),
    /// A TCP connection can be made with this address
    TcpConnect(SocketAddr),
    /// A datagram with these bytes is answered by this address
    UdpResponse(SocketAddr, Vec<u8>),
    /// There is something with this path. A relative one starts in the directory that the command runs in
    PathExists(PathBuf),
}

impl Delay {
    /// Waits for this event: looks for it every 10 milliseconds, and gives up after a minute.
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
                plan::DelayKind::PathExists { path: text(path.as_os_str()) }
            }
        };
        Self(plan::Delay { kind, poll: 10, timeout: 60_000 })
    }

    /// Waits until there is something with this path.
    #[must_use]
    pub fn from_path<T>(path: T) -> Self
    where
        T: Into<PathBuf>,
    {
        Self::new(DelayKind::PathExists(path.into()))
    }

    /// Waits until a TCP connection can be made with this address.
    #[must_use]
    pub fn from_tcp_socket<T>(address: T) -> Self
    where
        T: Into<SocketAddr>,
    {
        Self::new(DelayKind::TcpConnect(address.into()))
    }

    /// Waits until a datagram with these bytes is answered by this address.
    #[must_use]
    pub fn from_udp_request<T, U>(address: T, request: U) -> Self
    where
        T: Into<SocketAddr>,
        U: Into<Vec<u8>>,
    {
        Self::new(DelayKind::UdpResponse(address.into(), request.into()))
    }

    /// How much time passes between two looks. The default is 10 milliseconds, the least is one.
    #[must_use]
    pub fn poll<T>(mut self, interval: T) -> Self
    where
        T: Into<Duration>,
    {
        self.0.poll = milliseconds(interval.into()).max(1);
        self
    }

    /// When the event has not come after this time, the benchmark fails. The default is a minute. It
    /// doesn't matter for [`DelayKind::DurationElapse`].
    #[must_use]
    pub fn timeout<T>(mut self, duration: T) -> Self
    where
        T: Into<Duration>,
    {
        self.0.timeout = milliseconds(duration.into());
        self
    }
}

impl<T> From<T> for Delay
where
    T: Into<Duration>,
{
    fn from(duration: T) -> Self {
        Self::new(DelayKind::DurationElapse(duration.into()))
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
