//! A page as HTML: untrusted text never becomes markup, and the policy lists the page's contents.

use base64::Engine as _;
use brisk_page::html::Shell;
use brisk_page::{
    Block, Code, Column, Label, Line, Page, Picture, Section, Span, Table, html, line,
};
use proptest::prelude::*;
use sha2::Digest as _;

fn rendered(block: Block) -> String {
    html::render(&Page { blocks: vec![block] }, 2)
}

/// Malicious text.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("</script><script>alert(1)</script>".to_owned()),
        Just("\"><img src=x onerror=alert(1)>".to_owned()),
        Just("' onmouseover='alert(1)".to_owned()),
        Just("\u{202e}gnp.exe\u{1b}[2J".to_owned()),
        "(\\PC|[<>&\"'\\x00-\\x1f]){0,60}",
    ]
}

/// Every kind of block, with a text in every place that can hold untrusted text.
fn page_of(text: &str) -> Page {
    // Never empty, since empty parts are omitted.
    let text = &format!("x{text}");
    let own = || Line::from(text.to_owned());
    let mut table = Table::new([Column::left(own()), Column::right("n")]);
    table.title = own();
    table.push([line![Span::code(text)], line![Span::commit(text.as_str(), text.as_str())]]);
    table.push([
        line![Span::link(text, format!("https://{text}"))],
        line![Span::beside(text.as_str(), text.as_str())],
    ]);
    table.foot.push(own());
    let code = Code { text: text.to_owned(), marks: vec![[0, 3]], ..Code::default() };
    let picture =
        Picture { name: own(), drawing: String::new(), data: format!("{{\"a\": {text:?}}}") };
    Page {
        blocks: vec![
            Block::Heading(own()),
            Block::Answer(own()),
            Block::Sentence(own()),
            Block::Note(Label::NOTE, own()),
            Block::List(vec![own()]),
            Block::Table(table),
            Block::Code(code),
            Block::Command(text.to_owned()),
            Block::Picture(picture),
            Block::Section(Section::folded(own(), vec![Block::Sentence(own())])),
        ],
    }
}

/// The tags of a document with their attributes, as seen by a browser.
fn tags(text: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').map_or(rest.len(), |end| start + end + 1);
        tags.push(&rest[start..end]);
        rest = &rest[end..];
    }
    tags
}

proptest! {
    #[test]
    fn text_of_others_never_becomes_markup(text in hostile()) {
        let shown = html::render(&page_of(&text), 2);
        let harmless = html::render(&page_of("x"), 2);
        let names = |html: &str| -> Vec<String> {
            let name = |tag: &&str| tag.trim_end_matches('>').split([' ', '\n']).next().map(str::to_owned);
            // A link to a forbidden target is not a link, and code is split into words.
            let is_kept = |name: &String| !["<a", "</a", "<mark", "</mark"].contains(&name.as_str());
            tags(html).iter().filter_map(name).filter(is_kept).collect()
        };
        prop_assert_eq!(names(&shown), names(&harmless));
        for tag in tags(&shown) {
            // Outside quotes there are only our names.
            let names: String = tag.split('"').step_by(2).collect();
            prop_assert!(!names.contains(" on") && !names.contains('\''), "{}", tag);
        }
        let is_bare = shown.contains(['\u{1b}', '\u{202e}']);
        prop_assert!(!is_bare);
    }
}

#[test]
fn links_lead_to_pages_and_nothing_else() {
    let link = |span: Span| rendered(Block::Sentence(span.into()));
    let elsewhere = link(Span::link("a", "https://example.org/?a&b"));
    assert_eq!(
        elsewhere,
        "<p><a href=\"https://example.org/?a&amp;b\" rel=\"noreferrer\">a</a></p>\n"
    );
    assert_eq!(
        link(Span::beside("b", "runs/1.html#x")),
        "<p><a href=\"runs/1.html#x\">b</a></p>\n"
    );
    for address in ["javascript:alert(1)", "data:text/html,x", "//example.org"] {
        assert_eq!(link(Span::link("a", address)), "<p>a</p>\n", "{address}");
        assert_eq!(link(Span::beside("a", address)), "<p>a</p>\n", "{address}");
    }
}

#[test]
fn a_cell_with_a_quantity_has_its_value_to_be_sorted_by() {
    let mut table = Table::new([Column::right("time")]);
    table.push([Span::quantity("4.1 ms", 0.0041)]);
    assert!(
        rendered(Block::Table(table))
            .contains("<td class=\"number\" data-value=\"4.1e-3\">4.1 ms</td>")
    );
}

#[test]
fn the_policy_lets_in_what_is_within_and_nothing_else() {
    let shell = Shell {
        title: "a <b>",
        body: "<p>text</p>",
        picture_style: ".line { fill: none; }",
        picture_script: "const own = 1;",
        ..Shell::default()
    };
    let text = shell.html();
    let within = |tag: &str| {
        let start = text.find(&format!("<{tag}")).expect("it is there");
        let start = start + text[start..].find('>').expect("it ends") + 1;
        let end = start + text[start..].find(&format!("</{tag}>")).expect("it is closed");
        &text[start..end]
    };
    let hash = |text: &str| {
        let digest = sha2::Sha256::digest(text.as_bytes());
        format!("'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(digest))
    };
    let policy = text.split("Content-Security-Policy\" content=\"").nth(1).expect("it has one");
    let policy = policy.split('"').next().expect("it ends");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert!(policy.contains(&format!("style-src {};", hash(within("style")))), "{policy}");
    assert!(policy.contains(&format!("script-src {};", hash(within("script")))), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("connect-src"), "{policy}");
    assert!(text.contains("<title>a &lt;b&gt;</title>") && text.contains("<h1>a &lt;b&gt;</h1>"));
    // Nothing is fetched: the only address is that of the empty icon.
    assert_eq!(text.matches("href=").count(), 1);
    assert_eq!(text.matches("src=").count(), 0);
}
