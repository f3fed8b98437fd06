//! The address on which the server listens.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};
use std::str::FromStr;

/// The port if none is named and it is free. Arbitrary; no service is registered for it.
const USUAL_PORT: u16 = 2747;

/// An address as typed: `127.0.0.1`, `localhost:8080`, `[::1]:80`, `:0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// A name or an address.
    pub host: String,
    /// `None` for any port, preferably the usual one.
    pub port: Option<u16>,
}

impl Default for Listen {
    fn default() -> Self {
        Self { host: "127.0.0.1".to_owned(), port: None }
    }
}

impl FromStr for Listen {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "expected HOST, HOST:PORT or :PORT, such as `127.0.0.1:8080` or `[::1]:8080`";
        if text.parse::<IpAddr>().is_ok() {
            return Ok(Self { host: text.to_owned(), port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                (host, Some(port.parse().map_err(|_| wrong)?))
            }
            _ => (text, None),
        };
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let host = match bare {
            Some(bare) if bare.parse::<IpAddr>().is_ok() => bare,
            None if host.is_empty() && port.is_some() => "127.0.0.1",
            None if !host.is_empty() && !host.contains(['[', ']', ':', '/']) => host,
            _ => return Err(wrong),
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

/// Listens at the first usable address of the name.
///
/// # Errors
///
/// When none of them is usable.
pub fn bind(listen: &Listen) -> io::Result<TcpListener> {
    let at = |port: u16| -> io::Result<TcpListener> {
        let addresses: Vec<SocketAddr> = (&*listen.host, port).to_socket_addrs()?.collect();
        TcpListener::bind(addresses.as_slice())
    };
    match at(listen.port.unwrap_or(USUAL_PORT)) {
        Err(error) if listen.port.is_none() && error.kind() == io::ErrorKind::AddrInUse => at(0),
        bound => bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_typed_in_many_ways() {
        let read = |text: &str| text.parse::<Listen>().ok().map(|it| (it.host, it.port));
        let found = |host: &str, port| Some((host.to_owned(), port));
        assert_eq!(read("127.0.0.1"), found("127.0.0.1", None));
        assert_eq!(read("0.0.0.0:80"), found("0.0.0.0", Some(80)));
        assert_eq!(read("lab.example:0"), found("lab.example", Some(0)));
        assert_eq!(read("::1"), found("::1", None));
        assert_eq!(read("[::1]"), found("::1", None));
        assert_eq!(read("[::]:8080"), found("::", Some(8080)));
        assert_eq!(read(":8080"), found("127.0.0.1", Some(8080)));
        for wrong in ["", ":", "host:", "host:x", "host:70000", "[host]:1", "http://host", "a:b:1"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
