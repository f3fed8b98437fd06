//! The functions whose cost changed between two commits, joined with what the difference touches and
//! with the machine code of both programs.

use std::collections::{BTreeMap, BTreeSet};

use findings::cause::{ChangedFunction, FunctionWork};
use findings::instructions::file_name;
use findings::time_profile::{SampledFunction, TimeProfile};
use judge::cause::{CodeChange, FunctionEvidence};
use toolchains::machine_code::FunctionCode;
use toolchains::source_change::bare_name;

use super::difference::{Change, Elsewhere, Evidence, Fate, ProgramCounts, changes};
use super::profiling::NO_SYMBOL;

/// A changed piece of a source, with what it touches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TouchedText {
    /// The path of its file in the repository.
    pub path: String,
    /// The lines that changed in the older commit, from 1.
    pub before: Vec<std::ops::Range<usize>>,
    /// The lines that changed in the newer commit, from 1.
    pub after: Vec<std::ops::Range<usize>>,
    /// The functions that it touches, by their names alone.
    pub functions: BTreeSet<String>,
    /// The functions that it adds, by their names alone.
    pub added: BTreeSet<String>,
}

impl TouchedText {
    /// True if this line of the newer commit, or else of the older one, is among those that changed.
    fn has(&self, line: usize, is_newer: bool) -> bool {
        let lines = if is_newer { &self.after } else { &self.before };
        lines.iter().any(|lines| lines.contains(&line))
    }
}

/// One of two programs.
#[derive(Debug, Clone, Copy)]
pub struct CountedSide<'a> {
    /// Its counts.
    pub counts: &'a ProgramCounts,
    /// Its machine code; `None` if it cannot be read.
    pub code: Option<&'a BTreeMap<String, FunctionCode>>,
}

/// The functions of two programs.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFunctions {
    /// Those that changed most, the largest change first.
    pub changed: Vec<ChangedFunction>,
    /// The evidence that each of these gives.
    pub evidence: Vec<FunctionEvidence>,
    /// The number of touched functions that ran and cost the same.
    pub touched_without_effect: usize,
    /// The names, alone, of all functions that ran.
    pub ran: BTreeSet<String>,
}

/// The number of functions that are told.
const MOST: usize = 5;

/// The least share of the change that is told.
const LEAST_SHARE: f64 = 0.05;

/// Folders of libraries that come with the system.
const OF_THE_SYSTEM: [&str; 4] = ["/usr/", "/lib", "/opt/", "/nix/"];

/// Compares the functions of an older and a newer program.
pub fn compared(
    before: CountedSide<'_>,
    after: CountedSide<'_>,
    touched: &[TouchedText],
) -> ComparedFunctions {
    let all = changes(before.counts, after.counts);
    let total: i128 = all.iter().map(Change::change).sum();
    let program = before.counts.total().middle().max(1) as f64;
    let lines = TouchedLines::new(before, after, touched);
    let is_touched = |change: &Change| {
        let is_ours = !OF_THE_SYSTEM.iter().any(|folder| change.object.starts_with(folder));
        is_named(&change.object, &change.name, touched)
            || is_ours && lines.functions.contains(&change.name)
    };
    let share = |change: &Change| match total {
        0 => 0.0,
        total => change.change() as f64 / total as f64,
    };
    let named = all.iter().filter(|change| change.name != NO_SYMBOL && change.change() != 0);
    let is_told = |change: &&Change| share(change).abs() >= LEAST_SHARE;
    let told: Vec<&Change> = named.filter(is_told).take(MOST).collect();
    let codes = |change: &Change| {
        [before, after].map(|side| side.code.and_then(|code| code.get(&change.name)))
    };
    let is_new = |change: &Change| {
        let name = bare_name(&change.name);
        touched.iter().any(|text| text.added.contains(name))
    };
    let function = |change: &&Change| {
        let codes = codes(change);
        ChangedFunction {
            name: change.name.clone(),
            object: file_name(&change.object).to_owned(),
            work: FunctionWork::Counts([change.before.middle(), change.after.middle()]),
            of_program: change.change() as f64 / program,
            touched: is_touched(change),
            code: code_change(change, codes),
            compiled: moved(change).or_else(|| compiled(codes)).filter(|_| !is_new(change)),
        }
    };
    let changed: Vec<ChangedFunction> = told.iter().map(function).collect();
    let evidence = changed.iter().zip(&told).map(|(function, change)| FunctionEvidence {
        share: share(change),
        touched: function.touched,
        code: function.code,
    });
    let is_equal = |change: &&Change| change.change() == 0 && is_touched(change);
    ComparedFunctions {
        evidence: evidence.collect(),
        touched_without_effect: all.iter().filter(is_equal).count(),
        ran: all.iter().map(|change| bare_name(&change.name).to_owned()).collect(),
        changed,
    }
}

