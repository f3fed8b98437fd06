//! Stores on a PostgreSQL server: their address, as libpq writes addresses, and how they are
//! opened.

use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use form_urlencoded::parse;
use postgres::Config;
use postgres::config::{Host, SslMode};

use crate::database::{self, Database, Driver, Server, values};
use crate::error::Cause;
use crate::open::{Access, VERSION};
use crate::write::Known;
use crate::{Place, Store, StoreError, journal};

/// The schemes of an address.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The default timeout for connecting to a server.
const CONNECT: Duration = Duration::from_secs(5);

/// The time after which a silent server counts as gone.
const SILENCE: Duration = Duration::from_secs(20);

/// The folder of the sockets of local servers.
const SOCKETS: &str = "/var/run/postgresql";

/// The checks on the server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Any certificate is accepted: the connection is only safe from eavesdroppers.
    Anybody,
    /// A trusted authority must have signed the certificate; the name in it is not checked.
    Known,
    /// The certificate must also be for the server's host name.
    Named,
}

/// The address of a store on a PostgreSQL server.
pub struct Address {
    pub(super) config: Config,
    pub(super) trust: Trust,
    /// The trusted certificates; `None` for the system's.
    pub(super) roots: Option<PathBuf>,
    /// The folder of the journals of all servers.
    pub(super) journals: PathBuf,
}

impl Address {
    /// Reads an address; `journals` is the folder on this machine for events that the server does
    /// not have yet, `variable` looks up the environment variables that libpq knows.
    ///
    /// # Errors
    ///
    /// When the address is invalid. The error never contains the password.
    pub fn read(
        address: &str,
        journals: PathBuf,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, StoreError> {
        Self::read_all(address, journals, &variable).map_err(|source| StoreError::Address {
            address: redacted(address).unwrap_or_default(),
            source,
        })
    }

    fn read_all(
        address: &str,
        journals: PathBuf,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Cause> {
        let (plain, query) = address.split_once('?').unwrap_or((address, ""));
        let (mut mode, mut roots) = (variable("PGSSLMODE"), variable("PGSSLROOTCERT"));
        let mut kept = form_urlencoded::Serializer::new(String::new());
        for (name, value) in parse(query.as_bytes()) {
            match &*name {
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => roots = Some(value.into_owned()),
                _ => drop(kept.append_pair(&name, &value)),
            }
        }
        // In database addresses, a plus sign is literal.
        let kept = kept.finish().replace('+', "%20");
        let mut config: Config = format!("{plain}?{kept}").parse().map_err(without_values)?;
        let (encryption, trust) = match mode.as_deref() {
            Some("disable") => (SslMode::Disable, Trust::Anybody),
            None | Some("allow" | "prefer") => (SslMode::Prefer, Trust::Anybody),
            // As in libpq: if authorities are named, `require` also verifies the certificate.
            Some("require") if roots.is_none() => (SslMode::Require, Trust::Anybody),
            Some("require" | "verify-ca") => (SslMode::Require, Trust::Known),
            Some("verify-full") => (SslMode::Require, Trust::Named),
            Some(_) => return Err("`sslmode` is none that brisk knows".into()),
        };
        config.ssl_mode(encryption);
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            match variable("PGHOST") {
                Some(host) => config.host(&host),
                None => config.host_path(SOCKETS),
            };
        }
        if config.get_user().is_none()
            && let Some(user) = variable("PGUSER").or_else(|| variable("USER"))
        {
            config.user(&user);
        }
        if config.get_dbname().is_none() {
            let user = config.get_user().map(str::to_owned);
            let name = variable("PGDATABASE").or(user);
            config.dbname(&name.ok_or("it names no database")?);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE).application_name("brisk");
        let found = Self { config, trust, roots: roots.map(PathBuf::from), journals };
        Ok(found.with_password(variable))
    }

    /// Adds the password from libpq's sources, unless the address has one.
    fn with_password(mut self, variable: &dyn Fn(&str) -> Option<String>) -> Self {
        if self.config.get_password().is_some() {
            return self;
        }
        let file = || {
            let file = variable("PGPASSFILE").map(PathBuf::from);
            file.or_else(|| Some(Path::new(&variable("HOME")?).join(".pgpass")))
        };
        let listed = || self.listed_in(&private_text(&file()?)?);
        if let Some(password) = variable("PGPASSWORD").or_else(listed) {
            self.config.password(password);
        }
        self
    }

    /// The password in the text of a password file
    /// (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).
    fn listed_in(&self, text: &str) -> Option<String> {
        let [host, port, database, user] = self.fields();
        let host = if host.starts_with('/') { "localhost".to_owned() } else { host };
        text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let fields = fields_of(line);
            let [of_host, of_port, of_database, of_user, password] = fields.as_slice() else {
                return None;
            };
            let wanted = [(of_host, &host), (of_port, &port), (of_database, &database)];
            let mut wanted = wanted.into_iter().chain([(of_user, &user)]);
            let fits = |(pattern, value): (&String, &String)| pattern == "*" || pattern == value;
            wanted.all(fits).then(|| password.clone())
        })
    }

    /// Host, port, database and user.
    fn fields(&self) -> [String; 4] {
        let config = &self.config;
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            Some(Host::Unix(folder)) => folder.display().to_string(),
            None => config.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        [host, port, text(config.get_dbname()), text(config.get_user())]
    }
}

