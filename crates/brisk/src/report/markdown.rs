//! Text of others within Markdown.

/// `text` as code within a table cell: bars would end the cell, and backquotes the code.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('\n', " ").replace('|', "\\|");
    let fence = if text.contains('`') { "``" } else { "`" };
    let pad = if text.contains('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Characters that Markdown would take as markup.
pub(super) fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, character| {
        if matches!(character, '*' | '_' | '|' | '<') {
            escaped.push('\\');
        }
        escaped.push(character);
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_cannot_break_the_table() {
        assert_eq!(code("a | b"), "`a \\| b`");
        assert_eq!(code("echo `x`"), "`` echo `x` ``");
        assert_eq!(escape("a_b*c"), "a\\_b\\*c");
    }
}
