//! Parsers that parse the same operand again for each alternative.
//!
//! `try (Add <$> term <* plus <*> expr) <|> term` parses a term; if no plus follows, it backtracks
//! and parses the term again. If a term may hold an expression in parentheses, each level of these
//! does so again: twice the work for each level. GHC inlines parsers beyond recognition, so this is
//! read from the text of the module: the parser that each alternative begins with, and its path
//! back to the definition.

use std::collections::HashSet;

use super::cause::{Cause, Look, Need, Paid};
use super::costs::Time;
use super::finding::{Basis, Evidence, Finding, Remedy};
use super::grammar::{Again, Grammar};
use super::names::{Location, in_source};
use super::program::{Module, Program, Site};
use super::spelled::words;
use crate::samples::{Function, Use};

/// Parsers that parse the same operand again.
pub(super) static CAUSE: Cause = Cause {
    id: "parsed-again",
    title: "parses the same again for each alternative",
    about: "Alternatives of a parser begin with the same parser. Where the first one fails after that, its \
            input is parsed again; within each other, alternatives double the work at each level.",
    seed: "the documentation of Parsec: left-factoring, and what `try` costs",
    needs: &[Need::Samples],
    explains: 0.9,
    paid: Paid::Time,
    find,
};

/// The least share of the time that is spent in parsers. Arbitrary.
const LEAST: f64 = 0.25;

/// Modules of parser libraries.
const LIBRARIES: [&str; 5] = [
    "Text.Parsec",
    "Text.Megaparsec",
    "Text.ParserCombinators",
    "Text.Trifecta",
    "Data.Attoparsec",
];

fn find(look: &Look<'_>) -> Vec<Finding> {
    look.modules().filter_map(|(number, module)| of_module(look, number, module)).collect()
}

/// The first such parser of a module, and the names of the others: parsers of one grammar call each
/// other.
fn of_module(look: &Look<'_>, number: usize, module: &Module) -> Option<Finding> {
    let source = module.source.as_ref()?;
    let again = Grammar::parse(&source.text).again();
    let Again { top: name, line, operand } = again.first()?;
    let samples = look.program.samples.as_ref().ok()?;
    let about = of_parsers(look.program);
    let looks = samples.uses.iter().map(|it| looks_at_parsers(look.program, &about, it)).sum();
    let time = Time { looks, of: samples.working() };
    if time.share() < LEAST {
        return None;
    }
    let site = site_of(look, number, name)?;
    let others: Vec<String> =
        again.iter().skip(1).map(|it| format!("`{}` (`{}`)", it.top, it.operand)).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("; so do {}", others.join(", ")),
    };
    Some(Finding {
        cause: &CAUSE,
        site,
        within: None,
        at: Some(Location { file: source.path.clone(), line: *line, column: None }),
        what: format!(
            "`{name}` parses `{operand}` again where an alternative that begins with it fails{others}"
        ),
        evidence: vec![Evidence { site, within: None, focus: Vec::new() }],
        remedy: Remedy {
            text: format!(
                "parse `{operand}` once, and then what may follow it: `{operand} >>= rest`, where `rest` \
                 ends with `pure`; for operators `chainl1`, `chainr1`, `sepBy1`, or \
                 `buildExpressionParser`"
            ),
            change: None,
        },
        why: "An alternative is tried from the beginning, and keeps nothing of the one before; GHC does not \
              know that both begin alike."
            .to_owned(),
        basis: Basis { time: Some(time), ..Basis::site(site) },
    })
}

/// The modules of a program that are about parsers, by number.
fn of_parsers(program: &Program) -> HashSet<usize> {
    let is_about = |module: &Module| {
        module
            .source
            .as_ref()
            .is_some_and(|it| it.text.lines().any(|line| words(line).any(is_parser)))
    };
    (0..program.modules.len()).filter(|number| is_about(&program.modules[*number])).collect()
}

/// The samples of parsers: of functions of their libraries, and of code of the modules that are
/// about them, even if it was inlined elsewhere.
fn looks_at_parsers(program: &Program, about: &HashSet<usize>, it: &Use) -> u64 {
    let modules = || about.iter().map(|number| &program.modules[*number]);
    let is_library = |function: &Function| {
        function.module.as_deref().is_some_and(|name| {
            LIBRARIES.iter().any(|it| name.starts_with(it)) || modules().any(|it| it.name == name)
        })
    };
    let is_own = it.site.is_some_and(|site| about.contains(&site.module));
    if is_own || it.functions.iter().any(is_library) {
        return it.looks;
    }
    let is_file = |file: &str| {
        modules().filter_map(|it| it.source.as_ref()).any(|it| it.path.ends_with(file))
    };
    it.lines.iter().filter(|((file, _), _)| is_file(file)).map(|(_, looks)| looks).sum()
}

fn is_parser(word: &str) -> bool {
    word.rsplit('.').next().is_some_and(|it| it.starts_with("Parser"))
}

/// The binding of a module that a declaration of its text became; if it was inlined, the most
/// entered binding of the module.
fn site_of(look: &Look<'_>, module: usize, name: &str) -> Option<Site> {
    let own = || look.sites().filter(|it| it.module == module);
    let named = own().find(|it| in_source(look.program.name(*it)) == name);
    named.or_else(|| own().max_by_key(|it| look.costs.site(*it).entries))
}
