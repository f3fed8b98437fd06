//! A dump as a whole: passes, groups of bindings, unreadable parts, and the parts removed by flags.
//!
//! At the top level lines decide. A binding is indented from the first column, except for its
//! signature, its attributes, and its name; bindings are separated by blank lines. So an unreadable
//! binding is left out, and reading continues after the next blank line.
//!
//! A cause that examines arities finds nothing in a dump without them. To explain that, the dump is
//! searched for suppressed parts, as far as it shows them.

use super::names::{Name, split_unique};
use super::parser::{Kind, Parsed, Parser, Problem, Reason, Token};
use super::tree::{Core, Group, Key, Pass, Rule, Size, Top};

/// The contents of a dump.
#[derive(Debug, Clone, Default)]
pub struct Dump {
    /// Its nodes.
    pub core: Core,
    /// Its passes, in order.
    pub passes: Vec<Pass>,
    /// The first of the parts that could not be read, and were left out.
    pub problems: Vec<Problem>,
    /// The number of such parts.
    pub unread_parts: usize,
}

/// The most unreadable parts that are named. Text that is not a dump has one in every few bytes.
const MOST_PROBLEMS: usize = 100;

impl Dump {
    /// Reads the text of a dump: GHC's output with `-ddump-simpl` and its kin, or its files with
    /// `-ddump-to-file`.
    pub fn read(text: &[u8]) -> Self {
        if u32::try_from(text.len()).is_err() {
            let reason = Reason::TooLarge { bytes: text.len() };
            let problems = vec![Problem { line: 1, begins: 1, reason }];
            return Self { problems, unread_parts: 1, ..Self::default() };
        }
        let mut reader = Reader {
            parser: Parser::new(text),
            passes: Vec::new(),
            problems: Vec::new(),
            unread_parts: 0,
            open: Opened::default(),
        };
        reader.dump();
        let Reader { parser, passes, problems, unread_parts, .. } = reader;
        Self { core: parser.core, passes, problems, unread_parts }
    }

    /// The bindings of the top level of a pass, in order.
    pub fn tops(&self, pass: &Pass) -> impl Iterator<Item = &Top> {
        self.core.groups[pass.groups].iter().flat_map(|group| &self.core.tops[group.bindings])
    }
}

/// The pass that is being read.
#[derive(Debug, Default)]
struct Opened {
    title: Option<Name>,
    size: Option<Size>,
    line: u32,
    groups: Vec<Group>,
    rules: Vec<Rule>,
    /// The bindings since `Rec {`, if the group is still open.
    recursive: Option<Vec<Top>>,
    /// The size announced for the next binding.
    next_size: Option<Size>,
    /// Set while other lines than bindings may be words about the pass.
    in_header: bool,
    /// Set if the pass has an expression instead of bindings.
    is_expression: bool,
}

/// The title above an expression of Template Haskell: GHC compiles and runs it while it reads the
/// module, and prints it before the module's bindings. It is not part of the program.
const SPLICE: &[u8] = b"Simplified expression";

struct Reader<'a> {
    parser: Parser<'a>,
    passes: Vec<Pass>,
    problems: Vec<Problem>,
    unread_parts: usize,
    open: Opened,
}

impl<'a> Reader<'a> {
    fn dump(&mut self) {
        self.open = Opened { line: 1, in_header: true, ..Opened::default() };
        while let Some(line) = self.line() {
            if self.mark(line) {
                continue;
            }
            // After CorePrep, a splice has the title of the module's bindings.
            self.open.is_expression |= self.open.in_header && line == b"let {";
            if self.open.is_expression {
                self.skip_line(line);
            } else {
                self.item(line);
            }
        }
        if self.open.recursive.is_some() {
            let line = self.parser.lexer.line;
            self.note(Problem { line, begins: line, reason: Reason::CutOff });
        }
        self.close();
    }

    /// The line at the lexer's position, which is the beginning of one, without its end.
    fn line(&self) -> Option<&'a [u8]> {
        let rest = &self.parser.lexer.text[self.parser.lexer.at..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        (!rest.is_empty()).then(|| &rest[..end])
    }

    fn skip_line(&mut self, line: &[u8]) {
        let lexer = &mut self.parser.lexer;
        lexer.at += line.len();
        if lexer.at < lexer.text.len() {
            lexer.at += 1;
            lexer.line += 1;
        }
    }

