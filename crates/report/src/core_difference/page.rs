//! The page of a difference: the answer, the changes, and the rest.

use page::{Block, Label, Line, Page, Section, Span, Tone, line};

use super::sentences;
use crate::explanation::{DOUBT, core};
use findings::core_difference::{ChangeGroup, CoreDifference};
use words::{counted, folded};

/// The largest number of a group's other changes shown by default.
const MOST_MORE: usize = 4;

/// The largest number of rules shown by default.
const MOST_RULES: usize = 3;

/// Builds the page; changes that hardly affect the cost are folded.
#[must_use]
pub fn page(part: &CoreDifference) -> Page {
    let mut page = Page::default();
    page.push(Block::Heading(sentences::head(part).into()));
    let counts = Line::from(sentences::counts(part));
    let answer = sentences::answer(part);
    let is_measured = answer.is_some();
    match answer {
        Some(answer) => page.push(Block::Answer(answer)),
        None => {
            page.push(Block::Answer(counts.clone()));
            page.sentences([sentences::NOT_MEASURED]);
        }
    }
    page.notes(DOUBT, part.doubts.iter().map(|doubt| Line::of_message(doubt)));
    let (minor, major): (Vec<&ChangeGroup>, Vec<&ChangeGroup>) =
        part.changes.iter().partition(|group| group.minor);
    let sections = |groups: &[&ChangeGroup], first: usize| -> Vec<Block> {
        let numbered = (first..).zip(groups);
        numbered.map(|(number, group)| Block::Section(section(number, group))).collect()
    };
    page.blocks.extend(sections(&major, 1));
    let title = sentences::minor(minor.len(), part.total.is_some());
    page.blocks.extend(folded(title, sections(&minor, major.len() + 1)));
    page.notes(Label::NOTE, part.elsewhere.iter().map(sentences::elsewhere));
    for (word, modules) in [("gone: ", &part.modules_gone), ("new: ", &part.modules_new)] {
        if !modules.is_empty() {
            let names = modules.iter().map(|name| Span::code(name.clone()).into());
            page.notes(Label::NOTE, [line!["modules ", word, Line::join(names, ", ")]]);
        }
    }
    let rules = part.rules.iter().map(sentences::rule).collect();
    page.blocks.extend(notes(Label::NOTE, rules, MOST_RULES, "more changed rule"));
    if is_measured {
        page.sentences([counts]);
        page.sentences(sentences::explained(part));
    }
    page
}

/// Notes, folded after the first `most`.
fn notes(label: Label, all: Vec<Line>, most: usize, noun: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = all.into_iter().map(|line| Block::Note(label, line)).collect();
    let more = blocks.split_off(most.min(blocks.len()));
    blocks.extend(folded(counted(more.len(), noun), more));
    blocks
}

fn section(number: usize, group: &ChangeGroup) -> Section {
    let core_name = Span::code(group.core_name.clone()).toned(Tone::Quiet);
    let title = line![format!("{number}. "), Span::code(group.binding.clone()), "  ", core_name];
    let moved = group.moved.as_ref().map(|moved| sentences::moved(moved).into());
    let what = line!["It ", Line::of_message(&group.what), "."];
    let mut blocks: Vec<Block> = moved.into_iter().chain([what]).map(Block::Sentence).collect();
    let also = group.more.iter().map(|said| {
        let is_other = said.binding != group.binding;
        let subject = is_other.then(|| line![Span::code(said.binding.clone()), " "]);
        line![subject.unwrap_or_default(), Line::of_message(&said.what)]
    });
    blocks.extend(notes(Label::quiet("also"), also.collect(), MOST_MORE, "more change"));
    blocks.extend(sentences::pieces(group).map(Block::Sentence));
    let sides = [("before", &group.before), ("after", &group.after)];
    let evidence = sides.into_iter().filter_map(|(label, it)| Some(core(label, it.as_ref()?)));
    blocks.extend(evidence.map(Block::Code));
    Section::new(title, blocks)
}
