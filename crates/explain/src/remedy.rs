//! A finding's remedy, applied to the text of a module or the options of a build, as far as that
//! needs no understanding of the rest.

use ghc::causes::source::definition_line;

use findings::explanation::ProposedChange;

/// The reason why a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemedyError {
    /// The text of the module was not found.
    #[error("the source of `{module}` was not found")]
    NoSource {
        /// The module.
        module: String,
    },
    /// The name is not declared where a pragma could be placed.
    #[error("`{binding}` is not declared at the top level of `{module}`")]
    NotAtTopLevel {
        /// The module.
        module: String,
        /// The name.
        binding: String,
    },
    /// The head of the module does not have the supported form.
    #[error("the head of `{module}` is not `module {module} where`")]
    OtherHead {
        /// The module.
        module: String,
    },
}

/// The text with the change, if the change concerns a module's text.
///
/// # Errors
///
/// When the place for it is not found.
pub fn changed(text: &str, change: &ProposedChange) -> Result<String, RemedyError> {
    match change {
        ProposedChange::Pragma { module, binding, pragma } => with_pragma(text, binding, pragma)
            .ok_or_else(|| RemedyError::NotAtTopLevel {
                module: module.clone(),
                binding: binding.clone(),
            }),
        ProposedChange::ExportList { module, exports } => with_exports(text, module, exports)
            .ok_or_else(|| RemedyError::OtherHead { module: module.clone() }),
        ProposedChange::CompilerOption { .. } | ProposedChange::RuntimeOption { .. } => {
            Ok(text.to_owned())
        }
    }
}

/// The module whose text is changed.
#[must_use]
pub fn module_of(change: &ProposedChange) -> Option<&str> {
    match change {
        ProposedChange::Pragma { module, .. } | ProposedChange::ExportList { module, .. } => {
            Some(module)
        }
        ProposedChange::CompilerOption { .. } | ProposedChange::RuntimeOption { .. } => None,
    }
}

/// A change in words.
#[must_use]
pub fn in_words(change: &ProposedChange) -> String {
    match change {
        ProposedChange::Pragma { module, pragma, .. } => {
            format!("`{{-# {pragma} #-}}` in `{module}`")
        }
        ProposedChange::ExportList { module, exports } => {
            format!("`module {module} ({}) where`", exports.join(", "))
        }
        ProposedChange::CompilerOption { option } => format!("GHC's option `{option}`"),
        ProposedChange::RuntimeOption { option } => format!("the runtime's option `{option}`"),
    }
}

/// The text with the pragma on its own line before the declaration. An existing inlining pragma of
/// the same binding is removed: GHC accepts only one.
fn with_pragma(text: &str, binding: &str, pragma: &str) -> Option<String> {
    let says_inlining = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = |word: &str| word.trim_matches(['(', ')']) == binding;
        matches!(words[..], ["{-#", kind, .., named, "#-}"]
            if matches!(kind, "INLINE" | "NOINLINE" | "INLINABLE" | "INLINEABLE" | "NOTINLINE")
                && name(named))
    };
    let is_inlining = says_inlining(&format!("{{-# {pragma} #-}}"));
    let kept: Vec<&str> =
        text.lines().filter(|line| !(is_inlining && says_inlining(line))).collect();
    let line = definition_line(&kept.join("\n"), binding)? as usize;
    let mut lines: Vec<String> = kept.into_iter().map(str::to_owned).collect();
    lines.insert(line - 1, format!("{{-# {pragma} #-}}"));
    Some(lines.join("\n") + "\n")
}

fn with_exports(text: &str, module: &str, exports: &[String]) -> Option<String> {
    let head = format!("module {module}");
    let begin = text
        .match_indices(&head)
        .map(|(at, _)| at)
        .find(|at| *at == 0 || text[..*at].ends_with('\n'))?;
    let after = begin + head.len();
    let where_at = after + text[after..].find("where")?;
    let between = &text[after..where_at];
    if between.is_empty() || !between.chars().all(char::is_whitespace) {
        return None;
    }
    Some(format!("{}{head} ({}) {}", &text[..begin], exports.join(", "), &text[where_at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pragma(binding: &str, pragma: &str) -> ProposedChange {
        ProposedChange::Pragma {
            module: "M".to_owned(),
            binding: binding.to_owned(),
            pragma: pragma.to_owned(),
        }
    }

    #[test]
    fn a_pragma_stands_before_the_declaration_and_another_one_gives_way() {
        let text = "module M where\n\n{-# NOINLINE f #-}\nf :: Int\nf = 1\ng = 2\n";
        let expected = "module M where\n\n{-# INLINE f #-}\nf :: Int\nf = 1\ng = 2\n";
        assert_eq!(changed(text, &pragma("f", "INLINE f")).as_deref(), Ok(expected));
        let expected = "module M where\n\n{-# NOINLINE f #-}\n{-# SPECIALISE f :: Int #-}\nf :: Int\nf = 1\ng = 2\n";
        assert_eq!(changed(text, &pragma("f", "SPECIALISE f :: Int")).as_deref(), Ok(expected));
        let error = changed(text, &pragma("go", "INLINE go")).expect_err("it is not there");
        assert_eq!(error.to_string(), "`go` is not declared at the top level of `M`");
    }

    #[test]
    fn an_export_list_is_given_to_a_module_without_one() {
        let list = |text| {
            let exports = vec!["f".to_owned(), "T(..)".to_owned()];
            changed(text, &ProposedChange::ExportList { module: "A.M".to_owned(), exports })
        };
        let text = "-- module A.M\nmodule A.M where\nf = 1\n";
        let expected = "-- module A.M\nmodule A.M (f, T(..)) where\nf = 1\n";
        assert_eq!(list(text).as_deref(), Ok(expected));
        assert!(list("module A.M (f) where\n").is_err());
        assert!(list("module A.Main where\n").is_err());
        assert!(list("main = f\n").is_err());
    }
}
