//! The files a report is written to, and the formats that can hold each kind of report.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use draw::Scene;

use super::Report;
use super::exchange::{self, asv, go};
use super::inspection;
use super::json::Runs;
use super::{as_markdown, csv};
use super::{html, hyperfine, json, pictures};
use findings::Document;
use findings::inspection::Inspection;
use model::commission::Kind;
use model::spec::writable;
use prepare::written;

/// A format in which a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Everything, including each run (schema brisk/1).
    Json,
    /// A line for each variant and metric; of a history, for each commit.
    Csv,
    /// The answer and tables.
    Markdown,
    /// A self-contained page for a browser.
    Html,
    /// JSON as hyperfine 1.x writes it.
    Hyperfine,
    /// A picture.
    Svg,
    /// The same picture in pixels.
    Png,
    /// Go's benchmark text.
    Go,
    /// CSV as tasty-bench writes it.
    TastyBench,
    /// JSON for github-action-benchmark.
    GithubAction,
    /// Bencher's metric format.
    Bencher,
    /// A folder of results of asv.
    Asv,
}

/// The content of a report, as far as it decides which formats can hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Commands or benchmarks side by side.
    Comparison,
    /// The commits of a range.
    History,
    /// A series of figures measured by others.
    Series,
    /// The points of a sweep.
    Sweep,
    /// The results of an inspection: words, without a table of variants.
    Inspection,
}

impl From<Kind> for Shown {
    /// The content of reports of a kind. An imported series is that of a history.
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Compare | Kind::Bench | Kind::Check => Self::Comparison,
            Kind::History => Self::History,
            Kind::Sweep | Kind::Tune => Self::Sweep,
            Kind::Explain | Kind::Doctor => Self::Inspection,
        }
    }
}

/// The reason other experiments have no picture.
const NO_PICTURE: &str = "nothing was measured that could be drawn";

/// The reason an inspection is written in words only.
const NO_FIGURES: &str = "`explain` and `doctor` are written as JSON, Markdown and HTML only";

/// The reason a history does not fit these formats.
const NO_HISTORY: &str = "the format describes one state of a program, and a history has many; \
                          export it with `--export-csv` or `--export-json`";

impl Format {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::Json,
        Self::Csv,
        Self::Markdown,
        Self::Html,
        Self::Hyperfine,
        Self::Svg,
        Self::Png,
        Self::Go,
        Self::TastyBench,
        Self::GithubAction,
        Self::Bencher,
        Self::Asv,
    ];

    /// The reason reports with this content are not written in the format; `None` if they are.
    pub fn refusal(self, shown: Shown) -> Option<&'static str> {
        match (self, shown) {
            (Self::Json | Self::Markdown | Self::Html, _) => None,
            (_, Shown::Inspection) => Some(NO_FIGURES),
            (
                Self::Go | Self::TastyBench | Self::GithubAction | Self::Bencher,
                Shown::History | Shown::Series,
            )
            | (Self::Asv, Shown::Series) => Some(NO_HISTORY),
            _ => None,
        }
    }

    /// Writes a document to a file of this format.
    fn write(
        self,
        document: &Document,
        runs: &mut Runs<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Self::Json => json::write(document, runs, out),
            Self::Csv => csv::write(document, out).map_err(io::Error::other),
            Self::Markdown => out.write_all(as_markdown(document).as_bytes()),
            Self::Html => {
                let title = html::title_of(document);
                let page = html::page(document, runs)?;
                out.write_all(html::file(&title.clone(), &[(title, page)]).as_bytes())
            }
            Self::Hyperfine => hyperfine::write(document, runs, out),
            Self::Svg => out.write_all(scene(document, runs)?.svg().as_bytes()),
            Self::Png => out.write_all(&scene(document, runs)?.png().map_err(io::Error::other)?),
            Self::Go => go::write(document, runs, out),
            Self::TastyBench => exchange::write_tasty_bench(document, out),
            Self::GithubAction => exchange::write_github_action(document, out),
            Self::Bencher => exchange::write_bencher(document, out),
            Self::Asv => Err(io::Error::other("it is a folder of files")),
        }
    }
}

fn scene(document: &Document, runs: &mut Runs<'_>) -> io::Result<Scene> {
    let charts = pictures::charts(document, runs)?;
    let chart = charts.first().ok_or_else(|| io::Error::other(NO_PICTURE))?;
    chart.scene().map_err(io::Error::other)
}

/// The error for a file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`", path.display())]
pub struct ExportError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub source: io::Error,
}

impl ExportError {
    fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), source }
    }
}

/// The files that a report is written to.
#[derive(Debug, Clone, Default)]
pub struct Exports {
    /// Each file with its format; for asv, the folder.
    pub files: Vec<(Format, PathBuf)>,
    /// The measured commit of the repository here, which asv needs unless the report is a history.
    pub asv_commit: Option<String>,
}

impl Exports {
    /// True if no files were requested.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Checks, before anything is measured, that every file can be written and can hold the report.
    /// Existing content is kept.
    ///
    /// # Errors
    ///
    /// When one cannot.
    pub fn check(&self, shown: Shown) -> Result<(), ExportError> {
        for (format, path) in &self.files {
            let fits = match format.refusal(shown) {
                Some(reason) => Err(io::Error::other(reason)),
                None if *format == Format::Asv && path == Path::new(writable::STDOUT) => Err(
                    io::Error::other("it is a folder of files, which standard output cannot hold"),
                ),
                None if *format == Format::Asv => {
                    self.check_commit(shown).and_then(|()| asv::check(path))
                }
                None => Ok(()),
            };
            fits.map_err(ExportError::at(path))?;
        }
        let files = self.files.iter().filter(|(format, _)| *format != Format::Asv);
        writable::check_all(files.map(|(_, path)| path.as_path()))
            .map_err(|(path, source)| ExportError { path: path.to_owned(), source })
    }

