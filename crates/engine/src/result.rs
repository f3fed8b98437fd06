//! The result of an attempt: how it ended, and the record of the experiment.

use std::io::{BufRead, BufReader, Read, Write};

use serde::{Deserialize, Serialize};

use super::folder::node;
use model::failure::{Failing, Failure};
use model::json;

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
///
/// # Errors
///
/// When it cannot be written.
pub fn write(out: &mut impl Write, header: &Header) -> Result<(), Failure> {
    json::write(out, header).and_then(|()| out.write_all(b"\n")).failing("cannot write the result")
}

/// Reads the first line, and returns the rest of the input if it holds a record.
///
/// # Errors
///
/// When it cannot be read.
pub fn read<R: Read>(input: R) -> Result<(Header, Option<BufReader<R>>), Failure> {
    let failure = || Failure::new("cannot read the result of the task");
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line).map_err(|error| failure().caused_by(&error))?;
    let header = json::read(&line).map_err(|error| failure().caused_by(&error))?;
    let has_record = !input.fill_buf().map_err(|error| failure().caused_by(&error))?.is_empty();
    Ok((header, has_record.then_some(input)))
}
