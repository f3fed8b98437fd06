//! The explanations of a history's steps: changes in Core, or in the instructions of functions.

use std::collections::HashSet;

use page::Page;

use crate::core_difference;
use crate::instructions;
use findings::core_difference::CoreDifference;
use findings::instructions::InstructionCounts;
use findings::{Document, Step};

/// Appends the explanations to the page.
pub fn add(mut page: Page, document: &Document) -> Page {
    let core = differences(document).map(core_difference::page::page);
    let counts = counted(document).map(|part| instructions::page::page(part, false));
    core.chain(counts).for_each(|one| page.blocks.extend(one.blocks));
    page
}

/// The differences in Core of a document's steps, each commit once.
fn differences(document: &Document) -> impl Iterator<Item = &CoreDifference> {
    once_each(document, |step| step.core_difference.as_deref())
}

/// The instruction counts by function of a document's steps, each commit once.
fn counted(document: &Document) -> impl Iterator<Item = &InstructionCounts> {
    once_each(document, |step| step.instructions.as_deref())
}

fn once_each<'a, T: 'a>(
    document: &'a Document,
    part: impl Fn(&'a Step) -> Option<&'a T>,
) -> impl Iterator<Item = &'a T> {
    let mut told = HashSet::new();
    let steps = document.steps().iter();
    let parts = steps.filter_map(move |step| Some((&step.commit, part(step)?)));
    parts.filter(move |(commit, _)| told.insert(*commit)).map(|(_, part)| part)
}
