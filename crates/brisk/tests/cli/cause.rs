//! The cause of a change between two commits: its class, the function and the hunk, with proofs.

use serde_json::Value;

use crate::document::list;
use crate::lab::{Ended, Lab, has, not_checked};
use crate::repository::Repository;

/// True if valgrind and a C compiler are installed; otherwise prints a message.
fn can_count() -> bool {
    let can = has("valgrind") && has("cc") && has("make");
    if !can {
        not_checked("causes of changes: valgrind, make or a C compiler is missing");
    }
    can
}

const MAKEFILE: &str = "prog: main.c parse.c\n\tcc -O2 -o prog main.c parse.c\n";

const PARSE: &str = "int parse_header(const char *s) {
    int n = 0;
    for (int i = 0; i < 60; i++)
        n += s[i % 16] * i;
    return n;
}




/* The sum of a text. */
int checksum(const char *s) {
    int n = 7;
    for (int i = 0; i < 600; i++)
        n = n * 31 + s[i % 16];
    return n;
}
";

const MAIN: &str = "#include <stdio.h>
int parse_header(const char *s);
int checksum(const char *s);
static const char *text = \"abcdefghijklmnop\";

int report(int n) {
    printf(\"%d\\n\", n);
    return 0;
}






int rounds(void) {
    return 500;
}






int main(void) {
    int n = 0;
    for (int i = 0; i < rounds(); i++)
        n += parse_header(text) + checksum(text);
    return report(n);
}
";

/// A repository whose second commit makes these replacements, all of which must be possible.
fn repository<'l>(lab: &'l Lab, changes: &[(&str, &str, &str)]) -> Repository<'l> {
    let repository = Repository::new(lab);
    let mut files = vec![("Makefile", MAKEFILE.to_owned()), ("main.c", MAIN.to_owned())];
    files.push(("parse.c", PARSE.to_owned()));
    files.iter().for_each(|(name, text)| repository.write(name, text));
    repository.commit("before");
    for (name, old, new) in changes {
        let (_, text) = files.iter_mut().find(|(known, _)| known == name).expect("a file");
        assert!(text.contains(old), "{name} has no {old:?}");
        *text = text.replacen(old, new, 1);
    }
    files.iter().for_each(|(name, text)| repository.write(name, text));
    repository.commit("after");
    repository
}

const EXACT: [&str; 6] = ["--metrics", "instructions", "--counters", "valgrind", "--runs", "2"];

/// The history of both commits, explained, and the cause that it tells.
fn history(lab: &Lab, range: &str, more: &[&str]) -> (Ended, Value) {
    let asked =
        ["history", range, "-q", "--project", "repo", "--explain", "--export-json", "h.json"];
    let ended = lab.brisk(&[&asked[..], &EXACT, more].concat());
    assert!(lab.exists("h.json"), "{ended}");
    let document = lab.json("h.json");
    let causes = document["causes"].as_array().cloned().unwrap_or_default();
    assert_eq!(causes.len(), 1, "{ended}");
    (ended, causes[0].clone())
}

fn numbers(cause: &Value) -> Vec<Value> {
    list(&cause["hunks"], "guilty").iter().map(|one| one["numbers"].clone()).collect()
}

/// Innocent changes before and behind the guilty one: two in `main.c`, one in `parse.c`.
const INNOCENT: [(&str, &str, &str); 3] = [
    ("main.c", "printf(\"%d\\n\", n)", "printf(\"%d!\\n\", n)"),
    ("main.c", "return report(n);", "int status = report(n);\n    return status;"),
    ("parse.c", "/* The sum of a text. */", "/* The sum of all bytes of a text. */"),
];

const GUILTY: (&str, &str, &str) = ("parse.c", "i < 60; i++", "i < 120; i++");

