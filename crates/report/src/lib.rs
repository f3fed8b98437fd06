//! Findings for people and for other tools: the page, pictures, and the formats of files. Nothing
//! is decided here.

mod answer;
mod cause;
mod compare;
mod core_difference;
mod coverage;
pub mod csv;
pub mod doctor;
pub mod equal_work;
mod exchange;
pub mod expectations;
pub mod explanation;
pub mod export;
pub mod history;
pub mod html;
pub mod hyperfine;
pub mod inspection;
pub mod instructions;
pub mod json;
pub mod junit;
mod lisp;
mod memory;
pub mod notes;
mod pictures;
pub mod reach;
mod setups;
pub mod site;
pub mod stacks;
mod suite;
mod sweep;
pub mod time_profile;
pub mod too_few;

pub use answer::answer;
use findings::Document;
use findings::inspection::Inspection;
use model::commission::Kind;
use model::design::stopping::StopReason;
use page::{Block, Page};

/// A report in the store.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// An experiment, measured in rounds.
    Experiment(Box<Document>),
    /// An inspection, without rounds.
    Inspection(Inspection),
}

/// The page of an experiment; while it is being measured, that comes first.
pub fn page(document: &Document) -> Page {
    let mut page = page_of_kind(document);
    if document.experiment.stop == StopReason::Running {
        let rounds = words::counted(document.experiment.rounds, "round");
        let answer = format!("It is being measured. After {rounds}, this is known so far:");
        page.blocks.insert(0, Block::Answer(answer.into()));
    }
    page
}

fn page_of_kind(document: &Document) -> Page {
    match document.kind() {
        Kind::Check => {
            let check = document.check();
            let beside = expectations::Beside {
                reach: check.and_then(|check| check.reach.as_ref()),
                causes: &document.causes,
                wait_share: check.and_then(|check| check.wait_share),
            };
            expectations::page(document.expectations(), beside)
        }
        Kind::History => history::page(document),
        Kind::Sweep | Kind::Tune => sweep::page(document),
        Kind::Bench => suite::page(document),
        _ => compare::page(document),
    }
}

/// A report as Markdown.
pub fn as_markdown(document: &Document) -> String {
    ::page::markdown::render(&page(document))
}

model::failures_from! { export::ExportError }
