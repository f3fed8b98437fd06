//! The causes of changes between commits: a sentence for each, then the hunks with their proofs, and
//! what was found innocent.

use draw::flame::Flame;
use findings::cause::{
    Cause, ChangedFunction, CounterBuilt, FunctionWork, HunkSearch, ProvedHunks,
};
use findings::instructions::StackKind;
use findings::short;
use judge::cause::{CauseClass, Certainty, CodeChange};
use page::{Block, Line, Span, line};
use words::counted;
use words::quantity::{grouped, percent};

use crate::history::commit_span;
use crate::instructions::flame_of;
use crate::time_profile::more_or_less;

/// The blocks about these causes.
pub(crate) fn blocks<'a>(causes: impl IntoIterator<Item = &'a Cause>) -> Vec<Block> {
    causes.into_iter().flat_map(of_one).collect()
}

fn of_one(cause: &Cause) -> [Block; 2] {
    let commit = commit_span(&cause.commit);
    let name = cause.benchmark.as_ref().map(|name| line![Span::code(name), ", "]);
    let first = line![commit, ": ", name.unwrap_or_default(), because(cause)];
    let rest = functions(cause).into_iter().chain(hunks(cause));
    let rest = rest.chain(counter_builds(&cause.counter_builds)).chain(innocent(cause));
    let open = cause.open.iter().map(|reason| line!["open: ", Line::of_message(reason)]);
    [Block::Sentence(first), Block::List(rest.chain(open).collect())]
}

/// The flame graph of a change; `None` if the stacks are not known.
pub(crate) fn flame(cause: &Cause) -> Option<Flame> {
    let stacks = cause.stacks.as_ref()?;
    let unit = match stacks.kind {
        StackKind::Unwound => "ns",
        StackKind::Callers | StackKind::Objects => "instructions",
        StackKind::Allocations => "bytes",
    };
    Some(flame_of(&[short(&cause.from), short(&cause.commit)], stacks, unit))
}

/// The class, as a sentence.
fn because(cause: &Cause) -> Line {
    let likely = match cause.certainty {
        Some(Certainty::Likely) => "probably ",
        Some(Certainty::Proved) | None => "",
    };
    let lead = cause.functions.first();
    let then = |lead: Option<&ChangedFunction>| {
        lead.map_or_else(Line::default, |one| line![": ", work(one)])
    };
    let reason = match (cause.class, lead) {
        (CauseClass::Source, Some(one)) if one.touched => line!["because ", work(one)],
        (CauseClass::Source, Some(one)) => line!["because its source changed: ", work(one)],
        (CauseClass::Source, None) => "because its source changed".into(),
        (CauseClass::CompiledOtherwise, lead) => {
            line!["because code that it does not change was compiled otherwise", then(lead)]
        }
        (CauseClass::Layout, _) => "because the same code lies elsewhere".into(),
        (CauseClass::Dependency, lead) => {
            line!["because of a dependency, the compiler, or the way of building", then(lead)]
        }
        (CauseClass::Input, lead) => line!["because of a file that the program reads", then(lead)],
        (CauseClass::Waiting, _) => line![
            "because the program waits: at least ",
            percent(cause.waiting_share.unwrap_or_default()),
            " of the change is not its own work on the processor"
        ],
        (CauseClass::Open, _) => "the cause is open".into(),
    };
    line![likely, reason]
}

/// `` `parse_header` executes 31 % more instructions (5.9 % of the program's) ``, or
/// `` `parse_header` takes 68 ms [39, 96] more (6.7 % of the program's time) ``.
fn work(function: &ChangedFunction) -> Line {
    let of_program = percent(function.of_program.abs());
    let name = Span::code(&function.name);
    let [before, after] = match function.work {
        FunctionWork::Counts(counts) => counts,
        FunctionWork::SecondsMore(change) => {
            let of_time = format!(" ({of_program} of the program's time, from samples)");
            return line![name, " takes ", more_or_less(change), of_time];
        }
    };
    // Its code is a part of another function in one of the programs.
    let is_elsewhere = function.code == CodeChange::Other;
    let sided = |fate: &'static str| {
        line![name.clone(), fate, ", with ", of_program.clone(), " of the program's instructions"]
    };
    match (before, after) {
        (0, _) if is_elsewhere => sided(" runs by itself now"),
        (0, _) => sided(" is new"),
        (_, 0) if is_elsewhere => sided(" no longer runs by itself"),
        (_, 0) => sided(" is gone"),
        (before, after) => {
            let ratio = after as f64 / before as f64;
            let (size, word) = match ratio {
                2.0.. => (format!("{ratio:.3} times as many"), ""),
                1.0.. => (percent(ratio - 1.0), " more"),
                _ => (percent(1.0 - ratio), " fewer"),
            };
            line![
                name,
                " executes ",
                size,
                word,
                " instructions (",
                of_program,
                " of the program's)"
            ]
        }
    }
}

