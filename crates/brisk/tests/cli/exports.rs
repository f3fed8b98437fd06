//! Exported files: they parse, agree with each other, and can be written again.

use serde_json::Value;

use crate::document::{comparison, list, measured, summary, values};
use crate::lab::{Lab, sound_tables};

/// Options for one file of each kind, beginning with a name.
fn all(name: &str) -> Vec<String> {
    [("json", "json"), ("csv", "csv"), ("markdown", "md"), ("hyperfine", "hf")]
        .iter()
        .flat_map(|(kind, suffix)| [format!("--export-{kind}"), format!("{name}.{suffix}")])
        .collect()
}

/// A lab with an experiment of two commands, exported to `direct` in all four ways.
fn exported() -> Lab {
    let lab = Lab::new();
    let options = all("direct");
    let mut arguments: Vec<&str> = vec!["compare", "-r", "7", "-w", "1"];
    arguments.extend(options.iter().map(String::as_str));
    arguments.extend(["-L", "n", "1|2,`3`", "-n", "a \"b\", c {n}", "true '{n}'"]);
    lab.brisk(&arguments).judged();
    lab
}

#[test]
fn what_is_exported_later_is_what_was_exported_at_once() {
    let lab = exported();
    let options = all("later");
    let mut arguments = vec!["export", "1"];
    arguments.extend(options.iter().map(String::as_str));
    let ended = lab.brisk(&arguments).succeeded();
    assert_eq!(ended.stdout, "");
    for suffix in ["json", "csv", "md", "hf"] {
        let (direct, later) = (format!("direct.{suffix}"), format!("later.{suffix}"));
        assert_eq!(lab.read(&direct), lab.read(&later), "{suffix}");
    }
}

#[test]
fn the_csv_has_the_summaries_and_comparisons_of_the_json() {
    let lab = exported();
    let document = lab.json("direct.json");
    let text = lab.read("direct.csv");
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let heading = table.headers().expect("a heading").clone();
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), list(&document, "summaries").len());
    for row in rows {
        let cell = |name: &str| {
            let column = heading.iter().position(|known| known == name);
            row.get(column.unwrap_or_else(|| panic!("no {name}"))).expect("as many as headings")
        };
        let number = |name: &str| cell(name).parse::<f64>().ok();
        let variant: u64 = cell("variant").parse().expect("a number");
        let part = summary(&document, variant, cell("metric"));
        for (column, key) in [
            ("n", "n"),
            ("mean", "mean"),
            ("sd", "sd"),
            ("median", "median"),
            ("min", "min"),
            ("max", "max"),
            ("median_low", "low"),
            ("median_high", "high"),
            ("outliers", "outliers"),
        ] {
            assert_eq!(number(column), part[key].as_f64(), "{column}");
        }
        assert_eq!(cell("name"), document["variants"][variant as usize]["name"]);
        if cell("verdict").is_empty() {
            assert_eq!(number("ratio"), None);
            continue;
        }
        let part = comparison(&document, variant, cell("metric"));
        assert_eq!(number("ratio"), part["ratio"].as_f64());
        assert_eq!(number("ratio_low"), part["low"].as_f64());
        assert_eq!(number("ratio_high"), part["high"].as_f64());
        assert_eq!(cell("verdict"), part["verdict"]);
    }
}

