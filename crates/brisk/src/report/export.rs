//! The files a report is written to.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use draw::{Chart, Scene};

use super::document::Document;
use super::exchange::ExchangeOptions;
use super::inspection::Inspection;
use super::json::Runs;
use super::{as_markdown, csv, history, hyperfine, json, memory, sweep};
use crate::commission::Kind;
use crate::spec::writable;

/// The options that say where to export to.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where it is written")]
pub struct ExportOptions {
    /// Write everything, with every run, as JSON (schema brisk/1)
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,

    /// Write a line for each command and metric as CSV; of a history, a line for each commit
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,

    /// Write the answer and a table as Markdown; of a history, a sentence for each step
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,

    /// Write JSON as hyperfine 1.x does, for scripts made for it
    #[arg(long, value_name = "FILE")]
    pub export_hyperfine: Option<PathBuf>,

    /// Draw as SVG: a history over its commits, a sweep over its parameters, memory over time
    #[arg(long, value_name = "FILE")]
    pub export_svg: Option<PathBuf>,

    /// Draw as PNG: a history over its commits, a sweep over its parameters, memory over time
    #[arg(long, value_name = "FILE")]
    pub export_png: Option<PathBuf>,

    /// The files of other programs.
    #[command(flatten)]
    pub exchange: ExchangeOptions,
}

/// A file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`", path.display())]
pub struct ExportError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: io::Error,
}

type Writer = fn(&Document, &mut Runs<'_>, &mut dyn Write) -> io::Result<()>;

/// Why there is no picture of other experiments.
const NO_PICTURE: &str = "only a history, a sweep and memory over time have a picture";

/// Why an inspection is written in words only.
const NO_FIGURES: &str = "what `explain` and `doctor` find is written as JSON and Markdown only";

/// Whether there is anything to draw.
pub fn has_picture(document: &Document) -> bool {
    picture(document).is_some()
}

fn picture(document: &Document) -> Option<Chart> {
    if document.kind() == Kind::History {
        return Some(history::graph::graph(document));
    }
    let sampled = document.memory_over_time.is_some();
    sweep::chart::chart(document).or_else(|| sampled.then(|| memory::graph::graph(document)))
}

fn scene(document: &Document) -> io::Result<Scene> {
    let chart = picture(document).ok_or_else(|| io::Error::other(NO_PICTURE))?;
    chart.scene().map_err(io::Error::other)
}

fn svg(document: &Document, _: &mut Runs<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(scene(document)?.svg().as_bytes())
}

fn png(document: &Document, _: &mut Runs<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&scene(document)?.png().map_err(io::Error::other)?)
}

impl ExportOptions {
    fn wanted(&self) -> impl Iterator<Item = (&Path, Writer)> {
        let csv: Writer = |document, _, out| match document.kind() {
            Kind::History => history::csv::write(document, out).map_err(io::Error::other),
            _ => csv::write(document, out).map_err(io::Error::other),
        };
        let markdown: Writer = |document, _, out| out.write_all(as_markdown(document).as_bytes());
        [
            (&self.export_json, json::write as Writer),
            (&self.export_csv, csv),
            (&self.export_markdown, markdown),
            (&self.export_hyperfine, hyperfine::write as Writer),
            (&self.export_svg, svg),
            (&self.export_png, png),
        ]
        .into_iter()
        .filter_map(|(path, writer)| Some((path.as_deref()?, writer)))
        .chain(self.exchange.wanted())
    }

    /// Whether any file is wanted.
    pub fn is_empty(&self) -> bool {
        self.wanted().next().is_none() && self.exchange.export_asv.is_none()
    }

    /// Finds out, before anything is measured, whether every file can be written; a picture only
    /// where there is one. What is in them stays.
    ///
    /// # Errors
    ///
    /// When one cannot.
    pub fn check(&self, has_picture: bool) -> Result<(), ExportError> {
        let pictures = [&self.export_svg, &self.export_png];
        if let Some(path) = pictures.into_iter().flatten().next().filter(|_| !has_picture) {
            let source = io::Error::other(NO_PICTURE);
            return Err(ExportError { path: path.clone(), source });
        }
        self.exchange.check_commit()?;
        self.check_files()
    }

    /// The same for a history, which some formats have no place for.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn check_of_history(&self) -> Result<(), ExportError> {
        self.exchange.refuse_files_of_history()?;
        self.check_files()
    }

    /// The same for an inspection, which is words and no table of commands.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn check_of_inspection(&self) -> Result<(), ExportError> {
        let told = [self.export_json.as_deref(), self.export_markdown.as_deref()];
        let others = self.wanted().map(|(path, _)| path).chain(self.exchange.export_asv.as_deref());
        match others.into_iter().find(|path| !told.contains(&Some(path))) {
            Some(path) => {
                let source = io::Error::other(NO_FIGURES);
                Err(ExportError { path: path.to_owned(), source })
            }
            None => self.check_files(),
        }
    }

    /// Writes every file of an inspection, each as a whole or not at all.
    ///
    /// # Errors
    ///
    /// When one cannot be written; those before it are.
    pub fn write_inspection(&self, inspection: &Inspection) -> Result<(), ExportError> {
        let write = |path: &Option<PathBuf>, text: fn(&Inspection) -> String| match path {
            Some(path) => writable::write_text(path, &text(inspection))
                .map_err(|source| ExportError { path: path.clone(), source }),
            None => Ok(()),
        };
        write(&self.export_json, Inspection::json)?;
        write(&self.export_markdown, Inspection::as_markdown)
    }

    fn check_files(&self) -> Result<(), ExportError> {
        writable::check_all(self.wanted().map(|(path, _)| path))
            .map_err(|(path, source)| ExportError { path: path.to_owned(), source })?;
        self.exchange.check_asv()
    }

    /// Writes every file, each as a whole or not at all. `runs` is asked for the runs as often as formats need them.
    ///
    /// # Errors
    ///
    /// When one cannot be written; those before it are.
    pub fn write(&self, document: &Document, runs: &mut Runs<'_>) -> Result<(), ExportError> {
        for (path, writer) in self.wanted() {
            writable::write(path, |out| writer(document, runs, out))
                .map_err(|source| ExportError { path: path.to_owned(), source })?;
        }
        self.exchange.write_asv(document, runs)
    }
}
