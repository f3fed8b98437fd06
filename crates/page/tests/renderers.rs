//! One page in each medium.

use brisk_page::sparkline::Heights;
use brisk_page::terminal::Folds;
use brisk_page::{
    Block, Code, Column, Label, Line, Narrow, Page, Section, Span, Spark, Table, Tone, line,
    markdown, terminal,
};
use proptest::prelude::*;

/// Without styles, as in a terminal without colours.
fn plain(page: &Page, columns: usize, folds: Folds) -> String {
    let styled = terminal::render(page, columns, folds);
    let mut text = String::new();
    let mut rest = &*styled;
    while let Some(start) = rest.find("\u{1b}[") {
        text.push_str(&rest[..start]);
        let end = rest[start..].find('m').expect("only styles") + start + 1;
        rest = &rest[end..];
    }
    text + rest
}

fn table() -> Table {
    let columns = [
        Column::left("command").cut(6, 30),
        Column::right("median"),
        Column::right("min … max").giving_way(2),
        Column::right("outliers").giving_way(1),
        Column::left("ratio"),
    ];
    let mut table = Table::new(columns);
    let name = "a command | with a long name".to_owned();
    table.push([
        Line::from(Span::code(name)),
        "4.1 ms".into(),
        "4.0 … 9.9".into(),
        "1 (3 %)".into(),
    ]);
    table.push(["b", "10.2 ms", "10.1 … 10.4", "", "2.49"]);
    table
}

fn example() -> Page {
    let mut page = Page::default();
    page.push(Block::Answer(line!["B is slower than A: 2.49 times as long"].toned(Tone::Bad)));
    page.push(Block::Table(table()));
    page.push(Block::Spark(Spark {
        name: "wall time".into(),
        values: [1.0, 1.0, 2.0].map(Some).to_vec(),
        heights: Heights::Linear,
    }));
    page.push(Block::Note(Label::NOTE, line![Span::code("x*y"), " left ", "a_b".to_owned()]));
    let blocks = vec![Block::Sentence("all of it".into())];
    page.push(Block::Section(Section { title: "More".into(), blocks, is_folded: true }));
    page
}

#[test]
fn a_terminal_shows_the_answer_first_and_what_is_folded_only_where_it_is_open() {
    let shown = plain(&example(), 80, Folds::Closed);
    assert_eq!(
        shown,
        "B is slower than A: 2.49 times as long\n\
         \n\
         command                        median    min … max  outliers  ratio\n\
         a command | with a long name   4.1 ms    4.0 … 9.9   1 (3 %)\n\
         b                             10.2 ms  10.1 … 10.4            2.49\n\
         wall time  ▁▁█\n\
         \n\
         note: `x*y` left a_b\n"
    );
    let open = plain(&example(), 80, Folds::Open);
    assert_eq!(open, format!("{shown}\nMore\n   all of it\n"));
}

#[test]
fn where_there_is_no_room_text_is_cut_and_columns_give_way() {
    let mut page = Page::default();
    page.push(Block::Table(table()));
    let lines = |columns: usize| -> Vec<String> {
        plain(&page, columns, Folds::Closed).lines().map(str::to_owned).collect()
    };
    // The name is truncated before any column is dropped.
    assert_eq!(lines(60)[1], "a command | with a l…   4.1 ms    4.0 … 9.9   1 (3 %)");
    assert_eq!(lines(42)[0], "command         median    min … max  ratio");
    assert_eq!(lines(28)[0], "command        median  ratio");
    assert_eq!(lines(28)[1], "a command |…   4.1 ms");
}

#[test]
fn names_keep_both_ends_and_sentences_go_on_in_further_lines() {
    let mut table = Table::new([
        Column::left("name").cut(10, 40).narrow(Narrow::Middle),
        Column::left("says").cut(20, 40).narrow(Narrow::Wrapped),
        Column::right("n"),
    ]);
    table.push(["a<int>::begin", "one two three four five six seven", "1"]);
    table.push(["b", "", "2"]);
    let page = Page { blocks: vec![Block::Table(table)] };
    assert_eq!(
        plain(&page, 36, Folds::Closed),
        "name         says                  n\n\
         a<int>:…gin  one two three four    1\n\
         \u{20}            five six seven\n\
         b                                  2\n"
    );
}

#[test]
fn what_has_no_room_stands_below_where_a_table_continues() {
    let columns = [
        Column::left("name"),
        Column::right("first").giving_way(3),
        Column::right("second").giving_way(2),
        Column::right("third").giving_way(1),
    ];
    let mut table = Table { continues: true, ..Table::new(columns) };
    table.push(["a", "1", "2", "3"]);
    let page = Page { blocks: vec![Block::Table(table)] };
    let first = "name  first  second\na         1       2\n";
    let rest = "\nname  third\na         3\n";
    assert_eq!(plain(&page, 20, Folds::Closed), format!("{first}{rest}"));
    assert_eq!(plain(&page, 3, Folds::Closed).matches("name").count(), 3);
    let wide = "name  first  second  third\na         1       2      3\n";
    assert_eq!(plain(&page, 80, Folds::Closed), wide);
}