#[test]
fn the_markdown_has_a_sound_table_and_the_answer() {
    let lab = exported();
    let text = lab.read("direct.md");
    assert!(sound_tables(&text).len() > 2, "{text}");
    assert!(text.starts_with("**"), "{text}");
    assert!(text.contains("wall time") && text.contains("7 rounds"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn hyperfines_json_is_as_its_scripts_expect_and_agrees() {
    let lab = exported();
    let document = lab.json("direct.json");
    let file = lab.json("direct.hf");
    let results = list(&file, "results");
    assert_eq!(results.len(), 2);
    for (variant, result) in (0..).zip(results) {
        let wall = summary(&document, variant, "wall_time");
        assert_eq!(result["command"], document["variants"][variant as usize]["name"]);
        for (theirs, ours) in [
            ("mean", "mean"),
            ("stddev", "sd"),
            ("median", "median"),
            ("min", "min"),
            ("max", "max"),
        ] {
            assert_eq!(result[theirs], wall[ours], "{theirs}");
        }
        assert_eq!(result["user"], summary(&document, variant, "user_time")["mean"]);
        assert_eq!(result["system"], summary(&document, variant, "system_time")["mean"]);
        let times: Vec<f64> = list(result, "times").iter().filter_map(Value::as_f64).collect();
        assert_eq!(times, values(&document, variant, "wall_time"));
        assert_eq!(list(result, "exit_codes"), &vec![Value::from(0); 7]);
        assert_eq!(list(result, "memory_usage_byte").len(), 7);
        assert_eq!(result["parameters"], document["variants"][variant as usize]["labels"]);
    }
    // And it can be imported.
    lab.brisk(&["import", "direct.hf", "--export-json", "again.json"]).judged();
    let again = lab.json("again.json");
    assert_eq!(measured(&again).len(), measured(&document).len());
    for variant in [0, 1] {
        assert_eq!(
            summary(&again, variant, "wall_time")["median"],
            summary(&document, variant, "wall_time")["median"]
        );
    }
}

#[test]
fn an_export_that_fails_loses_nothing() {
    let lab = Lab::new();
    for option in ["--export-json", "--export-csv", "--export-markdown", "--export-hyperfine"] {
        let ended = lab.brisk(&["compare", "-r", "3", option, "/dev/full", "true"]);
        let ended = ended.failed("cannot write `/dev/full`").because("No space left on device");
        ended.hinting("`brisk export ").says("3 rounds");
    }
    lab.brisk(&["export", "1", "--export-csv", "/dev/full"]).refused("cannot write `/dev/full`");
    for id in ["1", "2", "3", "4"] {
        assert_eq!(measured(&lab.exported(id)).len(), 3);
    }
}

#[test]
fn an_export_replaces_what_was_there() {
    let lab = Lab::new();
    lab.write("results.json", &"x".repeat(1_000_000));
    let document = lab.compared(&["-r", "2", "true"]);
    assert_eq!(measured(&document).len(), 2);
}

#[test]
fn two_exports_to_one_file_are_refused_before_anything_runs() {
    let lab = Lab::new();
    std::fs::create_dir(lab.path("sub")).expect("writable");
    std::os::unix::fs::symlink("same", lab.path("link")).expect("writable");
    for other in ["same", "./same", "sub/../same", "link"] {
        let files = ["--export-json", "same", "--export-github-action", other];
        lab.brisk(&[&["compare", "-r", "1"], &files[..], &["touch ran"]].concat())
            .refused(&format!("cannot write `{other}`"))
            .because("it is to have another export, too: `same`");
    }
    let of_check = ["check", "--export-junit", "same", "--export-json", "./same"];
    lab.write("brisk.toml", "[[benchmark]]\nname = 'a'\ncommand = 'touch ran'\n[[expect]]\nthat = 'wall_time(a) < 9 s'\n");
    lab.brisk(&of_check).refused("cannot write `./same`");
    lab.brisk(&["explain", "--export-json", "same", "--export-markdown", "link", "touch ran"])
        .refused("cannot write `link`");
    assert!(!lab.exists("ran") && !lab.exists("same"));
    lab.brisk(&[
        "compare",
        "-r",
        "1",
        "--export-json",
        "/dev/null",
        "--export-csv",
        "/dev/null",
        "true",
    ])
    .succeeded();
}

#[test]
fn what_goes_to_standard_output_is_not_replaced() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
    let file = std::fs::File::create(lab.path("out")).expect("writable");
    let to = ["export", "1", "--export-csv", "/dev/stdout"];
    lab.start_into(file.try_clone().expect("ours"), &to).wait().succeeded();
    let own = std::os::unix::fs::MetadataExt::ino(&file.metadata().expect("open"));
    let there = std::fs::metadata(lab.path("out")).expect("there");
    assert_eq!(own, std::os::unix::fs::MetadataExt::ino(&there));
    assert!(lab.read("out").starts_with("variant,"));
    // And into a pipe.
    let ended = lab.brisk(&to).succeeded();
    assert_eq!(ended.stdout, lab.read("out"));
}

#[test]
fn of_a_single_command_there_is_a_report_without_comparison() {
    let lab = Lab::new();
    let options = all("one");
    let mut arguments: Vec<&str> = vec!["compare", "-r", "4"];
    arguments.extend(options.iter().map(String::as_str));
    arguments.push("true");
    lab.brisk(&arguments).exited(0);
    let document = lab.json("one.json");
    assert_eq!(list(&document, "comparisons").len(), 0);
    assert_eq!(summary(&document, 0, "wall_time")["n"], 4);
    assert!(lab.read("one.md").contains("wall time"));
    assert!(lab.read("one.csv").lines().count() > 5);
    assert_eq!(list(&lab.json("one.hf"), "results").len(), 1);
}

#[test]
fn an_export_to_standard_output_is_alone_there() {
    let lab = Lab::new();
    let commands = ["true", "true"];
    let compare = ["compare", "-r", "3", "-w", "0"];
    let ended = lab.brisk(&[&compare[..], &["--export-json", "-"], &commands].concat());
    let document: Value = serde_json::from_str(&ended.stdout).expect("JSON and nothing else");
    assert_eq!(document["kind"], "compare", "{ended}");
    assert!(ended.stderr.contains("3 rounds in "), "{ended}");
    let export = lab.brisk(&["export", "1", "--export-csv=-"]).succeeded();
    assert!(export.stdout.starts_with("variant,name,"), "{export}");
    let both = ["--export-json", "-", "--export-csv", "-"];
    let refused = lab.brisk(&[&compare[..], &both, &commands].concat());
    refused.refused("cannot write `-`").because("it is to have another export, too");
    let folder = ["export", "1", "--export-asv", "-", "--asv-commit", "HEAD"];
    lab.brisk(&folder).refused("cannot write `-`").because("a folder of files");
    assert!(!lab.exists("-"));
}
