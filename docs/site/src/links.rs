//! Links that lead nowhere.

use std::path::Path;

use crate::rendered::{Link, Rendered};

/// The faults in the links of all pages: a target that is not in the repository, or a heading that
/// its page does not have.
pub(crate) fn faults(root: &Path, pages: &[Rendered]) -> Vec<String> {
    let fault = |page: &Rendered, link: &Link| {
        let told = |what: &str| format!("`{}`: `{}` {what}", page.source.display(), link.written);
        if link.target.as_os_str().is_empty() || !root.join(&link.target).exists() {
            return Some(told("leads nowhere"));
        }
        let heading = link.heading.as_ref()?;
        let target = pages.iter().find(|other| {
            other.source == link.target || other.source == link.target.join("README.md")
        })?;
        (!target.headings.contains(heading)).then(|| told("names no heading there"))
    };
    let of_page = |page| move |link| fault(page, link);
    pages.iter().flat_map(|page| page.links.iter().filter_map(of_page(page))).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn page(source: &str, links: &[(&str, &str, Option<&str>)]) -> Rendered {
        let link = |(written, target, heading): &(&str, &str, Option<&str>)| Link {
            written: (*written).to_owned(),
            target: PathBuf::from(target),
            heading: heading.map(str::to_owned),
        };
        Rendered {
            source: PathBuf::from(source),
            title: String::new(),
            body: String::new(),
            headings: vec!["there".to_owned()],
            links: links.iter().map(link).collect(),
            sections: Vec::new(),
            faults: Vec::new(),
        }
    }

    #[test]
    fn a_missing_file_and_a_missing_heading_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let good = [("Cargo.toml", "Cargo.toml", None), ("#there", "a.md", Some("there"))];
        assert_eq!(faults(&root.join("../.."), &[page("a.md", &good[..1])]), Vec::<String>::new());
        let bad =
            [("b.md", "no-such-file.md", None), ("Cargo.toml#gone", "Cargo.toml", Some("gone"))];
        let pages = [page("a.md", &bad), page("Cargo.toml", &[])];
        let found = faults(root, &pages);
        assert_eq!(
            found,
            ["`a.md`: `b.md` leads nowhere", "`a.md`: `Cargo.toml#gone` names no heading there"]
        );
    }
}
