//! A site of histories: a page for each benchmark, a front page that says what changed lately, a feed
//! and badges. Everything is a file, and links are relative, so that any server or folder will do.

mod badge;
mod feed;
mod front;

use std::collections::HashSet;
use std::io;

use ::page::html::render;
use ::page::{Page, Span};

use super::document::{Document, HistoryPart, StepPart};
use super::{history, html};
use crate::history::whole;

/// A file of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// Its path in the site.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// One benchmark, or the command of a history, with what the site says of it.
struct Series {
    /// What it is called.
    name: String,
    /// What its files are called.
    slug: String,
    /// Its history alone.
    document: Document,
}

/// So many of the newest commits are `lately`.
const LATELY: usize = 50;

/// Every file of the site of these histories, each of another command or suite.
///
/// # Errors
///
/// When a picture cannot be drawn.
pub fn files(histories: &[Document]) -> io::Result<Vec<SiteFile>> {
    let all = series(histories);
    let mut files = vec![page_file("index.html", "What changed lately", "", &front::page(&all))];
    for one in &all {
        let page = html::page_of_history(&one.document, &one.slug)?;
        files.push(page_file(&format!("{}.html", one.slug), &one.name, FRONT, &page));
        files.push(SiteFile { path: format!("badges/{}.svg", one.slug), text: badge::svg(one) });
    }
    files.push(SiteFile { path: "feed.xml".to_owned(), text: feed::atom(&all) });
    Ok(files)
}

/// The way back.
const FRONT: &str = "<a href=\"index.html\">What changed lately</a>";

fn page_file(path: &str, title: &str, navigation: &str, page: &Page) -> SiteFile {
    let body = render(page, 2);
    let shell = html::shell(title, &body);
    let shell = ::page::html::shell::Shell { navigation, feed: Some("feed.xml"), ..shell };
    SiteFile { path: path.to_owned(), text: shell.html() }
}

fn series(histories: &[Document]) -> Vec<Series> {
    let mut taken = HashSet::from(["index".to_owned()]);
    let mut all = Vec::new();
    for document in histories {
        let Some(part) = &document.history else { continue };
        let each = whole::each(document);
        let own = if each.is_empty() { vec![document.clone()] } else { each };
        for document in own {
            let benchmark = document.histories.first().map(|one| one.benchmark.clone());
            let folder = folder(part).to_owned();
            let name = benchmark.unwrap_or_else(|| part.command.replace("{artifact}", &folder));
            let slug = slug(&name, &mut taken);
            all.push(Series { name, slug, document });
        }
    }
    all
}

/// The name of the project's folder: where it lies is nobody's business.
fn folder(part: &HistoryPart) -> &str {
    part.repository.rsplit('/').find(|part| !part.is_empty()).unwrap_or("project")
}

/// A name that any file system and address can have, and no other has.
fn slug(name: &str, taken: &mut HashSet<String>) -> String {
    /// Longer names are cut.
    const LONGEST: usize = 60;
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' }
    };
    let parts: String = name.chars().map(plain).collect();
    let parts: Vec<&str> = parts.split('-').filter(|part| !part.is_empty()).collect();
    let mut base: String = parts.join("-").chars().take(LONGEST).collect();
    if base.is_empty() {
        base.push_str("history");
    }
    let numbered =
        |number: u32| if number == 1 { base.clone() } else { format!("{base}-{number}") };
    let free =
        (1..).map(numbered).find(|slug| !taken.contains(slug)).expect("there are enough numbers");
    taken.insert(free.clone());
    free
}

impl Series {
    /// The steps in the newest commits, the newest first, and of one commit the weightiest.
    fn lately(&self) -> Vec<(usize, &StepPart)> {
        let commits = self.document.commits.as_deref().unwrap_or_default();
        let from = commits.len().saturating_sub(LATELY);
        let place = |step: &StepPart| commits.iter().position(|one| one.hash == step.commit);
        let steps = self.document.steps.iter().flatten();
        let mut steps: Vec<(usize, &StepPart)> = steps
            .filter_map(|step| Some((place(step)?, step)))
            .filter(|(place, _)| *place >= from)
            .collect();
        steps
            .sort_by(|(a, one), (b, other)| b.cmp(a).then(other.weight().total_cmp(&one.weight())));
        steps
    }

    /// The subject of a commit.
    fn subject(&self, hash: &str) -> String {
        let mut commits = self.document.commits.iter().flatten();
        commits.find(|one| one.hash == *hash).map(|one| one.subject.clone()).unwrap_or_default()
    }

    fn link(&self) -> Span {
        Span::beside(self.name.clone(), format!("{}.html", self.slug))
    }
}

/// The steps of all, those of the newest commits first, and of one commit the weightiest.
fn lately(all: &[Series]) -> Vec<(&Series, &StepPart)> {
    let mut steps = Vec::new();
    for series in all {
        // How many commits ago, as histories need not be equally long.
        let commits = series.document.commits.as_ref().map_or(0, Vec::len);
        let own = series.lately().into_iter();
        steps.extend(own.map(|(place, step)| (commits - place, series, step)));
    }
    steps.sort_by(|(ago, _, one), (other_ago, _, other)| {
        ago.cmp(other_ago).then(other.weight().total_cmp(&one.weight()))
    });
    steps.into_iter().map(|(_, series, step)| (series, step)).collect()
}

/// A change as a few characters, and the word for it.
fn change(step: &StepPart) -> (String, &'static str) {
    (history::change(step.ratio), step.verdict.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_file_of_its_own_that_any_address_can_have() {
        let mut taken = HashSet::from(["index".to_owned()]);
        let mut of = |name: &str| slug(name, &mut taken);
        assert_eq!(of("sum/large"), "sum-large");
        assert_eq!(of("Sum large"), "sum-large-2");
        assert_eq!(of("../../etc/passwd"), "etc-passwd");
        assert_eq!(of("<script>"), "script");
        assert_eq!(of("日本"), "history");
        assert_eq!(of("index"), "index-2");
        assert_eq!(of(&"x".repeat(500)).len(), 60);
    }
}
