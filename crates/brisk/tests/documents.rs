//! Tables in the documents that repeat facts from the code: the two must agree.
//!
//! `BLESS=1 cargo test -p brisk --test documents` rewrites them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use model::metric::{Direction, REGISTRY, Role, Unit};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares the text between `<!-- name -->` and `<!-- /name -->` in a document, or writes it.
fn assert_part(document: &str, name: &str, expected: &str) {
    let path = root().join(document);
    let text = fs::read_to_string(&path).expect("the document is there");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&begin).expect("the part begins");
    let (part, after) = rest.split_once(&end).expect("the part ends");
    if std::env::var_os("BLESS").is_some() {
        let blessed = format!("{before}{begin}{expected}{end}{after}");
        fs::write(&path, blessed).expect("the document can be written");
        return;
    }
    let missing: Vec<&str> = expected.lines().filter(|line| !part.contains(line)).collect();
    let surplus: Vec<&str> = part.lines().filter(|line| !expected.contains(line)).collect();
    assert!(
        part == expected,
        "{document} is behind the code, and `BLESS=1 cargo test -p brisk --test documents` mends \
         it; missing: {missing:#?}; surplus: {surplus:#?}"
    );
}

#[test]
fn the_glossary_has_every_metric_as_the_registry_has_it() {
    let mut table = "| name | unit | better | part | meaning |\n|---|---|---|---|---|\n".to_owned();
    for metric in &REGISTRY {
        let unit = match metric.unit {
            Unit::Seconds => "seconds",
            Unit::PerSecond => "per second",
            Unit::Bytes => "bytes",
            Unit::Hertz => "hertz",
            Unit::Joules => "joules",
            Unit::Count => "count",
            Unit::Ratio => "quotient",
        };
        let better = match metric.direction {
            Direction::Lower => "lower",
            Direction::Higher => "higher",
            Direction::Context => "neither",
        };
        let part = match metric.role {
            Role::Answer => "answers",
            Role::Fallback => "answers under contention",
            Role::Judged => "judged",
            Role::Shown => "shown",
            Role::Kept => "kept",
        };
        let (id, meaning) = (&metric.id, metric.meaning);
        table += &format!("| `{id}` | {unit} | {better} | {part} | {meaning} |\n");
    }
    assert_part("docs/glossary.md", "metrics", &table);
}

/// The words between backquotes in a document, outside its code blocks.
fn quoted_words(document: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(document)).expect("the document is there");
    let prose = text.split("```").step_by(2).collect::<String>();
    let quoted = prose.split('`').skip(1).step_by(2);
    quoted.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

#[test]
fn paths_in_the_documents_about_the_code_exist() {
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let words = quoted_words(document);
        let mut paths = words
            .iter()
            .filter(|word| word.starts_with("crates/") || word.starts_with("fixtures/"));
        let missing = paths.find(|path| !root().join(path).exists());
        assert_eq!(missing, None, "{document}");
    }
}

#[test]
fn source_files_named_in_the_documents_exist() {
    let mut sources = Vec::new();
    files(&root().join("crates"), "rs", &mut sources);
    // `judge/step.rs` is short for `crates/judge/src/step.rs`.
    let short = |path: &PathBuf| path.to_string_lossy().replace("/src/", "/");
    let names: Vec<String> = sources.iter().map(short).collect();
    let mut documents = vec![root().join("ARCHITECTURE.md"), root().join("CONTRIBUTING.md")];
    files(&root().join("docs"), "md", &mut documents);
    for document in documents {
        let words = quoted_words(&document.to_string_lossy());
        let mut files = words.iter().filter(|word| word.ends_with(".rs") && **word != ".rs");
        let is_known = |word: &&String| {
            let end = format!("/{}", word.replace("/src/", "/"));
            names.iter().any(|name| name.ends_with(&end)) || root().join(word).exists()
        };
        let missing = files.find(|word| !is_known(word));
        assert_eq!(missing, None, "{}", document.display());
    }
}

#[test]
fn types_in_the_architecture_exist() {
    let mut sources = Vec::new();
    files(&root().join("crates"), "rs", &mut sources);
    let mut declared = BTreeSet::new();
    for path in sources {
        let text = fs::read_to_string(path).expect("it can be read");
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let names =
            words.windows(2).filter(|pair| ["struct", "enum", "trait", "type"].contains(&pair[0]));
        declared.extend(names.map(|pair| pair[1].to_owned()));
    }
    let words = quoted_words("ARCHITECTURE.md");
    let is_type = |word: &&str| {
        word.starts_with(char::is_uppercase)
            && word.contains(char::is_lowercase)
            && !word.contains('.')
    };
    let names = words.iter().flat_map(|word| word.split("::")).filter(is_type);
    let missing: Vec<&str> = names.filter(|name| !declared.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_architecture_has_every_crate() {
    let words = quoted_words("ARCHITECTURE.md");
    let crates = fs::read_dir(root().join("crates")).expect("the folder is there");
    for one in crates.map(|one| one.expect("it can be read").file_name()) {
        let path = format!("crates/{}", one.to_string_lossy());
        assert!(words.contains(&path), "{path}");
    }
}

/// Adds the files below a folder with this extension.
fn files(folder: &Path, extension: &str, list: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the folder is there");
    for path in entries.map(|entry| entry.expect("it can be read").path()) {
        if path.is_dir() {
            files(&path, extension, list);
        } else if path.extension().is_some_and(|ending| ending == extension) {
            list.push(path);
        }
    }
}

/// A careless merge of two changes to one document leaves a section twice.
#[test]
fn no_document_says_a_thing_twice() {
    let mut all = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(|name| root().join(name))
        .to_vec();
    files(&root().join("docs"), "md", &mut all);
    assert!(all.len() > 10);
    for path in all {
        let text = fs::read_to_string(&path).expect("it can be read");
        let mut paragraphs: Vec<&str> =
            text.lines().filter(|line| line.len() > 120 && !line.starts_with('|')).collect();
        paragraphs.sort_unstable();
        let twice = paragraphs.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None, "{}", path.display());
    }
}
