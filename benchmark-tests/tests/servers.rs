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

#[test]
fn twenty_times_in_a_row() {
    let servers = Suite::new("servers");
    let address = free_address();
    let mut counts = BTreeSet::new();
    for _ in 0..20 {
        let report = run(servers.command().env("SERVER_ADDRESS", &address)).expect(0).report();
        assert_eq!(report.names(), ["clients::tcp", "clients::udp"]);
        counts.insert(
            report.names().iter().map(|name| report.instructions(name)).collect::<Vec<_>>(),
        );
    }
    assert_eq!(counts.len(), 1, "{counts:?}");
}
