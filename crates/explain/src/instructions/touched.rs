//! The functions whose cost changed between two commits, joined with what the difference touches and
//! with the machine code of both programs.

use std::collections::{BTreeMap, BTreeSet};

use findings::cause::ChangedFunction;
use findings::instructions::file_name;
use judge::cause::{CodeChange, FunctionEvidence};
use toolchains::machine_code::FunctionCode;
use toolchains::source_change::bare_name;

use super::difference::{Change, Elsewhere, Fate, ProgramCounts, changes};
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
        let name = bare_name(&change.name);
        let is_named =
            touched.iter().any(|text| text.functions.contains(name) || text.added.contains(name));
        is_ours && (is_named || lines.functions.contains(&change.name))
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
            counts: [change.before.middle(), change.after.middle()],
            of_program: change.change() as f64 / program,
            touched: is_touched(change),
            code: code_change(change, codes),
            compiled: compiled(change, codes).filter(|_| !is_new(change)),
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
                let is_inside = |text: &&TouchedText| {
                    let lines = if is_newer { &text.after } else { &text.before };
                    lines.iter().any(|lines| lines.contains(&number))
                };
                if files[line.file].iter().any(is_inside) {
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
    match (&change.fate, codes) {
        (_, [Some(old), Some(new)]) if old.is_same(new) => CodeChange::Same,
        (_, [Some(_), Some(_)]) => CodeChange::Other,
        (Fate::Vanished(_) | Fate::Appeared(_), _) => CodeChange::OneSided,
        (Fate::Both, _) => CodeChange::Unread,
    }
}

/// The way in which a function was compiled otherwise, in words; `None` if none is seen.
fn compiled(change: &Change, codes: [Option<&FunctionCode>; 2]) -> Option<String> {
    let host = |elsewhere: &Option<Elsewhere>| elsewhere.as_ref().map(|it| it.function.clone());
    match &change.fate {
        Fate::Vanished(elsewhere) => return Some(format!("inlined in `{}` now", host(elsewhere)?)),
        Fate::Appeared(elsewhere) => {
            return Some(format!("no longer inlined in `{}`", host(elsewhere)?));
        }
        Fate::Both => {}
    }
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
        assert_eq!(compared.changed[0].counts, [800, 900]);
        assert!((compared.evidence[0].share - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_function_that_is_no_longer_inlined_says_where_it_was() {
        let old = program("ob=p\nfl=a.c\nfn=main\n1 5\n7 10\n8 50\n");
        let new =
            program("ob=p\nfl=a.c\nfn=main\n1 5\ncfn=add\ncalls=9 7\n1 90\nfn=add\n7 30\n8 90\n");
        let compared = compared(side(&old), side(&new), &[]);
        let add = compared.changed.iter().find(|one| one.name == "add").expect("it changed");
        assert_eq!(add.compiled.as_deref(), Some("no longer inlined in `main`"));
        assert_eq!(add.code, CodeChange::OneSided);
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
