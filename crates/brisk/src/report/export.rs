//! The files a report is written to.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::document::Document;
use super::json::Runs;
use super::{csv, graph, history, hyperfine, json, markdown};
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

    /// Draw the metrics of a history over its commits, as SVG
    #[arg(long, value_name = "FILE")]
    pub export_svg: Option<PathBuf>,

    /// Draw the metrics of a history over its commits, as PNG
    #[arg(long, value_name = "FILE")]
    pub export_png: Option<PathBuf>,
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

/// What a graph of something that has no commits would be.
const NO_HISTORY: &str = "only a history has commits to draw a graph over";

fn svg(document: &Document, _: &mut Runs<'_>, out: &mut dyn Write) -> io::Result<()> {
    let drawn = draw(document, graph::svg)?;
    out.write_all(drawn.as_bytes())
}

fn png(document: &Document, _: &mut Runs<'_>, out: &mut dyn Write) -> io::Result<()> {
    let drawn = draw(document, graph::png)?;
    out.write_all(&drawn)
}

fn draw<T>(
    document: &Document,
    draw: impl Fn(&graph::Graph) -> Result<T, graph::GraphError>,
) -> io::Result<T> {
    if document.history.is_none() {
        return Err(io::Error::other(NO_HISTORY));
    }
    draw(&history::graph::graph(document)).map_err(io::Error::other)
}

impl ExportOptions {
    fn wanted(&self) -> impl Iterator<Item = (&Path, Writer)> {
        let csv: Writer = |document, _, out| match document.history {
            Some(_) => history::csv::write(document, out).map_err(io::Error::other),
            None => csv::write(document, out).map_err(io::Error::other),
        };
        let markdown: Writer = |document, _, out| match document.history {
            Some(_) => out.write_all(history::markdown::render(document).as_bytes()),
            None => out.write_all(markdown::render(document).as_bytes()),
        };
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
    }

    /// Whether any file is wanted.
    pub fn is_empty(&self) -> bool {
        self.wanted().next().is_none()
    }

    /// Finds out, before anything is measured, whether every file can be written; a graph only where
    /// there are commits. What is in them stays.
    ///
    /// # Errors
    ///
    /// When one cannot.
    pub fn check(&self, has_commits: bool) -> Result<(), ExportError> {
        let graphs = [&self.export_svg, &self.export_png];
        if let Some(path) = graphs.into_iter().flatten().next().filter(|_| !has_commits) {
            let source = io::Error::other(NO_HISTORY);
            return Err(ExportError { path: path.clone(), source });
        }
        for (path, _) in self.wanted() {
            writable::check(path)
                .map_err(|source| ExportError { path: path.to_owned(), source })?;
        }
        Ok(())
    }

    /// Writes every file. `runs` is asked for the runs as often as formats need them.
    ///
    /// # Errors
    ///
    /// When one cannot be written; those before it are.
    pub fn write(&self, document: &Document, runs: &mut Runs<'_>) -> Result<(), ExportError> {
        for (path, writer) in self.wanted() {
            let cannot = |source| ExportError { path: path.to_owned(), source };
            let mut out = BufWriter::new(File::create(path).map_err(cannot)?);
            writer(document, runs, &mut out).and_then(|()| out.flush()).map_err(cannot)?;
        }
        Ok(())
    }
}
