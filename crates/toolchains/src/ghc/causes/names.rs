//! Names of Core as names of the source, and where in the source they are.
//!
//! GHC splits functions and names the pieces: `$wgo` is the worker of `go`, the part that takes its
//! arguments without boxes; `$sgo` is `go` for one type; `$cshow` is a method of an instance;
//! `lvl3` is a part that does not depend on arguments; `go1` may be a second `go` or a piece of it.

use std::collections::{HashSet, VecDeque};

use super::finding::Finding;
use super::program::{Module, Program, Site};
use crate::ghc::core::Core;
use crate::ghc::core::arena::Id;
use crate::ghc::core::occurrence::{is_operator, module, occurrence, split_unique};
use crate::ghc::core::tree::{Binding, Expr};

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    /// The file, as GHC was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, where it is known.
    pub column: Option<u32>,
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(formatter, ":{column}"))
    }
}

/// The name in the source that a name of Core comes from, without its module: `step` of
/// `Interp.$wstep_r2F`. A name that GHC made up is left as it is.
#[must_use]
pub fn in_source(name: &str) -> &str {
    let mut name = split_unique(name).map_or_else(|| occurrence(name), |(stem, _)| stem);
    // The method of an instance: what it is called stands behind the instance's name.
    if name.starts_with("$f")
        && let Some((_, method)) = name.split_once("_$c")
    {
        name = method;
    }
    // A copy for some arguments is named behind the function that it was made for.
    if let Some((_, copy)) = name.split_once("_$s").filter(|(of, _)| !of.is_empty()) {
        let copy = copy.trim_end_matches(|last: char| last.is_ascii_digit());
        name = if copy.is_empty() { name } else { copy };
    }
    loop {
        let rest = ["$w", "$s", "$c", "$m", "$b", "$l", "$dm"]
            .iter()
            .filter_map(|prefix| name.strip_prefix(prefix))
            .find(|rest| !rest.is_empty());
        match rest {
            Some(rest) => name = rest,
            None => return name,
        }
    }
}

/// A name for people, with its module: `Interp.step`, and `Interp.(>>=)` for an operator.
#[must_use]
pub fn for_people(in_module: &str, name: &str) -> String {
    let module = module(name).unwrap_or(in_module);
    let short = in_source(name);
    if is_operator(short) { format!("{module}.({short})") } else { format!("{module}.{short}") }
}

impl Program {
    /// The name of a binding for people, with its module.
    #[must_use]
    pub fn shown_name(&self, site: Site) -> String {
        for_people(&self.module_of(site).name, self.name(site))
    }

    /// Where a binding of the top level is in the source: by the notes of the dump, else by the text of
    /// the module.
    #[must_use]
    pub fn location(&self, site: Site) -> Option<Location> {
        let module = self.module_of(site);
        let first = self.location_within(site, module.binding(site.top));
        let Some(defined) = defined(module, site) else { return first };
        // What was inlined brings the notes of other declarations along.
        let own = in_source(module.top_name(site.top));
        first.filter(|it| self.declared(site, it) == Some(own)).or(Some(defined))
    }

    /// Where a finding is in the source: where the cause says; of code that was inlined from another
    /// declaration, there; else where its binding is.
    #[must_use]
    pub fn location_of(&self, finding: &Finding) -> Option<Location> {
        let site = finding.site;
        let part = finding.within.map(|part| &self.module_of(site).core().bindings[part]);
        let within = || part.and_then(|part| self.location_within(site, part));
        let own = within().or_else(|| self.nearest_location(site));
        let shown = finding.evidence.first().filter(|it| it.site == site);
        let of_focus = || {
            let at = self.location_of_code(site, *shown?.focus.first()?)?;
            let declared = |at: &Location| self.declared(site, at);
            let own_name = own.as_ref().and_then(declared);
            (declared(&at).is_some() && declared(&at) != own_name).then_some(at)
        };
        finding.at.clone().or_else(of_focus).or(own)
    }

    /// Where an expression of a binding is from, in any of the program's modules: by the nearest note
    /// around it, else by those within it.
    pub(super) fn location_of_code(&self, site: Site, it: Id<Expr>) -> Option<Location> {
        let core = self.module_of(site).core();
        let known = |at: &Location| self.has_source(at);
        let mut walk = core.walk(self.binding(site).right);
        let mut around = || {
            while let Some(next) = walk.next() {
                if next == it {
                    let path = walk.path().iter().rev();
                    return path.filter_map(|it| note_of(core, *it)).find(known);
                }
            }
            None
        };
        around().or_else(|| self.location_within_code(site, it))
    }

