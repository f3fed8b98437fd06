//! Stored experiments as git notes of the commits that they measured: published, and fetched.

mod experiments;
mod ghc;

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use page::plain::plain;
use toolchains::series::Series;

use super::exit::ExitCode;
use super::output::{Output, note};
use super::{Done, merging};
use configuration::one_of;
use experiments::{ToNote, import_notes, is_noted, to_note};
use findings::short;
use model::failure::Failure;
use prepare::{Addition, Notes, Repository};
use store::{ExperimentId, Store};

/// Which notes are meant.
#[derive(Debug, Args)]
#[command(next_help_heading = "Git notes")]
pub(super) struct NotesOptions {
    /// The git notes of the measured commits
    ///
    /// They are below `refs/notes/REF`; `brisk` by default, and `perf` in GHC's format.
    #[arg(
        long,
        value_name = "REF",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    git_notes: Option<String>,
    /// What the notes have
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = formats(),
        default_value = "brisk",
        requires = "git_notes"
    )]
    notes_format: Format,
    /// Fetch the notes from this remote or repository first, and publish them there
    #[arg(long, value_name = "REMOTE", requires = "git_notes")]
    notes_remote: Option<String>,
    /// The repository with the notes, instead of that of the current folder
    #[arg(long, value_name = "DIR", requires = "git_notes")]
    project: Option<PathBuf>,
}

/// The contents of a note's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A whole experiment.
    Brisk,
    /// A value in the format of GHC's test suite.
    Ghc,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let word = |format: Format| match format {
        Format::Brisk => "brisk",
        Format::Ghc => "ghc",
    };
    one_of([Format::Brisk, Format::Ghc], word, |format| {
        Some(match format {
            Format::Brisk => "Whole experiments, with every run",
            Format::Ghc => "Single values, as GHC's performance notes have them",
        })
    })
}

impl NotesOptions {
    /// True if notes are requested.
    pub(super) fn are_wanted(&self) -> bool {
        self.git_notes.is_some()
    }

    /// True if the notes contain only values, which are judged and not stored.
    pub(super) fn have_values(&self) -> bool {
        self.are_wanted() && self.notes_format == Format::Ghc
    }

    fn name(&self) -> &str {
        match (self.git_notes.as_deref().unwrap_or_default(), self.notes_format) {
            ("", Format::Brisk) => "brisk",
            ("", Format::Ghc) => "perf",
            (name, _) => name,
        }
    }

    fn repository(&self) -> Result<Repository, Failure> {
        let folder = self.project.clone().unwrap_or_else(|| PathBuf::from("."));
        Ok(Repository::open(&folder)?)
    }

    fn remote(&self) -> Option<&str> {
        self.notes_remote.as_deref()
    }
}

/// Notes these experiments, or all that measured commits of the repository.
pub(super) fn export(
    options: &NotesOptions,
    (store, ids): (&Store, &[ExperimentId]),
    output: &Output,
) -> Done {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, options.name())?;
    let lines = to_note(store, &repository, ids)?;
    if lines.is_empty() {
        let root = repository.root().display();
        return Err(Failure::new("there is nothing to note")
            .because(format!("no stored experiment measured commits of `{root}`")));
    }
    if options.notes_format == Format::Ghc {
        return export_values(&notes, options.remote(), (store, &lines), output);
    }
    let additions: Vec<Addition> = lines.iter().map(addition).collect();
    let are_new = notes.publish(options.remote(), &additions, &is_noted)?;
    let told = |(one, is_new): (&ToNote, bool)| {
        let known = if is_new { "" } else { " already" };
        let (id, kind, title) = (one.id, one.identity.kind, plain(&one.identity.title));
        format!("experiment {id}: {kind} {title}, noted{known} at {}\n", short(&one.commit))
    };
    output.data(&lines.iter().zip(are_new).map(told).collect::<String>())?;
    let mut commits: Vec<String> = lines.into_iter().map(|one| one.commit).collect();
    commits.sort();
    commits.dedup();
    tell_gone(&repository, &commits)?;
    Ok(ExitCode::Fine)
}

