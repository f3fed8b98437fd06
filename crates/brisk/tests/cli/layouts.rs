//! Programs linked in different orders during the build, and the consequences for a change.
//!
//! The programs are in C and print their cost, which may depend on the position of their functions,
//! and on nothing else. So the effect of the layout is known, however busy the machine is.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;

use crate::cost::COST;
use crate::document::list;
use crate::lab::{Ended, Lab, has, not_checked};
use crate::repository::{Repository, steps};

/// True if programs can be linked in other orders here; otherwise prints a message.
fn can_link() -> bool {
    let is_there = ["cc", "ld.lld"].into_iter().all(has);
    if !is_there {
        not_checked("layouts: there is no `cc`, or no `ld.lld`");
    }
    is_there
}

/// A program that prints its cost in hundredths of a second, followed by a digit that varies from
/// run to run.
fn program(cost: &str, comment: &str) -> String {
    format!(
        "/* {comment} */\n#include <stdint.h>\n#include <stdio.h>\n#include <unistd.h>\n\
         __attribute__((noinline)) int first(int x) {{ return 3 * x + 1; }}\n\
         __attribute__((noinline)) int second(int x) {{ return x ^ 5; }}\n\
         __attribute__((noinline)) int third(int x) {{ return x - 7; }}\n\
         int main(int count, char **words) {{\n\
           int is_before = (uintptr_t)first < (uintptr_t)second;\n\
           int cost = {cost}; (void)words; (void)is_before;\n\
           if (count > 5) cost += first(second(third(count)));\n\
           printf(\"cost 0.%02d00%d\\n\", cost, (int)getpid() % 10);\n\
           return 0;\n\
         }}\n"
    )
}

const MAKEFILE: &str = "prog: prog.c\n\tcc -O1 -o prog prog.c\n";

/// A project with these programs, one after the other.
fn project<'a>(lab: &'a Lab, programs: &[(&str, &str)]) -> Repository<'a> {
    let repository = Repository::new(lab);
    repository.write("Makefile", MAKEFILE);
    for (subject, cost) in programs {
        repository.write("prog.c", &program(cost, subject));
        repository.commit(subject);
    }
    repository
}

const USUAL: [&str; 7] =
    ["--quiet", "--project", "repo", "--counters", "none", "--metrics", "cost"];

fn compare(lab: &Lab, options: &[&str]) -> Ended {
    lab.brisk(&[&["compare", "--at", "HEAD^..HEAD"][..], &USUAL, &COST, options].concat())
}

fn history(lab: &Lab, range: &str, options: &[&str]) -> Value {
    let json = ["--export-json", "history.json"];
    let ended = lab.brisk(&[&["history", range][..], &USUAL, &COST, &json, options].concat());
    assert!(matches!(ended.code, Some(0 | 1)), "{ended}");
    lab.json("history.json")
}

/// The notes of one kind.
fn notes<'a>(document: &'a Value, kind: &str) -> Vec<&'a Value> {
    list(document, "notes").iter().filter(|note| note["kind"] == kind).collect()
}

/// A cost that is a tenth higher if one function happens to lie before another.
const BY_LAYOUT: &str = "10 + is_before";
const BY_OTHER_LAYOUT: &str = "10 + !is_before";

#[test]
fn commits_run_in_several_layouts_and_each_layout_counts_once() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    project(&lab, &[("by layout", BY_LAYOUT), ("slower", "20 + is_before")]);
    let json = ["--layouts", "8", "--runs", "16", "--export-json", "c.json"];
    let ended = compare(&lab, &json).exited(1);
    ended.says("each program ran in 8 layouts in turn").says("layout alone moves the cost of");
    let document = lab.json("c.json");
    let comparison = &list(&document, "comparisons")[0];
    assert_eq!((&comparison["verdict"], &comparison["rounds"]), (&"regressed".into(), &8.into()));
    assert!(comparison["low"].as_f64().is_some_and(|low| low > 1.6), "{comparison}");
    let variant = &list(&document, "variants")[0];
    assert_eq!(variant["labels"]["layouts"], "8");
    // Rounds 0 and 8 ran the same layout; round 0 and at least one other ran different ones.
    let costs: Vec<f64> = crate::document::values(&document, 0, "cost[seconds]");
    let rounded: Vec<f64> = costs.iter().map(|cost| (cost * 100.0).floor()).collect();
    assert_eq!(rounded[..8], rounded[8..]);
    assert!(rounded.contains(&10.0) && rounded.contains(&11.0), "{rounded:?}");
}

