//! Clients whose server is a setup that runs in parallel.

use std::collections::BTreeSet;
use std::net::{TcpListener, UdpSocket};

use end_to_end_tests::{Suite, run};

/// Returns an unused address, for TCP and UDP.
fn free_address() -> String {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        if UdpSocket::bind(address).is_ok() {
            return address.to_string();
        }
    }
}

/// Runs the benchmark this many times in a row, with a server of its own, and demands that it counts the same.
fn repeat(name: &str, times: usize) {
    let servers = Suite::new("servers");
    let address = free_address();
    let mut counts = BTreeSet::new();
    for _ in 0..times {
        let report = run(servers.command().env("SERVER_ADDRESS", &address).arg(name)).expect(0);
        let report = report.report();
        assert_eq!(report.names(), [name]);
        counts.insert(report.instructions(name));
    }
    assert_eq!(counts.len(), 1, "{counts:?}");
}

#[test]
fn over_tcp() {
    repeat("clients::tcp", 3);
}

#[test]
fn over_udp() {
    repeat("clients::udp", 3);
}

#[test]
#[ignore = "long"]
fn over_tcp_and_udp_again_and_again() {
    repeat("clients::tcp", 20);
    repeat("clients::udp", 20);
}
