//! `--affected`: only what a change can reach is measured, and nothing is skipped wrongly.
//!
//! The project is a program in C with a benchmark for each of its parts.

use serde_json::Value;

use crate::lab::{Ended, Lab, has, not_checked, run};
use crate::repository::Repository;

const MAIN: &str = r#"#include <stdlib.h>
#include <string.h>
#include "parts.h"
int main(int argc, char **argv) {
    int n = argc > 2 ? atoi(argv[2]) : 1;
    if (!strcmp(argv[1], "sort")) return sort(n) == -1;
    if (!strcmp(argv[1], "hash")) return hash(n) == -1;
    if (!strcmp(argv[1], "walk")) return walk(n) == -1;
    return scan(n) == -1;
}
"#;

const HEADER: &str = r"#define STEP 3
struct node { int key; int left, right; };
static inline int mixed(int a) { return (a * 31) ^ (a >> 3); }
int sort(int), hash(int), walk(int), scan(int);
";

const SORT: &str = r#"#include "parts.h"
static void swap(int *a, int *b) { int c = *a; *a = *b; *b = c; }
/* Bubbles. */
int sort(int n) {
    int all[64];
    for (int i = 0; i < 64; i++) all[i] = (i * 37 + n) % 64;
    for (int r = 0; r < n; r++)
        for (int i = 0; i + 1 < 64; i++)
            if (all[i] > all[i + 1]) swap(&all[i], &all[i + 1]);
    return all[7];
}
int unused(int n) {
    return n + 1;
}
"#;

const HASH: &str = r#"#include "parts.h"
static const int seeds[] = {11, 13, 17, 19};
int hash(int n) {
    unsigned sum = 5381;
    for (int i = 0; i < n * 64; i++) sum = sum * 33 + mixed(i) + seeds[i & 3];
    return (int) sum;
}
"#;

const WALK: &str = r#"#include "parts.h"
static struct node nodes[32];
int walk(int n) {
    int sum = 0;
    for (int i = 0; i < n * 32; i++) { nodes[i & 31].left = i * STEP; sum += nodes[(i * 7) & 31].left; }
    return sum;
}
"#;

const SCAN: &str = r#"#include <stdio.h>
#include "parts.h"
static int digits(int n) { int d = 0; while (n) { d += n % 10; n /= 10; } return d; }
int scan(int n) {
    volatile int sum = 0;
    for (int i = 0; i < n * 16; i++) sum += digits(i);
    return sum;
}
"#;

/// A program that speaks the line protocol.
const SUITE: &str = r#"#include <stdio.h>
#include <string.h>
#include <time.h>
#include "parts.h"
static const struct { const char *name; int (*run)(int); } all[] = {
    {"sort", sort}, {"hash", hash}, {"walk", walk}, {"scan", scan},
};
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(int argc, char **argv) {
    puts("brisk-bench 1");
    for (unsigned b = 0; b < 4; b++) {
        if (argc > 1 && !strcmp(argv[1], "--list")) puts(all[b].name);
        for (int i = 2; i < argc; i++) {
            if (strcmp(argv[i], all[b].name)) continue;
            double before = now();
            volatile int sum = 0;
            for (int r = 0; r < 100; r++) sum += all[b].run(20);
            printf("%s\t100\t%.9f\n", all[b].name, now() - before);
        }
    }
    return 0;
}
"#;

const NAMES: [&str; 4] = ["sort", "hash", "walk", "scan"];

fn project() -> String {
    let mut text = "[project]\nbuild = 'sh build.sh'\nartifact = 'parts'\n".to_owned();
    for name in NAMES {
        text += &format!("\n[[benchmark]]\nname = '{name}'\ncommand = './parts {name} 40'\n");
    }
    text
}

/// The project in C, with its first commit.
struct Parts<'a> {
    lab: &'a Lab,
    repository: Repository<'a>,
    base: String,
}

impl<'a> Parts<'a> {
    /// `None`, with a remark, where a tool is missing.
    fn new(lab: &'a Lab) -> Option<Self> {
        for tool in ["valgrind", "gcc"] {
            if !has(tool) {
                not_checked(&format!("skipping by coverage: there is no {tool}"));
                return None;
            }
        }
        let repository = Repository::new(lab);
        let build = "gcc -O2 -g -o parts main.c sort.c hash.c walk.c scan.c &&\n\
                     gcc -O2 -g -o suite suite.c sort.c hash.c walk.c scan.c\n";
        let files = [
            ("main.c", MAIN),
            ("suite.c", SUITE),
            ("parts.h", HEADER),
            ("sort.c", SORT),
            ("hash.c", HASH),
            ("walk.c", WALK),
            ("scan.c", SCAN),
            ("build.sh", build),
            ("data.txt", "1 2 3\n"),
            ("README.md", "Parts.\n"),
            ("brisk.toml", &project()),
        ];
        for (name, text) in files {
            repository.write(name, text);
        }
        let base = repository.commit("Parts");
        Some(Self { lab, repository, base })
    }