#[test]
fn a_hunk_among_innocent_ones_is_named_with_its_function_and_both_proofs() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let repository = repository(&lab, &[&INNOCENT[..], &[GUILTY]].concat());
    let (ended, cause) = history(&lab, &repository.whole(), &[]);
    assert_eq!((&cause["class"], &cause["certainty"]), (&"source".into(), &"proved".into()));
    let lead = &list(&cause, "functions")[0];
    assert_eq!((&lead["name"], &lead["touched"]), (&"parse_header".into(), &true.into()));
    let hunks = &cause["hunks"];
    assert_eq!((&hunks["total"], &hunks["exact"]), (&4.into(), &true.into()));
    assert_eq!(numbers(&cause), [Value::from(vec![3])]);
    let guilty = &list(hunks, "guilty")[0];
    assert_eq!(guilty["places"], Value::from(vec!["parse.c:3"]));
    let whole = cause["instructions_ratio"].as_f64().expect("counted");
    let (alone, without) = (guilty["alone"].as_f64(), guilty["without"].as_f64());
    assert!(whole > 1.05, "{whole}");
    assert!((alone.expect("built") - whole).abs() < 0.002, "{guilty}");
    assert!((without.expect("built") - 1.0).abs() < 0.002, "{guilty}");
    ended
        .says("because `parse_header` executes")
        .says("it is hunk 3 of 4, `parse.c:3` in `parse_header`");
    // The user's repository is as it was.
    assert_eq!(repository.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_hunk_that_needs_another_to_compile_is_told_from_it() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    // The function that the guilty hunk in `main.c` calls is new in `parse.c`.
    let new = "int more(int n) {\n    for (int i = 0; i < 400; i++)\n        n = n * 33 + i;\n    return n;\n}\n\n/* The sum of a text. */";
    let changes = [
        INNOCENT[0],
        ("main.c", "return 500;", "extern int more(int);\n    return 500 + (more(1) == 77);"),
        ("parse.c", "/* The sum of a text. */", new),
        ("parse.c", "int n = 0;", "int n = 0; /* a sum */"),
    ];
    let repository = repository(&lab, &changes);
    let (ended, cause) = history(&lab, &repository.whole(), &[]);
    assert_eq!(cause["class"], "source", "{cause}");
    let guilty = &list(&cause["hunks"], "guilty")[0];
    assert_eq!(guilty["numbers"], Value::from(vec![2]), "{ended}");
    assert_eq!(guilty["needed"], Value::from(vec![4]));
    assert_eq!(guilty["proved"], true);
}

#[test]
fn flags_hints_and_inputs_are_classes_of_their_own() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    for (class, change) in [
        ("dependency", ("Makefile", "cc -O2", "cc -O0")),
        (
            "compiled-otherwise",
            ("parse.c", "int checksum", "__attribute__((optimize(\"O0\"))) int checksum"),
        ),
    ] {
        let lab = Lab::new();
        let repository = repository(&lab, &[INNOCENT[0], INNOCENT[1], change]);
        let (ended, cause) = history(&lab, &repository.whole(), &[]);
        assert_eq!(cause["class"], class, "{ended}");
        assert_eq!(cause["certainty"], "proved", "{ended}");
        assert_eq!(list(&cause["hunks"], "guilty").len(), 1, "{ended}");
    }
    let repository = Repository::new(&lab);
    let program = "#include <stdio.h>\nint main(int c, char **v) { long n = 0, i; FILE *f = fopen(v[1], \"r\");\n\
                   if (c < 2 || !f || fscanf(f, \"%ld\", &n) != 1) return 1;\n\
                   volatile long s = 0; for (i = 0; i < n; i++) s += i; return 0; }\n";
    for size in ["100000", "200000"] {
        repository.write("main.c", program);
        repository.write("size.dat", size);
        repository.commit(size);
    }
    let command = [
        "--build",
        "cc -O1 -o prog main.c",
        "--artifact",
        "prog",
        "--cwd",
        "repo",
        "--",
        "{artifact}",
        "size.dat",
    ];
    let (ended, cause) = history(&lab, &repository.whole(), &command);
    assert_eq!(cause["class"], "input", "{ended}");
    assert_eq!(numbers(&cause), [Value::from(vec![1])], "{ended}");
}

#[test]
fn a_script_that_builds_is_not_a_part_of_the_program() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let repository = Repository::new(&lab);
    for (level, main) in [("-O2", MAIN.to_owned()), ("-O0", MAIN.replace("%d", "%d!"))] {
        repository.write("main.c", &main);
        repository.write("parse.c", PARSE);
        repository.write("tune.sh", &format!("cc {level} -o prog main.c parse.c\n"));
        repository.commit(level);
    }
    let build = ["--build", "sh ./tune.sh", "--artifact", "prog"];
    let (ended, cause) = history(&lab, &repository.whole(), &build);
    assert_eq!(cause["class"], "dependency", "{ended}");
    assert_eq!(numbers(&cause), [Value::from(vec![2])], "{ended}");
}

