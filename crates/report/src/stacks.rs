//! Stacks in the formats of programs that draw them: speedscope's, and the Firefox Profiler's.
//!
//! A stack is one sample that weighs as much as all of it; samples follow each other in time as the
//! stacks do by name, so charts over time show proportions only.

use std::collections::HashMap;

use findings::instructions::{ProgramStacks, StackCounts};
use serde_json::{Value, json};

/// The unit of the stacks' counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackUnit {
    /// Events, such as instructions.
    Events,
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    Nanoseconds,
}

/// The stacks of one program.
#[derive(Debug, Default)]
struct Interned<'a> {
    names: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Interned<'a> {
    fn number(&mut self, name: &'a str) -> usize {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

/// The stacks that one of the programs has.
fn of_program(stacks: &ProgramStacks, place: usize) -> impl Iterator<Item = (&StackCounts, u64)> {
    let weighed = move |stack| (stack, weight(stack, place));
    stacks.stacks.iter().map(weighed).filter(|(_, weight)| *weight > 0)
}

fn weight(stack: &StackCounts, place: usize) -> u64 {
    stack.counts.get(place).copied().unwrap_or(0)
}

/// As speedscope reads them (<https://www.speedscope.app/file-format-schema.json>): a sampled
/// profile for each program.
pub fn speedscope(names: &[&str], stacks: &ProgramStacks, unit: StackUnit) -> String {
    let mut frames = Interned::default();
    let profiles: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let (samples, weights): (Vec<Vec<usize>>, Vec<u64>) = of_program(stacks, place)
                .map(|(stack, weight)| {
                    (stack.frames.iter().map(|frame| frames.number(frame)).collect(), weight)
                })
                .unzip();
            json!({
                "type": "sampled",
                "name": name,
                "unit": match unit {
                    StackUnit::Events => "none",
                    StackUnit::Bytes => "bytes",
                    StackUnit::Nanoseconds => "nanoseconds",
                },
                "startValue": 0,
                "endValue": weights.iter().sum::<u64>(),
                "samples": samples,
                "weights": weights,
            })
        })
        .collect();
    let frames: Vec<Value> = frames.names.iter().map(|name| json!({ "name": name })).collect();
    let file = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": names.join(" → "),
        "exporter": concat!("brisk ", env!("CARGO_PKG_VERSION")),
        "activeProfileIndex": names.len().saturating_sub(1),
        "shared": { "frames": frames },
        "profiles": profiles,
    });
    file.to_string() + "\n"
}

/// The version of the processed format that is written: that of Mozilla's own library for Rust,
/// `fxprof-processed-profile` 0.6. The profiler upgrades older versions.
const FIREFOX_VERSION: u32 = 46;

/// As the Firefox Profiler reads them: its processed format, a thread for each program.
pub fn firefox_profile(names: &[&str], stacks: &ProgramStacks, unit: StackUnit) -> String {
    let threads: Vec<Value> =
        (0..names.len()).map(|place| thread(names[place], place, stacks, unit)).collect();
    let file = json!({
        "meta": {
            "categories": [{ "name": "Other", "color": "grey", "subcategories": ["Other"] }],
            "debug": false,
            "extensions": { "baseURL": [], "id": [], "length": 0, "name": [] },
            "interval": 1,
            "preprocessedProfileVersion": FIREFOX_VERSION,
            "processType": 0,
            "product": "brisk",
            "sampleUnits": { "eventDelay": "ms", "threadCPUDelta": "µs", "time": "ms" },
            "startTime": 0,
            "symbolicated": true,
            "pausedRanges": [],
            "version": 24,
            "usesOnlyOneStackType": true,
            "doesNotUseFrameImplementation": true,
            "sourceCodeIsNotOnSearchfox": true,
            "markerSchema": [],
        },
        "libs": [],
        "threads": threads,
        "pages": [],
        "profilerOverhead": [],
        "counters": [],
    });
    file.to_string() + "\n"
}

/// The tree of a program's stacks: each node is a function called by another.
#[derive(Debug, Default)]
struct StackTree {
    prefixes: Vec<Option<usize>>,
    functions: Vec<usize>,
    numbers: HashMap<(Option<usize>, usize), usize>,
}

