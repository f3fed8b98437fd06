//! Events that a server does not have yet: a file of JSON lines beside the experiment's journal.
//!
//! The first line names the holder of the experiment; each other line has an event and its number.

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use measure::plain_file;
use serde::{Deserialize, Serialize};

use super::{ExperimentId, StoreError};
use crate::record::Event;
use model::json;

/// The spool of an experiment; it may be empty.
#[derive(Debug)]
pub(super) struct Spool {
    path: PathBuf,
    /// Set if the file exists.
    has_events: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    owner: String,
}

/// The contents of a spool.
pub(super) struct Spooled {
    pub(super) owner: String,
    pub(super) events: Vec<(i64, Event<'static>)>,
}

impl Spool {
    pub(super) fn in_folder(folder: &Path, id: ExperimentId) -> Self {
        let path = folder.join(format!("{id}.spool"));
        let has_events = path.exists();
        Self { path, has_events }
    }

    pub(super) fn has_events(&self) -> bool {
        self.has_events
    }

    /// Appends an event; when this returns, the event outlives this process.
    pub(super) fn push(
        &mut self,
        owner: &str,
        number: i64,
        event: &Event<'_>,
    ) -> Result<(), StoreError> {
        let push = || {
            let mut options = OpenOptions::new();
            let options = options.append(true).create(true).mode(0o600);
            let mut file = plain_file::open(options, &self.path)?;
            let mut text = Vec::new();
            if !self.has_events {
                json::write(&mut text, &Header { owner: owner.to_owned() })?;
                text.push(b'\n');
            }
            json::write(&mut text, &Told { number, event })?;
            text.push(b'\n');
            file.write_all(&text)
        };
        push().map_err(|error| StoreError::of_journal(&self.path, error))?;
        self.has_events = true;
        Ok(())
    }

    /// The contents; a kill or a full disk may have torn the last line. `None` if there are none.
    pub(super) fn read(&self) -> Result<Option<Spooled>, StoreError> {
        let read = || {
            let file = plain_file::open(OpenOptions::new().read(true), &self.path)?;
            let mut lines = BufReader::new(file).lines();
            let Some(Header { owner }) = lines.next().transpose()?.as_deref().and_then(whole)
            else {
                return Ok(None);
            };
            let mut events = Vec::new();
            for line in lines {
                match whole::<Line>(&line?) {
                    Some(Line { number, event }) => events.push((number, event)),
                    None => break,
                }
            }
            Ok(Some(Spooled { owner, events }))
        };
        match read() {
            Err(error) if io::Error::kind(&error) == io::ErrorKind::NotFound => Ok(None),
            read => read.map_err(|error| StoreError::of_journal(&self.path, error)),
        }
    }

    /// Sets the contents aside in another file and starts afresh.
    pub(super) fn lay_aside(&mut self) {
        // A second one of the same experiment replaces the first: both belong to former holders.
        let _ = std::fs::rename(&self.path, self.path.with_extension("refused"));
        self.has_events = false;
    }

    /// Removes the file, once the store has its events.
    pub(super) fn remove(&mut self) {
        // Events in a file that remains are not stored twice.
        let _ = std::fs::remove_file(&self.path);
        self.has_events = false;
    }
}

#[derive(Serialize)]
struct Told<'a> {
    number: i64,
    event: &'a Event<'a>,
}

#[derive(Deserialize)]
struct Line {
    number: i64,
    event: Event<'static>,
}

fn whole<T: for<'de> Deserialize<'de>>(line: &str) -> Option<T> {
    json::read(line.as_bytes()).ok()
}
