//! Declarations in the source of a module: the names declared or defined on each line.

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
