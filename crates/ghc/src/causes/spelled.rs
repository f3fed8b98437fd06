//! Lines of the source that name functions of some libraries.
//!
//! Inlined code has lost its name in Core, but still has the line on which the program uses it. The
//! module's imports determine the words that mean functions of each library.

use std::collections::HashSet;

use super::program::Module;

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

    const TEXT: Spelled = Spelled {
        modules: &["Data.Text", "Data.Array.Unboxed"],
        names: &["index", "//"],
        methods: &["<>"],
        operations: &[],
        short_seconds: 0.0,
    };

    fn lines(imports: &str, code: &str) -> bool {
        TEXT.lines_of(&format!("module M where\n{imports}\n\n{code}\n")).contains(&4)
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
