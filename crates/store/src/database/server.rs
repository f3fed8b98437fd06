//! Statements for PostgreSQL.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use postgres::fallible_iterator::FallibleIterator as _;
use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type};
use postgres::{Client, Statement};

use super::super::address::Address;
use super::{Error, Insert, Result, Row, Told, Value};

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
    let mut client = super::secure::connect(address)?;
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