impl StackTree {
    fn child(&mut self, prefix: Option<usize>, function: usize) -> usize {
        *self.numbers.entry((prefix, function)).or_insert_with(|| {
            self.prefixes.push(prefix);
            self.functions.push(function);
            self.functions.len() - 1
        })
    }
}

fn thread(name: &str, place: usize, stacks: &ProgramStacks, unit: StackUnit) -> Value {
    let mut functions = Interned::default();
    let mut tree = StackTree::default();
    let (mut tops, mut times, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut passed = 0.0;
    for (stack, weight) in of_program(stacks, place) {
        let mut top = None;
        for frame in &stack.frames {
            top = Some(tree.child(top, functions.number(frame)));
        }
        // Milliseconds, in which the profiler shows them.
        let weight = match unit {
            StackUnit::Events | StackUnit::Bytes => json!(weight),
            StackUnit::Nanoseconds => json!(weight as f64 / 1e6),
        };
        tops.push(top);
        times.push(passed);
        passed += weight.as_f64().unwrap_or(0.0);
        weights.push(weight);
    }
    let (count, nodes) = (functions.names.len(), tree.functions.len());
    let each = |value: Value, count: usize| Value::Array(vec![value; count]);
    json!({
        "name": name,
        "processName": name,
        "isMainThread": true,
        "processType": "default",
        "processStartupTime": 0,
        "processShutdownTime": null,
        "registerTime": 0,
        "unregisterTime": null,
        "pausedRanges": [],
        "pid": place.to_string(),
        "tid": place,
        "stringArray": functions.names,
        "funcTable": {
            "length": count,
            "name": (0..count).collect::<Vec<_>>(),
            "isJS": each(json!(false), count),
            "relevantForJS": each(json!(false), count),
            "resource": each(json!(-1), count),
            "fileName": each(Value::Null, count),
            "lineNumber": each(Value::Null, count),
            "columnNumber": each(Value::Null, count),
        },
        "frameTable": {
            "length": count,
            "address": each(json!(-1), count),
            "inlineDepth": each(json!(0), count),
            "category": each(json!(0), count),
            "subcategory": each(json!(0), count),
            "func": (0..count).collect::<Vec<_>>(),
            "nativeSymbol": each(Value::Null, count),
            "innerWindowID": each(Value::Null, count),
            "implementation": each(Value::Null, count),
            "line": each(Value::Null, count),
            "column": each(Value::Null, count),
            "optimizations": each(Value::Null, count),
        },
        "stackTable": {
            "length": nodes,
            "prefix": tree.prefixes,
            "frame": tree.functions,
            "category": each(json!(0), nodes),
            "subcategory": each(json!(0), nodes),
        },
        "samples": {
            "length": tops.len(),
            "stack": tops,
            "time": times,
            "weight": weights,
            "weightType": match unit {
                StackUnit::Events => "samples",
                StackUnit::Bytes => "bytes",
                StackUnit::Nanoseconds => "tracing-ms",
            },
        },
        "markers": {
            "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [],
            "startTime": [],
        },
        "nativeSymbols": {
            "length": 0, "address": [], "functionSize": [], "libIndex": [], "name": [],
        },
        "resourceTable": { "length": 0, "lib": [], "name": [], "host": [], "type": [] },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::instructions::StackKind;

    fn stacks() -> ProgramStacks {
        let stack = |frames: &[&str], counts: [u64; 2]| StackCounts {
            frames: frames.iter().map(|&frame| frame.to_owned()).collect(),
            counts: counts.to_vec(),
        };
        ProgramStacks {
            kind: StackKind::Unwound,
            stacks: vec![
                stack(&["main"], [1_000_000, 0]),
                stack(&["main", "f", "\u{1b}<g>"], [3_000_000, 5_000_000]),
                stack(&["main", "h"], [0, 2_000_000]),
            ],
        }
    }

    fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
        value[key].as_array().unwrap_or_else(|| panic!("no list `{key}` in {value}"))
    }

    fn read(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    /// The rules of speedscope's schema: samples are lists of indices of frames, outermost first,
    /// one weight each, and the values span them.
    #[test]
    fn files_for_speedscope_follow_its_schema() {
        let file = read(&speedscope(&["a", "b"], &stacks(), StackUnit::Nanoseconds));
        assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
        let frames = list(&file["shared"], "frames");
        let profiles = list(&file, "profiles");
        assert_eq!(profiles.len(), 2);
        for profile in profiles {
            assert_eq!(
                (&profile["type"], &profile["unit"]),
                (&json!("sampled"), &json!("nanoseconds"))
            );
            let (samples, weights) = (list(profile, "samples"), list(profile, "weights"));
            assert_eq!(samples.len(), weights.len());
            let sum: u64 = weights.iter().filter_map(Value::as_u64).sum();
            assert_eq!(
                (profile["startValue"].as_u64(), profile["endValue"].as_u64()),
                (Some(0), Some(sum))
            );
            for frame in samples.iter().flat_map(|sample| sample.as_array().expect("a stack")) {
                assert!(frame.as_u64().is_some_and(|it| (it as usize) < frames.len()));
            }
        }
        let last = &list(&profiles[1], "samples")[0];
        let names: Vec<&Value> = last
            .as_array()
            .expect("a stack")
            .iter()
            .map(|frame| &frames[frame.as_u64().expect("a number") as usize]["name"])
            .collect();
        assert_eq!(names, ["main", "f", "\u{1b}<g>"]);
    }

    /// The rules of the processed format: each table's columns have its length, indices are of rows
    /// that exist, and a stack's prefix is before it.
    #[test]
    fn files_for_the_firefox_profiler_are_tables_that_agree() {
        let file = read(&firefox_profile(&["a", "b"], &stacks(), StackUnit::Nanoseconds));
        let categories = list(&file["meta"], "categories").len();
        assert_eq!(file["meta"]["preprocessedProfileVersion"], FIREFOX_VERSION);
        for thread in list(&file, "threads") {
            let length = |table: &str| thread[table]["length"].as_u64().expect("a length") as usize;
            for table in [
                "funcTable",
                "frameTable",
                "stackTable",
                "samples",
                "markers",
                "nativeSymbols",
                "resourceTable",
            ] {
                let columns = thread[table].as_object().expect("a table").iter();
                for (name, column) in columns.filter(|(_, column)| column.is_array()) {
                    let rows = column.as_array().expect("a column").len();
                    assert_eq!(rows, length(table), "{table}.{name}");
                }
            }
            let points = |table: &str, column: &str, below: usize| {
                let rows = list(&thread[table], column).iter().filter(|row| !row.is_null());
                rows.into_iter().all(|row| row.as_u64().is_some_and(|row| (row as usize) < below))
            };
            assert!(points("funcTable", "name", list(thread, "stringArray").len()));
            assert!(points("frameTable", "func", length("funcTable")));
            assert!(points("frameTable", "category", categories));
            assert!(points("stackTable", "frame", length("frameTable")));
            assert!(points("samples", "stack", length("stackTable")));
            for (place, prefix) in list(&thread["stackTable"], "prefix").iter().enumerate() {
                assert!(
                    prefix.is_null() || prefix.as_u64().is_some_and(|it| (it as usize) < place)
                );
            }
            let times: Vec<f64> =
                list(&thread["samples"], "time").iter().filter_map(Value::as_f64).collect();
            assert!(times.is_sorted());
        }
        let second = &list(&file, "threads")[1];
        assert_eq!(second["samples"]["weight"], json!([5.0, 2.0]));
        assert_eq!(second["samples"]["weightType"], "tracing-ms");
    }

    #[test]
    fn counted_stacks_have_no_unit_of_time() {
        let file = read(&speedscope(&["a"], &stacks(), StackUnit::Events));
        assert_eq!(file["profiles"][0]["unit"], "none");
        let file = read(&firefox_profile(&["a"], &stacks(), StackUnit::Events));
        assert_eq!(file["threads"][0]["samples"]["weightType"], "samples");
    }
}