/// Compares the functions of an older and a newer program by their samples. Those whose change is not
/// certain are not told. `codes` is the machine code of both; `None` if it cannot be read.
pub fn compared_samples(
    profile: &TimeProfile,
    codes: [Option<&BTreeMap<String, FunctionCode>>; 2],
    touched: &[TouchedText],
) -> ComparedFunctions {
    let is_touched = |function: &SampledFunction| {
        let is_inside = |path: &str, line: Option<u64>, is_newer| {
            let number = line.and_then(|line| usize::try_from(line).ok());
            let of_file = touched.iter().filter(|text| is_file(path, &text.path));
            number.is_some_and(|number| of_file.into_iter().any(|text| text.has(number, is_newer)))
        };
        let lines = &function.lines;
        is_named(&function.object, &function.name, touched)
            || lines.iter().any(|line| is_inside(&line.file, line.before_line, false))
            || lines.iter().any(|line| is_inside(&line.file, line.line, true))
    };
    let more = |function: &SampledFunction| function.change.map_or(0.0, |change| change.value);
    let named: Vec<&SampledFunction> =
        profile.functions.iter().filter(|function| function.named).take(MOST).collect();
    let total: f64 = named.iter().map(|function| more(function)).sum();
    let told = |function: &&SampledFunction| {
        let codes = codes.map(|code| code.and_then(|code| code.get(&function.name)));
        Some(ChangedFunction {
            name: function.name.clone(),
            object: file_name(&function.object).to_owned(),
            work: FunctionWork::SecondsMore(function.change?),
            of_program: function.relative?.value,
            touched: is_touched(function),
            code: compared_code(codes).unwrap_or(CodeChange::Unread),
            compiled: compiled(codes),
        })
    };
    let changed: Vec<ChangedFunction> = named.iter().filter_map(told).collect();
    let evidence = changed.iter().zip(&named).map(|(told, function)| FunctionEvidence {
        share: more(function) / total,
        touched: told.touched,
        code: told.code,
    });
    ComparedFunctions {
        evidence: evidence.collect(),
        touched_without_effect: 0,
        ran: profile.functions.iter().map(|one| bare_name(&one.name).to_owned()).collect(),
        changed,
    }
}

/// True if the difference names this function, of one of the project's own files.
fn is_named(object: &str, name: &str, touched: &[TouchedText]) -> bool {
    let is_ours = !OF_THE_SYSTEM.iter().any(|folder| object.starts_with(folder));
    let name = bare_name(name);
    let is_in = |text: &TouchedText| text.functions.contains(name) || text.added.contains(name);
    is_ours && touched.iter().any(is_in)
}

/// The functions, by readable names, of which a touched line ran.
struct TouchedLines {
    functions: BTreeSet<String>,
}

impl TouchedLines {
    fn new(before: CountedSide<'_>, after: CountedSide<'_>, touched: &[TouchedText]) -> Self {
        let mut functions = BTreeSet::new();
        for (side, is_newer) in [(before, false), (after, true)] {
            let counts = side.counts.first();
            let of_file = |path: &String| -> Vec<&TouchedText> {
                touched.iter().filter(|text| is_file(path, &text.path)).collect()
            };
            let files: Vec<Vec<&TouchedText>> = counts.files.iter().map(of_file).collect();
            for line in counts.lines.iter().filter(|line| line.line > 0 && line.count > 0) {
                let number = usize::try_from(line.line).unwrap_or(usize::MAX);
                if files[line.file].iter().any(|text| text.has(number, is_newer)) {
                    functions.insert(counts.functions[line.function].name.clone());
                }
            }
        }
        Self { functions }
    }
}

