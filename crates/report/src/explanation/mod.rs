//! The reasons for a program's cost, for people and for programs: findings, most costly first.
//!
//! The page of an explanation: the costliest finding, all findings by place, and the unseen parts.

use findings::explanation::{CauseFinding, ChangeProof, CoreExcerpt, CostPlace, Explanation};
use page::{Block, Code, Label, Line, Page, Section, Span, Tone, line};
use words::{capitalised, counted, folded};

pub mod cause;
pub mod growth;

pub(super) mod sentences;
pub mod time;

/// The label of reasons to doubt the whole report.
pub(crate) const DOUBT: Label = Label { word: "doubt", tone: Tone::Open };

/// Keywords of Core, highlighted in code.
const KEYWORDS: &[&str] =
    &["case", "of", "let", "letrec", "join", "joinrec", "jump", "and", "->", "=", "{", "}"];

/// Builds the page; cheap findings are folded.
#[must_use]
pub fn page(part: &Explanation) -> Page {
    let mut page = Page::default();
    page.push(Block::Heading(sentences::head(part)));
    page.push(Block::Answer(sentences::answer(part)));
    page.sentences(sentences::undumped(part));
    page.notes(DOUBT, part.doubts.iter().map(|doubt| Line::of_message(doubt)));
    let (major, minor): (Vec<&CostPlace>, Vec<&CostPlace>) =
        part.places.iter().partition(|place| findings(part, place).any(|finding| !finding.minor));
    let sections = |places: &[&CostPlace], first: usize| -> Vec<Block> {
        let numbered = (first..).zip(places);
        numbered.map(|(number, it)| Block::Section(section(part, number, it))).collect()
    };
    page.blocks.extend(sections(&major, 1));
    let count = minor.iter().map(|place| place.findings.len()).sum();
    page.blocks.extend(fold(count, sections(&minor, major.len() + 1)));
    page.sentences(sentences::pages(part));
    page.sentences(sentences::run(part));
    page.sentences(
        part.growth
            .as_ref()
            .map(|growth| Line::from(format!("The whole program: {}.", growth::in_words(growth)))),
    );
    page.sentences(part.time.as_ref().map(time::sentence));
    page.sentences(part.coverage.iter().flat_map(sentences::coverage));
    let blind = part.not_looked.iter();
    page.notes(Label::NOTE, blind.map(|it| sentences::not_looked(it, part.modules.len())));
    page
}

fn findings<'a>(
    part: &'a Explanation,
    place: &'a CostPlace,
) -> impl Iterator<Item = &'a CauseFinding> {
    place.findings.iter().filter_map(|number| part.findings.get(*number))
}

/// Folds findings that cost little.
fn fold(count: usize, blocks: Vec<Block>) -> Vec<Block> {
    folded(format!("{} below 1 %", counted(count, "more finding")), blocks)
}

fn section(part: &Explanation, number: usize, place: &CostPlace) -> Section {
    let location = place.location.as_ref().map(|it| {
        let location = Span::foreign(sentences::location(it));
        line!["  ", location.toned(Tone::Quiet)]
    });
    let title = line![
        format!("{number}. "),
        Span::code(place.binding.clone()),
        sentences::declared_in(place),
        location.unwrap_or_default()
    ];
    let findings: Vec<&CauseFinding> = findings(part, place).collect();
    let mut blocks = Vec::new();
    if let [only] = findings[..] {
        blocks.extend(only.cost.iter().map(|cost| Block::Sentence(sentences::cost(cost))));
        blocks.push(Block::Sentence(what(only)));
        blocks.extend(growth(only));
        blocks.extend(evidence(only));
        return Section::new(title, blocks);
    }
    blocks.extend(place.cost.iter().map(|cost| Block::Sentence(sentences::cost(cost))));
    let mut minor = Vec::new();
    for (letter, finding) in ('a'..).zip(findings) {
        let mut said = vec![Block::Sentence(what(finding))];
        said.extend(sentences::own_cost(finding, place).map(Block::Sentence));
        said.extend(growth(finding));
        said.extend(evidence(finding));
        let title = format!("{letter}. {}", finding.title);
        let to = if finding.minor { &mut minor } else { &mut blocks };
        to.push(Block::Section(Section::new(title, said)));
    }
    // If all are minor, the place itself is folded.
    let is_major = blocks.iter().any(|block| matches!(block, Block::Section(_)));
    match is_major {
        true => blocks.extend(fold(minor.len(), minor)),
        false => blocks.extend(minor),
    }
    Section::new(title, blocks)
}

fn what(finding: &CauseFinding) -> Line {
    let what = Line::of_message(&capitalised(&finding.what));
    let cause = match cause::address(&finding.cause) {
        Some(address) => Span::link(finding.cause.clone(), address),
        None => Span::foreign(finding.cause.clone()),
    };
    line![what, " (", cause, ")"]
}

fn growth(finding: &CauseFinding) -> Option<Block> {
    let growth = finding.growth.as_ref()?;
    Some(Block::Sentence(Line::of_message(&capitalised(&growth::in_words(growth)))))
}

/// The Core that shows the problem, the suggested remedy, and the result of trying it.
fn evidence(finding: &CauseFinding) -> impl Iterator<Item = Block> {
    let said = [("try", &finding.remedy), ("why", &finding.why)];
    let said = said.map(|(word, text)| Block::Note(Label::quiet(word), Line::of_message(text)));
    let core = finding.evidence.iter().map(|evidence| Block::Code(core("", evidence)));
    core.chain(said).chain(finding.proof.as_ref().map(proof))
}

fn proof(proof: &ChangeProof) -> Block {
    let is_help = proof.trouble.is_none() && proof.verdict.starts_with("helped");
    let label = Label { word: "tried", tone: if is_help { Tone::Good } else { Tone::Quiet } };
    let came = proof.trouble.as_ref().unwrap_or(&proof.verdict);
    Block::Note(label, line![Line::of_message(&proof.change), ": ", Line::of_message(came)])
}

/// Lines of Core.
pub(crate) fn core(label: &'static str, evidence: &CoreExcerpt) -> Code {
    Code {
        label,
        language: "haskell",
        keywords: KEYWORDS,
        text: evidence.core.clone(),
        marks: evidence.marks.clone(),
    }
}
