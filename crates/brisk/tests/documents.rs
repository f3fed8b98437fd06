//! Tables in the documents that repeat what the code says: they must say the same.
//!
//! `BLESS=1 cargo test -p brisk --test documents` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

use brisk::metric::{Direction, REGISTRY, Role, Unit};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares what stands between `<!-- name -->` and `<!-- /name -->` in a document, or writes it.
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
fn the_schema_has_the_version_that_the_migrations_make() {
    let folder = root().join("crates/brisk/src/store/migrations");
    // A new store begins with the schema; each migration makes a version from the one before it.
    let count = 1 + fs::read_dir(folder).expect("the migrations are there").count();
    let text = fs::read_to_string(root().join("docs/schema.md")).expect("the document is there");
    let told = format!("its `user_version` the version of the schema, now {count}.");
    assert!(text.contains(&told), "docs/schema.md does not say: {told}");
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

#[test]
fn contributing_has_every_source_file_with_its_first_sentence() {
    let mut text = String::new();
    for name in ["stats", "measure", "toolchains", "page", "draw", "brisk"] {
        let sources = root().join("crates").join(name).join("src");
        let mut files = Vec::new();
        collect(&sources, Path::new(""), &mut files);
        // The files of a folder before its folders.
        files.sort_by_key(|file| (file.parent().map(Path::to_owned), file.clone()));
        text += &format!("\n### `crates/{name}/src`\n\n| file | what it is |\n|---|---|\n");
        for file in files {
            let sentence = first_sentence(&sources.join(&file));
            text += &format!("| `{}` | {sentence} |\n", file.display());
        }
    }
    assert_part("CONTRIBUTING.md", "layout", &(text + "\n"));
}

fn collect(folder: &Path, below: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are readable") {
        let entry = entry.expect("the sources are readable").path();
        let relative = below.join(entry.file_name().expect("an entry has a name"));
        if entry.is_dir() {
            collect(&entry, &relative, files);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(relative);
        }
    }
}

/// What the file's own documentation says first, without the links.
fn first_sentence(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("the sources are readable");
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let paragraph: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ").replace("[`", "`").replace("`]", "`");
    let sentence = paragraph.split_once(". ").map_or(paragraph.as_str(), |(first, _)| first);
    sentence.trim_end_matches('.').replace('|', "\\|")
}

/// Every file below a folder whose name ends like this.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the folder is there");
    for path in entries.map(|entry| entry.expect("it can be read").path()) {
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// Two changes to one document, merged carelessly, leave a section twice.
#[test]
fn no_document_says_a_thing_twice() {
    let mut all = vec![root().join("README.md"), root().join("CHANGELOG.md")];
    documents(&root().join("docs"), &mut all);
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
