//! Delays: waits for an event before a command starts.

use std::io;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use iai_callgrind_plan::{self as plan, Delay, DelayKind};
use iai_callgrind_process::pause;

use crate::error::{Error, LaunchError, Result};

/// Waits for an event. Relative paths start in this directory. Fails when the event does not occur within
/// its limit, or when `check` fails.
pub fn wait_for_event<E: From<Error>>(
    delay: &Delay,
    directory: &Path,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    if let DelayKind::DurationElapse { milliseconds } = delay.kind {
        return Ok(pause(Duration::from_millis(milliseconds)).map_err(Error::from)?);
    }
    let (poll, timeout) = (Duration::from_millis(delay.poll), Duration::from_millis(delay.timeout));
    let start = Instant::now();
    loop {
        let look = Instant::now();
        let left = timeout.saturating_sub(start.elapsed());
        let reason = match look_for(&delay.kind, directory, poll.min(left)) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        check()?;
        if start.elapsed() >= timeout {
            let expectation = expectation(&delay.kind);
            let error = LaunchError::Delay { expectation, limit: timeout, reason };
            return Err(Error::from(error).into());
        }
        pause(poll.saturating_sub(look.elapsed())).map_err(Error::from)?;
    }
}

/// Checks for the event for about as long as `patience`.
fn look_for(kind: &DelayKind, directory: &Path, patience: Duration) -> io::Result<()> {
    let patience = patience.max(Duration::from_millis(1));
    let parse = |address: &String| address.parse::<SocketAddr>().map_err(io::Error::other);
    match kind {
        DelayKind::DurationElapse { .. } => Ok(()),
        DelayKind::PathExists { path } => {
            directory.join(plan::decode(path)).symlink_metadata().map(drop)
        }
        DelayKind::TcpConnect { address } => {
            TcpStream::connect_timeout(&parse(address)?, patience).map(drop)
        }
        DelayKind::UdpResponse { address, request } => ask(parse(address)?, request, patience),
    }
}

/// Sends a datagram and waits for an answer.
fn ask(address: SocketAddr, request: &[u8], patience: Duration) -> io::Result<()> {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => ([0; 4], 0).into(),
        SocketAddr::V6(_) => ([0_u16; 8], 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    // Answers of other senders don't count, and an unreachable port is an error at once
    socket.connect(address)?;
    socket.set_read_timeout(Some(patience))?;
    socket.send(request)?;
    socket.recv(&mut [0]).map(drop)
}

/// Returns the description of an event that did not occur.
fn expectation(kind: &DelayKind) -> String {
    match kind {
        DelayKind::DurationElapse { milliseconds } => format!("{milliseconds} ms did not go by"),
        DelayKind::PathExists { path } => {
            format!("there was no {}", Path::new(&plan::decode(path)).display())
        }
        DelayKind::TcpConnect { address } => format!("no TCP connection with {address}"),
        DelayKind::UdpResponse { address, .. } => format!("no UDP response from {address}"),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn wait_for(kind: DelayKind, timeout: u64) -> Result<()> {
        let delay = Delay { kind, poll: 2, timeout };
        wait_for_event(&delay, &std::env::temp_dir(), || Ok(()))
    }

    #[test]
    fn events_that_occurred_are_found() {
        let path = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        wait_for(DelayKind::PathExists { path }, 0).unwrap();
        wait_for(DelayKind::DurationElapse { milliseconds: 1 }, 0).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        wait_for(DelayKind::TcpConnect { address }, 60_000).unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        thread::spawn(move || {
            let mut request = [0; 8];
            // The first request gets no answer; on a busy machine answers can be late, so there are many
            for number in 0.. {
                let (length, from) = socket.recv_from(&mut request).unwrap();
                if number > 0 {
                    let _ = socket.send_to(&request[..length], from);
                }
            }
        });
        let kind = DelayKind::UdpResponse { address, request: vec![1] };
        wait_for(kind, 60_000).unwrap();
    }

    #[test]
    fn an_event_that_does_not_occur_is_an_error() {
        let path = "no/such/path".to_owned();
        let error = wait_for(DelayKind::PathExists { path }, 5).unwrap_err().to_string();
        assert!(error.starts_with("the delay timed out: there was no no/such/path within 5ms"));
        // No service uses port 9 here
        let address = "127.0.0.1:9".to_owned();
        for kind in [
            DelayKind::TcpConnect { address: address.clone() },
            DelayKind::UdpResponse { address: address.clone(), request: vec![1] },
        ] {
            let error = wait_for(kind, 5).unwrap_err().to_string();
            assert!(error.contains("127.0.0.1:9 within 5ms"), "{error}");
        }
    }

    #[test]
    fn the_delay_ends_when_its_check_fails() {
        let kind = DelayKind::PathExists { path: "no/such/path".to_owned() };
        let delay = Delay { kind, poll: 1, timeout: u64::MAX };
        let check = || Err(LaunchError::ForeignMessage.into());
        let error: Error = wait_for_event(&delay, Path::new("/"), check).unwrap_err();
        assert!(matches!(error, Error::Launch(LaunchError::ForeignMessage)), "{error}");
    }
}