#[test]
fn programs_without_a_build_have_hunks_too() {
    // Names of objects are hashed anew in each process, unless this is set.
    let lab = Lab::new().with("PYTHONHASHSEED", "0");
    // What `PATH` finds first may be a script that looks for one.
    const PYTHON: &str = "/usr/bin/python3";
    if !can_count() || !std::path::Path::new(PYTHON).exists() {
        return not_checked("hunks of Python: there is no python3");
    }
    let repository = Repository::new(&lab);
    let program = |rounds: &str, result: &str| {
        let between = "# nothing\n".repeat(8);
        format!(
            "def total(n):\n    return sum(range(n))\n\n{between}def three():\n    return {result}\n\n{between}\
                 for _ in range({rounds}):\n    total(300)\nthree()\n"
        )
    };
    repository.write("main.py", &program("100", "3"));
    repository.commit("before");
    repository.write("main.py", &program("2000", "1 + 2"));
    repository.commit("after");
    let command = ["--artifact", ".", "--", PYTHON, "-S", "main.py"];
    let (ended, cause) = history(&lab, &repository.whole(), &command);
    assert_eq!(cause["class"], "source", "{ended}");
    assert_eq!(numbers(&cause), [Value::from(vec![2])], "{ended}");
}

/// Compare, check and history say the same.
#[test]
fn every_verb_that_compares_commits_explains_them() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let repository = repository(&lab, &[&INNOCENT[..], &[GUILTY]].concat());
    let (_, expected) = history(&lab, &repository.whole(), &[]);
    let compared = ["compare", "-q", "--project", "repo", "--at", "HEAD^..HEAD", "--explain"];
    let exports = ["--export-json", "c.json", "--export-html", "c.html", "{artifact}"];
    let compared = [&compared[..], &EXACT, &exports].concat();
    lab.brisk(&compared).says("it is hunk 3 of 4, `parse.c:3` in `parse_header`");
    let flame = list(&lab.json("c.json")["causes"][0]["stacks"], "stacks")
        .iter()
        .find(|one| list(one, "frames").last() == Some(&"parse_header".into()))
        .cloned()
        .expect("a stack of the function");
    let counts = list(&flame, "counts");
    assert!(counts[1].as_u64() > counts[0].as_u64(), "{flame}");
    let page = lab.read("c.html");
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(place("it is hunk 3 of 4") < place("<svg"), "the cause comes before pictures");
    assert!(place("<svg") < place("The stacks of what changed"));
    // The length of its path moves a few instructions of a program's loader.
    let told = |cause: &Value| {
        let functions = list(cause, "functions").iter().map(|one| one["name"].clone());
        (cause["class"].clone(), functions.collect::<Vec<_>>(), numbers(cause))
    };
    let expected = told(&expected);
    let of_document = |name: &str| told(&lab.json(name)["causes"][0]);
    assert_eq!(of_document("c.json"), expected);
    let file = "[project]\nbuild = \"make\"\nartifact = \"prog\"\n\
                [[benchmark]]\nname = \"run\"\ncommand = \"./prog\"\n\
                [[expect]]\nthat = \"instructions(run) <= instructions(run@baseline) * 1.01\"\n";
    repository.write("brisk.toml", file);
    let checked =
        ["check", "-q", "--project", "repo", "--baseline", "HEAD^", "--at", "HEAD", "--explain"];
    let exports =
        ["--counters", "valgrind", "--export-json", "e.json", "--export-markdown", "e.md"];
    let ended = lab.brisk(&[&checked[..], &exports].concat());
    ended.exited(1).says("it is hunk 3 of 4, `parse.c:3` in `parse_header`");
    assert_eq!(of_document("e.json"), expected);
    assert!(lab.read("e.md").contains("it is hunk 3 of 4"));
}

/// Six lines as they were are between both changes of the hunk.
#[test]
fn of_a_hunk_only_the_lines_that_make_the_change_are_named() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let repository = repository(
        &lab,
        &[
            INNOCENT[0],
            ("parse.c", "return n;", "return n + 0;"),
            ("parse.c", "int checksum", "__attribute__((optimize(\"O0\"))) int checksum"),
        ],
    );
    let (ended, cause) = history(&lab, &repository.whole(), &[]);
    assert_eq!(cause["class"], "compiled-otherwise", "{ended}");
    let guilty = &list(&cause["hunks"], "guilty")[0];
    assert_eq!(guilty["numbers"], Value::from(vec![2]), "{ended}");
    assert_eq!(guilty["places"], Value::from(vec!["parse.c:12"]), "{ended}");
}

