//! Time by function, from samples. Where the kernel refuses to sample, nothing is checked.

use serde_json::Value;

use crate::document::list;
use crate::lab::{Lab, has, not_checked, run};
use crate::repository::Repository;

/// Two functions whose work is known: `small` has a fifth of what `large` has, and `MORE` adds to
/// `small`.
const SOURCE: &str = "\
    #include <stdlib.h>\n\
    #include <sys/wait.h>\n\
    #include <unistd.h>\n\
    #ifndef MORE\n\
    #define MORE 0\n\
    #endif\n\
    #define WORK { volatile long s = 1; for (long i = 1; i < n; i++) s = s * 3 + i; return s; }\n\
    __attribute__((noinline)) long large(long n) WORK\n\
    __attribute__((noinline)) long small(long n) WORK\n\
    int main(int count, char **words) {\n\
    \x20   long n = count > 1 ? atol(words[1]) : 1;\n\
    \x20   if (count > 2 && fork() == 0) execl(words[0], words[0], words[1], (char *)0);\n\
    \x20   for (int i = 0; i < 10; i++) { large(10 * n); small((2 + MORE) * n); }\n\
    \x20   wait(0);\n\
    \x20   return 0;\n\
    }\n";

/// The programs `old`, `new` (`small` has five times the work) and `stripped`.
fn programs(lab: &Lab) -> bool {
    lab.write("work.c", SOURCE);
    let path = |name: &str| lab.path(name).display().to_string();
    let build = |name: &str, option: &str| {
        run(
            "cc",
            &["-O1", "-g", "-fomit-frame-pointer", option, "-o", &path(name), &path("work.c")],
        )
    };
    build("old", "-DMORE=0") && build("new", "-DMORE=8") && build("stripped", "-s")
}

/// True if programs can be built and sampled here; otherwise prints a message.
fn can_sample(lab: &Lab) -> bool {
    if !has("cc") || !programs(lab) {
        not_checked("time by function: no C compiler is installed");
        return false;
    }
    let tried = lab.brisk(&["explain", "-q", "--sample", "--budget", "1s", "./old 300000"]);
    let is_refused = tried.stderr.contains("cannot be sampled here");
    if is_refused {
        not_checked("time by function: the kernel refuses to sample");
    }
    !is_refused
}

fn sampled(lab: &Lab, arguments: &[&str]) -> Value {
    let export = ["explain", "-q", "--sample", "--budget", "3s", "--export-json", "out.json"];
    lab.brisk(&[&export, arguments].concat()).succeeded();
    lab.json("out.json")["time_profile"].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn named<'a>(part: &'a Value, name: &str) -> &'a Value {
    let found = list(part, "functions").iter().find(|function| function["name"] == name);
    found.unwrap_or_else(|| panic!("no `{name}` in {part}"))
}

#[test]
fn one_program_shows_where_its_time_is() {
    let lab = Lab::new();
    if !can_sample(&lab) {
        return;
    }
    let part = sampled(&lab, &["./old 1000000"]);
    let large = named(&part, "large");
    let share = |end: &str| number(&large["share"][end]);
    // Five sixths of the loops are its own; what starts the program has a little.
    assert!(share("low") < 0.84 && share("high") > 0.75, "{large}");
    assert!(share("low") > 0.5);
    let frames = |stack: &Value| list(stack, "frames").clone();
    let mut stacks = list(&part["stacks"], "stacks").iter().map(frames);
    assert!(stacks.any(|it| it.ends_with(&["main".into(), "large".into()])), "large is called");
    assert!(!list(large, "lines").is_empty(), "there is debug information");
    let variant = &part["variants"][0];
    assert!(number(&variant["plain_runs"]) >= 1.0 && number(&variant["samples"]) > 100.0);
    let exports = ["--export-speedscope", "speedscope.json", "--export-firefox-profile", "ff.json"];
    let again = ["explain", "-q", "--sample", "--budget", "1s", "./old 1000000"];
    lab.brisk(&[&again[..], &exports].concat())
        .succeeded()
        .says("of the time is in `large`")
        .says("is off the processor for")
        .says("a sampled run took");
    assert_eq!(lab.json("speedscope.json")["profiles"][0]["unit"], "nanoseconds");
    assert_eq!(lab.json("ff.json")["threads"][0]["samples"]["weightType"], "tracing-ms");
}

