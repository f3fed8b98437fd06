//! The messages of SBCL's compiler and profiler on a file, shown and exported.

use page::{Block, Code, Column, Line, Page, Section, Span, Table, line};

use findings::explanation::{LispExplanation, LispForm, LispFunction, SampledShare};
use words::{counted, folded};

/// The number of functions and forms shown by default.
const SHOWN: usize = 10;

/// Builds the page; all but the first functions and forms are folded.
pub(super) fn page(part: &LispExplanation) -> Page {
    let mut page = Page::default();
    page.push(Block::Heading(line![part.subject.clone(), ", ", part.compiler.clone()]));
    let itself: Vec<&LispFunction> =
        part.functions.iter().filter(|function| function.itself > 0).collect();
    page.push(Block::Answer(match itself.first() {
        Some(first) => line![
            Span::code(first.name.clone()),
            format!(" takes most time itself: {} of the samples.", percent(first.share.share))
        ],
        None => "The program was too short for the profiler to see anything.".into(),
    }));
    let (first, rest) = itself.split_at(SHOWN.min(itself.len()));
    let table = |functions| Block::Table(functions_table(part, functions));
    page.blocks.extend((!first.is_empty()).then(|| table(first)));
    let more = (!rest.is_empty()).then(|| table(rest)).into_iter().collect();
    page.blocks.extend(folded(counted(rest.len(), "more function"), more));
    notes(&mut page, part);
    page.sentences([format!(
        "{} samples of the statistical profiler, one for each millisecond of processor time.",
        part.samples
    )]);
    page
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn functions_table(part: &LispExplanation, functions: &[&LispFunction]) -> Table {
    let numbers = ["itself", "95 %", "total"].map(Column::right);
    let name = Column::left("function").cut(20, 200);
    let mut table = Table::new(numbers.into_iter().chain([name]));
    for LispFunction { name, total, share: SampledShare { share, low, high }, .. } in functions {
        let interval = format!("{:.0} to {}", low * 100.0, percent(*high));
        let total = percent(*total as f64 / part.samples.max(1) as f64);
        let figures = [percent(*share), interval, total].map(Line::from);
        table.push(figures.into_iter().chain([Span::code(name.clone()).into()]));
    }
    table
}

/// Adds the forms that the compiler could not make fast.
fn notes(page: &mut Page, part: &LispExplanation) {
    let count: usize = part.forms.iter().map(|form| form.notes).sum();
    if count == 0 {
        let speed = Span::code("speed");
        page.sentences([line!["The compiler has no efficiency notes with ", speed, " at 3."]]);
        return;
    }
    page.push(Block::Heading(line![
        counted(count, "efficiency note"),
        " about ",
        counted(part.forms.len(), "form"),
        ", compiled with ",
        Span::code("speed"),
        " at 3"
    ]));
    let mut forms: Vec<Block> =
        part.forms.iter().map(|form| Block::Section(section(part, form))).collect();
    let rest = forms.split_off(SHOWN.min(forms.len()));
    page.blocks.extend(forms);
    page.blocks.extend(folded(counted(rest.len(), "more form"), rest));
}

fn section(part: &LispExplanation, form: &LispForm) -> Section {
    // The first reasons are the most specific; the rest repeat them for other types.
    const REASONS: usize = 3;
    let share = form.samples.map_or(String::new(), |samples| {
        format!(" ({} of the samples)", percent(samples as f64 / part.samples.max(1) as f64))
    });
    let code = Code { language: "lisp", text: form.form.clone(), ..Code::default() };
    let mut reasons: Vec<Line> = Vec::new();
    let mut more: Vec<Line> = Vec::new();
    for all in [&form.what, &form.why] {
        let (first, rest) = all.split_at(REASONS.min(all.len()));
        reasons.extend(first.iter().cloned().map(Line::from));
        more.extend(rest.iter().cloned().map(Line::from));
    }
    let mut blocks = vec![Block::Code(code), Block::List(reasons)];
    let title = counted(more.len(), "more reason");
    let more = (!more.is_empty()).then_some(Block::List(more)).into_iter().collect();
    blocks.extend(folded(title, more));
    Section::new(line![Span::code(form.within.clone()), share], blocks)
}

#[cfg(test)]
mod tests {
    use page::markdown;
    use page::terminal::{Folds, render};

    use super::*;

    fn example() -> LispExplanation {
        let function = |number: u64| LispFunction {
            name: format!("FUNCTION-{number}"),
            itself: 20 - number,
            total: 20 - number,
            share: SampledShare { share: (20 - number) as f64 / 100.0, low: 0.0, high: 1.0 },
        };
        let reasons = |word: &str| (0..4).map(|number| format!("{word} {number}")).collect();
        let form = LispForm {
            within: "DEFUN SQUARES".to_owned(),
            form: "(* NUMBER NUMBER)".to_owned(),
            notes: 8,
            what: reasons("what"),
            why: reasons("why"),
            samples: Some(20),
        };
        LispExplanation {
            subject: "squares.lisp".to_owned(),
            compiler: "SBCL 2.2.9".to_owned(),
            samples: 100,
            functions: (0..12).map(function).collect(),
            forms: vec![form],
        }
    }

    #[test]
    fn the_costliest_function_comes_first_and_the_rest_is_folded() {
        let page = page(&example());
        let shown = |folds| anstream::adapter::strip_str(&render(&page, 80, folds)).to_string();
        let closed = shown(Folds::Closed);
        let answer = "`FUNCTION-0` takes most time itself: 20 % of the samples.";
        assert_eq!(closed.lines().nth(1), Some(answer));
        assert!(closed.contains("FUNCTION-9") && closed.contains("`-v` shows 2 more functions"));
        assert!(!closed.contains("FUNCTION-10") && !closed.contains("why 3"), "{closed}");
        let open = shown(Folds::Open);
        assert!(open.contains("FUNCTION-11") && open.contains("why 3"), "{open}");
        let markdown = markdown::render(&page);
        assert!(markdown.contains("`FUNCTION-11`") && markdown.contains("* why 3"), "{markdown}");
    }
}
