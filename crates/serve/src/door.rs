//! The address on which the server listens, and access control: by the host name in the request,
//! and by a token.
//!
//! A foreign page can make its name resolve to this machine (DNS rebinding), and could then read
//! the pages served here: so the name must be one of ours. Clients elsewhere need the token.

use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

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

/// The secret that gives access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token(String);

/// A text that cannot be a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a token has 8 to 128 letters, digits, `-` and `_`")]
pub struct TokenError;

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Characters that need no escaping in addresses and cookies.
        let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        match (8..=128).contains(&text.len()) && text.chars().all(is_fine) {
            true => Ok(Self(text.to_owned())),
            false => Err(TokenError),
        }
    }
}

impl Token {
    /// A token that cannot be guessed: 128 bits of the system's randomness.
    ///
    /// # Errors
    ///
    /// When the system's randomness cannot be read.
    pub fn drawn() -> io::Result<Self> {
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token as text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// True if the text is the token. The duration reveals nothing about the token: complete hashes
    /// are compared.
    fn is(&self, given: &str) -> bool {
        let [own, given] = [&self.0, given].map(|text| Sha256::digest(text.as_bytes()));
        own.iter().zip(given.iter()).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
    }
}

/// Decides about access.
#[derive(Debug, Clone)]
pub struct Door {
    /// Names and addresses by which the server may be called.
    names: Vec<String>,
    /// The address on which it listens.
    address: SocketAddr,
    token: Option<Token>,
}

/// The decision about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Access is granted.
    Open,
    /// The token in the address is right; a cookie carries it from now on.
    Welcome,
    /// The request names another host.
    Stranger,
    /// The token is missing.
    NoToken,
    /// The token is wrong.
    WrongToken,
}

impl Door {
    /// The door of a server that listens at this address, given as `typed`, on a machine of this
    /// name.
    pub fn new(
        address: SocketAddr,
        typed: &str,
        machine: Option<&str>,
        token: Option<Token>,
    ) -> Self {
        let own = (!address.ip().is_loopback()).then_some(machine).flatten();
        let names = ["localhost", typed].into_iter().chain(own).map(str::to_ascii_lowercase);
        Self { names: names.collect(), address, token }
    }

    /// The name of the token's cookie, which differs between ports.
    pub fn cookie(&self) -> String {
        format!("brisk-{}", self.address.port())
    }

    /// The address to visit first, with the name of the `machine` if it listens on all addresses.
    pub fn url(&self, machine: Option<&str>) -> String {
        let (ip, port) = (self.address.ip(), self.address.port());
        let host = match (ip, machine) {
            (ip, Some(name)) if ip.is_unspecified() => name.to_owned(),
            (IpAddr::V6(ip), _) => format!("[{ip}]"),
            (IpAddr::V4(ip), _) => ip.to_string(),
        };
        let token = self.token.as_ref().map(|token| format!("?token={}", token.text()));
        format!("http://{host}:{port}/{}", token.unwrap_or_default())
    }

    /// The token, if any.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Decides about a request to `host` with these cookies, and perhaps a token in the address.
    pub fn entry(&self, host: &str, cookies: &[&str], given: Option<&str>) -> Entry {
        if !self.is_called(host) {
            return Entry::Stranger;
        }
        let Some(token) = &self.token else { return Entry::Open };
        let own = self.cookie();
        let cookies = cookies.iter().flat_map(|line| line.split(';'));
        let said: Vec<&str> = cookies
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|(name, _)| *name == own)
            .map(|(_, value)| value)
            .collect();
        match given {
            Some(given) if token.is(given) => Entry::Welcome,
            Some(_) => Entry::WrongToken,
            None if said.iter().any(|said| token.is(said)) => Entry::Open,
            None if said.is_empty() => Entry::NoToken,
            None => Entry::WrongToken,
        }
    }

    /// True if this is one of our names. The port may differ, as through a tunnel.
    fn is_called(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, _)) => name,
            None => host.split(':').next().unwrap_or_default(),
        };
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let listening = self.address.ip();
        match name.parse::<IpAddr>() {
            // An IP address cannot be made to resolve to another one.
            Ok(ip) if listening.is_unspecified() => ip.is_ipv4() || listening.is_ipv6(),
            Ok(ip) => ip == listening || ip.is_loopback() && listening.is_loopback(),
            Err(_) => self.names.contains(&name),
        }
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

    fn door(address: &str, typed: &str, token: Option<&str>) -> Door {
        let token = token.map(|token| token.parse().expect("a good token"));
        Door::new(address.parse().expect("an address"), typed, Some("Lab"), token)
    }

    #[test]
    fn a_server_on_this_machine_alone_knows_its_names() {
        let door = door("127.0.0.1:80", "127.0.0.1", None);
        for host in ["localhost", "LOCALHOST:9", "127.0.0.1", "127.0.0.1:2747", "[::1]:80"] {
            assert_eq!(door.entry(host, &[], None), Entry::Open, "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "lab",
            "10.0.0.1",
        ] {
            assert_eq!(door.entry(host, &[], None), Entry::Stranger, "{host}");
        }
    }

    #[test]
    fn a_server_for_others_knows_its_names() {
        let own = door("10.0.0.7:80", "bench.example", None);
        for host in ["10.0.0.7", "bench.example:80", "lab", "localhost:80"] {
            assert_eq!(own.entry(host, &[], None), Entry::Open, "{host}");
        }
        assert_eq!(own.entry("10.0.0.8", &[], None), Entry::Stranger);
        let every = door("0.0.0.0:80", "0.0.0.0", None);
        assert_eq!(every.entry("10.0.0.8:80", &[], None), Entry::Open);
        assert_eq!(every.entry("evil.example", &[], None), Entry::Stranger);
    }

    #[test]
    fn a_token_opens_and_nothing_else_does() {
        let door = door("127.0.0.1:80", "127.0.0.1", Some("secret-12"));
        let entry = |cookies: &[&str], given| door.entry("localhost", cookies, given);
        assert_eq!(entry(&[], None), Entry::NoToken);
        assert_eq!(entry(&["other=secret-12"], None), Entry::NoToken);
        assert_eq!(entry(&[], Some("secret-12")), Entry::Welcome);
        for wrong in ["", "secret-1", "secret-123", "SECRET-12"] {
            assert_eq!(entry(&[], Some(wrong)), Entry::WrongToken);
            assert_eq!(entry(&[&format!("brisk-80={wrong}")], None), Entry::WrongToken);
        }
        assert_eq!(entry(&["a=b; brisk-80=secret-12"], None), Entry::Open);
        assert_eq!(door.entry("evil.example", &[], Some("secret-12")), Entry::Stranger);
    }

    #[test]
    fn tokens_are_drawn_anew_and_fit_into_an_address() {
        let [one, other] = [(); 2].map(|()| Token::drawn().expect("this is Linux"));
        assert_ne!(one, other);
        assert_eq!(one.text().parse(), Ok(one.clone()));
        for wrong in ["", "short", "with space", "with;semicolon", &"x".repeat(129)] {
            assert_eq!(wrong.parse::<Token>(), Err(TokenError), "{wrong}");
        }
    }
}