    /// Commits a change of a file on top of the first commit.
    fn edit(&self, file: &str, from: &str, to: &str) -> String {
        self.repository.git(&["reset", "--hard", "--quiet", &self.base]);
        let text = self.lab.read(&format!("repo/{file}"));
        assert!(text.contains(from), "{file} has {from}");
        self.repository.write(file, &text.replace(from, to));
        self.repository.commit(&format!("Edit {file}"))
    }

    fn check(&self, options: &[&str]) -> Ended {
        let words = ["check", "--project", "repo", "--affected", "--baseline", &self.base];
        let often = ["--no-slower=900", "--quiet", "--counters", "none", "--runs", "8"];
        self.lab.brisk(&[&words, &often[..], options].concat())
    }

    /// The reach of the checked-out commit.
    fn reach(&self) -> Value {
        let ended = self.check(&["--export-json", "check.json"]);
        assert!(ended.code == Some(0), "{ended}");
        self.lab.json("check.json")["check"]["reach"].clone()
    }

    /// The benchmarks that are measured for a change of a file.
    fn measured(&self, file: &str, from: &str, to: &str) -> Vec<String> {
        self.edit(file, from, to);
        reached(&self.reach())
    }
}

fn reached(reach: &Value) -> Vec<String> {
    let benchmarks = reach["benchmarks"].as_array().expect("benchmarks");
    let is_reached = |one: &&Value| one["reach"] != "not-reached";
    let name = |one: &Value| one["benchmark"].as_str().expect("a name").to_owned();
    benchmarks.iter().filter(is_reached).map(name).collect()
}

#[test]
fn each_kind_of_change_reaches_what_it_can_affect() {
    let lab = Lab::new();
    let Some(parts) = Parts::new(&lab) else { return };
    let none: [&str; 0] = [];
    // A function of one benchmark, one that is inlined into it, one that nothing runs, and text.
    assert_eq!(parts.measured("sort.c", "* 37 + n", "* 41 + n"), ["sort"]);
    assert_eq!(parts.measured("sort.c", "int c = *a; *a", "int c = *a + 1; *a"), ["sort"]);
    assert_eq!(parts.measured("scan.c", "d += n % 10;", "d += n % 10 + 1;"), ["scan"]);
    assert_eq!(parts.measured("sort.c", "return n + 1;", "return n * n * n + 1;"), none);
    assert_eq!(parts.measured("sort.c", "/* Bubbles. */", "/* Bubbles,\n   slowly. */"), none);
    // A function in a header, and a macro.
    assert_eq!(parts.measured("parts.h", "a >> 3", "a >> 2"), ["hash"]);
    assert_eq!(parts.measured("parts.h", "STEP 3", "STEP 5"), ["walk"]);
    // Data that any code might read, and the layout of a type.
    assert_eq!(parts.measured("hash.c", "{11, 13", "{11, 14"), NAMES);
    let walked = parts.measured("parts.h", "int left, right;", "long left, right;");
    assert!(walked.contains(&"walk".to_owned()), "{walked:?}");
    // What only the build or the program itself could read.
    assert_eq!(parts.measured("build.sh", "-O2", "-O1"), NAMES);
    assert_eq!(parts.measured("data.txt", "2", "4"), NAMES);
    assert_eq!(parts.measured("README.md", "Parts", "Pieces"), none);
    parts.repository.git(&["reset", "--hard", "--quiet", &parts.base]);
    parts.repository.git(&["mv", "sort.c", "order.c"]);
    let build = lab.read("repo/build.sh").replace("sort.c", "order.c");
    parts.repository.write("build.sh", &build);
    parts.repository.commit("Rename");
    assert_eq!(reached(&parts.reach()), NAMES);
    parts.repository.git(&["reset", "--hard", "--quiet", &parts.base]);
    parts.repository.write("blob.bin", "\0\u{1}\0");
    parts.repository.commit("Add a binary file");
    assert_eq!(reached(&parts.reach()), NAMES);
}

