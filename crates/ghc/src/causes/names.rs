//! Names of Core as names of the source, and their locations in the source.
//!
//! GHC splits functions and names the pieces: `$wgo` is the worker of `go`, the part that takes its
//! arguments without boxes; `$sgo` is `go` for one type; `$cshow` is a method of an instance;
//! `lvl3` is a part that does not depend on arguments; `go1` may be a second `go` or a piece of it.

use std::collections::{HashSet, VecDeque};

use super::examine::Finding;
use super::program::{Module, Program, Site, Source};
use super::source::{declaration, declared_at, definition_line};
use crate::core::Core;
use crate::core::names::{is_operator, module, occurrence, split_unique};
use crate::core::tree::{Binding, Expr, Id};

/// A location in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    /// The file, as passed to GHC.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if known.
    pub column: Option<u32>,
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(formatter, ":{column}"))
    }
}

/// The name in the source that a name of Core comes from, without its module: `step` for
/// `Interp.$wstep_r2F`. A name that GHC made up is returned unchanged.
pub fn in_source(name: &str) -> &str {
    let mut name = split_unique(name).map_or_else(|| occurrence(name), |(stem, _)| stem);
    // For the method of an instance, its name follows that of the instance.
    if name.starts_with("$f")
        && let Some((_, method)) = name.split_once("_$c")
    {
        name = method;
    }
    // The name of a copy for some arguments follows that of the original function.
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
pub fn for_people(in_module: &str, name: &str) -> String {
    let module = module(name).unwrap_or(in_module);
    let short = in_source(name);
    if is_operator(short) { format!("{module}.({short})") } else { format!("{module}.{short}") }
}

impl Program {
    /// The name of a binding for people, with its module.
    pub fn shown_name(&self, site: Site) -> String {
        for_people(&self.module_of(site).name, self.name(site))
    }

    /// The location of a binding of the top level in the source: by the notes of the dump, else by
    /// the text of the module.
    pub fn location(&self, site: Site) -> Option<Location> {
        let module = self.module_of(site);
        let first = self.location_within(site, module.binding(site.top));
        let Some(defined) = defined(module, site) else { return first };
        // Inlined code brings the notes of other declarations along.
        let own = in_source(module.top_name(site.top));
        first.filter(|it| self.declared(site, it) == Some(own)).or(Some(defined))
    }

    /// The location of a finding in the source: the one given by the cause; for code inlined from
    /// another declaration, that declaration; else that of its binding.
    pub fn location_of(&self, finding: &Finding) -> Option<Location> {
        let site = finding.site;
        let part = finding.within.map(|part| &self.core_of(site).bindings[part]);
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

    /// The origin of an expression of a binding, in any of the program's modules: by the nearest
    /// note around it, else by those within it.
    pub(super) fn location_of_code(&self, site: Site, it: Id<Expr>) -> Option<Location> {
        self.location_of_use(site, it, |_| false)
    }

    /// The origin of an expression of a binding that does something which a line of its declaration
    /// must name: by the nearest note of such a declaration around it. Moved code has notes of
    /// other declarations in between.
    pub(super) fn location_of_use(
        &self,
        site: Site,
        it: Id<Expr>,
        names: impl Fn(&str) -> bool,
    ) -> Option<Location> {
        let mut walk = self.core_of(site).walk(self.binding(site).right);
        let is_there = walk.by_ref().any(|next| next == it);
        let around = is_there.then(|| self.location_on_path(site, walk.path(), names)).flatten();
        around.or_else(|| self.location_within_code(site, it))
    }

    /// The same for the last expression of a path in a binding.
    pub(super) fn location_on_path(
        &self,
        site: Site,
        path: &[Id<Expr>],
        names: impl Fn(&str) -> bool,
    ) -> Option<Location> {
        let core = self.core_of(site);
        self.nearest_work(site, path.iter().rev().filter_map(|it| note_of(core, *it)), names)
    }

    /// The first of some notes whose declaration has a line accepted by `names`; else the first in
    /// a function, because the lines of a type, and of its derived instances, do no work
    /// themselves; else the first.
    fn nearest_work(
        &self,
        site: Site,
        notes: impl Iterator<Item = Location>,
        names: impl Fn(&str) -> bool,
    ) -> Option<Location> {
        let notes: Vec<Location> = notes.filter_map(|at| self.resolved(site, at)).collect();
        let is_named = |at: &&Location| self.declaration_has(site, at, &names);
        let work = || notes.iter().filter(|at| self.declared(site, at).is_some());
        work().find(is_named).or_else(|| work().next()).or(notes.first()).cloned()
    }

    /// The location where a binding nested in some code of a dump was written, in any of the
    /// program's modules, even if it was inlined: by the note that its code begins with, else by
    /// the nearest around it.
    pub fn written(
        &self,
        site: Site,
        core: &Core,
        whole: Id<Expr>,
        binding: Id<Binding>,
    ) -> Option<Location> {
        let right = core.bindings[binding].right;
        let mut walk = core.walk(whole);
        walk.by_ref().find(|it| *it == right)?;
        // The path ends with the expression itself.
        let notes = walk.path().iter().rev().filter_map(|it| note_of(core, *it));
        self.nearest_work(site, notes, |_| false)
    }

    /// The location of a binding of the top level in the source; for a copy of library code, which
    /// is not in the source, that of the nearest binding that uses it.
    pub fn nearest_location(&self, site: Site) -> Option<Location> {
        let module = self.module_of(site);
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::from([site]);
        while let Some(it) = waiting.pop_front() {
            if let Some(location) = self.location(it) {
                return Some(location);
            }
            let users = module.graph.users(it.top).iter().copied();
            waiting.extend(users.filter(|top| seen.insert(*top)).map(|top| Site { top, ..it }));
        }
        None
    }

    /// The function or method whose declaration contains a location, as named in the source: after
    /// inlining, the function that contains it now has another name.
    pub fn declared(&self, site: Site, at: &Location) -> Option<&str> {
        declared_at(&self.source_at(site, at)?.text, at.line)
    }

    /// True if a line of the declaration that contains a location satisfies the predicate.
    pub(super) fn declaration_has(
        &self,
        site: Site,
        at: &Location,
        is_like: impl Fn(&str) -> bool,
    ) -> bool {
        let source = self.source_at(site, at);
        source.is_some_and(|it| declaration(&it.text, at.line).any(is_like))
    }

    /// The name for a location within a binding, for people: the function whose declaration
    /// contains it, or the binding's name.
    pub fn name_at(&self, site: Site, at: Option<&Location>) -> &str {
        let declared = at.and_then(|at| self.declared(site, at));
        declared.unwrap_or_else(|| in_source(self.name(site)))
    }

    /// The text that contains a location, of a binding's module or another one.
    fn source_at<'a>(&'a self, site: Site, at: &Location) -> Option<&'a Source> {
        let of = |module: &'a Module| module.source.as_ref().filter(|it| it.path == at.file);
        of(self.module_of(site)).or_else(|| self.modules.iter().find_map(of))
    }

    /// The location of a note, with the file as its module has it: a package is built in its own
    /// folder, and GHC's file names are relative to that.
    fn resolved(&self, site: Site, at: Location) -> Option<Location> {
        if self.source_at(site, &at).is_some() {
            return Some(at);
        }
        let is_it = |module: &&Module| {
            let path = module.source.as_ref().and_then(|it| it.path.strip_suffix(&*at.file));
            path.is_some_and(|before| before.ends_with('/'))
        };
        let own = Some(self.module_of(site)).filter(is_it);
        let module = own.or_else(|| self.modules.iter().find(is_it))?;
        Some(Location { file: module.source.as_ref()?.path.clone(), ..at })
    }

    /// The location of a binding within another in the source, by the notes of the dump.
    pub fn location_within(&self, site: Site, binding: &Binding) -> Option<Location> {
        self.location_in(self.core_of(site), site, binding)
    }

    /// The location of a binding of a dump of the site's module in the source, by the notes of that
    /// dump.
    pub fn location_in(&self, core: &Core, site: Site, binding: &Binding) -> Option<Location> {
        self.own_notes(core, site, binding.right).next()
    }

    /// The origin of the code within an expression of a binding, in any of the program's modules.
    pub fn location_within_code(&self, site: Site, it: Id<Expr>) -> Option<Location> {
        self.nearest_work(site, notes(self.core_of(site), it), |_| false)
    }

    /// A line of a file, as passed to GHC, in one of the modules.
    pub(crate) fn source_line(&self, file: &str, line: u64) -> Option<Location> {
        let is_end = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let mut sources = self.modules.iter().filter_map(|it| it.source.as_ref());
        let source = sources.find(|it| is_end(&it.path, file) || is_end(file, &it.path))?;
        Some(Location { file: source.path.clone(), line: u32::try_from(line).ok()?, column: None })
    }

    /// The locations of the notes within an expression that are in the file of the site's module.
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
            // A package is built in its own folder, and GHC's file names are relative to that.
            Some(file)
                if file == location.file || file.ends_with(&format!("/{}", location.file)) =>
            {
                Some(Location { file: file.to_owned(), ..location })
            }
            // Inlined code brings the notes of its own file along.
            Some(_) => None,
        })
    }
}

/// The locations of the notes around and within an expression, from the outside in.
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
}