/// The address without its password.
impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [host, port, database, user] = self.fields();
        let port = if port == "5432" { String::new() } else { format!(":{port}") };
        match host.starts_with('/') {
            true => write!(out, "postgres://{user}@{port}/{database}?host={host}"),
            false => write!(out, "postgres://{user}@{host}{port}/{database}"),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The text without the password of the address that it is or ends with; `None` if there is no
/// password.
pub fn redacted(text: &str) -> Option<String> {
    let begin = SCHEMES.into_iter().find_map(|scheme| Some(text.find(scheme)? + scheme.len()))?;
    let (before, address) = text.split_at(begin);
    let (plain, query) = address.split_once('?').unwrap_or((address, ""));
    let plain = match plain.rsplit_once('@') {
        Some((who, rest)) => {
            let user = who.split_once(':').map_or(who, |(user, _)| user);
            format!("{user}@{rest}")
        }
        None => plain.to_owned(),
    };
    let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("password="));
    let kept: Vec<&str> = kept.collect();
    let question = if kept.is_empty() { "" } else { "?" };
    Some(format!("{before}{plain}{question}{}", kept.join("&")))
}

/// The cause of an invalid address, without values from the address.
fn without_values(error: postgres::Error) -> Cause {
    error.into_source().unwrap_or_else(|| "it cannot be read".into())
}

/// The text of a file that only its owner can read; libpq ignores any other, too.
fn private_text(path: &Path) -> Option<String> {
    let is_private = fs::metadata(path).ok()?.mode() & 0o077 == 0;
    if is_private { fs::read_to_string(path).ok() } else { None }
}

/// The fields of a line between colons; a backslash takes the next character as it is.
fn fields_of(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let last = fields.len() - 1;
        match character {
            ':' => fields.push(String::new()),
            '\\' => fields[last].extend(characters.next()),
            other => fields[last].push(other),
        }
    }
    fields
}

/// The tables, as for SQLite.
const TABLES: &str = include_str!("schema.sql");

/// The PostgreSQL-specific parts of the schema.
const REST: &str = include_str!("postgres.sql");