/// True if the path of debug information ends with this path of the repository, or the other way
/// round: compilers write paths relative to where they ran.
fn is_file(compiled: &str, in_repository: &str) -> bool {
    let is_end = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let compiled = compiled.trim_start_matches("./");
    !compiled.is_empty() && (is_end(compiled, in_repository) || is_end(in_repository, compiled))
}

fn code_change(change: &Change, codes: [Option<&FunctionCode>; 2]) -> CodeChange {
    let runs_elsewhere = |it: &Elsewhere| matches!(it.evidence, Evidence::Lines { .. });
    compared_code(codes).unwrap_or(match &change.fate {
        // Its lines are a part of another function in one of the programs.
        Fate::Vanished(Some(it)) | Fate::Appeared(Some(it)) if runs_elsewhere(it) => {
            CodeChange::Other
        }
        Fate::Vanished(_) | Fate::Appeared(_) => CodeChange::OneSided,
        Fate::Both => CodeChange::Unread,
    })
}

fn compared_code(codes: [Option<&FunctionCode>; 2]) -> Option<CodeChange> {
    let [Some(old), Some(new)] = codes else { return None };
    Some(if old.is_same(new) { CodeChange::Same } else { CodeChange::Other })
}

/// The function that a function is a part of in only one of the programs, in words.
fn moved(change: &Change) -> Option<String> {
    let host = |elsewhere: &Option<Elsewhere>| elsewhere.as_ref().map(|it| it.function.clone());
    match &change.fate {
        Fate::Vanished(elsewhere) => Some(format!("inlined in `{}` now", host(elsewhere)?)),
        Fate::Appeared(elsewhere) => Some(format!("no longer inlined in `{}`", host(elsewhere)?)),
        Fate::Both => None,
    }
}

