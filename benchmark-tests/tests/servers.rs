//! Clients whose server is the set-up that goes on beside them.

use std::collections::BTreeSet;
use std::net::{TcpListener, UdpSocket};

use benchmark_tests::{Suite, run};

/// An address that nobody uses, for TCP as for UDP.
fn free_address() -> String {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        if UdpSocket::bind(address).is_ok() {
            return address.to_string();
        }
    }
}

/// Runs the benchmark twenty times in a row, with a server of its own.
fn twenty_times(name: &str) {
    let servers = Suite::new("servers");
    let address = free_address();
    let mut counts = BTreeSet::new();
    for _ in 0..20 {
        let report = run(servers.command().env("SERVER_ADDRESS", &address).arg(name)).expect(0);
        let report = report.report();
        assert_eq!(report.names(), [name]);
        counts.insert(report.instructions(name));
    }
    assert_eq!(counts.len(), 1, "{counts:?}");
}

#[test]
fn over_tcp() {
    twenty_times("clients::tcp");
}

#[test]
fn over_udp() {
    twenty_times("clients::udp");
}