/// PostgreSQL's equivalents of SQLite's words in the schema.
const WORDS: [(&str, &str); 6] = [
    ("id INTEGER PRIMARY KEY AUTOINCREMENT", "id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    ("number INTEGER PRIMARY KEY", "number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    (" INTEGER", " BIGINT"),
    (" REAL", " DOUBLE PRECISION"),
    (" WITHOUT ROWID", ""),
    // A primary key cannot be descending: an index takes its place.
    ("    PRIMARY KEY (experiment, source, warmup DESC, round, position),\n", ""),
];

/// The oldest supported major version of the server, from `server_version_num`.
const OLDEST: i64 = 14;

/// `bris`: other brisks wait while one creates the tables.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1651665267)";

/// The timeout for locks held by others.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the store; creates its tables if they are missing and `makes` is true.
pub(super) fn open(address: &Arc<Address>, makes: bool) -> Result<Option<Store>, StoreError> {
    let place = Place::Server(Arc::clone(address));
    let explain = |error| StoreError::at(&place, PATIENCE, error);
    let server = Server::connect(Arc::clone(address)).map_err(explain)?;
    let database = Database::new(Driver::Server(server.into()));
    let found = look_at(&database, &place)?;
    if found.is_new {
        match (makes, found.is_read_only) {
            (false, _) => return Ok(None),
            (true, true) => return Err(StoreError::ReadOnly { place }),
            (true, false) => make(&database).map_err(explain)?,
        }
    }
    let (identity, access) = known(&database, &place, found.is_read_only)?;
    if makes && access == Access::ReadOnly {
        return Err(StoreError::ReadOnly { place });
    }
    let inflight = match access {
        Access::ReadOnly => PathBuf::new(),
        Access::Write => folder(&address.journals, &identity, &place)?,
    };
    let known = Known::default();
    Ok(Some(Store { database, place, inflight, patience: PATIENCE, access, known, held: None }))
}

/// The state of the server.
struct Found {
    /// True if there are no tables yet.
    is_new: bool,
    /// True if nothing can be written at all.
    is_read_only: bool,
}

fn look_at(database: &Database, place: &Place) -> Result<Found, StoreError> {
    let select = "SELECT current_setting('server_version_num')::bigint / 10000,
                      (current_setting('transaction_read_only') = 'on')::int,
                      count(*), count(*) FILTER (WHERE relname = 'store')
                  FROM pg_class WHERE relnamespace = to_regnamespace('brisk')";
    let found = database.row(select, &[], |row| {
        Ok((row.get::<i64>(0)?, row.get(1)?, row.get::<i64>(2)?, row.get::<i64>(3)?))
    });
    let found = found.map_err(|error| StoreError::at(place, PATIENCE, error))?;
    let (version, is_read_only, all, marks) = found.unwrap_or_default();
    refuse_too_old(version, place)?;
    match (all, marks) {
        (0, _) => Ok(Found { is_new: true, is_read_only }),
        (_, 0) => Err(StoreError::Foreign {
            place: place.clone(),
            what: "its schema `brisk` is another program's",
        }),
        _ => Ok(Found { is_new: false, is_read_only }),
    }
}

fn refuse_too_old(found: i64, place: &Place) -> Result<(), StoreError> {
    if found < OLDEST {
        return Err(StoreError::TooOld { place: place.clone(), found, least: OLDEST });
    }
    Ok(())
}

/// Creates all tables, unless another brisk was faster.
fn make(database: &Database) -> database::Result<()> {
    let transaction = database.write()?;
    transaction.row(LOCK, &[], |_| Ok(()))?;
    let there = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('brisk')";
    if transaction.row(there, &[], |row| row.get::<i64>(0))? == Some(0) {
        let tables =
            WORDS.iter().fold(TABLES.to_owned(), |text, (word, other)| text.replace(word, other));
        transaction.batch("CREATE SCHEMA IF NOT EXISTS brisk")?;
        transaction.batch(&tables)?;
        transaction.batch(REST)?;
        let mark = "INSERT INTO store (version, identity) VALUES (?1, gen_random_uuid()::text)";
        transaction.execute(mark, &values![VERSION])?;
    }
    transaction.commit()
}

/// The identity of the store, and the access to it; an error if it is of another version.
fn known(
    database: &Database,
    place: &Place,
    is_read_only: bool,
) -> Result<(String, Access), StoreError> {
    let select = "SELECT version, identity, has_table_privilege('run', 'INSERT')::int FROM store";
    let found = database.row(select, &[], |row| {
        Ok((row.get::<i64>(0)?, row.get::<String>(1)?, row.get::<bool>(2)?))
    });
    let found = found.map_err(|error| StoreError::at(place, PATIENCE, error))?;
    let Some((found, identity, may_write)) = found else {
        return Err(StoreError::at(place, PATIENCE, database::Error::Gone));
    };
    if found != VERSION {
        let place = place.clone();
        return Err(StoreError::OtherVersion { place, found, known: VERSION });
    }
    let access = if may_write && !is_read_only { Access::Write } else { Access::ReadOnly };
    Ok((identity, access))
}

/// The folder on this machine for events that the server does not have yet; a file beside it names
/// the server.
fn folder(journals: &Path, identity: &str, place: &Place) -> Result<PathBuf, StoreError> {
    let file = journals.join(format!("{identity}.server"));
    let make = || {
        DirBuilder::new().recursive(true).mode(0o700).create(journals)?;
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file) {
            Ok(mut file) => writeln!(file, "{place}"),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    };
    make().map_err(|error| StoreError::of_journal(&file, error))?;
    Ok(journal::folder(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str, variables: &[(&str, &str)]) -> Result<Address, StoreError> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Address::read(address, PathBuf::from("/journals"), variable)
    }

    fn password(address: &Address) -> Option<&str> {
        address.config.get_password().map(|bytes| str::from_utf8(bytes).expect("plain"))
    }

    #[test]
    fn an_address_is_told_without_its_password() {
        for text in
            ["postgres://me:geheim@host:5433/lab", "postgresql://me@host:5433/lab?password=geheim"]
        {
            let address = read(text, &[]).expect("an address");
            assert_eq!(password(&address), Some("geheim"));
            assert_eq!(address.to_string(), "postgres://me@host:5433/lab");
            assert!(!format!("{address:?}").contains("geheim"));
            assert!(!redacted(text).expect("an address").contains("geheim"));
        }
        let told = redacted("--store=postgres://me:ge@he/im@host/lab?sslmode=require&password=x");
        assert_eq!(told.as_deref(), Some("--store=postgres://me@host/lab?sslmode=require"));
        assert_eq!(redacted("./runs.db"), None);
        for (text, why) in [
            ("postgres://me:geheim@host:port/lab", "port"),
            ("postgres://me:geheim@host/lab?sslmode=geheim", "sslmode"),
            ("postgres://me:geheim@host/lab?what=geheim", "what"),
        ] {
            let error = read(text, &[]).expect_err(text);
            let told = format!("{error}: {}", std::error::Error::source(&error).expect("a cause"));
            assert!(told.contains(why) && !told.contains(":geheim@"), "{told}");
        }
    }

    #[test]
    fn a_password_comes_from_the_variable_or_the_file() {
        let address = read("postgres://me@host/lab", &[("PGPASSWORD", "a")]).expect("an address");
        assert_eq!(password(&address), Some("a"));
        let listed = |line: &str| address.listed_in(&format!("# me\nhost:1:lab:me:no\n{line}\n"));
        assert_eq!(listed("host:5432:lab:me:b").as_deref(), Some("b"));
        assert_eq!(listed(r"*:*:*:me:c\:\\d").as_deref(), Some(r"c:\d"));
        assert_eq!(listed("host:5432:other:me:b"), None);
        let own = read("postgres://me:own@host/lab", &[("PGPASSWORD", "a")]).expect("an address");
        assert_eq!(password(&own), Some("own"));
    }

    #[test]
    fn what_is_not_said_is_as_libpq_has_it() {
        let address = read("postgres:///", &[("USER", "ada")]).expect("an address");
        assert_eq!(address.to_string(), "postgres://ada@/ada?host=/var/run/postgresql");
        let mode = |text: &str| {
            let address = read(text, &[]).expect("an address");
            (address.config.get_ssl_mode(), address.trust)
        };
        assert_eq!(mode("postgres://a@b/c"), (SslMode::Prefer, Trust::Anybody));
        assert_eq!(mode("postgres://a@b/c?sslmode=require"), (SslMode::Require, Trust::Anybody));
        let named = "postgres://a@b/c?sslmode=verify-full&sslrootcert=/r.pem";
        assert_eq!(mode(named), (SslMode::Require, Trust::Named));
        assert_eq!(read(named, &[]).expect("read").roots, Some("/r.pem".into()));
        let known = "postgres://a@b/c?sslmode=require&sslrootcert=/r.pem";
        assert_eq!(mode(known), (SslMode::Require, Trust::Known));
    }

    #[test]
    fn a_server_that_is_too_old_is_refused() {
        let place = Place::from(Path::new("somewhere"));
        assert!(refuse_too_old(OLDEST, &place).is_ok());
        let error = refuse_too_old(OLDEST - 1, &place).expect_err("too old");
        assert!(error.to_string().ends_with("is PostgreSQL 13, and brisk needs 14 or newer"));
    }
}
