//! Values: the parameters of statements and the cells of rows.

use std::borrow::Cow;

use super::Error;

/// A value as both databases store it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
}

/// The values of a statement, in the order of its placeholders.
macro_rules! values {
    ($($value:expr),* $(,)?) => { [$(crate::database::Value::from($value)),*] };
}
pub(crate) use values;

/// A row, borrowed from the driver.
#[derive(Debug)]
pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    #[cfg(feature = "postgres")]
    Server(&'a postgres::Row),
}

impl Row<'_> {
    /// The value in a column, from 0.
    pub(crate) fn get<'a, T: TryFrom<Value<'a>, Error = &'static str>>(
        &'a self,
        column: usize,
    ) -> super::Result<T> {
        T::try_from(self.value(column)?).map_err(|why| Error::unreadable(column, why))
    }

    /// The text in a column.
    pub(crate) fn text(&self, column: usize) -> super::Result<&str> {
        self.optional_text(column)?.ok_or_else(|| Error::unreadable(column, "it is null"))
    }

    /// The text in a column that may be null.
    pub(crate) fn optional_text(&self, column: usize) -> super::Result<Option<&str>> {
        match self.value(column)? {
            Value::Null => Ok(None),
            // A row lends its text.
            Value::Text(Cow::Borrowed(text)) => Ok(Some(text)),
            _ => Err(Error::unreadable(column, NO_TEXT)),
        }
    }

    fn value(&self, column: usize) -> super::Result<Value<'_>> {
        match self {
            Row::Sqlite(row) => super::sqlite_value(row, column),
            #[cfg(feature = "postgres")]
            Row::Server(row) => super::server::value(row, column),
        }
    }
}

const NO_TEXT: &str = "it is not text";
const NO_INTEGER: &str = "it is not a whole number";
const OUT_OF_RANGE: &str = "the number is out of range";

impl TryFrom<Value<'_>> for i64 {
    type Error = &'static str;

    fn try_from(value: Value<'_>) -> Result<Self, &'static str> {
        match value {
            Value::Integer(number) => Ok(number),
            _ => Err(NO_INTEGER),
        }
    }
}

/// Smaller integers are stored as `i64`.
macro_rules! integers {
    ($($type:ty),*) => { $(
        impl TryFrom<Value<'_>> for $type {
            type Error = &'static str;

            fn try_from(value: Value<'_>) -> Result<Self, &'static str> {
                <$type>::try_from(i64::try_from(value)?).map_err(|_| OUT_OF_RANGE)
            }
        }
    )* };
}
integers!(u32, i32, u64);

impl TryFrom<Value<'_>> for bool {
    type Error = &'static str;

    fn try_from(value: Value<'_>) -> Result<Self, &'static str> {
        Ok(i64::try_from(value)? != 0)
    }
}

impl TryFrom<Value<'_>> for f64 {
    type Error = &'static str;

    fn try_from(value: Value<'_>) -> Result<Self, &'static str> {
        match value {
            Value::Real(number) => Ok(number),
            Value::Integer(number) => Ok(number as f64),
            _ => Err("it is not a number"),
        }
    }
}

impl TryFrom<Value<'_>> for String {
    type Error = &'static str;

    fn try_from(value: Value<'_>) -> Result<Self, &'static str> {
        match value {
            Value::Text(text) => Ok(text.into_owned()),
            _ => Err(NO_TEXT),
        }
    }
}

/// A column that may be null.
macro_rules! optional {
    ($($type:ty),*) => { $(
        impl TryFrom<Value<'_>> for Option<$type> {
            type Error = &'static str;

            fn try_from(value: Value<'_>) -> Result<Self, &'static str> {
                match value {
                    Value::Null => Ok(None),
                    value => <$type>::try_from(value).map(Some),
                }
            }
        }
    )* };
}
optional!(i64, i32, u64, f64, String);

/// Types that are stored as an integer.
macro_rules! from_integers {
    ($($type:ty),*) => { $(
        impl From<$type> for Value<'_> {
            fn from(number: $type) -> Self {
                Self::Integer(number.into())
            }
        }
    )* };
}
from_integers!(i64, u32, i32, bool);

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Times and counts: nanoseconds fit until the year 2262.
impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}
