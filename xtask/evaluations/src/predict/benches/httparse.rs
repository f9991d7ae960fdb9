//! Functions of the crate httparse.

use iai_callgrind::library_benchmark;

fn request(headers: usize) -> Vec<u8> {
    let mut text =
        "GET /path/to/a/page?with=a&query=1 HTTP/1.1\r\nHost: example.org\r\n".to_owned();
    for number in 0..headers {
        text += &format!("X-Header-{number}: the value of the header with number {number}\r\n");
    }
    (text + "\r\n").into_bytes()
}

#[library_benchmark(setup = request)]
#[bench::n(20)]
fn request_before(text: Vec<u8>) -> usize {
    let text = String::from_utf8_lossy(&text);
    let headers: Vec<_> = text.lines().filter_map(|line| line.split_once(": ")).collect();
    headers.len()
}

#[library_benchmark(setup = request)]
#[bench::n(20)]
fn request_after(text: Vec<u8>) -> usize {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut request = httparse::Request::new(&mut headers);
    request.parse(&text).map_or(0, |_| request.headers.len())
}

#[library_benchmark(setup = |n| (0..n).map(|size| format!("{size:x}\r\n")).collect::<Vec<_>>())]
#[bench::n(200)]
fn chunk_sizes(texts: Vec<String>) -> u64 {
    let size = |text: &String| match httparse::parse_chunk_size(text.as_bytes()) {
        Ok(httparse::Status::Complete((_, size))) => size,
        _ => 0,
    };
    texts.iter().map(size).sum()
}