#[test]
fn a_hint_stands_where_folds_are_closed_and_sections_stand_apart() {
    let said = |text: &'static str| Block::Sentence(text.into());
    let inner = Block::Section(Section::new("Inner", vec![said("deep")]));
    let page = Page {
        blocks: vec![
            Block::Section(Section::new("First", vec![said("one"), inner, said("two")])),
            Block::Hint("more is folded".into()),
            Block::Section(Section::folded("More", vec![said("three")])),
            said("four"),
        ],
    };
    let first = "First\n   one\n\n   Inner\n      deep\n\n   two\n\n";
    let closed = plain(&page, 80, Folds::Closed);
    assert_eq!(closed, format!("{first}more is folded\nfour\n"));
    let open = plain(&page, 80, Folds::Open);
    assert_eq!(open, format!("{first}More\n   three\n\nfour\n"));
    assert!(!markdown::render(&page).contains("more is folded"));
}

/// Every kind of block, each with unique words.
fn everything() -> Page {
    let mut words = (0..).map(|number: u32| format!("w{number}"));
    let mut line =
        || line![words.next().expect("no end"), " ", Span::code(words.next().expect("no end"))];
    let mut table = Table::new([Column::left(line()).giving_way(1), Column::right(line())]);
    table.title = line();
    table.foot = vec![line()];
    (0..3).for_each(|_| table.push([line(), line()]));
    let code = Code { label: "label", text: line().text(), ..Code::default() };
    let mut blocks = vec![
        Block::Heading(line()),
        Block::Answer(line()),
        Block::Sentence(line()),
        Block::Note(Label::WARNING, line()),
        Block::List(vec![line(), line()]),
        Block::Table(table),
        Block::Code(code),
        Block::Command(line().text()),
    ];
    let inner = Section::folded(line(), vec![Block::Sentence(line())]);
    let outer = Section::new(line(), vec![Block::Section(inner), Block::List(vec![line()])]);
    blocks.push(Block::Section(outer));
    Page { blocks }
}

#[test]
fn what_a_terminal_shows_is_in_markdown_too() {
    let page = everything();
    let is_part = |letter: char| letter.is_alphanumeric();
    let markdown = markdown::render(&page);
    let known: Vec<&str> = markdown.split(|letter| !is_part(letter)).collect();
    let shown = plain(&page, 120, Folds::Open);
    let words: Vec<&str> =
        shown.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()).collect();
    assert!(words.len() > 40, "{shown}");
    for word in words {
        assert!(known.contains(&word), "{word}: {markdown}");
    }
}

#[test]
fn a_bar_is_escaped_in_cells_alone() {
    let mut table = Table::new([Column::left("x")]);
    table.push([line!["a|b ", Span::code("c|d")]]);
    let sentence = Block::Sentence(line!["a|b ", Span::code("c|d")]);
    let page = Page { blocks: vec![Block::Table(table), sentence] };
    let expected = "| x |\n|---|\n| a\\|b `c\\|d` |\n\na|b `c|d`\n";
    assert_eq!(markdown::render(&page), expected);
}

#[test]
fn a_message_is_taken_apart_and_put_together() {
    let line = Line::of_message("`f` calls `g` twice");
    assert_eq!(
        line,
        line![Span::code("f"), " calls ".to_owned(), Span::code("g"), " twice".to_owned()]
    );
    assert_eq!(Line::of_message("a ` alone"), Line::from("a ` alone".to_owned()));
}

#[test]
fn markdown_escapes_the_text_of_others_and_ours_needs_none() {
    assert_eq!(
        markdown::render(&example()),
        "**B is slower than A: 2.49 times as long**\n\
         \n\
         | command | median | min … max | outliers | ratio |\n\
         |---|---:|---:|---:|---|\n\
         | `a command \\| with a long name` | 4.1 ms | 4.0 … 9.9 | 1 (3 %) |  |\n\
         | b | 10.2 ms | 10.1 … 10.4 |  | 2.49 |\n\
         \n\
         * **note:** `x*y` left a\\_b\n\
         \n\
         <details>\n<summary>More</summary>\n\nall of it\n\n</details>\n"
    );
}

#[test]
fn of_too_many_rows_those_that_give_way_are_counted_on_a_terminal() {
    let columns = [Column::left(""), Column::left("n")];
    let mut table = Table { most_rows: Some(3), ..Table::new(columns) };
    (0..5).for_each(|n| table.push(["row".to_owned(), n.to_string()]));
    let shown = |table: &Table| {
        let blocks = vec![Block::Table(table.clone())];
        plain(&Page { blocks }, 80, Folds::Closed)
    };
    let last_left_out = "     n\nrow  0\nrow  1\nrow  2\nand 2 more; the exports have all\n";
    assert_eq!(shown(&table), last_left_out);
    table.rows[1..4].iter_mut().for_each(|row| row.gives_way = true);
    assert_eq!(shown(&table), "     n\nrow  0\n…    3 more\nrow  4\n");
    let markdown = markdown::render(&Page { blocks: vec![Block::Table(table)] });
    assert_eq!(markdown.lines().count(), 2 + 5, "{markdown}");
}