    /// Consumes a line that does not belong to a binding or a rule; true if it was one.
    fn mark(&mut self, line: &[u8]) -> bool {
        let trimmed = line.trim_ascii_end();
        if let Some(title) = trimmed.strip_prefix(b"====================") {
            self.close();
            let title = title.strip_suffix(b"====================").unwrap_or(title).trim_ascii();
            let is_expression = title == SPLICE;
            let title = Some(self.parser.core.names.name_of_bytes(title));
            let line = self.parser.lexer.line;
            self.open = Opened { title, line, in_header: true, is_expression, ..Opened::default() };
        } else if let Some(size) = trimmed.strip_prefix(b"-- RHS size:") {
            let size = self.through_brace(line, size);
            self.open.next_size = size_of(&size);
        } else if trimmed.starts_with(b"Result size of") {
            let size = self.through_brace(line, trimmed);
            self.open.size = size_of(&size);
        } else if trimmed == b"Rec {" {
            self.end_group();
            self.open.recursive = Some(Vec::new());
        } else if trimmed == b"end Rec }" {
            self.end_group();
        } else if !(trimmed.is_empty() || self.is_of_header(trimmed)) {
            return false;
        }
        let line = self.line().unwrap_or_default();
        self.skip_line(line);
        true
    }

    /// A size from `line` on, up to its closing brace, which may be some lines below in narrow
    /// dumps. The reader is then at the last of these lines.
    fn through_brace(&mut self, line: &[u8], words: &[u8]) -> Vec<u8> {
        /// The title of a pass, and one line for each of the five figures, with one to spare.
        const MOST_LINES: usize = 7;
        let mut size = words.to_vec();
        let mut last = line;
        for _ in 0..MOST_LINES {
            if size.contains(&b'}') {
                break;
            }
            let at = (self.parser.lexer.at, self.parser.lexer.line);
            self.skip_line(last);
            match self.line().filter(|next| next.starts_with(b" ")) {
                Some(next) => {
                    size.push(b' ');
                    size.extend_from_slice(next.trim_ascii());
                    last = next;
                }
                None => {
                    (self.parser.lexer.at, self.parser.lexer.line) = at;
                    break;
                }
            }
        }
        size
    }

    /// True for the lines that GHC prints about a pass before and between its bindings.
    fn is_of_header(&self, line: &[u8]) -> bool {
        let is_time = line.ends_with(b" UTC") && line[0].is_ascii_digit();
        let is_heading = line.starts_with(b"------ ") || line.starts_with(b"Rec { }");
        let is_about_pass = self.open.in_header && (line[0] == b' ' || line[0] == b'}');
        is_time || is_heading || is_about_pass
    }

    /// A binding or a rule.
    fn item(&mut self, line: &[u8]) {
        let begins = self.parser.lexer.line;
        let start = self.parser.lexer.at;
        let mark = self.parser.core.mark();
        self.open.in_header = false;
        let read = if line.starts_with(b"\"") || line.starts_with(b"Built in rule for ") {
            self.rule()
        } else {
            self.binding()
        };
        self.open.next_size = None;
        let at = self.parser.token.start;
        match read {
            Ok(()) => self.parser.lexer.at = at,
            Err(reason) => {
                let line = self.parser.lexer.line;
                self.note(Problem { line, begins, reason });
                self.parser.core.back_to(mark);
                self.parser.abandon();
                self.recover(start);
            }
        }
    }