#[test]
fn a_step_that_is_due_to_layout_is_told_as_one_and_a_true_one_stays() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    let programs = [
        ("begin", BY_LAYOUT),
        ("layout", BY_OTHER_LAYOUT),
        ("source", "30 + !is_before"),
        ("text", "30 + !is_before"),
    ];
    let range = &project(&lab, &programs).whole();
    let runs = ["--runs", "24"];
    let as_built = history(&lab, range, &[&runs[..], &["--layouts", "0"]].concat());
    let untold = steps(&as_built);
    let told = history(&lab, range, &runs);
    let found: Vec<String> = steps(&told).into_iter().map(|(subject, _)| subject).collect();
    assert_eq!(found, ["source"], "{untold:?}");
    let source = &list(&told, "steps")[0];
    assert_eq!(source["layouts"]["layouts"], 12);
    assert!(source["layouts"]["low"].as_f64().is_some_and(|low| low > 2.0), "{source}");
    // Compilers emit functions in source order: as built, all programs have the same.
    let layout = notes(&told, "layout");
    assert_eq!((untold.len(), layout.len()), (2, 1), "{untold:?}, {layout:?}");
    // As most layouts of both cost the same, an end of the interval may differ from 1 by as little
    // as the digit after the cost.
    let end = |name| layout[0][name].as_f64().expect("an interval");
    assert!(end("low") < 1.001 && end("high") > 0.999, "{:?}", layout[0]);
    assert_eq!(notes(&as_built, "layout").len(), 0);
    assert_eq!(notes(&told, "hidden-by-layout").len(), 1);
    let again = history(&lab, range, &runs);
    assert_eq!(steps(&again), steps(&told), "what is known is not found out again");
    assert_eq!(list(&again["history"], "experiments"), list(&told["history"], "experiments"));
}

/// A folder with links to all programs of `PATH` except the linkers that can order functions anew.
fn programs_without_linker(lab: &Lab) -> String {
    let folder = lab.path("bin");
    std::fs::create_dir(&folder).expect("writable");
    let path = std::env::var("PATH").expect("there are programs");
    let programs = path.split(':').filter_map(|from| std::fs::read_dir(from).ok()).flatten();
    for program in programs.flatten() {
        let name = program.file_name();
        let text = name.to_string_lossy();
        if !text.contains("lld") && !text.contains("mold") {
            // The first of a name is the one that runs.
            let _ = symlink(program.path(), folder.join(name));
        }
    }
    folder.display().to_string()
}

#[test]
fn without_a_linker_for_layouts_steps_stay_and_the_reason_is_told() {
    if !has("cc") {
        return not_checked("steps without a linker: there is no `cc`");
    }
    let lab = Lab::new();
    let path = programs_without_linker(&lab);
    let lab = lab.with("PATH", path);
    let programs = [("begin", "10"), ("more", "20"), ("less", "15")];
    let range = &project(&lab, &programs).whole();
    let document = history(&lab, range, &["--runs", "24"]);
    let steps = list(&document, "steps");
    assert_eq!(steps.len(), 2, "{document}");
    assert!(steps.iter().all(|step| step["origin"] == "open"), "{steps:?}");
    let [note] = notes(&document, "not-linked")[..] else { panic!("one note: {document}") };
    assert_eq!(note["commits"], 2);
    lab.brisk(&["show", "1"]).says("whether 2 commits changed the source or only the layout");
}

/// A program that prints its cost in hundredths of a second, and executes `rounds` thousand rounds
/// of a loop.
fn counted(cost: u32, rounds: u32) -> String {
    format!(
        "#include <stdio.h>\n#include <unistd.h>\n\
         int main(void) {{\n\
           for (volatile int i = 0; i < {rounds} * 1000; i++) ;\n\
           printf(\"cost 0.%02d00%d\\n\", {cost}, (int)getpid() % 10);\n\
           return 0;\n\
         }}\n"
    )
}

