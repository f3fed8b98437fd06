//! The explanations of a history's steps: changes in Core, or in the instructions of functions.

use std::collections::HashSet;

use page::Page;

use crate::report::core_difference::document::CoreDifferencePart;
use crate::report::document::{Document, StepPart};
use crate::report::instructions::document::InstructionsPart;
use crate::report::{core_difference, instructions};

/// Appends the explanations to the page.
pub fn add(mut page: Page, document: &Document) -> Page {
    let core = differences(document).map(core_difference::page::page);
    let counts = counted(document).map(|part| instructions::page::page(part, false));
    core.chain(counts).for_each(|one| page.blocks.extend(one.blocks));
    page
}

/// The differences in Core of a document's steps, each commit once.
fn differences(document: &Document) -> impl Iterator<Item = &CoreDifferencePart> {
    once_each(document, |step| step.core_difference.as_deref())
}

/// The instruction counts by function of a document's steps, each commit once.
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