#[test]
fn bars_below_each_other_have_their_names_in_a_column() {
    let spark = |name: &'static str| {
        let values = vec![Some(1.0), Some(2.0)];
        Block::Spark(Spark { name: name.into(), values, heights: Heights::Linear })
    };
    let page = Page { blocks: vec![spark("time"), spark("allocations")] };
    assert_eq!(plain(&page, 80, Folds::Closed), "time         ▁█\nallocations  ▁█\n");
}

#[test]
fn a_link_leads_somewhere_where_it_can_and_nothing_in_it_ends_it() {
    let link = Span::link("a]b", "https://example.org/a(b) c");
    let page = Page { blocks: vec![Block::Sentence(line!["see ", link])] };
    assert_eq!(plain(&page, 80, Folds::Closed), "see a]b\n");
    assert_eq!(markdown::render(&page), "see [a\\]b](https://example.org/a%28b%29%20c)\n");
}

#[test]
fn the_title_of_what_is_folded_is_html() {
    let title = line![Span::code("a<b"), " & ", "c_d".to_owned()];
    let blocks = vec![Block::Section(Section { title, is_folded: true, ..Section::default() })];
    let markdown = markdown::render(&Page { blocks });
    assert!(markdown.contains("<summary><code>a&lt;b</code> &amp; c_d</summary>"), "{markdown}");
}

#[test]
fn marks_in_code_are_seen_without_colours() {
    let text = "f = case x of\n  A -> 1".to_owned();
    let code =
        Code { label: "before", language: "haskell", text, marks: vec![[4, 8]], ..Code::default() };
    let mut page = Page::default();
    page.push(Block::Code(code));
    assert_eq!(plain(&page, 80, Folds::Closed), "before\n> f = case x of\n    A -> 1\n");
    assert_eq!(markdown::render(&page), "before:\n\n```haskell\nf = case x of\n  A -> 1\n```\n");
}

proptest! {
    #[test]
    fn no_message_loses_anything(text in "[a-z `]{0,20}") {
        prop_assert_eq!(Line::of_message(&text).to_string(), text);
    }

    #[test]
    fn whatever_others_write_stays_text(
        text in "[\\PC\\x00-\\x1f\\u{202e}|*_`<\\[\\]]{0,30}", columns in 20..120_usize,
    ) {
        let mut page = Page::default();
        let span = || Span::foreign(text.clone());
        page.push(Block::Answer(span().into()));
        page.push(Block::Note(Label::WARNING, line!["about ", Span::code(text.clone())]));
        let mut table = Table::new([Column::left("name").cut(5, 20), Column::right("value")]);
        table.push([Line::from(span()), "1".into()]);
        page.push(Block::Table(table));
        page.push(Block::Code(Code { text: text.clone(), ..Code::default() }));
        let is_control = |c: char| c.is_control() && c != '\n';
        let shown = plain(&page, columns, Folds::Open);
        prop_assert!(!shown.contains(is_control) && !shown.contains('\u{202e}'), "{shown:?}");
        let markdown = markdown::render(&page);
        let is_hidden = |c: char| is_control(c) || c == '\u{202e}';
        prop_assert!(!markdown.contains(is_hidden), "hidden");
        // A row keeps its two cells, with any content.
        let row = markdown.lines().find(|line| line.ends_with("| 1 |")).expect("the row");
        let bars = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
        prop_assert_eq!(bars, 3, "{}", row);
    }
}

#[test]
fn a_comment_is_never_longer_than_it_may_be_and_the_answer_is_in_it() {
    let mut table = Table::new([Column::left("benchmark"), Column::right("ratio")]);
    for number in 0..20_000 {
        table.push([format!("a benchmark with a long name {number}"), "1.00".to_owned()]);
    }
    let small = Table { rows: table.rows[..3].to_vec(), ..table.clone() };
    let code = Code { text: "line of code\n".repeat(20_000), ..Code::default() };
    let sentences =
        (0..3000).map(|number| Block::Sentence(format!("sentence {number} of many").into()));
    let answer = Block::Answer("A is faster than B".into());
    let mut blocks = vec![answer, Block::Table(small), Block::Table(table), Block::Code(code)];
    let shown = |blocks: &[Block]| markdown::render(&Page { blocks: blocks.to_vec() });
    let text = shown(&blocks);
    assert!(text.chars().count() <= markdown::COMMENT, "{}", text.len());
    assert!(text.starts_with("**A is faster than B**"));
    // Small parts are complete, and large ones report their omissions.
    assert!(text.contains("a benchmark with a long name 2 |"));
    assert!(text.contains("Further rows are left out here") && text.contains("line of code"));
    assert!(text.contains("<summary>") && text.contains("</details>"));
    blocks.extend(sentences);
    let text = shown(&blocks);
    assert!(text.chars().count() <= markdown::COMMENT);
    assert!(text.contains("A is faster than B") && text.contains("More is left out here"));
    assert!(text.contains("sentence 10 of many") && !text.contains("sentence 2999 of many"));
}
