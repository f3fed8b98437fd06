//! Stored experiments as git notes of the commits that they measured: published, and fetched.

mod experiments;

use std::path::PathBuf;

use clap::Args;
use page::plain::plain;

use super::Done;
use super::exit::ExitCode;
use super::merging;
use super::output::{Output, note};
use crate::failure::Failure;
use crate::history::merge::short;
use crate::prepare::{Addition, Notes, Repository};
use crate::store::{ExperimentId, Store};
use experiments::{ToNote, import_notes, is_noted, to_note};

/// Which notes are meant.
#[derive(Debug, Args)]
#[command(next_help_heading = "Git notes")]
pub(super) struct NotesOptions {
    /// The git notes of the commits that were measured, below `refs/notes/REF`
    #[arg(long, value_name = "REF", num_args = 0..=1, require_equals = true,
        default_missing_value = "brisk")]
    pub(super) git_notes: Option<String>,
    /// Fetch the notes from this remote or repository first, and publish them there
    #[arg(long, value_name = "REMOTE", requires = "git_notes")]
    notes_remote: Option<String>,
    /// The repository with the notes, instead of that of the current folder
    #[arg(long, value_name = "DIR", requires = "git_notes")]
    project: Option<PathBuf>,
}

impl NotesOptions {
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
    name: &str,
    (store, ids): (&Store, &[ExperimentId]),
    output: &Output,
) -> Done {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, name)?;
    let lines = to_note(store, &repository, ids)?;
    if lines.is_empty() {
        let root = repository.root().display();
        return Err(Failure::new("there is nothing to note")
            .because(format!("no stored experiment measured commits of `{root}`")));
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

fn addition(one: &ToNote) -> Addition {
    Addition { commit: one.commit.clone(), line: one.line.clone() }
}

/// Takes the experiments of notes into the store.
pub(super) fn import(
    options: &NotesOptions,
    name: &str,
    store: &mut Store,
    output: &Output,
) -> Done {
    let repository = options.repository()?;
    let notes = Notes::new(&repository, name)?;
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
    let found = import_notes(store, &notes)?;
    merging::tell(&found.merged.received, output)?;
    if found.others > 0 {
        let many = found.others;
        note(&format!("left out: {many} lines of `{}` are no experiments", notes.name()));
    }
    tell_gone(&repository, &found.commits)?;
    let left_out = &found.merged.left_out;
    left_out.iter().for_each(|why| note(&format!("left out: {}", plain(why))));
    Ok(if left_out.is_empty() { ExitCode::Fine } else { ExitCode::Trouble })
}

/// Says which of the commits are not, or not any more, in the history.
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
