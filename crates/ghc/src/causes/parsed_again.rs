//! Parsers that parse the same operand again for each alternative.
//!
//! `try (Add <$> term <* plus <*> expr) <|> term` parses a term; if no plus follows, it backtracks
//! and parses the term again. If a term may hold an expression in parentheses, each level of these
//! does so again: twice the work for each level. GHC inlines parsers beyond recognition, so this is
//! read from the text of the module: the parser that each alternative begins with, and its path
//! back to the definition.
//!
//! This reads the usual ways to write parsers with combinators, and no more of Haskell: definitions
//! of the top level and below `where` and `let`, alternatives by `<|>` and `choice`, and sequences
//! by `do`, `<$>` and the like.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::cause::{Cause, Look, Need, Paid};
use super::costs::Time;
use super::examine::{Basis, Finding};
use super::names::{Location, in_source};
use super::program::{Module, Program, Site};
use super::source::words;
use crate::samples::{Function, Use};

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
        at: Some(Location { file: source.path.clone(), line: *line, column: None }),
        what: format!(
            "`{name}` parses `{operand}` again where an alternative that begins with it fails{others}"
        ),
        remedy: format!(
            "parse `{operand}` once, and then what may follow it: `{operand} >>= rest`, where `rest` \
             ends with `pure`; for operators `chainl1`, `chainr1`, `sepBy1`, or \
             `buildExpressionParser`"
        ).into(),
        why: "An alternative is tried from the beginning, and keeps nothing of the one before; GHC does not \
              know that both begin alike."
            .to_owned(),
        basis: Basis { time: Some(time), ..Basis::site(site) },
        ..Finding::at_site(&CAUSE, site, Vec::new())
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

/// The parsers of a module, by their names.
#[derive(Debug, Default)]
struct Grammar<'a> {
    definitions: BTreeMap<&'a str, Definition<'a>>,
}

/// An alternative that begins like an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Again<'a> {
    /// The declaration of the top level that contains it.
    top: &'a str,
    /// The line, from 1, on which the parser with these alternatives is defined.
    line: u32,
    /// The parser that both begin with, and that leads back here.
    operand: &'a str,
}

/// The definition of a name.
#[derive(Debug)]
struct Definition<'a> {
    top: &'a str,
    line: u32,
    body: Vec<Token<'a>>,
    /// All names used in it and in the definitions within it.
    names: BTreeSet<&'a str>,
}

/// A word, an operator or a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    line: u32,
    /// From 0.
    column: usize,
}

/// Words before a parser that still let the code begin with it.
const PREFIXES: [&str; 22] = [
    "try",
    "do",
    "lexeme",
    "token",
    "many",
    "many1",
    "some",
    "optional",
    "optionMaybe",
    "lookAhead",
    "void",
    "chainl",
    "chainl1",
    "chainr",
    "chainr1",
    "sepBy",
    "sepBy1",
    "sepEndBy",
    "sepEndBy1",
    "endBy",
    "endBy1",
    "hidden",
];

/// Functions with one argument before the parser.
const AFTER_ONE: [&str; 8] =
    ["fmap", "liftA", "liftA2", "liftA3", "liftM", "liftM2", "option", "label"];

/// Parsers of blanks.
const BLANKS: [&str; 9] = [
    "spaces",
    "whitespace",
    "whiteSpace",
    "skipSpace",
    "skipSpaces",
    "skipWhitespace",
    "ws",
    "sc",
    "space",
];

/// True for tokens that separate two alternatives.
fn parts_alternatives(token: &Token<'_>) -> bool {
    matches!(token.text, "<|>" | "<++" | "+++")
}