/// The way in which a function was compiled otherwise, in words; `None` if none is seen.
fn compiled(codes: [Option<&FunctionCode>; 2]) -> Option<String> {
    let [Some(old), Some(new)] = codes else { return None };
    if old.is_same(new) {
        return None;
    }
    match (old.packed, new.packed) {
        (0, 1..) => return Some("vectorised now".to_owned()),
        (1.., 0) => return Some("no longer vectorised".to_owned()),
        _ => {}
    }
    let only = |one: &FunctionCode, other: &FunctionCode| {
        one.calls.keys().find(|name| !other.calls.contains_key(*name)).cloned()
    };
    let called = only(new, old).map(|name| format!("calls `{name}`, which it did not before"));
    called.or_else(|| only(old, new).map(|name| format!("no longer calls `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::instructions::profiling::counts;
    use findings::instructions::CountedLine;
    use findings::time_profile::Bounded;
    use toolchains::callgrind::Reader;

    fn program(text: &str) -> ProgramCounts {
        let mut reader = Reader::new(None);
        reader.take(b"events: Ir\n");
        reader.take(text.as_bytes());
        ProgramCounts { runs: vec![counts(&[reader.finish().expect("a sound profile")])] }
    }

    fn side(counts: &ProgramCounts) -> CountedSide<'_> {
        CountedSide { counts, code: None }
    }

    fn touching(path: &str, after: std::ops::Range<usize>, functions: &[&str]) -> TouchedText {
        TouchedText {
            path: path.to_owned(),
            before: Vec::new(),
            after: vec![after],
            functions: functions.iter().map(|&name| name.to_owned()).collect(),
            added: BTreeSet::new(),
        }
    }

    #[test]
    fn functions_are_touched_by_their_names_or_by_their_lines() {
        let old = program(
            "ob=p\nfl=src/a.c\nfn=f\n3 100\nfn=g\n9 50\nfn=main\n20 10\nob=/lib/c.so\nfn=h\n0 5\n",
        );
        let new = program(
            "ob=p\nfl=src/a.c\nfn=f\n3 130\nfn=g\n9 55\nfn=main\n20 10\nob=/lib/c.so\nfn=h\n0 9\n",
        );
        let found = |touched: &[TouchedText]| {
            let compared = compared(side(&old), side(&new), touched);
            let names = compared.changed.iter().filter(|one| one.touched);
            let names: Vec<String> = names.map(|one| one.name.clone()).collect();
            (names, compared.touched_without_effect)
        };
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(found(&[touching("x.c", 1..2, &["f", "main", "h"])]), (names(&["f"]), 1));
        assert_eq!(found(&[touching("src/a.c", 9..10, &[])]), (names(&["g"]), 0));
        assert_eq!(found(&[touching("other/src/a.c", 1..99, &[])]), (names(&["f", "g"]), 1));
        assert_eq!(found(&[touching("b.c", 1..99, &[])]), (names(&[]), 0));
    }

    #[test]
    fn changes_are_shares_of_the_whole_program() {
        let old = program("ob=p\nfn=f\n0 800\nfn=g\n0 200\n");
        let new = program("ob=p\nfn=f\n0 900\nfn=g\n0 200\n");
        let compared = compared(side(&old), side(&new), &[]);
        assert_eq!(compared.changed.len(), 1);
        assert!((compared.changed[0].of_program - 0.1).abs() < 1e-12);
        assert_eq!(compared.changed[0].work, FunctionWork::Counts([800, 900]));
        assert!((compared.evidence[0].share - 1.0).abs() < 1e-12);
    }

    #[test]
    fn of_samples_only_functions_whose_change_is_certain_are_told() {
        let bounded = |value| Bounded { value, low: value - 0.02, high: value + 0.02 };
        let function = |name: &str, named, line| SampledFunction {
            name: name.to_owned(),
            object: "/code/prog".to_owned(),
            seconds: vec![1.0, 1.06],
            share: None,
            inclusive: None,
            change: Some(bounded(0.06)),
            relative: Some(bounded(0.03)),
            part_of_change: None,
            named,
            fate: None,
            lines: vec![CountedLine {
                file: "/code/src/a.c".to_owned(),
                before_line: None,
                line: Some(line),
                text: None,
                counts: vec![3, 9],
            }],
        };
        let profile = TimeProfile {
            variants: Vec::new(),
            functions: vec![
                function("f", true, 5),
                function("g", true, 9),
                function("h", false, 5),
            ],
            rounds: 12,
            confidence: 0.95,
            change: None,
            no_inclusive: None,
            notes: Vec::new(),
            stacks: None,
        };
        let compared = compared_samples(&profile, [None; 2], &[touching("src/a.c", 5..6, &[])]);
        let told: Vec<_> =
            compared.changed.iter().map(|one| (one.name.as_str(), one.touched, one.code)).collect();
        assert_eq!(told, [("f", true, CodeChange::Unread), ("g", false, CodeChange::Unread)]);
        assert_eq!(compared.changed[0].work, FunctionWork::SecondsMore(bounded(0.06)));
        assert!((compared.evidence[0].share - 0.5).abs() < 1e-12);
        assert!(compared.ran.contains("h"));
    }

    #[test]
    fn a_function_that_is_no_longer_inlined_says_where_it_was() {
        let old = program("ob=p\nfl=a.c\nfn=main\n1 5\n7 10\n8 50\n");
        let new =
            program("ob=p\nfl=a.c\nfn=main\n1 5\ncfn=add\ncalls=9 7\n1 90\nfn=add\n7 30\n8 90\n");
        let compared = compared(side(&old), side(&new), &[]);
        let add = compared.changed.iter().find(|one| one.name == "add").expect("it changed");
        assert_eq!(add.compiled.as_deref(), Some("no longer inlined in `main`"));
        assert_eq!(add.code, CodeChange::Other, "its lines ran within `main`");
    }

    #[test]
    fn paths_of_debug_information_may_be_longer_or_shorter() {
        for (compiled, path, is_it) in [
            ("/build/src/a.c", "src/a.c", true),
            ("./a.c", "src/a.c", true),
            ("a.c", "a.c", true),
            ("aa.c", "a.c", false),
            ("/build/b/a.c", "src/a.c", false),
            ("", "a.c", false),
        ] {
            assert_eq!(is_file(compiled, path), is_it, "{compiled} {path}");
        }
    }
}
