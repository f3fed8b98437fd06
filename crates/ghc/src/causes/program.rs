//! The input of a cause: one program, as it was compiled and as it ran.
//!
//! The exports of a module, from its source.
//!
//! Declarations in the source of a module: the names declared or defined on each line.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::said::{Firing, Inlining};
use crate::core::calls::CallGraph;
use crate::core::dump::Suppressed;
use crate::core::names::{Name, module, occurrence, split_unique};
use crate::core::tree::{Binding, Group, Id, Pass};
use crate::core::{Core, Dump};
use crate::heap_census::{Waiting, Waits};
use crate::heap_profile::HeapProfile;
use crate::instructions::Instructions;
use crate::samples::Samples;
use crate::ticky;

/// A binding of the top level of one of the modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The number of the module, from 0.
    pub module: usize,
    /// The number of the binding among those of the module's top level, in the order of the dump.
    pub top: usize,
}

/// A program, as far as known. Unknown parts are `None`, and causes that need them are skipped.
#[derive(Debug)]
pub struct Program {
    /// Its modules.
    pub modules: Vec<Module>,
    /// The version of the compiler, such as 9.0.2.
    pub compiler: Option<Vec<u32>>,
    /// The options passed to GHC by the user, or by the project's description; without those that
    /// brisk adds.
    pub options: Option<Vec<String>>,
    /// The ticky counters of a run.
    pub ticky: Option<ticky::Profile>,
    /// All bytes that the run with ticky counters allocated, in instrumented code and outside it.
    pub allocated_bytes: Option<u64>,
    /// The instructions of a run without counters.
    pub instructions: Option<Instructions>,
    /// The contents of the heap over the time of a run.
    pub heap: Option<HeapProfile>,
    /// The samples of a run without counters, or the reason why they are missing.
    pub samples: Result<Samples, String>,
    /// The makers of the thunks in the heap of a run without counters, at their peak, the largest
    /// first; empty without a census.
    pub waiting: Vec<Waiting>,
    /// The functions waiting on its stacks when they were deepest; empty without a census.
    pub waits: Waits,
    /// By name, with the module: the site of a binding of the top level.
    sites: HashMap<String, Site>,
    /// By name, without the module: the site of the binding of the top level that other modules may
    /// mean by it; `None` if several modules have one.
    visible: HashMap<String, Option<Site>>,
}

/// A module, as compiled by GHC.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// The simplified program: from `-ddump-simpl`.
    pub dump: Dump,
    /// The program in the form that code is generated from: from `-ddump-prep`, of the same
    /// compilation.
    pub prep: Option<Dump>,
    /// The rewrite rules that fired: from `-ddump-rule-firings`.
    pub firings: Option<Vec<Firing>>,
    /// The inlined functions: from `-ddump-inlinings`.
    pub inlinings: Option<Vec<Inlining>>,
    /// The text of the module.
    pub source: Option<Source>,
    /// The parts left out of `dump`.
    pub suppressed: Suppressed,
    /// The uses between bindings.
    pub graph: CallGraph,
    /// The bindings of the top level, each with a flag that is set in a recursive group.
    tops: Vec<(Id<Binding>, bool)>,
    /// By name within the dump: the number of the binding in `tops`.
    places: HashMap<Name, usize>,
    /// By the number of a worker: that of its wrapper.
    wrappers: HashMap<usize, usize>,
    /// The bindings of the top level of `prep`, by name with the module, computed on first use.
    prepared: OnceLock<HashMap<String, Id<Binding>>>,
}

/// A Haskell source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path, for people.
    pub path: String,
    /// Its contents.
    pub text: String,
}

impl Module {
    /// A module with this name. If a dump has several passes, the last counts.
    #[must_use]
    pub fn new(name: impl Into<String>, dump: Dump) -> Self {
        let nothing = Pass {
            title: None,
            size: None,
            groups: crate::core::tree::List::EMPTY,
            rules: crate::core::tree::List::EMPTY,
            line: 1,
        };
        let pass = dump.passes.last().copied().unwrap_or(nothing);
        let groups: &[Group] = &dump.core.groups[pass.groups];
        let tops: Vec<(Id<Binding>, bool)> = groups
            .iter()
            .flat_map(|group| {
                dump.core.tops[group.bindings].iter().map(|top| (top.binding, group.recursive))
            })
            .collect();
        let places = tops.iter().enumerate();
        let places = places.map(|(place, (it, _))| (dump.core.bindings[*it].name, place)).collect();
        let wrappers = wrappers(&dump.core, &tops);
        Self {
            name: name.into(),
            suppressed: dump.suppressed(),
            graph: CallGraph::from_dump(&dump, &pass),
            tops,
            places,
            wrappers,
            prepared: OnceLock::new(),
            dump,
            prep: None,
            firings: None,
            inlinings: None,
            source: None,
        }
    }

