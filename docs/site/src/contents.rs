//! Which pages there are, in the order of reading.

use std::fs;
use std::path::{Path, PathBuf};

/// All pages, in groups.
pub(crate) struct Contents {
    /// The groups.
    pub groups: Vec<Group>,
}

/// Pages that belong together.
pub(crate) struct Group {
    /// The name of the group.
    pub name: &'static str,
    /// The document of each page, from the root of the repository, and its title.
    pub pages: Vec<(PathBuf, String)>,
}

/// The groups with their documents: single ones, or all of a folder.
const GROUPS: [(&str, &[&str]); 8] = [
    ("brisk", &["README.md", "CHANGELOG.md"]),
    ("Guide", &["docs/guide/"]),
    ("Cases", &["cases/"]),
    (
        "Reference",
        &[
            "docs/brisk-toml.md",
            "docs/runtimes.md",
            "docs/harness-lines.md",
            "docs/schema.md",
            "docs/glossary.md",
        ],
    ),
    ("Method", &["docs/method.md", "benches/README.md"]),
    ("Causes", &["docs/causes/"]),
    ("Design", &["docs/design/"]),
    ("Contributing", &["ARCHITECTURE.md", "CONTRIBUTING.md", "fuzz/README.md"]),
];

impl Contents {
    /// The documents of the repository at `root`.
    ///
    /// # Errors
    ///
    /// When one cannot be read, or has no title.
    pub(crate) fn of(root: &Path) -> Result<Self, String> {
        let mut groups = Vec::new();
        for (name, places) in GROUPS {
            let mut pages = Vec::new();
            for place in places {
                for path in documents(root, place)? {
                    let title = title(&root.join(&path))?;
                    pages.push((path, title));
                }
            }
            groups.push(Group { name, pages });
        }
        Ok(Self { groups })
    }

    /// Every page.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Path> {
        self.groups.iter().flat_map(|group| &group.pages).map(|(path, _)| path.as_path())
    }
}

impl Group {
    /// True if a document is one of its pages.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.pages.iter().any(|(own, _)| own == path)
    }
}

/// The address of a document's page: the readme of a folder is its index.
pub(crate) fn address(document: &Path) -> PathBuf {
    match document.file_name() {
        Some(name) if name == "README.md" => document.with_file_name("index.html"),
        _ => document.with_extension("html"),
    }
}

/// The documents at a place: itself, or those of a folder, the readme first and numbers in their order.
fn documents(root: &Path, place: &str) -> Result<Vec<PathBuf>, String> {
    if !place.ends_with('/') {
        return Ok(vec![PathBuf::from(place)]);
    }
    let folder = Path::new(place);
    let cannot = |error: std::io::Error| format!("cannot read `{place}`: {error}");
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join(folder)).map_err(cannot)? {
        let path = folder.join(entry.map_err(cannot)?.file_name());
        let readme = path.join("README.md");
        if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        } else if root.join(&readme).is_file() {
            found.push(readme);
        }
    }
    found.sort_by_key(|path| {
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
        let number: Option<u32> = name.split('-').next().and_then(|digits| digits.parse().ok());
        (name != "README.md", number.unwrap_or(u32::MAX), name)
    });
    Ok(found)
}

/// The first heading.
fn title(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    let heading = heading.ok_or_else(|| format!("`{}` has no title", path.display()))?;
    Ok(heading.replace('`', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_of_a_folder_is_its_index() {
        for (document, page) in [
            ("README.md", "index.html"),
            ("cases/ffi/README.md", "cases/ffi/index.html"),
            ("docs/guide/2-trust.md", "docs/guide/2-trust.html"),
        ] {
            assert_eq!(address(Path::new(document)), Path::new(page));
        }
    }

    #[test]
    fn the_tenth_page_of_the_guide_comes_after_the_ninth() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let guide = documents(&root, "docs/guide/").expect("it is there");
        let numbers: Vec<u32> = (guide.iter())
            .filter_map(|path| path.file_name()?.to_str()?.split('-').next()?.parse().ok())
            .collect();
        assert!(numbers.len() == guide.len() && numbers.is_sorted(), "{numbers:?}");
    }
}
