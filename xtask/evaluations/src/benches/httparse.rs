//! Benchmarks of https://github.com/seanmonstar/httparse up to ac44a38a6b3d1f2dde01c250f622def4aa89f5e0

use std::hint::black_box;

use httparse::{EMPTY_HEADER, Request, Response, parse_chunk_size, parse_headers};
use iai_callgrind::prelude::*;

const SHORT: &[u8] = b"GET / HTTP/1.0\r\nHost: example.com\r\nCookie: session=60; user_id=1\r\n\r\n";
const LONG: &[u8] = b"GET /wp-content/uploads/2010/03/hello-kitty-darth-vader-pink.jpg HTTP/1.1\r\n\
    Host: www.kittyhell.com\r\nUser-Agent: Mozilla/5.0 (Macintosh; Intel Mac OS X 10.6; ja-JP-mac; rv:1.9.2.3)\r\n\
    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: ja,en-us;q=0.7\r\n\
    Accept-Encoding: gzip,deflate\r\nAccept-Charset: Shift_JIS,utf-8;q=0.7,*;q=0.7\r\nKeep-Alive: 115\r\n\
    Connection: keep-alive\r\nCookie: wp_ozh_wsa_visits=2; wp_ozh_wsa_visit_lasttime=xxxxxxxxxx\r\n\r\n";
const PARTIAL: &[u8] = b"POST /upload HTTP/1.1\r\nContent-Le";
const BAD: &[u8] = b"GET / HTTP/1.1\r\nBad Header: 1\r\n\r\n";
const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nDate: Wed, 21 Oct 2015 07:28:00 GMT\r\nServer: Apache\r\n\
    Content-Type: text/html\r\nSet-Cookie: session=60; user_id=1\r\n\r\n";
const HEADERS: &[u8] = b"Accept: */*\r\nX-Long-Name-Of-A-Header: with a long value of a header, 0123456789\r\n\r\n";

#[library_benchmark]
#[bench::short(SHORT)]
#[bench::long(LONG)]
#[bench::partial(PARTIAL)]
#[bench::bad(BAD)]
fn request(bytes: &[u8]) -> bool {
    let mut headers = [EMPTY_HEADER; 16];
    Request::new(&mut headers).parse(black_box(bytes)).is_ok()
}

#[library_benchmark]
#[bench::usual(RESPONSE)]
#[bench::without_headers(b"HTTP/1.0 404 Not Found\r\n\r\n")]
#[bench::without_reason(b"HTTP/1.1 204\r\n\r\n")]
fn response(bytes: &[u8]) -> bool {
    let mut headers = [EMPTY_HEADER; 16];
    Response::new(&mut headers).parse(black_box(bytes)).is_ok()
}

#[library_benchmark]
#[bench::two(HEADERS)]
fn headers(bytes: &[u8]) -> bool {
    let mut headers = [EMPTY_HEADER; 4];
    parse_headers(black_box(bytes), &mut headers).is_ok()
}

#[library_benchmark]
#[bench::short(b"4\r\n")]
#[bench::with_extension(b"fade1f ; name=value\r\n")]
#[bench::bad(b"12345x\r\n")]
fn chunk_size(bytes: &[u8]) -> bool {
    parse_chunk_size(black_box(bytes)).is_ok()
}

main!();
