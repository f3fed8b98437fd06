//! Access by token.

use super::{Server, get};
use crate::lab::Lab;

#[test]
fn only_its_own_names_are_answered() {
    let lab = Lab::new();
    let server = Server::new(&lab);
    let port = server.port();
    for host in ["localhost", &format!("localhost:{port}"), &format!("127.0.0.1:{port}"), "[::1]"] {
        server.ask(get("/", host).as_bytes()).has(200);
    }
    for host in ["evil.example", &format!("evil.example:{port}"), "localhost.evil.example", ""] {
        server.ask(get("/", host).as_bytes()).has(421);
    }
    server.ask(b"GET / HTTP/1.1\r\n\r\n").has(400);
    server.ask(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n").has(400);
    server.ask(b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n").has(421);
}

#[test]
fn a_token_is_needed_where_one_is_given() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "-n", "measured here", "true"]).succeeded();
    let server = Server::with(&lab, &["--listen", "127.0.0.1:0", "--token", "open-sesame"]);
    assert!(server.url.ends_with("/?token=open-sesame"), "{}", server.url);
    for target in ["/", "/experiment/1", "/events?experiment=1", "/nothing"] {
        let told = server.get(target).has(401);
        assert!(!told.body.contains("measured here"), "{}", told.body);
    }
    for wrong in ["/?token=", "/?token=open-sesam", "/?token=open-sesame1", "/?token=OPEN-SESAME"] {
        server.get(wrong).has(401).says("that is not the token");
    }
    let told = server.get("/?text=measured&token=open-sesame").has(303);
    assert_eq!(told.header("location"), Some("/?text=measured"));
    let cookie = told.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let own = cookie.split(';').next().expect("it begins with the value");
    let with = |cookie: &str| {
        server.ask(
            format!("GET / HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n").as_bytes(),
        )
    };
    with(own).has(200).says("measured here");
    with(&format!("other=1; {own}")).has(200);
    with(&format!("{own}x")).has(401);
    // It redirects only to the server's own pages.
    let told = server.get("//evil.example/?token=open-sesame").has(303);
    assert_eq!(told.header("location"), Some("/"));
}

#[test]
fn elsewhere_than_on_this_machine_a_token_is_drawn() {
    let lab = Lab::new();
    let server = Server::with(&lab, &["--listen", "0.0.0.0:0"]);
    let (_, token) = server.url.split_once("/?token=").expect("a token");
    assert!(token.len() >= 32, "{token}");
    server.get("/").has(401).says("a token is needed");
    server.get(&format!("/?token={token}")).has(303);
    // Any address may belong to this machine, but a name may not.
    server.ask(get("/", "10.1.2.3").as_bytes()).has(401);
    server.ask(get("/", "evil.example").as_bytes()).has(421);
}

#[test]
fn what_cannot_be_served_is_refused() {
    let lab = Lab::new();
    for token in ["short", "with space in it", "semi;colon-"] {
        lab.brisk(&["serve", "--token", token]).exited(2);
    }
    lab.brisk(&["serve", "--listen", "a:b:c"]).exited(2);
    let server = Server::new(&lab);
    let taken = format!("127.0.0.1:{}", server.port());
    lab.brisk(&["serve", "--listen", &taken]).refused("cannot serve on `127.0.0.1:");
    std::fs::write(lab.store(), "dear diary ".repeat(1000)).expect("writable");
    lab.brisk(&["serve"]).refused("is not a store");
}
