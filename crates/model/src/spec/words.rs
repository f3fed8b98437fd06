//! A command as typed, split into words as a POSIX shell would.
//!
//! Quotes and backslashes are honoured; nothing is expanded. Features that need a shell (pipes,
//! redirections, variables, globs) are recognised, not interpreted: such a command is passed to a
//! shell. (POSIX.1-2017, Shell Command Language, 2.2 Quoting and 2.3 Token Recognition.)

/// The parts of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The words, quotes removed.
    pub words: Vec<String>,
    /// The first character outside quotes that only a shell can interpret.
    pub shell_syntax: Option<char>,
}

/// The reason that a command line cannot be split into words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum WordsError {
    #[error("{quote} opened at character {at} is never closed")]
    Unbalanced { quote: &'static str, at: usize },
    #[error("the command ends in a backslash")]
    TrailingBackslash,
    #[error("the command is empty")]
    Empty,
}

/// Characters that, unquoted, require a shell anywhere in a command.
const SHELL_ANYWHERE: &str = "|&;<>()$`*?[\n";
/// Characters that require a shell at the beginning of a word: home folders and comments.
const SHELL_AT_START: &str = "~#";

/// Splits `line` into words.
pub fn split(line: &str) -> Result<Words, WordsError> {
    let mut cutter = Cutter::default();
    let mut characters = line.chars().enumerate().map(|(index, c)| (index + 1, c));
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' => cutter.single_quoted(at, &mut characters)?,
            '"' => cutter.double_quoted(at, &mut characters)?,
            '\\' => match characters.next() {
                Some((_, '\n')) => {}
                Some((_, escaped)) => cutter.push(escaped),
                None => return Err(WordsError::TrailingBackslash),
            },
            ' ' | '\t' => cutter.end_word(),
            _ => cutter.plain(character),
        }
    }
    cutter.end_word();
    if cutter.words.is_empty() && cutter.shell_syntax.is_none() {
        return Err(WordsError::Empty);
    }
    Ok(Words { words: cutter.words, shell_syntax: cutter.shell_syntax })
}

/// `word`, quoted if necessary so that it is read as a single word.
pub fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%{}".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[derive(Default)]
struct Cutter {
    words: Vec<String>,
    word: Option<String>,
    shell_syntax: Option<char>,
}

impl Cutter {
    fn push(&mut self, character: char) {
        self.word.get_or_insert_default().push(character);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn plain(&mut self, character: char) {
        let starts_word = self.word.is_none();
        let assigns = character == '='
            && self.words.is_empty()
            && self.word.as_deref().is_some_and(is_variable_name);
        if SHELL_ANYWHERE.contains(character)
            || (starts_word && SHELL_AT_START.contains(character))
            || assigns
        {
            self.shell_syntax.get_or_insert(character);
        }
        self.push(character);
    }

    fn single_quoted(
        &mut self,
        opened_at: usize,
        characters: &mut impl Iterator<Item = (usize, char)>,
    ) -> Result<(), WordsError> {
        self.word.get_or_insert_default();
        for (_, character) in characters {
            match character {
                '\'' => return Ok(()),
                _ => self.push(character),
            }
        }
        Err(WordsError::Unbalanced { quote: "single quote", at: opened_at })
    }

    fn double_quoted(
        &mut self,
        opened_at: usize,
        characters: &mut impl Iterator<Item = (usize, char)>,
    ) -> Result<(), WordsError> {
        self.word.get_or_insert_default();
        while let Some((_, character)) = characters.next() {
            match character {
                '"' => return Ok(()),
                '\\' => match characters.next() {
                    Some((_, escaped @ ('"' | '\\' | '$' | '`'))) => self.push(escaped),
                    Some((_, '\n')) => {}
                    Some((_, other)) => {
                        self.push('\\');
                        self.push(other);
                    }
                    None => break,
                },
                '$' | '`' => {
                    self.shell_syntax.get_or_insert(character);
                    self.push(character);
                }
                _ => self.push(character),
            }
        }
        Err(WordsError::Unbalanced { quote: "double quote", at: opened_at })
    }
}

fn is_variable_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line).expect("the line is sound").words
    }

    fn asks_for_shell(line: &str) -> Option<char> {
        split(line).expect("the line is sound").shell_syntax
    }

    /// Each pair was checked against `sh -c 'printf "<%s>" LINE'` (dash 0.5.12).
    #[test]
    fn quoting_follows_the_shell() {
        for (line, expected) in [
            ("grep -i todo", vec!["grep", "-i", "todo"]),
            ("  a \t b  ", vec!["a", "b"]),
            (r#"echo "two words" 'and more'"#, vec!["echo", "two words", "and more"]),
            (r#"a"b"'c'd"#, vec!["abcd"]),
            (r#"x "" ''"#, vec!["x", "", ""]),
            (r"a\ b \'c", vec!["a b", "'c"]),
            (r#"p "a\"b\\c\d""#, vec!["p", r#"a"b\c\d"#]),
            (r"p 'a\b'", vec!["p", r"a\b"]),
            ("awk '{print $1}' f", vec!["awk", "{print $1}", "f"]),
            ("é 'ü'", vec!["é", "ü"]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn what_only_a_shell_can_do_is_recognised() {
        for (line, syntax) in [
            ("a | b", '|'),
            ("a && b", '&'),
            ("a > f", '>'),
            ("echo $HOME", '$'),
            ("echo \"$HOME\"", '$'),
            ("ls *.c", '*'),
            ("ls ~/x", '~'),
            ("a; b", ';'),
            ("(a)", '('),
            ("X=1 cmd", '='),
            ("a `b`", '`'),
        ] {
            assert_eq!(asks_for_shell(line), Some(syntax), "{line}");
        }
    }

    #[test]
    fn what_is_quoted_or_harmless_asks_for_no_shell() {
        for line in
            ["echo '$HOME | *'", r"echo \$HOME", "a~b c#d", "cmd X=1", "cmd --opt=1", "a {b} c!"]
        {
            assert_eq!(asks_for_shell(line), None, "{line}");
        }
    }

    #[test]
    fn unsound_lines_are_refused_with_the_place() {
        assert_eq!(
            split("echo 'abc"),
            Err(WordsError::Unbalanced { quote: "single quote", at: 6 })
        );
        assert_eq!(
            split("echo \"abc\\\""),
            Err(WordsError::Unbalanced { quote: "double quote", at: 6 })
        );
        assert_eq!(split("echo \\"), Err(WordsError::TrailingBackslash));
        assert_eq!(split("   "), Err(WordsError::Empty));
        assert_eq!(split(""), Err(WordsError::Empty));
    }

    #[test]
    fn what_is_quoted_is_read_as_one_word() {
        for word in ["plain", "", "a b", "it's", "$HOME `x` \"y\" \\z", "größe", "~", "#1", "a=b"]
        {
            let read = split(&quote(word)).expect("sound");
            assert_eq!(read.words, [word], "{}", quote(word));
            assert_eq!(read.shell_syntax, None, "{}", quote(word));
        }
    }
}
