//! Clients of servers that their set-up is.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::time::Duration;

use iai_callgrind::{Command, Delay, DelayKind, binary_benchmark, binary_benchmark_group, main};

const CLIENT: &str = env!("CARGO_BIN_EXE_benchmark-tests-client");

/// Returns a port that is this process's alone: the tests run it several times at once.
fn address() -> SocketAddr {
    let address = std::env::var("SERVER_ADDRESS");
    address.as_deref().unwrap_or("127.0.0.1:31000").parse().unwrap()
}

/// Answers each connection until it is ended.
fn serve_tcp() {
    let listener = TcpListener::bind(address()).unwrap();
    for stream in listener.incoming() {
        let stream = stream.unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        // The delay only connects
        let _ = (&stream).write_all(line.to_uppercase().as_bytes());
    }
}

fn serve_udp() {
    let socket = UdpSocket::bind(address()).unwrap();
    let mut request = [0; 1024];
    loop {
        let (length, from) = socket.recv_from(&mut request).unwrap();
        let answer = String::from_utf8_lossy(&request[..length]).to_uppercase();
        let _ = socket.send_to(answer.as_bytes(), from);
    }
}

#[binary_benchmark(setup = serve_tcp())]
fn tcp() -> Command {
    let delay = Delay::new(DelayKind::TcpConnect(address())).timeout(Duration::from_secs(20));
    Command::new(CLIENT)
        .args(["tcp", &address().to_string(), "hello"])
        .setup_parallel(true)
        .delay(delay.poll(Duration::from_millis(5)))
        .build()
}

#[binary_benchmark(setup = serve_udp())]
fn udp() -> Command {
    let delay = Delay::from_udp_request(address(), b"ping").timeout(Duration::from_secs(20));
    Command::new(CLIENT)
        .args(["udp", &address().to_string(), "hello"])
        .setup_parallel(true)
        .delay(delay)
        .build()
}

binary_benchmark_group!(name = clients; benchmarks = tcp, udp);

main!(binary_benchmark_groups = clients);