#[test]
fn counted_instructions_that_change_with_the_time_settle_a_step_and_nothing_is_linked_again() {
    if !can_link() || !has("valgrind") {
        return not_checked("steps by counts: there is no valgrind");
    }
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    repository.write("Makefile", MAKEFILE);
    for (subject, cost, rounds) in [
        ("begin", 30, 1000),
        ("less work", 20, 600),
        ("more work", 26, 780),
        ("waits", 39, 780),
        ("other text", 39, 780),
    ] {
        repository.write("prog.c", &format!("/* {subject} */\n{}", counted(cost, rounds)));
        repository.commit(subject);
    }
    let json = ["--export-json", "history.json", "--runs", "24"];
    let cost = ["history", "HEAD~4^..HEAD", "--quiet", "--project", "repo", "--metrics", "cost"];
    let ended = lab.brisk(&[&cost[..], &COST, &json].concat()).exited(1);
    let document = lab.json("history.json");
    let told: Vec<(String, bool)> = steps(&document)
        .into_iter()
        .map(|(s, _)| s)
        .zip(list(&document, "steps").iter().map(|step| step["layouts"].is_null()))
        .collect();
    let expected = [("less work", true), ("more work", true), ("waits", false)];
    assert_eq!(told, expected.map(|(subject, is_settled)| (subject.to_owned(), is_settled)));
    let ratio = |place: usize| list(&document, "steps")[place]["instructions_ratio"].as_f64();
    for (place, least, most) in [(0, 0.58, 0.75), (1, 1.2, 1.31), (2, 0.999, 1.001)] {
        assert!(ratio(place).is_some_and(|ratio| (least..most).contains(&ratio)), "{document}");
    }
    let ended = ended.says("fewer instructions").says("with as many instructions");
    // The counts are stored, but not as an experiment in the history.
    let again = lab.brisk(&[&cost[..], &COST, &json].concat()).exited(1);
    assert_eq!(again.stdout, ended.stdout);
    let none = ["--counters", "none", "--layouts", "0"];
    let uncounted = lab.brisk(&[&cost[..], &COST, &json, &none].concat()).exited(1);
    let answer = uncounted.stdout.split("\nnote").next().expect("a text");
    assert!(!answer.contains("instructions"), "{uncounted}");
    let document = lab.json("history.json");
    for step in list(&document, "steps") {
        assert_eq!((&step["origin"], &step["instructions_ratio"]), (&"open".into(), &Value::Null));
    }
}

#[test]
fn a_search_ends_with_the_commit_whose_instructions_explain_it() {
    if !has("cc") || !has("valgrind") {
        return not_checked("a search by counts: there is no `cc`, or no valgrind");
    }
    let lab = Lab::new();
    let repository = Repository::new(&lab);
    repository.write("Makefile", MAKEFILE);
    for commit in 0..6 {
        let (cost, rounds) = if commit < 3 { (20, 600) } else { (26, 780) };
        repository.write("prog.c", &format!("/* {commit} */\n{}", counted(cost, rounds)));
        repository.commit(&format!("commit {commit}"));
    }
    let search = ["history", "HEAD~5^..HEAD", "--quiet", "--project", "repo", "--bisect", "cost"];
    let json = ["--export-json", "history.json", "--budget", "20s"];
    let ended = lab.brisk(&[&search[..], &COST, &json].concat()).exited(1);
    ended.says("regressed: cost").says("more instructions (commit 3)");
    let document = lab.json("history.json");
    let step = &list(&document, "steps")[0];
    assert_eq!((&step["origin"], &step["layouts"]), (&"source".into(), &Value::Null));
}

/// A number for each order of the three functions, below 10.
const ORDER: &str = "(4 * ((uintptr_t)first < (uintptr_t)second) \
    + 2 * ((uintptr_t)second < (uintptr_t)third) + ((uintptr_t)first < (uintptr_t)third))";

#[test]
fn a_change_that_layout_hides_is_found_where_every_commit_runs_in_layouts() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    let repository = project(&lab, &[("begin", "40"), ("order", ORDER)]);
    let printed = history(&lab, "HEAD^..HEAD", &["--layouts", "0", "--runs", "1"]);
    let cost = list(&printed, "summaries").iter().find(|part| part["metric"] == "cost[seconds]");
    let median = cost.and_then(|part| part["median"].as_f64()).expect("a cost");
    let as_built = (median * 100.0).floor();
    // Slower in every order except the one that the linker chooses.
    let slower = format!("40 + 20 * ({ORDER} != {as_built})");
    for (subject, cost) in [("plain", "40"), ("hidden", &slower)] {
        repository.write("prog.c", &program(cost, subject));
        repository.commit(subject);
    }
    let history = |options: &[&str]| {
        let told = history(&lab, "HEAD~2..HEAD", &[&["--runs", "40"][..], options].concat());
        steps(&told).into_iter().map(|(subject, _)| subject).collect::<Vec<_>>()
    };
    assert_eq!(history(&["--layouts", "0"]), Vec::<String>::new());
    assert_eq!(history(&["--layouts", "20"]), ["hidden"]);
    let archive = ["--build", "make prog.o", "--artifact", "prog.o", "--layouts", "8", "--quiet"];
    let arguments = ["history", "HEAD~2..HEAD", "--project", "repo"];
    lab.brisk(&[&arguments[..], &archive, &["--", "cat {artifact}"]].concat())
        .failed("no commit of the range builds in several layouts");
}

