//! Output: data goes to standard output, everything else to standard error, coloured if wanted.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use findings::Document;
use findings::brief::{Brief, meaning};
use findings::inspection::Inspection;
use model::failure::{Failure, FailureKind};
use page::Page;
use page::plain::{plain, plain_but_styles};
use page::terminal::{self, Folds};
use report;

use super::ExitCode;

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
#[derive(Debug, Clone)]
pub struct Output {
    choice: anstream::ColorChoice,
    folds: Folds,
    /// Set if standard output is used by an export, so that reports go to standard error.
    gives_way: bool,
    /// The answer so far, if it is printed as one line of JSON in place of reports.
    brief: Option<Rc<RefCell<Option<Brief>>>>,
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const LABEL: Style = Style::new().bold();

/// A failure with terminal styles, in which nothing is hidden.
pub fn styled(failure: &Failure) -> String {
    let text = failure.to_string();
    let text = plain(&text);
    let labels = [("error:", ERROR), ("  cause:", LABEL), ("hint:", LABEL)];
    let line = |line: &str| {
        let label = labels.iter().find(|(label, _)| line.starts_with(label));
        label.map_or_else(
            || format!("{line}\n"),
            |(label, style)| {
                let indent = label.len() - label.trim_start().len();
                let (indent, word, rest) =
                    (&line[..indent], &line[indent..label.len()], &line[label.len()..]);
                format!("{indent}{style}{word}{style:#}{rest}\n")
            },
        )
    };
    text.lines().map(line).collect()
}

/// The width of a report, in columns, if neither `COLUMNS` nor a terminal sets one.
const DEFAULT_COLUMNS: usize = 100;

/// The maximum width of a report, in columns.
const MOST_COLUMNS: usize = 120;

impl Output {
    /// The streams, with colours as requested; `is_verbose` opens all folded parts of reports.
    pub fn new(color: ColorOption, is_verbose: bool) -> Self {
        let choice = match color {
            ColorOption::Auto => anstream::ColorChoice::Auto,
            ColorOption::Always => anstream::ColorChoice::Always,
            ColorOption::Never => anstream::ColorChoice::Never,
        };
        let folds = if is_verbose { Folds::Open } else { Folds::Closed };
        Self { choice, folds, gives_way: false, brief: None }
    }

    /// The same streams; if `is_brief`, the answer is printed as one line of JSON, and reports are
    /// not.
    pub fn in_one_line(self, is_brief: bool) -> Self {
        Self { brief: is_brief.then(Rc::default), ..self }
    }

    /// True if the answer is printed as one line of JSON.
    pub fn is_brief(&self) -> bool {
        self.brief.is_some()
    }

    /// Sets the answer of the line.
    pub fn answer(&self, answer: Brief) {
        if let Some(brief) = &self.brief {
            *brief.borrow_mut() = Some(answer);
        }
    }

    /// Prints the line at the end of a verb, which ended with this exit status or failed.
    pub fn finish(&self, verb: &str, exit: u8, failure: Option<&Failure>) -> Result<(), Failure> {
        let Some(brief) = &self.brief else { return Ok(()) };
        let known = brief.borrow_mut().take();
        let mut brief = match (known, failure) {
            (Some(known), None) => known,
            (_, Some(failure)) => {
                let mut failed = Brief::new(verb, "trouble", exit, meaning(exit));
                let causes = failure.causes().iter().map(String::as_str);
                failed.reasons =
                    std::iter::once(failure.error()).chain(causes).map(Into::into).collect();
                failed.next = failure.clone().take_hint().unwrap_or_default();
                failed
            }
            (None, None) => Brief::new(verb, "done", exit, meaning(exit)),
        };
        if brief.verb != "try" {
            (brief.verb, brief.exit) = (verb.to_owned(), exit);
            brief.meaning = meaning(exit).to_owned();
        }
        self.brief(&brief)
    }

    /// The same streams; if `gives_way` is set, standard output is reserved for an export.
    pub fn giving_way(self, gives_way: bool) -> Self {
        Self { gives_way, ..self }
    }