    /// Where a binding nested in some code of a dump was written, in any of the program's modules, also
    /// where it was inlined: by the note that its code begins with, else by the nearest around it.
    #[must_use]
    pub fn written(&self, core: &Core, whole: Id<Expr>, binding: Id<Binding>) -> Option<Location> {
        let right = core.bindings[binding].right;
        let mut walk = core.walk(whole);
        walk.by_ref().find(|it| *it == right)?;
        // The path ends with the expression itself.
        let mut notes = walk.path().iter().rev().filter_map(|it| note_of(core, *it));
        notes.find(|at| self.has_source(at))
    }

    /// Where a binding of the top level is in the source; for a copy of library code, of which the
    /// source says nothing, where the nearest binding is that uses it.
    #[must_use]
    pub fn nearest_location(&self, site: Site) -> Option<Location> {
        let module = self.module_of(site);
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::from([site]);
        while let Some(it) = waiting.pop_front() {
            if let Some(location) = self.location(it) {
                return Some(location);
            }
            let users = module.graph.users(module.binding(it.top).name);
            let users =
                users.filter_map(|user| module.top(module.core().bindings[user.binding].name));
            waiting.extend(users.filter(|top| seen.insert(*top)).map(|top| Site { top, ..it }));
        }
        None
    }

    /// The name of the top level whose declaration a place in a binding's module belongs to, as the
    /// source has it: where a function was inlined, the one that it is in now has another name.
    #[must_use]
    pub fn declared<'a>(&'a self, site: Site, at: &Location) -> Option<&'a str> {
        let of = |module: &'a Module| module.source.as_ref().filter(|it| it.path == at.file);
        let source = of(self.module_of(site)).or_else(|| self.modules.iter().find_map(of))?;
        declared_at(&source.text, at.line)
    }

    /// Where a binding within another is in the source, by the notes of the dump.
    #[must_use]
    pub fn location_within(&self, site: Site, binding: &Binding) -> Option<Location> {
        self.location_in(self.module_of(site).core(), site, binding)
    }

    /// Where a binding of a dump of the site's module is in the source, by the notes of that dump.
    #[must_use]
    pub fn location_in(&self, core: &Core, site: Site, binding: &Binding) -> Option<Location> {
        self.own_notes(core, site, binding.right).next()
    }

    /// Where the code within an expression of a binding is from, in any of the program's modules.
    #[must_use]
    pub fn location_within_code(&self, site: Site, it: Id<Expr>) -> Option<Location> {
        notes(self.module_of(site).core(), it).find(|at| self.has_source(at))
    }

    /// A line of a file, as GHC was given it, in one of the modules.
    pub(in crate::ghc) fn source_line(&self, file: &str, line: u64) -> Option<Location> {
        let is_end = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let mut sources = self.modules.iter().filter_map(|it| it.source.as_ref());
        let source = sources.find(|it| is_end(&it.path, file) || is_end(file, &it.path))?;
        Some(Location { file: source.path.clone(), line: u32::try_from(line).ok()?, column: None })
    }

    fn has_source(&self, at: &Location) -> bool {
        self.modules.iter().any(|it| it.source.as_ref().is_some_and(|it| it.path == at.file))
    }

    /// The places of the notes within an expression that are in the file of the site's module.
    fn own_notes<'a>(
        &'a self,
        core: &'a Core,
        site: Site,
        root: Id<Expr>,
    ) -> impl Iterator<Item = Location> + 'a {
        let file = self.module_of(site).source.as_ref().map(|source| source.path.as_str());
        notes(core, root).filter_map(move |location| match file {
            None => Some(location),
            Some(file) if location.file.ends_with(&format!("/{file}")) => Some(location),
            // A package is built in its own folder, from which GHC names the file.
            Some(file)
                if file == location.file || file.ends_with(&format!("/{}", location.file)) =>
            {
                Some(Location { file: file.to_owned(), ..location })
            }
            // What was inlined brings the notes of its own file along.
            Some(_) => None,
        })
    }
}

/// The places of the notes around and within an expression, from the outside in.
fn notes(core: &Core, root: Id<Expr>) -> impl Iterator<Item = Location> + '_ {
    core.walk(root).filter_map(|it| note_of(core, it))
}

fn note_of(core: &Core, it: Id<Expr>) -> Option<Location> {
    match core.exprs[it] {
        Expr::Tick(tick, _) => note(core.text(tick)),
        _ => None,
    }
}

/// The beginning of a span: `src<Interp.hs:(24,12)-(28,38)>`, `src<Interp.hs:8:47-54>`.
#[must_use]
pub fn note(tick: &str) -> Option<Location> {
    let span = tick.strip_prefix("src<")?.strip_suffix('>')?;
    let (file, place) = span.split_once(':')?;
    let number = |text: &str| text.parse::<u32>().ok();
    if let Some(begin) = place.strip_prefix('(') {
        let (line, column) = begin.split_once(')')?.0.split_once(',')?;
        return Some(Location {
            file: file.to_owned(),
            line: number(line)?,
            column: number(column),
        });
    }
    let (line, columns) = place.split_once(':')?;
    let column = columns.split('-').next().and_then(number);
    Some(Location { file: file.to_owned(), line: number(line)?, column })
}

