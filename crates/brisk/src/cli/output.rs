//! Where text goes: data to standard output, everything else to standard error, colours where
//! they are wanted.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::ValueEnum;
use page::Page;
use page::terminal::{self, Folds};

use super::exit::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::report;
use crate::report::document::Document;
use crate::report::inspection::Inspection;
use page::plain::{plain, plain_but_styles};

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorOption {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The two streams.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    choice: anstream::ColorChoice,
    folds: Folds,
    /// Whether standard output is for an export, so that reports go to standard error.
    gives_way: bool,
}

/// How wide a report is where there is no terminal to ask.
const DEFAULT_COLUMNS: usize = 100;

/// Reports do not grow wider than this.
const MOST_COLUMNS: usize = 120;

impl Output {
    /// The streams, with colours as wanted, and reports with all that is folded in them or without.
    pub fn new(color: ColorOption, is_verbose: bool) -> Self {
        let choice = match color {
            ColorOption::Auto => anstream::ColorChoice::Auto,
            ColorOption::Always => anstream::ColorChoice::Always,
            ColorOption::Never => anstream::ColorChoice::Never,
        };
        let folds = if is_verbose { Folds::Open } else { Folds::Closed };
        Self { choice, folds, gives_way: false }
    }

    /// The same streams, with standard output for an export alone.
    pub fn giving_way(self, gives_way: bool) -> Self {
        Self { gives_way, ..self }
    }

    /// Writes the report of an experiment.
    pub fn document(&self, document: &Document) -> Result<(), Failure> {
        self.page(&report::page(document))
    }

    /// Writes the report of an inspection.
    pub fn inspection(&self, inspection: &Inspection) -> Result<(), Failure> {
        let output = if inspection.all { self.unfolded() } else { *self };
        output.page(&inspection.page())
    }

    /// Writes data without styles, in which nothing is hidden: see [`plain`].
    pub fn data(&self, text: &str) -> Result<(), Failure> {
        self.bytes(plain(text).as_bytes())
    }

    /// Writes a report with its styles, and nothing else that is hidden.
    pub fn report(&self, text: &str) -> Result<(), Failure> {
        self.bytes(plain_but_styles(text).as_bytes())
    }

    /// Writes a page.
    pub fn page(&self, page: &Page) -> Result<(), Failure> {
        let render = match said_columns().or_else(terminal_columns) {
            Some(_) => terminal::render,
            None => terminal::render_whole,
        };
        self.report(&render(page, self.columns(), self.folds))
    }

    /// The same streams, for reports with all that is folded in them.
    pub fn unfolded(self) -> Self {
        Self { folds: Folds::Open, ..self }
    }

    /// Writes what is for another program. A reader that has enough and closes the pipe is no failure.
    pub fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        if self.gives_way {
            let mut out = anstream::AutoStream::new(io::stderr().lock(), self.choice);
            // Where standard error is gone, nobody can be told.
            let _ = out.write_all(bytes);
            return Ok(());
        }
        let mut out = anstream::AutoStream::new(io::stdout().lock(), self.choice);
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Failure::new("cannot write to standard output").caused_by(&error)),
            Ok(()) => Ok(()),
        }
    }

    /// Writes a message without styles, in which nothing is hidden.
    pub fn message(&self, text: &str) {
        self.styled_message(&plain(text));
    }

    /// Writes a message with its styles. Where standard error is gone, nobody can be told.
    pub fn styled_message(&self, text: &str) {
        let mut out = anstream::AutoStream::new(io::stderr().lock(), self.choice);
        let _ = out.write_all(plain_but_styles(text).as_bytes());
    }

    /// Tells a failure, and says how to exit.
    pub fn failure(&self, failure: &Failure) -> ExitCode {
        self.styled_message(&failure.text());
        match failure.kind() {
            FailureKind::Trouble | FailureKind::Passing => ExitCode::Trouble,
            FailureKind::Held => ExitCode::Held,
            FailureKind::Detached => ExitCode::Fine,
        }
    }

    /// How many columns a report may have.
    pub fn columns(&self) -> usize {
        let columns = said_columns().or_else(terminal_columns).unwrap_or(DEFAULT_COLUMNS);
        columns.clamp(40, MOST_COLUMNS)
    }
}

/// How wide the report is to be, where that is said.
fn said_columns() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok())
}

/// How wide the terminal is that the report goes to; none where it goes elsewhere.
fn terminal_columns() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Tells what is worth knowing before something begins, on standard error.
pub(super) fn note(text: &str) {
    // Where standard error is gone, nobody can be told.
    let _ = writeln!(io::stderr().lock(), "note: {text}");
}
/// Tells what the argument parser has to say: help and version on standard output, mistakes on
/// standard error.
pub(super) fn report_usage(error: &clap::Error) -> ExitCode {
    let is_plain = |word: OsString| word.to_str().is_some_and(|word| *plain(word) == *word);
    if std::env::args_os().all(is_plain) {
        // Where the stream is gone, nobody can be told.
        let _ = error.print();
    } else {
        Output::new(ColorOption::Never, false).message(&error.render().to_string());
    }
    if error.use_stderr() { ExitCode::Trouble } else { ExitCode::Fine }
}