#[test]
fn what_cannot_be_linked_in_other_orders_is_said() {
    if !can_link() {
        return;
    }
    let archive = "lib.a: prog.c\n\tcc -O1 -c prog.c && ar rc lib.a prog.o\n";
    let shared = "lib.so: prog.c\n\tcc -O1 -fPIC -shared -o lib.so prog.c\n";
    let script =
        "tool: prog.c\n\tprintf '#!/bin/sh\\n# %s\\n' \"$$(cksum prog.c)\" > tool; chmod +x tool\n";
    let past = "prog: prog.c\n\tenv -u COMPILER_PATH PATH=/usr/bin:/bin cc -O1 -o prog prog.c\n";
    for (makefile, artifact, why) in [
        (archive, "lib.a", "a static archive"),
        (shared, "lib.so", "a shared library"),
        (script, "tool", "a script"),
        (past, "prog", "with another `BRISK_LAYOUT_SEED` the build gives the same"),
    ] {
        let lab = Lab::new();
        let repository = project(&lab, &[]);
        repository.write("Makefile", makefile);
        for cost in ["30", "40"] {
            repository.write("prog.c", &program(cost, cost));
            repository.commit(cost);
        }
        let build = ["--build", "make", "--artifact", artifact, "--layouts", "8"];
        let ended = compare(&lab, &[&build[..], &["cat {artifact}"]].concat());
        ended.failed("there is only one layout of").because(why);
    }
}

#[test]
fn a_build_that_shuffles_by_itself_is_built_with_each_seed() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    let repository = project(&lab, &[("one", "10")]);
    let real = "env -u COMPILER_PATH PATH=/usr/bin:/bin cc";
    let makefile = format!(
        "prog: prog.c\n\techo x >> '{}'; {real} -O1 -DSEED=$${{BRISK_LAYOUT_SEED:-0}} -o prog prog.c\n",
        lab.path("builds").display()
    );
    repository.write("Makefile", &makefile);
    for cost in ["(count > 5 ? SEED : 10)", "(count > 5 ? SEED : 20)"] {
        repository.write("prog.c", &program(cost, cost));
        repository.commit(cost);
    }
    compare(&lab, &["--layouts", "8", "--runs", "16"]).exited(1).says("in 8 layouts");
    assert_eq!(lab.lines("builds").len(), 2 * 9);
}

#[test]
fn what_is_done_to_a_program_after_linking_does_not_hide_it() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    let repository = project(&lab, &[]);
    let makefile = "out/tool: prog.c\n\tmkdir -p out build; cc -O1 -c -o build/prog.o prog.c; \
                    cc -o build/prog build/prog.o; strip build/prog; install -m 755 build/prog out/tool\n";
    repository.write("Makefile", makefile);
    for cost in ["10", "20"] {
        repository.write("prog.c", &program(cost, cost));
        repository.commit(cost);
    }
    let build = ["--build", "make", "--artifact", "out/tool", "--layouts", "8", "--runs", "12"];
    compare(&lab, &build).exited(1).says("in 8 layouts");
}

#[test]
fn a_layout_in_which_the_program_fails_is_named_by_its_seed() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    let failing = "is_before ? 10 : (_exit(7), 0)";
    project(&lab, &[("sound", "10"), ("fragile", failing)]);
    let ended = compare(&lab, &["--layouts", "12", "--runs", "24"]);
    ended.failed("linked in the order of seed");
}

#[test]
fn layouts_that_cannot_be_made_are_refused_before_anything_is_built() {
    let lab = Lab::new();
    project(&lab, &[("one", "10"), ("two", "20")]);
    let some = ["--layouts", "3"];
    let ended = compare(&lab, &some);
    assert_eq!(ended.code, Some(2), "{ended}");
    assert!(ended.stderr.contains("it must be 0, or from 8 to 1000"), "{ended}");
    let ended = lab.brisk(&["compare", "--layouts", "8", "true", "false"]);
    ended.refused("`--layouts` applies to commits, and none is named");
    let ended = lab.brisk(&["bench", "x", "--layouts", "8"]);
    ended.refused("`--layouts` applies to commits, and none is named");
    let ended = lab.brisk(&["explain", "--at", "HEAD", "--layouts", "8", "--", "true"]);
    ended.refused("`--layouts` is for times, and an explanation counts");
    // A machine with everything needed to build, except a suitable linker.
    let tools = lab.path("tools");
    std::fs::create_dir_all(&tools).expect("the folder for tests is writable");
    for name in ["sh", "git", "make", "cc", "ld", "as", "cat"] {
        let folders = ["/usr/bin", "/bin", "/usr/local/bin"].map(Path::new);
        let found = folders.into_iter().map(|folder| folder.join(name)).find(|path| path.exists());
        found.into_iter().for_each(|path| symlink(path, tools.join(name)).expect("not there yet"));
    }
    let poor = Lab::new().with("PATH", tools.to_str().expect("text"));
    let repository = Repository::named(&lab, "other");
    repository.write("Makefile", MAKEFILE);
    for cost in ["10", "20"] {
        repository.write("prog.c", &program(cost, cost));
        repository.commit(cost);
    }
    let folder = repository.path();
    let arguments = ["compare", "--at", "HEAD^..HEAD", "--layouts", "8", "--quiet", "--project"];
    let arguments =
        [&arguments[..], &[folder.to_str().expect("text"), "--counters", "none"]].concat();
    poor.brisk(&arguments).refused("there is no linker that can order functions anew");
    assert!(!poor.exists(".cache/brisk/artifacts"), "nothing was built");
}