/// The other functions, and the way in which each was compiled otherwise.
fn functions(cause: &Cause) -> Vec<Line> {
    let how = |function: &ChangedFunction| {
        let compiled = function.compiled.as_deref().map(|text| line![", ", Line::of_message(text)]);
        let code = match (function.touched, function.code) {
            (true, _) => "",
            (false, CodeChange::Same) => ", with the same machine code",
            (false, CodeChange::Other) => ", untouched, with other machine code",
            (false, CodeChange::OneSided | CodeChange::Unread) => "",
        };
        line![code, compiled.unwrap_or_default()]
    };
    let lead = cause.functions.first().map(|one| (Span::code(&one.name), how(one)));
    let lead = lead.filter(|(_, how)| !how.text().is_empty());
    let lead = lead.map(|(name, how)| line![name, how]);
    let others = cause.functions.iter().skip(1).map(|one| line![work(one), how(one)]);
    lead.into_iter().chain(others).collect()
}

/// The hunks that make the change, with their proofs.
fn hunks(cause: &Cause) -> Vec<Line> {
    let Some(found) = &cause.hunks else { return Vec::new() };
    let mut lines: Vec<Line> = found.guilty.iter().map(|one| proved(one, found)).collect();
    match &found.open {
        Some(reason) => {
            let of = counted(found.total, "hunk");
            let programs = counted(found.programs, "program");
            let reason = Line::of_message(reason);
            lines.push(line!["which of its ", of, " is open after ", programs, ": ", reason]);
        }
        None if found.guilty.is_empty() => {
            lines.push(line!["none of its ", counted(found.total, "hunk"), " alone makes it"]);
        }
        None => {}
    }
    lines
}

fn proved(one: &ProvedHunks, found: &HunkSearch) -> Line {
    let numbers: Vec<String> = one.numbers.iter().map(ToString::to_string).collect();
    let which = match (numbers.len(), found.total) {
        (1, 1) => "it is its only hunk".to_owned(),
        (1, total) => format!("it is hunk {} of {total}", numbers[0]),
        (_, total) => format!("it is hunks {} of {total} together", numbers.join(", ")),
    };
    let places = one.places.iter().map(|place| Span::code(place).into());
    let functions = one.functions.iter().map(|name| Span::code(name).into());
    let within = match one.functions.is_empty() {
        true => Line::default(),
        false => line![" in ", Line::join(functions, ", ")],
    };
    let mut line = line![which, ", ", Line::join(places, ", "), within];
    if found.total > 1 {
        let amount = |ratio: f64| match found.exact {
            true => format!("exactly {ratio:.4}"),
            false => format!("about {ratio:.3}"),
        };
        let metric = words::label(&found.metric);
        let without = match one.without {
            Some(ratio) => line!["without it ", amount(ratio), " times the ", metric, " of before"],
            None => "without it the program does not build".into(),
        };
        line = line![line, ": ", without, ", with it alone ", amount(one.alone)];
    }
    if !one.needed.is_empty() {
        let needed: Vec<String> = one.needed.iter().map(ToString::to_string).collect();
        line = line![line, " (it does not build without ", needed.join(", "), ")"];
    }
    match one.proved {
        true => line,
        false => line![line, "; this is not proved"],
    }
}

/// Both commits, compiled otherwise: the build in which the change is gone, or else that none is.
fn counter_builds(all: &[CounterBuilt]) -> Option<Line> {
    let options = |one: &CounterBuilt| Span::code(&one.options);
    let Some(gone) = all.iter().find(|one| one.is_gone) else {
        let names = all.iter().map(|one| options(one).into());
        let line = line!["it remains with ", Line::join(names, ", and with ")];
        return (!all.is_empty()).then_some(line);
    };
    let line = match gone.remains == 0.0 {
        true => line!["with ", options(gone), " it is gone"],
        false => {
            let rest = percent(gone.remains.abs());
            line!["with ", options(gone), " it is gone but for ", rest]
        }
    };
    Some(match gone.is_remedy {
        true => line![line, ", and the program takes no more instructions than before: a remedy"],
        false => line,
    })
}