/// The first line of the module's text that begins with the name: its signature or its definition.
fn defined(module: &Module, site: Site) -> Option<Location> {
    let source = module.source.as_ref()?;
    let line = definition_line(&source.text, in_source(module.top_name(site.top)))?;
    Some(Location { file: source.path.clone(), line, column: Some(1) })
}

/// The line, from 1, on which a name of the top level is first declared or defined.
#[must_use]
pub fn definition_line(text: &str, name: &str) -> Option<u32> {
    let quoted = format!("({name})");
    let begins = |line: &str| {
        [name, &quoted].iter().any(|name| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', ':', ',']))
        })
    };
    let place = text.lines().position(begins)?;
    u32::try_from(place + 1).ok()
}

/// The name of the top level that a line, from 1, declares or defines, or is a part of.
#[must_use]
pub fn declared_at(text: &str, line: u32) -> Option<&str> {
    const NO_NAMES: [&str; 12] = [
        "module", "import", "data", "newtype", "type", "class", "instance", "deriving", "infix",
        "infixl", "infixr", "foreign",
    ];
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let head = lines.iter().rev().find(|line| {
        line.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '('))
    })?;
    let name = head.split([' ', '\t', ':', ',', '=', '|']).next()?.trim_matches(['(', ')']);
    (!name.is_empty() && !NO_NAMES.contains(&name)).then_some(name)
}

/// How many lines declare and define a name of the top level: from the first one that begins with it
/// to the next that begins something else, without blank lines and comments.
#[must_use]
pub fn definition_lines(text: &str, name: &str) -> Option<u32> {
    let first = definition_line(text, name)?;
    let rest: Vec<&str> = text.lines().skip(first as usize - 1).collect();
    let is_of_it = |line: &str| {
        line.is_empty()
            || line.starts_with([' ', '\t'])
            || line.starts_with("--")
            || definition_line(line, name).is_some()
    };
    let is_code = |line: &&&str| !line.trim().is_empty() && !line.trim().starts_with("--");
    let lines = rest.iter().take_while(|line| is_of_it(line)).filter(is_code).count();
    u32::try_from(lines).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pieces_are_those_of_the_source() {
        for (name, expected) in [
            ("Interp.$wstep", "step"),
            ("$w$sgo_s2Fu", "go"),
            ("go1_r3", "go1"),
            ("Main.$fMonadResult_$c>>=", ">>="),
            ("$cshowsPrec_r1WN", "showsPrec"),
            ("Data.Map.$dmfold", "fold"),
            ("GHC.Base.++", "++"),
            ("$w", "$w"),
            ("eval_$s$weval1", "eval"),
            ("Main.main_$sgo", "go"),
            ("Main.main", "main"),
        ] {
            assert_eq!(in_source(name), expected, "{name}");
        }
        assert_eq!(for_people("Interp", "$wstep_s1"), "Interp.step");
        assert_eq!(for_people("M", "M.$fMonadR_$c>>="), "M.(>>=)");
    }

    #[test]
    fn spans_are_read() {
        let location = |file: &str, line, column| Location { file: file.to_owned(), line, column };
        assert_eq!(
            note("src<Interp.hs:(24,12)-(28,38)>"),
            Some(location("Interp.hs", 24, Some(12)))
        );
        assert_eq!(note("src<a/B.hs:8:47-54>"), Some(location("a/B.hs", 8, Some(47))));
        assert_eq!(note("src<a/B.hs:8:47>"), Some(location("a/B.hs", 8, Some(47))));
        assert_eq!(note("scc<f>"), None);
        assert_eq!(note("src<generated>"), None);
    }

    #[test]
    fn definitions_are_found_by_their_names() {
        let text = "module M where\n\nstepper = 1\nstep :: Int\nstep = 2\n(<+>) = 3\n";
        assert_eq!(definition_line(text, "step"), Some(4));
        assert_eq!(definition_line(text, "<+>"), Some(6));
        assert_eq!(definition_line(text, "ste"), None);
        assert_eq!(
            [1, 2, 4, 6, 9].map(|line| declared_at(text, line)),
            [None, None, Some("step"), Some("<+>"), Some("<+>"),]
        );
        let text = "f :: Int\nf 0 = 1\n\n-- more\nf n\n  | n > 1 = 2\n{-# INLINE f #-}\ng = f\n";
        assert_eq!(definition_lines(text, "f"), Some(4));
        assert_eq!(definition_lines(text, "g"), Some(1));
        assert_eq!(definition_lines(text, "h"), None);
    }
}