    /// The nodes of its simplified program.
    #[must_use]
    pub fn core(&self) -> &Core {
        &self.dump.core
    }

    /// A binding of the top level.
    #[must_use]
    pub fn binding(&self, top: usize) -> &Binding {
        &self.dump.core.bindings[self.tops[top].0]
    }

    /// True if a binding of the top level is in a group of bindings that refer to each other.
    #[must_use]
    pub fn is_recursive(&self, top: usize) -> bool {
        self.tops[top].1
    }

    /// The number of bindings of the top level.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// True if the top level has no bindings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tops.is_empty()
    }

    /// The number of the binding of the top level with this name of the dump.
    #[must_use]
    pub fn top(&self, name: Name) -> Option<usize> {
        self.places.get(&name).copied()
    }

    /// The wrapper of a worker, both by their numbers.
    #[must_use]
    pub fn wrapper_of(&self, worker: usize) -> Option<usize> {
        self.wrappers.get(&worker).copied()
    }

    /// The binding of CorePrep that one of the top level became, under the same name; `None`
    /// without such a dump.
    #[must_use]
    pub fn prepared(&self, top: usize) -> Option<Id<Binding>> {
        let prep = self.prep.as_ref()?;
        let by_name = self.prepared.get_or_init(|| {
            let mut by_name = HashMap::new();
            for top in prep.passes.last().into_iter().flat_map(|pass| prep.tops(pass)) {
                let name = prep.core.text(prep.core.bindings[top.binding].name);
                by_name.entry(self.full_name(name).into_owned()).or_insert(top.binding);
            }
            by_name
        });
        by_name.get(self.full_name(self.top_name(top)).as_ref()).copied()
    }

    /// The name of a binding of the top level, as in the dump.
    #[must_use]
    pub fn top_name(&self, top: usize) -> &str {
        self.core().text(self.binding(top).name)
    }

    /// A name of this module's top level, with the module before it.
    #[must_use]
    pub fn full_name<'a>(&self, name: &'a str) -> std::borrow::Cow<'a, str> {
        if module(name).is_some() || name.starts_with(':') {
            name.into()
        } else {
            format!("{}.{name}", self.name).into()
        }
    }
}

/// By the number of each worker, `$wgo`, that of its wrapper: the first function named `go`.
fn wrappers(core: &Core, tops: &[(Id<Binding>, bool)]) -> HashMap<usize, usize> {
    let stem = |it: &(Id<Binding>, bool)| {
        let name = core.text(core.bindings[it.0].name);
        split_unique(name).map_or_else(|| occurrence(name), |(stem, _)| stem)
    };
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (place, it) in tops.iter().enumerate() {
        first.entry(stem(it)).or_insert(place);
    }
    let of = |(place, it): (usize, &(Id<Binding>, bool))| {
        Some((place, *first.get(stem(it).strip_prefix("$w")?)?))
    };
    tops.iter().enumerate().filter_map(of).collect()
}

impl Program {
    /// A program of these modules, without any other data.
    #[must_use]
    pub fn new(modules: Vec<Module>) -> Self {
        let mut sites = HashMap::new();
        let mut visible: HashMap<String, Option<Site>> = HashMap::new();
        for (number, module) in modules.iter().enumerate() {
            for top in 0..module.len() {
                let site = Site { module: number, top };
                let name = module.top_name(top);
                sites.insert(module.full_name(name).into_owned(), site);
                if split_unique(name).is_none() {
                    let known = visible.entry(occurrence(name).to_owned()).or_insert(Some(site));
                    if *known != Some(site) {
                        *known = None;
                    }
                }
            }
        }
        Self {
            modules,
            compiler: None,
            options: None,
            ticky: None,
            allocated_bytes: None,
            instructions: None,
            heap: None,
            samples: Err("it was not run here".to_owned()),
            waiting: Vec::new(),
            waits: Waits::default(),
            sites,
            visible,
        }
    }

    /// The module of a binding.
    #[must_use]
    pub fn module_of(&self, site: Site) -> &Module {
        &self.modules[site.module]
    }

    /// A binding of the top level.
    #[must_use]
    pub fn binding(&self, site: Site) -> &Binding {
        self.module_of(site).binding(site.top)
    }

    /// Its name, as in the dump.
    #[must_use]
    pub fn name(&self, site: Site) -> &str {
        self.module_of(site).top_name(site.top)
    }

