//! Looking, between the command line and the store: the same for every verb that inspects.

use std::path::PathBuf;

use serde_json::Value;

use super::failure::Failure;
use super::laboratory::Asker;
use crate::cli::options::store::StoreOptions;
use crate::report::document::SCHEMA;
use crate::report::export::Exports;
use crate::report::inspection::{Found, Inspection};
use crate::store::NewInspection;
use crate::{archive, host};

/// An inspection that has begun.
pub(super) struct Inspecting {
    path: PathBuf,
    started_unix_ns: u64,
    machine: Value,
    conditions: Value,
}

impl Inspecting {
    /// Finds out, before anything is looked at, whether what is found can be kept.
    pub(super) fn begin(options: &StoreOptions) -> Result<Self, Failure> {
        let path = options.path().map_err(|error| archive::failure(&error))?;
        archive::open_for_writing(&path)?;
        Ok(Self {
            path,
            started_unix_ns: measure::clock::unix_time_ns(),
            machine: host::machine(),
            conditions: host::conditions(),
        })
    }

    /// What was found, with where and how.
    pub(super) fn found(&self, found: Found, all: bool) -> Inspection {
        Inspection {
            schema: SCHEMA.to_owned(),
            kind: found.kind(),
            machine: self.machine.clone(),
            conditions: self.conditions.clone(),
            all,
            found,
        }
    }

    /// Keeps what was found, and writes the files that are wanted.
    pub(super) fn keep(&self, inspection: &Inspection, exports: &Exports) -> Result<(), Failure> {
        let Asker { arguments, cwd } = Asker::new();
        let new = NewInspection {
            started_unix_ns: self.started_unix_ns,
            finished_unix_ns: measure::clock::unix_time_ns(),
            kind: inspection.kind,
            title: inspection.found.title(),
            project: cwd.clone(),
            arguments,
            cwd,
            brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
            machine: &self.machine,
            conditions: &self.conditions,
            answer: inspection.found.answer(),
            document: &inspection.json(),
        };
        let mut store = archive::open_for_writing(&self.path)?;
        let id = store.keep_inspection(&new).map_err(|error| archive::failure(&error))?;
        exports.write_inspection(inspection).map_err(|error| {
            Failure::from_error(&error)
                .hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
        })
    }
}