#[test]
fn skipped_is_said_and_is_neither_measured_nor_holding() {
    let lab = Lab::new();
    let Some(parts) = Parts::new(&lab) else { return };
    parts.edit("sort.c", "* 37 + n", "* 41 + n");
    let ended = parts.check(&["--export-junit", "junit.xml"]);
    let ended = ended.exited(0).says("4 expectations: 3 were skipped, 1 holds");
    let skipped = "skipped `hash`, `walk`, `scan`: all that it runs is the same in both programs";
    let ended = ended.says(skipped).says("the benchmarks run the function that you changed");
    let ended = ended.says("callgrind took");
    assert!(!ended.stdout.contains("4 hold"), "{ended}");
    assert!(lab.read("junit.xml").contains("skipped=\"3\""));
    // What ran is kept.
    let again = parts.check(&[]).exited(0);
    assert!(!again.stdout.contains("callgrind took"), "{again}");
}

#[test]
fn ci_says_first_that_no_benchmark_runs_the_change() {
    let lab = Lab::new();
    let Some(parts) = Parts::new(&lab) else { return };
    let ci = |lab: &Lab| {
        let base = parts.base.as_str();
        let words = ["ci", "--project", "repo", "--base", base, "--", "--quiet"];
        let few = ["--counters", "none", "--runs", "8", "--export-json", "check.json"];
        lab.brisk(&[&words, &few[..]].concat())
    };
    parts.edit("sort.c", "return n + 1;", "return n * n * n + 1;");
    let nothing = "nothing that you changed is run by any benchmark";
    let ended = ci(&lab).exited(0).says(nothing).says("4 expectations: 4 were skipped");
    assert!(!ended.stdout.contains("hold"), "{ended}");
    let comment = lab.read("brisk-ci/comment.md");
    let marker = "<!-- brisk: performance -->\n## Performance\n\n";
    let first = comment.strip_prefix(marker).expect("it begins with a heading");
    assert!(first.trim_start_matches('*').starts_with(nothing), "{comment}");
    assert!(lab.read("brisk-ci/report.html").contains(nothing));
    let document = lab.json("check.json");
    let functions = document["check"]["reach"]["functions"].as_array().expect("functions");
    assert_eq!(functions.len(), 1);
    assert_eq!(functions[0]["name"], "unused");
    // One function of two is run.
    parts.edit("sort.c", "return n + 1;", "return n * n * n + 1;");
    let text = lab.read("repo/sort.c").replace("* 37 + n", "* 41 + n");
    parts.repository.write("sort.c", &text);
    parts.repository.commit("Edit both");
    let words =
        "the benchmarks run 1 of the 2 functions that you changed; not run: `unused` (`sort.c`)";
    ci(&lab).says(words);
}

#[test]
fn a_bench_of_commits_leaves_out_what_the_change_does_not_reach() {
    let lab = Lab::new();
    let Some(parts) = Parts::new(&lab) else { return };
    let bench = |head: &str| {
        let at = format!("{}..{head}", parts.base);
        let words = ["bench", "--at", &at, "--project", "repo", "--affected", "--quiet"];
        let build = ["--build", "sh build.sh", "--artifact", "suite", "--runs", "8"];
        let files = ["--export-json", "bench.json", "--export-markdown", "bench.md", "suite"];
        lab.brisk(&[&words[..], &build, &files].concat())
    };
    let head = parts.edit("sort.c", "* 37 + n", "* 41 + n");
    let skipped = "skipped `hash`, `scan`, `walk`: all that it runs is the same in both programs";
    bench(&head).judged().says(skipped).says("the benchmarks run the function that you changed");
    let document = lab.json("bench.json");
    let benchmarks = document["suite"]["benchmarks"].as_array().expect("benchmarks");
    let names: Vec<&Value> = benchmarks.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["sort"]);
    assert_eq!(reached(&document["suite"]["reach"]), ["sort"]);
    assert!(lab.read("bench.md").contains("the benchmarks run the function that you changed"));
    let shown = lab.brisk(&["show", "1"]).succeeded();
    assert!(shown.stdout.contains("skipped `hash`"), "{shown}");
    let head = parts.edit("sort.c", "return n + 1;", "return n * n * n + 1;");
    let ended = bench(&head).exited(0).says("nothing that you changed is run by any benchmark");
    assert!(!ended.stdout.contains("unchanged"), "{ended}");
}

/// A version of the project.
#[derive(Clone, Copy)]
struct Version {
    sort: u32,
    hash: u32,
    walk: u32,
    scan: u32,
    mixed: u32,
    step: u32,
    seed: u32,
    unused: u32,
    comment: u32,
    data: u32,
}

