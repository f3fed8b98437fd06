//! Inspections, between the command line and the store: shared by all verbs that inspect.

use super::laboratory::asker;
use ::laboratory::archive;
use ::laboratory::question::Asker;
use configuration::StoreOptions;
use findings::SCHEMA;
use findings::inspection::{Found, Inspection};
use model::failure::Failure;
use model::host;
use model::host::Circumstances;
use report::export::Exports;
use store::Place;
use store::record::Inspected;

/// An inspection that has begun.
pub(super) struct Inspecting {
    place: Place,
    circumstances: Circumstances,
}

impl Inspecting {
    /// Checks, before the inspection, that its findings can be stored.
    pub(super) fn begin(options: &StoreOptions) -> Result<Self, Failure> {
        let place = options.place()?;
        archive::open_for_writing(&place)?;
        Ok(Self { place, circumstances: host::circumstances() })
    }

    /// The findings, with the machine and its conditions.
    pub(super) fn found(&self, found: Found, all: bool) -> Inspection {
        Inspection {
            schema: SCHEMA.to_owned(),
            kind: found.kind(),
            machine: self.circumstances.machine.clone(),
            conditions: self.circumstances.conditions.clone(),
            all,
            found,
        }
    }

    /// Stores the findings, and writes the requested files.
    pub(super) fn keep(&self, inspection: &Inspection, exports: &Exports) -> Result<(), Failure> {
        let Asker { arguments, cwd } = asker();
        let inspected = Inspected {
            title: report::inspection::title(&inspection.found),
            project: cwd.clone(),
            arguments,
            cwd,
            circumstances: self.circumstances.clone(),
            finished_unix_ns: measure::clock::unix_time_ns(),
            inspection: inspection.clone(),
        };
        let mut store = archive::open_for_writing(&self.place)?;
        let id = archive::keep_inspection(&mut store, &inspected)?;
        exports.write_inspection(inspection).map_err(|error| {
            Failure::from_error(&error)
                .hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
        })
    }
}