    /// The binding of the top level that a name in a module means: one of that module, or of
    /// another module whose dump is present. Callers must exclude local names that shadow it.
    #[must_use]
    pub fn site_of(&self, in_module: usize, name: Name) -> Option<Site> {
        let module = &self.modules[in_module];
        if let Some(top) = module.top(name) {
            return Some(Site { module: in_module, top });
        }
        let text = module.core().text(name);
        // GHC prints a name as the module would write it: without its module if it is imported so,
        // and with another word for the module if it is imported `as` that.
        self.sites.get(text).copied().or_else(|| {
            // No module imports itself: `ReadP.run` cannot be a `run` of this one.
            let visible = self.visible.get(occurrence(text)).copied().flatten();
            visible.filter(|site| site.module != in_module)
        })
    }

    /// The binding of the top level with this name, its module before it.
    #[must_use]
    pub fn site_named(&self, full_name: &str) -> Option<Site> {
        self.sites.get(full_name).copied()
    }

    /// All bindings of the top level, module by module.
    pub fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        self.modules
            .iter()
            .enumerate()
            .flat_map(|(module, it)| (0..it.len()).map(move |top| Site { module, top }))
    }
}

/// True if a module's text has an export list. A text without a module header exports `main` alone,
/// as if it had one.
pub(super) fn has_export_list(text: &str) -> bool {
    let text = without_comments(text);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('(', " ( ");
    let mut words = words.split(' ').filter(|it| !it.is_empty());
    let Some(_) = words.find(|word| *word == "module") else { return true };
    words.nth(1).is_some_and(|word| word == "(")
}

/// The types and classes that a text defines at its top level, each with all its constructors or
/// methods.
pub(super) fn exported_types(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let of_line = |line: &str| -> Option<String> {
        let mut words = line.split_whitespace();
        let keyword = words.next().filter(|_| !line.starts_with(char::is_whitespace))?;
        let is_alias = keyword == "type";
        if !matches!(keyword, "data" | "newtype" | "class" | "type") {
            return None;
        }
        // A context comes before the name: `class Monad m => Store m`.
        let rest = line.split_once("=>").map_or(line, |(_, rest)| rest);
        let name = rest.split_whitespace().find(|word| {
            word.starts_with(|first: char| first.is_uppercase())
                && word.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'\''))
        })?;
        Some(if is_alias { name.to_owned() } else { format!("{name} (..)") })
    };
    text.lines().filter_map(of_line).collect()
}

/// A text without its comments, which may look like code.
fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_u32;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("{-") {
            depth += 1;
            rest = &rest[2..];
        } else if depth > 0 && rest.starts_with("-}") {
            depth -= 1;
            rest = &rest[2..];
        } else if depth == 0 && rest.starts_with("--") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else {
            if depth == 0 {
                out.push(first);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// Words that begin a declaration of the top level that is not a function.
const NO_NAMES: [&str; 12] = [
    "module", "import", "data", "newtype", "type", "class", "instance", "deriving", "infix",
    "infixl", "infixr", "foreign",
];

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

/// The number of lines that declare and define a name of the top level: from the first one that
/// begins with it to the next that begins something else, without blank lines and comments.
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

/// The function of the top level, or the method of an instance or a class, that a line (from 1)
/// declares or defines, or is a part of; `None` for the lines of types, `deriving` clauses and
/// splices.
#[must_use]
pub fn declared_at(text: &str, line: u32) -> Option<&str> {
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let head = lines.iter().rposition(|line| is_head(line))?;
    match lines[head].split_whitespace().next()? {
        "instance" | "class" => method(&lines[head..]),
        first if NO_NAMES.contains(&first) || first.starts_with('$') => None,
        // A splice without brackets: `makeLenses ''Settings`.
        _ if lines[head].contains(" ''") => None,
        _ => defined(lines[head]),
    }
}

/// The lines of the declaration that contains a line, from 1.
pub(super) fn declaration(text: &str, line: u32) -> impl Iterator<Item = &str> {
    let declared = declared_at(text, line);
    let is_of_it = |it: &u32| declared_at(text, *it) == declared;
    let first = (1..=line).rev().take_while(is_of_it).last().unwrap_or(line);
    let last = (line..=text.lines().count() as u32).take_while(is_of_it).last().unwrap_or(line);
    text.lines().skip(first as usize - 1).take((last + 1 - first) as usize)
}

/// True if a line begins a declaration of the top level.
fn is_head(line: &str) -> bool {
    line.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '(' | '$'))
}

/// The method that contains the last of some lines; the first line begins the instance or class.
fn method<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim().starts_with("--");
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_where = |line: &&str| line.split_whitespace().any(|word| word == "where");
    let body = lines.iter().position(is_where)? + 1;
    let own = indent(lines[body..].iter().find(|it| is_code(it))?);
    let is_method = |it: &&&str| is_code(it) && indent(it) == own && own > 0;
    let line = lines[body..].iter().rev().find(is_method)?.trim_start();
    let first = line.split_whitespace().next()?;
    (!NO_NAMES.contains(&first) && !first.starts_with("{-")).then(|| defined(line)).flatten()
}

