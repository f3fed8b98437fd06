//! The documentation as a site: `brisk-site OUT` in the root of the repository.
//!
//! The pages look as the reports do, because they are in the same shell. A link that leads nowhere is an
//! error, also one to a heading. Console blocks show recorded output. What is no page of the site, such as a source file, is not linked.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the command line")]

mod contents;
mod links;
mod recorded;
mod rendered;
mod search;

use std::path::Path;
use std::process::ExitCode;

use contents::{Contents, Group};
use page::html::Shell;
use page::html::escape;
use rendered::Rendered;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [out] = arguments.as_slice() else {
        eprintln!("usage: brisk-site OUT");
        return ExitCode::from(2);
    };
    match site(Path::new("."), Path::new(out)) {
        Ok(pages) => {
            println!("{pages} pages in `{}`", Path::new(out).display());
            ExitCode::SUCCESS
        }
        Err(faults) => {
            faults.iter().for_each(|fault| eprintln!("error: {fault}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes the site of the repository at `root`; how many pages it has, or all that is wrong.
fn site(root: &Path, out: &Path) -> Result<usize, Vec<String>> {
    let contents = Contents::of(root).map_err(|error| vec![error])?;
    let rendered: Vec<Rendered> =
        contents.pages().map(|page| rendered::rendered(root, page, &contents)).collect();
    let mut faults = links::faults(root, &rendered);
    faults.extend(rendered.iter().flat_map(|page| page.faults.clone()));
    if !faults.is_empty() {
        return Err(faults);
    }
    let write = |path: &Path, text: &str| {
        let path = out.join(path);
        let folder = path.parent().unwrap_or(out);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| vec![format!("cannot write `{}`: {error}", path.display())])
    };
    for page in &rendered {
        write(&page.address(), &html(page, &contents))?;
    }
    write(Path::new(search::FILE), &search::html(&rendered, &navigation(&contents, "")))?;
    let schema = Path::new("docs/schema.json");
    let text =
        std::fs::read_to_string(root.join(schema)).map_err(|error| vec![error.to_string()])?;
    write(schema, &text)?;
    Ok(rendered.len())
}

/// The links to the groups and to the search, for a page from which `up` leads to the root.
fn navigation(contents: &Contents, up: &str) -> String {
    let of_group = |group: &Group| {
        let (first, _) = group.pages.first()?;
        Some(link(up, &contents::address(first), group.name, false))
    };
    let groups: String = contents.groups.iter().filter_map(of_group).collect();
    groups + &link(up, Path::new(search::FILE), "Search", false)
}

fn link(up: &str, address: &Path, title: &str, is_here: bool) -> String {
    let here = if is_here { " aria-current=\"page\"" } else { "" };
    let address = address.to_string_lossy();
    format!("<a href=\"{up}{}\"{here}>{}</a>", escape(&address), escape(title))
}

/// A page in its shell, with what leads to the others.
fn html(page: &Rendered, contents: &Contents) -> String {
    let up = "../".repeat(page.source.components().count() - 1);
    let own = contents.groups.iter().find(|group| group.has(&page.source));
    let pages = own.filter(|group| group.pages.len() > 1).map_or_else(String::new, |group| {
        let all = group
            .pages
            .iter()
            .map(|(path, title)| link(&up, &contents::address(path), title, *path == page.source));
        let all: String = all.map(|link| format!("<li>{link}</li>")).collect();
        let (name, count) = (group.name, group.pages.len());
        format!("<details open><summary>{name}: {count} pages</summary><ul>{all}</ul></details>\n")
    });
    let body = pages + &page.body;
    let navigation = navigation(contents, &up);
    Shell { title: &page.title, navigation: &navigation, body: &body, ..Shell::default() }.html()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The repository's own documents: what `make site` writes has no dead link.
    #[test]
    fn no_link_of_the_documentation_leads_nowhere() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let out = std::env::temp_dir().join(format!("brisk-site-{}", std::process::id()));
        let pages = site(&root, &out);
        assert!(pages.as_ref().is_ok_and(|pages| *pages > 50), "{pages:?}");
        let front = std::fs::read_to_string(out.join("index.html")).expect("it was written");
        assert!(front.contains("href=\"docs/guide/1-first-comparison.html\""), "{front}");
        assert!(front.contains("href=\"search.html\""), "{front}");
        let search = std::fs::read_to_string(out.join("search.html")).expect("it was written");
        let section = "<li hidden><a href=\"docs/guide/5-history.html#find-one-commit\">";
        assert!(search.contains(section), "a section for each heading");
        let guide = std::fs::read_to_string(out.join("docs/guide/1-first-comparison.html"));
        let guide = guide.expect("it was written");
        assert!(!guide.contains("takes [..] times"), "a recording in place of the pattern");
        std::fs::remove_dir_all(&out).expect("it was made here");
    }
}
