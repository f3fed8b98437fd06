//! Requests that are too large, and clients that are slow or gone.

use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use super::{Server, get};
use crate::lab::{Lab, eventually};

#[test]
fn what_is_no_good_request_is_told_so() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    let server = Server::new(&lab);
    for path in [
        "/nothing",
        "/experiment/2",
        "/experiment/-1",
        "/experiment/1x",
        "/../../etc/passwd",
        "/experiment/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/runs.db",
        "/%00",
    ] {
        let told = server.get(path).has(404);
        assert!(!told.body.contains("root:"), "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "NONSENSE"] {
        let request = format!("{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let told = server.ask(request.as_bytes());
        // `CONNECT` names no path, so it is not even parsed.
        assert!(
            told.status == 405 || method == "CONNECT" && told.status >= 400,
            "{method}: {told:?}"
        );
    }
    let posted = server.ask(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(posted.has(405).header("allow"), Some("GET, HEAD"));
    server.ask(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello").has(413);
    let long = "x".repeat(20_000);
    assert!(matches!(server.get(&format!("/?text={long}")).status, 414 | 431));
    let header = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n");
    server.ask(header.as_bytes()).has(431);
    for nonsense in [&b"\x16\x03\x01\x02\x00\x01\x00"[..], b"GET\r\n\r\n", b"\r\n\r\n\0\0"] {
        let told = server.ask(nonsense);
        assert!(matches!(told.status, 0 | 400), "{told:?}");
    }
    server.get("/").has(200);
}

#[test]
fn every_answer_is_kept_from_others() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    let server = Server::new(&lab);
    let answers = ["/", "/experiment/1", "/nothing", "/compare", "/events?seen=x"];
    let strangers = server.ask(get("/", "evil.example").as_bytes());
    for told in answers.into_iter().map(|target| server.get(target)).chain([strangers]) {
        let policy = told.header("content-security-policy").expect("a policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(told.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(told.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(told.header("cache-control"), Some("no-store"));
    }
    let page = server.get("/experiment/1");
    let head = server.ask(b"HEAD /experiment/1 HTTP/1.1\r\nHost: localhost\r\n\r\n").has(200);
    assert_eq!(head.body, "");
    assert_eq!(head.header("content-length"), Some(&*page.body.len().to_string()));
}

/// Two hundred clients: some send half a request, some never read, some vanish before the answer,
/// and the others get their pages.
#[test]
fn slow_clients_and_those_that_vanish_trouble_nobody() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "6", "true", "true"]).judged();
    let server = Server::new(&lab);
    let mut halves = Vec::new();
    let mut deaf = Vec::new();
    for _ in 0..40 {
        let mut half = server.connect();
        half.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("it reads");
        halves.push(half);
        let mut silent = server.connect();
        silent.write_all(get("/experiment/1", "localhost").as_bytes()).expect("it reads");
        deaf.push(silent);
        let mut gone = server.connect();
        gone.write_all(get("/experiment/1", "localhost").as_bytes()).expect("it reads");
        let mut watching = server.connect();
        watching.write_all(get("/events?seen=0-0", "localhost").as_bytes()).expect("it reads");
    }
    thread::scope(|scope| {
        let asking: Vec<_> =
            (0..40).map(|_| scope.spawn(|| server.page("/experiment/1"))).collect();
        for asked in asking {
            assert!(asked.join().expect("it got its page").ends_with("</html>\n"));
        }
    });
    // The server does not wait for incomplete requests.
    for mut half in halves {
        half.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let mut rest = Vec::new();
        half.read_to_end(&mut rest).expect("the server closes");
    }
    drop(deaf);
    server.get("/").has(200);
    // The clients' descriptors are released.
    let folder = format!("/proc/{}/fd", server.running.id());
    let descriptors = || std::fs::read_dir(&folder).expect("it runs").count();
    eventually("few open files", || descriptors() < 30);
    server.get("/experiment/1").has(200);
}
