//! Sends a line to a server and prints the answer: `client tcp|udp ADDRESS LINE`.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpStream, UdpSocket};
use std::time::Duration;
use std::{env, process};

fn main() -> io::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [protocol, address, line] = &*arguments else { process::exit(2) };
    let answer = match &**protocol {
        "tcp" => tcp(address, line)?,
        _ => udp(address, line)?,
    };
    println!("{}", answer.trim_end());
    if answer.trim_end() != line.to_uppercase() {
        process::exit(3);
    }
    Ok(())
}

fn tcp(address: &str, line: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(format!("{line}\n").as_bytes())?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    Ok(answer)
}

fn udp(address: &str, line: &str) -> io::Result<String> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.set_read_timeout(Some(Duration::from_secs(20)))?;
    socket.connect(address)?;
    socket.send(line.as_bytes())?;
    let mut answer = [0; 1024];
    let length = socket.recv(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
}