    fn note(&mut self, problem: Problem) {
        self.unread_parts += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// Reads the first token of an item, which is in the first column.
    fn first(&mut self) {
        self.parser.token = Token { kind: Kind::End, start: 0, end: 0, column: None };
        self.parser.advance();
        self.parser.token.column = Some(0);
        self.parser.kind = self.parser.token.kind;
    }

    fn rule(&mut self) -> Parsed<()> {
        self.first();
        let rule = self.parser.rule()?;
        self.ended()?;
        self.open.rules.push(rule);
        Ok(())
    }

    fn binding(&mut self) -> Parsed<()> {
        self.first();
        let head = self.parser.head()?;
        let right = self.parser.expression()?;
        self.ended()?;
        let binding = self.parser.core.bindings.add(head.with(right));
        let top = Top { binding, size: self.open.next_size };
        match &mut self.open.recursive {
            Some(bindings) => bindings.push(top),
            None => {
                let bindings = self.parser.core.tops.add_all([top]);
                self.open.groups.push(Group { recursive: false, bindings });
            }
        }
        Ok(())
    }

    /// Checks that the line ends, except for a semicolon, which some passes have.
    fn ended(&mut self) -> Parsed<()> {
        if self.parser.kind == Kind::Semicolon {
            self.parser.advance();
        }
        if self.parser.kind != Kind::End {
            return Err(self.parser.unexpected("the end of the binding"));
        }
        Ok(())
    }

    /// Skips from an unreadable token to the next line that may begin an item.
    fn recover(&mut self, start: usize) {
        let token = self.parser.token;
        let begins_line = token.column == Some(0) && token.start > start;
        self.parser.lexer.at = token.start;
        let mut after_blank = false;
        let mut first = true;
        while let Some(line) = self.line() {
            let may_begin = !first || begins_line;
            if may_begin && begins_item(line, after_blank) {
                return;
            }
            after_blank = may_begin && line.trim_ascii().is_empty();
            first = false;
            self.skip_line(line);
        }
    }

    fn end_group(&mut self) {
        if let Some(tops) = self.open.recursive.take() {
            let bindings = self.parser.core.tops.add_all(tops);
            self.open.groups.push(Group { recursive: true, bindings });
        }
    }

    /// Ends the pass; text before the first header is one only if it has bindings or rules.
    fn close(&mut self) {
        self.end_group();
        let Opened { title, size, line, groups, rules, .. } = std::mem::take(&mut self.open);
        if title.is_none() && groups.is_empty() && rules.is_empty() && size.is_none() {
            return;
        }
        let core = &mut self.parser.core;
        let groups = core.groups.add_all(groups);
        let rules = core.rules.add_all(rules);
        self.passes.push(Pass { title, size, groups, rules, line });
    }
}

/// True if a line begins an item, or is recognisable by itself.
fn begins_item(line: &[u8], after_blank: bool) -> bool {
    let marks: [&[u8]; 5] = [b"-- RHS size:", b"Rec {", b"end Rec }", b"=====", b"------ "];
    marks.iter().any(|mark| line.starts_with(mark))
        || (after_blank && line.first().is_some_and(|byte| !byte.is_ascii_whitespace()))
}

/// The size in `{terms: 4,718, types: 7,957, coercions: 1,880, joins: 2/44}`.
fn size_of(line: &[u8]) -> Option<Size> {
    let inside = str::from_utf8(line).ok()?.split_once('{')?.1.split_once('}')?.0;
    let mut size = Size::default();
    for item in inside.split(", ") {
        let (key, value) = item.split_once(": ")?;
        let number = |text: &str| text.replace(',', "").parse::<u32>().ok();
        match key {
            "terms" => size.terms = number(value)?,
            "types" => size.types = number(value)?,
            "coercions" => size.coercions = number(value)?,
            "joins" => {
                let (join_points, inner_bindings) = value.split_once('/')?;
                size.join_points = number(join_points)?;
                size.inner_bindings = number(inner_bindings)?;
            }
            _ => {}
        }
    }
    Some(size)
}

/// The parts left out of a dump, among those that causes need: the flag that did it, or one that is
/// implied (`-dsuppress-all` implies most); `None` for a part that is present, or that the dump does
/// not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suppressed {
    /// The uniques after names; without them names of a ticky profile cannot be joined.
    pub uniques: Option<&'static str>,
    /// Arity, strictness, occurrences, unfoldings.
    pub idinfo: Option<&'static str>,
    /// The types of bindings and parameters. Without them, GHC leaves out the attributes of
    /// bindings, too.
    pub type_signatures: Option<&'static str>,
}

/// The number of times that something was seen, and was missing.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    there: usize,
    missing: usize,
}

impl Seen {
    fn note(&mut self, there: bool) {
        if there {
            self.there += 1;
        } else {
            self.missing += 1;
        }
    }

    fn by(self, flag: &'static str) -> Option<&'static str> {
        (self.there == 0 && self.missing > 0).then_some(flag)
    }
}

impl Dump {
    /// The parts left out of this dump.
    pub fn suppressed(&self) -> Suppressed {
        let core = &self.core;
        let mut signatures = Seen::default();
        let mut idinfo = Seen::default();
        for top in &core.tops {
            let binding = &core.bindings[top.binding];
            signatures.note(binding.signature.is_some());
            idinfo.note(core.attribute(binding.info, Key::Scope).is_some());
        }
        Suppressed {
            uniques: uniques(core).by("-dsuppress-uniques"),
            idinfo: match (signatures.by("-dsuppress-type-signatures"), idinfo) {
                (by @ Some(_), Seen { there: 0, .. }) => by,
                (_, idinfo) => idinfo.by("-dsuppress-idinfo"),
            },
            type_signatures: signatures.by("-dsuppress-type-signatures"),
        }
    }
}

/// Local binders end with a unique, if the dump has uniques. A name of the program may look like
/// that, so a few are not evidence: most must.
fn uniques(core: &Core) -> Seen {
    let mut seen = Seen::default();
    for binder in &core.binders {
        let name = core.text(binder.name);
        if name != "_" {
            seen.note(split_unique(name).is_some());
        }
    }
    if seen.there < seen.missing { Seen { there: 0, ..seen } } else { seen }
}
