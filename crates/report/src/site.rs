//! A site of histories: a page for each benchmark, a front page with recent changes over all
//! benchmarks and the current state of each, a feed and badges. Everything is a file, and links are
//! relative, so any server or folder will do.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use ::page::html::render;
use draw::chart::Badge;
use findings::{Document, HistorySubject, Step, short};
use measure::parallel;
use model::failure::Failure;
use model::verdict::Verdict;
use page::html::escape;
use page::{Block, Column, Line, Page, Section, Span, Table, line};
use words::quantity::ChangeSize;
use words::quantity::quantity;
use words::tone;

use super::history::{shown, summary};
use super::html;

/// A file of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// Its path in the site.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// One benchmark, or the command of a history.
struct Series {
    name: String,
    /// The base name of its files.
    slug: String,
    folder: String,
    /// The time its newest experiment began.
    started_unix_ns: u64,
    commits: usize,
    /// The steps in the newest commits, newest first, and within a commit the largest first.
    lately: Vec<LateStep>,
    /// Its current state: cells of the front page.
    standing: Vec<Line>,
}

/// A step in one of the newest commits.
struct LateStep {
    /// The number of commits since then.
    ago: usize,
    step: Step,
    subject: String,
}

/// The number of newest commits that count as `lately`.
const LATELY: usize = 50;

/// All files of the site of these histories, each with its name. `read` loads a document, with the
/// state that `open` creates for each worker.
///
/// # Errors
///
/// When one cannot be read or drawn.
pub fn files<S, T: Sync>(
    histories: &[(String, T)],
    open: impl Fn() -> S + Sync,
    read: impl Fn(&mut S, &T) -> Result<Document, Failure> + Sync,
) -> Result<Vec<SiteFile>, Failure> {
    let mut taken = HashSet::from(["index".to_owned()]);
    let named: Vec<(&str, String, &T)> = (histories.iter())
        .map(|(name, history)| (name.as_str(), slug(name, &mut taken), history))
        .collect();
    let made = parallel::map_with(&named, open, |source, (name, slug, history)| {
        let document = read(source, history)?;
        let page = html::page_of_history(&document, slug)
            .map_err(|error| Failure::new("cannot draw the site").caused_by(&error))?;
        let series = Series::new(name, slug, &document);
        let badge = SiteFile { path: format!("badges/{slug}.svg"), text: svg(&series) };
        Ok((series, [page_file(&format!("{slug}.html"), name, FRONT, &page), badge]))
    });
    let (all, own): (Vec<Series>, Vec<_>) =
        made.into_iter().collect::<Result<Vec<_>, Failure>>()?.into_iter().unzip();
    let mut files = vec![page_file("index.html", "What changed lately", "", &page(&all))];
    files.extend(own.into_iter().flatten());
    files.push(SiteFile { path: "feed.xml".to_owned(), text: atom(&all) });
    Ok(files)
}

/// The link back to the front page.
const FRONT: &str = "<a href=\"index.html\">What changed lately</a>";

fn page_file(path: &str, title: &str, navigation: &str, page: &Page) -> SiteFile {
    let body = render(page, 2);
    let shell = html::shell(title, &body);
    let shell = ::page::html::Shell { navigation, feed: Some("feed.xml"), ..shell };
    SiteFile { path: path.to_owned(), text: shell.html() }
}

/// The name of a command's history.
pub fn name_of_command(part: &HistorySubject) -> String {
    part.command.replace("{artifact}", folder(part))
}

/// The name of the project's folder; its full path is private.
fn folder(part: &HistorySubject) -> &str {
    part.repository.rsplit('/').find(|part| !part.is_empty()).unwrap_or("project")
}

/// A unique name that is valid in any file system and address.
fn slug(name: &str, taken: &mut HashSet<String>) -> String {
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
    fn new(name: &str, slug: &str, document: &Document) -> Self {
        let commits = document.commits();
        let places: HashMap<&str, usize> =
            commits.iter().enumerate().map(|(place, one)| (one.hash.as_str(), place)).collect();
        let late = |step: &Step| {
            let place = *places.get(step.commit.as_str())?;
            let ago = commits.len() - place;
            let subject = commits[place].subject.clone();
            (ago <= LATELY).then(|| LateStep { ago, step: step.clone(), subject })
        };
        let mut lately: Vec<LateStep> = document.steps().iter().filter_map(late).collect();
        lately.sort_by(by_weight);
        Self {
            name: name.to_owned(),
            slug: slug.to_owned(),
            folder: document.history().map_or("", |found| folder(&found.subject)).to_owned(),
            started_unix_ns: document.experiment.started_unix_ns,
            commits: commits.len(),
            lately,
            standing: standing(document),
        }
    }

    fn link(&self) -> Span {
        Span::beside(self.name.clone(), format!("{}.html", self.slug))
    }
}

/// Newest first, and within a commit the largest first.
fn by_weight(one: &LateStep, other: &LateStep) -> Ordering {
    one.ago.cmp(&other.ago).then(other.step.weight().total_cmp(&one.step.weight()))
}

/// The steps of all series, in the order of those of each.
fn lately(all: &[Series]) -> Vec<(&Series, &LateStep)> {
    let mut steps: Vec<(&Series, &LateStep)> = all
        .iter()
        .flat_map(|series| series.lately.iter().map(move |step| (series, step)))
        .collect();
    steps.sort_by(|(_, one), (_, other)| by_weight(one, other));
    steps
}

