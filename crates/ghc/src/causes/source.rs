//! The text of a module, as far as causes read it: its exports, the names declared and defined on each
//! line, and the lines that name functions of some libraries.
//!
//! Inlined code has lost its name in Core, but still has the line on which the program uses it. The
//! module's imports determine the words that mean functions of each library.

use std::collections::HashSet;

use super::program::Module;

/// The code of a literate program, each line where it was: what stands behind `>`, and what stands
/// between `\begin{code}` and `\end{code}`. Prose is left out, because it may look like code.
pub fn code_of_literate(text: &str) -> String {
    let mut is_code = false;
    let code = text.split('\n').map(|line| match line.trim_end() {
        r"\begin{code}" => {
            is_code = true;
            ""
        }
        r"\end{code}" => {
            is_code = false;
            ""
        }
        _ if is_code => line,
        _ => line.strip_prefix('>').map_or("", |code| code.strip_prefix(' ').unwrap_or(code)),
    });
    code.collect::<Vec<_>>().join("\n")
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

/// Functions by their names in a program's text.
#[derive(Debug)]
pub(super) struct Spelled {
    /// The modules that a program imports them from.
    pub(super) modules: &'static [&'static str],
    /// Their names, qualified with the module's short name, or unqualified if imported so.
    pub(super) names: &'static [&'static str],
    /// Names of the Prelude that may mean them if one of the modules is imported.
    pub(super) methods: &'static [&'static str],
    /// Operations of which one remains in Core; if empty, any code counts.
    pub(super) operations: &'static [&'static str],
    /// The mean duration below which a use is short, in seconds.
    pub(super) short_seconds: f64,
}

impl Spelled {
    /// The lines, from 1, of a module's text that name one of them.
    pub(super) fn lines(&self, module: &Module) -> HashSet<u32> {
        module.source.as_ref().map_or_else(HashSet::new, |it| self.lines_of(&it.text))
    }

    fn lines_of(&self, text: &str) -> HashSet<u32> {
        let imports = text.lines().filter_map(import);
        let imports: Vec<Import<'_>> =
            imports.filter(|it| self.modules.contains(&it.module)).collect();
        let names = |line: &str| {
            let code = line.split("--").next().unwrap_or_default();
            !code.starts_with("import") && words(code).any(|word| self.means(&imports, word))
        };
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !imports.is_empty() && names(line));
        lines.map(|(number, _)| number).collect()
    }

    fn means(&self, imports: &[Import<'_>], word: &str) -> bool {
        self.methods.contains(&word)
            || self.names.iter().any(|name| {
                let before = word.strip_suffix(name).and_then(|it| it.strip_suffix('.'));
                match before {
                    Some(short) => imports.iter().any(|it| it.short == short || it.module == short),
                    None => word == *name && imports.iter().any(|it| it.gives(name)),
                }
            })
    }
}

/// An import of a module.
pub(super) struct Import<'a> {
    pub(super) module: &'a str,
    /// The qualifier of its names.
    pub(super) short: &'a str,
    is_qualified: bool,
    /// The list of imported or hidden names; `None` for all.
    list: Option<&'a str>,
}

impl Import<'_> {
    /// True if a name may be used unqualified.
    fn gives(&self, name: &str) -> bool {
        let is_listed = |list: &str| words(list).any(|it| it == name);
        let is_hidden = |list: &str| list.trim_start().starts_with("hiding");
        !self.is_qualified && self.list.is_none_or(|list| is_hidden(list) != is_listed(list))
    }
}

/// Parses `import qualified Data.Text as T (length)`.
pub(super) fn import(line: &str) -> Option<Import<'_>> {
    let rest = line.strip_prefix("import ")?;
    let begin = rest.find('(').into_iter().chain(rest.find(" hiding")).min();
    let (head, list) = begin.map_or((rest, None), |at| (&rest[..at], Some(&rest[at..])));
    let mut words =
        head.split_whitespace().filter(|it| !matches!(*it, "qualified" | "safe" | "as"));
    let module = words.next()?;
    let is_qualified = head.split_whitespace().any(|it| it == "qualified");
    Some(Import { module, short: words.next().unwrap_or(module), is_qualified, list })
}

/// The names in a line of code, with their qualifiers: `T.index`, `U.//`, `<>`.
pub(super) fn words(code: &str) -> impl Iterator<Item = &str> {
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '\'' | '.');
    let is_symbol = |it: char| "!#$%&*+./<=>?@\\^|-~:".contains(it);
    let mut rest = code;
    std::iter::from_fn(move || {
        let begin = rest.find(|it| is_word(it) || is_symbol(it))?;
        rest = &rest[begin..];
        let letters = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
        let is_qualifier = letters == 0 || rest[..letters].ends_with('.');
        let symbols = rest[letters..].find(|it| !is_symbol(it)).unwrap_or(rest.len() - letters);
        // An operator that touches a name on its left is qualified only after a dot.
        let end = if is_qualifier { letters + symbols } else { letters };
        let (word, after) = rest.split_at(end.max(1).min(rest.len()));
        rest = after;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_of_a_literate_program_is_no_code() {
        let text = "Finally, the sum:\n\n> total :: [Int] -> Int\n> total = sum\n\nwalks it.\n";
        assert_eq!(code_of_literate(text), "\n\ntotal :: [Int] -> Int\ntotal = sum\n\n\n");
        let text = "Finally.\n\\begin{code}\ntotal = sum\n  where\n\\end{code}\nDone.";
        assert_eq!(code_of_literate(text), "\n\ntotal = sum\n  where\n\n");
    }

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

    const SPELLED: Spelled = Spelled {
        modules: &["Data.Text", "Data.Array.Unboxed"],
        names: &["index", "//"],
        methods: &["<>"],
        operations: &[],
        short_seconds: 0.0,
    };

    fn lines(imports: &str, code: &str) -> bool {
        SPELLED.lines_of(&format!("module M where\n{imports}\n\n{code}\n")).contains(&4)
    }

    #[test]
    fn names_mean_what_is_imported() {
        assert!(lines("import qualified Data.Text as T", "at = T.index src"));
        assert!(lines("import qualified Data.Text", "at = Data.Text.index src"));
        assert!(lines("import Data.Text (index)", "at = (index src)"));
        assert!(lines("import Data.Text", "at=index src"));
        assert!(!lines("import Data.Text (Text)", "at = index src"));
        assert!(!lines("import Data.Text hiding (index)", "at = index src"));
        assert!(!lines("import qualified Data.Text as T", "at = V.index src"));
        assert!(!lines("import qualified Data.Text as T", "at = T.indexed src -- T.index"));
        assert!(!lines("import qualified Data.Sequence as T", "at = T.index src"));
    }

    #[test]
    fn operators_are_names() {
        assert!(lines("import qualified Data.Array.Unboxed as U", "f m = m U.// [(1, 2)]"));
        assert!(lines("import Data.Array.Unboxed", "f m = m//[(1, 2)]"));
        assert!(!lines("import Data.Array.Unboxed", "f m = m /// [(1, 2)]"));
        assert!(lines("import qualified Data.Text as T", "f m = a m<>b"));
        assert!(!lines("import Data.List", "f m = a <> b"));
    }
}
