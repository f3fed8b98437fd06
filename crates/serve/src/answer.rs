//! The answers to requests, from the store.

use laboratory::archive::{self, Beside, Drawn, With};
use model::failure::Failure;
use page::Page;
use store::{ExperimentId, ExperimentState, Listed, Store, StoreError};

use super::asked::{Asked, Listing, Refusal, Watched};
use super::pages::{self, Around};

/// The most runs of an experiment that are drawn. Reading these takes 75 ms on a processor of 2024,
/// and a million takes seconds.
const MOST_DRAWN: u64 = 20_000;
/// An experiment without a report is judged for each page, up to this number of runs: 85 ms there.
const MOST_JUDGED: u64 = 5_000;

/// A document with its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The document, as HTML.
    pub text: String,
}

impl Answer {
    fn new(status: u16, title: &str, page: &Page) -> Self {
        Self::within(status, title, page, &Around::default())
    }

    fn within(status: u16, title: &str, page: &Page, around: &Around) -> Self {
        Self { status, text: pages::document(title, page, around) }
    }

    fn failure(status: u16, title: &str, failure: &Failure) -> Self {
        Self::new(status, title, &pages::failure(failure))
    }
}

/// The answer to a refused request, with the reason.
pub(super) fn refused(refusal: &Refusal) -> Answer {
    match refusal {
        Refusal::NotFound => {
            Answer::failure(404, "not found", &Failure::new("there is no such page"))
        }
        Refusal::Bad(why) => Answer::failure(400, "not understood", &Failure::new(why)),
    }
}

/// The answer if the store cannot be read.
pub(super) fn unreadable(failure: &Failure) -> Answer {
    Answer::failure(500, "the store cannot be read", failure)
}

/// Answers from a store; `None` if it does not exist yet.
pub(super) fn answer(asked: &Asked, store: Option<&Store>) -> Result<Answer, Failure> {
    Ok(match (asked, store) {
        (Asked::Experiments(listing), _) => list(listing, None, store)?,
        (Asked::Choose(ticked), _) => list(&Listing::default(), Some(ticked), store)?,
        (Asked::Experiment(id) | Asked::Compare(_, id), None) => missing(*id),
        (Asked::Experiment(id), Some(store)) => match store.listed(*id)? {
            Some(listed) => experiment(&listed, store)?,
            None => missing(*id),
        },
        (Asked::Compare(with, new), Some(store)) => compare(with, *new, store)?,
        (Asked::Projects, _) => {
            let projects = store.map(|store| store.projects(pages::MOST_ROWS)).transpose()?;
            Answer::new(200, "Projects", &pages::projects(&projects.unwrap_or_default()))
        }
        (Asked::Machines, _) => {
            let machines = store.map(archive::machines).transpose()?;
            Answer::new(200, "Machines", &pages::machines(&machines.unwrap_or_default()))
        }
        (Asked::Labelled(what), _) => {
            let found = store.map(|store| store.labelled(*what, pages::MOST_READ)).transpose()?;
            let page = pages::labelled(*what, &found.unwrap_or_default());
            Answer::new(200, pages::heading(*what), &page)
        }
        (Asked::Events(_), _) => refused(&Refusal::NotFound),
    })
}

fn missing(id: ExperimentId) -> Answer {
    let failure = Failure::new(format!("there is no experiment {id}"));
    Answer::failure(404, "not found", &failure)
}

/// A list of experiments; for a comparison, with the ticked ones, it asks which two.
fn list(
    listing: &Listing,
    ticked: Option<&[ExperimentId]>,
    store: Option<&Store>,
) -> Result<Answer, Failure> {
    let mut around = Around { above: pages::search_form(listing), ..Around::default() };
    around.below = pages::ticked_form();
    let mut listed = Vec::new();
    if let Some(store) = store {
        // Later changes are news to the page.
        let (newest, running) = store.newest_and_running()?;
        let seen = stamp_of_all(newest, running);
        // Users who wait for a measurement have the list open before it begins.
        let is_watched = listing.before.is_none() && ticked.is_none();
        around.watched = is_watched.then_some(Watched { experiment: None, seen });
        listed = store.list_each(&listing.filter(pages::MOST_LISTED + 1))?;
    }
    let mut page = pages::experiments(&listed, listing, ticked.unwrap_or_default());
    let Some(ticked) = ticked else {
        return Ok(Answer::within(200, "Experiments", &page, &around));
    };
    page.blocks.insert(0, pages::which_two(ticked));
    Ok(Answer::within(200, "Compare", &page, &around))
}

/// The page of an experiment; for a damaged one, the problem.
fn experiment(listed: &Listed, store: &Store) -> Result<Answer, Failure> {
    let id = listed.id;
    let name = format!("experiment {id}");
    let is_running = listed.state == ExperimentState::Running;
    let seen = stamp_of_one(listed);
    let watched = is_running.then_some(Watched { experiment: Some(id), seen });
    let mut around = Around { watched, ..Around::default() };
    let is_measured = !listed.kind.is_inspection();
    if is_measured && listed.finished_unix_ns.is_none() && listed.runs > MOST_JUDGED {
        return Ok(Answer::within(200, &name, &pages::not_judged(listed), &around));
    }
    Ok(match archive::page(store, id, MOST_DRAWN) {
        Ok(Drawn { title, mut page, has_runs }) => {
            page.blocks.extend((!has_runs).then(|| pages::not_drawn(id, MOST_DRAWN)));
            if is_measured && !is_running {
                around.below = pages::compare_form(id);
            }
            Answer::within(200, &format!("{id} · {title}"), &page, &around)
        }
        // A missing finished round is not an error of the experiment.
        Err(failure) if is_measured && (is_running || listed.rounds == 0) => {
            Answer::within(200, &name, &pages::failure(&failure), &around)
        }
        Err(failure) => Answer::failure(500, &name, &failure),
    })
}

fn compare(with: &With, new: ExperimentId, store: &Store) -> Result<Answer, Failure> {
    for id in [with.experiment, new] {
        if store.listed(id)?.is_none() {
            return Ok(missing(id));
        }
    }
    let both = pages::both(with.experiment, new);
    Ok(match archive::beside(store, with, new, MOST_DRAWN) {
        Ok(Beside::Compared(Drawn { title, mut page, has_runs })) => {
            page.blocks.insert(0, both);
            page.blocks.extend((!has_runs).then(|| pages::not_drawn(new, MOST_DRAWN)));
            Answer::new(200, &title, &page)
        }
        Ok(Beside::Refused(why)) => {
            let mut page = pages::failure(&why);
            page.push(both);
            Answer::new(422, "not compared", &page)
        }
        Err(failure) => Answer::failure(500, "not compared", &failure),
    })
}

/// The progress of an experiment, or of all: the text changes whenever there is something new.
pub(super) fn stamp(experiment: Option<ExperimentId>, store: &Store) -> Result<String, StoreError> {
    Ok(match experiment {
        None => {
            let (newest, running) = store.newest_and_running()?;
            stamp_of_all(newest, running)
        }
        Some(id) => match store.listed(id)? {
            Some(listed) => stamp_of_one(&listed),
            None => "none".to_owned(),
        },
    })
}

fn stamp_of_all(newest: i64, running: u64) -> String {
    format!("{newest}-{running}")
}

fn stamp_of_one(listed: &Listed) -> String {
    format!("{:?}-{}", listed.state, listed.runs)
}
