//! The evidence against equal work, in words.
//!
//! The output of variants and the way they end are compared. Both may be right although the work
//! was not done: a list that was freed while in use was summed correctly, and a tree whose equal
//! branches a compiler shared was counted without being built. So their allocations, memory and
//! instructions are examined as well; alone, these raise only a suspicion, as another algorithm may
//! be the reason.

use findings::{Document, EqualWork, OutputDifference, ProgramOutput, Suspicion};
use model::metric::{ALLOCATED, MetricId, PEAK_RSS};
use model::run::HEAD_BYTES;
use page::{Line, Span, line};
use words::names::named;
use words::quantity::quantity;

use super::notes::Name;

/// The findings on the variants' work: warnings of unequal work, and neutral remarks.
pub(super) fn findings(document: &Document) -> [Vec<Line>; 2] {
    let Some(part) = &document.equal_work else { return [Vec::new(), Vec::new()] };
    let called: Name<'_> = &|variant| called(document, variant);
    let differences = part.differences.iter().map(|one| difference(called, part, one));
    let suspicions = part.suspicions.iter().map(|one| suspicion(called, one));
    [differences.chain(suspicions).collect(), remarks(called, part)]
}

/// The differences alone, in one line, as the reason for ending with trouble; `None` if there are
/// none.
pub fn trouble(document: &Document) -> Option<String> {
    let differences = &document.equal_work.as_ref()?.differences;
    let candidates = |baseline: u32| {
        let its = differences.iter().filter(|part| part.baseline == baseline);
        Line::join(its.map(|part| called(document, part.candidate)), ", ")
    };
    let mut baselines: Vec<u32> = differences.iter().map(|part| part.baseline).collect();
    baselines.dedup();
    let told = baselines.iter().map(|&b| line![candidates(b), " against ", called(document, b)]);
    let told = Line::join(told, "; ").to_string();
    (!told.is_empty()).then(|| format!("the commands do not do the same work: {told}"))
}

/// A variant's name, with its letter except for the points of a sweep.
fn called(document: &Document, variant: u32) -> Line {
    let point = document.sweep().and_then(|_| document.variants.get(variant as usize));
    point.map_or_else(|| named(document, variant), |point| Span::code(&point.name).into())
}

fn output_of(part: &EqualWork, variant: u32) -> Option<&ProgramOutput> {
    part.outputs.iter().find(|output| output.variant == variant)
}

fn size(part: &EqualWork, variant: u32) -> String {
    let bytes = output_of(part, variant).and_then(|output| output.bytes);
    bytes.map_or_else(|| "?".to_owned(), |bytes| words::counted(bytes, "byte"))
}

fn difference(called: Name<'_>, part: &EqualWork, one: &OutputDifference) -> Line {
    let (a, b) = (|| called(one.baseline), || called(one.candidate));
    let mut clauses = Vec::new();
    if one.prints_differ {
        let place = match one.first {
            Some(spot) => format!("first at byte {}, in line {}", spot.byte, spot.line),
            None => format!("beyond the first {HEAD_BYTES} bytes"),
        };
        let sizes = (size(part, one.candidate), size(part, one.baseline));
        let differ = format!(" prints: {} and {}, which differ {place}", sizes.0, sizes.1);
        clauses.push(line![b(), " does not print what ", a(), differ]);
    }
    if let Some((ended, its)) = &one.ends {
        clauses.push(line![b(), format!(" {its}, and "), a(), format!(" {ended}")]);
    }
    Line::join(clauses, "; ").and("; check that both were given the same work")
}

fn suspicion(called: Name<'_>, one: &Suspicion) -> Line {
    let other = if one.variant == one.baseline { one.candidate } else { one.baseline };
    let unit = one.metric.unit();
    let what = format!(
        " has {} {}{} where ",
        quantity(one.value, unit),
        words::label(&one.metric),
        one.source.mark()
    );
    let rest = format!(
        " has {}: it may not have done the work; check {}",
        quantity(one.other_value, unit),
        to_check(&one.metric)
    );
    line![called(one.variant), what, called(other), rest]
}

/// The first thing to check, by the metric that is too low.
fn to_check(id: &MetricId) -> &'static str {
    match id {
        id if *id == ALLOCATED => {
            "that it builds what it should, instead of sharing it or \
            leaving it out"
        }
        id if *id == PEAK_RSS => "that it keeps what it should, instead of freeing it while in use",
        _ => "that it computes its result",
    }
}

fn remarks(called: Name<'_>, part: &EqualWork) -> Vec<Line> {
    let mut remarks: Vec<Line> = Vec::new();
    for output in &part.outputs {
        let its = called(output.variant);
        if let Some(reason) = &output.missing {
            let unread = " prints was not read, so it could not be compared: ";
            remarks.push(line!["what ", its, unread, reason.clone()]);
        } else if output.repeatable == Some(false) {
            let unsteady =
                " does not print the same twice, so its output says nothing about its work";
            remarks.push(line![its, unsteady]);
        }
    }
    let is_known =
        |output: &ProgramOutput| output.missing.is_none() && output.repeatable != Some(false);
    let known = part.outputs.iter().filter(|output| is_known(output));
    let is_whole = known.clone().count() == part.outputs.len();
    if part.differences.is_empty() && is_whole {
        let silent = known.clone().all(|output| output.bytes == Some(0));
        remarks.push(
            match silent {
                true => "no command prints anything, so their output says nothing about their work",
                false => "every command prints the same as its baseline",
            }
            .into(),
        );
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::letter;
    use model::metric::Source;

    fn printed(variant: u32, bytes: u64, repeatable: Option<bool>) -> ProgramOutput {
        ProgramOutput {
            variant,
            bytes: Some(bytes),
            sha256: Some(String::new()),
            exit_status: Some(0),
            repeatable,
            missing: None,
        }
    }

    #[test]
    fn equal_output_is_told_only_where_all_of_it_is_known() {
        let remarks = |outputs: Vec<ProgramOutput>| -> Vec<String> {
            let part = EqualWork { outputs, ..EqualWork::default() };
            remarks(&|variant| letter(variant).into(), &part).iter().map(Line::text).collect()
        };
        let same = remarks(vec![printed(0, 6, None), printed(1, 6, None)]);
        assert_eq!(same, ["every command prints the same as its baseline"]);
        let silent = remarks(vec![printed(0, 0, None), printed(1, 0, None)]);
        assert!(silent[0].contains("says nothing"), "{silent:?}");
        let unsteady = remarks(vec![printed(0, 6, Some(true)), printed(1, 6, Some(false))]);
        assert_eq!(unsteady.len(), 1, "{unsteady:?}");
        assert!(unsteady[0].starts_with("B does not print the same twice"), "{unsteady:?}");
        let unread = ProgramOutput { missing: Some("hidden".to_owned()), ..printed(0, 6, None) };
        let unread = remarks(vec![unread, printed(1, 6, None)]);
        assert_eq!(unread.len(), 1, "{unread:?}");
        assert!(unread[0].ends_with("hidden"), "{unread:?}");
    }

    #[test]
    fn a_suspicion_names_both_values_and_what_to_check() {
        let told = suspicion(
            &|variant| letter(variant).into(),
            &Suspicion {
                baseline: 0,
                candidate: 1,
                metric: ALLOCATED,
                source: Source::Runtime,
                variant: 1,
                value: 56_000.0,
                other_value: 50.3e6,
            },
        );
        assert_eq!(
            told.text(),
            "B has 56.00 kB allocated (runtime) where A has 50.30 MB: it may not have done the \
             work; check that it builds what it should, instead of sharing it or leaving it out"
        );
    }
}
