//! A difference that a run could notice is never overlooked, and an address is no difference.

use toolchains::code_equality::{Difference, check};

use super::compiled;

const MAIN: &str = r#"
#include <stdio.h>
#include <string.h>
int sort(int), search(int), idle(int);
int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "search")) return search(argc);
    if (argc > 1 && !strcmp(argv[1], "idle")) return idle(argc);
    return sort(argc);
}
"#;

const WORK: &str = r#"
#include <stdio.h>
#include "limit.h"
static const int table[] = {3, 1, 4, 1, 5};
int idle(int n) { volatile int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
int sort(int n) { volatile int sum = LIMIT; for (int i = 0; i < n; i++) sum += table[i % 5]; return sum; }
int search(int n) {
    switch (n) {
    case 0: return puts("none"); case 1: return puts("one"); case 2: return puts("two") * 2;
    case 3: return puts("three") + 7; case 4: return getchar(); case 5: return putchar('a');
    case 6: return n * 13; case 7: return puts("seven") - 9;
    }
    return sort(n) + 1;
}
"#;

const SORT: [&str; 4] = ["(below main)", "main", "sort", "0x0000000000001080"];
const SEARCH: [&str; 4] = ["(below main)", "main", "search", "sort'2"];

/// The program in which `from` of the sources became `to`.
fn program(name: &str, from: &str, to: &str) -> Option<Vec<u8>> {
    with_flags(name, &["-O2"], from, to)
}

fn with_flags(name: &str, flags: &[&str], from: &str, to: &str) -> Option<Vec<u8>> {
    let header = "#define LIMIT 7\n";
    let sources = [("main.c", MAIN), ("work.c", WORK), ("limit.h", header)];
    assert!(sources.iter().any(|(_, text)| text.contains(from)), "{from} is in the sources");
    let changed = sources.map(|(file, text)| (file, text.replace(from, to)));
    let files: Vec<(&str, &str)> = changed.iter().map(|(file, text)| (*file, &**text)).collect();
    compiled(&format!("equality-{name}"), flags, &files)
}

#[test]
fn a_function_that_did_not_run_is_no_difference_though_all_addresses_move() {
    let Some(old) = program("old", "LIMIT", "LIMIT") else { return };
    let new = program("idle", "sum += i;", "sum += i * sum / (i + 3) ^ n;").expect("gcc");
    assert_ne!(old, new);
    assert_eq!(check(&old, &new, SORT), Ok(()));
    assert_eq!(check(&old, &new, SEARCH), Ok(()), "a jump table has moved");
    assert_eq!(check(&old, &new, ["main", "idle"]), Err(Difference::Code("idle".to_owned())));
    assert_eq!(check(&old, &old, ["main", "idle", "sort", "search"]), Ok(()));
}

#[test]
fn every_change_that_a_run_could_notice_is_a_difference() {
    let Some(old) = program("old", "LIMIT", "LIMIT") else { return };
    let code = |name: &str| Err(Difference::Code(name.to_owned()));
    let data = || Err(Difference::Data(".rodata".to_owned()));
    for (name, from, to, ran, expected) in [
        ("code", "sum += table", "sum += 2 * table", SORT, code("sort")),
        ("macro", "LIMIT 7", "LIMIT 8", SORT, code("sort")),
        ("other-callee", "return search(argc)", "return idle(argc)", SORT, code("main")),
        ("data", "3, 1, 4", "3, 1, 5", SORT, data()),
        ("a-case", "puts(\"two\") * 2", "puts(\"two\") * 3", SEARCH, code("search")),
        ("a-text", "\"none\"", "\"nine\"", SORT, data()),
        (
            "a-swap",
            "case 6: return n * 13; case 7: return puts(\"seven\") - 9",
            "case 7: return n * 13; case 6: return puts(\"seven\") - 9",
            SEARCH,
            Ok(()),
        ),
    ] {
        let new = program(name, from, to).expect("gcc");
        let found = check(&old, &new, ran);
        match expected {
            // Whether the order of the blocks or of the table changes is the compiler's choice.
            Ok(()) => assert!(found.is_err(), "{name}"),
            expected => assert_eq!(found, expected, "{name}"),
        }
    }
}

#[test]
fn what_is_not_understood_is_a_difference() {
    let Some(old) = program("old", "LIMIT", "LIMIT") else { return };
    let stripped = with_flags("stripped", &["-O2", "-s"], "LIMIT", "LIMIT").expect("gcc");
    let fixed = with_flags("fixed", &["-O2", "-no-pie", "-fno-pie"], "LIMIT", "LIMIT");
    let not_compared = |why| Err(Difference::NotCompared(why));
    assert_eq!(check(&old, &stripped, SORT), not_compared("it has no symbols"));
    let fixed = fixed.expect("gcc");
    assert_eq!(check(&fixed, &fixed, SORT), not_compared("it is not position-independent"));
    assert_eq!(check(b"#!/bin/sh", &old, SORT), not_compared("it is not a 64-bit ELF file"));
    let unknown = Err(Difference::Unknown("jitted".to_owned()));
    assert_eq!(check(&old, &old, ["main", "jitted"]), unknown);
    assert_eq!(check(&old, &old, ["_Unwind_RaiseException"]), Err(Difference::Unwinds));
    for length in [64, 4096, old.len() / 2] {
        assert!(check(&old[..length], &old, SORT).is_err(), "{length}");
    }
}

#[test]
fn a_choice_by_the_processor_is_not_followed() {
    let from = "int idle(int n) {";
    let asks = "#include <cpuid.h>\nint idle(int n) { unsigned a, b, c, d; __get_cpuid(1, &a, &b, &c, &d); n += a;";
    let Some(old) = program("asks", from, asks) else { return };
    assert_eq!(check(&old, &old, SORT), Ok(()));
    let asked = Err(Difference::Processor("idle".to_owned()));
    assert_eq!(check(&old, &old, ["main", "idle"]), asked);
}

#[test]
fn another_optimisation_is_a_difference() {
    let Some(old) = program("old", "LIMIT", "LIMIT") else { return };
    let new = with_flags("unoptimised", &["-O1"], "LIMIT", "LIMIT").expect("gcc");
    assert!(matches!(check(&old, &new, SORT), Err(Difference::Code(_))));
}