#[test]
fn equal_instructions_and_different_times_are_likely_a_matter_of_layout() {
    if !can_link() || !has("valgrind") {
        not_checked("programs that execute the same: there is no valgrind");
        return;
    }
    let lab = Lab::new();
    project(&lab, &[("one", "10"), ("two", "20")]);
    let counted = ["--counters", "valgrind", "--metrics", "cost,instructions", "--runs", "12"];
    let arguments = ["compare", "--at", "HEAD^..HEAD", "--quiet", "--project", "repo"];
    let ended = lab.brisk(&[&arguments[..], &COST, &counted].concat()).exited(1);
    ended.says("where the linker put the code is the likely cause; `--layouts 20` decides it");
}

/// A suite whose benchmark takes a tenth longer if one function happens to lie before another.
fn suite(tenths: &str) -> String {
    format!(
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n\
         __attribute__((noinline)) int first(int x) {{ return 3 * x + 1; }}\n\
         __attribute__((noinline)) int second(int x) {{ return x ^ 5; }}\n\
         int main(int count, char **words) {{\n\
           int is_before = (uintptr_t)first < (uintptr_t)second;\n\
           puts(\"brisk-bench 1\");\n\
           if (count > 1 && !strcmp(words[1], \"--list\")) return puts(\"a\") < 0;\n\
           if (count > 9) return first(second(count));\n\
           printf(\"a\\t1000\\t0.%d00%d\\n\", {tenths} + is_before, (int)getpid() % 10);\n\
           return 0;\n\
         }}\n"
    )
}

#[test]
fn benchmarks_inside_of_programs_run_in_several_layouts() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    let repository = project(&lab, &[]);
    for tenths in ["10", "20"] {
        repository.write("prog.c", &suite(tenths));
        repository.commit(tenths);
    }
    let arguments = ["bench", "prog", "--project", "repo", "--at", "HEAD^..HEAD", "--quiet"];
    let more = ["--layouts", "8", "--runs", "16", "--order", "alone", "--export-json", "b.json"];
    lab.brisk(&[&arguments[..], &more].concat()).exited(1).says("in 8 layouts");
    let document = lab.json("b.json");
    let comparison = &list(&document, "comparisons")[0];
    assert_eq!((&comparison["verdict"], &comparison["rounds"]), (&"regressed".into(), &8.into()));
    assert_eq!(list(&document, "variants")[1]["labels"]["layouts"], "8");
}

#[test]
fn expectations_hold_over_layouts() {
    if !can_link() {
        return;
    }
    let lab = Lab::new();
    let repository = project(&lab, &[("begin", BY_LAYOUT)]);
    repository.write(
        "brisk.toml",
        "[project]\nbuild = \"make\"\nartifact = \"prog\"\n[[benchmark]]\nname = \"b\"\n\
         command = \"./prog\"\nmeasure = [\"cost[s]=/^cost (.*)$/\"]\n[[expect]]\n\
         that = 'cost(b) < 1.3 * cost(b@HEAD^)'\n",
    );
    repository.write("prog.c", &program(BY_OTHER_LAYOUT, "alike but for the layout"));
    repository.commit("the same");
    let arguments = ["check", "--project", "repo", "--quiet", "--counters", "none"];
    let more = ["--layouts", "8", "--runs", "16", "--export-json", "check.json"];
    lab.brisk(&[&arguments[..], &more].concat()).exited(0);
    let variants = list(&lab.json("check.json"), "variants").clone();
    assert!(variants.iter().all(|variant| variant["labels"]["layouts"] == "8"), "{variants:?}");
}