/// The functions that are touched and cost the same, and the hunks without effect.
fn innocent(cause: &Cause) -> Option<Line> {
    let count = cause.touched_without_effect;
    (count > 0).then(|| {
        let functions = match count {
            1 => "1 other function that it touches costs".to_owned(),
            _ => format!("{} other functions that it touches cost", grouped(count as u64)),
        };
        line![functions, " the same"]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use findings::time_profile::Bounded;
    use model::metric::{INSTRUCTIONS, WALL_TIME};
    use page::terminal::{self, Folds};

    fn cause() -> Cause {
        Cause {
            from: "a".repeat(40),
            commit: "b".repeat(40),
            benchmark: None,
            metric: WALL_TIME,
            class: CauseClass::Source,
            certainty: Some(Certainty::Proved),
            instructions_ratio: Some(1.059),
            waiting_share: Some(0.0),
            functions: vec![ChangedFunction {
                name: "parse_header".to_owned(),
                object: "prog".to_owned(),
                work: FunctionWork::Counts([1000, 1310]),
                of_program: 0.059,
                touched: true,
                code: CodeChange::Other,
                compiled: None,
            }],
            touched_without_effect: 4,
            hunks: Some(HunkSearch {
                total: 5,
                metric: INSTRUCTIONS,
                exact: true,
                programs: 2,
                guilty: vec![ProvedHunks {
                    numbers: vec![2],
                    places: vec!["src/parse.rs:214-231".to_owned()],
                    functions: vec!["parse_header".to_owned()],
                    needed: Vec::new(),
                    alone: 1.059,
                    without: Some(1.0003),
                    proved: true,
                }],
                open: None,
            }),
            counter_builds: Vec::new(),
            stacks: None,
            open: Vec::new(),
        }
    }

    fn said(cause: Cause) -> String {
        let page = page::Page { blocks: blocks([&cause]) };
        terminal::render(&page, 300, Folds::Closed)
    }

    #[test]
    fn a_cause_says_function_hunk_and_proof() {
        let text = said(cause());
        for expected in [
            "bbbbbbb: because `parse_header` executes 31 % more instructions (5.9 % of the program's)",
            "it is hunk 2 of 5, `src/parse.rs:214-231` in `parse_header`: without it exactly 1.0003 \
             times the instructions of before, with it alone exactly 1.0590",
            "4 other functions that it touches cost the same",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn each_class_has_its_words_and_what_is_not_proved_is_probable() {
        let of_class = |class| Cause { class, certainty: Some(Certainty::Likely), ..cause() };
        for (class, expected) in [
            (CauseClass::CompiledOtherwise, "probably because code that it does not change"),
            (CauseClass::Dependency, "probably because of a dependency, the compiler"),
            (CauseClass::Input, "probably because of a file that the program reads"),
            (CauseClass::Waiting, "probably because the program waits: at least"),
        ] {
            let text = said(of_class(class));
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        let open = Cause { class: CauseClass::Open, certainty: None, ..cause() };
        assert!(said(open).contains("the cause is open"));
    }

    #[test]
    fn sampled_functions_have_a_time_with_its_interval() {
        let [mut function] = <[ChangedFunction; 1]>::try_from(cause().functions).expect("one");
        let change = Bounded { value: 0.068, low: 0.039, high: 0.096 };
        function.work = FunctionWork::SecondsMore(change);
        let text = said(Cause { functions: vec![function], ..cause() });
        let expected = "because `parse_header` takes 68 ms [39, 96] more (5.9 % of the program's time, \
                        from samples)";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn options_without_the_change_are_named_and_those_that_also_cure_it() {
        let built = |options: &str, remains: f64, is_remedy| CounterBuilt {
            options: options.to_owned(),
            counts: [1000, 1000],
            remains,
            is_gone: remains < 0.2,
            is_remedy,
        };
        let text = |all: &[CounterBuilt]| {
            said(Cause {
                counter_builds: all.to_vec(),
                class: CauseClass::CompiledOtherwise,
                ..cause()
            })
        };
        let both = text(&[built("codegen-units=1", 0.9, false), built("lto=\"fat\"", 0.0, true)]);
        assert!(both.contains(
            "with `lto=\"fat\"` it is gone, and the program takes no more instructions than before: a \
             remedy"
        ));
        let one = text(&[built("-fno-inline", 0.1, false)]);
        assert!(one.contains("with `-fno-inline` it is gone but for 10 %"), "{one}");
        assert!(text(&[built("-flto", 1.0, false)]).contains("it remains with `-flto`"));
    }

    #[test]
    fn what_stays_open_is_said_with_its_reason() {
        let search = cause().hunks.expect("searched");
        let search = HunkSearch {
            guilty: Vec::new(),
            open: Some("the search took 9.0 s".to_owned()),
            ..search
        };
        let reason = "counting by function would take about 2 min".to_owned();
        let text = said(Cause { hunks: Some(search), open: vec![reason], ..cause() });
        let expected = "which of its 5 hunks is open after 2 programs: the search took 9.0 s";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("open: counting by function would take about 2 min"), "{text}");
    }
}
