//! Statements for PostgreSQL, over connections encrypted as `sslmode` demands, and the meaning of a
//! server's errors.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use postgres::config::SslMode;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator as _;
use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type};
use postgres::{Client, Statement};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::Place;
use crate::database::{Error, Insert, Result, Row, Told, Value};
use crate::error::{Cause, StoreError};
use crate::server::{Address, Trust};

/// A connection to a server.
pub(crate) struct Server {
    address: Arc<Address>,
    client: RefCell<Client>,
    /// The prepared statements of this connection.
    statements: RefCell<HashMap<String, Statement>>,
}

/// Settings for every connection. The tables are in their own schema, so that others can be beside
/// it.
const SETTINGS: &str = "SET search_path TO brisk; SET client_min_messages TO warning;
                        SET extra_float_digits TO 1";

impl Server {
    pub(crate) fn connect(address: Arc<Address>) -> Result<Self> {
        let client = RefCell::new(client(&address)?);
        Ok(Self { address, client, statements: RefCell::default() })
    }

    /// Reconnects if the connection is lost.
    pub(crate) fn reconnect(&self) -> Result<()> {
        if self.is_closed() {
            *self.client.borrow_mut() = client(&self.address)?;
            self.statements.borrow_mut().clear();
        }
        Ok(())
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.borrow().is_closed()
    }

    fn statement(&self, text: &str) -> Result<Statement> {
        if let Some(known) = self.statements.borrow().get(text) {
            return Ok(known.clone());
        }
        let prepared = self.client.borrow_mut().prepare(&numbered(text))?;
        self.statements.borrow_mut().insert(text.to_owned(), prepared.clone());
        Ok(prepared)
    }

    pub(super) fn execute(&self, statement: &str, values: &[Value<'_>]) -> Result<usize> {
        let parameters: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let statement = self.statement(statement)?;
        let touched = self.client.borrow_mut().execute(&statement, &parameters)?;
        Ok(usize::try_from(touched).unwrap_or(usize::MAX))
    }

    /// Fetches the rows in portions, so that only a few are in memory.
    pub(super) fn each(
        &self,
        statement: &str,
        values: &[Value<'_>],
        told: &mut Told<'_>,
    ) -> Result<()> {
        let statement = self.statement(statement)?;
        let mut client = self.client.borrow_mut();
        let mut rows = client.query_raw(&statement, values)?;
        while let Some(row) = rows.next()? {
            told(&Row::Server(&row))?;
        }
        Ok(())
    }

    pub(super) fn batch(&self, statements: &str) -> Result<()> {
        Ok(self.client.borrow_mut().batch_execute(statements)?)
    }

    /// Inserts all rows with one statement; returns the number of rows. `given` is a prefix that
    /// defines a query `granted`: the rows are inserted once for each of its rows. The placeholders
    /// for its own values are numbered from the first after the columns.
    pub(crate) fn insert<'a, const N: usize>(
        &self,
        into: &Insert<N>,
        rows: impl IntoIterator<Item = [Value<'a>; N]>,
        given: Option<(&str, &[Value<'_>])>,
    ) -> Result<usize> {
        let mut columns: [Vec<Value<'a>>; N] = std::array::from_fn(|_| Vec::new());
        for row in rows {
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        if columns[0].is_empty() && given.is_none() {
            return Ok(0);
        }
        let (begin, own) = given.unwrap_or_default();
        let from = if begin.is_empty() { "" } else { "granted, " };
        let names = into.columns.map(|(name, _)| name).join(", ");
        let arrays =
            (1..).zip(&into.columns).map(|(place, (_, kind))| format!("?{place}::{kind}[]"));
        let arrays = arrays.collect::<Vec<_>>().join(", ");
        let table = into.table;
        let statement = format!(
            "{begin} INSERT INTO {table} ({names}) SELECT made.* FROM {from}unnest({arrays}) AS made"
        );
        let columns = columns.iter().map(|column| column as &(dyn ToSql + Sync));
        let own = own.iter().map(|value| value as &(dyn ToSql + Sync));
        let values: Vec<&(dyn ToSql + Sync)> = columns.chain(own).collect();
        let statement = self.statement(&statement)?;
        let touched = self.client.borrow_mut().execute(&statement, &values)?;
        Ok(usize::try_from(touched).unwrap_or(usize::MAX))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(out)
    }
}

fn client(address: &Address) -> Result<Client> {
    let mut client = connect(address)?;
    client.batch_execute(SETTINGS)?;
    Ok(client)
}

/// The statement with PostgreSQL's placeholders.
fn numbered(statement: &str) -> String {
    // No statement has a question mark that is not a placeholder.
    statement.replace('?', "$")
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) if *kind == Type::INT4 => {
                i32::try_from(*number)?.to_sql(kind, out)
            }
            Self::Integer(number) if *kind == Type::FLOAT8 => (*number as f64).to_sql(kind, out),
            Self::Integer(number) if *kind == Type::INT8 => number.to_sql(kind, out),
            Self::Real(number) if *kind == Type::FLOAT8 => number.to_sql(kind, out),
            // PostgreSQL's texts cannot contain this character; its picture is stored instead.
            Self::Text(text) if *kind == Type::TEXT && text.contains('\0') => {
                text.replace('\0', "\u{2400}").to_sql(kind, out)
            }
            Self::Text(text) if *kind == Type::TEXT => text.to_sql(kind, out),
            value => Err(format!("{value:?} is given for a {kind}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    postgres::types::to_sql_checked!();
}

/// A value, borrowed from its row.
struct Cell<'a>(Value<'a>);

impl<'a> FromSql<'a> for Cell<'a> {
    fn from_sql(
        kind: &Type,
        raw: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, raw)?),
            _ => Value::Text(<&str>::from_sql(kind, raw)?.into()),
        }))
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::FLOAT8, Type::TEXT].contains(kind)
    }
}

