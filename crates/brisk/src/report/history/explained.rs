//! What the steps of a history are explained by: what changed in Core, or in the instructions of
//! functions.

use std::collections::HashSet;

use page::Page;

use crate::report::core_difference::document::CoreDifferencePart;
use crate::report::document::{Document, StepPart};
use crate::report::instructions::document::InstructionsPart;
use crate::report::{core_difference, instructions};

/// The page with the explanations below it.
pub fn add(mut page: Page, document: &Document) -> Page {
    let core = differences(document).map(core_difference::page::page);
    let counts = counted(document).map(|part| instructions::page::page(part, false));
    core.chain(counts).for_each(|one| page.blocks.extend(one.blocks));
    page
}

/// What the steps of a document say of Core, each commit once.
fn differences(document: &Document) -> impl Iterator<Item = &CoreDifferencePart> {
    once_each(document, |step| step.core_difference.as_deref())
}

/// What the steps of a document say of instructions by function, each commit once.
fn counted(document: &Document) -> impl Iterator<Item = &InstructionsPart> {
    once_each(document, |step| step.instructions.as_deref())
}

fn once_each<'a, T: 'a>(
    document: &'a Document,
    part: impl Fn(&'a StepPart) -> Option<&'a T>,
) -> impl Iterator<Item = &'a T> {
    let mut told = HashSet::new();
    let steps = document.steps.iter().flatten();
    let parts = steps.filter_map(move |step| Some((&step.commit, part(step)?)));
    parts.filter(move |(commit, _)| told.insert(*commit)).map(|(_, part)| part)
}
