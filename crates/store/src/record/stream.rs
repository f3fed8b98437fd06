//! The serialised form of records: a header line, then one event per line, as JSON.
//!
//! An experiment begins with [`Event::Begun`]; all events that follow belong to it, until the next
//! one begins. Where one experiment names another, it gives its index in the file, from 0.

use model::json;
use std::io::{self, BufRead, Read as _, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Event;

/// The version of the form.
pub const VERSION: u32 = 1;

/// The maximum length of a line, in bytes. Arbitrary: the commission of 2^20 commands of 200 bytes
/// each, or a memory curve of ten million samples.
const MOST_LINE_BYTES: u64 = 1 << 30;

/// The header line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    brisk_record: u32,
}

/// The start of the header line.
pub const MARK: &str = r#"{"brisk_record":"#;

/// The reason that a stream cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum StreamError {
    #[error("it cannot be read")]
    Io(#[from] io::Error),
    #[error("line {line} is not an event of an experiment")]
    Line { line: usize, source: serde_json::Error },
    #[error("written by version {found}; this brisk reads version {VERSION}")]
    Newer { found: u32 },
    #[error("line {line} has more than {} MiB", MOST_LINE_BYTES >> 20)]
    Long { line: usize },
}

/// Writes events.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
}

impl<W: Write> Writer<W> {
    /// Creates it and writes the header line.
    pub fn new(out: W) -> io::Result<Self> {
        let mut writer = Self { out };
        writer.line(&Header { brisk_record: VERSION })?;
        Ok(writer)
    }

    /// Writes an event.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.line(event)
    }

    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        json::write(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }
}

/// Reads events.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    line: usize,
    text: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header line.
    ///
    /// # Errors
    ///
    /// When it is not the header of a record, or that of another version.
    pub fn new(input: R) -> Result<Self, StreamError> {
        let mut reader = Self { input, line: 0, text: Vec::new() };
        match reader.next_line::<Header>()? {
            Some(Header { brisk_record: VERSION }) => Ok(reader),
            Some(Header { brisk_record: found }) => Err(StreamError::Newer { found }),
            None => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }

    /// The number of the line that was read last, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The next event; `None` at the end.
    pub fn event(&mut self) -> Result<Option<Event<'static>>, StreamError> {
        self.next_line()
    }

    fn next_line<T: DeserializeOwned>(&mut self) -> Result<Option<T>, StreamError> {
        self.text.clear();
        self.line += 1;
        let line = self.line;
        let read = (&mut self.input).take(MOST_LINE_BYTES).read_until(b'\n', &mut self.text)?;
        if read as u64 == MOST_LINE_BYTES {
            return Err(StreamError::Long { line });
        }
        if self.text.trim_ascii().is_empty() {
            return Ok(None);
        }
        let value = json::read(&self.text);
        value.map(Some).map_err(|source| StreamError::Line { line, source })
    }
}