pub(super) fn value(row: &postgres::Row, column: usize) -> Result<Value<'_>> {
    let cell: Option<Cell<'_>> = row.try_get(column).map_err(|error| {
        let why = error.into_source().unwrap_or_else(|| "there is no such column".into());
        Error::Unreadable { column, why }
    })?;
    Ok(cell.map_or(Value::Null, |Cell(value)| value))
}

/// Connects to the server.
pub(super) fn connect(address: &Address) -> Result<Client> {
    if address.config.get_ssl_mode() == SslMode::Disable {
        return Ok(address.config.connect(postgres::NoTls)?);
    }
    let tls = tls(address).map_err(Error::NotSecure)?;
    Ok(address.config.connect(MakeRustlsConnect::new(tls))?)
}

fn tls(address: &Address) -> std::result::Result<ClientConfig, io::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let strict = match address.trust {
        Trust::Anybody => None,
        Trust::Known | Trust::Named => {
            let roots = Arc::new(roots(address)?);
            let built = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
            Some(built.build().map_err(io::Error::other)?)
        }
    };
    let verifier = Verifier { strict, trust: address.trust, provider: Arc::clone(&provider) };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    // The verifier leaves out only those checks that `sslmode` leaves out, as in libpq.
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_no_client_auth())
}

/// The trusted certificates.
fn roots(address: &Address) -> std::result::Result<RootCertStore, io::Error> {
    let mut roots = RootCertStore::empty();
    match &address.roots {
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
        Some(file) => {
            let unreadable =
                |error| io::Error::other(format!("cannot read `{}`: {error}", file.display()));
            for one in CertificateDer::pem_file_iter(file).map_err(unreadable)? {
                roots.add(one.map_err(unreadable)?).map_err(io::Error::other)?;
            }
        }
    }
    Ok(roots)
}

/// Verifies the server's certificate to the degree that [`Trust`] demands.
#[derive(Debug)]
struct Verifier {
    strict: Option<Arc<WebPkiServerVerifier>>,
    trust: Trust,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, TlsError> {
        let Some(strict) = &self.strict else { return Ok(ServerCertVerified::assertion()) };
        let verified =
            strict.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // The chain of trust is verified before the name.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.trust == Trust::Known => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The store error for an error from the server or the connection to it.
pub(crate) fn explain(place: Place, waited: Duration, error: postgres::Error) -> StoreError {
    let Some(code) = error.code().cloned() else { return without_code(place, error) };
    // The server's own message says more than the driver's, which only says that there was an
    // error.
    let source: Cause = match error.as_db_error() {
        Some(told) => told.message().to_owned().into(),
        None => error.into(),
    };
    if code == SqlState::INVALID_PASSWORD
        || code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION
        || code == SqlState::INVALID_CATALOG_NAME
    {
        return StoreError::NotLetIn { place, source };
    }
    if code == SqlState::DISK_FULL {
        return StoreError::Full { place, source };
    }
    if code == SqlState::LOCK_NOT_AVAILABLE || code == SqlState::T_R_DEADLOCK_DETECTED {
        return StoreError::Locked { place, waited };
    }
    if code == SqlState::READ_ONLY_SQL_TRANSACTION || code == SqlState::INSUFFICIENT_PRIVILEGE {
        return StoreError::ReadOnly { place };
    }
    match &code.code()[..2] {
        // The connection failed; too many connections; the server is starting or stopping.
        "08" | "53" | "57" => StoreError::Away { place, source },
        // A table, column or function is missing or has changed.
        "42" => StoreError::Damaged { place, source },
        _ => StoreError::Failed { place, source },
    }
}

fn without_code(place: Place, error: postgres::Error) -> StoreError {
    let told = error.to_string();
    let is_of_system = error.source().is_some_and(|source| source.is::<io::Error>());
    // The driver distinguishes its kinds of error only by these words.
    if told.contains("TLS") {
        return StoreError::NotSecure { place, source: error.into() };
    }
    if error.is_closed() || is_of_system || told.contains("connect") || told.contains("timeout") {
        return StoreError::Away { place, source: error.into() };
    }
    if told.contains("authentication") || told.contains("configuration") {
        return StoreError::NotLetIn { place, source: error.into() };
    }
    StoreError::Open { place, source: error.into() }
}