/// The body of `next` is in another unit, where `main` cannot take it in.
#[test]
fn options_that_undo_what_the_compiler_does_otherwise_are_named() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let next = "int next(int n) {\n    return n * 31 + 7;\n}\n";
    let main = "#include <stdio.h>\n\nint main(void) {\n    int n = 1;\n    for (int i = 0; i < 100000; \
                i++)\n        n = next(n);\n    printf(\"%d\\n\", n);\n    return 0;\n}\n";
    let repository = Repository::new(&lab);
    repository.write("Makefile", "prog: main.c more.c\n\tcc -O2 -o prog main.c more.c\n");
    repository.write("main.c", &main.replacen("\n\n", &format!("\n\nstatic {next}\n"), 1));
    repository.write("more.c", "int more;\n");
    repository.commit("before");
    repository.write("main.c", &main.replacen("\n\n", "\n\nint next(int n);\n\n", 1));
    repository.write("more.c", &format!("int more;\n{next}"));
    repository.commit("after");
    let (ended, cause) = history(&lab, &repository.whole(), &[]);
    assert_eq!(
        (&cause["class"], &cause["certainty"]),
        (&"compiled-otherwise".into(), &"proved".into()),
        "{ended}"
    );
    let built = &list(&cause, "counter_builds")[0];
    assert_eq!(
        (&built["options"], &built["is_remedy"]),
        (&"-flto".into(), &true.into()),
        "{ended}"
    );
    ended.says("with `-flto` it is gone");
}

/// The program takes up to a sixth of the change more, by chance, as a collector does.
#[test]
fn counts_that_nearly_repeat_tell_the_hunk() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let chance = "int rounds(void) {
    unsigned char more = 0;
    FILE *f = fopen(\"/dev/urandom\", \"r\");
    if (f && fread(&more, 1, 1, f) == 1) fclose(f);
    return 500 + more / 6;
}";
    let repository = Repository::new(&lab);
    let main = MAIN.replace("int rounds(void) {\n    return 500;\n}", chance);
    for (main, parse) in [
        (main.clone(), PARSE.to_owned()),
        (main.replace("%d\\n", "%d!\\n"), PARSE.replace("i < 600; i++", "i < 1200; i++")),
    ] {
        repository.write("Makefile", MAKEFILE);
        repository.write("main.c", &main);
        repository.write("parse.c", &parse);
        repository.commit("a version");
    }
    let range = repository.whole();
    let asked = ["history", &range, "-q", "--project", "repo", "--explain"];
    let counted = ["--metrics", "instructions", "--counters", "valgrind", "--runs", "10"];
    let ended = lab.brisk(&[&asked[..], &counted, &["--export-json", "h.json"]].concat());
    let cause = lab.json("h.json")["causes"][0].clone();
    assert_eq!(cause["class"], "source", "{ended}");
    assert_eq!(numbers(&cause), [Value::from(vec![2])], "{ended}");
}

/// Its Haskell part is not the program that is measured.
#[test]
fn a_project_of_several_languages_is_explained_by_instructions() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let repository = repository(&lab, &[INNOCENT[0], GUILTY]);
    repository.write("p.cabal", "name: p\nexecutable a\nexecutable b\n");
    let asked = ["--build", "make", "--artifact", "prog"];
    let (ended, cause) = history(&lab, &repository.whole(), &asked);
    assert!(ended.stderr.contains("GHC's Core is not compared, because"), "{ended}");
    assert_eq!(cause["class"], "source", "{ended}");
    assert_eq!(numbers(&cause), [Value::from(vec![2])], "{ended}");
}