/// Notes the readings of the experiments, as values only.
fn export_values(
    notes: &Notes<'_>,
    remote: Option<&str>,
    (store, experiments): (&Store, &[ToNote]),
    output: &Output,
) -> Done {
    let mut told = String::new();
    for one in experiments {
        let (lines, bounds) = ghc::lines(store, one.id)?;
        let new = notes.publish(remote, &lines, &ghc::has_line)?;
        let new = new.into_iter().filter(|is_new| *is_new).count();
        let (id, count) = (one.id, lines.len());
        told += &format!("experiment {id}: {count} values noted, {new} of them new\n");
        if bounds > 0 {
            note(&format!("left out: {bounds} values of experiment {id} that are only bounds"));
        }
    }
    output.data(&told)?;
    Ok(ExitCode::Fine)
}

fn addition(one: &ToNote) -> Addition {
    Addition { commit: one.commit.clone(), line: one.line.clone() }
}

/// Imports the experiments of notes into the store.
pub(super) fn import(options: &NotesOptions, store: &mut Store, output: &Output) -> Done {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, options.name())?;
    fetch(options, &repository, &notes)?;
    let found = import_notes(store, &notes)?;
    merging::tell(&found.merged.received, output)?;
    if found.others > 0 {
        let many = found.others;
        note(&format!("left out: {many} lines of `{}` are not experiments", notes.name()));
    }
    tell_gone(&repository, &found.commits)?;
    let left_out = &found.merged.left_out;
    left_out.iter().for_each(|why| note(&format!("left out: {}", plain(why))));
    Ok(if left_out.is_empty() { ExitCode::Fine } else { ExitCode::Trouble })
}

fn fetch(
    options: &NotesOptions,
    repository: &Repository,
    notes: &Notes<'_>,
) -> Result<(), Failure> {
    if !notes.fetch(options.remote())? {
        let root = repository.root().display();
        let hint = match options.remote() {
            None => "fetch them from where they were published: `--notes-remote origin`",
            Some(_) => "`brisk export --git-notes --notes-remote REMOTE` publishes notes",
        };
        return Err(Failure::new(format!("there is no `{}`", notes.name()))
            .because(format!("`{root}` has no such notes"))
            .hint(Some(hint)));
    }
    Ok(())
}

/// Reads values of notes, and reports what was left out.
pub(super) fn values(options: &NotesOptions) -> Result<(Series, String), Failure> {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, options.name())?;
    fetch(options, &repository, &notes)?;
    let ghc::Values { series, others, elsewhere, repeated } = ghc::values(&repository, &notes)?;
    let name = notes.name();
    for (count, what) in [
        (others, format!("lines of `{name}` that are not values")),
        (elsewhere, "commits with values that are not on the way to `HEAD`".to_owned()),
    ] {
        if count > 0 {
            note(&format!("left out: {what}: {count}"));
        }
    }
    if repeated > 0 {
        note(&format!("values noted again for the same: {repeated}; the mean is taken"));
    }
    if series.metrics.is_empty() {
        return Err(Failure::new(format!("`{name}` has no values"))
            .because("no commit that leads to `HEAD` has a line of GHC's format"));
    }
    Ok((series, name.to_owned()))
}

/// Reports commits that are not, or no longer, in the history.
fn tell_gone(repository: &Repository, commits: &[String]) -> Result<(), Failure> {
    let (missing, unreachable) = repository.gone(commits)?;
    let why = "rewritten or squashed";
    let both = [
        (missing, format!("not in this repository ({why}, or not fetched)")),
        (unreachable, format!("on no branch ({why})")),
    ];
    for (commits, what) in both {
        let (subject, verb) = match commits.as_slice() {
            [] => continue,
            [only] => (format!("the commit {}", short(only)), "is"),
            [first, ..] => (format!("{} commits, such as {},", commits.len(), short(first)), "are"),
        };
        note(&format!(
            "{subject} with notes {verb} {what}; the results are kept, and known again by the \
             bytes of what was built"
        ));
    }
    Ok(())
}
