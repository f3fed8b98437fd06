//! The options for writing reports.

use std::path::PathBuf;

use clap::Args;

use report::export::{Exports, Format};

/// The options that say where to export to.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where reports are written")]
pub struct ExportOptions {
    /// Write everything, with every run, as JSON
    ///
    /// The schema is brisk/1. In the place of any FILE, `-` is standard output; the report goes to
    /// standard error then.
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,

    /// Write a table as CSV
    ///
    /// It has a line for each command and metric, or for each commit of a history.
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,

    /// Write the answer and a table as Markdown
    ///
    /// For a history, it has a sentence for each step.
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,

    /// Write a page for a browser
    ///
    /// Every run is in its pictures, and the file needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub export_html: Option<PathBuf>,

    /// Write JSON in the format of hyperfine 1.x, for scripts that read it
    #[arg(long, value_name = "FILE")]
    pub export_hyperfine: Option<PathBuf>,

    /// Draw a picture of what was measured, as SVG
    #[arg(long, value_name = "FILE")]
    pub export_svg: Option<PathBuf>,

    /// Draw a picture of what was measured, as PNG
    #[arg(long, value_name = "FILE")]
    pub export_png: Option<PathBuf>,

    /// Write Go's benchmark text, for benchstat
    ///
    /// It has a line for each run.
    #[arg(long, value_name = "FILE")]
    pub export_go: Option<PathBuf>,

    /// Write CSV as tasty-bench does, for its `--baseline`
    #[arg(long, value_name = "FILE")]
    pub export_tasty_bench: Option<PathBuf>,

    /// Write JSON for github-action-benchmark's `customSmallerIsBetter`
    #[arg(long, value_name = "FILE")]
    pub export_github_action: Option<PathBuf>,

    /// Write Bencher's metric format (BMF), JSON
    #[arg(long, value_name = "FILE")]
    pub export_bencher: Option<PathBuf>,

    /// Add the results to an asv results folder (format version 2), under `--asv-commit` or under
    /// the commits of a history
    #[arg(long, value_name = "DIR")]
    pub export_asv: Option<PathBuf>,

    /// The measured commit, in the repository of the current folder; for `--export-asv`
    #[arg(long, value_name = "REVISION", requires = "export_asv")]
    pub asv_commit: Option<String>,
}

impl ExportOptions {
    /// The requested files.
    pub fn exports(&self) -> Exports {
        let named = [
            (Format::Json, &self.export_json),
            (Format::Csv, &self.export_csv),
            (Format::Markdown, &self.export_markdown),
            (Format::Html, &self.export_html),
            (Format::Hyperfine, &self.export_hyperfine),
            (Format::Svg, &self.export_svg),
            (Format::Png, &self.export_png),
            (Format::Go, &self.export_go),
            (Format::TastyBench, &self.export_tasty_bench),
            (Format::GithubAction, &self.export_github_action),
            (Format::Bencher, &self.export_bencher),
            (Format::Asv, &self.export_asv),
        ];
        let files = named.into_iter().filter_map(|(format, path)| Some((format, path.clone()?)));
        Exports { files: files.collect(), asv_commit: self.asv_commit.clone() }
    }
}