/// The badge: the latest change of a benchmark, in a few words.
fn svg(series: &Series) -> String {
    let (words, is_better) = match series.lately.first() {
        Some(LateStep { step, .. }) => (
            format!("{} at {}", ChangeSize::from(step).words(), short(&step.commit)),
            Some(step.verdict == Verdict::Improved),
        ),
        None => ("steady".to_owned(), None),
    };
    let description = format!("{}: {words}, of the newest {LATELY} commits", series.name);
    Badge { name: series.name.clone(), words, description, is_better }.scene().svg()
}

/// The largest number of entries, newest first.
const MOST_ENTRIES: usize = 100;

/// The steps as an Atom feed (RFC 4287).
fn atom(all: &[Series]) -> String {
    let updated = moment(all.iter().map(|series| series.started_unix_ns).max().unwrap_or(0));
    let project = all.first().map_or("", |series| series.folder.as_str());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>What changed in {0}</title>\n<id>urn:brisk:{0}</id>\n<updated>{updated}</updated>\n\
         <link rel=\"alternate\" href=\"index.html\"/>\n<author><name>brisk</name></author>\n",
        escape(project)
    );
    for (series, late) in lately(all).into_iter().take(MOST_ENTRIES) {
        let step = &late.step;
        let (change, verdict) = (ChangeSize::from(step).words(), step.verdict.word());
        let (metric, commit) = (words::label(&step.metric), short(&step.commit));
        let title = format!("{}: {metric} {verdict} {change} at {commit}", series.name);
        let id = format!("urn:brisk:{project}:{}:{}:{}", step.commit, series.slug, step.metric);
        let _ = write!(
            text,
            "<entry>\n<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n\
             <link rel=\"alternate\" href=\"{}.html\"/>\n<summary>{}</summary>\n</entry>\n",
            escape(&title),
            escape(&id),
            moment(series.started_unix_ns),
            series.slug,
            escape(&late.subject),
        );
    }
    text + "</feed>\n"
}

/// The time of the newest experiment; the store does not know the dates of commits.
fn moment(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(0);
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// The largest number of changes listed.
const MOST_CHANGES: usize = 200;

/// Builds the page.
fn page(all: &[Series]) -> Page {
    let mut page = Page::default();
    let table = changes(all);
    let count = table.rows.len();
    let newest = all.iter().map(|series| series.commits).max().unwrap_or(0).min(LATELY);
    let newest = words::counted(newest, "commit");
    let answer = match count {
        0 => format!("Nothing certainly changed in the newest {newest}"),
        _ => format!("{} in the newest {newest}", words::counted(count, "change")),
    };
    page.push(Block::Answer(answer.into()));
    if count > 0 {
        page.push(Block::Table(table));
    }
    let blocks = vec![Block::Table(standings(all))];
    page.push(Block::Section(Section::new("Where everything stands", blocks)));
    page
}

/// The steps, those of the newest commits first.
fn changes(all: &[Series]) -> Table {
    let mut table = Table::new([
        Column::left("commit"),
        Column::left("benchmark"),
        Column::left("metric"),
        Column::right("change"),
        Column::left("verdict"),
        Column::left("subject"),
    ]);
    for (series, late) in lately(all).into_iter().take(MOST_CHANGES) {
        let step = &late.step;
        let change = ChangeSize::from(step).words();
        table.push([
            Line::from(Span::commit(short(&step.commit), step.commit.clone())),
            series.link().into(),
            line![words::label(&step.metric), step.source.mark()],
            Span::quantity(change, step.ratio).toned(tone(step.verdict)).into(),
            Span::from(step.verdict.word()).toned(tone(step.verdict)).into(),
            late.subject.clone().into(),
        ]);
    }
    table
}

/// One row for each series: its newest value, and the change since its first commit.
fn standings(all: &[Series]) -> Table {
    let mut table = Table::new([
        Column::left("benchmark"),
        Column::left("metric"),
        Column::right("newest"),
        Column::right("since the first commit"),
        Column::left("commits"),
    ]);
    for series in all {
        let link = [Line::from(series.link())];
        table.rows.push(link.into_iter().chain(series.standing.iter().cloned()).collect());
    }
    table
}

/// The metric, the newest value, the change since the first commit, and the number of commits.
fn standing(document: &Document) -> Vec<Line> {
    let Some(shown) = shown(document).into_iter().next_back() else {
        return vec!["no readings".into()];
    };
    let unit = shown.id.unit();
    let values: Vec<f64> = document
        .commits()
        .iter()
        .filter_map(|commit| summary(document, commit.variant?, &shown))
        .map(|part| document.figure(part))
        .collect();
    let since = match (values.first(), values.last()) {
        (Some(first), Some(last)) => ChangeSize::between(*first, *last, unit).amount(),
        _ => "missing".into(),
    };
    let newest = values.last().map_or_else(
        || Span::from("missing"),
        |value| Span::quantity(quantity(*value, unit), *value),
    );
    let count = document.commits().len().to_string();
    vec![Line::from(shown.name.clone()), newest.into(), since.into(), count.into()]
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
