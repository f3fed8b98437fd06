//! The functions that execute a program's instructions, and their change from one program to
//! another.
//!
//! [`profiling`] turns callgrind's profiles into functions as users know them, and [`allocations`]
//! those of DHAT; [`difference`] aligns those of two programs; [`finding`] is the report, with
//! source lines.

pub mod allocations;
pub mod difference;
pub mod finding;
pub mod profiling;
pub mod touched;

#[cfg(test)]
mod tests {
    use toolchains::callgrind::{Profile, Reader};

    use findings::instructions::{Range, StackKind};

    use super::difference::{
        Change, Elsewhere, Evidence, Fate, ProgramCounts, aligned_objects, changes,
    };
    use super::finding::{Side, changed_lines};
    use super::profiling::{Counts, NO_SYMBOL, counts, stacks};

    fn profile(text: &str) -> Profile {
        let mut reader = Reader::new(None);
        reader.take(b"events: Ir\n");
        reader.take(text.as_bytes());
        reader.finish().expect("a sound profile")
    }

    fn run(text: &str) -> Counts {
        counts(&[profile(text)])
    }

    fn measured(runs: &[&str]) -> ProgramCounts {
        ProgramCounts { runs: runs.iter().map(|text| run(text)).collect() }
    }

    fn named<'a>(changes: &'a [Change], name: &str) -> &'a Change {
        changes.iter().find(|change| change.name == name).expect("a function of this name")
    }

    #[test]
    fn symbols_of_one_name_are_one_function() {
        let counted = run("ob=p\nfl=a.c\nfn=f\n1 5\nfn=f'2\n1 6\nfn=f.constprop.0\n2 7\n\
                           fn=0x0000000000001080\n0 1\nfn=???\n0 2\nob=q\nfn=f\n1 10\n");
        let found: Vec<_> = counted
            .functions
            .iter()
            .map(|f| (f.object.as_str(), f.name.as_str(), f.count, f.symbols))
            .collect();
        let expected = [("p", "f", 18, 2), ("p", NO_SYMBOL, 3, 2), ("q", "f", 10, 1)];
        assert_eq!(found, expected);
        assert_eq!(counted.total, 31);
        let of_f: Vec<_> =
            counted.lines.iter().filter(|l| l.function == 0).map(|l| (l.line, l.count)).collect();
        assert_eq!(of_f, [(1, 11), (2, 7)]);
    }

    #[test]
    fn the_processes_of_a_run_add_up() {
        let one = "cmd: /bin/sh x\nob=/bin/sh\nfn=main\n1 5\nob=/lib/libc.so\nfn=read\n1 1\n";
        let other = "cmd: p\nob=p\nfn=main\n1 7\nob=/lib/libc.so\nfn=read\n1 2\n";
        let counted = counts(&[profile(one), profile(other)]);
        assert_eq!(counted.total, 15);
        assert_eq!(counted.functions.len(), 3);
        assert_eq!((counted.functions[1].count, counted.functions[1].symbols), (3, 1));
        assert_eq!(counted.program.as_deref(), Some("/bin/sh"));
    }

    /// `f` calls itself and `g`; the calls of the inner level are part of the outer one.
    #[test]
    fn inclusive_counts_take_recursion_once() {
        let text = "fn=main\n1 1\ncfn=f\ncalls=1 1\n1 99\nfn=f\n1 9\ncfn=f'2\ncalls=1 1\n1 90\n\
                    fn=f'2\n1 40\ncfn=g\ncalls=5 1\n1 50\nfn=g\n1 50\n";
        let counted = run(text);
        assert_eq!(counted.inclusive, Ok(vec![100, 99, 50]));
    }

    #[test]
    fn code_of_ghc_has_no_inclusive_counts() {
        let counted =
            run("fn=hs_main\n1 1\ncfn=Main_main_info\ncalls=1 1\n1 5\nfn=schedule\n1 1\n\
                           fn=Main_main_info\n1 5\n");
        assert!(counted.has_ghc);
        assert!(counted.inclusive.is_err_and(|reason| reason.contains("tail calls")));
        assert_eq!(counted.functions[1].name, "Main.main");
    }

    #[test]
    fn a_program_and_itself_have_no_change() {
        let text = "ob=p\nfn=f\n1 5\nfn=g\n1 6\n";
        let same = changes(&measured(&[text, text]), &measured(&[text, text]));
        assert!(same.iter().all(|change| change.change() == 0 && change.fate == Fate::Both));
        assert_eq!(same.len(), 2);
    }

    #[test]
    fn changes_are_sorted_by_size_and_mirrored_by_swapping() {
        let old = measured(&["ob=p\nfn=f\n1 50\nfn=g\n1 6\nfn=gone\n1 1\n"]);
        let new = measured(&["ob=p\nfn=f\n1 20\nfn=g\n1 26\nfn=new\n1 2\n"]);
        let found = |a: &ProgramCounts, b: &ProgramCounts| -> Vec<(String, i128)> {
            changes(a, b).into_iter().map(|c| (c.name.clone(), c.change())).collect()
        };
        let there = found(&old, &new);
        let expected = [("f", -30), ("g", 20), ("new", 2), ("gone", -1)];
        assert_eq!(there, expected.map(|(name, change)| (name.to_owned(), change)));
        let back = found(&new, &old);
        assert_eq!(back, expected.map(|(name, change)| (name.to_owned(), -change)));
        assert_eq!(there.iter().map(|(_, change)| change).sum::<i128>(), 48 - 57);
    }

    #[test]
    fn runs_that_differ_make_a_range_and_no_certain_change() {
        let old = measured(&["fn=f\n1 50\nfn=g\n1 5\n", "fn=f\n1 54\nfn=g\n1 5\nfn=h\n1 1\n"]);
        let new = measured(&["fn=f\n1 53\nfn=g\n1 6\n", "fn=f\n1 57\nfn=g\n1 6\n"]);
        assert_eq!((old.is_exact(), new.is_exact()), (Some(false), Some(false)));
        assert_eq!(measured(&["fn=f\n1 1\n"]).is_exact(), None);
        let found = changes(&old, &new);
        let f = named(&found, "f");
        assert_eq!((f.before, f.after), (Range { low: 50, high: 54 }, Range { low: 53, high: 57 }));
        assert!(!f.is_certain());
        assert!(named(&found, "g").is_certain());
        let h = named(&found, "h");
        assert_eq!(h.before, Range { low: 0, high: 1 }, "a run without it is a run of 0");
        assert!(!h.is_certain());
    }

    #[test]
    fn executables_and_libraries_are_aligned_whatever_their_paths() {
        let old = run("cmd: old/a\nob=/x/old/a\nfn=f\n1 1\nob=/lib/libc-2.31.so\nfn=read\n1 1\n\
                       fn=write\n1 1\nob=/lib/ld.so\nfn=open\n1 1\n");
        let new = run("cmd: new/b\nob=/x/new/b\nfn=f\n1 1\nob=/lib/libc.so.6\nfn=read\n1 1\n\
                       ob=/usr/lib/ld.so\nfn=open\n1 1\nob=/lib/other.so\nfn=x\n1 1\n");
        let pairs = aligned_objects(&old, &new);
        let of = |new: &str| pairs.get(new).map(String::as_str);
        assert_eq!(of("/x/new/b"), Some("/x/old/a"));
        assert_eq!(of("/lib/libc.so.6"), Some("/lib/libc-2.31.so"));
        assert_eq!(of("/usr/lib/ld.so"), Some("/lib/ld.so"));
        assert_eq!(of("/lib/other.so"), None);
    }

    #[test]
    fn inlining_shows_in_the_lines() {
        let old =
            measured(&["ob=p\nfl=a.c\nfn=main\n1 5\ncfn=add\ncalls=9 7\n1 90\nfn=add\n7 30\n\
                              8 60\nfn=dead\n20 1\n"]);
        let new = measured(&["ob=p\nfl=b/a.c\nfn=main\n1 5\n7 10\n8 50\n"]);
        let found = changes(&old, &new);
        let elsewhere =
            |function: &str, evidence| Some(Elsewhere { function: function.to_owned(), evidence });
        let lines = Evidence::Lines { there: 2, of: 2 };
        assert_eq!(named(&found, "add").fate, Fate::Vanished(elsewhere("main", lines)));
        assert_eq!(named(&found, "dead").fate, Fate::Vanished(None));
        let back = changes(&new, &old);
        assert_eq!(named(&back, "add").fate, Fate::Appeared(elsewhere("main", lines)));
    }

    #[test]
    fn without_lines_inlining_is_a_guess_from_the_calls() {
        let calls = "cmd: old\nob=/x/old\nfn=main\n0 5\ncfn=add\ncalls=9 0\n0 90\nfn=other\n0 1\ncfn=add\ncalls=2 0\n0 9\n\
                     fn=add\n0 99\n";
        let found = changes(
            &measured(&[calls]),
            &measured(&["cmd: new\nob=/x/new\nfn=main\n0 50\nfn=other\n0 1\n"]),
        );
        let evidence = Evidence::Caller { calls: 9, more: 45 };
        let guess = Elsewhere { function: "main".to_owned(), evidence };
        assert_eq!(named(&found, "add").fate, Fate::Vanished(Some(guess)));
        let nobody = changes(&measured(&[calls]), &measured(&["fn=elsewhere\n0 50\n"]));
        assert_eq!(named(&nobody, "add").fate, Fate::Vanished(None));
    }

    #[test]
    fn lines_that_moved_are_the_same_where_their_text_is_known() {
        let old = run("fl=a.c\nfn=f\n1 5\n2 70\n");
        let new = run("fl=a.c\nfn=f\n2 5\n3 30\n");
        let texts = |first: u64| {
            move |_: &str, line: u64| {
                let place = usize::try_from(line - first).expect("small");
                ["start();", "loop();"].get(place).map(|&text| text.to_owned())
            }
        };
        let (old_text, new_text) = (texts(1), texts(2));
        let found = changed_lines(
            "f",
            Side { counts: &old, text: &old_text },
            Side { counts: &new, text: &new_text },
        );
        let shown: Vec<_> = found
            .iter()
            .map(|line| (line.text.as_deref(), line.line, line.before, line.after))
            .collect();
        let expected = [
            (Some("loop();"), (Some(2), Some(3)), 70, 30),
            (Some("start();"), (Some(1), Some(2)), 5, 5),
        ];
        assert_eq!(shown, expected);
        let unknown = |_: &str, _: u64| None;
        let sides = [&old, &new].map(|counts| Side { counts, text: &unknown });
        let by_number: Vec<_> = changed_lines("f", sides[0], sides[1])
            .iter()
            .map(|line| (line.line, line.before, line.after))
            .collect();
        let expected =
            [((Some(2), Some(2)), 70, 5), ((None, Some(3)), 0, 30), ((Some(1), None), 5, 0)];
        assert_eq!(by_number, expected);
    }

    const CALLERS: &str =
        "ob=p\nfn=main\n1 5\nfn=f'main\n1 7\nfn=f'2'main\n1 8\nfn=g'f'2'main\n1 9\n";

    #[test]
    fn stacks_are_the_callers_that_callgrind_told_apart() {
        let found = stacks(&[profile(CALLERS)]);
        assert_eq!(found.kind, StackKind::Callers);
        let of = |stack: &[&str]| {
            found
                .counts
                .get(&stack.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
                .copied()
        };
        assert_eq!(of(&["main"]), Some(5));
        assert_eq!(of(&["main", "f"]), Some(15));
        assert_eq!(of(&["main", "f", "g"]), Some(9));
        assert_eq!(found.counts.values().sum::<u64>(), 29);
        let flat = stacks(&[profile("ob=/lib/p\nfn=main\n1 5\n")]);
        assert_eq!(flat.kind, StackKind::Objects);
        assert_eq!(
            flat.counts.keys().next().map(|stack| stack.join(";")),
            Some("p;main".to_owned())
        );
    }
}
