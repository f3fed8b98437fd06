//! The stored baseline: a commit, which is measured again alongside the checked state.
//!
//! A stored value would carry the conditions of another day or machine; a ratio within rounds does
//! not.

use super::question::{ProjectState, Question};
use crate::archive;
use model::failure::Failure;
use prepare::Commit;
use store::{Place, Store};

/// The baseline state of the project.
pub(super) fn stored(question: &Question<'_>, store: &Store) -> Result<ProjectState, Failure> {
    let Some(hash) = store.baseline(&question.key)? else {
        let why = "no baseline is stored; `brisk check --save-baseline` stores one";
        return Ok(ProjectState::Missing(why.to_owned()));
    };
    Ok(match question.commit(&hash)? {
        Some(commit) => ProjectState::Commit(commit),
        None => {
            ProjectState::Missing(format!("the stored baseline, commit {hash}, no longer exists"))
        }
    })
}

/// Makes the checked-out commit the baseline, and returns it.
pub(super) fn save(question: &Question<'_>, place: &Place) -> Result<Commit, Failure> {
    let Some(head) = &question.head else {
        return Err(Failure::new("there is no commit to make the baseline").because(format!(
            "`{}` is in no git repository with commits",
            question.folder.display()
        )));
    };
    let mut store = archive::open_for_writing(place)?;
    store.keep_baseline(&question.key, &head.hash, measure::clock::unix_time_ns())?;
    Ok(head.clone())
}