#[test]
fn the_function_that_takes_longer_is_named_and_no_other() {
    let lab = Lab::new();
    if !can_sample(&lab) {
        return;
    }
    let part = sampled(&lab, &["./old 600000", "./new 600000"]);
    let small = named(&part, "small");
    assert_eq!(small["named"], true, "{small}");
    assert!(number(&small["change"]["low"]) > 0.0);
    assert_eq!(list(&part, "functions")[0], *small, "it is the first");
    assert!(number(&part["change"]["low"]) > 0.0, "the program as a whole takes longer");
}

#[test]
fn programs_without_symbols_and_their_children_are_seen() {
    let lab = Lab::new();
    if !can_sample(&lab) {
        return;
    }
    let alone = sampled(&lab, &["./stripped 1000000"]);
    let nameless = &list(&alone, "functions")[0];
    assert_eq!(nameless["name"], "(no symbol)");
    assert!(nameless["object"].as_str().is_some_and(|object| object.ends_with("stripped")));
    let notes = list(&alone, "notes").iter().filter_map(Value::as_str).collect::<String>();
    assert!(notes.contains("code without a symbol"), "{notes}");
    let seconds = |part: &Value| number(&part["variants"][0]["sampled_seconds"]);
    let both = sampled(&lab, &["./old 1000000 and-a-child"]);
    let one = sampled(&lab, &["./old 1000000"]);
    assert!(seconds(&both) > 1.5 * seconds(&one), "the child has as much work");
}

#[test]
fn runs_that_fail_are_no_profile() {
    let lab = Lab::new();
    if !can_sample(&lab) {
        return;
    }
    lab.brisk(&["explain", "-q", "--sample", "sh -c 'kill -KILL $$'"])
        .refused("was ended by signal 9 (SIGKILL) in a plain run");
    lab.brisk(&["explain", "-q", "--sample", "--budget", "soon", "./old 1"]).exited(2);
    lab.brisk(&["explain", "-q", "--sample", "--count", "./old 1"]).exited(2);
}

/// Counting a program of a third of a second takes longer than its history did.
#[test]
fn the_cause_of_a_change_comes_from_samples_where_counting_takes_too_long() {
    let lab = Lab::new();
    if !can_sample(&lab) {
        return;
    }
    let repository = Repository::new(&lab);
    let work = SOURCE.replace("atol(words[1]) : 1", "atol(words[1]) : 3000000");
    repository.write("Makefile", "prog: work.c\n\tcc -O1 -g -o prog work.c\n");
    repository.write("work.c", &work);
    repository.commit("before");
    repository.write("work.c", &work.replace("small((2 + MORE) * n)", "small((9 + MORE) * n)"));
    repository.commit("after");
    let asked = ["history", &*repository.whole(), "-q", "--project", "repo", "--explain"];
    let how = ["--metrics", "wall_time", "--runs", "12", "--export-json", "h.json"];
    let ended = lab.brisk(&[&asked[..], &how].concat());
    let document = lab.json("h.json");
    let causes = list(&document, "causes");
    assert_eq!(causes.len(), 1, "{ended}");
    let lead = &list(&causes[0], "functions")[0];
    assert_eq!(lead["name"], "small", "{ended}");
    assert!(lead["seconds_more"]["low"].as_f64().is_some_and(|low| low > 0.0), "{lead}");
    assert_eq!(causes[0]["instructions_ratio"], Value::Null, "{ended}");
    assert_eq!(causes[0]["class"], "source", "{ended}");
    ended.says("of the program's time, from samples)");
}
