//! A site of histories: a page for each benchmark, a front page with recent changes over all
//! benchmarks, regressions first, and the current state of each, a feed and badges. Everything is a
//! file, and links are relative, so any server or folder will do.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use ::page::html::render;
use draw::chart::Badge;
use findings::{Document, Drift, HistoryCommit, HistorySubject, Step, short};
use measure::parallel;
use model::failure::Failure;
use model::verdict::Verdict;
use page::html::escape;
use page::{Block, Code, Column, Line, Page, Section, Span, Table, line};
use words::quantity::ChangeSize;
use words::quantity::quantity;
use words::tone;

use super::history::{
    CommitSteps, Shown, by_commit, commit_address, counted_changes, first_shown, is_line, summary,
};
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
    /// The address of a commit's page, with `{hash}` in place of its hash.
    commit_address: Option<String>,
    /// The time its newest experiment began.
    started_unix_ns: u64,
    commits: usize,
    /// The changes by the newest commits, newest first.
    lately: Vec<LateChange>,
    /// The name of its most important metric.
    metric: String,
    /// Its current state: cells of the front page.
    standing: Vec<Line>,
}

/// The change by one of the newest commits, in all its metrics; or a drift that ends there.
struct LateChange {
    /// The number of commits since then.
    ago: usize,
    commit: String,
    verdict: Verdict,
    /// The metrics that changed, of which the first has the verdict.
    metrics: Vec<MetricChange>,
    /// The first line of the commit's message, or the origin of a drift.
    subject: String,
    /// The author and the day; empty where they are not known.
    by: String,
}

struct MetricChange {
    name: String,
    size: ChangeSize,
    verdict: Verdict,
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
        let mut page = html::page_of_history(&document, slug)
            .map_err(|error| Failure::new("cannot draw the site").caused_by(&error))?;
        let series = Series::new(name, slug, &document);
        page.push(Block::Section(embedding(&series)));
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
        let ago = |hash: &str| {
            let ago = commits.len() - *places.get(hash)?;
            (ago <= LATELY).then_some(ago)
        };
        let steps = by_commit(document).into_iter().filter_map(|change| {
            let ago = ago(&change.steps[0].commit)?;
            let commit = &commits[commits.len() - ago];
            Some(LateChange::by_commit(&change, ago, commit))
        });
        let drifts = document.drifts().iter();
        let drifts = drifts.filter_map(|drift| Some(LateChange::of_drift(drift, ago(&drift.to)?)));
        let mut lately: Vec<LateChange> = steps.chain(drifts).collect();
        lately.sort_by(newest_first);
        let first = first_shown(document);
        Self {
            name: name.to_owned(),
            slug: slug.to_owned(),
            folder: document.history().map_or("", |found| folder(&found.subject)).to_owned(),
            commit_address: commit_address(document, "{hash}"),
            started_unix_ns: document.experiment.started_unix_ns,
            commits: commits.len(),
            lately,
            metric: first.as_ref().map_or("readings", |first| &first.name).to_owned(),
            standing: standing(document, first.as_ref()),
        }
    }

    /// A commit, with a link to its page if that is known.
    fn commit(&self, hash: &str) -> Span {
        match &self.commit_address {
            Some(address) => Span::link(short(hash), address.replace("{hash}", hash)),
            None => Span::commit(short(hash), hash),
        }
    }

    fn link(&self) -> Span {
        Span::beside(self.name.clone(), format!("{}.html", self.slug))
    }
}

impl LateChange {
    fn by_commit(change: &CommitSteps<'_>, ago: usize, commit: &HistoryCommit) -> Self {
        let metric = |step: &&Step| MetricChange {
            name: format!("{}{}", words::label(&step.metric), step.source.mark()),
            size: ChangeSize::from(*step),
            verdict: step.verdict,
        };
        let metrics = change.steps.iter().map(metric).collect();
        let by = commit.authorship.as_ref().map(words::authorship).unwrap_or_default();
        let (commit, subject) = (commit.hash.clone(), commit.subject.clone());
        Self { ago, commit, verdict: change.verdict, metrics, subject, by }
    }

    fn of_drift(drift: &Drift, ago: usize) -> Self {
        let metric = MetricChange {
            name: format!("{}{}", words::label(&drift.metric), drift.source.mark()),
            size: ChangeSize::from(drift),
            verdict: drift.verdict,
        };
        let subject = format!("a drift since {}: no single commit did it", short(&drift.from));
        let (commit, metrics) = (drift.to.clone(), vec![metric]);
        Self { ago, commit, verdict: drift.verdict, metrics, subject, by: String::new() }
    }

    fn is_better(&self) -> bool {
        self.verdict != Verdict::Regressed
    }

    /// The absolute logarithm of the first metric's ratio.
    fn weight(&self) -> f64 {
        self.metrics.first().map_or(0.0, |first| first.size.ratio().ln().abs())
    }

    /// `time +16.18 %, peak memory +3.00 %`.
    fn figures(&self) -> Line {
        let figure = |metric: &MetricChange| {
            let change = metric.size.amount();
            line![metric.name.clone(), " ", change.toned(tone(metric.verdict))]
        };
        Line::join(self.metrics.iter().map(figure), ", ")
    }
}

/// Newest first; within a commit, the worse before the better, and the largest first.
fn newest_first(one: &LateChange, other: &LateChange) -> Ordering {
    let key = |change: &LateChange| (change.ago, change.is_better());
    key(one).cmp(&key(other)).then(other.weight().total_cmp(&one.weight()))
}

