//! Tables of measurements over time, as written by tools and as damaged by people.

use proptest::prelude::*;
use toolchains::series::{Series, SeriesError, series};

fn names(series: &Series) -> Vec<&str> {
    series.metrics.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn the_table_of_a_shell_loop_over_commits() {
    let text = "commit;allocations;memory;time\n1cea765;18000000;3;0.512\n1234567;17000000;;0.5\n";
    let table = series(text).expect("a sound table");
    assert_eq!(table.labels, ["1cea765", "1234567"]);
    assert_eq!(table.times, None);
    assert_eq!(names(&table), ["allocations", "memory", "time"]);
    assert_eq!(table.metrics[1].1, [Some(3.0), None]);
    assert_eq!(table.metrics[2].1, [Some(0.512), Some(0.5)]);
}

#[test]
fn a_table_with_dates_and_commits() {
    let text = "time,commit,latency\n2026.01.01 3:00:00 +0100,aaa0,154023\n\
                2026.01.02 3:00:00 +0100,aaa1,1.4e5\n";
    let table = series(text).expect("a sound table");
    assert_eq!(table.labels, ["aaa0", "aaa1"]);
    assert_eq!(table.times.expect("a time")[1], "2026.01.02 3:00:00 +0100");
    assert_eq!(table.metrics, [("latency".to_owned(), vec![Some(154_023.0), Some(140_000.0)])]);
}

#[test]
fn a_table_with_seconds_and_nothing_else_numbers_its_points() {
    let table = series("time\tspeed\n1609466400\t3\n1609552800\t-4\n").expect("a sound table");
    assert_eq!(table.labels, ["1", "2"]);
    assert_eq!(table.times.as_deref().expect("a time"), ["1609466400", "1609552800"]);
    assert_eq!(names(&table), ["speed"]);
}

#[test]
fn after_a_commit_a_time_in_seconds_since_1970_is_when_and_not_how_long() {
    let table = series("commit,time,x\na,1609466400,1\nb,1609552800,2\n").expect("a sound table");
    assert_eq!(names(&table), ["x"]);
    assert!(table.times.is_some());
}

#[test]
fn comments_empty_lines_marks_of_order_and_line_ends_do_not_matter() {
    let plain = series("a,b\n1,2\n3,4\n").expect("a sound table");
    let odd =
        "\u{feff}# made by hand, on a Monday; really\r\n\r\na , b\r\n# note\r\n1, 2\r\n,\r\n3,4";
    assert_eq!(series(odd).expect("a sound table"), plain);
}

#[test]
fn a_quoted_cell_may_hold_the_delimiter_and_a_line_end() {
    let table = series("name,x\n\"a, b\",1\n\"c\nd\",2\n").expect("a sound table");
    assert_eq!(table.labels, ["a, b", "c\nd"]);
}

#[test]
fn what_is_wrong_is_named_by_line_and_column() {
    let error = |text: &str| series(text).expect_err("an unsound table");
    assert_eq!(error(""), SeriesError::NoHeader);
    assert_eq!(error("# only\n\n"), SeriesError::NoHeader);
    assert_eq!(error("a,b\n"), SeriesError::NoPoints);
    assert_eq!(error("a,,b\n1,2,3\n"), SeriesError::Unnamed { line: 1, number: 2 });
    assert_eq!(
        error("# c\na,a\n1,2\n"),
        SeriesError::TwiceNamed { line: 2, column: "a".to_owned() }
    );
    assert_eq!(
        error("a,b\n1,2\n# c\n3\n"),
        SeriesError::UnequalCells { line: 4, cells: 1, expected: 2 }
    );
    let thousands = error("commit;bytes\nx;1\ny;2\nz;1,234\n");
    assert_eq!(thousands.to_string(), "line 4, column `bytes`: `1,234` is not a number");
    assert!(thousands.hint().is_some_and(|hint| hint.contains("thousands")));
    assert!(matches!(error("commit,subject\nx,y\n"), SeriesError::NoMetrics { .. }));
    assert!(matches!(error("commit,time\nx,\n"), SeriesError::NoMetrics { .. }));
}

#[test]
fn what_is_not_finite_is_not_a_number() {
    for cell in ["inf", "NaN", "1e999", "-infinity"] {
        let text = format!("commit,x\na,1\nb,2\nc,{cell}\n");
        let error = series(&text).expect_err("an unsound table");
        assert!(matches!(error, SeriesError::NotANumber { line: 4, .. }), "{error}");
    }
}

#[test]
fn a_long_cell_is_shortened_in_the_message() {
    let text = format!("commit,x\na,1\nb,2\nc,{}\n", "é".repeat(100_000));
    assert!(series(&text).expect_err("no number").to_string().len() < 200);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = series(&text);
    }

    #[test]
    fn any_cells_are_read_or_refused(text in "[a-c0-9,;\t\"#\n\r .e+-]{0,200}") {
        if let Ok(table) = series(&text) {
            prop_assert!(table.metrics.iter().all(|(_, values)| values.len() == table.labels.len()));
            prop_assert!(table.times.is_none_or(|times| times.len() == table.labels.len()));
        }
    }

    #[test]
    fn what_was_written_is_read(
        rows in prop::collection::vec((any::<u32>(), prop::option::of(-1e300..1e300)), 1..50),
        delimiter in prop::sample::select(vec![',', ';', '\t']),
    ) {
        prop_assume!(rows.iter().any(|(_, value)| value.is_some()));
        let mut text = format!("commit{delimiter}x\n");
        for (label, value) in &rows {
            let cell = value.map(|value: f64| value.to_string()).unwrap_or_default();
            text.push_str(&format!("{label}{delimiter}{cell}\n"));
        }
        let table = series(&text).expect("a sound table");
        let (labels, values): (Vec<String>, Vec<Option<f64>>) =
            rows.iter().map(|(label, value)| (label.to_string(), *value)).unzip();
        prop_assert_eq!(table.labels, labels);
        prop_assert_eq!(&table.metrics[0].1, &values);
    }
}