impl Version {
    /// Changes one thing, as commits do: mostly a function.
    fn edit(&mut self, random: u64) {
        let part = match random % 20 {
            0..4 => &mut self.sort,
            4..7 => &mut self.hash,
            7..10 => &mut self.walk,
            10..13 => &mut self.scan,
            13 => &mut self.mixed,
            14 => &mut self.step,
            15 => &mut self.seed,
            16 => &mut self.unused,
            17 | 18 => &mut self.comment,
            _ => &mut self.data,
        };
        *part += 1 + (random / 20 % 5) as u32;
    }

    fn write(&self, repository: &Repository<'_>) {
        let edited = |text: &str, from: &str, to: String| {
            assert!(text.contains(from), "{from}");
            text.replace(from, &to)
        };
        let header = edited(HEADER, "STEP 3", format!("STEP {}", self.step));
        let header = edited(&header, "a * 31", format!("a * {}", self.mixed));
        let sort = edited(SORT, "i * 37 + n", format!("i * {} + n", self.sort));
        let sort = edited(&sort, "n + 1;", format!("n + {};", self.unused));
        let hash = edited(HASH, "sum * 33", format!("sum * {}", self.hash));
        let hash = edited(&hash, "{11,", format!("{{{},", self.seed));
        let walk = edited(WALK, "n * 32", format!("n * {}", self.walk));
        let scan = edited(SCAN, "n * 16", format!("n * {}", self.scan));
        let comment = format!("/* {} */\n", self.comment).repeat(1 + self.comment as usize % 3);
        repository.write("parts.h", &header);
        repository.write("sort.c", &(comment.clone() + &sort));
        repository.write("hash.c", &hash);
        repository.write("walk.c", &walk);
        repository.write("scan.c", &(comment + &scan));
        repository.write("data.txt", &self.data.to_string());
    }
}

/// The instructions of a benchmark in the checkout, which is built.
fn instructions(parts: &Parts<'_>, name: &str) -> u64 {
    let out = parts.lab.path("counts");
    let option = format!("--cachegrind-out-file={}", out.display());
    let program = parts.repository.path().join("parts");
    let program = program.to_str().expect("text");
    let words = ["--tool=cachegrind", "--cache-sim=no", "--quiet", &option, program, name, "40"];
    assert!(run("valgrind", &words), "{name} runs under valgrind");
    let text = parts.lab.read("counts");
    let summary = text.lines().find_map(|line| line.strip_prefix("summary: "));
    summary.and_then(|count| count.trim().parse().ok()).expect("a count")
}

/// Thirty commits on top of each other: no benchmark whose instructions changed was skipped, and
/// at least half of the measuring is saved.
#[test]
fn in_thirty_commits_nothing_is_skipped_wrongly_and_half_is_saved() {
    let lab = Lab::new();
    let Some(mut parts) = Parts::new(&lab) else { return };
    let build = |parts: &Parts<'_>| {
        let folder = parts.repository.path();
        let command = format!("cd '{}' && sh build.sh", folder.display());
        assert!(run("sh", &["-c", &command]), "it builds");
    };
    parts.repository.write(".gitignore", "parts\nsuite\n");
    parts.base = parts.repository.commit("Ignore what is built");
    build(&parts);
    let mut before = NAMES.map(|name| instructions(&parts, name));
    let mut version = Version {
        sort: 37,
        hash: 33,
        walk: 32,
        scan: 16,
        mixed: 31,
        step: 3,
        seed: 11,
        unused: 1,
        comment: 0,
        data: 0,
    };
    let (mut random, mut skipped, mut changed) = (0x9e37_79b9_7f4a_7c15_u64, 0, 0);
    for number in 0..30 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        version.edit(random);
        version.write(&parts.repository);
        let head = parts.repository.commit(&format!("Edit {number}"));
        build(&parts);
        let reached = reached(&parts.reach());
        for (place, name) in NAMES.into_iter().enumerate() {
            let after = instructions(&parts, name);
            let is_skipped = !reached.contains(&name.to_owned());
            let is_same = after == before[place];
            assert!(is_same || !is_skipped, "edit {number}: {name}: {} -> {after}", before[place]);
            skipped += usize::from(is_skipped);
            changed += usize::from(!is_same);
            before[place] = after;
        }
        parts.base = head;
    }
    let all = 30 * NAMES.len();
    println!("{skipped} of {all} measurements were skipped; {changed} had other instructions");
    assert!(2 * skipped >= all, "{skipped} of {all} were skipped");
}
