//! Statements for SQLite.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement, ToSql};

use super::{Error, Insert, Result, Row, Told, Value};

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

pub(super) fn execute(
    connection: &Connection,
    statement: &str,
    values: &[Value<'_>],
) -> Result<usize> {
    give(&mut *connection.prepare_cached(statement)?, values)
}

fn give(statement: &mut Statement<'_>, values: &[Value<'_>]) -> Result<usize> {
    Ok(statement.execute(rusqlite::params_from_iter(values))?)
}

pub(super) fn each(
    connection: &Connection,
    statement: &str,
    values: &[Value<'_>],
    told: &mut Told<'_>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(statement)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        told(&Row::Sqlite(row))?;
    }
    Ok(())
}

pub(super) fn insert<'a, const N: usize>(
    connection: &Connection,
    into: &Insert<N>,
    rows: impl IntoIterator<Item = [Value<'a>; N]>,
) -> Result<()> {
    let Insert { table, columns } = into;
    let places: Vec<String> = (1..=N).map(|place| format!("?{place}")).collect();
    let (columns, places) = (columns.map(|(name, _)| name).join(", "), places.join(", "));
    let mut statement =
        connection.prepare_cached(&format!("INSERT INTO {table} ({columns}) VALUES ({places})"))?;
    rows.into_iter().try_for_each(|row| give(&mut statement, &row).map(drop))
}

pub(super) fn value<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> Result<Value<'a>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => {
            let text = str::from_utf8(text).map_err(|error| Error::unreadable(column, error))?;
            Value::Text(text.into())
        }
        ValueRef::Blob(_) => return Err(Error::unreadable(column, "it is a blob")),
    })
}