    /// Checks that the commit given for asv exists; a history has its own.
    fn check_commit(&self, shown: Shown) -> io::Result<()> {
        match (&self.asv_commit, shown) {
            (None, Shown::History) => Ok(()),
            (Some(_), Shown::History) => {
                Err(io::Error::other("a history has its own commits; leave out `--asv-commit`"))
            }
            (None, _) => Err(io::Error::other("name the measured commit with `--asv-commit`")),
            (Some(revision), _) => asv::commit(Path::new("."), revision).map(drop),
        }
    }

    /// Writes every file, each completely or not at all. `runs` is read as often as the formats
    /// need.
    ///
    /// # Errors
    ///
    /// When one cannot be written; those before it are.
    pub fn write(&self, document: &Document, runs: &mut Runs<'_>) -> Result<(), ExportError> {
        for (format, path) in &self.files {
            let refusal = format.refusal(Shown::from(document.kind()));
            let written = match (refusal, format) {
                (Some(reason), _) => Err(io::Error::other(reason)),
                (None, Format::Asv) => self.add_to_asv(document, runs, path),
                (None, _) => written::write(path, |out| format.write(document, runs, out)),
            };
            written.map_err(ExportError::at(path))?;
        }
        Ok(())
    }

    fn add_to_asv(
        &self,
        document: &Document,
        runs: &mut Runs<'_>,
        folder: &Path,
    ) -> io::Result<()> {
        match &self.asv_commit {
            None => asv::write_history(document, runs, folder),
            Some(revision) => {
                let commit = asv::commit(Path::new("."), revision)?;
                asv::write(document, runs, folder, &commit)
            }
        }
    }

    /// Writes every file of an inspection, each completely or not at all.
    ///
    /// # Errors
    ///
    /// When one cannot be written; those before it are.
    pub fn write_inspection(&self, inspection: &Inspection) -> Result<(), ExportError> {
        for (format, path) in &self.files {
            let text = match format {
                Format::Json => Ok(inspection.json()),
                Format::Markdown => Ok(inspection::as_markdown(inspection)),
                Format::Html => html_of(inspection),
                _ => Err(io::Error::other(NO_FIGURES)),
            };
            text.and_then(|text| written::write_text(path, &text))
                .map_err(ExportError::at(path))?;
        }
        Ok(())
    }
}

fn html_of(inspection: &Inspection) -> io::Result<String> {
    let title = html::title(&Report::Inspection(inspection.clone()));
    let page = html::page_of_inspection(inspection, "picture")?;
    Ok(html::file(&title.clone(), &[(title, page)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_written_or_refused_with_the_reason_of_each_report() {
        // A column for each format, in their order: written, or the reason it is not.
        let reason = |symbol| match symbol {
            'w' => None,
            'h' => Some(NO_HISTORY),
            'f' => Some(NO_FIGURES),
            _ => unreachable!("no other is used"),
        };
        for (shown, expected) in [
            (Shown::Comparison, "wwwwwwwwwwww"),
            (Shown::History, "wwwwwwwhhhhw"),
            (Shown::Series, "wwwwwwwhhhhh"),
            (Shown::Sweep, "wwwwwwwwwwww"),
            (Shown::Inspection, "wfwwffffffff"),
        ] {
            let refusals = Format::ALL.map(|format| format.refusal(shown));
            let expected: Vec<_> = expected.chars().map(reason).collect();
            assert_eq!(refusals.to_vec(), expected, "{shown:?}");
        }
    }

    #[test]
    fn what_a_kind_shows_is_what_its_verb_measures() {
        for kind in Kind::ALL {
            assert_eq!(Shown::from(kind) == Shown::Inspection, kind.is_inspection(), "{kind}");
        }
        assert_eq!(Shown::from(Kind::Tune), Shown::Sweep);
    }

    #[test]
    fn a_refused_file_is_told_before_the_others_are_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let (json, svg) = (folder.path().join("a.json"), folder.path().join("a.svg"));
        let files = vec![(Format::Json, json.clone()), (Format::Svg, svg.clone())];
        let exports = Exports { files, asv_commit: None };
        let error = exports.check(Shown::Inspection).expect_err("there is no picture");
        assert_eq!((error.path, error.source.to_string()), (svg, NO_FIGURES.to_owned()));
        assert!(!json.exists());
    }

    #[test]
    fn asv_is_told_the_commit_unless_a_history_has_its_own() {
        let exports = |asv_commit: Option<&str>| Exports {
            files: vec![(Format::Asv, PathBuf::from("no-such-folder"))],
            asv_commit: asv_commit.map(str::to_owned),
        };
        assert!(exports(None).check(Shown::History).is_ok());
        for (commit, shown) in [(Some("HEAD"), Shown::History), (None, Shown::Comparison)] {
            let error = exports(commit).check(shown).expect_err("no commit fits").source;
            assert!(error.to_string().contains("`--asv-commit`"), "{error}");
        }
    }
}
