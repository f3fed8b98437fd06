//! The costs are those of `callgrind_annotate`.

use std::collections::BTreeMap;

use toolchains::callgrind::{Agreement, Profile};

use crate::{SAMPLES, read};

/// The functions in the output of `callgrind_annotate --threshold=100 --show-percs=no`: the cost of
/// each in the column, by `file:function`. It separates a function's own file from those inlined
/// into it, and adds up functions of the same name and file in different objects.
pub(crate) fn annotated(text: &str, column: usize) -> BTreeMap<String, u64> {
    let table = text.split("file:function\n").nth(1).expect("a table of functions");
    let mut costs = BTreeMap::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('-')) {
        let mut words = line.split_whitespace();
        let number = words.nth(column).expect("a column");
        let is_number =
            |word: &&str| word.bytes().all(|b| b.is_ascii_digit() || b".,".contains(&b));
        let name = words.skip_while(is_number).collect::<Vec<_>>().join(" ");
        // `.` stands for 0.
        let cost: u64 =
            if number == "." { 0 } else { number.replace(',', "").parse().expect("a number") };
        let name = name.split(" [").next().expect("a name").to_owned();
        *costs.entry(name).or_insert(0) += cost;
    }
    costs.retain(|_, cost| *cost > 0);
    costs
}

/// The same for a profile.
pub(crate) fn by_file(profile: &Profile) -> BTreeMap<String, u64> {
    let mut costs = BTreeMap::new();
    for line in &profile.lines {
        let function = &profile.functions[line.function as usize];
        let key = format!("{}:{}", profile.file(line.file), profile.name(function.name));
        *costs.entry(key).or_insert(0) += line.cost;
    }
    costs.retain(|_, cost| *cost > 0);
    costs
}

#[test]
fn functions_cost_what_callgrind_annotate_says() {
    for (name, text, theirs) in SAMPLES {
        let profile = read(text.as_bytes(), None).expect("a sound file");
        // It reads only the first of several parts in a file, and warns.
        if name != "parts" {
            assert_eq!(by_file(&profile), annotated(theirs, 0), "{name}");
        }
        assert_eq!(profile.problems, [], "{name}");
        assert_eq!(profile.agreement(), Agreement::Exact, "{name}");
    }
}

#[test]
fn so_does_each_function_by_its_lines() {
    for (name, text, _) in SAMPLES {
        let profile = read(text.as_bytes(), None).expect("a sound file");
        let mut sums = vec![0; profile.functions.len()];
        for line in &profile.lines {
            sums[line.function as usize] += line.cost;
        }
        let own: Vec<u64> = profile.functions.iter().map(|function| function.self_cost).collect();
        assert_eq!(sums, own, "{name}");
    }
}

#[test]
fn every_event_can_be_read() {
    let (_, text, theirs) = SAMPLES[1];
    let events = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim";
    for (column, event) in events.split(' ').enumerate() {
        let profile = read(text.as_bytes(), Some(event)).expect("a sound file");
        assert_eq!(profile.event, event);
        assert_eq!(by_file(&profile), annotated(theirs, column), "{event}");
        assert_eq!(profile.agreement(), Agreement::Exact, "{event}");
    }
}