impl<'a> Grammar<'a> {
    /// The definitions of a module's text.
    fn parse(text: &'a str) -> Self {
        let tokens = tokens(text);
        let mut grammar = Self::default();
        let tops = tokens.chunk_by(|_, next| next.column > 0);
        for top in tops {
            let Some(name) = top.first().filter(|it| is_name(it.text)) else { continue };
            grammar.add(name.text, top);
            // Every line below it may begin another definition.
            for at in 1..top.len() {
                let (before, it) = (top[at - 1], top[at]);
                let begins =
                    it.line > before.line || matches!(before.text, "where" | "let" | "{" | ";");
                if begins && is_name(it.text) {
                    let rest = &top[at..];
                    let ends = |next: &Token<'_>| next.line > it.line && next.column <= it.column;
                    let end = rest.iter().position(ends).unwrap_or(rest.len());
                    grammar.add(name.text, &rest[..end]);
                }
            }
        }
        grammar
    }

    /// Adds `name arguments = body`; other code is ignored.
    fn add(&mut self, top: &'a str, tokens: &[Token<'a>]) {
        let Some(name) = tokens.first() else { return };
        let Some(equals) = tokens.iter().position(|it| it.text == "=") else { return };
        let is_pattern = |it: &Token<'_>| {
            !matches!(
                it.text,
                "::" | "<-" | "->" | "where" | "let" | "in" | "of" | "|" | "do" | ";"
            )
        };
        if !tokens[1..equals].iter().all(is_pattern) {
            return;
        }
        let body = &tokens[equals + 1..];
        let names = body.iter().map(|it| it.text).filter(|it| is_name(it)).collect();
        let end = body.iter().position(|it| it.text == "where").unwrap_or(body.len());
        let definition = Definition { top, line: name.line, body: body[..end].to_vec(), names };
        self.definitions.entry(name.text).or_insert(definition);
    }

    /// The alternatives that begin like an earlier one, with a parser that leads back to them: one
    /// for each definition, in the order of their lines.
    fn again(&self) -> Vec<Again<'a>> {
        let of = |(name, definition): (&&'a str, &Definition<'a>)| {
            let operand = self.operand(name, definition)?;
            Some(Again { top: definition.top, line: definition.line, operand })
        };
        let mut found: Vec<Again<'a>> = self.definitions.iter().filter_map(of).collect();
        found.sort_by_key(|it| it.line);
        found
    }

    fn operand(&self, name: &str, definition: &Definition<'a>) -> Option<&'a str> {
        groups(&definition.body).into_iter().find_map(|group| {
            let firsts: Vec<Vec<&'a str>> =
                alternatives(group).into_iter().map(|it| self.firsts(it)).collect();
            (1..firsts.len()).find_map(|at| {
                let is_before = |it: &&&str| firsts[..at].iter().any(|before| before.contains(it));
                let is_back = |it: &&&str| **it != name && self.leads(it, name);
                firsts[at].iter().filter(is_before).find(is_back).copied()
            })
        })
    }

    /// The parsers that some code begins with: the one it names, and those that this one begins
    /// with.
    fn firsts(&self, code: &[Token<'a>]) -> Vec<&'a str> {
        let mut found: Vec<&'a str> = first(code).into_iter().collect();
        let mut next = 0;
        while let Some(definition) = found.get(next).map(|it| self.definitions.get(it)) {
            next += 1;
            let Some(definition) = definition else { continue };
            for name in alternatives(&definition.body).into_iter().filter_map(first) {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        found.retain(|it| self.definitions.contains_key(it));
        found
    }

    /// True if a parser uses another one, directly or through others.
    fn leads(&self, from: &str, to: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(name) = waiting.pop() {
            let Some(definition) =
                self.definitions.get(name).filter(|_| seen.insert(name.to_owned()))
            else {
                continue;
            };
            if definition.names.contains(to) {
                return true;
            }
            waiting.extend(&definition.names);
        }
        false
    }
}

/// The code, and the contents of each bracket in it.
fn groups<'t, 'a>(code: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let opens = (0..code.len()).filter(|at| matches!(code[*at].text, "(" | "["));
    let inner = opens.map(|at| &code[at + 1..closing(code, at)]);
    std::iter::once(code).chain(inner).collect()
}

/// The position of the bracket that closes the one at `open`.
fn closing(code: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_i32;
    for (at, it) in code.iter().enumerate().skip(open) {
        depth += depth_of(it.text);
        if depth == 0 {
            return at;
        }
    }
    code.len()
}

fn depth_of(text: &str) -> i32 {
    match text {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// The alternatives of some code, separated outside brackets; the code itself if it has none.
fn alternatives<'t, 'a>(code: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let choice = code.iter().position(|it| matches!(it.text, "choice" | "asum" | "msum"));
    if let Some(at) = choice.filter(|at| code.get(at + 1).is_some_and(|it| it.text == "[")) {
        return split(&code[at + 2..closing(code, at + 1)], |it| it.text == ",");
    }
    // In `lexeme (a <|> b)` they are in the brackets.
    let parts = split(code, parts_alternatives);
    match parts[..] {
        [whole] => {
            let open = whole.iter().position(|it| !PREFIXES.contains(&it.text));
            match open.filter(|at| whole[*at].text == "(") {
                Some(at) if closing(whole, at) + 1 >= whole.len() => {
                    split(&whole[at + 1..closing(whole, at)], parts_alternatives)
                }
                _ => parts,
            }
        }
        _ => parts,
    }
}

fn split<'t, 'a>(
    code: &'t [Token<'a>],
    is_between: impl Fn(&Token<'a>) -> bool,
) -> Vec<&'t [Token<'a>]> {
    let mut depth = 0_i32;
    let is_end = |it: &Token<'a>| {
        depth += depth_of(it.text);
        depth == 0 && is_between(it)
    };
    code.split(is_end).collect()
}

/// The name of the parser that some code begins with.
fn first<'a>(code: &[Token<'a>]) -> Option<&'a str> {
    let mut at = 0;
    loop {
        let rest = code.get(at..)?;
        let it = rest.first()?;
        // `Add <$> term`, `left <- term`
        if let Some(after) = behind(rest) {
            at += after;
            continue;
        }
        match it.text {
            text if PREFIXES.contains(&text) || BLANKS.contains(&text) => at += 1,
            "(" | "{" | "$" | "*>" | ">>" | ";" => at += 1,
            text if AFTER_ONE.contains(&text) => {
                at += 2;
                if rest.get(1).is_some_and(|it| it.text == "(") {
                    at += closing(rest, 1) - 1;
                }
            }
            text => return is_name(text).then_some(text),
        }
    }
}

/// The number of tokens before the parser in `function <$> parser` and `name <- parser`.
fn behind(code: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_i32;
    let line = code.first()?.line;
    for (at, it) in code.iter().enumerate() {
        depth += depth_of(it.text);
        match it.text {
            "<-" if depth == 0 && it.line == line => return Some(at + 1),
            "<$>" | "<$" if depth == 0 => return Some(at + 1),
            "<*>" | "<*" | "*>" | ">>=" | ">>" | "$" | ";" | "do" | "<|>" => return None,
            _ if depth < 0 => return None,
            _ => {}
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    const WORDS: [&str; 17] = [
        "module", "import", "data", "newtype", "type", "class", "instance", "deriving", "where",
        "let", "in", "do", "of", "case", "if", "then", "else",
    ];
    text.starts_with(|first: char| first.is_lowercase() || first == '_') && !WORDS.contains(&text)
}

/// The tokens of a text, without comments and literals.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_symbol = |it: char| "!#$%&*+./<=>?@\\^|-~:".contains(it);
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '\'' | '.');
    let mut found = Vec::new();
    let mut comments = 0_usize;
    for (line, code) in (1..).zip(text.lines()) {
        let mut column = 0;
        while let Some(rest) = code.get(column..).filter(|it| !it.is_empty()) {
            let first = rest.chars().next().unwrap_or(' ');
            let length = |is: &dyn Fn(char) -> bool| rest.find(|it| !is(it)).unwrap_or(rest.len());
            let end = match first {
                _ if rest.starts_with("{-") => {
                    comments += 1;
                    2
                }
                _ if rest.starts_with("-}") && comments > 0 => {
                    comments -= 1;
                    2
                }
                _ if comments > 0 => first.len_utf8(),
                '"' | '\'' => literal(rest),
                _ if first.is_alphabetic() || first == '_' => length(&is_word),
                _ if is_symbol(first) => length(&is_symbol),
                _ if first.is_whitespace() => length(&char::is_whitespace),
                _ if first.is_ascii_digit() => length(&is_word),
                _ => first.len_utf8(),
            };
            let token = &rest[..end];
            if comments == 0 && token.len() > 1 && token.chars().all(|it| it == '-') {
                break;
            }
            let is_left = "()[]{},;`".contains(first) && end == first.len_utf8()
                || is_symbol(first)
                || first.is_alphabetic()
                || first == '_';
            if comments == 0 && is_left && !rest.starts_with("-}") {
                found.push(Token { text: token, line, column });
            }
            column += end;
        }
    }
    found
}

/// The length in bytes of the character or string literal that a line begins with.
fn literal(rest: &str) -> usize {
    let quote = &rest[..1];
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if rest[at..].starts_with(quote) => return at + 1,
            _ => {}
        }
    }
    // The end of a type's or a pattern's name, or a string over several lines.
    if quote == "'" { 1 } else { rest.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(text: &str) -> Vec<(&str, u32, &str)> {
        let text = Box::leak(format!("module M where\n\n{text}").into_boxed_str());
        Grammar::parse(text).again().into_iter().map(|it| (it.top, it.line, it.operand)).collect()
    }

    const ATOMS: &str = "term :: Parser Int\nterm = number <|> parens expr\n\nnumber = read <$> many1 digit\n\
                         \nparens p = between (char '(') (char ')') p\n";

    #[test]
    fn an_operand_that_two_alternatives_begin_with_is_parsed_again() {
        for text in [
            "expr = try (Add <$> term <* symbol '+' <*> expr) <|> term\n",
            "expr = try (do\n    left <- term\n    _ <- char '+'\n    Add left <$> expr)\n  <|> term\n",
            "expr = try (do { l <- term; char '+'; r <- expr; return (l + r) }) <|> term\n",
            "expr = choice [try sum, term]\n  where\n    sum = do\n      l <- term\n      _ <- plus\n      \
             pure l\n",
            "expr = try (liftA2 (+) (term <* char '+') expr) <|> term\n",
            "expr = lexeme (try (mk <$> term <*> op <*> expr) <|> term <?> \"a sum\")\n",
            "expr = spaces *> term <* plus <|> spaces *> term -- <|> nothing\n",
        ] {
            let text = format!("{text}\n{ATOMS}");
            let found = again(&text);
            assert_eq!(found, [("expr", 3, "term")], "{text}");
        }
        let named = format!("expr = try sum <|> term\n\nsum = Add <$> term <*> expr\n\n{ATOMS}");
        assert_eq!(again(&named), [("expr", 3, "term")]);
    }

    #[test]
    fn what_begins_differently_or_does_not_lead_back_is_parsed_once() {
        for text in [
            // The operand once, and then its optional continuation.
            "expr = do\n  left <- term\n  (plus *> (Add left <$> expr)) <|> pure left\n",
            "expr = term `chainl1` plus\n",
            "expr = foldl1 Add <$> term `sepBy1` plus\n",
            // A name alone does not begin like an expression.
            "expr = try (Call <$> number <*> parens expr) <|> Var <$> number\n",
            "expr = char '-' *> term <|> char '+' *> term\n",
            "expr = case term of { Just it -> it; Nothing -> term }\n",
        ] {
            assert_eq!(again(&format!("{text}\n{ATOMS}")), [], "{text}");
        }
        assert_eq!(again("lookups = lookup a m <|> lookup b m\n"), []);
        assert_eq!(again(""), []);
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "f = \"<|> (\" {- a\n{- b -} -} x' 'c' '\\'' --> y\n";
        let all: Vec<&str> = tokens(text).iter().map(|it| it.text).collect();
        assert_eq!(all, ["f", "=", "x'", "-->", "y"]);
    }
}