/// The name that a line begins to declare or define: `step` for `step x = ...`, `.+.` for
/// `a .+. b = ...`.
fn defined(line: &str) -> Option<&str> {
    // An operator in brackets, or a pattern in brackets before an operator.
    if let Some(rest) = line.strip_prefix('(') {
        let mut depth = 1;
        let end = rest.find(|it| {
            depth += i32::from(it == '(') - i32::from(it == ')');
            depth == 0
        })?;
        if is_operator(&rest[..end]) {
            return Some(&rest[..end]);
        }
        let after = rest[end + 1..].split_whitespace().next().and_then(infix);
        return after.or_else(|| rest.split([' ', ',', ')']).find(|it| !it.is_empty()));
    }
    let mut words = line.split_whitespace();
    let first = words.next()?;
    // A constructor cannot be defined as a function: the operator comes after its fields.
    let operator = match first.starts_with(char::is_uppercase) {
        true => words.take_while(|it| *it != "=").find_map(infix),
        false => words.next().and_then(infix),
    };
    let name = first.split([':', ',', '=', '|', '(']).next();
    operator.or(name.filter(|it| !it.is_empty()))
}

/// The operator that a word is when it stands between its arguments.
fn infix(word: &str) -> Option<&str> {
    const RESERVED: [&str; 8] = ["=", "::", "|", "->", "<-", "=>", "@", "~"];
    let quoted = word.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    quoted.or_else(|| (is_operator(word) && !RESERVED.contains(&word)).then_some(word))
}

fn is_operator(word: &str) -> bool {
    const SYMBOLS: &str = "!#$%&*+./<=>?@\\^|-~:";
    let is_symbol = |it: char| SYMBOLS.contains(it) || (!it.is_ascii() && !it.is_alphanumeric());
    !word.is_empty() && word.chars().all(is_symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_lists_are_seen_past_comments_and_pragmas() {
        for (text, expected) in [
            ("module A where\n", false),
            ("{-# LANGUAGE X #-}\nmodule A\n  ( f\n  ) where\n", true),
            ("-- module B (x)\nmodule A.B where\nf (x) = x\n", false),
            ("{- module {- B -} (x) -} module A(f)where\n", true),
            ("main = print 1\n", true),
        ] {
            assert_eq!(has_export_list(text), expected, "{text}");
        }
    }

    #[test]
    fn types_are_exported_with_what_belongs_to_them() {
        let text = "module A where\ndata T a = T\n  | U\nnewtype N = N Int\ntype S = T\n\
                    class Monad m => Store m where\n-- data X\nf = data_\n";
        assert_eq!(exported_types(text), ["T (..)", "N (..)", "S", "Store (..)"]);
    }

    const TEXT: &str = "\
module M where
import A
data Point = Point
  { across :: Double
  } deriving (Eq, Show)
newtype Feet = Feet { feet :: Double }
  deriving (Num)

instance Num a => Monoid' (Sum a) where
  -- what is first
  {-# INLINE mempty' #-}
  mempty' = zero
    where
      zero = 0
  Sum a <> Sum b =
    Sum (a + b)
  (a, _) `plus` b = a

instance Show Feet
f, g :: Int -> Int
f 0 = 1
f n
  | n > 2 = 3
  where h = 4
(.+.) :: V -> V -> V
V a .+. V b =
  V (a + b)
(V a) `dot` (V b) = a * b
(p, q) = (1, 2)
makeLenses ''Point
$(derive
   [''Point])
main = f 1
";

    #[test]
    fn a_line_belongs_to_the_function_or_method_around_it() {
        let names: Vec<Option<&str>> = (1..=34).map(|line| declared_at(TEXT, line)).collect();
        let of = |line: usize| names[line - 1];
        for line in 1..=9 {
            assert_eq!(of(line), None, "{line}");
        }
        assert_eq!([of(12), of(13), of(14)], [Some("mempty'"); 3]);
        assert_eq!([of(17), of(18)], [Some("plus"), Some("plus")]);
        assert_eq!(of(19), None, "an instance without methods");
        assert_eq!(of(20), Some("f"));
        assert_eq!([of(21), of(22), of(23), of(24)], [Some("f"); 4]);
        assert_eq!(of(25), Some(".+."));
        assert_eq!(of(28), Some("dot"));
        assert_eq!(of(29), Some("p"));
        assert_eq!([of(30), of(31), of(32)], [None; 3], "splices");
        assert_eq!(of(33), Some("main"));
    }

    #[test]
    fn a_declaration_has_all_its_lines() {
        let lines: Vec<&str> = declaration(TEXT, 22).collect();
        assert_eq!(lines.first(), Some(&"f, g :: Int -> Int"));
        assert_eq!(lines.last(), Some(&"  where h = 4"));
        assert_eq!(lines.len(), 5);
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
