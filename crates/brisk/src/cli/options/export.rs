//! The options that say where a report is written.

use std::path::PathBuf;

use clap::Args;

use crate::report::export::{Exports, Format};

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

    /// Write Go's benchmark text, a line for each run, for benchstat
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

    /// Add to a folder of results as asv keeps them (format version 2): those of `--asv-commit`, or
    /// of a history's commits
    #[arg(long, value_name = "DIR")]
    pub export_asv: Option<PathBuf>,

    /// The commit that was measured, of the repository here; for `--export-asv`
    #[arg(long, value_name = "REVISION", requires = "export_asv")]
    pub asv_commit: Option<String>,
}

impl ExportOptions {
    /// The files that are wanted.
    pub fn exports(&self) -> Exports {
        let named = [
            (Format::Json, &self.export_json),
            (Format::Csv, &self.export_csv),
            (Format::Markdown, &self.export_markdown),
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