/// The changes of all series, newest first.
fn lately(all: &[Series]) -> Vec<(&Series, &LateChange)> {
    let mut changes: Vec<(&Series, &LateChange)> = all
        .iter()
        .flat_map(|series| series.lately.iter().map(move |change| (series, change)))
        .collect();
    changes.sort_by(|(_, one), (_, other)| newest_first(one, other));
    changes
}

/// The badge: the latest change of a benchmark, in a few words.
fn svg(series: &Series) -> String {
    let latest = series.lately.first();
    let change = latest.and_then(|latest| Some((latest, latest.metrics.first()?)));
    let (words, is_better) = match change {
        Some((latest, MetricChange { name, size, .. })) => (
            format!("{name} {} at {}", size.words(), short(&latest.commit)),
            Some(latest.is_better()),
        ),
        None => (format!("{}: no change found", series.metric), None),
    };
    let description = format!("{}: {words}, of the newest {LATELY} commits", series.name);
    Badge { name: series.name.clone(), words, description, is_better }.scene().svg()
}

/// The Markdown of a badge that leads to its page.
fn embedding(series: &Series) -> Section {
    let Series { name, slug, .. } = series;
    let plain = |letter: char| if "[]\\`<>".contains(letter) { ' ' } else { letter };
    let name: String = name.chars().map(plain).collect();
    let text = format!("[![{name}](ADDRESS/badges/{slug}.svg)](ADDRESS/{slug}.html)\n");
    let code = Code { language: "markdown", text, ..Code::default() };
    let told = line![
        "The latest change, as a badge that leads to this page; ",
        Span::code("ADDRESS"),
        " stands for the address of this site:"
    ];
    Section::folded("A badge for a README", vec![Block::Sentence(told), Block::Code(code)])
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
        let (figures, verdict) = (late.figures().text(), late.verdict.word());
        let title = format!("{}: {verdict}: {figures} at {}", series.name, short(&late.commit));
        let id = format!("urn:brisk:{project}:{}:{}", late.commit, series.slug);
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
    let mut changes = lately(all);
    let newest = all.iter().map(|series| series.commits).max().unwrap_or(0).min(LATELY);
    let newest = words::counted(newest, "commit");
    if changes.is_empty() {
        let answer = format!("Nothing certainly changed in the newest {newest}");
        page.push(Block::Answer(answer.into()));
    } else {
        let count = counted_changes(changes.iter().map(|(_, change)| change.verdict));
        page.push(Block::Answer(line![count, format!(" in the newest {newest}")]));
        changes.sort_by_key(|(_, change)| change.is_better());
        page.push(Block::Table(changes_table(&changes)));
    }
    let blocks = vec![Block::Table(standings(all))];
    page.push(Block::Section(Section::new("Where everything stands", blocks)));
    page
}

fn changes_table(changes: &[(&Series, &LateChange)]) -> Table {
    let mut table = Table::new([
        Column::left("commit"),
        Column::left("benchmark"),
        Column::left("change"),
        Column::left("verdict"),
        Column::left("subject"),
        Column::left("author"),
    ]);
    for (series, late) in changes.iter().take(MOST_CHANGES) {
        table.push([
            Line::from(series.commit(&late.commit)),
            series.link().into(),
            late.figures(),
            Span::from(late.verdict.word()).toned(tone(late.verdict)).into(),
            late.subject.clone().into(),
            late.by.clone().into(),
        ]);
    }
    if changes.len() > MOST_CHANGES {
        table.foot.push(line![format!("The first {MOST_CHANGES} of {}.", changes.len())]);
    }
    table
}

/// One row for each series: its newest value, and what changed.
fn standings(all: &[Series]) -> Table {
    let mut table = Table::new([
        Column::left("benchmark"),
        Column::left("metric"),
        Column::right("newest"),
        Column::left("change"),
        Column::left("commits"),
    ]);
    for series in all {
        let link = [Line::from(series.link())];
        table.rows.push(link.into_iter().chain(series.standing.iter().cloned()).collect());
    }
    table
}

/// The metric, the newest value, the judged change, and the number of commits.
fn standing(document: &Document, shown: Option<&Shown>) -> Vec<Line> {
    let Some(shown) = shown else { return vec!["no readings".into()] };
    let mut commits = document.commits().iter().rev();
    let newest = commits.find_map(|commit| summary(document, commit.variant?, shown));
    let newest = newest.map(|part| document.figure(part)).map_or_else(
        || Span::from("missing"),
        |value| Span::quantity(quantity(value, shown.id.unit()), value),
    );
    let count = document.commits().len().to_string();
    vec![shown.name.clone().into(), newest.into(), judged_change(document, shown), count.into()]
}

/// The change over the steps of a metric, or its drift; in words if there is neither.
fn judged_change(document: &Document, shown: &Shown) -> Line {
    let steps: Vec<&Step> = document.steps().iter().filter(|step| shown.is(step)).collect();
    let drift = document.drifts().iter().find(|drift| shown.drifts(drift));
    let is_ratio = |step: &&Step| step.difference.is_none() && step.bound.is_none();
    match (steps.as_slice(), drift) {
        ([], Some(drift)) => line!["a drift of ", ChangeSize::from(drift).amount()],
        ([], None) if document.commits().len() < 2 => "nothing to compare yet".into(),
        ([], None) => "no change found".into(),
        ([only], _) => Line::from(ChangeSize::from(*only).amount()).toned(tone(only.verdict)),
        (all, _) => {
            let count = format!("{} steps", all.len());
            // Beside a branch, its changes would count twice.
            if !is_line(document.commits()) || !all.iter().all(is_ratio) {
                return count.into();
            }
            let ratio: f64 = all.iter().map(|step| step.ratio).product();
            let change = ChangeSize::of_ratio(ratio, 0.0, None).words();
            line![Span::quantity(change, ratio), format!(" over {count}")]
        }
    }
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
