//! The meaning of a server's error.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use postgres::error::SqlState;

use super::super::error::{Cause, StoreError};
use super::super::place::Place;

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
