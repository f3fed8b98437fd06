//! One execution of a task, and its result: how it ended, and the record of the experiment.
//!
//! An attempt writes its files into the task's folder, on the machine that measures; the one that
//! commissioned the task reads the result.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use measure::clock::unix_time_ns;
use model::failure::{Failing, Failure};
use model::json;
use serde::{Deserialize, Serialize};

use crate::folder::{Task, TaskProgress, log, node, result_name, unusable};

/// One execution of a task, on the machine that measures.
#[derive(Debug)]
pub struct Attempt {
    folder: PathBuf,
    name: String,
    stamp: u64,
}

/// The time and place at which an attempt began.
#[derive(Debug, Serialize)]
struct Start<'a> {
    node: &'a str,
    pid: u32,
    unix_ns: u64,
    brisk: &'static str,
}

impl Attempt {
    /// Begins an attempt; `None` if the task already has a result.
    pub fn begin(folder: &Path, task: &Task) -> io::Result<Option<Self>> {
        if folder.join(result_name(task.stamp)).exists() {
            return Ok(None);
        }
        let (node, pid, unix_ns) = (node(), std::process::id(), unix_time_ns());
        let name = format!("{node}-{pid}-{unix_ns:x}");
        let attempt = Self { folder: folder.to_owned(), name, stamp: task.stamp };
        let start = Start { node: &node, pid, unix_ns, brisk: env!("CARGO_PKG_VERSION") };
        attempt.put("start", json::text(&start).as_bytes())?;
        attempt.log("begins");
        Ok(Some(attempt))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn path(&self, kind: &str) -> PathBuf {
        self.folder.join(format!("{kind}.{}", self.name))
    }

    /// Writes a file as a whole.
    fn put(&self, kind: &str, bytes: &[u8]) -> io::Result<()> {
        let unseen = self.folder.join(format!(".{kind}.{}", self.name));
        fs::write(&unseen, bytes)?;
        fs::rename(&unseen, self.path(kind))
    }

    /// Publishes the progress. If that fails, the result may still be written.
    pub fn tell(&self, progress: &TaskProgress) {
        let _ = self.put("progress", json::text(progress).as_bytes());
    }

    /// Logs an event.
    pub fn log(&self, what: &str) {
        log(&self.folder, &format!("{}: {what}", self.name));
    }

    /// Records the reason that the attempt did not finish.
    pub fn leave(&self, trouble: &Failure) {
        let _ = self.put("trouble", trouble.to_string().as_bytes());
        self.log(&format!("ends without a result: {}", trouble.error()));
    }

    /// Publishes the output of `write` if no other attempt finished earlier; returns true if so.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or the task is gone.
    pub fn publish(
        &self,
        write: impl FnOnce(&mut io::BufWriter<File>) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let path = self.path("attempt");
        let failed = |error: io::Error| unusable(&self.folder, &error);
        let mut file = io::BufWriter::new(File::create_new(&path).map_err(failed)?);
        write(&mut file)?;
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        let linked = fs::hard_link(&path, self.folder.join(result_name(self.stamp)));
        let is_first = match linked {
            Ok(()) => true,
            // A server that answers twice reports the link it has just made as existing.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::metadata(&path).is_ok_and(|found| found.nlink() > 1)
            }
            Err(error) => return Err(failed(error)),
        };
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        self.log(if is_first { "finished first" } else { "finished, but not first" });
        Ok(is_first)
    }
}

/// The first line of a result; the record follows if there was an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The name of the attempt.
    pub attempt: String,
    /// The name of its machine.
    pub node: String,
    /// The failure, if any; a failing program is a result as well.
    pub failure: Option<Failure>,
}

impl Header {
    /// The header of a result that says that this machine cannot measure the task.
    pub fn cannot_measure(attempt: String, failure: Failure) -> Self {
        let node = node();
        let failure = failure.within(&format!("cannot measure on {node}"));
        Self { attempt, node, failure: Some(failure) }
    }
}

/// Writes the first line.
pub fn write_header(out: &mut impl Write, header: &Header) -> Result<(), Failure> {
    json::write(out, header).and_then(|()| out.write_all(b"\n")).failing("cannot write the result")
}

/// Reads the first line, and returns the rest of the input if it holds a record.
pub fn read_result<R: Read>(input: R) -> Result<(Header, Option<BufReader<R>>), Failure> {
    let failure = || Failure::new("cannot read the result of the task");
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line).map_err(|error| failure().caused_by(&error))?;
    let header = json::read(&line).map_err(|error| failure().caused_by(&error))?;
    let has_record = !input.fill_buf().map_err(|error| failure().caused_by(&error))?.is_empty();
    Ok((header, has_record.then_some(input)))
}