/// An uncalled function behind `add` calls it too, so that it is no longer inlined where it was called
/// once.
#[test]
fn code_that_is_no_longer_inlined_behind_a_new_function_is_compiled_otherwise() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let work = "    h = h * 31 + c;\n    h ^= h >> 7;\n".repeat(20);
    let add = format!("static unsigned add(unsigned h, unsigned c)\n{{\n{work}    return h;\n}}\n");
    let new = "\nunsigned name_of(const char *s);\n\nunsigned name_of(const char *s)\n{\n    \
               unsigned h = 17;\n    for (; *s; s++)\n        h = add(h, *s);\n    return add(h, 0);\n}\n";
    let main = "\nint main(void)\n{\n    unsigned h = 1;\n    for (unsigned i = 0; i < 200000; i++)\n        \
                h = add(h, i);\n    return h == 7;\n}\n";
    let repository = Repository::new(&lab);
    repository.write("Makefile", "prog: main.c\n\tcc -O2 -g -o prog main.c\n");
    for text in [format!("{add}{main}"), format!("{add}{new}{main}")] {
        repository.write("main.c", &text);
        repository.commit("a version");
    }
    let (ended, cause) = history(&lab, &repository.whole(), &[]);
    assert_eq!(cause["class"], "compiled-otherwise", "{ended}");
    assert_eq!(cause["certainty"], "proved", "{ended}");
    ended.says("`add` runs by itself now").says("no longer inlined in `main`");
}

/// Lists `parse` and `sum`, reports the time of one in a file, or runs it a number of times.
const SUITE: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int parse_header(const char *s);
int checksum(const char *s);

int main(int argc, char **argv) {
    if (argc < 2)
        return puts(\"parse\\nsum\") < 0;
    int is_parse = !strcmp(argv[3], \"parse\");
    long count = strcmp(argv[1], \"repeat\") ? 5000 : atol(argv[2]);
    struct timespec from, to;
    int n = 0;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long i = 0; i < count; i++)
        n += is_parse ? parse_header(\"abcdefghijklmnop\") : checksum(\"abcdefghijklmnop\");
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (!strcmp(argv[1], \"repeat\"))
        return n == 7;
    double seconds = to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
    FILE *file = fopen(argv[2], \"w\");
    fprintf(file, \"[{\\\"name\\\": \\\"%s\\\", \\\"s\\\": %.12f}]\", argv[3], seconds / count);
    return fclose(file);
}
";

const HARNESS: &str = "\
[harness.mine]
name = \"our harness\"
select.arguments = [\"{name}\"]
report = { arguments = [\"report\", \"{file}\"], file = \"report.json\" }
repeat = [\"repeat\", \"{iterations}\"]
read = { name = [\"{name}\"], time = [{ at = \"s\" }], unit = \"s\" }
";

/// The program with the benchmark of the step alone, run a number of times, is what is explained.
#[test]
fn a_step_of_one_benchmark_of_a_suite_has_its_cause() {
    let lab = Lab::new();
    if !can_count() {
        return;
    }
    let repository = Repository::new(&lab);
    let slower = PARSE.replace("i < 60; i++", "i < 1200; i++");
    for parse in [PARSE.to_owned(), slower.replace("of a text", "of all bytes of a text")] {
        repository.write("Makefile", MAKEFILE);
        repository.write("brisk.toml", HARNESS);
        repository.write("main.c", SUITE);
        repository.write("parse.c", &parse);
        repository.commit("a version");
    }
    let range = repository.whole();
    let asked = |harness: &str| {
        let words = ["history", &range, "-q", "--project", "repo", "--explain"];
        let exported = ["--harness", harness, "--runs", "8", "--layouts", "0"];
        lab.brisk(&[&words[..], &exported, &["--export-json", "h.json"]].concat())
    };
    let ended = asked("mine");
    let document = lab.json("h.json");
    let causes = list(&document, "causes");
    assert_eq!(causes.len(), 1, "{ended}");
    assert_eq!(causes[0]["benchmark"], "parse", "{ended}");
    assert_eq!(causes[0]["metric"], "time_per_iteration", "{ended}");
    assert_eq!(causes[0]["class"], "source", "{ended}");
    assert_eq!(causes[0]["functions"][0]["name"], "parse_header", "{ended}");
    assert_eq!(numbers(&causes[0]), [Value::from(vec![1])], "{ended}");
    ended.says("`parse`, because `parse_header` executes");

    repository.write("brisk.toml", &HARNESS.replace("repeat = ", "# repeat = "));
    let ended = asked("mine");
    assert!(ended.stderr.contains("does not run a benchmark a given number of times"), "{ended}");
}