    /// Writes the report of an experiment.
    pub fn document(&self, document: &Document) -> Result<(), Failure> {
        if self.is_brief() {
            self.answer(Brief::from_document("", document, 0));
            return Ok(());
        }
        self.page(&report::page(document))
    }

    /// Writes the report of an inspection.
    pub fn inspection(&self, inspection: &Inspection) -> Result<(), Failure> {
        let output = if inspection.all { self.clone().unfolded() } else { self.clone() };
        output.page(&report::inspection::page(inspection))
    }

    /// Writes data without styles and without hidden characters: see [`plain`].
    pub fn data(&self, text: &str) -> Result<(), Failure> {
        self.bytes(plain(text).as_bytes())
    }

    /// Writes a report with its styles, but without other hidden characters.
    pub fn report(&self, text: &str) -> Result<(), Failure> {
        self.bytes(plain_but_styles(text).as_bytes())
    }

    /// Writes an answer as one line of JSON.
    pub fn brief(&self, brief: &Brief) -> Result<(), Failure> {
        let line = serde_json::to_string(brief);
        let line = line.map_err(|error| Failure::new("cannot write JSON").caused_by(&error))?;
        self.bytes(format!("{line}\n").as_bytes())
    }

    /// Writes a page.
    pub fn page(&self, page: &Page) -> Result<(), Failure> {
        if self.is_brief() {
            return Ok(());
        }
        let render = match said_columns().or_else(terminal_columns) {
            Some(_) => terminal::render,
            None => terminal::render_whole,
        };
        self.report(&render(page, self.columns(), self.folds))
    }

    /// The same streams, for reports with all folded parts open.
    pub fn unfolded(self) -> Self {
        Self { folds: Folds::Open, ..self }
    }

    /// Writes data for another program. A reader that closes the pipe early is not an error.
    pub fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        if self.gives_way {
            let mut out = anstream::AutoStream::new(io::stderr().lock(), self.choice);
            // Without standard error there is no place to report errors.
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

    /// Writes a message without styles and without hidden characters.
    pub fn message(&self, text: &str) {
        self.styled_message(&plain(text));
    }

    /// Writes a message with its styles. Without standard error there is no place to report errors.
    pub fn styled_message(&self, text: &str) {
        let mut out = anstream::AutoStream::new(io::stderr().lock(), self.choice);
        let _ = out.write_all(plain_but_styles(text).as_bytes());
    }

    /// Reports a failure, and returns the exit code.
    pub fn failure(&self, failure: &Failure) -> ExitCode {
        self.styled_message(&styled(failure));
        match failure.kind() {
            FailureKind::Trouble | FailureKind::Passing => ExitCode::Trouble,
            FailureKind::Held => ExitCode::Held,
            FailureKind::Detached => ExitCode::Fine,
        }
    }

    /// The width of a report, in columns.
    pub fn columns(&self) -> usize {
        let columns = said_columns().or_else(terminal_columns).unwrap_or(DEFAULT_COLUMNS);
        columns.clamp(40, MOST_COLUMNS)
    }
}

/// The report width set by `COLUMNS`, if any.
fn said_columns() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok())
}

/// The width of the terminal that the report goes to. None if it goes elsewhere.
fn terminal_columns() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

pub(super) fn note(text: &str) {
    // Without standard error there is no place to report errors.
    let _ = writeln!(io::stderr().lock(), "note: {text}");
}
/// Prints the argument parser's output: help and version on standard output, mistakes on standard
/// error.
pub(super) fn report_usage(error: &clap::Error) -> ExitCode {
    let is_plain = |word: OsString| word.to_str().is_some_and(|word| *plain(word) == *word);
    if std::env::args_os().all(is_plain) {
        // Without the stream there is no place to report errors.
        let _ = error.print();
    } else {
        Output::new(ColorOption::Never, false).message(&error.render().to_string());
    }
    if error.use_stderr() { ExitCode::Trouble } else { ExitCode::Fine }
}

pub(super) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}
