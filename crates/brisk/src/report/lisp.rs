//! What SBCL's compiler and profiler say of a file, shown and exported.

use anstyle::Style;
use serde::{Deserialize, Serialize};
use stats::proportion;

use super::document::SCHEMA;
use super::table::{Cell, lines, shorten};
use super::terminal::wrap;
use crate::explain::lisp::Said;
use crate::report::plain::printable;

const TITLE: Style = Style::new().bold();
const HEADING: Style = Style::new().dimmed();

/// So many functions and forms are shown where not all are wanted.
const SHOWN: usize = 10;

/// What SBCL says, with the schema's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LispDocument {
    /// [`SCHEMA`].
    pub schema: String,
    /// What the machine is.
    pub machine: serde_json::Value,
    /// What it says.
    pub lisp: LispPart,
}

/// What SBCL says of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LispPart {
    /// The file.
    pub subject: String,
    /// SBCL's version.
    pub compiler: String,
    /// How many samples the profiler took.
    pub samples: u64,
    /// The functions, those with most samples of their own first.
    pub functions: Vec<FunctionPart>,
    /// Forms with efficiency notes, those in the costliest functions first.
    pub forms: Vec<FormPart>,
}

/// The samples of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionPart {
    /// Its name, as SBCL prints it.
    pub name: String,
    /// Samples in the function itself.
    pub itself: u64,
    /// Samples in it or in what it called.
    pub total: u64,
    /// The share of its own samples, with the interval that holds the true share in 95 of 100
    /// programs, were the samples independent.
    pub share: SharePart,
}

/// A share, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SharePart {
    /// What was seen.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A form with efficiency notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FormPart {
    /// The definition that it is in.
    pub within: String,
    /// The form.
    pub form: String,
    /// How many notes there are.
    pub notes: usize,
    /// What the compiler could not do.
    pub what: Vec<String>,
    /// Why.
    pub why: Vec<String>,
    /// Samples in the function or in what it called; absent where the profiler did not see it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub samples: Option<u64>,
}

impl LispDocument {
    /// With the schema's name.
    pub fn new(lisp: LispPart, machine: serde_json::Value) -> Self {
        Self { schema: SCHEMA.to_owned(), machine, lisp }
    }
}

impl LispPart {
    /// Joins the notes with the samples.
    pub fn new(subject: &str, said: Said) -> Self {
        let count = said.samples.count;
        let mut functions: Vec<FunctionPart> = said
            .samples
            .functions
            .into_iter()
            .map(|function| FunctionPart {
                share: share(function.itself, count),
                name: function.name,
                itself: function.itself,
                total: function.total,
            })
            .collect();
        functions.sort_by_key(|function| std::cmp::Reverse((function.itself, function.total)));
        let samples_of = |name: &str| {
            functions.iter().find(|function| function.name == name).map(|function| function.total)
        };
        let mut forms: Vec<FormPart> = said
            .forms
            .into_iter()
            .map(|form| FormPart {
                samples: form.function().and_then(samples_of),
                within: form.within,
                form: form.form,
                notes: form.count,
                what: form.what,
                why: form.why,
            })
            .collect();
        forms.sort_by_key(|form| std::cmp::Reverse((form.samples, form.notes)));
        Self {
            subject: subject.to_owned(),
            compiler: said.compiler,
            samples: count,
            functions,
            forms,
        }
    }
}

fn share(found: u64, of: u64) -> SharePart {
    const ALPHA: f64 = 0.05;
    let (low, high) = proportion::interval(found, of, ALPHA).unwrap_or((0.0, 1.0));
    SharePart { share: found as f64 / of.max(1) as f64, low, high }
}

/// The whole as text with terminal styles.
#[must_use]
pub fn render(part: &LispPart, columns: usize, all: bool) -> String {
    let part = &*printable(part);
    let most = if all { usize::MAX } else { SHOWN };
    let mut text = format!(
        "{TITLE}{}{TITLE:#}{HEADING}, {}{HEADING:#}\n{} samples of the statistical profiler, one a \
         millisecond of processor time\n",
        part.subject, part.compiler, part.samples
    );
    let itself: Vec<&FunctionPart> =
        part.functions.iter().filter(|function| function.itself > 0).take(most).collect();
    if itself.is_empty() {
        text.push_str("The program was too short for it to see anything.\n");
    } else {
        let heading = |text: &str| Cell::right(text).styled(HEADING);
        let function = Cell::left("function").styled(HEADING);
        let mut rows = vec![vec![heading("itself"), heading("95 %"), heading("total"), function]];
        rows.extend(itself.iter().map(|function| {
            let percent = |share: f64| format!("{:.0} %", share * 100.0);
            let SharePart { share, low, high } = function.share;
            vec![
                Cell::right(percent(share)),
                Cell::right(format!("{:.0} to {}", low * 100.0, percent(high))),
                Cell::right(percent(function.total as f64 / part.samples.max(1) as f64)),
                Cell::left(shorten(&function.name, columns.saturating_sub(32).max(20))),
            ]
        }));
        text.push_str(&format!("\n{}\n", lines(&rows).join("\n")));
    }
    text.push_str(&notes(part, columns, most));
    text
}

fn notes(part: &LispPart, columns: usize, most: usize) -> String {
    let count: usize = part.forms.iter().map(|form| form.notes).sum();
    if count == 0 {
        return "\nThe compiler has no efficiency notes with `speed` at 3.\n".to_owned();
    }
    let mut text = format!(
        "\n{TITLE}{count} efficiency notes about {} forms{TITLE:#}{HEADING}, compiled with `speed` at \
         3{HEADING:#}\n",
        part.forms.len()
    );
    for form in part.forms.iter().take(most) {
        let share = form.samples.map_or(String::new(), |samples| {
            format!(
                " ({:.0} % of the samples)",
                samples as f64 / part.samples.max(1) as f64 * 100.0
            )
        });
        text.push_str(&format!("\n{}{share}\n", form.within));
        text.push_str(&format!("  {}\n", shorten(&form.form, columns.saturating_sub(2))));
        // The first reasons are the nearest ones; the rest repeat them for other types.
        const REASONS: usize = 3;
        for reason in form.what.iter().take(REASONS).chain(form.why.iter().take(REASONS)) {
            for line in wrap(reason, columns.saturating_sub(4)) {
                text.push_str(&format!("    {line}\n"));
            }
        }
        let hidden =
            form.what.len().saturating_sub(REASONS) + form.why.len().saturating_sub(REASONS);
        if hidden > 0 {
            text.push_str(&format!("    {HEADING}and {hidden} more{HEADING:#}\n"));
        }
    }
    let hidden = part.forms.len().saturating_sub(most);
    if hidden > 0 {
        text.push_str(&format!("\n{HEADING}{hidden} other forms; `--all` shows them{HEADING:#}\n"));
    }
    text
}

/// The whole as Markdown.
#[must_use]
pub fn markdown(part: &LispPart) -> String {
    let part = &*printable(part);
    let mut text = format!(
        "`{}`, {}: {} samples\n\n| itself | total | function |\n|---:|---:|---|\n",
        part.subject, part.compiler, part.samples
    );
    for function in part.functions.iter().filter(|function| function.itself > 0) {
        let name = function.name.replace('|', "\\|");
        text.push_str(&format!("| {} | {} | `{name}` |\n", function.itself, function.total));
    }
    text.push_str("\n| notes | within | form |\n|---:|---|---|\n");
    for form in &part.forms {
        let code = form.form.replace('|', "\\|");
        text.push_str(&format!("| {} | `{}` | `{code}` |\n", form.notes, form.within));
    }
    text
}
